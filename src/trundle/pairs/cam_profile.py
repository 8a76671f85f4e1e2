"""Profiles of cams in their plane (x, z): of circular arcs joined by common tangents, and by the radius over the angle.

Angles are measured from z towards x, as rotations about y. Both kinds compute the distance of a point from the profile
with the normal there (roller, knife edge), and the point at which the normal has a given direction (flat follower).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import atan2, cos, hypot, pi, sin, sqrt
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.typing import Array, Expr

TANGENT = 1e-10  # square of a straight piece, relative to those of the arcs, below which two arcs touch
NEWTON = 7  # iterations from the angle of the point, or of the normal, to that of the foot
SAMPLES = 361
LIFT = 1e-12  # m: a follower as near as round-off to the axis of the cam, as in many start states, is moved along z


@final
@dataclass(frozen=True)
class ArcProfile:
    """Convex profile of arcs ((x, z) of the centre, radius), in the order in which the angle of the normal rises.
    Neighbours that do not touch each other are joined by their common tangent.
    """

    arcs: tuple[tuple[tuple[float, float], float], ...]

    def __post_init__(self) -> None:
        if len(self.arcs) < 1 or any(not radius > 0 for _, radius in self.arcs):
            raise ModelError("Cam: give at least one arc, ((x, z), radius) in m, each radius greater than zero.")
        width = sum(self.widths) if len(self.arcs) > 1 else 2 * pi
        if abs(width - 2 * pi) > 1e-9:
            raise ModelError(
                f"Cam: the arcs do not make a convex curve (their normals turn by {width:.6g} rad, not once round). "
                "Give them in the order in which the angle of the normal, from z towards x, rises."
            )

    @cached_property
    def joints(self) -> list[tuple[float, float]]:
        """Angle of the normal from each arc to the next, and the length of the straight piece there."""
        found: list[tuple[float, float]] = []
        if len(self.arcs) == 1:
            return found
        for k, ((x, z), radius) in enumerate(self.arcs):
            (x1, z1), next_radius = self.arcs[(k + 1) % len(self.arcs)]
            d, fall = hypot(x1 - x, z1 - z), radius - next_radius
            square = d**2 - fall**2
            if square < -TANGENT * (d**2 + fall**2) or d == 0:
                raise ModelError(
                    f"Cam: one of arcs {k + 1} and {(k + 1) % len(self.arcs) + 1} lies inside the other: they have no "
                    "common tangent."
                )
            length = sqrt(square) if square > TANGENT * (d**2 + fall**2) else 0.0
            angle = atan2(x1 - x, z1 - z) - atan2(length, fall)
            found.append((atan2(sin(angle), cos(angle)), length))
        return found

    @cached_property
    def widths(self) -> list[float]:
        """Angle by which the normal turns along each arc."""
        ends = [angle for angle, _ in self.joints]
        return [float(np.mod(end - ends[k - 1], 2 * pi)) for k, end in enumerate(ends)]

    @property
    def _main(self) -> int:
        """The arc along which the normal turns most; the others turn by less than half a turn."""
        return int(np.argmax(self.widths)) if len(self.arcs) > 1 else 0

    def outline(self, sizes: Array) -> Array:
        """Points (n, 2) along the profile."""
        found = []
        for k, ((x, z), radius) in enumerate(self.arcs):
            width = self.widths[k] if self.joints else 2 * pi
            start = self.joints[k - 1][0] if self.joints else 0.0
            a = np.linspace(start, start + width, max(2, round(width / 0.03)))
            found.append(np.column_stack([x + radius * np.sin(a), z + radius * np.cos(a)]))
        return np.concatenate([*found, found[0][:1]])

    def near(self, x: Expr, z: Expr) -> tuple[Expr, Expr, Expr]:
        """Distance of a point from the profile and its normal there, along z for the centre of the main arc."""
        main = found = self._from_arc(self._main, x, z)
        if len(self.arcs) == 1:
            return main
        for k in range(len(self.arcs)):
            angle, length = self.joints[k]
            n, t = (sin(angle), cos(angle)), (cos(angle), -sin(angle))
            (cx, cz), radius = self.arcs[k]
            dx, dz = x - cx - radius * n[0], z - cz - radius * n[1]
            if length > 0:
                along = t[0] * dx + t[1] * dz
                on = ca.logic_and(ca.logic_and(along > 0, along < length), n[0] * dx + n[1] * dz > -radius)
                straight = (n[0] * dx + n[1] * dz, ca.SX(n[0]), ca.SX(n[1]))
                found = _chosen(on, straight, found)
            if k != self._main:
                start = self.joints[k - 1][0]
                ex, ez = x - cx, z - cz  # between the normals of both ends
                on = ca.logic_and(ex * cos(start) - ez * sin(start) >= 0, ez * n[0] - ex * n[1] >= 0)
                found = _chosen(on, self._from_arc(k, x, z), found)
        return _chosen(self._is_centre(self._main, x, z), main, found)  # the sides of all its neighbours meet there

    def _is_centre(self, k: int, x: Expr, z: Expr) -> Expr:
        (cx, cz), _ = self.arcs[k]
        return (x - cx) ** 2 + (z - cz) ** 2 < (LIFT / 2) ** 2

    def _from_arc(self, k: int, x: Expr, z: Expr) -> tuple[Expr, Expr, Expr]:
        (cx, cz), radius = self.arcs[k]
        ex, ez = x - cx, z - cz + LIFT * self._is_centre(k, x, z)
        d = ca.sqrt(ex**2 + ez**2)
        return d - radius, ex / d, ez / d

    def support(self, nx: Expr, nz: Expr) -> tuple[Expr, Expr]:
        """The point whose normal has this direction."""
        (cx, cz), radius = self.arcs[self._main]
        found = (cx + radius * nx, cz + radius * nz)
        for k in range(len(self.arcs)) if len(self.arcs) > 1 else ():
            if k != self._main:
                start, end = self.joints[k - 1][0], self.joints[k][0]
                (cx, cz), radius = self.arcs[k]
                on = ca.logic_and(nx * cos(start) - nz * sin(start) >= 0, nz * sin(end) - nx * cos(end) >= 0)
                found = _chosen(on, (cx + radius * nx, cz + radius * nz), found)
        return found


def _chosen(on: Expr, yes: Sequence[Expr], no: Sequence[Expr]) -> tuple[Expr, ...]:
    return tuple(ca.if_else(on, a, b) for a, b in zip(yes, no, strict=True))


@final
@dataclass(frozen=True, eq=False)
class PolarProfile:
    """The radius of a profile as an expression of the angle, which repeats after a turn."""

    angle: Expr
    value: Expr

    @cached_property
    def _point(self) -> tuple[Expr, Expr, Expr]:
        """The point and its first two derivatives, two components each."""
        s = self.angle
        p = ca.vertcat(self.value * ca.sin(s), self.value * ca.cos(s))
        first = derivative(p, s)
        return p, first, derivative(first, s)

    def _at(self, angle: Expr) -> list[Expr]:
        return [ca.substitute(v, self.angle, angle) for v in self._point]

    def near(self, x: Expr, z: Expr) -> tuple[Expr, Expr, Expr]:
        """Distance of a point from the profile and its normal there: Newton's method from the angle of the point."""
        c, s = ca.vertcat(x, z), ca.atan2(x, z + LIFT)
        for _ in range(NEWTON):
            p, first, second = self._at(s)
            s = s - ca.dot(c - p, first) / (ca.dot(c - p, second) - ca.dot(first, first))
        p, first, _ = self._at(s)
        size = ca.norm_2(first)
        nx, nz = -first[1] / size, first[0] / size
        return (x - p[0]) * nx + (z - p[1]) * nz, nx, nz

    def support(self, nx: Expr, nz: Expr) -> tuple[Expr, Expr]:
        """The point whose normal has this direction."""
        n, s = ca.vertcat(nx, nz), ca.atan2(nx, nz)
        for _ in range(NEWTON):
            _, first, second = self._at(s)
            s = s - ca.dot(first, n) / ca.dot(second, n)
        p = self._at(s)[0]
        return p[0], p[1]

    @property
    def symbols(self) -> list[Expr]:
        """Parameters and tables in it."""
        return [s for s in ca.symvar(self.value) if s.element_hash() != self.angle.element_hash()]

    def outline(self, sizes: Array) -> Array:
        """Points (n, 2) along the profile, with numbers for its symbols."""
        a = np.linspace(-pi, pi, SAMPLES)
        f = ca.Function("radius", [self.angle, ca.vertcat(ca.SX(0, 1), *self.symbols)], [self.value])
        radius = np.array([float(f(one, sizes)) for one in a])
        return np.column_stack([radius * np.sin(a), radius * np.cos(a)])

    def curvature(self) -> Array:
        """Curvatures (1/m) along the profile, and radii, not finite where the profile is not; for profiles without
        parameters.
        """
        _, first, second = self._point
        out = ca.vertcat((first[0] * second[1] - first[1] * second[0]), ca.dot(first, first), self.value)
        angles = np.linspace(-pi, pi, SAMPLES)
        bend, square, radius = np.array(ca.Function("k", [self.angle], [out])(angles[None, :]))
        with np.errstate(all="ignore"):
            return np.array([-bend / square**1.5, radius])
