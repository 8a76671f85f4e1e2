"""Speeds after an event that changes the motion of a frame: bodies keep their absolute velocities.

At a kink of a track, or when a turntable is stopped suddenly, the velocity of the frame jumps; no impulse acts on the
bodies, so their speeds relative to the frame jump by the opposite. If joints and constraints prevent that, the change
of the velocities is the one of least kinetic energy.
"""

from collections.abc import Collection

import casadi as ca
import numpy as np

from trundle.equations.kernels import Functions
from trundle.linear_algebra.kkt import KKT, KKTRow, dense, sparse
from trundle.model.body import Frame
from trundle.motion.kane import turned
from trundle.space.rotation import cross, dot
from trundle.typing import Array, Expr, TapeFunction


def moving_parts(functions: Functions) -> Expr:
    """Angular velocities and velocities of all moving frames, as one column."""
    e = functions.equations
    at = [e.motion.body(frame) for frame in e.model.frames]
    return ca.vertcat(ca.SX(0, 1), *[ca.vertcat(frame.w, frame.v) for frame in at])


def changes_frames(functions: Functions, symbols: Expr) -> bool:
    """Whether the velocity of a moving frame depends on one of these symbols."""
    return bool(ca.depends_on(moving_parts(functions), symbols))


def carried_over(functions: Functions, q: Expr, p: Expr, u: Expr, given: Collection[int] = ()) -> Expr:
    """The speeds after a sudden change of coordinates, states and parameters to q and p, from speeds u; the speeds in
    `given` do not change.
    """
    e = functions.equations
    velocities = ca.Function("velocities", [e.t, e.q, e.p], [moving_parts(functions)])
    jump = velocities(e.t, q, p) - velocities(e.t, e.q, e.p)
    return _speeds(functions, tuple(given))(e.t, q, u, p, jump)


def carried_over_numbers(
    functions: Functions, t: float, before: tuple[Array, Array], after: tuple[Array, Array], given: Collection[int]
) -> Array:
    """The speeds (numbers) after a change of (x, p) in which the speeds in `given` were assigned."""
    e = functions.equations
    q, q_after = before[0][e.layout.q], after[0][e.layout.q]
    velocities = ca.Function("velocities", [e.t, e.q, e.p], [moving_parts(functions)])
    jump = velocities(t, q_after, after[1]) - velocities(t, q, before[1])
    u = after[0][e.layout.u]
    if not np.any(np.array(ca.DM(jump))):
        return np.asarray(u)
    return np.array(ca.DM(_speeds(functions, tuple(given))(t, q_after, u, after[1], jump))).ravel()


def _speeds(functions: Functions, given: tuple[int, ...]) -> TapeFunction:
    """Speeds from (t, q, u, p) after the event and the jumps of the frames."""
    e = functions.equations
    jumps = ca.SX.sym("jumps", 6 * len(e.model.frames))
    by_frame = {frame: jumps[6 * i : 6 * i + 6] for i, frame in enumerate(e.model.frames)}
    push = ca.SX.zeros(e.n_u)
    for body, inertia in e.inertias.items():
        root = e.topology.path_to_root(body)[-1]
        if root not in by_frame or not e.layout.in_joints:  # absolute speeds are those in the ground
            continue
        centre, base = e.motion.frame(Frame(body, body.com)), e.motion.body(root)
        dw, dv = by_frame[root][:3], by_frame[root][3:]
        force = -inertia.mass * (dv + cross(dw, centre.p - base.p))
        moment = -ca.mtimes(turned(inertia.matrix, centre.R), dw)
        for i, angular, linear in e.motion.partials(body, centre.p):
            push[i] += dot(angular, moment) + dot(linear, force)
    rows = [row for row in functions.independent if row.active is None]  # friction and loads are no match for a jump
    scales = [1 / functions.length if row.unit == "m" else 1.0 for row in rows]
    held = [KKTRow(row.jacobian, row.owner, scale) for row, scale in zip(rows, scales, strict=True)]
    stay = [KKTRow({i: ca.SX(1)}, ("stays", i)) for i in given]
    kkt = KKT(e.mass, [*held, *stay], e.motion.leaves_first(), e.shift)
    change, _ = kkt.solve(sparse(push), {i: -row.rate for i, row in enumerate(rows)})
    return ca.Function("carry", [e.t, e.q, e.u, e.p, jumps], [e.u + dense(change, e.n_u)])
