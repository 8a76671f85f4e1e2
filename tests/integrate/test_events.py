"""Events: accuracy of time and state, order, jumps, grazing, double crossings, accumulation."""

import math

import numpy as np
import pytest
from compiled_problems import NO_PARAMETERS, Plain, compiled, integrate_with, pendulum, rod

import trundle as tr
from trundle.integrate import DormandPrince5, DormandPrince8, Problem, Rodas5P, outcome

EXPLICIT = [DormandPrince5(), DormandPrince8()]
RECORD, STOP, JUMP, RETURN = range(4)


def name_of(method):
    return type(method).__name__


@compiled
def _fall(t, x, p, out, work):
    out[0], out[1] = x[1], -9.81


@compiled
def _height(t, x, p, out, work):
    out[0] = x[0]


@compiled
def _bounce(t, x, p, out, work):
    out[0], out[1], out[2] = x[0], -p[0] * x[1], p[0]


def ball(kind=JUMP, direction=-1):
    return Problem(
        rhs=Plain(_fall, 2, 2, n_p=1),
        events=Plain(_height, 2, 1, n_p=1),
        jumps=(Plain(_bounce, 2, 3, n_p=1),),
        event_directions=(direction,),
        event_kinds=(kind,),
    )


def bounce_times(restitution, count):
    first = math.sqrt(2.0 / 9.81)
    flights = 2.0 * first * restitution ** np.arange(1, count)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


@pytest.mark.parametrize("method", EXPLICIT, ids=name_of)
def test_bounces_happen_at_the_analytic_times(method):
    run = integrate_with(
        ball(), method, 0.0, 5.0, np.array([1.0, 0.0]), np.array([0.9]), samples=np.linspace(0.0, 5.0, 501)
    )
    assert run.outcome is outcome.FINISHED and len(run.events) == 8
    assert np.abs(run.events.t - bounce_times(0.9, 8)).max() < 1e-12
    speeds = -math.sqrt(2 * 9.81) * 0.9 ** np.arange(8)
    assert np.abs(run.events.x - np.column_stack([np.zeros(8), speeds])).max() < 1e-11
    assert run.x[:, 0].min() > -1e-12


@pytest.mark.parametrize("method", EXPLICIT, ids=name_of)
def test_accumulating_bounces_end_as_zeno_and_do_not_fall_through(method):
    run = integrate_with(ball(), method, 0.0, 5.0, np.array([1.0, 0.0]), np.array([0.5]))
    assert run.outcome is outcome.ZENO
    assert run.t_end == pytest.approx(3.0 * math.sqrt(2.0 / 9.81), abs=1e-10)
    assert run.x[:, 0].min() > -1e-12
    assert np.abs(run.events.t[:20] - bounce_times(0.5, 20)).max() < 1e-12


def test_the_number_of_events_is_bounded():
    run = integrate_with(ball(), DormandPrince8(), 0.0, 5.0, np.array([1.0, 0.0]), np.array([0.9]), max_events=3)
    assert run.outcome is outcome.TOO_MANY_EVENTS and len(run.events) == 3


def test_a_stop_event_ends_the_run_at_its_time():
    run = integrate_with(ball(kind=STOP), DormandPrince8(), 0.0, 5.0, np.array([1.0, 0.0]), np.array([0.9]))
    assert run.outcome is outcome.EVENT_STOP
    assert run.t_end == pytest.approx(math.sqrt(2.0 / 9.81), abs=1e-13)
    assert run.t[-1] == run.t_end and abs(run.x_end[0]) < 1e-13


def test_an_event_of_kind_return_calls_python():
    asked = []

    def answer(index, t, x, p):
        asked.append((index, t))
        return (np.array([0.0, -p[0] * x[1]]), p) if len(asked) < 4 else None

    run = integrate_with(
        ball(kind=RETURN), DormandPrince8(), 0.0, 3.0, np.array([1.0, 0.0]), np.array([0.9]), on_event=answer
    )
    assert [index for index, _ in asked] == [0, 0, 0, 0]
    assert np.abs(np.array([t for _, t in asked]) - bounce_times(0.9, 4)).max() < 1e-12
    assert run.x_end[0] < 0.0  # after the fourth landing the ball was let through


def test_directions_select_the_crossings():
    start = np.array([0.0, 5.0])  # thrown up from the ground
    down = integrate_with(ball(RECORD, -1), DormandPrince8(), 0.0, 1.5, start, np.array([0.9]))
    up = integrate_with(ball(RECORD, +1), DormandPrince8(), 0.0, 1.5, start, np.array([0.9]))
    both = integrate_with(ball(RECORD, 0), DormandPrince8(), 0.0, 1.5, start, np.array([0.9]))
    assert len(down.events) == len(both.events) == 1 and len(up.events) == 0
    assert down.events.t[0] == pytest.approx(2 * 5.0 / 9.81, abs=1e-13)


