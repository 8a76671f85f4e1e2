"""Tolerances fit the sizes of the model, whatever its units; invalid tolerances are refused everywhere."""

import numpy as np
import pytest
from typer.testing import CliRunner

import trundle as tr
from trundle.cli import app
from trundle.errors import SolveError, UnknownNameError

RATE = 3.0  # rad/s


def slider(away: float = 0.0, push: object = None, **law) -> tr.System:
    m = tr.Model("slider", gravity=(0, 0, 0))
    size = m.parameter("size", 1.0)
    cart = m.body("cart", mass=1.0)
    m.connect(tr.Prismatic("x"), m.ground.at(away, 0, 0), cart, law=tr.Spring(RATE**2))
    if push is not None:
        m.apply(tr.Wrench(cart, force=lambda s: (size * push(s.t), 0, 0)))
    return m.build()


SIZES = (1e-15, 1e-9, 1e-3, 1.0, 1e3, 1e8)


@pytest.mark.parametrize("away", [0.0, 1.0])
@pytest.mark.parametrize("method", ["auto", "order5", "stiff"])
def test_a_slider_of_any_size_is_as_accurate(away, method):
    system = slider(away)
    worst = {"auto": 2e-9, "order5": 2e-8, "stiff": 2e-6}[method]
    steps = set()
    for size in SIZES if away == 0.0 else SIZES[:4]:
        run = system.simulate(10.0, {"cart.displacement": size}, method=method, samples=101)
        error = np.abs(run.values("cart.displacement") - size * np.cos(RATE * run.time))
        assert np.max(error) < worst * size
        steps.add(run.trajectory.counts.steps)
    assert max(steps) < 1.1 * min(steps)  # neither waste nor want


def test_a_push_from_rest_is_not_missed():
    """Nothing moves at the start, or for the first half of the run: the size is learned on the way."""
    for size in SIZES:
        early = slider(push=lambda t: RATE**2).simulate(10.0, {}, {"size": size})
        np.testing.assert_allclose(
            early.values("cart.displacement"), size * (1 - np.cos(RATE * early.time)), atol=1e-8 * size, rtol=0
        )
    late = slider(push=lambda t: RATE**2 * tr.max(t - 5, 0))
    for size in SIZES:
        run = late.simulate(10.0, {}, {"size": size})
        t = np.maximum(run.time - 5, 0)
        exact = size * (t - np.sin(RATE * t) / RATE)
        np.testing.assert_allclose(run.values("cart.displacement"), exact, atol=1e-7 * size, rtol=0)


@pytest.mark.parametrize("amplitude", [1e-12, 1e-9, 1e-4])
def test_small_angles_are_as_accurate(amplitude):
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -1))
    m.connect(tr.Revolute("y"), m.ground, bob)
    run = m.build().simulate(10.0, {"bob.angle": amplitude})
    exact = amplitude * np.cos(np.sqrt(9.81 / 1.1) * run.time)
    np.testing.assert_allclose(run.values("bob.angle"), exact, rtol=0, atol=(2e-9 + 5 * amplitude**2) * amplitude)


def test_a_batch_keeps_each_case_to_its_own_size():
    sizes = np.array([1e-9, 1.0, 1e-6, 1e3, 1e-9, 1e-3, 1.0, 1e5, 1e-9])
    batch = slider().batch(10.0, {"cart.displacement": sizes})
    np.testing.assert_allclose(batch.end("cart.displacement") / sizes, np.cos(RATE * 10.0), atol=1e-6)


