"""The bicycle's main dimensions as parameters: borders of the stable range, how they move, and the widest range."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.bicycle.test_measured_bicycle import canonical

import trundle as tr
from trundle.bicycle import Parts, benchmark_parts, whipple
from trundle.errors import ModelError
from trundle.study.stability import SteadyMotions

DIMENSIONS = {"wheelbase": 1.02, "trail": 0.08, "tilt": np.pi / 10}
RANGES = {"wheelbase": (0.95, 1.15), "trail": (0.03, 0.2), "tilt": (0.2, 0.6)}
SLOWEST = 4.5  # m/s: the range must begin below


def sized(wheelbase: object, trail: object, tilt: object) -> Parts:
    """The benchmark bicycle with other dimensions; the fork moves with the front wheel."""
    parts = benchmark_parts()
    fork = replace(parts.front_frame, x=parts.front_frame.x + (wheelbase - parts.wheelbase))
    return replace(parts, wheelbase=wheelbase, trail=trail, tilt=tilt, front_frame=fork)


@pytest.fixture(scope="module")
def system() -> tr.System:
    m = tr.Model("bicycle of any size")
    units = {"wheelbase": "m", "trail": "m", "tilt": "rad"}
    return whipple(
        sized(**{name: m.parameter(name, v, units[name]) for name, v in DIMENSIONS.items()}), model=m
    ).build()


def borders(values: dict[str, float]) -> np.ndarray:
    """Weave and capsize speed from the published matrices, without any model."""
    parts = sized(**values)

    def weave(v: float) -> float:
        return max(e.real for e in canonical(parts, v) if abs(e.imag) > 0.3)

    speeds = np.linspace(2.0, 9.0, 29)
    k = next(k for k in range(28) if weave(speeds[k]) > 0 >= weave(speeds[k + 1]))
    low = brentq(weave, speeds[k], speeds[k + 1], xtol=1e-13)
    return np.array([low, brentq(lambda v: np.prod(canonical(parts, v)).real, low, 15.0, xtol=1e-13)])


def stable_range(system: tr.System, values: dict[str, float]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    motions = SteadyMotions(system, parameters=values)
    found = motions.stability(2.5, 11.5, 13).ranges[0]
    slopes = {name: np.array([motions.border_derivative(v, name, ["roll"]) for v in found]) for name in values}
    return np.array(found), slopes


def test_eigenvalues_at_any_size_are_the_canonical_ones(system: tr.System) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        values = {name: float(rng.uniform(*limits)) for name, limits in RANGES.items()}
        found = system.linearise({"speed": 5.0}, values).eigenvalues
        for expected in canonical(sized(**values), 5.0):
            assert np.min(np.abs(found - expected)) < 1e-11


def test_borders_move_with_the_dimensions_as_in_the_published_matrices(system: tr.System) -> None:
    found, slopes = stable_range(system, DIMENSIONS)
    assert found == pytest.approx(borders(DIMENSIONS), abs=1e-9)
    for name, value in DIMENSIONS.items():
        d = [(borders({**DIMENSIONS, name: value + h}) - borders({**DIMENSIONS, name: value - h})) / (2 * h)
             for h in (0.01 * value, 0.005 * value)]  # fmt: skip
        assert slopes[name] == pytest.approx((4 * d[1] - d[0]) / 3, rel=1e-6)


def test_what_a_tilt_that_is_a_parameter_cannot_do() -> None:
    m = tr.Model("m")
    with pytest.raises(ModelError, match="wheels_first"):
        whipple(sized(1.02, 0.08, m.parameter("tilt", 0.3)), model=m, wheels_first=True)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["slsqp", "ipopt"])
def test_the_widest_stable_range(system: tr.System, method: str) -> None:
    """Against a scan of the published matrices: no other size that is tried is better."""

    def width(values: dict[str, float]) -> tuple[float, dict[str, float]]:
        found, slopes = stable_range(system, values)
        return found[1] - found[0], {name: v[1] - v[0] for name, v in slopes.items()}

    def slow_enough(values: dict[str, float]) -> tuple[float, dict[str, float]]:
        found, slopes = stable_range(system, values)
        return SLOWEST - found[0], {name: -v[0] for name, v in slopes.items()}

    best = tr.optimise(
        width, RANGES, slow_enough, start=DIMENSIONS, maximise=True, tolerance=1e-7, limit=60, method=method
    )
    print(best)
    low, high = borders(dict(best.values))
    assert best.objective == pytest.approx(high - low, abs=1e-8)
    assert low == pytest.approx(SLOWEST, abs=1e-4)  # the condition holds it
    assert best.at_limits == ("wheelbase",) and best.values["wheelbase"] == pytest.approx(0.95, abs=1e-6)
    for wheelbase in np.linspace(0.95, 1.15, 5):
        for trail in np.linspace(0.03, 0.2, 18):
            for tilt in np.linspace(0.22, 0.6, 20):
                first, last = borders({"wheelbase": wheelbase, "trail": trail, "tilt": tilt})
                assert first > SLOWEST or last - first < best.objective + 1e-6
