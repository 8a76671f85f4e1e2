"""Percussion centre of a rimless wheel whose front foot strikes the ground: the half-plane in which it lies.

An impulse at the front foot changes the motion of the wheel by a turn about one point, the percussion centre. Where it
lies decides the sign of every change. [Barjau 2022]

The wheel has spokes of length L that stand at the half angle beta on both sides of the normal of the ground, and the
moment of inertia lambda m L^2 about its centre G. Coordinates start in G, x forward, y away from the ground;
the feet are at (+-L sin(beta), -L cos(beta)). Turns are positive clockwise, as when the wheel rolls forward. The
direction of the impulse is kappa = tangential / normal part: -friction while the foot slides forward, +friction while
it slides backward, -mu_c while it sticks.
"""

from dataclasses import dataclass
from math import pi
from typing import Literal, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.typing import Array, Expr, Flags

Sliding = Literal["forward", "backward"]
DIRECTIONS = {"forward": -1.0, "backward": 1.0}  # of the friction on the foot


class Increments(NamedTuple):
    """Changes of motion for one unit of normal impulse per mass; at given points, or as signs."""

    turning: Array
    """Of the angular velocity, clockwise."""
    v_t: Array
    """Of the tangential velocity of both feet, forward."""
    v_nf: Array
    """Of the normal velocity of the front foot, upwards."""
    v_nb: Array
    """Of the normal velocity of the back foot, upwards."""

    def signs(self) -> "Increments":
        """-1, 0 or 1 for each."""
        return Increments(*(np.sign(values) for values in self))


class Critical(NamedTuple):
    """Coefficients of friction, and a half angle, at which what happens changes its character."""

    mu_DP: Expr
    """A foot that slides forward with less friction drives the back foot down at once; 0 where none is small enough."""
    mu_c: Expr
    """The least friction with which a foot that rests stays at rest."""
    tan_beta: Expr
    """Friction with which the impulse passes through the centre G: with more, the wheel turns clockwise."""
    mu_j: Expr
    """With more friction, a foot that slides forward jambs: it is driven into the ground."""
    beta_DP: Expr
    """Half angle (rad) up to which no friction sends the back foot down at once; pi/2 if that holds for all."""
    mu_DP_backward: Expr
    """A foot that slides backward with more friction drives the back foot down at once; 0 where any friction does."""


def critical_values(inertia_ratio: ArrayLike, half_angle: ArrayLike) -> Critical:
    """Critical coefficients of friction of a wheel.

    Parameters
    ----------
    inertia_ratio : float or array
        I_G / (m L^2).
    half_angle : float or array
        Half the angle between the spokes (rad).

    Returns
    -------
    Critical
        Arrays give arrays.
    """
    lam, beta = np.asarray(inertia_ratio, float), np.asarray(half_angle, float)
    s, c = np.sin(beta), np.cos(beta)
    found = (
        np.maximum((s**2 - lam) / (s * c), 0.0),
        s * c / (lam + c**2),  # [Barjau 2022, Eq. 4.1]
        np.tan(beta) + 0 * lam,
        (lam + s**2) / (s * c),  # [Barjau 2022, Eq. A.6]
        np.arcsin(np.sqrt(np.clip(lam, 0.0, 1.0))) + 0 * beta,
        np.maximum((lam - s**2) / (s * c), 0.0),  # [Barjau 2022, Eq. A.4b]
    )
    return Critical(*(value if np.ndim(value) else float(value) for value in found))


