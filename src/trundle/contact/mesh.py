"""Teeth and belts in motion: the line along which a mesh acts, and how far the second body is ahead of the first.

In joint coordinates the row of an ordinary gear has constant coefficients, so its integral is known with all turns:
sum of coefficient times coordinate. Elsewhere the angles are measured, up to whole teeth.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import casadi as ca
import numpy as np

from trundle.contact.contact_motion import ContactMotion
from trundle.contact.geometry import Contact, with_rates
from trundle.errors import ModelError
from trundle.model.body import Frame
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.model.part_check import evaluate
from trundle.motion.motion import FrameMotion, Motion
from trundle.pairs.mesh import Mesh, Wheels
from trundle.space.rotation import cross
from trundle.typing import Array, Expr

SAME = 1e-10  # relative difference of two coefficients that is round-off


def mesh_of_loop(model: Model, connection: ConnectedPair, motion: Motion, zero: Callable[[Frame], FrameMotion],
                 t: Expr) -> ContactMotion:  # fmt: skip
    """The contact of a mesh; `zero` gives the frames where all coordinates of the joints are zero."""
    pair = connection.pair
    assert isinstance(pair, Mesh)
    frames = (connection.first, connection.second)
    at_zero = _wheels(pair, *map(zero, frames))
    _check_fit(model, connection, at_zero)
    A, B = (motion.frame(frame) for frame in frames)
    contact = _contact(pair, A, B)
    found = ContactMotion(connection, contact, motion, closes=True)
    constant = _constant(motion, found.row("normal", t).jacobian)
    if constant is not None and motion.base(frames[0].body) is motion.base(frames[1].body):
        places = {at_u.start: at_q.start for at_q, at_u in motion.coordinates.values()}
        gap = sum((c * motion.q[places[i]] for i, c in constant.items()), ca.SX(0))
        return ContactMotion(connection, replace(contact, gap=gap), motion, closes=True, constant=constant)
    lag = pair.lag(_wheels(pair, A, B), at_zero)
    known = replace(contact, gap=ca.SX(0) if lag is None else lag)
    return ContactMotion(connection, known, motion, closes=True, level="velocity" if lag is None else "position")


def _wheels(pair: Mesh, A: FrameMotion, B: FrameMotion) -> Wheels:
    axes = pair.frame()
    first, second = (tuple(ca.mtimes(at.R, axes[:, i]) for i in range(3)) for at in (A, B))
    return Wheels(A.p, B.p, first, second)


def _check_fit(model: Model, connection: ConnectedPair, at: Wheels) -> None:
    """ModelError for wheels that cannot mesh in the zero pose; frames that move may be anywhere then."""
    pair = connection.pair
    assert isinstance(pair, Mesh)
    d = at.second - at.first
    askew = ca.norm_2(cross(at.first_axes[2], at.second_axes[2]))
    distance = ca.norm_2(cross(at.first_axes[2], d))
    values = ca.vertcat(distance, askew, ca.norm_2(d))
    known = {p.symbol.element_hash() for p in model.parameters.values()}
    others = ca.vertcat(ca.SX(0, 1), *[s for s in ca.symvar(values) if s.element_hash() not in known])
    distances = evaluate(model, ca.substitute(values, others, ca.SX.zeros(others.numel()))).ravel()
    reason = pair.fit_fault(*map(float, distances))
    if reason:
        raise ModelError(f"connection {connection.name!r}: {type(pair).__name__}: {reason}")


def _contact(pair: Mesh, A: FrameMotion, B: FrameMotion) -> Contact:
    """Point and axes of the mesh with their rates."""
    axes = pair.frame()
    columns = [*(ca.mtimes(A.R, axes[:, i]) for i in range(3)), *(ca.mtimes(B.R, axes[:, i]) for i in range(3))]

    def locate(p: Expr, q: Expr, *e: Expr) -> tuple[Expr, Expr, Expr]:
        return pair.line(Wheels(p, q, (e[0], e[1], e[2]), (e[3], e[4], e[5])))

    turning = [*(cross(A.w, e) for e in columns[:3]), *(cross(B.w, e) for e in columns[3:])]
    (point, x, n), (velocity, x_rate, n_rate) = with_rates(locate, (A.p, B.p, *columns), (A.v, B.v, *turning))
    y, y_rate = cross(n, x), cross(n_rate, x) + cross(n, x_rate)
    return Contact(point, (x, y, n), velocity, (x_rate, y_rate, n_rate))


def _constant(motion: Motion, jacobian: Mapping[int, Expr]) -> dict[int, Expr] | None:
    """Coefficients of a row that do not depend on the pose and belong to single coordinates of joints; else None."""
    single = {at_u.start for at_q, at_u in motion.coordinates.values() if at_u.stop - at_u.start == 1}
    if not jacobian or not single.issuperset(jacobian):
        return None
    row = ca.vertcat(*jacobian.values())
    q = motion.q
    zero = np.zeros(motion.n_q)
    zero[list(motion.quaternions)] = 1.0
    own = {x.element_hash() for x in ca.symvar(q)}
    others = ca.vertcat(ca.SX(0, 1), *(s for s in ca.symvar(row) if s.element_hash() not in own))
    f = ca.Function("row", [q, others], [ca.densify(row)])
    rng = np.random.default_rng(7)
    some = rng.uniform(0.5, 1.5, others.numel())

    def at(pose: Array) -> Array:
        return np.array(f(pose, some)).ravel()

    there = at(zero)
    poses = [zero + rng.uniform(-1.5, 1.5, len(zero)) for _ in range(3)]
    if not all(np.all(np.abs(at(pose) - there) <= SAME * np.max(np.abs(there))) for pose in poses):
        return None
    return {i: ca.substitute(c, q, ca.DM(zero)) for i, c in jacobian.items()}
