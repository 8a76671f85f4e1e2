"""Motion of bodies in any coordinates: the interface of a formalism to constraints, contacts, forces and outputs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, final

import casadi as ca
import numpy as np

from trundle.linear_algebra.kkt import Sparse
from trundle.model.body import Body, Frame
from trundle.space.inertia import Inertia
from trundle.space.pose import Pose
from trundle.space.rotation import cross, dot
from trundle.typing import Array, Expr

Partial = tuple[int, Expr, Expr]
"""Index of a speed, and the angular and linear velocity that a unit of it gives."""


@final
@dataclass
class FrameMotion:
    """Motion of a frame: rotation R and position p in the ground; w, v; acceleration terms without udot: alpha, a."""

    R: Expr
    p: Expr
    w: Expr
    v: Expr
    alpha: Expr
    a: Expr

    @staticmethod
    def at_rest() -> "FrameMotion":
        zero = ca.SX.zeros(3)
        return FrameMotion(ca.densify(ca.SX.eye(3)), zero, zero, zero, zero, zero)

    def fixed(self, pose: Pose) -> "FrameMotion":
        """Motion of a frame fixed to this one at `pose`."""
        if pose.p.is_zero():
            return replace(self, R=_times(self.R, pose.R))
        r = ca.mtimes(self.R, pose.p)
        return FrameMotion(
            _times(self.R, pose.R),
            self.p + r,
            self.w,
            self.v + cross(self.w, r),
            self.alpha,
            self.a + cross(self.alpha, r) + cross(self.w, cross(self.w, r)),
        )


def base_rate(motion: "Motion", bodies: tuple[Body, Body], point: Expr, force: Expr, moment: Expr) -> Expr:
    """Contribution of moving frames to the rate force . v + moment . w of the second body relative to the first at a
    point; the rest follows from the speeds.
    """
    first, second = (motion.base(body) for body in bodies)
    if first is second:
        return ca.SX(0)
    carried = [b.v + cross(b.w, point - b.p) for b in (first, second)]
    return dot(force, carried[1] - carried[0]) + dot(moment, second.w - first.w)


def _times(R: Expr, constant: Array) -> Expr:
    """R times a constant rotation."""
    if np.array_equal(constant, np.eye(3)):
        return R
    return ca.mtimes(R, ca.SX(ca.densify(ca.DM(constant))))


@final
class Load(NamedTuple):
    """A force and a moment on a body, at a point, in ground axes; `source` is the force or law that it comes from."""

    source: str
    point: Expr
    force: Expr
    moment: Expr


@final
class FrameLoad(NamedTuple):
    """Force and moment that the ground or a moving frame exerts through a joint or, without a connection, on bodies
    fixed to it: about its origin, in ground axes.
    """

    frame: Body
    connection: str
    force: Expr
    moment: Expr


Loads = Mapping[Body, Sequence[Load]]
Inertias = Mapping[Body, Inertia]


class Motion(Protocol):
    """Coordinates q, speeds u, and the motion of the bodies as functions of them."""

    @property
    def q(self) -> Expr: ...
    @property
    def u(self) -> Expr: ...
    @property
    def n_q(self) -> int: ...
    @property
    def n_u(self) -> int: ...

    @property
    def quaternions(self) -> Sequence[int]:
        """Where unit quaternions begin in q."""

    @property
    def coordinates(self) -> Mapping[str, tuple[slice, slice]]:
        """Coordinates of joints that are states, by name: their places in q and in u."""

    def frame(self, frame: Frame) -> FrameMotion:
        """Motion of a frame on a body."""

    def body(self, body: Body) -> FrameMotion:
        """Motion of the body's own frame."""

    def partials(self, body: Body, point: Expr) -> list[Partial]:
        """Partial velocities of a point fixed to the body, for every speed that moves it."""

    def base(self, body: Body) -> FrameMotion:
        """Motion of the frame that the speeds of a body are relative to: the ground, or the moving frame that carries
        it.
        """

    def time_derivative(self, value: Expr) -> Expr:
        """Time derivative of an expression of coordinates, speeds and given motions, without its terms in udot."""

    def coordinate_rates(self) -> Expr:
        """qdot, linear in u."""

    def leaves_first(self) -> list[int]:
        """Speeds in an order of elimination without fill."""

    def mass_matrix(self, inertias: Inertias) -> list[Sparse]:
        """Rows of M."""

    def bias(self, inertias: Inertias, gravity: Expr, loads: Loads) -> Expr:
        """h of  M udot + h = 0: inertia forces without udot, minus gravity and loads."""

    def accelerating_wrenches(
        self, inertias: Inertias, gravity: Expr, udot: Expr
    ) -> Iterator[tuple[Body, Expr, Expr, Expr]]:
        """Force and moment, each at a point, that the bodies carried by moving frames need for their accelerations,
        gravity included: (body, point, force, moment).
        """

    def unconstrained(
        self, inertias: Inertias, gravity: Expr, loads: Loads, efforts: Expr
    ) -> tuple[Expr, list[FrameLoad]]:
        """udot without constraints (efforts act along the speeds), and the loads that the roots of the tree then
        exert.
        """
