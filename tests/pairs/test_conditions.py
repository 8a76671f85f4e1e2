"""Conditions for a normal that stays a normal: by elimination, against the published ones and the motion itself."""

import numpy as np
import pytest

from trundle.errors import ModelError
from trundle.pairs import SpiralColumn, classify, conditions
from trundle.pairs.normal_conditions import NAMES, P1, A, Polynomial
from trundle.pairs.polynomial import components, constant, contains, groebner, remainder, variables
from trundle.pairs.surface import winding_clearance
from trundle.space.chain import SLIDE, Screw
from trundle.space.rotation import rotation


def test_two_screws_give_the_four_published_conditions() -> None:
    """[Meijaard 2024, Eqs. 13 to 16]."""
    assert {part.texts for part in conditions("Any", "Any")} == {
        ("p2", "s", "sin p1 + cos a"),  # 13
        ("p1", "p2", "a"),  # 14
        ("sin", "a"),  # 15
        ("sin", "p1", "p2"),  # 16
    }


def sample(
    rng: np.random.Generator, first: str, second: str
) -> tuple[tuple[float, ...], tuple[Screw, Screw], np.ndarray]:
    """The variables at random, many of them zero, and the two screws and the point that they describe."""
    alpha = rng.choice([0.0, np.pi / 2, rng.uniform(0.2, 1.3)])
    a, s = rng.choice([0.0, 1.0], 2) * rng.uniform(0.5, 1.5, 2)
    p_1, p_2 = rng.uniform(0.2, 0.9, 2)
    if first == "Screw" and 0 < alpha < 1.5 and rng.random() < 0.5:
        p_1 = -a / np.tan(alpha) if a else p_1
    r = 0.0 if second == "Prismatic" else rng.uniform(0.2, 0.4)
    pitches = {"Prismatic": SLIDE, "Revolute": 0.0}
    h_1, h_2 = pitches.get(first, p_1), pitches.get(second, p_2)
    tilt = rotation("x", alpha)
    point = np.array([a, 0.0, 0.0]) + tilt @ np.array([0.0, r, s])
    numbers = (np.sin(alpha), np.cos(alpha), 0.0 if first == "Revolute" else p_1, 0.0 if second == "Revolute" else p_2)
    return (*numbers, a, s, r), (Screw("z", h_1), Screw(tilt[:, 2], h_2, (a, 0.0, 0.0))), point


@pytest.mark.parametrize("first", ["Prismatic", "Revolute", "Screw"])
@pytest.mark.parametrize("second", ["Prismatic", "Revolute", "Screw"])
def test_the_conditions_decide_what_the_motion_shows(first: str, second: str) -> None:
    """The condition, tested along the motion itself, is fulfilled in the derived parts and nowhere else."""
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(60):
        numbers, screws, point = sample(rng, first, second)
        found = classify(*screws, point)
        swept = "does not stay a normal" not in found.reason
        if not swept or (found.surface is not None and found.surface.dimension == 2):  # else an edge, or a fold
            fulfilled = any(
                all(abs(p.value(numbers)) < 1e-12 for p in part.equations) for part in conditions(first, second)
            )
            assert fulfilled == swept, (numbers, found.reason)
            seen.add(swept)
    assert True in seen and (first == second == "Prismatic" or False in seen)


def test_unknown_kinds() -> None:
    with pytest.raises(ModelError, match="Prismatic, Revolute, Screw, Any"):
        conditions("Hinge", "Screw")


# -- elimination -------------------------------------------------------------------------------------------------------


def test_a_basis_reduces_to_the_known_one() -> None:
    """x^2 + y^2 = 4 and x y = 1: the lexicographic basis [Cox et al. 2015, Ch. 2, Sec. 8]."""
    x, y = variables(2)
    basis = groebner([x * x + y * y - 4, x * y - 1])
    assert {p.text("xy") for p in basis} == {"y^4 - 4 y^2 + 1", "x + y^3 - 4 y"}
    assert remainder(x * x * y - x, basis).zero and not remainder(x - y, basis).zero


def test_products_are_split_into_conditions() -> None:
    x, y, z = variables(3)
    parts = components([x * y, y * z])
    assert {tuple(p.text("xyz") for p in part) for part in parts} == {("y",), ("z", "x")}
    assert [tuple(p.text("xyz") for p in part) for part in components([x * y, y * z], nonzero=[1])] == [("z", "x")]
    assert components([x * y - 1, x]) == ()
    assert contains([x * y], [x]) and not contains([x], [x * y])


def test_arithmetic() -> None:
    x, y = variables(2)
    p = (x + 2 * y - 3) * (x - y) - constant(1, 2)
    assert p.value((1.7, -0.4)) == pytest.approx((1.7 - 0.8 - 3) * 2.1 - 1, abs=1e-12)
    assert (p - p).zero and (p - p).text("xy") == "0"
    assert isinstance(P1 + A, Polynomial) and (P1 + A).text(NAMES) == "p1 + a"


# -- windings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("radius", "pitch"), [(1.0, 0.1), (1.0, -0.3), (2.0, 0.9), (0.01, 0.002)])
def test_windings_are_as_near_as_points_of_the_helix(radius: float, pitch: float) -> None:
    turns = np.linspace(np.pi, 3 * np.pi, 200001)
    points = np.sqrt(2 * radius**2 * (1 - np.cos(turns)) + (pitch * turns) ** 2)
    inner = points[1:-1][(points[1:-1] < points[:-2]) & (points[1:-1] < points[2:])]
    assert winding_clearance(radius, pitch) == pytest.approx(inner.min(), rel=1e-8)


def test_windings_that_overlap_are_refused() -> None:
    limit = winding_clearance(1.0, 0.1) / 2
    assert limit == pytest.approx(np.pi * 0.1, rel=0.02)
    SpiralColumn(1.0, 0.1, 0.999 * limit)
    with pytest.raises(ModelError, match="neighbouring windings overlap"):
        SpiralColumn(1.0, 0.1, 1.001 * limit)
    assert winding_clearance(1.0, 0.6) == np.inf  # so steep that no winding comes near another
    alpha = float(np.arctan2(-1.0, 0.1))  # p1 sin + a cos = 0
    swept = classify(Screw("z", 0.1), Screw((0, -np.sin(alpha), np.cos(alpha)), 0.0, (1.0, 0.0, 0.0)), (1.4, 0.0, 0.0))
    assert swept.surface is None and "overlap" in swept.reason
