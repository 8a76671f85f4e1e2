"""Surfaces given by expressions: the point as a function of two coordinates; everything else is derived."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.pairs.axes import contact_axes, put
from trundle.pairs.chart import Chart, Range, SurfaceCoordinate, SurfacePoint
from trundle.pairs.geometry import Moved
from trundle.pairs.numeric import NumericSurface
from trundle.pairs.parametric_numbers import NumericParametric, PlacedParametric
from trundle.pairs.surface import Surface
from trundle.space.pose import Pose
from trundle.space.rotation import cross
from trundle.typing import Array, Expr


@dataclass(frozen=True)
class ParametricSurface(Surface):
    """A smooth surface, given by its point as a function of two coordinates. It is not swept by screws, so a contact
    with it is never a joint of the tree: it closes a loop, and its surface coordinates follow the motion. Subclasses
    are final.
    """

    def span(self) -> tuple[SurfaceCoordinate, SurfaceCoordinate]:
        """Both coordinates, with the ranges in which they cover the surface."""
        raise TypeError(f"{type(self).__name__} is abstract")

    def locate(self, a: Expr, b: Expr) -> Sequence[Expr]:
        """The three components of the point (m) as expressions; functions of math come from `trundle`.

        Parameters
        ----------
        a, b : expression
            Coordinates (m or rad) of the surface.

        Returns
        -------
        sequence of expression
        """
        raise TypeError(f"{type(self).__name__} is abstract")

    def outward(self, a: Expr, b: Expr) -> Sequence[Expr] | None:
        """A vector of any length along the outward normal, as expressions; by default the cross product of the tangents
        along the first and the second coordinate.

        Parameters
        ----------
        a, b : expression
            Coordinates (m or rad) of the surface.

        Returns
        -------
        sequence of expression or None
        """
        return None

    def chart(self) -> "ParametricChart":
        return ParametricChart(self, self.span())

    def second_chart(self) -> Chart:
        return self.chart()

    @property
    def swept(self) -> bool:
        return False

    @property
    def turns(self) -> bool:
        return False

    def offset(self, distance: float) -> Moved:
        raise ModelError(f"offset() is for surfaces that two screws sweep, not for a {type(self).__name__}.")

    def contact_frame(self, up: float) -> Pose:
        """Contact axes at a point whose normal is as close as possible to up (1) or down (-1); ModelError if sizes
        depend on parameters.
        """
        chart = self.chart()
        numbers = self.numbers()
        assert isinstance(numbers, NumericParametric)
        a, b = numbers.grid((24, 13))
        best = int(np.argmax(up * numbers.at(a, b).normal[:, 2]))
        at = chart.place(float(a[best]), float(b[best]))
        return Pose(np.array(ca.DM(at.R)), ca.SX(at.point))


@final
@dataclass(frozen=True, eq=False)
class ParametricChart(Chart):
    """The expressions of a surface."""

    surface: ParametricSurface
    span: tuple[SurfaceCoordinate, SurfaceCoordinate]

    @property
    def coordinates(self) -> tuple[SurfaceCoordinate, SurfaceCoordinate]:
        return self.span

    @property
    def middle(self) -> tuple[float, float]:
        a, b = ((c.low + c.high) / 2 for c in self.span)
        return a, b

    def _expressions(self, q: Expr) -> tuple[Expr, Expr]:
        """Point and normal, of any length, at two symbols."""
        point = _column(self.surface, "locate", self.surface.locate(q[0], q[1]))
        given = self.surface.outward(q[0], q[1])
        if given is None:
            outward = cross(derivative(point, q[0]), derivative(point, q[1]))
        else:
            outward = _column(self.surface, "outward", given)
        return point, -outward if self.surface.hollow else outward

    def place(self, a: Expr, b: Expr) -> SurfacePoint:
        q = ca.SX.sym("ab", 2)
        point, outward = self._expressions(q)
        axes, moves, turns = contact_axes(q, point, outward)
        found = put(q, (a, b), [point, axes, *moves, *turns])
        return SurfacePoint(found[0], found[1], found[2:4], found[4:])

    def margin(self, a: Expr, b: Expr) -> Expr:
        value = ca.SX(1)
        for coordinate, at in zip(self.span, (a, b), strict=True):
            if coordinate.ends:
                value = value * (at - coordinate.low) * (coordinate.high - at)
        return value

    def sizes(self) -> Expr:
        q = ca.SX.sym("ab", 2)
        own = {x.element_hash() for x in ca.symvar(q)}
        found = [x for x in ca.symvar(ca.vertcat(*self._expressions(q))) if x.element_hash() not in own]
        return ca.vertcat(ca.SX(0, 1), *found)

    def numeric(self, sizes: Array) -> NumericParametric:
        q = ca.SX.sym("ab", 2)
        point, outward = self._expressions(q)
        normal = outward / ca.norm_2(outward)
        first = [derivative(v, q) for v in (point, normal)]
        second = [derivative(first[0][:, i], q[j]) for i, j in ((0, 0), (0, 1), (1, 1))]
        columns = ca.densify(ca.horzcat(point, first[0], normal, first[1], *second))
        f = ca.Function("patch", [q, self.sizes()], [ca.vec(columns)]) if len(sizes) else None
        g = ca.Function("patch", [q], [f(q, ca.DM(sizes)) if f is not None else ca.vec(columns)])
        return NumericParametric(g, self.span)

    def ranges(self, surface: NumericSurface) -> tuple[Range, Range]:
        a, b = self.span
        return (a.low, a.high), (b.low, b.high)

    def ends(self, surface: NumericSurface) -> tuple[Range, Range]:
        a, b = ((-inf, inf) if c.closed else (c.low, c.high) for c in self.span)
        return a, b

    def placed(self, surface: NumericSurface, R: Array, p: Array) -> PlacedParametric:
        assert isinstance(surface, NumericParametric)
        return PlacedParametric(surface, R, p)

    def closest(self, surface: NumericSurface, points: Array) -> tuple[Array, Array, Array]:
        assert isinstance(surface, NumericParametric)
        return surface.closest(points)

    def renamed(self, which: str, clash: set[str]) -> "ParametricChart":
        a, b = (replace(c, name=f"{which}_{c.name}") if c.name in clash else c for c in self.span)
        return ParametricChart(self.surface, (a, b))


def _column(surface: Surface, what: str, given: Sequence[Expr]) -> Expr:
    """Three components as a column of the tape."""
    name = type(surface).__name__
    try:
        column = ca.SX(given) if isinstance(given, ca.SX | ca.DM) else ca.vertcat(*(ca.SX(v) for v in given))
    except (TypeError, NotImplementedError) as error:
        raise ModelError(
            f"{name}.{what} must give three expressions of its coordinates, got {given!r}; functions of math come from "
            f"trundle: tr.sin, tr.sqrt, ... ({error})"
        ) from error
    if column.shape != (3, 1):
        raise ModelError(f"{name}.{what} must give three components, got {column.numel()}.")
    return column
