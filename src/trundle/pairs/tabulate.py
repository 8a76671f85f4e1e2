"""The table of all surfaces that two joints with one freedom can sweep, made by classifying samples of every kind.

Samples are laid out as in [Meijaard 2024, Eq. 1]: the first axis along z, the second at the distance a along x and
turned about x by alpha, the point at the distance r from the second axis and s along it from the common perpendicular.
"""

from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np

from trundle.pairs.classification import classify
from trundle.space.chain import SLIDE, Screw
from trundle.space.rotation import rotation
from trundle.typing import Array

KINDS = ("Prismatic", "Revolute", "Screw")
POSITIONS = (
    "parallel",
    "coincident",
    "perpendicular intersecting",
    "perpendicular skew",
    "oblique intersecting",
    "oblique skew",
    "tangent",  # the second axis is tangent to a screw line of the first: skew, with p sin(alpha) + a cos(alpha) = 0
)
CROSSING = frozenset(POSITIONS[2:6])
PHRASES = {
    frozenset({"parallel", "coincident"}): "parallel axes",
    frozenset({"parallel"}): "parallel axes",
    frozenset({"coincident"}): "coincident axes",
    CROSSING: "non-parallel axes",
    frozenset(p for p in CROSSING if p.startswith("perpendicular")): "perpendicular axes",
    frozenset(p for p in CROSSING if p.endswith("intersecting")): "intersecting axes",
    frozenset({"perpendicular skew"}): "perpendicular axes that do not meet",
    frozenset({"oblique intersecting"}): "oblique intersecting axes",
    frozenset({"tangent"}): "second axis tangent to a screw line of the first",
}


@final
@dataclass(frozen=True)
class Row:
    """One line of the table: kinds of the two joints, surface, and the condition under which they sweep it."""

    first: str
    second: str
    surface: str
    condition: str


@final
@dataclass(frozen=True)
class Case:
    """A family of samples: how the axes lie, whether s = 0, and whether two screws have the same pitch."""

    position: str
    level: bool
    equal_pitch: bool


def table() -> tuple[Row, ...]:
    """All surfaces that two joints in series can sweep with a normal that stays a normal [Meijaard 2024, Table 1]."""
    rng = np.random.default_rng(1)
    return tuple(row for first, second in product(KINDS, KINDS) for row in _rows(first, second, rng))


def _rows(first: str, second: str, rng: np.random.Generator) -> list[Row]:
    found: dict[str, set[Case]] = {}
    for case in _cases(first, second):
        names = {_surface(*_sample(first, second, case, rng)) for _ in range(3)}
        if len(names) == 1 and "" not in names:
            found.setdefault(names.pop(), set()).add(case)
    return [Row(first, second, surface, _condition(first, second, cases)) for surface, cases in found.items()]


def _surface(first: Screw, second: Screw, point: Array) -> str:
    """Name of the surface that is swept; empty for none and for an edge."""
    surface = classify(first, second, point).surface
    return "" if surface is None or surface.dimension < 2 else type(surface).__name__


def _cases(first: str, second: str) -> list[Case]:
    positions = [p for p in POSITIONS if p != "tangent" or first == "Screw"]
    pitches = (False, True) if first == second == "Screw" else (False,)
    return [Case(*choice) for choice in product(positions, (True, False), pitches)]


def _sample(first: str, second: str, case: Case, rng: np.random.Generator) -> tuple[Screw, Screw, Array]:
    """Two screws and a point at random within the case."""
    a = 0.0 if case.position.endswith(("coincident", "intersecting")) else rng.uniform(1.0, 2.0)
    alpha = rng.uniform(0.3, 1.2) * rng.choice([-1.0, 1.0])
    if case.position in ("parallel", "coincident"):
        alpha = 0.0
    elif case.position.startswith("perpendicular"):
        alpha = np.pi / 2
    p_1, p_2 = rng.uniform(0.2, 0.9, size=2)
    if case.position == "tangent":
        p_1 = -a / np.tan(alpha)
    if case.equal_pitch:
        p_2 = p_1
    pitches = {"Prismatic": (SLIDE, SLIDE), "Revolute": (0.0, 0.0), "Screw": (p_1, p_2)}
    tilt, foot = rotation("x", alpha), np.array([a, 0.0, 0.0])
    r = 0.0 if second == "Prismatic" else rng.uniform(0.2, 0.8)  # a slide has its axis through the point
    s = 0.0 if case.level else rng.uniform(0.3, 1.0)
    theta = rng.uniform(-np.pi, np.pi)
    point = foot + tilt @ np.array([-r * np.sin(theta), r * np.cos(theta), s])
    screws = Screw("z", pitches[first][0]), Screw(tilt[:, 2], pitches[second][1], (a, 0.0, 0.0))
    return *screws, point


def _condition(first: str, second: str, cases: set[Case]) -> str:
    """The shortest phrase for the cases in which the surface was found."""
    condition = PHRASES[frozenset(case.position for case in cases)]
    if "Prismatic" not in (first, second) and all(case.level for case in cases):
        condition += ", s = 0"
    if first == second == "Screw" and not any(case.equal_pitch for case in cases):
        condition += ", unequal pitches"
    return condition
