"""The energy balance of a run through collisions and events, from the first sample to the last; errors are reported."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import trundle as tr
from trundle.errors import StoreError
from trundle.integrate.audit import FACTOR
from trundle.integrate.case import Case
from trundle.integrate.integrate import integrate
from trundle.integrate.methods.explicit import DormandPrince8
from trundle.integrate.options import Options, Sampling, Steps, Tolerances
from trundle.study.problem import make_problem
from trundle.study.run_options import choose_method
from trundle.study.start_state import state_vector
from trundle.system import System

G = 9.81


def ball(e: float) -> System:
    m = tr.Model("ball")
    body = m.body("ball", 1.0, 0.1)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, body, name="floor", unilateral=True, restitution=e)
    m.start["ball.position"] = (0, 0, 1.1)
    return m.build()


def test_a_stored_run_does_not_claim_that_there_was_no_collision(tmp_path: Path) -> None:
    system = ball(0.5)
    assert tr.load(system.simulate(0.3, samples=3).save(tmp_path / "in the air.nc")).impacts == []
    run = tr.load(system.simulate(0.5, samples=3).save(tmp_path / "bounced.nc"))
    with pytest.raises(StoreError, match=r"1 landings, the first at t = 0\.451524 s\) are not kept in files"):
        _ = run.impacts


@pytest.mark.parametrize("samples", [301, "steps"])
def test_collisions_lose_work(samples: int | str) -> None:
    """A ball from 1 m: e^2 of its energy is left after each bounce."""
    e = 0.5
    run = ball(e).simulate(1.2, samples=samples)
    bounces = [impact.time for impact in run.impacts]
    assert len(bounces) == 3
    left = [e ** (2 * np.searchsorted(bounces, t)) for t in run.time]
    if samples == "steps":  # at a collision there is a state before and one after
        again = np.flatnonzero(np.diff(run.time) == 0) + 1
        assert len(again) == 3
        left = [x * e**2 if i in again else x for i, x in enumerate(left)]
    np.testing.assert_allclose(run.energy.work_lost, G * (1 - np.array(left)), atol=1e-9)
    assert run.energy.drift < 1e-12
    assert sum(impact.energy_lost for impact in run.impacts) == pytest.approx(run.energy.work_lost[-1], rel=1e-12)


def test_bounces_that_end_are_in_the_balance_too() -> None:
    """Infinitely many bounces, the last small ones of which are undone together."""
    run = ball(0.6).simulate(3.0)
    assert run.ok and run.values("floor.state")[-1] > 0
    assert run.energy.work_lost[-1] == pytest.approx(G, rel=1e-12)
    assert run.energy.drift < 1e-12


@pytest.mark.parametrize("formalism", ["kane", "newton_euler", "udwadia_kalaba"])
def test_drives_work_during_collisions(formalism: str) -> None:
    """A block tossed by a shaker: the impulse on the plate does work at the speed of the plate."""
    a, w = 0.05, 20.0
    m = tr.Model("shaker")
    plate, block = m.body("plate", 10.0, (1, 1, 1)), m.body("block", 1.0, (0.01, 0.01, 0.01))
    m.connect(tr.Prismatic("z"), m.ground, plate, name="table", law=tr.Servo(lambda t: a * tr.sin(w * t)))
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), plate, block, name="foot", unilateral=True, restitution=0.3)
    run = m.build(formalism).simulate(1.0, {"block.position": (0, 0, 0), "block.velocity": (0, 0, a * w)})
    assert run.ok and len(run.impacts) >= 2
    assert run.energy.drift < 1e-7
    first = run.impacts[0]
    work = first.impulse["foot"][2] * a * w * np.cos(w * first.time)
    i = int(np.searchsorted(run.time, first.time))
    flown = run.values("energy.work_in")[i] - run.values("energy.work_in")[i - 1]  # 2 ms of driving, and the impulse
    assert flown == pytest.approx(work, abs=0.6)
    assert abs(work) > 1.0


def cart(action: dict[str, object] | str) -> tr.Model:
    m = tr.Model("cart", gravity=(0, 0, 0))
    k = m.parameter("k", 4.0)
    body = m.body("cart", 2.0, 1.0)
    m.connect(tr.Prismatic("x"), m.ground, body, name="rail", law=tr.Spring(k, 0.1))
    m.event("gate", lambda s: s["rail.displacement"] - 0.2, action=action, direction=1)
    m.start = {"rail.displacement": 0.0, "rail.displacement_rate": 1.0}
    return m


def test_events_bring_work() -> None:
    """A gate that doubles the speed, and one that stiffens the spring, at 0.2 m: the energy of the change."""
    run = cart({"rail.displacement_rate": lambda s: 2 * s["rail.displacement_rate"]}).build().simulate(1.0)
    v = run.trajectory.events.x[0, 1]
    assert len(run.events) == 1
    assert run.energy.work_events[-1] == pytest.approx(3 * v**2, rel=1e-12)
    assert run.energy.work_events[0] == 0 and run.energy.drift < 1e-9
    run = cart({"k": 10.0}).build().simulate(1.0)
    assert run.energy.work_events[-1] == pytest.approx((10 - 4) * 0.2**2 / 2, rel=1e-9)
    assert run.energy.drift < 1e-9
    run = cart("record").build().simulate(1.0, on_event=lambda name, t, state: {"rail.displacement_rate": 3.0})
    assert run.energy.work_events[-1] == pytest.approx(9 - v**2, rel=1e-12)
    assert run.energy.drift < 1e-9


def test_parameters_at_both_states_of_a_jump() -> None:
    """With every step kept, the state before an event has the old stiffness and the one after it the new one."""
    run = cart({"k": 10.0}).build().simulate(0.5, samples="steps")
    i = int(np.flatnonzero(np.diff(run.time) == 0)[0])
    np.testing.assert_allclose(run.energy.potential[i : i + 2], [4 * 0.02, 10 * 0.02], rtol=1e-9)
    assert run.energy.drift < 1e-9


def test_books_are_kept_in_files(tmp_path: Path) -> None:
    run = cart({"k": 10.0}).build().simulate(0.5)
    again = tr.load(run.save(tmp_path / "cart.nc"))
    assert again.energy.drift == run.energy.drift < 1e-9
    assert np.array_equal(again.energy.work_events, run.energy.work_events)


# -- checks that every run makes ---------------------------------------------------------------------------------------


def pendulum(gravity: float) -> System:
    m = tr.Model("pendulum", gravity=(0, 0, -gravity))
    bob = m.body("bob", 1.0, 1.0, com=(0, 0, -1))
    m.connect(tr.Revolute("y"), m.ground, bob, name="pin", law=tr.Damper(0.1))
    return m.build()


@pytest.mark.parametrize("method", ["order8", "stiff"])
@pytest.mark.parametrize("rtol", [1e-4, 1e-7, 1e-10])
def test_a_motion_that_does_not_keep_energy_is_not_finished(method: str, rtol: float) -> None:
    """The equations of one pendulum with the energy of another: wrong by a share of what is exchanged."""
    right = pendulum(G)
    for share, ok in ((0.0, True), (1e4 * rtol, False)):
        wrong = pendulum(G * (1 + share))
        problem = make_problem(right.formulation, method == "stiff", False, rtol)
        problem = replace(problem, energy=wrong.formulation.kernels("base")["energy"])
        p = right.formulation.parameter_vector(None)
        x0 = state_vector(right.formulation, right.start({"pin.angle": 2.0}), p)
        found = integrate(problem, choose_method(method, rtol), Case(0.0, 5.0, x0, p), Options(Tolerances(rtol, rtol)))
        assert found.outcome.name == ("FINISHED" if ok else "ENERGY_OFF")
        if found.audit is not None:
            assert 0 < found.audit.time < 2.0 and found.audit.off > found.audit.allowed > FACTOR * rtol


def test_the_check_holds_for_few_samples_and_long_runs() -> None:
    """It uses steps, not samples, and thins out the stored values."""
    system, other = pendulum(G), pendulum(G * (1 + 1e-5))
    problem = replace(
        make_problem(system.formulation, False, False, 1e-10), energy=other.formulation.kernels("base")["energy"]
    )
    p = system.formulation.parameter_vector(None)
    x0 = state_vector(system.formulation, system.start({"pin.angle": 2.0}), p)
    for longest in (np.inf, 1e-3):  # 1e-3: beyond what is kept
        options = Options(Tolerances(1e-10, 1e-10), Sampling(np.array([5.0])), Steps(longest=longest))
        found = integrate(problem, DormandPrince8(), Case(0.0, 5.0, x0, p), options)
        assert found.outcome.name == "ENERGY_OFF"
        assert found.trail is not None and len(found.trail.t) <= 2049
        assert np.all(np.diff(found.trail.t[:-1]) > 0) and found.trail.t[-1] == 5.0


def lane(mu: object, **more: object) -> System:
    m = tr.Model("lane")
    body = m.body("ball", 1.0, 0.4 * 0.01)
    law = tr.RegularisedCoulomb(mu, 1e-2)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, body, name="lane", law=law, **more)
    m.start = {"ball.position": (0, 0, 0.1), "ball.velocity": (3.0, 0.5, 0)}
    return m.build()


@pytest.mark.parametrize("more", [{}, {"compliance": tr.Hertz(1e6)}])
def test_friction_that_drives_is_named(more: dict[str, object]) -> None:
    """A coefficient that turns negative at 0.2 s while the ball slides."""
    good, bad = lane(0.1, **more), lane(lambda s: 0.1 - 0.5 * s.t, **more)
    assert good.simulate(0.4).ok
    run = bad.simulate(0.4)
    assert run.outcome.startswith("FRICTION_DRIVES") and not run.ok
    assert "contact 'lane'" in run.outcome
    told = float(run.outcome.partition("from t = ")[2].partition(" s")[0])
    assert 0.2 < told < 0.25
    assert run.values("lane.friction_power").min() < -0.1
    assert len(run.time) == 501  # everything is kept


def test_batches_are_checked_case_by_case() -> None:
    m = tr.Model("lane")
    body = m.body("ball", 1.0, 0.4 * 0.01)
    turn = m.parameter("turn", 0.0)
    law = tr.RegularisedCoulomb(lambda s: 0.1 - turn * s.t, 1e-2)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, body, name="lane", law=law, compliance=tr.Hertz(1e6))
    m.start = {"ball.position": (0, 0, 0.1), "ball.velocity": (3.0, 0.5, 0)}
    batch = m.build().batch(0.4, parameters={"turn": np.array([0.0, 0.5, 0.1, 1.0])})
    assert batch.outcomes == ["FINISHED", "FRICTION_DRIVES", "FINISHED", "FRICTION_DRIVES"]


def test_a_batch_that_does_not_keep_energy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes and single runs report the same about the same wrong energy."""
    from trundle.study import batch as module

    other = pendulum(G * 1.001).formulation.kernels("base")["energy"]
    make = module.make_problem
    monkeypatch.setattr(module, "make_problem", lambda *a, **k: replace(make(*a, **k), energy=other))
    batch = pendulum(G).batch(3.0, {"pin.angle": np.array([0.0, 1.0, 2.0])})
    assert batch.settings["way"] == "in lanes"
    assert batch.outcomes == ["FINISHED", "ENERGY_OFF", "ENERGY_OFF"]  # the first hangs still


def test_cases_of_a_loose_batch_are_not_run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow pendulums exchange little energy: errors explained by an absolute tolerance need no further check."""
    from trundle.study import batch as module

    looked: list[object] = []
    monkeypatch.setattr(module, "integrate", lambda *a: looked.append(a) or integrate(*a))
    angles = np.linspace(0.001, 0.05, 40)
    batch = pendulum(G).batch(3.0, {"pin.angle": angles}, rtol=1e-4, atol=1e-4)
    assert batch.outcomes == ["FINISHED"] * 40
    assert not looked
