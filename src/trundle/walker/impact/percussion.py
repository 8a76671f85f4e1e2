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
from trundle.typing import Array, Flags
from trundle.walker.impact.critical import critical_values

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
    """The plane of percussion centres for one half angle between the spokes and one length of spoke.

    Parameters
    ----------
    half_angle : float
        Between 0 and pi/2 (rad).
    length : float
        In m.
    """

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

        Parameters
        ----------
        inertia_ratio : float
            Lambda = J / (m L^2) of the wheel.

        Returns
        -------
        Line
        """
        s, c = np.sin(self.half_angle), np.cos(self.half_angle)
        distance = inertia_ratio * self.length
        return Line((float(-distance * s), float(distance * c)), (float(c), float(s)))

    def friction_line(self, friction: float, sliding: Sliding) -> Line:
        """Mu-line: all centres of one coefficient of friction, through G; its direction points into the half-plane.

        Parameters
        ----------
        friction : float
            Coefficient of friction.
        sliding : {"forward", "backward"}
            Which way the foot slides.

        Returns
        -------
        Line
        """
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
        """Percussion centre for an impulse with the tangential part kappa; infinite if the impulse passes through G.

        Parameters
        ----------
        inertia_ratio : float or array
            Lambda of the wheel.
        kappa : float or array
            Tangential over normal impulse.

        Returns
        -------
        tuple of array
            x and y from G.
        """
        lam, k = np.asarray(inertia_ratio, float), np.asarray(kappa, float)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = lam * self.length / (np.sin(self.half_angle) + k * np.cos(self.half_angle))
            return -scale, k * scale

    def critical_point(self, inertia_ratio: ArrayLike) -> tuple[Array, Array]:
        """Centre while the foot sticks, or slides with mu_c: where the lambda-line meets the ground.

        Parameters
        ----------
        inertia_ratio : float or array
            Lambda of the wheel.

        Returns
        -------
        tuple of array
            x and y from G.
        """
        return self.centre(inertia_ratio, -critical_values(inertia_ratio, self.half_angle).mu_c)

    def conjugated_point(self, inertia_ratio: ArrayLike) -> tuple[Array, Array]:
        """Centre while the foot slides backward with mu_c. [Barjau 2022, Eq. B.3; its vector must be (1, -mu_c)]

        Parameters
        ----------
        inertia_ratio : float or array
            Lambda of the wheel.

        Returns
        -------
        tuple of array
            x and y from G.
        """
        return self.centre(inertia_ratio, critical_values(inertia_ratio, self.half_angle).mu_c)

    def hyperbola(self, y: ArrayLike) -> Array:
        """x of the conjugated point at height y above G, 0 <= y < L cos(beta). [Barjau 2022, Eq. 4.2]

        Parameters
        ----------
        y : float or array
            Height above G.

        Returns
        -------
        array
        """
        y = np.asarray(y, float)
        result: Array = y * (y + self.height) / (np.tan(self.half_angle) * (y - self.height))
        return result

    def inertia_ratio(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Lambda of the line through a point; negative outside the half-plane.

        Parameters
        ----------
        x, y : float or array
            Place of the centre from G.

        Returns
        -------
        array
        """
        s, c = np.sin(self.half_angle), np.cos(self.half_angle)
        result: Array = (np.asarray(y, float) * c - np.asarray(x, float) * s) / self.length
        return result

    def kappa(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Tangential part of the impulse for a centre at this point: its size is the coefficient of friction.

        Parameters
        ----------
        x, y : float or array
            Place of the centre from G.

        Returns
        -------
        array
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Array = -np.asarray(y, float) / np.asarray(x, float)
            return result

    # What happens with a centre at this point

    def increments(self, x: ArrayLike, y: ArrayLike) -> Increments:
        """Changes of motion per normal impulse and mass, a turn about the centre; not finite on the vertical line.

        Parameters
        ----------
        x, y : float or array
            Place of the centre from G.

        Returns
        -------
        Increments
        """
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = 1.0 / x  # the normal velocity of G grows by one
            return Increments(turn, -(y + self.height) * turn, (x - self.reach) * turn, (x + self.reach) * turn)

    def inside(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """Whether a point lies in the half-plane of centres, lambda >= 0.

        Parameters
        ----------
        x, y : float or array
            Place of the centre from G.

        Returns
        -------
        array of bool
        """
        return self.inertia_ratio(x, y) >= 0.0

    def double_point(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """DP domain: the back foot is driven down.

        Parameters
        ----------
        x, y : float or array
            Place of the centre from G.

        Returns
        -------
        array of bool
        """
        x = np.asarray(x, float)
        return self.inside(x, y) & (x < 0.0) & (x > -self.reach)

    def jamb(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """Jamb domain: the front foot is driven down.

        Parameters
        ----------
        x, y : float or array
            Place of the centre from G.

        Returns
        -------
        array of bool
        """
        x = np.asarray(x, float)
        return self.inside(x, y) & (x > 0.0) & (x < self.reach)

    def reversal(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """Between the horizontal line and the hyperbola: backward sliding that stops continues forward.

        Parameters
        ----------
        x, y : float or array
            Place of the centre from G.

        Returns
        -------
        array of bool
        """
        x, y = np.asarray(x, float), np.asarray(y, float)
        lam, kappa = self.inertia_ratio(x, y), self.kappa(x, y)
        c = np.cos(self.half_angle)
        critical = np.sin(self.half_angle) * c / np.where(lam >= 0, lam + c**2, 1.0)
        result: Flags = (lam >= 0.0) & (x < 0.0) & (y > 0.0) & (kappa < critical)
        return result

    def later_double_point(self, x: ArrayLike, y: ArrayLike) -> Flags:
        """SP-DP area: the back foot is lifted at first and driven down when the foot sticks. [Barjau 2022, Sec. 5]

        Parameters
        ----------
        x, y : float or array
            Place of the centre from G.

        Returns
        -------
        array of bool
        """
        x = np.asarray(x, float)
        below = self.inside(x, y) & (self.inertia_ratio(x, y) < self.limit_inertia())
        return below & ((x < -self.reach) | (x > 0.0))
