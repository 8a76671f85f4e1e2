"""The rimless wheel walks: gait, multipliers and limits against closed forms; slip when friction falls."""

from functools import cache

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError, SolveError, UnknownNameError
from trundle.study.periodic import ReturnMap, Section, find_orbit
from trundle.walker.gait import find_gait, outcome, over_friction, start_at
from trundle.walker.rimless import PlasticGait, landing, pivoting_landing, pivoting_wheel, rimless_wheel


@cache
def wheel(friction: float | None = None) -> tr.System:
    return rimless_wheel(friction=friction, feet=3).build()


@cache
def all_feet() -> tr.System:
    return rimless_wheel(spokes=6, slope=0.25).build()


def test_the_point_mass_wheel() -> None:
    """All mass in the hub: 1.0954628396 rad/s after landing, multiplier 1/2 for eight spokes."""
    orbit = find_orbit(pivoting_wheel().build(), pivoting_landing(), {"hub.angle_rate": 1.3})
    assert orbit.values["hub.angle_rate"] == pytest.approx(1.0954628396, abs=1e-10)
    assert orbit.values["hub.angle_rate"] == pytest.approx(PlasticGait().speed, abs=1e-11)
    assert orbit.multipliers[0].real == pytest.approx(0.5, abs=1e-10)
    assert orbit.stable and orbit.residual < 1e-11


@pytest.mark.parametrize("friction", [None, 0.6])
@pytest.mark.parametrize("ratio", [0.001, 0.1, 0.5])
def test_gait_and_multiplier(friction: float | None, ratio: float) -> None:
    """By collisions of the feet; Newton's method converges quadratically, so four steps do."""
    exact = PlasticGait(inertia_ratio=ratio)
    start = start_at(1.2, exact.half_angle)
    orbit = find_gait(wheel(friction), 8, start, {"inertia_ratio": ratio})
    assert orbit.values["hub.angle_rate"] == pytest.approx(exact.speed, abs=1e-11)
    assert orbit.multipliers[0].real == pytest.approx(exact.multiplier, abs=1e-9)
    assert abs(orbit.multipliers[1]) < 1e-6  # all else is forgotten in one step or two
    assert orbit.events == (("foot1 lands", orbit.period),)
    assert orbit.iterations <= 4


@pytest.mark.parametrize(("spokes", "slope"), [(7, 0.25), (10, 0.1), (12, 0.06)])
def test_properties_of_the_spokes_of_a_wheel(spokes: int, slope: float) -> None:
    """The gait is that of the closed form, whatever the number and length of the spokes."""
    exact = PlasticGait(spokes=spokes, slope=slope, inertia_ratio=0.1, length=0.7)
    system = rimless_wheel(spokes=spokes, slope=slope, inertia_ratio=0.1, length=0.7).build()
    gait = find_gait(system)
    assert gait.values["hub.angle_rate"] == pytest.approx(exact.speed, abs=1e-9)
    assert repr(gait).startswith(f"<Orbit: period {gait.period:.6g} s, stable (largest multiplier 0.")
    with pytest.raises(SolveError, match=rf"the wheel has {spokes} spokes of 0\.7 m, not 8"):
        find_gait(system, 8)
    with pytest.raises(SolveError, match="is not a rimless wheel"):
        find_gait(tr.examples.model("four-bar").build())


def test_small_inertias_lead_to_the_point_mass() -> None:
    """Extrapolated from three inertias, the wheel with striking feet has the speed of the one with none."""
    ratios = (0.001, 0.002, 0.004)
    speeds = [find_gait(wheel(), 8, None, {"inertia_ratio": r}).values["hub.angle_rate"] for r in ratios]
    assert np.polyval(np.polyfit(ratios, speeds, 2), 0.0) == pytest.approx(1.0954628396, abs=2e-8)


