"""Derivatives of runs compared with differences of runs, where the equations compare states.

A law that jumps as the state changes, such as tr.where(s["x"] > 0, k, 0), has no derivative on the tape where it jumps:
what that adds to the derivatives of a run is not known to them. Events say what jumps, and are differentiated.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from trundle.equations.breaks import compares_states
from trundle.equations.formulation import Formulation
from trundle.errors import DerivativeWarning, SolveError
from trundle.messages.warn import warn
from trundle.study.sensitivity.at_start import StartOf
from trundle.typing import Array, State

if TYPE_CHECKING:
    from trundle.run.run import Run

STEP = 1e-5  # of the sizes of the variables
APART = 1e-2  # of the largest change of a state
ERROR = 10.0  # times its tolerance, by which a run may be off

Again = Callable[[State, State], "Run"]
"""Makes the run once more with other start values and parameters."""


def compares(f: Formulation) -> bool:
    """Whether the laws of a model compare states."""
    return compares_states(f.functions.plain_rhs)


def check_derivatives(run: "Run", start: StartOf, again: Again, rtol: float) -> None:
    """Warn if the derivatives differ from those of two neighbouring runs, along one direction of all variables, by more
    than the tolerance of these runs explains.
    """
    found, f = run.sensitivities, start.formulation
    if found is None or not f.once(compares):
        return
    variables = start.variables(found.names)
    way = np.random.default_rng(1).uniform(0.5, 1.0, len(variables)) * [v.size for v in variables]
    try:
        ahead, behind = (again(*start.changed(variables, sign * STEP * way)) for sign in (1.0, -1.0))
    except SolveError:
        return
    n = f.states.n_motion
    change = _difference(run, ahead, behind)[:, :n]
    said = found.states[:, :n] @ way
    assert run.trajectory is not None and run.raw is not None
    error = rtol * np.nanmax(np.abs(run.raw[1][:, :n]), axis=0, initial=0.0) + run.trajectory.atol[:n]
    size = np.maximum(np.nanmax(np.abs(change), axis=0, initial=0.0), 1e-9 * np.max(np.abs(way)))
    off = np.abs(said - change) / (size + ERROR * error / (STEP * APART))
    wrong = np.flatnonzero(np.nanmax(off, axis=1, initial=0.0) > APART)
    if len(wrong):
        warn(
            f"from t = {run.time[wrong[0]]:.4g} s on the derivatives of this run disagree with neighbouring runs: "
            "a law jumps as the state changes. Let an event change a parameter of that law instead, "
            "m.event(..., action={...}), or make the law continuous.",
            DerivativeWarning,
        )


def _difference(run: "Run", ahead: "Run", behind: "Run") -> Array:
    """Change of the states for a unit of the way, nan if the runs have not had the same events."""
    before = [r.trajectory.events_before for r in (run, ahead, behind) if r.trajectory is not None]
    states = [r.raw[1] for r in (ahead, behind) if r.raw is not None]
    shared = min(map(len, before))
    alike = np.all([b[:shared] == before[0][:shared] for b in before], axis=0)
    change = np.full((len(before[0]), states[0].shape[1]), np.nan)
    change[:shared][alike] = ((states[0][:shared] - states[1][:shared]) / (2 * STEP))[alike]
    return change
