"""Bounds of expressions hold at every point of random boxes, and converge to the value for small ones."""

import casadi as ca
import numpy as np
import pytest

from trundle.equations.enclosure import Range, bounds, round_off

A, B = ca.SX.sym("a"), ca.SX.sym("b")
EXPRESSIONS = {
    "sum": A + B, "difference": A - B, "product": A * B, "quotient": A / B, "square": A**2, "cube": A**3,
    "fourth": A**4, "inverse square": A**-2, "power": A**B, "root": A**0.5, "sin": ca.sin(A), "cos": ca.cos(A),
    "tan": ca.tan(A), "exp": ca.exp(A), "log": ca.log(A), "sqrt": ca.sqrt(A), "abs": ca.fabs(A), "sign": ca.sign(A),
    "floor": ca.floor(A), "ceil": ca.ceil(A), "min": ca.fmin(A, B), "max": ca.fmax(A, B), "atan2": ca.atan2(A, B),
    "hypot": ca.hypot(A, B), "fmod": ca.fmod(A, B), "remainder": ca.remainder(A, B), "copysign": ca.copysign(A, B),
    "where": ca.if_else(A < B, A, B * B), "and": ca.if_else(ca.logic_and(A < B, B > 0.3), A, -B),
    "or not": ca.if_else(ca.logic_or(A == B, ca.logic_not(B > 0.3)), A, -B), "not equal": ca.if_else(A != B, A, 3),
    "asin": ca.asin(A / 5), "acos": ca.acos(A / 5), "atan": ca.atan(A), "sinh": ca.sinh(A), "cosh": ca.cosh(A),
    "tanh": ca.tanh(A * B), "asinh": ca.asinh(A), "acosh": ca.acosh(A), "atanh": ca.atanh(A / 4), "erf": ca.erf(A),
    "log1p": ca.log1p(A), "expm1": ca.expm1(A), "step": ca.if_else(A >= 1, 1.0, 0.0) * ca.sin(3 * B),
    "long": ca.sin(3 * A + ca.cos(B)) * ca.exp(-(B**2)) / (2 + ca.cos(A * B)),
}  # fmt: skip
CONTINUOUS = ("sum", "product", "square", "sin", "cos", "exp", "abs", "min", "hypot", "tanh", "long")


def ends(expression):
    corners = ca.vertcat(*[ca.SX.sym(name) for name in ("a0", "a1", "b0", "b1")])
    found, jumps = bounds(expression, [A, B], [Range(corners[0], corners[1]), Range(corners[2], corners[3])])
    return ca.Function("ends", [corners], [found.lo, found.hi, jumps])


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_no_value_in_a_box_lies_outside_its_bounds(name):
    rng = np.random.default_rng(7)
    f, value = ends(EXPRESSIONS[name]), ca.Function("value", [A, B], [EXPRESSIONS[name]]).map(40)
    checked = 0
    for _ in range(60):
        centre, half = rng.uniform(-3, 3, 2), 10 ** rng.uniform(-6, 0.5, 2) * rng.integers(0, 2, 2)
        low, high = centre - half, centre + half
        lo, hi, _ = (float(v) for v in f([low[0], high[0], low[1], high[1]]))
        points = rng.uniform(low, high, (40, 2))
        v = np.array(value(points[:, 0], points[:, 1])).ravel()
        v = v[np.isfinite(v)]
        if len(v) and np.isfinite([lo, hi]).all():
            slack = 1e-12 * (1 + np.abs(v).max())
            assert lo - slack <= v.min() and v.max() <= hi + slack
            checked += 1
    assert checked > 15


@pytest.mark.parametrize("name", CONTINUOUS)
def test_bounds_of_a_small_box_are_close_to_the_value(name):
    rng = np.random.default_rng(8)
    f, value = ends(EXPRESSIONS[name]), ca.Function("value", [A, B], [EXPRESSIONS[name]])
    for _ in range(20):
        a, b = rng.uniform(0.1, 2, 2)
        lo, hi, jumps = (float(v) for v in f([a, a + 1e-6, b, b + 1e-6]))
        assert lo - 1e-12 <= float(value(a, b)) <= hi + 1e-12 and hi - lo < 1e-4 and not jumps


def test_what_may_jump_is_reported():
    for name in ("sign", "floor", "where", "quotient", "tan"):
        f = ends(EXPRESSIONS[name] if name != "tan" else ca.tan(A + 1.5707963))
        assert float(f([-0.1, 0.1, -0.1, 0.2])[2]) == 1
    assert float(ends(EXPRESSIONS["sign"])([0.1, 0.2, 0, 1])[2]) == 0


def test_round_off_covers_the_noise_of_a_function_that_is_zero():
    noise = ca.sin(2 * A) - 2 * ca.sin(A) * ca.cos(A)
    f = ca.Function("f", [A], [noise, round_off(noise, [A])])
    rng = np.random.default_rng(9)
    found = np.array([[float(v) for v in f(a)] for a in rng.uniform(-3, 3, 300)])
    assert np.all(np.abs(found[:, 0]) <= found[:, 1]) and found[:, 1].max() < 1e-14
    assert np.any(found[:, 0] != 0)