@pytest.mark.parametrize("mu", [0.36, 0.34])
def test_derivative_through_slip(mu: float) -> None:
    """With feet that slip, stop and slip again the derivative of the map is that of differences."""
    returns = ReturnMap(wheel(0.6), landing(), {"mu": mu})
    x = returns(returns(returns.first()).x).x
    step = returns(x, derivative=True)
    assert [name for name, _ in step.events][:1] == ["foot0 stops"] and step.matrix is not None
    for rate in ("hub.angle_rate", "hub.y_rate"):
        # Turning about the standing foot, and sliding: the foot stays on the ground in both.
        half, way = np.pi / 8, np.zeros(len(x))
        way[returns.index(rate)] = 1.0
        if rate == "hub.angle_rate":
            way[returns.index("hub.y_rate")], way[returns.index("hub.x_rate")] = np.cos(half), np.sin(half)
        h = 1e-5
        slope = (returns(x + h * way).x - returns(x - h * way).x) / (2 * h)
        np.testing.assert_allclose(step.matrix @ way, slope, atol=3e-7)


def test_less_friction_slows_the_gait_until_there_is_none() -> None:
    """Below the critical coefficient a foot slips as it lands."""
    exact = PlasticGait(inertia_ratio=0.1)
    limit = exact.friction_needed
    assert PlasticGait(3, inertia_ratio=0.625).friction_needed == pytest.approx(0.4948716593, abs=1e-10)
    above, below, slower, none = over_friction(wheel(0.6), (limit + 1e-4, limit - 1e-4, 0.35, 0.33), count=25)
    assert abs(above.slips[-1]) < 1e-12 < 1e-5 < below.slips[-1] < slower.slips[-1]
    assert exact.speed > above.speeds[-1] > below.speeds[-1] > slower.speeds[-1] > 0.9
    assert slower.multiplier == pytest.approx(0.5454085, abs=1e-6)
    assert none.ending == "falls back" and np.isnan(none.multiplier)


def test_which_starts_walk() -> None:
    """The border between walking and stopping, and the wheel that rocks to rest on two feet."""
    exact = PlasticGait(6, 0.25, 0.1)
    for speed, end in ((0.999999, "stops"), (1.000001, "walks"), (-0.5, "stops"), (1.5, "walks")):
        assert outcome(all_feet(), start_at(speed * exact.slowest, exact.half_angle)) == end
    run = all_feet().simulate(30.0, start_at(0.5 * exact.slowest, exact.half_angle), samples=3)
    states = [int(run.values(f"foot{k}.state")[-1]) for k in range(-1, 5)]
    assert states == [2, 2, 0, 0, 0, 0]
    assert np.max(np.abs(run.values("wheel.position")[-1] - run.values("wheel.position")[0])) < 1e-9


def test_a_fast_wheel_leaves_the_ground() -> None:
    exact = PlasticGait(6, 0.25, 0.1)
    for factor, parts in ((1 - 1e-6, False), (1 + 1e-6, True)):
        run = all_feet().simulate(1.0, start_at(factor * exact.fastest, exact.half_angle), rtol=1e-10, samples=2)
        assert (run.events[0][0] == "foot0 parts") == parts


def test_invalid_arguments() -> None:
    with pytest.raises(ModelError, match="spokes must be an integer of at least 3"):
        rimless_wheel(spokes=2)
    with pytest.raises(ModelError, match="pivoting_wheel"):
        rimless_wheel(inertia_ratio=0.0)
    with pytest.raises(ModelError, match="between 2 and"):
        rimless_wheel(feet=9)
    with pytest.raises(UnknownNameError, match="foot1"):
        ReturnMap(wheel(), Section("foot1 land"))
    with pytest.raises(SolveError, match="'foot-1 lands' happens first"):
        find_gait(wheel(), 8, start_at(0.5, np.pi / 8))
    assert np.isnan(PlasticGait(4, 0.05).speed)  # four spokes, no inertia: the landing takes all speed
