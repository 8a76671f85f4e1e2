"""The table of all surfaces that two joints with one freedom can sweep, from the conditions derived by elimination.

Each part of the solutions is named by a sample, in the configuration of [Meijaard 2024, Eq. 1]: the first axis along z,
the second at the distance a along x and turned about x by alpha, the point at the distance r from the second axis and
s along it from the common perpendicular.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np

from trundle.errors import ModelError
from trundle.pairs.classification import classify
from trundle.pairs.normal_conditions import COS, P1, P2, SIN, TANGENT, A, Condition, S, conditions
from trundle.space.chain import SLIDE, Screw
from trundle.space.rotation import rotation

KINDS = ("Prismatic", "Revolute", "Screw")


@final
@dataclass(frozen=True)
class Row:
    """One line of the table: kinds of the two joints, surface, and the condition under which they sweep it."""

    first: str
    second: str
    surface: str
    condition: str


def table() -> tuple[Row, ...]:
    """All surfaces that two joints in series can sweep with a carried normal [Meijaard 2024, Table 1]."""
    rng = np.random.default_rng(1)
    return tuple(
        _row(first, second, part, rng)
        for first, second in product(KINDS, KINDS)
        for part in sorted(conditions(first, second), key=lambda part: (not part.holds(SIN), part.texts))
    )


def _row(first: str, second: str, part: Condition, rng: np.random.Generator) -> Row:
    names = {_surface(first, second, part, rng) for _ in range(3)}
    if len(names) > 1:
        raise ModelError(f"a {first} and a {second} joint with {part.texts} sweep several surfaces: {sorted(names)}.")
    surface = names.pop()

    def keeps(**values: float) -> bool:
        """Whether the surface is the same in a special position within the part."""
        return _surface(first, second, part, rng, **values) == surface

    words = _position(first, part, keeps)
    if second != "Prismatic" and part.holds(S):
        words += ", s = 0"
    if first == second == "Screw" and part.without_equal_pitches:
        words += ", unequal pitches"
    return Row(first, second, surface, words)


def _position(first: str, part: Condition, keeps: Callable[..., bool]) -> str:
    """Relative position of the axes."""
    if part.holds(SIN):
        return "coincident axes" if part.holds(A) else "parallel axes"
    if first == "Prismatic":
        return "perpendicular axes" if part.holds(COS) else "non-parallel axes"
    if part.holds(COS):
        return "perpendicular axes" if keeps(a=0.0) else "perpendicular axes that do not meet"
    if part.holds(A):
        return "intersecting axes" if keeps(alpha=np.pi / 2) else "oblique intersecting axes"
    if not part.holds(TANGENT):
        raise ModelError(f"there are no words for axes with {part.texts}.")
    return "second axis tangent to a screw line of the first"


def _surface(first: str, second: str, part: Condition, rng: np.random.Generator, **values: float) -> str:
    """Name of the surface at a random place of the part, with some values given; empty for none and for an edge."""
    surface = classify(*_sample(first, second, part, rng, **values)).surface
    return "" if surface is None or surface.dimension < 2 else type(surface).__name__


def _sample(
    first: str, second: str, part: Condition, rng: np.random.Generator, **values: float
) -> tuple[Screw, Screw, np.ndarray]:
    """Two screws and a point at random within the part."""
    a = 0.0 if part.holds(A) else values.get("a", rng.uniform(1.0, 2.0))
    alpha = values.get("alpha", rng.uniform(0.3, 1.2) * rng.choice([-1.0, 1.0]))
    alpha = 0.0 if part.holds(SIN) else np.pi / 2 if part.holds(COS) else alpha
    p_1, p_2 = (0.0 if part.holds(p) else float(rng.uniform(0.2, 0.9)) for p in (P1, P2))
    if part.holds(TANGENT) and not (part.holds(P1) or part.holds(SIN)):
        p_1 = -a / np.tan(alpha)
    r = 0.0 if second == "Prismatic" else rng.uniform(0.2, 0.8)  # a slide has its axis through the point
    s = 0.0 if part.holds(S) else rng.uniform(0.3, 1.0)
    numbers = (np.sin(alpha), np.cos(alpha), p_1, p_2, a, s, r)
    if any(abs(p.value(numbers)) > 1e-12 for p in part.equations):
        raise ModelError(f"there is no sample of {part.texts}.")
    pitches = {"Prismatic": (SLIDE, SLIDE), "Revolute": (0.0, 0.0), "Screw": (p_1, p_2)}
    tilt, foot, theta = rotation("x", alpha), np.array([a, 0.0, 0.0]), rng.uniform(-np.pi, np.pi)
    point = foot + tilt @ np.array([-r * np.sin(theta), r * np.cos(theta), s])
    return Screw("z", pitches[first][0]), Screw(tilt[:, 2], pitches[second][1], (a, 0.0, 0.0)), point
