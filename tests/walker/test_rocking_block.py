"""A block rocks on its edges: Housner's ratio, double contact, slip, a shaken plate."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.walker.rocking_block import (
    friction_needed,
    friction_of_double_contact,
    housner_ratio,
    overturns_from,
    rocking_block,
)


@cache
def block(half_height: float, friction: float | None = None) -> tr.System:
    return rocking_block(0.1, half_height, friction=friction, tilt=0.05).build()


@pytest.mark.parametrize(("half_height", "friction"), [(0.4, None), (0.16, 0.6), (0.1, None)])
def test_housners_ratio(half_height: float, friction: float | None) -> None:
    """Between landings energy stays, so the speeds before two landings are those after and before the first."""
    run = block(half_height, friction).simulate(5.0, rtol=1e-12, atol=1e-14, samples=2)
    assert [name for name, _ in run.events[:4]] == ["left lands", "right parts", "right lands", "left parts"]
    assert run.trajectory is not None
    rates = np.abs(run.trajectory.events.x[:5, 5])
    np.testing.assert_allclose(rates[1:] / rates[:-1], housner_ratio(0.1, half_height), atol=1e-9)
    # The series of landings ends: the block stands on both edges.
    assert run.values("left.state")[-1] == run.values("right.state")[-1] == 2
    assert abs(run.values("pose.angle")[-1]) < 1e-12 and abs(run.values("pose.angle_rate")[-1]) < 1e-12


def test_a_squat_block_on_slippery_ground_stops_at_once() -> None:
    """a/b = 1 lies below sqrt(2): under the friction of double contact both edges are struck; above it one."""
    limit = friction_of_double_contact(0.1, 0.1)
    assert limit == pytest.approx(1 / 3) and limit < friction_needed(0.1, 0.1) == pytest.approx(0.6)
    assert friction_of_double_contact(0.1, 0.1 * np.sqrt(2)) == pytest.approx(0.0, abs=1e-12)
    for mu, stops in ((limit - 0.01, True), (limit + 0.01, False)):
        run = block(0.1, 0.6).simulate(0.3, parameters={"mu": mu}, rtol=1e-10, samples=31)
        landings = [name for name, _ in run.events if name.endswith("lands")]
        assert (landings == ["left lands"]) == stops
        assert run.energy.drift < 1e-9


def test_a_shaken_block() -> None:
    """Under an acceleration that grows with time the front edge lifts when it reaches g b / a, not before. Where the
    shaking ends the block rocks to rest on the plate, and the energy balance closes.
    """
    jerk, g = 2.4525, 9.81
    short = 1.2  # s

    def shaking(t: Any) -> Any:
        return tr.where(t < short, jerk * t**3 / 6, jerk * (short**3 / 6 + short**2 / 2 * (t - short)))

    run = (
        rocking_block(0.1, 0.4, friction=0.6, shaking=shaking).build().simulate(6.0, rtol=1e-10, atol=1e-12, samples=61)
    )
    parts = [t for name, t in run.events if name == "right parts"]
    assert parts[0] == pytest.approx(g * 0.1 / (0.4 * jerk), abs=1e-7)
    assert any(name == "right lands" for name, _ in run.events)
    assert run.ok and run.energy.drift < 1e-7
    assert abs(run.values("pose.angle")[-1]) < 1e-12
    assert run.values("along_rate")[-1] == pytest.approx(jerk * short**2 / 2, abs=1e-9)


def test_overturning() -> None:
    """With the speed to the top from tilt, a little less comes back and a little more falls."""
    speed = overturns_from(0.1, 0.4, 0.05)
    lean = np.arctan2(0.1, 0.4) - 0.05
    length = np.hypot(0.1, 0.4)
    for factor, falls in ((1 - 1e-6, False), (1 + 1e-6, True)):
        w = factor * speed
        start = {
            "pose.angle_rate": w,
            "along_rate": w * length * np.cos(lean),
            "height_rate": w * length * np.sin(lean),
        }
        run = block(0.4, 0.6).simulate(20.0, start, rtol=1e-12, atol=1e-14, samples=2)
        assert (run.events[-1][0] == "overturns") == falls


def test_invalid_arguments() -> None:
    with pytest.raises(ModelError, match="half_width must be above zero"):
        rocking_block(0.0)
    with pytest.raises(ModelError, match="over its edge already"):
        overturns_from(0.1, 0.4, 0.5)
