"""First tolerances of models without lengths: from the motion, however long the run is."""

import numpy as np
import pytest

import trundle as tr


@pytest.fixture(scope="module")
def oscillators() -> dict[str, tr.System]:
    """A mass on a spring of 10 rad/s, alone, and pulled with 10 N."""
    found = {}
    for name, pull in (("alone", 0.0), ("pulled", 10.0)):
        m = tr.Model("oscillator", gravity=(0, 0, 0))
        law = tr.Motor(lambda t, q, u, pull=pull: pull - 100 * q)
        m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0), law=law)
        found[name] = m.build()
    return found


def exact(name: str, start: float, t: float) -> float:
    middle = 0.1 if name == "pulled" else 0.0
    return float(middle + (start - middle) * np.cos(10 * t))


@pytest.mark.parametrize(("name", "start"), [("alone", 0.1), ("alone", 1e-6), ("pulled", 0.0)])
@pytest.mark.parametrize("method", ["order8", "order5", "stiff"])
@pytest.mark.parametrize("duration", [1.0, 1e5, 1e9])
def test_the_first_seconds_of_long_runs(
    oscillators: dict[str, tr.System], name: str, start: float, method: str, duration: float
) -> None:
    stepper = oscillators[name].stepper(duration, {"mass.displacement": start}, method=method, rtol=1e-8, samples=2)
    assert stepper.advance(1.0).name == "FINISHED"
    size = 0.1 if name == "pulled" else start
    assert stepper["mass.displacement"] == pytest.approx(exact(name, start, 1.0), abs=1e-6 * size)


def test_long_runs_and_batches(oscillators: dict[str, tr.System]) -> None:
    """Over 1600 periods: the energy is kept as in short runs."""
    system, starts = oscillators["alone"], np.array([0.1, 0.2])
    run = system.simulate(1000.0, {"mass.displacement": 0.1}, rtol=1e-8, samples=2)
    assert run.energy.drift < 1e-4 and run.settings["atol"]["m"] == pytest.approx(1e-11, rel=1e-3)
    batch = system.batch(1000.0, {"mass.displacement": starts}, rtol=1e-8, samples=2)
    assert batch.settings["way"] == "in lanes"
    np.testing.assert_allclose(batch.end("mass.displacement"), starts * np.cos(1e4), atol=1e-5)


def test_motions_that_do_not_return_are_predicted_over_the_whole_run() -> None:
    m = tr.Model("falling")
    m.connect(tr.Prismatic("z"), m.ground, m.body("mass", mass=1.0))
    run = m.build().simulate(1000.0, samples=2)
    assert run.values("mass.displacement")[-1] == pytest.approx(-9.81 / 2 * 1e6, rel=1e-13)
    assert run.trajectory.counts.steps < 60
