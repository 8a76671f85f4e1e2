"""Closest points of surfaces of any size, in any pose: found, or not found, but never an internal error."""

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import trundle as tr
from trundle.errors import ModelError
from trundle.pairs.common_normal import nearest

COUNT = 60


def surfaces(rng: np.random.Generator) -> list[Any]:
    a, b = 10 ** rng.uniform(-5, 5, 2)
    inside = bool(rng.integers(2))
    made = [
        lambda: tr.Plane(), lambda: tr.Cylinder(a, inside=inside), lambda: tr.Cone(a, float(rng.uniform(-1.5, 1.5))),
        lambda: tr.Torus(a, b, inside=inside), lambda: tr.SpiralColumn(a, b, float(10 ** rng.uniform(-5, 5))),
        lambda: tr.TangentSurface(a, b, float(10 ** rng.uniform(-5, 5)), inside=inside), lambda: tr.CircleEdge(a),
        lambda: tr.LineEdge(), lambda: tr.HelixEdge(a, b), lambda: tr.Ellipsoid(a, b, float(np.sqrt(a * b))),
    ]  # fmt: skip
    found = []
    for make in made:
        try:
            found.append(make())
        except ModelError:
            continue
    return found


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_error_comes_from_inside(seed: int) -> None:
    rng, looked_at = np.random.default_rng([seed, 5]), 0
    for _ in range(COUNT):
        known = surfaces(rng)
        first, second = (known[int(rng.integers(len(known)))] for _ in range(2))
        try:
            pair = tr.HigherPair(first, second)
        except ModelError:
            continue
        placed = []
        for chart in pair.charts:
            numbers = np.array(ca.DM(ca.SX(chart.sizes()))).ravel()
            R = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
            placed.append(chart.placed(chart.numeric(numbers), R, rng.normal(size=3) * 10 ** rng.uniform(-5, 5)))
        found = nearest(*placed)
        looked_at += 1
        assert found is None or (np.all(np.isfinite(found[0])) and np.isfinite(found[1])), pair.title
    assert looked_at > COUNT // 4
