"""Relative curvature of two surfaces at their contact, and the ends of the surfaces, as expressions.

On each side dx = X da and dn = N da in the tangent plane, so the curvature is W = N X^-1, and the determinant of
[X_A -X_B; N_A N_B] is |X_A| |X_B| |W_A + W_B|, which is finite for edges as well.
"""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.contact.bonds import ContactBonds
from trundle.contact.geometry import Side
from trundle.contact.interfaces import ContactEquations
from trundle.motion.motion import FrameMotion
from trundle.pairs.chart import Chart
from trundle.pairs.surface import Surface, Torus
from trundle.space.rotation import dot
from trundle.typing import Expr

SHARP = 1e-7  # thickness of an edge in its curvature (m)


@final
@dataclass(frozen=True)
class FitParts:
    """X and N of both surfaces in the tangent plane, 1 for each that is sharp, and what is above zero on each."""

    X: tuple[Expr, Expr]
    N: tuple[Expr, Expr]
    sharp: tuple[Expr, Expr]
    margins: tuple[Expr, Expr]

    @property
    def balance(self) -> Expr:
        """Vanishes where a relative curvature does."""
        (X_A, X_B), (N_A, N_B) = self.X, self.N
        return ca.det(ca.blockcat([[X_A, -X_B], [N_A, N_B]]))

    def size(self, length: Expr) -> Expr:
        """Size of the terms of the balance, with lengths relative to a typical one."""
        (X_A, X_B), (N_A, N_B) = self.X, self.N
        whole = ca.blockcat([[X_A / length, -X_B / length], [N_A, N_B]])
        out = ca.SX(length) ** 2
        for i in range(4):
            out = out * ca.norm_2(whole[:, i])
        return out

    def area(self, side: int) -> Expr:
        """Vanishes at an apex, a cusp, a fold or another end of a surface."""
        return ca.det(self.X[side]) * self.margins[side]

    @property
    def curvature(self) -> Expr:
        """The smallest relative curvature (1/m)."""
        total = ca.SX.zeros(2, 2)
        for X, N, sharp in zip(self.X, self.N, self.sharp, strict=True):
            X = X + SHARP * sharp * N
            inverse = ca.blockcat([[X[1, 1], -X[0, 1]], [-X[1, 0], X[0, 0]]]) / ca.det(X)
            total = total + ca.mtimes(N, inverse)
        mean, half = (total[0, 0] + total[1, 1]) / 2, (total[0, 0] - total[1, 1]) / 2
        across = (total[0, 1] + total[1, 0]) / 2
        return mean - ca.sqrt(half**2 + across**2)


def fit_parts(e: ContactEquations, bonds: ContactBonds) -> FitParts:
    """Both surfaces of a contact about its point."""
    pair = bonds.connection.surface_pair
    frames = (e.motion.frame(bonds.connection.first), e.motion.frame(bonds.connection.second))
    x, y, _ = bonds.contact.axes
    surfaces = (pair.first, pair.second)
    found = [
        _side(e, bonds.connection.name, surface, chart, frame, (x, y))
        for surface, chart, frame in zip(surfaces, pair.charts, frames, strict=True)
    ]
    (X_A, N_A, on_A), (X_B, N_B, on_B) = found
    return FitParts((X_A, X_B), (N_A, N_B), (_is_sharp(pair.first), _is_sharp(pair.second)), (on_A, on_B))


def _is_sharp(surface: Surface) -> Expr:
    """1 for an edge or a vertex, else 0; the tube of a torus may be a parameter, and without one it is an edge."""
    if isinstance(surface, Torus):
        return ca.SX(surface.tube) == 0
    return ca.SX(float(surface.dimension < 2))


def _side(
    e: ContactEquations, name: str, surface: Surface, chart: Chart, frame: FrameMotion, tangents: tuple[Expr, Expr]
) -> tuple[Expr, Expr, Expr]:
    """X and N of one surface in the tangent plane, and what is above zero on it."""
    if surface.ball is not None:
        return surface.ball * ca.SX.eye(2), ca.SX.eye(2), 1.0
    a, b = (e.signals[f"{name}.{coordinate}"] for coordinate in chart.names)
    side = Side(frame, chart, a, b)
    X = ca.blockcat([[dot(t, v) for v in side.moves] for t in tangents])
    N = ca.blockcat([[dot(t, ca.cross(w, side.normal)) for w in side.turns] for t in tangents])
    return X, N, chart.margin(a, b)