@compiled
def _still(t, x, p, out, work):
    out[0] = 0.0


@compiled
def _dip(t, x, p, out, work):
    """Dips below zero by p around t = 0.5."""
    out[0] = (t[0] - 0.5) ** 2 - p[0]


def dip(direction):
    return Problem(
        rhs=Plain(_still, 1, 1, n_p=1), events=Plain(_dip, 1, 1, n_p=1), event_directions=(direction,), event_kinds=(0,)
    )


@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-8])
def test_a_double_crossing_inside_one_step_is_not_lost(depth):
    run = integrate_with(dip(0), DormandPrince8(), 0.0, 3.0, np.zeros(1), np.array([depth]), first_step=3.0)
    exact = 0.5 + math.sqrt(depth) * np.array([-1.0, 1.0])
    assert len(run.events) == 2 and np.abs(run.events.t - exact).max() < 1e-11
    for direction, t in ((-1, exact[0]), (1, exact[1])):
        run = integrate_with(dip(direction), DormandPrince8(), 0.0, 3.0, np.zeros(1), np.array([depth]), first_step=3.0)
        assert len(run.events) == 1 and run.events.t[0] == pytest.approx(t, abs=1e-11)


def test_grazing_without_contact_is_no_event():
    run = integrate_with(dip(0), DormandPrince8(), 0.0, 3.0, np.zeros(1), np.array([-1e-9]), first_step=3.0)
    assert run.outcome is outcome.FINISHED and len(run.events) == 0


@compiled
def _clocks(t, x, p, out, work):
    out[0], out[1], out[2] = t[0] - 1.0, 2.0 * t[0] - 2.0, t[0] - 1.0 - 1e-6


@compiled
def _count(t, x, p, out, work):
    out[0], out[1] = 10.0 * x[0] + 1.0, p[0]


@compiled
def _count_two(t, x, p, out, work):
    out[0], out[1] = 10.0 * x[0] + 2.0, p[0]


@compiled
def _count_three(t, x, p, out, work):
    out[0], out[1] = 10.0 * x[0] + 3.0, p[0] + 1.0


def test_events_come_in_order_of_time_then_index():
    jumps = tuple(Plain(f, 1, 2, n_p=1) for f in (_count, _count_two, _count_three))
    problem = Problem(
        rhs=Plain(_still, 1, 1, n_p=1),
        events=Plain(_clocks, 1, 3, n_p=1),
        jumps=jumps,
        event_directions=(1, 1, 1),
        event_kinds=(JUMP, JUMP, JUMP),
    )
    run = integrate_with(problem, DormandPrince5(), 0.0, 2.0, np.zeros(1), np.zeros(1))
    assert list(run.events.index) == [0, 1, 2]
    assert run.events.t[0] == run.events.t[1] == pytest.approx(1.0, abs=1e-14)
    assert run.events.t[2] == pytest.approx(1.000001, abs=1e-14)
    assert run.x_end[0] == 123.0 and run.p_end[0] == 1.0


@compiled
def _angle(t, x, p, out, work):
    out[0] = x[0] - 0.3


@pytest.mark.parametrize("method", [*EXPLICIT, Rodas5P()], ids=name_of)
def test_event_time_has_the_accuracy_of_the_integrator(method):
    """Crossings of a pendulum against a run with tiny tolerance: the dense output alone would be much worse."""
    watched = Problem(
        rhs=pendulum.rhs,
        jacobian=pendulum.jacobian,
        events=Plain(_angle, 2, 1),
        event_directions=(0,),
        event_kinds=(0,),
    )
    start = np.array([1.5, 0.5])
    fine = integrate_with(watched, DormandPrince8(), 0.0, 20.0, start, NO_PARAMETERS, rtol=1e-13, atol=1e-13)
    run = integrate_with(watched, method, 0.0, 20.0, start, NO_PARAMETERS, rtol=1e-11, atol=1e-11)
    assert len(run.events) == len(fine.events) > 4
    assert np.abs(run.events.t - fine.events.t).max() < (1e-10 if method.order == 8 else 2e-9)
    assert np.abs(run.events.x[:, 0] - 0.3).max() < 1e-13


def test_samples_around_an_event_lie_on_both_pieces():
    times = np.linspace(0.0, 2.0, 2001)
    run = integrate_with(ball(), DormandPrince8(), 0.0, 2.0, np.array([1.0, 0.0]), np.array([0.9]), samples=times)
    landings = bounce_times(0.9, 4)
    first = times < landings[0]
    assert np.abs(run.x[first, 0] - (1.0 - 0.5 * 9.81 * times[first] ** 2)).max() < 1e-12
    second = (times > landings[0]) & (times < landings[1])
    s = times[second] - landings[0]
    speed = 0.9 * math.sqrt(2 * 9.81)
    assert np.abs(run.x[second, 0] - (speed * s - 0.5 * 9.81 * s**2)).max() < 1e-12


