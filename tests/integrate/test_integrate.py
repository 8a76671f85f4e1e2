"""The integration itself: tolerance, samples, resumption, interruption, bad endings."""

import math
import subprocess
import sys

import numpy as np
import pytest
from compiled_problems import NO_PARAMETERS, Plain, compiled, integrate_with, options, pendulum, rod, van_der_pol

from trundle.errors import SolveError
from trundle.integrate import (
    Case,
    DormandPrince5,
    DormandPrince8,
    Integration,
    Problem,
    Rodas5P,
    Sampling,
    outcome,
)

METHODS = [DormandPrince5(), DormandPrince8(), Rodas5P()]
START = np.array([1.5, 0.5])


def name_of(method):
    return type(method).__name__


def energy(x):
    return 0.5 * x[:, 1] ** 2 - np.cos(x[:, 0])


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_the_error_follows_the_tolerance(method):
    drift = []
    for rtol in (1e-5, 1e-7, 1e-9):
        run = integrate_with(pendulum, method, 0.0, 20.0, START, NO_PARAMETERS, rtol=rtol, atol=rtol)
        assert run.outcome is outcome.FINISHED
        assert run.t[0] == 0.0 and run.t[-1] == 20.0 and np.all(np.diff(run.t) > 0.0)
        drift.append(np.ptp(energy(run.x)))
        assert drift[-1] < 200.0 * rtol
    assert drift[2] < 0.05 * drift[1] < 0.0025 * drift[0] * 20.0


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_samples_agree_with_the_steps_and_are_exact_at_step_ends(method):
    run = integrate_with(pendulum, method, 0.0, 5.0, START, NO_PARAMETERS, rtol=1e-9, atol=1e-11)
    at_steps = integrate_with(pendulum, method, 0.0, 5.0, START, NO_PARAMETERS, rtol=1e-9, atol=1e-11, samples=run.t)
    assert np.array_equal(run.x, at_steps.x)
    times = np.linspace(0.0, 5.0, 333)
    sampled = integrate_with(pendulum, method, 0.0, 5.0, START, NO_PARAMETERS, rtol=1e-9, atol=1e-11, samples=times)
    assert np.array_equal(sampled.t, times)
    assert np.ptp(energy(sampled.x)) < 1e-7
    assert np.array_equal(sampled.x_end, run.x_end)


@pytest.mark.parametrize("method", METHODS, ids=name_of)
@pytest.mark.parametrize("samples", [None, np.linspace(0.0, 8.0, 50)], ids=["steps", "samples"])
def test_chunks_of_one_step_give_the_same_bits(method, samples):
    p = np.array([5.0])
    whole = integrate_with(
        van_der_pol, method, 0.0, 8.0, np.array([2.0, 0.0]), p, samples=samples, chunk_steps=1_000_000
    )
    split = integrate_with(van_der_pol, method, 0.0, 8.0, np.array([2.0, 0.0]), p, samples=samples, chunk_steps=1)
    assert whole.counts == split.counts and whole.counts.steps > 30
    assert np.array_equal(whole.t, split.t) and np.array_equal(whole.x, split.x)


def test_an_integration_in_pieces_is_the_whole_run():
    """Each piece ends a step: to the tolerance with error control, to the bit on a grid of fixed steps."""
    times = Sampling.every(0.25, 8.0)
    for words, off in (({"rtol": 1e-10, "atol": 1e-12}, 1e-8), ({"fixed_step": 0.01}, 0.0)):
        whole = integrate_with(pendulum, DormandPrince8(), 0.0, 8.0, START, NO_PARAMETERS, samples=times.times, **words)
        run = Integration(pendulum, DormandPrince8(), options(samples=times.times, **words))
        run.begin(Case(0.0, 8.0, START, NO_PARAMETERS))
        for to in (0.5, 0.5, 3.0, 7.25, 8.0):
            assert run.advance(to) is outcome.FINISHED and run.time == to
        found = run.trajectory()
        assert np.array_equal(found.t, whole.t) and np.array_equal(run.state, found.x_end)
        assert np.abs(found.x - whole.x).max() <= off


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_a_saved_integration_continues_bit_for_bit(method):
    """With buffers that have grown in between, and in another integration of the same kind."""
    run, other = (Integration(van_der_pol, method, options(rtol=1e-9, atol=1e-11)) for _ in range(2))
    for each in (run, other):
        each.begin(Case(0.0, 40.0, np.array([2.0, 0.0]), np.array([5.0])))
    run.advance(2.0)
    saved = run.save()
    run.advance(40.0)
    first = run.trajectory()
    assert first.counts.steps > 200
    for each in (run, other):
        each.restore(saved)
        assert each.time == 2.0
        each.advance(40.0)
        assert np.array_equal(each.trajectory().x, first.x) and each.trajectory().counts == first.counts


