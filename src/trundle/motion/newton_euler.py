"""Newton-Euler equations in absolute coordinates: every body free, every connection a set of rows.

Coordinates of a body: position of its mass centre and unit quaternion; speeds: velocity of the mass centre in ground
axes and
angular velocity in body axes. The mass matrix is block diagonal and all reactions are multipliers.
"""

from typing import TYPE_CHECKING, Any, final

import casadi as ca
import numpy as np

from trundle.linear_algebra.kkt import Sparse
from trundle.model.body import Body, Frame
from trundle.motion.kinematics import Rigid, quaternion_rate
from trundle.motion.links import frame_pose
from trundle.space.inertia import Inertia
from trundle.space.pose import Pose
from trundle.space.rotation import cross, quaternion_from_rotation, rotation_from_quaternion

if TYPE_CHECKING:
    from trundle.equations.derive import Equations


@final
class AbsoluteMotion:
    """Motion of free bodies, as constraint rows and forces ask for it."""

    def __init__(self, bodies: list[Body], inertias: dict[Body, Inertia], q: Any, u: Any) -> None:
        self.bodies, self.q, self.u = bodies, q, u
        self.n_q, self.n_u = 7 * len(bodies), 6 * len(bodies)
        self.quaternions = [7 * i + 3 for i in range(len(bodies))]
        self.index = {b: i for i, b in enumerate(bodies)}
        self._centres: dict[Body, Rigid] = {}
        self._origins: dict[Body, Rigid] = {}
        for i, body in enumerate(bodies):
            R = rotation_from_quaternion(q[7 * i + 3 : 7 * i + 7])
            w = ca.mtimes(R, u[6 * i + 3 : 6 * i + 6])
            zero = ca.SX.zeros(3)
            centre = Rigid(R, q[7 * i : 7 * i + 3], w, u[6 * i : 6 * i + 3], zero, zero)
            self._centres[body] = centre
            self._origins[body] = centre.fixed(Pose(np.eye(3), -inertias[body].com))

    def body(self, body: Body) -> Rigid:
        return Rigid.at_rest() if body.is_ground else self._origins[body]

    def frame(self, frame: Frame) -> Rigid:
        return self.body(frame.body).fixed(frame_pose(frame))

    def partials(self, body: Body, point: Any) -> list[tuple[int, Any, Any]]:
        """Partial velocities of a point fixed to the body."""
        if body.is_ground:
            return []
        i, centre, eye = self.index[body], self._centres[body], ca.densify(ca.SX.eye(3))
        slides = [(6 * i + k, ca.SX.zeros(3), eye[:, k]) for k in range(3)]
        turns = [(6 * i + 3 + k, centre.R[:, k], cross(centre.R[:, k], point - centre.p)) for k in range(3)]
        return slides + turns

    def coordinate_rates(self) -> Any:
        out = []
        for i in range(len(self.bodies)):
            out.append(self.u[6 * i : 6 * i + 3])
            out.append(quaternion_rate(self.q[7 * i + 3 : 7 * i + 7], self.u[6 * i + 3 : 6 * i + 6]))
        return ca.vertcat(*out)

    def leaves_first(self) -> list[int]:
        return list(range(self.n_u))

    def mass_matrix(self, inertias: dict[Body, Inertia]) -> list[Sparse]:
        """Rows of the block-diagonal M."""
        rows: list[Sparse] = []
        for i, body in enumerate(self.bodies):
            inertia = inertias[body]
            rows += [{6 * i + k: inertia.mass} for k in range(3)]
            for k in range(3):
                row = {6 * i + 3 + l: inertia.matrix[k, l] for l in range(3)}
                rows.append({l: value for l, value in row.items() if not value.is_zero()})
        return rows

    def bias(
        self, inertias: dict[Body, Inertia], gravity: Any, wrenches: dict[Body, list[tuple[Any, Any, Any]]]
    ) -> Any:
        """Gyroscopic terms minus gravity and applied wrenches (point, force, moment)."""
        h = []
        for i, body in enumerate(self.bodies):
            inertia, centre = inertias[body], self._centres[body]
            force, moment = inertia.mass * gravity, ca.SX.zeros(3)
            for point, F, M in wrenches.get(body, []):
                force, moment = force + F, moment + M + cross(point - centre.p, F)
            w = self.u[6 * i + 3 : 6 * i + 6]
            h.append(-force)
            h.append(cross(w, ca.mtimes(inertia.matrix, w)) - ca.mtimes(centre.R.T, moment))
        return ca.vertcat(*h)


def absolute_state(equations: "Equations", q: Any, u: Any, p: Any, t: float) -> tuple[Any, Any]:
    """Numbers: absolute coordinates and speeds of all bodies from joint coordinates."""
    e = equations
    out = []
    for body in e.inertias:
        c = e.motion.frame(Frame(body, body.com))
        out.append(ca.vertcat(c.p, ca.vec(c.R), c.v, ca.mtimes(c.R.T, c.w)))
    following = [
        e.signals[f"{c.name}.{name}"] for c in e.model.connections.values() for name in c.pair.followers
    ]  # the same coordinates, whether the tree or a loop holds them
    every = e.model.connections.values()
    following += [e.signals[f"{c.name}.{name}"] for c in every for name in c.bristles]
    following += [e.signals[f"{c.name}.{name}_deviation"] for c in every for name in c.deviations]
    f = ca.Function("absolute", [e.t, e.q, e.u, e.p], [ca.vertcat(*out), ca.vertcat(ca.SX(0, 1), *following)])
    motion, surface = (np.array(ca.DM(v)).ravel() for v in f(t, q, u, p))
    coordinates, speeds = [], []
    for row in motion.reshape(-1, 18):
        coordinates += [*row[:3], *quaternion_from_rotation(row[3:12].reshape(3, 3).T)]
        speeds += list(row[12:])
    return np.array([*coordinates, *surface]), np.array(speeds)