@pytest.mark.parametrize("method", EXPLICIT, ids=name_of)
def test_chunks_of_one_step_give_the_same_events(method):
    start, p = np.array([1.0, 0.0]), np.array([0.8])
    whole = integrate_with(ball(), method, 0.0, 3.0, start, p, chunk_steps=100_000)
    split = integrate_with(ball(), method, 0.0, 3.0, start, p, chunk_steps=1)
    assert np.array_equal(whole.events.t, split.events.t) and np.array_equal(whole.x, split.x)
    assert whole.counts == split.counts


def test_the_event_log_grows():
    watched = Problem(rhs=pendulum.rhs, events=Plain(_angle, 2, 1), event_directions=(0,), event_kinds=(0,))
    run = integrate_with(
        watched, DormandPrince8(), 0.0, 1000.0, np.array([1.5, 0.5]), NO_PARAMETERS, samples=np.zeros(1)
    )
    assert len(run.events) > 200 and np.all(np.diff(run.events.t) > 0.0)


def test_fixed_steps_return_to_their_grid_after_an_event():
    run = integrate_with(ball(), DormandPrince5(), 0.0, 1.0, np.array([1.0, 0.0]), np.array([0.9]), fixed_step=0.1)
    assert run.events.t[0] == pytest.approx(math.sqrt(2.0 / 9.81), abs=1e-13)
    assert all(np.abs(run.t - k * 0.1).min() < 1e-12 for k in range(11))


@compiled
def _low_point(t, x, p, out, work):
    out[0] = x[0]


def test_events_on_the_constraint_manifold():
    watched = Problem(
        rhs=rod.rhs, project=rod.project, events=Plain(_low_point, 4, 1), event_directions=(0,), event_kinds=(0,)
    )
    run = integrate_with(
        watched, DormandPrince8(), 0.0, 4.0, np.array([1.0, 0.0, 0.0, 0.0]), NO_PARAMETERS, rtol=1e-12, atol=1e-13
    )
    quarter = 2.622057554292119 / math.sqrt(2.0 * 9.81)
    exact = quarter * (2 * np.arange(len(run.events)) + 1)
    assert len(run.events) == 3 and np.abs(run.events.t - exact).max() < 1e-10
    assert np.abs(run.events.x[:, 1] + 1.0).max() < 1e-12


@compiled
def _uniform(t, x, p, out, work):
    out[0] = 1.0


@compiled
def _to_target(t, x, p, out, work):
    out[0] = x[0] - p[0]


@compiled
def _next_target(t, x, p, out, work):
    out[0], out[1], out[2] = x[0], p[0] + p[1], p[1]


@pytest.mark.parametrize("direction", [1, 0])
@pytest.mark.parametrize("distance", [0.1, 1e-5])
def test_an_event_that_its_own_jump_moves_away_fires_again(distance, direction):
    moved = Problem(
        rhs=Plain(_uniform, 1, 1, n_p=2),
        events=Plain(_to_target, 1, 1, n_p=2),
        jumps=(Plain(_next_target, 1, 3, n_p=2),),
        event_directions=(direction,),
        event_kinds=(JUMP,),
    )
    run = integrate_with(moved, DormandPrince8(), 0.0, 50 * distance, np.zeros(1), np.array([0.5 * distance, distance]))
    assert run.outcome is outcome.FINISHED
    np.testing.assert_allclose(run.events.t, distance * (np.arange(50) + 0.5), rtol=0, atol=1e-14)


@pytest.mark.parametrize("rtol", [1e-11, 1e-10, 1e-9])
def test_events_within_round_off_do_not_hide_what_a_contact_does(rtol: float) -> None:
    """A ball with hanging arms whose angles stay zero but for round-off: they cross it anywhere in a step. The stop of
    the ball comes at the time at which it comes without these events.
    """

    def stops(watched: bool) -> list[float]:
        m = tr.Model("ball with arms")
        last = m.body("ball", mass=1.0, inertia=0.1)
        m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, last, law=tr.Coulomb(0.3))
        for name in "abcd":
            arm = m.body(name, mass=1.0, inertia=0.1, com=(0, 0, -1))
            m.connect(tr.Revolute("y"), last, arm)
            if watched:
                m.event(f"{name} hangs", lambda s, name=name: s[f"{name}.angle"])
            last = arm
        m.start = {"a.angle": 0.5, "ball.x_rate": 1.0}
        run = m.build().simulate(0.3, rtol=rtol)
        assert run.ok
        return [t for name, t in run.events if name == "ball stops"]

    np.testing.assert_allclose(stops(True), stops(False), atol=1e-8)
