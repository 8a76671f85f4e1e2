"""Guards that are far from zero are not checked after every step, and still no violation is missed."""

from dataclasses import replace

import numpy as np
import pytest
from compiled_problems import Plain, compiled, options

from trundle.integrate import (
    Case,
    Cases,
    DormandPrince5,
    DormandPrince8,
    LaneProblem,
    Options,
    Problem,
    Supervision,
    integrate,
    integrate_lanes,
    outcome,
)

W = 4
METHODS = [DormandPrince5(), DormandPrince8()]
END = 12.0  # s


@compiled
def _two_waves(t, x, p, out, work):
    """Two oscillators; p: both stiffnesses, offset and weights of the guard, and the number of evaluations."""
    out[0], out[1], out[2], out[3] = x[1], -p[0] * x[0], x[3], -p[1] * x[2]


@compiled
def _guard(t, x, p, out, work):
    out[0] = p[2] + p[3] * x[0] + p[4] * x[2]
    p[5] += 1.0


@compiled
def _two_waves_in_lanes(t, x, p, out, work):
    for lane in range(W):
        out[lane], out[W + lane] = x[W + lane], -p[lane] * x[lane]
        out[2 * W + lane], out[3 * W + lane] = x[3 * W + lane], -p[W + lane] * x[2 * W + lane]


@compiled
def _guard_in_lanes(t, x, p, out, work):
    for lane in range(W):
        out[lane] = p[2 * W + lane] + p[3 * W + lane] * x[lane] + p[4 * W + lane] * x[2 * W + lane]


@compiled
def _leap(t, x, p, out, work):
    out[0] = 1.0 if x[0] > p[2] else -1.0


alone = Problem(rhs=Plain(_two_waves, 4, 4, n_p=6), guards=Plain(_guard, 4, 1, n_p=6), n_guards=1)
in_lanes = LaneProblem(
    Plain(_two_waves_in_lanes, 4, 4, n_p=6, lanes=W), guards=Plain(_guard_in_lanes, 4, 1, n_p=6, lanes=W), n_guards=1
)


def waves(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts and parameters at random, and when each guard first becomes zero: nan where it stays away."""
    rng = np.random.default_rng(17)
    frequency, start = rng.uniform(0.3, 6.0, (count, 2)), rng.uniform(-1.0, 1.0, (count, 4))
    weights, margin = rng.uniform(0.1, 1.0, (count, 2)), rng.choice([0.8, 0.95, 0.99, 1.01, 1.1, 2.0], count)
    t = np.linspace(0.0, END, 20_001)
    p, crossing = np.zeros((count, 6)), np.full(count, np.nan)
    for i in range(count):
        (a, b), (x, u, y, v) = frequency[i], start[i]
        wave = weights[i, 0] * (x * np.cos(a * t) + u / a * np.sin(a * t))
        wave += weights[i, 1] * (y * np.cos(b * t) + v / b * np.sin(b * t))
        offset = margin[i] * -np.min(wave)
        p[i, :5] = a * a, b * b, offset, *weights[i]
        if margin[i] < 1.0 and offset + wave[0] > 0.0:
            crossing[i] = t[int(np.argmax(offset + wave < 0.0))]  # or a little before
    below = p[:, 2] + np.sum(weights * start[:, ::2], axis=1) <= 0.0  # it would have to stay below
    return start[~below], p[~below], crossing[~below]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_no_crossing_is_missed(method, rtol):
    """By sums of two waves whose lowest place is a little above or below zero."""
    start, p, crossing = waves(120)
    assert np.sum(np.isfinite(crossing)) > 40
    how = options(rtol=rtol, atol=1e-2 * rtol)
    for x0, values, t in zip(start, p, crossing, strict=True):
        found = integrate(alone, method, Case(0.0, END, x0, values), how)
        if np.isfinite(t):
            assert found.outcome is outcome.ALARM and found.alarm[0] <= t
    batch = integrate_lanes(in_lanes, method, Cases(0.0, END, start, p), how, 1)
    alarms = np.array([batch.outcome(i) is outcome.ALARM for i in range(len(p))])
    assert np.all(alarms[np.isfinite(crossing)])


def test_guards_that_do_not_change_are_hardly_looked_at():
    values = np.array([9.0, 4.0, 1.0, 0.0, 0.0, 0.0])
    found = integrate(
        alone, DormandPrince8(), Case(0.0, END, np.array([1.0, 0.0, 0.5, 0.0]), values), options(rtol=1e-9)
    )
    assert found.outcome is outcome.FINISHED
    assert found.p_end[5] < 0.2 * found.counts.steps + 4  # it was more than once in every step


def test_after_a_false_alarm_guards_are_looked_at_from_there_on():
    values = np.array([1.0, 1.0, 0.5, 1.0, 0.0, 0.0])  # 0.5 + cos t, broken from 2.09 to 4.19 s and again at 8.38 s
    start, how = np.array([1.0, 0.0, 0.0, 0.0]), options(rtol=1e-9)
    found = integrate(alone, DormandPrince8(), Case(0.0, END, start, values), how)
    assert found.outcome is outcome.ALARM and found.alarm[0] <= 2 * np.pi / 3 <= found.alarm[1]
    later = integrate(replace(alone, guards_from=5.0), DormandPrince8(), Case(0.0, END, start, values), how)
    assert later.outcome is outcome.ALARM and later.alarm[0] <= 8 * np.pi / 3 <= later.alarm[1]


def test_guards_at_rest_are_looked_at_where_a_run_is_interrupted():
    """One that leaps, and so gives no warning, after any number of steps."""
    leaping = replace(alone, guards=Plain(_leap, 4, 1, n_p=6))
    start, values = np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 1.0, 0.9, 0.0, 0.0, 0.0])
    broken = []
    for steps in range(3, 12):
        left = [None] * steps

        def press(_, left=left):
            if not left:
                raise KeyboardInterrupt
            left.pop()

        how = Supervision(progress=False, chunk_steps=1, between_chunks=press)
        found = integrate(leaping, DormandPrince8(), Case(0.0, END, start, values), Options(supervision=how))
        broken.append(found.x_end[0] <= 0.9)
        assert (found.alarm is not None) == broken[-1]
        assert found.outcome is outcome.INTERRUPTED or found.outcome is outcome.ALARM
    assert not broken[0] and broken[-1]