def centre_of_motion(before: ArrayLike, after: ArrayLike) -> tuple[Array, Array]:
    """Percussion centre of a measured change of motion. [Barjau 2022, Eq. B.1]

    Parameters
    ----------
    before, after : array
        (v_x, v_y, turning) of G in the last axis: forward, away from the ground, clockwise.

    Returns
    -------
    x, y : array
        From G, in units of the velocities over the turning; infinite where the turning did not change.
    """
    change = np.asarray(after, float) - np.asarray(before, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return change[..., 1] / change[..., 2], -change[..., 0] / change[..., 2]


class Line(NamedTuple):
    """A straight line through `point` along the unit vector `direction`."""

    point: tuple[float, float]
    direction: tuple[float, float]

    def at(self, distance: ArrayLike) -> tuple[Array, Array]:
        """Points at distances along the line, measured from its point."""
        d = np.asarray(distance, float)
        return self.point[0] + d * self.direction[0], self.point[1] + d * self.direction[1]


@final
@dataclass(frozen=True)
class PercussionPlane:
    """The plane of percussion centres for one half angle (rad) between the spokes and one length of spoke."""

    half_angle: float
    length: float = 1.0

    def __post_init__(self) -> None:
        faults = []
        if not 0.0 < self.half_angle < pi / 2:
            faults.append(f"the half angle is {self.half_angle!r} rad; it must lie between 0 and pi/2.")
        if not 0.0 < self.length < np.inf:
            faults.append(f"the length of the spokes is {self.length!r}; it must be positive and finite.")
        if faults:
            raise ModelError([f"percussion plane: {fault}" for fault in faults])

    @property
    def reach(self) -> float:
        """Distance of the feet from the vertical line through G: DP and jamb domains end there."""
        return float(self.length * np.sin(self.half_angle))

    @property
    def height(self) -> float:
        """Height of G above the ground; the hyperbola of conjugated points has its asymptote as far above G."""
        return float(self.length * np.cos(self.half_angle))

    # Lines

    def inertia_line(self, inertia_ratio: float) -> Line:
        """Lambda-line: all centres of one wheel, square to the front spoke, lambda L behind G. [Barjau 2022, Eq. 3.6]

        Its point is the foot of the perpendicular from G; its direction points up and forward.
        """
        s, c = np.sin(self.half_angle), np.cos(self.half_angle)
        distance = inertia_ratio * self.length
        return Line((float(-distance * s), float(distance * c)), (float(c), float(s)))

    def friction_line(self, friction: float, sliding: Sliding) -> Line:
        """Mu-line: all centres of one coefficient of friction, through G; its direction points into the half-plane."""
        kappa = DIRECTIONS[sliding] * friction
        x = 1.0 if -kappa > np.tan(self.half_angle) else -1.0
        size = float(np.hypot(1.0, kappa))
        return Line((0.0, 0.0), (x / size, -kappa * x / size))

    def ground_line(self) -> Line:
        """Centres that leave the sliding as it is."""
        return Line((0.0, -self.height), (1.0, 0.0))

    def horizontal_line(self) -> Line:
        """Centres without friction: forward sliding below it and on its right, backward sliding above on its left."""
        return Line((0.0, 0.0), (1.0, 0.0))

    def vertical_line(self) -> Line:
        """Left of it the wheel is turned counter-clockwise, right of it clockwise; on it friction is infinite."""
        return Line((0.0, 0.0), (0.0, 1.0))

    def limit_inertia(self) -> float:
        """Lambda of the line through the back foot, -cos(2 beta): below, a foot that sticks drives the back foot down.

        Not positive where the half angle is 45 degrees or less.
        """
        return float(-np.cos(2 * self.half_angle))

    # Points

    def centre(self, inertia_ratio: ArrayLike, kappa: ArrayLike) -> tuple[Array, Array]:
        """Percussion centre for an impulse with the tangential part kappa; infinite if the impulse passes through G."""
        lam, k = np.asarray(inertia_ratio, float), np.asarray(kappa, float)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = lam * self.length / (np.sin(self.half_angle) + k * np.cos(self.half_angle))
            return -scale, k * scale

    def critical_point(self, inertia_ratio: ArrayLike) -> tuple[Array, Array]:
        """Centre while the foot sticks, or slides with mu_c: where the lambda-line meets the ground."""
        return self.centre(inertia_ratio, -critical_values(inertia_ratio, self.half_angle).mu_c)

    def conjugated_point(self, inertia_ratio: ArrayLike) -> tuple[Array, Array]:
        """Centre while the foot slides backward with mu_c. [Barjau 2022, Eq. B.3; its vector must be (1, -mu_c)]"""
        return self.centre(inertia_ratio, critical_values(inertia_ratio, self.half_angle).mu_c)

    def hyperbola(self, y: ArrayLike) -> Array:
        """x of the conjugated point at height y above G, 0 <= y < L cos(beta). [Barjau 2022, Eq. 4.2]"""
        y = np.asarray(y, float)
        result: Array = y * (y + self.height) / (np.tan(self.half_angle) * (y - self.height))
        return result

    def inertia_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Lambda of the line through a point; negative outside the half-plane."""
        s, c = np.sin(self.half_angle), np.cos(self.half_angle)
        result: Array = (np.asarray(y, float) * c - np.asarray(x, float) * s) / self.length
        return result

    def kappa(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Tangential part of the impulse for a centre at this point: its size is the coefficient of friction."""
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Array = -np.asarray(y, float) / np.asarray(x, float)
            return result

    # What happens with a centre at this point

    def increments(self, x: ArrayLike, y: ArrayLike) -> Increments:
        """Changes of motion per normal impulse and mass, a turn about the centre; not finite on the vertical line."""
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = 1.0 / x  # the normal velocity of G grows by one
            return Increments(turn, -(y + self.height) * turn, (x - self.reach) * turn, (x + self.reach) * turn)

    def inside(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """Whether a point lies in the half-plane of centres, lambda >= 0."""
        return self.inertia_ratio(x, y) >= 0.0

    def double_point(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """DP domain: the back foot is driven down."""
        x = np.asarray(x, float)
        return self.inside(x, y) & (x < 0.0) & (x > -self.reach)

    def jamb(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """Jamb domain: the front foot is driven down."""
        x = np.asarray(x, float)
        return self.inside(x, y) & (x > 0.0) & (x < self.reach)

    def reversal(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """Between the horizontal line and the hyperbola: backward sliding that stops goes on forward."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        lam, kappa = self.inertia_ratio(x, y), self.kappa(x, y)
        c = np.cos(self.half_angle)
        critical = np.sin(self.half_angle) * c / np.where(lam >= 0, lam + c**2, 1.0)
        result: Flags = (lam >= 0.0) & (x < 0.0) & (y > 0.0) & (kappa < critical)
        return result

    def later_double_point(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """SP-DP area: the back foot is lifted at first and driven down when the foot sticks. [Barjau 2022, Sec. 5]"""
        x = np.asarray(x, float)
        below = self.inside(x, y) & (self.inertia_ratio(x, y) < self.limit_inertia())
        return below & ((x < -self.reach) | (x > 0.0))
