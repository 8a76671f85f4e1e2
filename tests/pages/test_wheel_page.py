"""The page on the wheel: its script runs and gives the numbers printed beside it."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import trundle as tr
from trundle.examples import slippery_wheel as paper

FOLDER = Path(__file__).parents[2] / "docs"
PAGE = (FOLDER / "wheel.md").read_text(encoding="utf-8")


def test_the_script_of_the_page(tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    script = tmp_path / "wheel.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    exact, relaxed, thrown = names["exact"], names["relaxed"], names["thrown"]
    assert [name for name, _ in exact.events] == ["tyre slips", "tyre stops"]
    assert [t for _, t in exact.events] == pytest.approx([6.55883, 17.18519], abs=1e-4)
    assert exact.values("wheel.velocity")[-1, 0] == pytest.approx(3.156, abs=5e-4)
    assert exact.energy.work_lost[-1] == pytest.approx(14.4e3, rel=0.005)
    assert relaxed.values("tyre.slip_x")[-1] == pytest.approx(-30.25, abs=5e-3)
    assert relaxed.values("tyre.stiction").min() == pytest.approx(0.483, abs=5e-4)
    assert relaxed.energy.work_lost[-1] == pytest.approx(28.5e3, rel=0.005)
    assert thrown.values("ball.velocity")[-1] == pytest.approx([5.0, 0.0, 0.0], abs=1e-12)
    slope = 9.81 * (np.sin(0.4) - 0.2 * np.cos(0.4))
    assert names["down"].values("bar.displacement")[-1] == pytest.approx(0.5 + slope / 8, abs=1e-9)
    assert names["pushed"]["ball.acceleration"] == pytest.approx([23 / 14, -33 / 14, 0.0], abs=1e-12)


def test_the_slip_of_relaxed_rolling_grows_as_documented():
    """m* d(slip)/dt = (1 - s^2) (F_r - F), from samples of a run."""
    mu, torque = paper.spell(), 60.0
    run = paper.driven(tr.Relaxed(mu, traction=paper.traction(torque)), torque).build().simulate(20.0, samples=2001)
    t, s = run.time, run.values("tyre.stiction")
    turning, over = run.values("wheel.angular_velocity")[:, 1], run.values("wheel.velocity")[:, 0] / paper.RADIUS
    drive = torque * np.tanh(0.5 * t)
    limit = np.array([float(mu({"t": one})) for one in t]) * paper.WEIGHT
    slip = paper.RADIUS * (turning - over)
    mass = 1 / (1 / paper.MASS + paper.RADIUS**2 / paper.INERTIA)
    rolling = mass * (paper.RADIUS * (drive - 0.34 * turning) / paper.INERTIA + 1.7 * over**2 / paper.MASS)
    friction = limit * np.tanh(drive / paper.RADIUS / (3 * limit)) * np.tanh(slip)
    told = (1 - s**2) * (rolling - friction)
    np.testing.assert_allclose(mass * np.gradient(slip, t)[5:-5], told[5:-5], atol=0.05)
    assert np.all(slip[1:] > 0) and s[1:].max() < 1  # it creeps from the start, far inside the cone


def test_a_slip_settles_where_friction_is_steep_enough():
    """v0 atanh(F_r / (mu N tanh(k_f T / (3 mu N)))), once k_f is large enough."""
    torque, k_f, v0 = 20.0, 10.0, 0.01
    law = tr.Relaxed(0.9, 10.0, k_f, traction=paper.traction(torque), v0=v0)
    run = paper.driven(law, torque).build().simulate(20.0, samples=2, method="stiff")
    speed, limit = run.values("wheel.velocity")[-1, 0], 0.9 * paper.WEIGHT
    needed = 1.7 * (speed / paper.RADIUS) ** 2
    settled = v0 * np.arctanh(needed / (limit * np.tanh(k_f * torque / paper.RADIUS / (3 * limit))))
    assert -run.values("tyre.slip_x")[-1] == pytest.approx(settled, rel=1e-4)


def test_relaxed_rolling_can_drive_while_it_is_braked():
    """The constraint does not depend on the direction of sliding; exact friction never gives power."""
    mu = paper.sudden(0.3)
    relaxed = paper.braked(tr.Relaxed(mu), 50.0).build().simulate(18.0, samples=181, method="stiff", rtol=1e-8)
    assert relaxed.values("tyre.friction_power").min() < -1000 and relaxed.values("wheel.velocity")[-1, 0] < -1
    exact = paper.braked(tr.Coulomb(mu), 50.0).build().simulate(18.0, samples=181)
    assert exact.values("tyre.friction_power").min() > -1e-9
    assert exact.values("wheel.velocity")[-1, 0] == pytest.approx(paper.RADIUS * np.arctanh(0.5) / 100, rel=1e-2)


@pytest.mark.parametrize(
    ("brake", "lower", "speed", "rim", "stands", "distance", "lost"),
    [
        (50.0, 0.3, 1.98, 8.4, 16.22, 1.79, 975.0),
        (50.0, 0.1, 1.18, 16.2, 17.47, 2.25, 843.0),
        (50.0, 0.9, 1.80, 1.80, 15.82, 0.79, 0.0),
        (15.0, 0.1, 1.18, 22.5, None, 1.14, 9216.0),
    ],
)
def test_the_table_of_braking(brake, lower, speed, rim, stands, distance, lost):
    """Exact friction: speeds at 15 s, place of rest (or speed at 24 s), and energy lost."""
    mu = paper.sudden(lower) if lower < 0.9 else 0.9
    run = paper.braked(tr.Coulomb(mu), brake).build().simulate(24.0, samples=2401, rtol=1e-9)
    x, v = run.values("wheel.position")[:, 0], run.values("wheel.velocity")[:, 0]
    turning = paper.RADIUS * run.values("wheel.angular_velocity")[:, 1]
    assert (v[1500], turning[1500]) == pytest.approx((speed, rim), abs=0.05)
    still = np.nonzero((run.time > 15) & (abs(v) < 0.01) & (abs(turning) < 0.01))[0]
    if stands is None:
        assert len(still) == 0 and v[-1] == pytest.approx(distance, abs=5e-3)
    else:
        assert run.time[still[0]] == pytest.approx(stands, abs=0.02)
        assert x[still[0]] - x[1500] == pytest.approx(distance, abs=5e-3)
    assert run.energy.work_lost[-1] == pytest.approx(lost, abs=1.0)


def test_every_picture_of_the_page_exists():
    pictures = re.findall(r"\]\((wheel/[\w.-]+)\)", PAGE)
    assert len(pictures) == 11
    assert [name for name in pictures if not (FOLDER / name).is_file()] == []
