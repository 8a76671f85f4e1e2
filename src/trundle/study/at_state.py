"""Accelerations and reactions at one state, by name."""

from collections.abc import Mapping, Sequence

import numpy as np

from trundle.bond_graph.states import graph_state
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, UnknownNameError
from trundle.run.ending import nonfinite_laws, points_that_meet
from trundle.study.first_modes import first_modes
from trundle.study.start_state import Parameters, start_state, state_vector
from trundle.typing import Array, State, Values


def accelerations(f: Formulation, state: Values | None, parameters: Parameters, t: float) -> State:
    """All accelerations and reactions at a state."""
    groups = ("accelerations", "reactions") if f.in_joints else ("reactions",)
    return _ask(f, groups, state, parameters, t)


def reactions(
    f: Formulation, state: Values | None, parameters: Parameters, t: float, on: str, axes: str
) -> dict[str, Array]:
    """Reaction force (N) and moment (N m) of every connection, by name.

    on: "first" or "second", the body on which they act. axes: name of the body whose axes they are given in.
    """
    if on not in ("first", "second"):
        raise SolveError(f"on={on!r}: reactions act on the 'first' or on the 'second' body of a connection.")
    if axes not in f.model.bodies:
        raise UnknownNameError(axes, f.model.bodies, "body to take the axes of")
    values = _ask(f, ("reactions",), state, parameters, t)
    R = np.eye(3)
    if axes != "ground":
        R = _ask(f, (f"body {axes}",), state, parameters, t)[f"{axes}.rotation"].reshape(3, 3).T
    sign = 1.0 if on == "second" else -1.0
    return {k: sign * (R.T @ v) for k, v in values.items() if ".reaction_" in k}


def state_of_graph(f: Formulation, state: Values | None, parameters: Parameters, t: float) -> State:
    """The state of the bond graph at a state."""
    f = f.by_kane if not f.in_joints else f
    p = f.parameter_vector(parameters)
    x = state_vector(f, start_state(f, state, parameters, t), p, t)
    return graph_state(f, x[f.states.q], x[f.states.u], first_modes(f, t, x, p), t)


def _ask(
    f: Formulation, groups: Sequence[str], state: Values | None, parameters: Mapping[str, float] | None, t: float
) -> State:
    p = f.parameter_vector(parameters)
    x = state_vector(f, start_state(f, state, parameters, t), p, t)[None, :]
    p = first_modes(f, t, x[0], p)
    out: State = {}
    for group in groups:
        members = f.members(group)
        if members:
            values = f.evaluate(members[0].name, np.array([t]), x, p)
            out.update({k: float(v[0, 0]) if v.shape[1] == 1 else v[0] for k, v in values.items()})
    if not all(np.all(np.isfinite(v)) for v in out.values()):
        culprits = nonfinite_laws(f, t, x[0], p, (0.0,))
        if culprits:
            raise SolveError(f"not finite at this state: {', '.join(culprits)}.{points_that_meet(f, culprits)}")
    return out
