"""Projection of the stiff method in the metric M + h D + h^2 K."""

import math

import numpy as np
import pytest
from compiled_problems import NO_PARAMETERS, Plain, compiled, integrate_with

from trundle.integrate import DormandPrince8, Problem, Rodas5P, outcome

GRAVITY, STIFFNESS, DAMPING = 9.81, 1e6, 2e3


# A bob on a rod (x, y) and a slider s, joined by a stiff damped spring along x: [x, y, s, vx, vy, vs], all masses 1.
@compiled
def _bob_and_slider(t, q, p, out, work):
    x, y, vx, vy = q[0], q[1], q[3], q[4]
    spring = STIFFNESS * (q[2] - x) + DAMPING * (q[5] - vx)
    tension = (vx * vx + vy * vy + x * spring - y * GRAVITY) / (x * x + y * y)
    out[0], out[1], out[2] = vx, vy, q[5]
    out[3], out[4], out[5] = spring - tension * x, -GRAVITY - tension * y, -spring


@compiled
def _jacobian(t, q, p, out, work):
    x, y, vx, vy = q[0], q[1], q[3], q[4]
    square = x * x + y * y
    spring = STIFFNESS * (q[2] - x) + DAMPING * (q[5] - vx)
    tension = (vx * vx + vy * vy + x * spring - y * GRAVITY) / square
    for i in range(42):
        out[i] = 0.0
    for j in range(6):
        # Derivatives of the tension and of the spring force by the j-th state.
        by_tension, by_spring = 0.0, 0.0
        if j == 0:
            by_tension, by_spring = (spring - STIFFNESS * x - 2.0 * x * tension) / square, -STIFFNESS
        elif j == 1:
            by_tension = (-GRAVITY - 2.0 * y * tension) / square
        elif j == 2:
            by_tension, by_spring = STIFFNESS * x / square, STIFFNESS
        elif j == 3:
            by_tension, by_spring = (2.0 * vx - DAMPING * x) / square, -DAMPING
        elif j == 4:
            by_tension = 2.0 * vy / square
        else:
            by_tension, by_spring = DAMPING * x / square, DAMPING
        out[6 * j + 3], out[6 * j + 4], out[6 * j + 5] = by_spring - by_tension * x, -by_tension * y, -by_spring
        if j > 2:
            out[6 * j + j - 3] = 1.0
    out[3] -= tension
    out[10] -= tension


def metric_with(stiffness, damping):
    @compiled
    def metric(t, q, p, out, work):
        for i in range(41):
            out[i] = 0.0
        out[0], out[4], out[8] = 1.0, 1.0, 1.0
        out[9], out[11], out[15], out[17] = stiffness, -stiffness, -stiffness, stiffness
        out[18], out[20], out[24], out[26] = damping, -damping, -damping, damping
        out[27], out[28] = q[0], q[1]
        out[30] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0)
        out[31] = q[0] * q[3] + q[1] * q[4]
        out[32], out[36], out[40] = 1.0, 1.0, 1.0

    return Problem(
        rhs=Plain(_bob_and_slider, 6, 6),
        jacobian=Plain(_jacobian, 6, 42),
        metric=Plain(metric, 6, 41),
        n_q=3,
        n_u=3,
    )


START = np.array([0.6, -0.8, 0.6, 0.0, 0.0, 0.0])


def run_with(problem, method, rtol=1e-7):
    return integrate_with(
        problem, method, 0.0, 3.0, START, NO_PARAMETERS, rtol=rtol, atol=rtol, samples=np.linspace(0.0, 3.0, 61)
    )


def test_the_stiff_jacobian_is_the_derivative_of_the_rhs():
    random = np.random.default_rng(3)
    q = random.normal(size=6)
    from ctypes import CFUNCTYPE, c_void_p

    def evaluate(function, size, state):
        out, empty = np.zeros(size), np.zeros(1)
        call = CFUNCTYPE(None, *[c_void_p] * 5)(function.address)
        call(*(a.ctypes.data for a in (empty, state, empty, out, empty)))
        return out

    exact = evaluate(_jacobian, 42, q)[:36].reshape(6, 6).T
    for j in range(6):
        step = np.zeros(6)
        step[j] = 1e-6
        slope = (evaluate(_bob_and_slider, 6, q + step) - evaluate(_bob_and_slider, 6, q - step)) / 2e-6
        assert np.abs(exact[:, j] - slope).max() < 1e-6 * STIFFNESS


def test_constraints_hold_and_the_motion_is_right():
    stiff = run_with(metric_with(STIFFNESS, DAMPING), Rodas5P())
    assert stiff.outcome is outcome.FINISHED
    x, y, vx, vy = stiff.x[:, 0], stiff.x[:, 1], stiff.x[:, 3], stiff.x[:, 4]
    assert np.abs(x * x + y * y - 1.0).max() < 1e-12
    assert np.abs(x * vx + y * vy).max() < 1e-11
    reference = run_with(Problem(rhs=Plain(_bob_and_slider, 6, 6)), DormandPrince8(), rtol=1e-12)
    assert np.abs(stiff.x[:, :3] - reference.x[:, :3]).max() < 2e-5
    assert stiff.counts.steps < 0.05 * reference.counts.steps


def test_the_metric_of_the_mass_alone_disturbs_the_stiff_spring():
    good = run_with(metric_with(STIFFNESS, DAMPING), Rodas5P())
    bad = run_with(metric_with(0.0, 0.0), Rodas5P())
    assert bad.counts.factorisations > 1.2 * good.counts.factorisations


# A body that spins: quaternion (4) and angular speed (3), qdot = P u; no constraint rows.
@compiled
def _spin(t, x, p, out, work):
    w, a, b, c, wx, wy, wz = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    out[0] = 0.5 * (-a * wx - b * wy - c * wz)
    out[1] = 0.5 * (w * wx + b * wz - c * wy)
    out[2] = 0.5 * (w * wy + c * wx - a * wz)
    out[3] = 0.5 * (w * wz + a * wy - b * wx)
    out[4], out[5], out[6] = 0.0, 0.0, 0.0


@compiled
def _identity_metric(t, x, p, out, work):
    for i in range(39):
        out[i] = 0.0
    out[0], out[4], out[8] = 1.0, 1.0, 1.0


def test_quaternions_are_kept_at_unit_length():
    problem = Problem(rhs=Plain(_spin, 7, 7), metric=Plain(_identity_metric, 7, 39), n_q=4, n_u=3, quaternions=(0,))
    start = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0])
    run = integrate_with(problem, DormandPrince8(), 0.0, 50.0, start, NO_PARAMETERS, rtol=1e-6, atol=1e-6)
    assert np.abs(np.linalg.norm(run.x[:, :4], axis=1) - 1.0).max() < 1e-15
    assert run.x_end[0] == pytest.approx(math.cos(50.0), abs=1e-3)