def linkage(scale: float) -> tr.System:
    """A slider crank: lengths, gravity and start scale together, so the motion is the same."""
    m = tr.Model("slider crank", gravity=(0, 0, -9.81 * scale))
    crank = m.body("crank", 1.0, (0.1 * scale**2,) * 3, com=(0.5 * scale, 0, 0))
    rod = m.body("rod", 1.0, (0.1 * scale**2,) * 3, com=(scale, 0, 0))
    block = m.body("block", 1.0, (0.1 * scale**2,) * 3)
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(scale, 0, 0), rod)
    m.connect(tr.Prismatic("x"), m.ground, block)
    m.connect(tr.Revolute("y"), rod.at(2 * scale, 0, 0), block, name="pin")
    rod_angle = -np.arcsin(np.sin(1.0) / 2)  # the rod leads back to the height of the block
    m.start = {"crank.angle": 1.0, "rod.angle": rod_angle - 1.0}
    m.start["block.displacement"] = scale * (np.cos(1.0) + 2 * np.cos(rod_angle))
    return m.build()


def test_a_linkage_in_other_units_takes_the_same_steps():
    runs = [linkage(scale).simulate(3.0) for scale in (1.0, 1e-3, 1e3)]
    assert {run.trajectory.counts.steps for run in runs} == {runs[0].trajectory.counts.steps}
    for run, scale in zip(runs, (1.0, 1e-3, 1e3), strict=True):
        np.testing.assert_allclose(run.values("crank.angle"), runs[0].values("crank.angle"), atol=1e-8)
        assert run.settings["atol"]["m"] == pytest.approx(1e-10 * scale)
        assert run.settings["atol"]["rad"] == pytest.approx(1e-10)


def test_by_unit_and_by_name(tmp_path):
    system = linkage(1.0)
    usual = system.simulate(3.0)
    rough = system.simulate(3.0, atol={"rad": 1e-4, "rad/s": 1e-4, "m": 1e-4, "m/s": 1e-4}, rtol=1e-4)
    fine = system.simulate(3.0, atol={"rad": 1e-13, "crank.angle_rate": 1e-13}, rtol=1e-4)
    assert rough.trajectory.counts.steps < fine.trajectory.counts.steps
    assert fine.settings["atol"]["rad"] == 1e-13
    error = [np.max(np.abs(run.values("crank.angle") - usual.values("crank.angle"))) for run in (rough, fine)]
    assert error[1] < error[0]
    assert tr.load(fine.save(tmp_path / "r")).settings["atol"] == fine.settings["atol"]
    assert "rad/s" in fine.summary()
    with pytest.raises(UnknownNameError, match=r"crank.angel.*Did you mean 'crank.angle'"):
        system.simulate(1.0, atol={"crank.angel": 1e-9})
    with pytest.raises(UnknownNameError, match="kg"):
        system.simulate(1.0, atol={"kg": 1e-9})
    with pytest.raises(SolveError, match="atol of 'm' must be a positive number"):
        system.simulate(1.0, atol={"m": -1e-9})


@pytest.mark.parametrize("rtol", [1e-20, 0.0, -1e-3, 1.0, float("nan"), "fine"])
def test_invalid_tolerances(rtol, tmp_path):
    system = slider()
    for ask in (system.simulate, system.batch):
        with pytest.raises(SolveError, match=r"rtol must be a number from 1e-15"):
            ask(1.0, {"cart.displacement": [1.0]}, rtol=rtol)
    if isinstance(rtol, float):
        told = CliRunner().invoke(app, ["run", "simple-pendulum", "--rtol", str(rtol), "--out", str(tmp_path / "o")])
        assert told.exit_code == 2 and "rtol must be a number from 1e-15" in " ".join(told.output.split())


def test_a_clock_that_cannot_tell_the_steps_apart_is_refused():
    system = slider()
    for t0 in (1e16, -1e16, 1e9):
        with pytest.raises(SolveError, match=r"t0 = .* is too large for a duration of 1 s"):
            system.simulate(1.0, {"cart.displacement": 1.0}, t0=t0)
    run = system.simulate(1.0, {"cart.displacement": 1.0}, t0=1e5)
    np.testing.assert_allclose(run.values("cart.displacement")[-1], np.cos(RATE), atol=1e-8)
