"""Conditions under which two joints in series sweep a surface and carry its normal, derived by elimination.

The tangent along the first joint, seen in axes that move with the second, is a sum of functions of the second
coordinate times vectors: 1, sin, cos, and for a screw t sin, t cos. These functions are independent, so the normal at
one displacement is perpendicular to the tangent at every other one if and only if the product of every two of the
vectors with the second tangent vanishes [Meijaard 2024, Eqs. 10 to 12]. What solves these equations comes out as parts:
Eqs. 13 to 16, and the cases with slides.
"""

from dataclasses import dataclass
from functools import cache
from typing import final

from trundle.errors import ModelError
from trundle.pairs.polynomial import Polynomial, components, constant, groebner, remainder, variables

KINDS = ("Prismatic", "Revolute", "Screw", "Any")
NAMES = ("sin", "cos", "p1", "p2", "a", "s", "r")
SIN, COS, P1, P2, A, S, R = variables(len(NAMES))
ZERO, ONE = constant(0, len(NAMES)), constant(1, len(NAMES))
UNIT = SIN * SIN + COS * COS - 1
TANGENT = P1 * SIN + A * COS
"""Zero where the second axis is tangent to a screw line of the first."""

Vector = tuple[Polynomial, Polynomial, Polynomial]


@final
@dataclass(frozen=True)
class Condition:
    """One part of the solutions, by equations that all vanish in it: in sin and cos of the angle alpha between the
    axes, the pitches p1 and p2, the distance a of the axes, and r and s of the point.
    """

    equations: tuple[Polynomial, ...]
    areas: tuple[Polynomial, ...]  # they all vanish where no surface is swept

    def holds(self, polynomial: Polynomial) -> bool:
        """Whether a polynomial vanishes in the whole part.

        Parameters
        ----------
        polynomial : Polynomial
            In the coordinates of the pair.

        Returns
        -------
        bool
        """
        return remainder(polynomial, self.equations).zero

    @property
    def texts(self) -> tuple[str, ...]:
        """The equations without the sum of squares of sin and cos: each is zero."""
        plain = [p for p in (SIN, COS, P1, P2, A, S, TANGENT, P1 - P2) if self.holds(p)]
        kept: list[Polynomial] = []
        for p in plain:  # those that do not follow from the ones before
            if not remainder(p, groebner([*kept, UNIT])).zero:
                kept.append(p)
        return tuple(p.text(NAMES) for p in kept)

    @property
    def without_equal_pitches(self) -> bool:
        """Whether no surface is swept if the pitches are equal."""
        return all(remainder(area, groebner([*self.equations, P1 - P2])).zero for area in self.areas)


@cache
def conditions(first: str, second: str) -> tuple[Condition, ...]:
    """All parts of the solutions for two kinds of joints: "Prismatic", "Revolute" or "Screw", or "Any" for a screw of
    any pitch, including zero.

    Parameters
    ----------
    first, second : str
        Kinds of the joints.

    Returns
    -------
    tuple of Condition
    """
    for kind in (first, second):
        if kind not in KINDS:
            raise ModelError(f"a joint is one of {', '.join(KINDS)}, got {kind!r}.")
    vectors, along = _tangents(first, second)
    pairs = [(i, k) for k in range(len(vectors)) for i in range(k)]
    equations = [_dot(along, _cross(vectors[k], vectors[i])) for i, k in pairs]
    equations += [pitch for kind, pitch in ((first, P1), (second, P2)) if kind == "Revolute"]
    apart = [i for i, there in ((2, first == "Screw"), (3, second == "Screw"), (6, second != "Prismatic")) if there]
    areas = tuple(area for v in vectors for area in _cross(v, along) if not area.zero)
    parts = [Condition(part, areas) for part in components(equations, [UNIT], apart)]
    return tuple(part for part in parts if not all(part.holds(area) for area in areas))


def _tangents(first: str, second: str) -> tuple[list[Vector], Vector]:
    """Vectors of the first tangent, in axes of the second joint, and the second tangent."""
    if second == "Prismatic":  # the axis goes through the point; functions 1 and the displacement
        along = (ZERO, -SIN, COS)
        if first == "Prismatic":
            return [(ZERO, ZERO, ONE)], along
        return [(ZERO, A, P1), (SIN, ZERO, ZERO)], along  # [Meijaard 2024, Eq. 21]
    along = (-R, ZERO, P2)  # [Meijaard 2024, Eq. 11]
    if first == "Prismatic":
        return [(ZERO, ZERO, COS), (SIN, ZERO, ZERO), (ZERO, SIN, ZERO)], along
    return [  # [Meijaard 2024, Eq. 10]: 1, sin, cos, t sin, t cos
        (-R * COS, ZERO, P1 * COS - A * SIN),
        (TANGENT, -S * SIN, R * SIN),
        (S * SIN, TANGENT, ZERO),
        (ZERO, -P2 * SIN, ZERO),
        (P2 * SIN, ZERO, ZERO),
    ], along


def _cross(u: Vector, v: Vector) -> Vector:
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


def _dot(u: Vector, v: Vector) -> Polynomial:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
