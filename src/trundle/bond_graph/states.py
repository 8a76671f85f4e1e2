"""Numerical states of a graph, the inputs of its programs."""

import numpy as np

from trundle.equations.absolute_state import absolute_state
from trundle.equations.formulation import Formulation
from trundle.typing import Array, Json, State


def default_values(f: Formulation) -> Json:
    """Default values of parameters, tables and contact modes."""
    found: State = dict(zip(f.parameters.names, map(float, f.default_parameters), strict=True))
    for name, own in f.model.tables.items():
        block = own.table.block
        found[name] = {
            "edges": [e.tolist() for e in block.edges], "records": block.records.tolist(), "limits": block.limits,
        }  # fmt: skip
    return found


def graph_state(f: Formulation, q: Array, u: Array, p: Array, t: float) -> State:
    """The state of the graph at joint coordinates and speeds."""
    e = f.joint_functions.equations
    layout = f.derivation.layout_in("absolute")
    coordinates, speeds = absolute_state(e, layout, q, u, p, t)
    found: State = {}
    for i, body in enumerate(e.inertias):
        at, rate = coordinates[7 * i : 7 * i + 7], speeds[6 * i : 6 * i + 6]
        found[f"{body.name}.com_position"], found[f"{body.name}.orientation"] = at[:3], at[3:]
        w, x, y, z = at[3:]
        R = np.array(
            [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
             [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
             [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
        )  # fmt: skip
        found[f"{body.name}.com_velocity"], found[f"{body.name}.angular_velocity"] = rate[:3], R @ rate[3:]
    entries = (*layout.followers, *layout.first_order)
    found |= {entry.name: float(value) for entry, value in zip(entries, coordinates[layout.n_placed :], strict=True)}
    for c in f.layout.coordinates:
        if c.n_q == 1:
            found[c.name] = float(q[c.i_q])
    found |= {mode.name: value for mode, value in f.parameters.modes_at(p).items()}
    return found


def poses_of(f: Formulation) -> tuple[State, ...]:
    """The assembled pose and a generic one, at rest."""
    p = f.default_parameters
    return tuple(graph_state(f, q, np.zeros(f.layout.n_u), p, 0.0) for q in poses(f))


def what_is_missing(f: Formulation) -> tuple[str, ...]:
    """Descriptions of effects in the model that have no node in the graph."""
    resisted = f.model.resistances
    relaxed = [f"the relaxed constraint {name!r}" for name in f.relaxed if name not in resisted]
    return (*relaxed, *(f"the resistance on {name!r}" for name in resisted))


def poses(f: Formulation) -> list[Array]:
    """Coordinates of the assembled pose, and of a generic one."""
    found = f.mobility
    q = np.array(found.q)
    if f.has_rows:
        return [q, np.array(found.generic)]
    return [q, q + np.random.default_rng(11).normal(size=len(q), scale=0.3)]
