"""Check that the joints of meshing wheels are compatible with the mesh."""

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.equations.derive import Equations
from trundle.equations.row_functions import RowFunctions
from trundle.errors import ModelError
from trundle.linear_algebra.rank import rank
from trundle.pairs.mesh import ASTRAY, Mesh
from trundle.typing import Array


def refuse_misaligned_meshes(rows: RowFunctions, q: Array, p: Array) -> None:
    """ModelError if wheels can turn about another axis than that of their mesh, or move apart.

    The motions that all other rows allow are examined, at one assembled pose.
    """
    e = rows.equations
    meshes = [name for name, bonds in e.contact_bonds.items() if isinstance(bonds.connection.pair, Mesh)]
    if not meshes:
        return
    others = [i for i, row in enumerate(e.rows) if row.owner not in meshes]
    J = rows(0.0, q, np.zeros(e.n_u), p)[2][others] * rows.sizes
    _, _, directions = np.linalg.svd(J)
    free = (rows.sizes * directions[rank(J) :]).T if len(others) else np.diag(rows.sizes)
    for name in meshes:
        _check(e, name, free, q, p)


def _check(e: Equations, name: str, free: Array, q: Array, p: Array) -> None:
    connection = e.contact_bonds[name].connection
    pair = connection.pair
    assert isinstance(pair, Mesh)
    A, B = (e.motion.frame(frame) for frame in (connection.first, connection.second))
    first, second = (ca.mtimes(at.R, pair.frame()) for at in (A, B))
    away = A.p - B.p
    turn = ca.mtimes(first.T, B.w - A.w)
    seen = ca.mtimes(second.T, A.v - B.v - ca.cross(B.w, away))
    other = ca.mtimes(first.T, second[:, 2])
    wanted = [derivative(turn, e.u), derivative(seen, e.u), ca.mtimes(second.T, away), other]
    f = ca.Function("wheels", [e.t, e.q, e.u, e.p], [ca.densify(v) for v in wanted])
    turns, velocities, d, axis = (np.array(v) for v in f(0.0, q, np.zeros(e.n_u), p))
    turns, velocities = turns @ free, velocities @ free
    what = f"connection {name!r}: {type(pair).__name__}"
    if np.max(np.abs(pair.off_axis(turns, axis.ravel())), initial=0.0) > ASTRAY * np.max(np.abs(turns), initial=0.0):
        raise ModelError(
            f"{what}: its wheels turn about {_axes(pair.frame() @ turns)} in the axes of its first frame, not "
            "about the axis of the mesh alone. Give it the axis of their joints (axis=...), and hold both wheels by "
            "joints about that axis."
        )
    reason = pair.phase_fault(d.ravel(), velocities)
    if reason:
        raise ModelError(f"{what}: {reason}")


def _axes(turns: Array) -> str:
    """Text of the axis of a rotation, or "several axes"."""
    directions, sizes, _ = np.linalg.svd(turns)
    if sizes[1] > ASTRAY * sizes[0]:
        return "several axes"
    e = directions[:, 0]
    e = e * np.sign(e[np.argmax(np.abs(e))])
    return "(" + ", ".join(f"{round(v, 6) + 0.0:g}" for v in e) + ")"
