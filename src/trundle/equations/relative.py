"""Dynamics of relative motion: generalised forces by body, speed and kind, and equations in the ground as a check.

Inertia forces relative to the frames, external forces, fictitious ("imaginary") forces, efforts of laws along
coordinates and constraint forces add up to zero for every speed [Zboinski 2011, Eq. 35].
"""

from typing import NamedTuple, final

import casadi as ca

from trundle.constraints.row import Role
from trundle.derivative import derivative
from trundle.equations.derive import Equations
from trundle.equations.kernels import Functions
from trundle.equations.outputs.reactions import accelerations
from trundle.model.body import Body, Frame
from trundle.model.imaginary import KINDS, Carrier, imaginary_wrenches
from trundle.motion.kane import turned
from trundle.motion.motion import FrameMotion
from trundle.space.rotation import cross, dot
from trundle.typing import Expr


def carrier_of(e: Equations, body: Body) -> Body:
    """The ground or the moving frame in which a body is described: the root of its branch of the tree."""
    return e.topology.path_to_root(body)[-1]


def wrenches_of(e: Equations, body: Body) -> dict[str, tuple[Expr, Expr]]:
    """Fictitious forces of a body by kind: force and moment about the mass centre, ground axes."""
    at, frame = e.motion.frame(Frame(body, body.com)), e.motion.body(carrier_of(e, body))
    J = turned(e.inertias[body].matrix, at.R)
    carrier = Carrier(frame.p, frame.v, frame.w, frame.a, frame.alpha)
    return imaginary_wrenches(e.inertias[body].mass, J, at.p, at.v, at.w, carrier)


def in_frame(e: Equations, body: Body, vector: Expr) -> Expr:
    """A vector in the axes of the frame that carries the body."""
    return ca.mtimes(e.motion.body(carrier_of(e, body)).R.T, vector)


@final
class GeneralisedForces(NamedTuple):
    """Generalised forces, as columns."""

    inertia: list[Expr]  # by body
    external: list[Expr]  # by body: weight, forces, laws that act on bodies
    imaginary: list[list[Expr]]  # by body and kind
    efforts: Expr  # of laws and drives along coordinates
    constraints: Expr


def generalised_forces(functions: Functions) -> GeneralisedForces:
    """Generalised forces that add up to zero for every speed of the tree."""
    e = functions.equations
    _, multipliers = functions.dynamics
    full = accelerations(functions, list(e.inertias))
    inertia, external, imaginary = [], [], []
    for body, mass in e.inertias.items():
        centre, at = e.motion.frame(Frame(body, body.com)), full[body]
        arm = centre.p - at.p
        a = at.a + cross(at.alpha, arm) + cross(at.w, cross(at.w, arm))
        J = turned(mass.matrix, at.R)
        total = -mass.mass * a, -ca.mtimes(J, at.alpha) - cross(at.w, ca.mtimes(J, at.w))
        parts = wrenches_of(e, body)
        kinds = [parts[kind] for kind in KINDS]
        rest = tuple(total[i] - sum((part[i] for part in kinds), ca.SX.zeros(3)) for i in range(2))
        force, moment = mass.mass * e.gravity, ca.SX.zeros(3)
        for _, point, F, M in e.loads.get(body, ()):
            force, moment = force + F, moment + M + cross(point - centre.p, F)
        inertia.append(_on_speeds(e, body, centre.p, *rest))
        external.append(_on_speeds(e, body, centre.p, force, moment))
        imaginary.append([_on_speeds(e, body, centre.p, *part) for part in kinds])
    held, driven = functions.settled(e.nonideal)[0], ca.SX(e.efforts)
    for i, row in enumerate(functions.rows):
        for k, entry in (row.column or row.jacobian).items():
            if row.role is Role.DRIVE:
                driven[k] += multipliers[i] * entry
            else:
                held[k] += multipliers[i] * entry
    return GeneralisedForces(inertia, external, imaginary, driven, held)


def _on_speeds(e: Equations, body: Body, point: Expr, force: Expr, moment: Expr) -> Expr:
    out = ca.SX.zeros(e.n_u)
    for i, angular, linear in e.motion.partials(body, point):
        out[i] = dot(angular, moment) + dot(linear, force)
    return out


def inertial_residual(functions: Functions) -> tuple[Expr, Expr]:
    """Residual of Newton's and Euler's laws in the ground, projected on the speeds, and the size of the terms that
    cancel.

    Momentum and angular momentum are computed from the poses of the bodies, differentiated twice along the motion. So
    the check uses only poses, forces and the computed accelerations.
    """
    e = functions.equations
    udot, multipliers = functions.dynamics
    wrenches: dict[Body, tuple[Expr, Expr]] = {}
    poses = {body: e.motion.frame(Frame(body, body.com)) for body in e.inertias}

    def act(body: Body, point: Expr, F: Expr, M: Expr) -> None:
        if body in poses:
            force, moment = wrenches.get(body, (ca.SX.zeros(3), ca.SX.zeros(3)))
            wrenches[body] = force + F, moment + M + cross(point - poses[body].p, F)

    for body, mass in e.inertias.items():
        act(body, poses[body].p, mass.mass * e.gravity, ca.SX.zeros(3))
        for _, point, F, M in e.loads.get(body, ()):
            act(body, point, F, M)
    direct = ca.SX(e.efforts)
    between = [(d.connection, *functions.settled(d.force, d.moment)) for d in e.drags]
    for i, row in enumerate(functions.rows):
        if row.force.is_zero() and row.moment.is_zero():  # a drive of a coordinate of the tree
            for k, entry in row.jacobian.items():
                direct[k] += multipliers[i] * entry
        else:
            c = e.model.connections[row.owner]
            between.append((c, multipliers[i] * row.force, multipliers[i] * row.moment))
    for c, F, M in between:
        point = e.motion.frame(c.second).p
        act(c.touching, point, F, M)
        act(c.first.body, point, -F, -M)
    left, size = direct, ca.fabs(direct)
    for body, mass in e.inertias.items():
        at = poses[body]
        v, w = e.time_derivative(at.p, ca.SX.zeros(e.n_u)), _turning(e, at)
        L = ca.mtimes(ca.mtimes(at.R, mass.matrix), ca.mtimes(at.R.T, w))
        F, M = wrenches[body]
        for rate, inertia, applied in (
            (v, mass.mass * e.time_derivative(v, udot), F),
            (w, e.time_derivative(L, udot), M),
        ):
            to_speeds = derivative(rate, e.u).T
            left += ca.mtimes(to_speeds, applied - inertia)
            size += ca.mtimes(ca.fabs(to_speeds), ca.fabs(applied) + ca.fabs(inertia))
    return left, size


def _turning(e: Equations, at: FrameMotion) -> Expr:
    """Angular velocity from the rate of a rotation matrix."""
    rate = ca.reshape(e.time_derivative(ca.vec(at.R), ca.SX.zeros(e.n_u)), 3, 3)
    S = ca.mtimes(rate, at.R.T)
    return ca.vertcat(S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]) / 2
