"""A stiff method takes over where an explicit one is held back by stability, and hands back afterwards."""

import math
from dataclasses import replace

import numpy as np
import pytest
from compiled_problems import Plain, compiled, integrate_with

from trundle.integrate import Problem
from trundle.integrate.methods.explicit import DormandPrince5, DormandPrince8
from trundle.integrate.methods.rosenbrock import Rodas5P


# Draws near to cos(t) at the rate p[0] / (t + p[1]), as the direction of a slip that begins; p[2] is the shift of the
# multiplier block.
@compiled
def _settling(t, x, p, out, work):
    out[0] = -p[0] / (t[0] + p[1]) * math.sin(x[0] - math.cos(t[0])) - math.sin(t[0])


settling = Problem(rhs=Plain(_settling, 1, 1, n_p=3), stiff_onsets=True, units=("rad",), n_u=1)
plain = replace(settling, stiff_onsets=False)


def run_of(problem, method, rtol, c=300.0, early=1e-5, until=3.0):
    p, times = np.array([c, early, 1e-12]), np.linspace(0.0, until, 101)
    return integrate_with(problem, method, 0.0, until, np.array([1.01]), p, rtol=rtol, atol=rtol, samples=times)


@pytest.mark.parametrize(("c", "rtol"), [(300.0, 1e-6), (3000.0, 1e-6), (3000.0, 1e-5)])
def test_fewer_steps_to_the_same_solution(c, rtol) -> None:
    run, before = (run_of(problem, DormandPrince5(), rtol, c) for problem in (settling, plain))
    assert run.outcome.ok and before.counts.jacobians == 0 < run.counts.jacobians
    assert run.counts.steps < before.counts.steps / 5
    assert np.max(np.abs(run.x[1:, 0] - np.cos(run.t[1:]))) < 100 * rtol
    assert run.counts.rhs < before.counts.rhs / 2


def test_the_explicit_method_resumes_when_nothing_is_fast_any_more() -> None:
    run = run_of(settling, DormandPrince8(), 1e-10, 30.0, until=100.0)
    assert 0 < run.counts.jacobians < run.counts.steps / 3
    assert np.max(np.abs(run.x[1:, 0] - np.cos(run.t[1:]))) < 1e-8


def test_runs_that_are_not_stiff_keep_their_method() -> None:
    """Bit for bit."""
    runs = [run_of(problem, DormandPrince8(), 1e-10, 1.0, 1.0) for problem in (settling, plain)]
    assert runs[0].counts == runs[1].counts and np.array_equal(runs[0].x, runs[1].x)


def test_fixed_steps_and_stiff_methods_keep_theirs() -> None:
    p = np.array([300.0, 1e-2, 1e-12])
    fixed = [integrate_with(problem, DormandPrince5(), 0.0, 1.0, np.ones(1), p, fixed_step=1e-3).x_end[0]
             for problem in (settling, plain)]  # fmt: skip
    assert fixed[0] == fixed[1]
    with pytest.raises(Exception, match="needs the kernel `jacobian`"):
        run_of(settling, Rodas5P(), 1e-8)
