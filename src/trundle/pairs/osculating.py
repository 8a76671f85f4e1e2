"""Osculating approximation: a general surface replaced at a point by one that screws sweep, with the same normal and
principal curvatures. Near the point the two part with the third power of the excursion.
"""

from dataclasses import dataclass
from math import pi
from typing import final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.pairs.numeric import NumericSurface
from trundle.pairs.surface import Cylinder, Plane, Sphere, Surface, Torus
from trundle.space.pose import Pose
from trundle.space.rotation import clean
from trundle.typing import Array

EQUAL = 1e-9  # relative difference of curvatures that is round-off
WAYS, STEPS = 24, 30  # directions in which the error is evaluated, and Newton steps


@final
@dataclass(frozen=True, eq=False)
class Osculating:
    """An approximation of a surface: `surface` at the `pose` of its frame touches the original at `point` with the same
    curvatures (1/m, the larger first).
    """

    original: Surface
    surface: Surface
    pose: Pose
    point: Array
    curvatures: Array
    axes: Array  # columns: both principal directions and the normal
    _starts: tuple[tuple[float, float], tuple[float, float]]

    def error(self, excursion: float) -> float:
        """Largest distance (m) of the two surfaces along the normal, on a circle of this radius (m) about the point.

        Parameters
        ----------
        excursion : float
            Radius of the circle (m).

        Returns
        -------
        float
        """
        angles = np.linspace(0, 2 * pi, WAYS, endpoint=False)
        at = excursion * np.column_stack([np.cos(angles), np.sin(angles)])
        place = np.array(ca.DM(self.pose.p)).ravel()
        own = _heights(self.original.numbers(), self._starts[0], at, self.point, self.axes)
        other = _heights(
            self.surface.numbers(), self._starts[1], at, self.pose.R.T @ (self.point - place), self.pose.R.T @ self.axes
        )
        return float(np.max(np.abs(own - other)))


def osculating(surface: Surface, a: float, b: float) -> Osculating:
    """The surface swept by screws that touches another one with the same curvatures.

    Parameters
    ----------
    surface : Surface
        Any surface with numbers for its sizes.
    a, b : float
        Its coordinates at the point of contact.

    Returns
    -------
    Osculating
        A Plane, Cylinder, Sphere or Torus with its pose in the frame of the surface, and its error.

    Raises
    ------
    ModelError
        If a curvature is infinite (an edge, an apex), or for a bowl with a ratio of curvatures below 2.
    """
    k, directions = surface.curvatures(a, b)
    point, normal = surface.point(a, b), surface.normal(a, b)
    if not np.all(np.isfinite(k)):
        raise ModelError(f"a {type(surface).__name__} has no curvature at ({a:g}, {b:g}): an edge, an apex or a pole.")
    made, at = _with_curvatures(float(k[0]), float(k[1]))
    own_k, own_directions = made.curvatures(*at)
    if not np.allclose(own_k, k, rtol=1e-9, atol=1e-9 * float(np.max(np.abs(k)) or 1.0)):
        raise ModelError(f"no surface with the curvatures {k[0]:g} and {k[1]:g} 1/m was found.")
    F, own = _frame(directions[0], normal), _frame(own_directions[0], made.normal(*at))
    R = clean(F @ own.T)
    pose = Pose.at(tuple(float(v) for v in point - R @ made.point(*at)), R)
    return Osculating(surface, made, pose, point, np.array(k), F, ((float(a), float(b)), at))


def _with_curvatures(k1: float, k2: float) -> tuple[Surface, tuple[float, float]]:
    """A surface with principal curvatures k1 >= k2 at coordinates."""
    small = EQUAL * max(abs(k1), abs(k2))
    if abs(k1) <= small and abs(k2) <= small:
        return Plane(), (0.0, 0.0)
    if abs(k1 - k2) <= small:
        return Sphere(1 / abs(k1), inside=k1 < 0), (0.0, 0.0)
    if abs(k2) <= small or abs(k1) <= small:
        k = k1 if abs(k2) <= small else k2
        return Cylinder(1 / abs(k), inside=k < 0), (0.0, 0.0)
    if k2 > 0:  # the outermost circle of a tyre
        return Torus(1 / k2, 1 / k1), (0.0, 0.0)
    if k1 > 0:  # the bottom of a groove
        return Torus(1 / k1, -1 / k2, inside=True), (0.0, 0.0)
    radius = 2 / k2 - 1 / k1  # the far side of a groove
    if radius <= 0:
        raise ModelError(
            f"no surface swept by screws is a bowl with the curvatures {k1:g} and {k2:g} 1/m: they must be equal, or "
            "one more than twice the other."
        )
    return Torus(radius, -1 / k2, inside=True), (0.0, pi)


def _frame(along: Array, normal: Array) -> Array:
    """Right-handed axes as columns: along, across, normal."""
    return np.column_stack([along, np.cross(normal, along), normal])


def _heights(surface: NumericSurface, start: tuple[float, float], at: Array, point: Array, axes: Array) -> Array:
    """Heights along the normal at places (n, 2) in the tangent plane of a point."""
    s = np.tile(np.array(start), (len(at), 1))
    for _ in range(STEPS):
        patch = surface.at(s[:, 0], s[:, 1])
        off = (patch.point - point) @ axes[:, :2] - at
        J = np.stack([patch.x_a @ axes[:, :2], patch.x_b @ axes[:, :2]], axis=-1)
        s = s - np.linalg.solve(J, off[..., None])[..., 0]
    found: Array = (surface.points(s[:, 0], s[:, 1]) - point) @ axes[:, 2]
    return found