def test_an_integration_that_has_no_start_or_no_way_is_reported():
    run = Integration(pendulum, DormandPrince8())
    with pytest.raises(SolveError, match="call begin"):
        run.advance(1.0)
    run.begin(Case(0.0, 2.0, START, NO_PARAMETERS))
    with pytest.raises(SolveError, match="call advance"):
        run.trajectory()
    with pytest.raises(SolveError, match=r"reaches to 2\.0 s"):
        run.advance(3.0)


def test_buffers_grow_for_every_step():
    run = integrate_with(pendulum, DormandPrince5(), 0.0, 500.0, START, NO_PARAMETERS, rtol=1e-10, atol=1e-12)
    assert run.counts.steps > 5000 and len(run.t) == run.counts.steps + 1


def test_an_interruption_keeps_the_result():
    def press(t):
        if t > 3.0:
            raise KeyboardInterrupt

    run = integrate_with(
        pendulum, DormandPrince8(), 0.0, 1e3, START, NO_PARAMETERS, samples=np.arange(1000.0), chunk_steps=3,
        between_chunks=press,
    )  # fmt: skip
    assert run.outcome is outcome.INTERRUPTED
    assert 3.0 < run.t_end < 20.0
    assert len(run.t) == math.floor(run.t_end) + 2 and run.t[-1] == run.t_end  # samples, then the end
    again = integrate_with(pendulum, DormandPrince8(), run.t_end, 30.0, run.x_end, NO_PARAMETERS)
    straight = integrate_with(pendulum, DormandPrince8(), 0.0, 30.0, START, NO_PARAMETERS)
    assert np.abs(again.x_end - straight.x_end).max() < 1e-6


@compiled
def _square_root(t, x, p, out, work):
    out[0] = -math.sqrt(x[0]) if x[0] >= 0.0 else math.nan


@compiled
def _blow_up(t, x, p, out, work):
    out[0] = x[0] * x[0]


@compiled
def _always_nan(t, x, p, out, work):
    out[0] = math.nan


@pytest.mark.parametrize("method", [DormandPrince5(), DormandPrince8()], ids=name_of)
def test_bad_endings_are_named_and_keep_what_was_computed(method):
    start = np.array([1.0])
    run = integrate_with(Problem(rhs=Plain(_square_root, 1, 1)), method, 0.0, 3.0, start, NO_PARAMETERS)
    # x = (1 - t/2)^2 ends at t = 2; beyond it there is no real root.
    assert run.outcome in (outcome.NOT_FINITE, outcome.STEP_TOO_SMALL)
    assert run.t_end == pytest.approx(2.0, abs=1e-3) and len(run.t) > 5
    run = integrate_with(Problem(rhs=Plain(_blow_up, 1, 1)), method, 0.0, 3.0, start, NO_PARAMETERS)
    assert run.outcome in (outcome.NOT_FINITE, outcome.STEP_TOO_SMALL)
    assert run.t_end == pytest.approx(1.0, abs=1e-3)
    run = integrate_with(Problem(rhs=Plain(_always_nan, 1, 1)), method, 0.0, 3.0, start, NO_PARAMETERS)
    assert run.outcome is outcome.NOT_FINITE and run.t_end == 0.0 and len(run.t) == 1
    run = integrate_with(pendulum, method, 0.0, 100.0, START, NO_PARAMETERS, max_steps=7)
    assert run.outcome is outcome.TOO_MANY_STEPS and run.counts.steps + run.counts.rejected == 7
    assert all(len(str(o)) > 20 for o in outcome.ALL)


def test_stiff_problem_needs_few_steps():
    run = integrate_with(
        van_der_pol, Rodas5P(), 0.0, 2000.0, np.array([2.0, 0.0]), np.array([1e3]), rtol=1e-6, atol=1e-8
    )
    # [Hairer 1996, section IV.10]: the reference solution of VDPOL with eps = 1e-6.
    assert run.x_end[0] == pytest.approx(1.706167732170483, abs=2e-5)
    assert run.counts.steps < 1500
    assert run.counts.jacobians <= run.counts.steps + 1 <= run.counts.factorisations + 1


def test_rejected_steps_reuse_the_jacobian():
    run = integrate_with(
        van_der_pol, Rodas5P(), 0.0, 20.0, np.array([2.0, 0.0]), np.array([5.0]), rtol=1e-8, first_step=1.0
    )
    assert run.counts.rejected > 0
    assert run.counts.factorisations == run.counts.steps + run.counts.rejected
    assert run.counts.jacobians == run.counts.steps


