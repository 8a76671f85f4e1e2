"""Chains of screws, by which Trundle describes all relative motion.

A chain is a product of exponentials: every screw is given at the zero pose in the frame of the chain, and
the pose after the motion is exp(S1 q1) exp(S2 q2) ... X(0) [Brockett 1984].
"""

from dataclasses import dataclass
from math import inf, isfinite
from typing import ClassVar, Protocol, final

import casadi as ca

from trundle.errors import ModelError
from trundle.space.pose import Pose, identity
from trundle.space.rotation import Axis, axis_vector, rotation, rotation_from_quaternion
from trundle.typing import Expr


class Named(Protocol):
    """A coordinate of a pair or surface: `n_q` numbers with `n_u` speeds, in metres if it slides."""

    @property
    def n_q(self) -> int: ...
    @property
    def n_u(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def slides(self) -> bool: ...
    @property
    def closed(self) -> bool:
        """Whether a whole turn brings back the same pose."""
        ...


@final
@dataclass(frozen=True)
class Screw:
    """One degree of freedom: a rotation about `axis` through `at` that advances `pitch` (m/rad); pitch inf is pure
    sliding.

    Parameters
    ----------
    axis : str or three numbers
        Direction.
    pitch : float
        Advance for each radian (m/rad); `trundle.space.chain.SLIDE` for a slide.
    at : tuple
        A point of the axis (m).
    name : str
        Of its coordinate.
    """

    n_q: ClassVar[int] = 1
    n_u: ClassVar[int] = 1

    axis: Axis = "z"
    pitch: Expr = 0.0
    at: tuple[Expr, Expr, Expr] = (0.0, 0.0, 0.0)
    name: str = "angle"

    @property
    def slides(self) -> bool:
        """True for a pure translation."""
        return isinstance(self.pitch, float) and not isfinite(self.pitch)

    @property
    def closed(self) -> bool:
        """Whether a whole turn brings back the same pose."""
        return isinstance(self.pitch, float) and self.pitch == 0.0

    def pose(self, q: Expr) -> tuple[Expr, Expr]:
        """Rotation and translation of the motion by q, as CasADi expressions.

        Parameters
        ----------
        q : expression
            Angle (rad), or displacement (m) of a pure slide.

        Returns
        -------
        tuple of expression
            Rotation matrix and position (m).
        """
        e = ca.SX(ca.DM(axis_vector(self.axis)))
        if self.slides:
            return ca.SX.eye(3), e * q
        K = ca.skew(e)
        R = ca.SX.eye(3) + ca.sin(q) * K + (1 - ca.cos(q)) * ca.mtimes(K, K)
        at = ca.vertcat(*self.at)
        return R, at - ca.mtimes(R, at) + e * (self.pitch * q)

    def moved(self, angle: float) -> Pose:
        """Pose after a rotation by a number; the screw must not be a pure slide.

        Parameters
        ----------
        angle : float
            In rad.

        Returns
        -------
        Pose
        """
        R = rotation(self.axis, angle)
        at = ca.SX(ca.vertcat(*self.at))
        return Pose(R, at - ca.mtimes(ca.DM(R), at) + ca.DM(axis_vector(self.axis)) * (self.pitch * angle))

    def reversed(self) -> "Screw":
        """The same screw with the opposite sense of its coordinate."""
        return Screw(-axis_vector(self.axis), self.pitch, self.at, self.name)


@final
@dataclass(frozen=True)
class Ball:
    """Three rotations about the point `at` by a unit quaternion (w, x, y, z); speeds are the angular velocity in the
    moving axes.

    Parameters
    ----------
    name : str
        Of its coordinate.
    at : tuple
        Centre (m).
    """

    n_q: ClassVar[int] = 4
    n_u: ClassVar[int] = 3
    slides: ClassVar[bool] = False
    closed: ClassVar[bool] = False

    name: str = "quaternion"
    at: tuple[Expr, Expr, Expr] = (0.0, 0.0, 0.0)

    def pose(self, q: Expr) -> tuple[Expr, Expr]:
        """Rotation and translation of the motion, as CasADi expressions.

        Parameters
        ----------
        q : expression
            Quaternion (w, x, y, z), as a column.

        Returns
        -------
        tuple of expression
            Rotation matrix and position (m).
        """
        R, at = rotation_from_quaternion(q), ca.vertcat(*self.at)
        return R, at - ca.mtimes(R, at)


Step = Screw | Ball


def unit(coordinate: Named) -> str:
    """Unit of a coordinate."""
    return "m" if coordinate.slides else "rad" if coordinate.n_u == 1 else ""


def rate_unit(coordinate: Named) -> str:
    """Unit of its speeds."""
    return "m/s" if coordinate.slides else "rad/s"


def rate_name(coordinate: Named) -> str:
    """Name of its speeds."""
    return f"{coordinate.name}_rate" if coordinate.n_u == 1 else "angular_rate"


def turn_name(coordinate: Named) -> str:
    """Name under which generalised forces along it appear."""
    return coordinate.name if coordinate.n_u == 1 else "turn"


def acceleration_name(coordinate: Named) -> str:
    """Name of the time derivative of its speeds. For a ball it differs from the name of the body's angular
    acceleration, which is in ground axes.
    """
    return f"{coordinate.name if coordinate.n_u == 1 else rate_name(coordinate)}_acceleration"


@final
class Chain:
    """Relative motion as a sequence of screws and balls; `end` is the pose of the second frame at zero.

    Parameters
    ----------
    *steps : Screw or Ball
        From the first body to the second.
    end : Pose
        Of the second frame where all coordinates are zero.
    """

    def __init__(self, *steps: Step, end: Pose | None = None) -> None:
        names = [s.name for s in steps]
        if len(set(names)) != len(names):
            raise ModelError(f"a chain needs different names for its freedoms, got {names}.")
        self.steps = steps
        self.end = identity() if end is None else end

    @property
    def n_q(self) -> int:
        return sum(s.n_q for s in self.steps)

    @property
    def n_u(self) -> int:
        return sum(s.n_u for s in self.steps)

    def pose(self, q: Expr) -> tuple[Expr, Expr]:
        """Pose (R, p) after the motion by coordinates q (CasADi column).

        Parameters
        ----------
        q : expression
            Coordinates in the order of the screws, as a column.

        Returns
        -------
        tuple of expression
            Rotation matrix and position (m).
        """
        R, p, i = ca.SX.eye(3), ca.SX.zeros(3), 0
        for step in self.steps:
            part = q[i] if step.n_q == 1 else q[i : i + step.n_q]
            R_step, p_step = step.pose(part)
            R, p, i = ca.mtimes(R, R_step), p + ca.mtimes(R, p_step), i + step.n_q
        return ca.mtimes(R, ca.DM(self.end.R)), p + ca.mtimes(R, self.end.p)


SLIDE = inf
