"""Newton-Euler equations in absolute coordinates: every body free, every connection a set of rows.

Coordinates of a body: position of its mass centre and unit quaternion; speeds: velocity of the mass centre in ground
axes and angular velocity in body axes. The mass matrix is block diagonal and all reactions are multipliers.
"""

from collections.abc import Iterator
from typing import final

import casadi as ca
import numpy as np

from trundle.linear_algebra.kkt import Factor, Sparse, dense, sparse
from trundle.model.body import Body, Frame
from trundle.motion.kinematics import quaternion_rate
from trundle.motion.links import frame_pose
from trundle.motion.motion import FrameLoad, FrameMotion, Inertias, Loads, Partial
from trundle.motion.roots import Roots, time_derivative
from trundle.space.pose import Pose
from trundle.space.rotation import cross, rotation_from_quaternion
from trundle.typing import Expr


@final
class AbsoluteMotion:
    """Motion of free bodies."""

    def __init__(self, bodies: list[Body], inertias: Inertias, q: Expr, u: Expr, roots: Roots) -> None:
        self.bodies, self.q, self.u, self.roots = bodies, q, u, roots
        self._ground = FrameMotion.at_rest()
        self.n_q, self.n_u = 7 * len(bodies), 6 * len(bodies)
        self.quaternions = [7 * i + 3 for i in range(len(bodies))]
        self.coordinates: dict[str, tuple[slice, slice]] = {}
        self.index = {b: i for i, b in enumerate(bodies)}
        self._centres: dict[Body, FrameMotion] = {}
        self._origins: dict[Body, FrameMotion] = {}
        for i, body in enumerate(bodies):
            R = rotation_from_quaternion(q[7 * i + 3 : 7 * i + 7])
            w = ca.mtimes(R, u[6 * i + 3 : 6 * i + 6])
            zero = ca.SX.zeros(3)
            centre = FrameMotion(R, q[7 * i : 7 * i + 3], w, u[6 * i : 6 * i + 3], zero, zero)
            self._centres[body] = centre
            self._origins[body] = centre.fixed(Pose(np.eye(3), -inertias[body].com))

    def body(self, body: Body) -> FrameMotion:
        return self._origins[body] if body.is_free else self.roots[body].world

    def frame(self, frame: Frame) -> FrameMotion:
        return self.body(frame.body).fixed(frame_pose(frame))

    def partials(self, body: Body, point: Expr) -> list[Partial]:
        """Partial velocities of a point fixed to the body."""
        if not body.is_free:
            return []
        i, centre, eye = self.index[body], self._centres[body], ca.densify(ca.SX.eye(3))
        slides = [(6 * i + k, ca.SX.zeros(3), eye[:, k]) for k in range(3)]
        turns = [(6 * i + 3 + k, centre.R[:, k], cross(centre.R[:, k], point - centre.p)) for k in range(3)]
        return slides + turns

    def base(self, body: Body) -> FrameMotion:
        return self._ground if body.is_free or body.is_at_rest else self.roots[body].world

    def time_derivative(self, value: Expr) -> Expr:
        return time_derivative(value, self.q, self.coordinate_rates(), self.roots)

    def coordinate_rates(self) -> Expr:
        out = []
        for i in range(len(self.bodies)):
            out.append(self.u[6 * i : 6 * i + 3])
            out.append(quaternion_rate(self.q[7 * i + 3 : 7 * i + 7], self.u[6 * i + 3 : 6 * i + 6]))
        return ca.vertcat(*out)

    def leaves_first(self) -> list[int]:
        return list(range(self.n_u))

    def mass_matrix(self, inertias: Inertias) -> list[Sparse]:
        """Rows of the block-diagonal M."""
        rows: list[Sparse] = []
        for i, body in enumerate(self.bodies):
            inertia = inertias[body]
            rows += [{6 * i + k: inertia.mass} for k in range(3)]
            for k in range(3):
                row = {6 * i + 3 + l: inertia.matrix[k, l] for l in range(3)}
                rows.append({l: value for l, value in row.items() if not value.is_zero()})
        return rows

    def accelerating_wrenches(
        self, inertias: Inertias, gravity: Expr, udot: Expr
    ) -> Iterator[tuple[Body, Expr, Expr, Expr]]:
        """None: all bodies are free, and constraint rows hold them."""
        yield from ()

    def unconstrained(
        self, inertias: Inertias, gravity: Expr, loads: Loads, efforts: Expr
    ) -> tuple[Expr, list[FrameLoad]]:
        """udot, body by body; without rows the roots exert no loads."""
        mass = Factor(self.mass_matrix(inertias), self.leaves_first())
        force = sparse(efforts - self.bias(inertias, gravity, loads))
        return dense(mass.backward(mass.forward(force)), self.n_u), []

    def bias(self, inertias: Inertias, gravity: Expr, loads: Loads) -> Expr:
        """Gyroscopic terms minus gravity and loads."""
        h = []
        for i, body in enumerate(self.bodies):
            inertia, centre = inertias[body], self._centres[body]
            force, moment = inertia.mass * gravity, ca.SX.zeros(3)
            for _, point, F, M in loads.get(body, ()):
                force, moment = force + F, moment + M + cross(point - centre.p, F)
            w = self.u[6 * i + 3 : 6 * i + 6]
            h.append(-force)
            h.append(cross(w, ca.mtimes(inertia.matrix, w)) - ca.mtimes(centre.R.T, moment))
        return ca.vertcat(*h)