def test_components_without_weight_do_not_steer_the_step():
    weight = np.array([1.0, 0.0])
    problem = Problem(rhs=Plain(_pair, 2, 2), error_weight=weight)
    calm = integrate_with(problem, DormandPrince8(), 0.0, 10.0, np.zeros(2), NO_PARAMETERS)
    steered = integrate_with(Problem(rhs=Plain(_pair, 2, 2)), DormandPrince8(), 0.0, 10.0, np.zeros(2), NO_PARAMETERS)
    assert calm.counts.steps < 0.5 * steered.counts.steps


@compiled
def _pair(t, x, p, out, work):
    out[0] = 1.0
    out[1] = math.sin(40.0 * t[0])


@pytest.mark.parametrize("method", [DormandPrince5(), DormandPrince8()], ids=name_of)
def test_projection_keeps_the_rod_at_its_length(method):
    times = np.linspace(0.0, 20.0, 401)
    start = np.array([1.0, 0.0, 0.0, 0.0])
    run = integrate_with(rod, method, 0.0, 20.0, start, NO_PARAMETERS, rtol=1e-8, atol=1e-8, samples=times)
    x = run.x
    assert run.outcome is outcome.FINISHED
    assert np.abs(x[:, 0] ** 2 + x[:, 1] ** 2 - 1.0).max() < 1e-13
    assert np.abs(x[:, 0] * x[:, 2] + x[:, 1] * x[:, 3]).max() < 1e-12
    assert np.ptp(0.5 * (x[:, 2] ** 2 + x[:, 3] ** 2) + 9.81 * x[:, 1]) < 2e-5
    free = integrate_with(
        Problem(rhs=rod.rhs), method, 0.0, 20.0, start, NO_PARAMETERS, rtol=1e-8, atol=1e-8, samples=times
    )
    assert np.abs(free.x[:, 0] ** 2 + free.x[:, 1] ** 2 - 1.0).max() > 1e-9


def test_near_singular_passages_are_logged_once_each():
    start = np.array([1.0, 0.0, 0.0, 0.0])
    run = integrate_with(rod, DormandPrince5(), 0.0, 6.0, start, NO_PARAMETERS, max_step=1e-3)
    quarter = 2.62205755429212 / math.sqrt(9.81) / math.sqrt(2.0)  # quarter period of the pendulum let go at 90 degrees
    expected = quarter * np.array([1.0, 3.0, 5.0, 7.0, 9.0, 11.0])
    assert len(run.near_singular) == len(expected[expected < 6.0])
    assert np.abs(run.near_singular.t - expected[: len(run.near_singular)]).max() < 2e-3
    assert np.all(run.near_singular.value < 1e-5) and np.all(run.near_singular.loop == 0)


@compiled
def _no_convergence(t, x, p, out, work):
    for i in range(4):
        out[i] = x[i]
    out[4] = 1.0 if t[0] > 0.5 else 0.0
    out[5] = 0.0


def test_constraints_that_cannot_be_satisfied_end_the_run():
    problem = Problem(rhs=rod.rhs, project=Plain(_no_convergence, 4, 6))
    run = integrate_with(problem, DormandPrince8(), 0.0, 2.0, np.array([1.0, 0.0, 0.0, 0.0]), NO_PARAMETERS)
    assert run.outcome is outcome.CONSTRAINT
    assert run.t_end == pytest.approx(0.5, abs=1e-10)


def test_misfits_are_refused_with_a_reason():
    with pytest.raises(SolveError, match="shape"):
        integrate_with(pendulum, DormandPrince8(), 0.0, 1.0, np.zeros(3), NO_PARAMETERS)
    with pytest.raises(SolveError, match="time runs forward"):
        integrate_with(pendulum, DormandPrince8(), 1.0, 0.0, START, NO_PARAMETERS)
    with pytest.raises(SolveError, match="sorted"):
        integrate_with(pendulum, DormandPrince8(), 0.0, 1.0, START, NO_PARAMETERS, samples=np.array([0.5, 0.1]))
    with pytest.raises(SolveError, match="jacobian"):
        integrate_with(rod, Rodas5P(), 0.0, 1.0, np.array([1.0, 0.0, 0.0, 0.0]), NO_PARAMETERS)
    with pytest.raises(SolveError, match=r"jumps\[0\]"):
        Problem(rhs=pendulum.rhs, events=Plain(None, 2, 1), event_directions=(0,), event_kinds=(2,))


def test_import_does_not_load_numba():
    text = "import sys, trundle.integrate; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0


def test_compiled_code_is_found_again_by_a_new_process():
    integrate_with(pendulum, DormandPrince8(), 0.0, 1.0, START, NO_PARAMETERS)
    text = (
        "import sys; from trundle.kernel import compiled;"
        "compiled.address('advance'), compiled.address('explicit_step');"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0


def test_every_outcome_has_a_code_of_its_own() -> None:
    from trundle.integrate.outcome import ALL

    assert len({outcome.code for outcome in ALL}) == len({outcome.name for outcome in ALL}) == len(ALL)
