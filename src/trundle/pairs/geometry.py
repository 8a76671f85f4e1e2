"""The geometry of a surface in numbers: points, normals, curvatures, closest points, meshes, offsets.

All of it follows from the chart of the surface.
"""

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.pairs.chart import Chart, Range
from trundle.pairs.curvature import principal
from trundle.pairs.numeric import NumericSurface, read_numbers_of
from trundle.pairs.sweep import Sweep
from trundle.real_array import is_number
from trundle.space.arrays import read_numbers, read_together
from trundle.space.pose import Pose
from trundle.typing import Array, Value

if TYPE_CHECKING:
    from trundle.pairs.surface import Surface


@dataclass(frozen=True)
class SurfaceGeometry:
    """Points, tangents, normals and curvatures of a surface; a and b are its two coordinates, numbers or arrays of any
    shape. Lengths in m, angles in rad.
    """

    def chart(self) -> Chart:
        """The surface as a function of its two coordinates."""
        raise TypeError(f"{type(self).__name__} is abstract")

    def sweep(self) -> Sweep:
        """The two screws and the contact frame at zero, if the surface is swept by screws."""
        raise TypeError(f"{type(self).__name__} is not swept by two screws")

    def thickened(self, distance: float) -> "Surface":
        """The surface of the same family whose contact is farther out; `offset` also returns its pose.

        Parameters
        ----------
        distance : float
            In m, out of the material.

        Returns
        -------
        Surface
        """
        raise TypeError(f"{type(self).__name__} is abstract")

    def point(self, a: ArrayLike, b: ArrayLike) -> Array:
        """Points (..., 3) of the surface.

        Parameters
        ----------
        a, b : array
            Coordinates (m or rad) of the surface; arrays are broadcast against each other.

        Returns
        -------
        array
            In m, in the frame of the surface.
        """
        return self.numbers().points(*self._together(a, b))

    def tangents(self, a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
        """Derivatives (..., 3) of the point by a and by b; zero along a coordinate that only rotates the normal.

        Parameters
        ----------
        a, b : array
            Coordinates (m or rad) of the surface; arrays are broadcast against each other.

        Returns
        -------
        tuple of array
        """
        patch = self.numbers().at(*self._together(a, b))
        return patch.x_a, patch.x_b

    def normal(self, a: ArrayLike, b: ArrayLike) -> Array:
        """Outward unit normals (..., 3).

        Parameters
        ----------
        a, b : array
            Coordinates (m or rad) of the surface; arrays are broadcast against each other.

        Returns
        -------
        array
        """
        return self.numbers().at(*self._together(a, b)).normal

    def curvatures(self, a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
        """Principal curvatures (..., 2) in 1/m, the larger first, and their unit directions (..., 2, 3).

        A curvature is positive where the surface is convex seen from outside: 1/r on a ball, -1/r in a bowl. It is
        infinite across an edge, at an apex and at a cusp.

        Parameters
        ----------
        a, b : array
            Coordinates (m or rad) of the surface; arrays are broadcast against each other.

        Returns
        -------
        tuple of array
            Curvatures and directions.
        """
        return principal(self.numbers(), *self._together(a, b))

    def closest(self, point: ArrayLike) -> tuple[Value, Value, Value]:
        """Coordinates a, b of the closest points to one or many points (..., 3), and the signed distances, positive
        outside the material.

        The search covers the whole regular part of the surface (a cone to its apex, a tangent surface to its cusp).
        Angles are between -pi and pi; on a helix the closest winding is used. At a pole or an apex, and for a point in
        the centre, one of many solutions is returned.

        Parameters
        ----------
        point : array
            One or many points (m), of shape (..., 3), in the frame of the surface.

        Returns
        -------
        tuple of array
            a, b and the distances (m).
        """
        points = read_numbers(f"{type(self).__name__}.closest: the point", point)
        if points.shape[-1:] != (3,) or not np.all(np.isfinite(points)):
            raise ModelError(f"closest() takes points of three finite numbers, got {point!r}.")
        found = self.chart().closest(self.numbers(), points.reshape(-1, 3))
        a, b, distance = (v.reshape(points.shape[:-1])[()] for v in found)
        return a, b, distance

    def ranges(self) -> tuple[Range, Range]:
        """Ranges of a and b for plots: a full rotation, a slide of a typical size, two windings of a helix."""
        return self.chart().ranges(self.numbers())

    def mesh(
        self, a: Range | None = None, b: Range | None = None, count: tuple[int, int] = (73, 37)
    ) -> tuple[Array, Array, Array]:
        """Arrays X, Y, Z of points over ranges of a and b; an edge is drawn as its curve.

        Parameters
        ----------
        a, b : tuple of float, optional
            Ranges (m or rad); by default those of `ranges`.
        count : tuple of int
            Points along a and along b.

        Returns
        -------
        tuple of array
            In m, in the frame of the surface.
        """
        usual_a, usual_b = self.ranges()
        grid = np.meshgrid(
            np.linspace(*(a or usual_a), count[0]), np.linspace(*(b or usual_b), count[1]), indexing="ij"
        )
        x, y, z = np.moveaxis(self.point(*grid), -1, 0)
        return x, y, z

    def offset(self, distance: float) -> "Moved":
        """The surface whose contact is `distance` (m) farther out along the normal, swept by the same two screws.

        A pair of surfaces offset by +d and -d has the same chain [Meijaard 2024, Sec. 2.2]: the radius of a cylinder,
        sphere, torus or spiral column changes, a plane, cone or tangent surface moves.

        Parameters
        ----------
        distance : float
            In m, out of the material.

        Returns
        -------
        Moved
            The surface and its pose.
        """
        name = type(self).__name__
        if not is_number(distance) or not isfinite(distance):
            raise ModelError(f"{name}: an offset must be a finite number of metres, got {distance!r}.")
        curvatures, _ = self.curvatures(0.0, 0.0)
        highest, lowest = (float(k) for k in curvatures)
        if distance < 0 and 1 + distance * highest <= 1e-9:
            raise ModelError(
                f"{name}: an offset of {distance:g} m goes inwards to or beyond the centre of curvature, "
                f"which is {1 / highest:.6g} m below the contact."
            )
        if distance > 0 and 1 + distance * lowest <= 1e-9:
            raise ModelError(
                f"{name}: an offset of {distance:g} m goes outwards to or beyond the centre of curvature, "
                f"which is {-1 / lowest:.6g} m above the contact."
            )
        surface = self.thickened(distance)
        raised = self.sweep().contact @ Pose.at((0.0, 0.0, distance))
        return Moved(surface, raised @ surface.sweep().contact.inverse())

    def _together(self, a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
        """Coordinates as arrays of one shape, called by their names where they are not numbers."""
        first, second = (f"{type(self).__name__} {name}" for name in self.chart().names)
        a, b = read_together({first: a, second: b})
        return a, b

    def numbers(self) -> NumericSurface:
        """The numeric surface; ModelError if its sizes depend on parameters."""
        chart = self.chart()
        return chart.numeric(read_numbers_of(chart.sizes(), type(self).__name__))


@final
@dataclass(frozen=True, eq=False)
class Moved:
    """A surface and the pose of its frame in the frame of the surface it was made from."""

    surface: "Surface"
    pose: Pose
