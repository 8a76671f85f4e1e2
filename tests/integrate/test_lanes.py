"""The time loop in lanes against the scalar one."""

import math

import numpy as np
import pytest
from compiled_problems import Plain, compiled, integrate_with, options

from trundle.errors import SolveError
from trundle.integrate import (
    Cases,
    DormandPrince5,
    DormandPrince8,
    LaneProblem,
    Problem,
    Rodas5P,
    integrate_lanes,
    outcome,
)

METHODS = [DormandPrince5(), DormandPrince8()]
W = 4


def name_of(method):
    return type(method).__name__


@compiled
def _driven(t, x, p, out, work):
    out[0] = x[1]
    out[1] = -p[0] * math.sin(x[0]) + 0.1 * math.cos(t[0])


@compiled
def _driven_lanes(t, x, p, out, work):
    for lane in range(W):
        out[lane] = x[W + lane]
        out[W + lane] = -p[lane] * math.sin(x[lane]) + 0.1 * math.cos(t[lane])


scalar = Problem(rhs=Plain(_driven, 2, 2, n_p=1))
lanes = LaneProblem(rhs=Plain(_driven_lanes, 2, 2, n_p=1, lanes=W))


def starts(count):
    random = np.random.default_rng(7)
    return random.normal(size=(count, 2)), random.uniform(1.0, 10.0, size=(count, 1))


@pytest.mark.parametrize("method", METHODS, ids=name_of)
@pytest.mark.parametrize("count", [1, 4, 11])
@pytest.mark.parametrize("threads", [1, 2])
def test_lanes_equal_the_scalar_integration(method, count, threads):
    x0, p = starts(count)
    times = np.linspace(0.0, 6.0, 31)
    batch = integrate_lanes(
        lanes, method, Cases(0.0, 6.0, x0, p), options(rtol=1e-9, atol=1e-11, samples=times), threads
    )
    for job in range(count):
        run = integrate_with(scalar, method, 0.0, 6.0, x0[job], p[job], rtol=1e-9, atol=1e-11, samples=times)
        assert batch.outcome(job) is outcome.FINISHED
        assert batch.steps[job] == run.counts.steps
        assert np.abs(batch.x[job] - run.x).max() < 1e-10
        assert np.abs(batch.x_end[job] - run.x_end).max() < 1e-10
        assert np.array_equal(batch.x[job, -1], batch.x_end[job])


def test_each_job_has_its_own_end_time_and_samples_beyond_it_are_nan():
    x0, p = starts(9)
    ends = np.linspace(0.5, 4.5, 9)
    times = np.linspace(0.0, 4.5, 10)
    batch = integrate_lanes(lanes, DormandPrince8(), Cases(0.0, ends, x0, p), options(samples=times))
    assert np.array_equal(batch.t_end, ends)
    for job in range(9):
        assert np.array_equal(np.isnan(batch.x[job, :, 0]), times > ends[job])
        assert np.array_equal(batch.x[job, 0], x0[job])


def test_without_samples_only_the_end_is_kept():
    x0, p = starts(6)
    batch = integrate_lanes(lanes, DormandPrince8(), Cases(0.0, 3.0, x0, p))
    assert batch.x.shape == (6, 0, 2)
    run = integrate_with(scalar, DormandPrince8(), 0.0, 3.0, x0[5], p[5])
    assert np.abs(batch.x_end[5] - run.x_end).max() < 1e-9


@compiled
def _some_nan(t, x, p, out, work):
    for lane in range(W):
        out[lane] = math.nan if p[lane] > 5.0 and t[lane] > 1.0 else -x[lane]


def test_a_lane_that_fails_leaves_the_others_alone():
    p = np.array([1.0, 9.0, 2.0, 9.0, 3.0, 9.0, 4.0])[:, None]
    problem = LaneProblem(rhs=Plain(_some_nan, 1, 1, n_p=1, lanes=W))
    batch = integrate_lanes(problem, DormandPrince8(), Cases(0.0, 2.0, np.ones((7, 1)), p), threads=1)
    bad = p[:, 0] > 5.0
    assert all(batch.outcome(int(job)) is outcome.NOT_FINITE for job in np.flatnonzero(bad))
    assert np.abs(batch.t_end[bad] - 1.0).max() < 1e-6
    assert np.abs(batch.x_end[~bad, 0] - math.exp(-2.0)).max() < 1e-8 and np.all(batch.code[~bad] == 1)


@compiled
def _rod_lanes(t, x, p, out, work):
    for i in range(W):
        qx, qy, vx, vy = x[i], x[W + i], x[2 * W + i], x[3 * W + i]
        tension = (vx * vx + vy * vy - 9.81 * qy) / (qx * qx + qy * qy)
        out[i], out[W + i], out[2 * W + i], out[3 * W + i] = vx, vy, -tension * qx, -tension * qy - 9.81


@compiled
def _rod_projection_lanes(t, x, p, out, work):
    for i in range(W):
        qx, qy, vx, vy = x[i], x[W + i], x[2 * W + i], x[3 * W + i]
        square = qx * qx + qy * qy
        g = 0.5 * (square - 1.0)
        out[4 * W + i], out[5 * W + i] = abs(g), abs(qx * vx + qy * vy)
        qx, qy = qx - g / square * qx, qy - g / square * qy
        along = (qx * vx + qy * vy) / (qx * qx + qy * qy)
        out[i], out[W + i], out[2 * W + i], out[3 * W + i] = qx, qy, vx - along * qx, vy - along * qy


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_projection_in_lanes(method):
    problem = LaneProblem(rhs=Plain(_rod_lanes, 4, 4, lanes=W), project=Plain(_rod_projection_lanes, 4, 6, lanes=W))
    angle = np.linspace(0.1, 3.0, 7)
    x0 = np.column_stack([np.sin(angle), -np.cos(angle), 0 * angle, 0 * angle])
    times = np.linspace(0.0, 8.0, 41)
    batch = integrate_lanes(
        problem, method, Cases(0.0, 8.0, x0, np.zeros((7, 0))), options(rtol=1e-9, atol=1e-9, samples=times)
    )
    assert np.all(batch.code == 1)
    assert np.abs(batch.x[..., 0] ** 2 + batch.x[..., 1] ** 2 - 1.0).max() < 1e-13
    energy = 0.5 * (batch.x[..., 2] ** 2 + batch.x[..., 3] ** 2) + 9.81 * batch.x[..., 1]
    assert np.ptp(energy, axis=1).max() < 1e-5


def test_misfits_are_refused():
    with pytest.raises(SolveError, match="shape"):
        integrate_lanes(lanes, DormandPrince8(), Cases(0.0, 1.0, np.zeros((3, 5)), np.zeros((3, 1))))
    with pytest.raises(SolveError, match="end time"):
        integrate_lanes(lanes, DormandPrince8(), Cases(1.0, 0.0, np.zeros((3, 2)), np.zeros((3, 1))))
    with pytest.raises(SolveError, match=r"Rodas5P .* does not run in lanes"):
        integrate_lanes(lanes, Rodas5P(), Cases(0.0, 1.0, np.zeros((3, 2)), np.zeros((3, 1))))
