"""Roots of the quartic and of the closure equation: all of them, to round-off, wherever they lie on the circle."""

import casadi as ca
import numpy as np
import pytest

from trundle.bicycle.closure import solve_closure
from trundle.bicycle.quartic import quartic_roots

GRID = np.linspace(0, 2 * np.pi, 1001)[:-1] + 0.001


def residual(c, angle):
    """F = f^2 + g^2 - 1, its slope, and g, for rows c and angles (n, m)."""
    c1, c2, c3, c4, c5, c6 = (column[:, None] for column in c.T)
    s, k = np.sin(angle), np.cos(angle)
    f, g = c1 * s + c2 * k + c3, c4 * s + c5 * k + c6
    return f**2 + g**2 - 1, 2 * (f * (c1 * k - c2 * s) + g * (c4 * k - c5 * s)), g


def size(c):
    return 1 + np.abs(c[:, :3]).sum(1) ** 2 + np.abs(c[:, 3:]).sum(1) ** 2


def distance(roots, angle):
    """Distances round the circle, of (n, 4) roots from one angle each; inf where there is no root."""
    found = np.abs(np.remainder(roots - np.asarray(angle)[:, None] + np.pi, 2 * np.pi) - np.pi)
    return np.where(np.isfinite(roots), found, np.inf)


@pytest.mark.parametrize(
    "wanted",
    [
        (-2.0, -0.5, 0.3, 4.0),
        (-3.0, -1.0, 1.0, 3.0),  # even in t: the resolvent has a root 0
        (-1.0, 2.0, 0.5 + 2j, 0.5 - 2j),
        (1.0 + 1j, 1.0 - 1j, -2.0 + 0.1j, -2.0 - 0.1j),
        (2j, -2j, 1j, -1j),
    ],
)
def test_quartic_with_known_roots(wanted):
    a = ca.SX.sym("a", 5)
    pairs = quartic_roots(*(a[i] for i in range(5)))
    function = ca.Function("roots", [a], [ca.vertcat(*(p[0] for p in pairs)), ca.vertcat(*(p[1] for p in pairs))])
    real, imaginary = (np.array(v).ravel() for v in function(-1.7 * np.real(np.poly(wanted))))
    apart = np.abs((real + 1j * imaginary)[:, None] - (np.real(wanted) + 1j * np.abs(np.imag(wanted)))[None])
    assert apart.min(0).max() < 1e-6 and apart.min(1).max() < 1e-6
    assert np.all(np.diff(real) >= 0)


@pytest.mark.parametrize(
    "scale", [(1,) * 6, (0.5,) * 6, (1, 0, 1, 5, 5, 5), (0, 0, 0, 3, 3, 3), (0.3, 0.3, 0.3, 80, 80, 80)]
)
def test_every_crossing_is_a_root_and_every_root_is_exact(scale):
    rng = np.random.default_rng(2)
    c = rng.normal(size=(3001, 6)) * scale
    roots = solve_closure(c, 0.7)
    value, slope, g = residual(c, roots.pitch)
    signs = np.sign(residual(c, GRID[None])[0])
    crossings = (signs != np.roll(signs, 1, axis=1)).sum(1)
    found = np.isfinite(roots.pitch)
    # A grid may overlook a pair of roots between two points, never invent one.
    assert np.all(found.sum(1) >= crossings) and (found.sum(1) > crossings).mean() < 0.4
    assert set(found.sum(1)) <= {0, 2, 4} and len(set(found.sum(1))) > 1
    assert np.all(np.abs(value)[found] < 2e-15 * np.broadcast_to(size(c)[:, None], found.shape)[found])
    assert np.all(np.diff(roots.pitch, axis=1)[found[:, 1:]] > 0)
    assert np.all(np.abs(roots.pitch - 0.7)[found] <= np.pi + 1e-15)
    clear = found & (np.abs(slope) > 1e-7) & (np.abs(g) > 1e-9)
    assert np.array_equal(roots.stands[clear], ((slope > 0) & (g > 0))[clear])
    assert np.array_equal(roots.how_many, roots.stands.sum(1))
    one = roots.how_many == 1
    assert one.sum() > 100
    assert np.array_equal(roots.standing[one], roots.pitch[roots.stands & one[:, None]])
    c1, c2, c3, c4, c5, c6 = c[one].T
    s, k = np.sin(roots.standing[one]), np.cos(roots.standing[one])
    front_roll = np.arctan2(c1 * s + c2 * k + c3, c4 * s + c5 * k + c6)
    assert roots.front_roll[one] == pytest.approx(front_roll, abs=1e-12)


def test_a_root_where_the_tangent_of_the_half_angle_is_infinite():
    rng = np.random.default_rng(3)
    lean = rng.uniform(-3, 3, 500)
    c = rng.normal(size=(500, 6))
    c[:, 2], c[:, 5] = np.sin(lean) + c[:, 1], np.cos(lean) + c[:, 4]  # f and g at pi: a0 = 0
    roots = solve_closure(c, 0.0)
    assert np.all(distance(roots.pitch, np.full(500, np.pi)).min(1) < 1e-12)


def test_roots_at_zero_and_half_a_turn_at_once():
    rng = np.random.default_rng(4)
    p, q = rng.uniform(-3, 3, (2, 500))
    c = rng.normal(size=(500, 6))
    c[:, 1], c[:, 2] = (np.sin(q) - np.sin(p)) / 2, (np.sin(q) + np.sin(p)) / 2
    c[:, 4], c[:, 5] = (np.cos(q) - np.cos(p)) / 2, (np.cos(q) + np.cos(p)) / 2  # a0 = a4 = 0
    roots = solve_closure(c, 1.0)
    for angle in (0.0, np.pi):
        assert np.all(distance(roots.pitch, np.full(500, angle)).min(1) < 1e-12)


@pytest.mark.parametrize("push", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
def test_whether_a_close_pair_exists_is_decided_to_round_off(push):
    """f^2 + g^2 - 1 with a minimum of value +-2 push: no root near it, or two, half a root of the value apart."""
    rng = np.random.default_rng(5)
    place, lean = rng.uniform(-3, 3, (2, 400))
    across, wave_f, wave_g = rng.uniform(0.5, 2.0, 400), *rng.uniform(-0.3, 0.3, (2, 400))
    s, k = np.sin(place), np.cos(place)

    def coefficients(radius):
        slope_f, slope_g = across * np.cos(lean), -across * np.sin(lean)  # at right angles to (f, g)
        return np.column_stack(
            [
                *(wave_f * s + slope_f * k, wave_f * k - slope_f * s, radius * np.sin(lean) - wave_f),
                *(wave_g * s + slope_g * k, wave_g * k - slope_g * s, radius * np.cos(lean) - wave_g),
            ]
        )

    bend = 2 * (across**2 - np.sin(lean) * wave_f - np.cos(lean) * wave_g)
    valley = bend > 0.2
    assert valley.sum() > 300
    gap = np.sqrt(4 * push / bend[valley])
    near = np.sort(distance(solve_closure(coefficients(1 - push)[valley], 0.0).pitch, place[valley]), axis=1)
    assert near[:, 0] == pytest.approx(gap, rel=max(0.5 * push**0.25, 3e-3))
    assert near[:, 1] == pytest.approx(gap, rel=max(0.5 * push**0.25, 3e-3))
    apart = distance(solve_closure(coefficients(1 + push)[valley], 0.0).pitch, place[valley]).min(1)
    assert np.all(apart > 1.5 * gap)


def test_no_root_and_no_number():
    none = solve_closure(np.array([[0.1, 0.0, 0.0, 0.1, 0.0, 3.0], [np.nan] * 6, [0.0] * 6]), 0.0)
    assert np.all(np.isnan(none.pitch)) and not none.stands.any()
    assert np.all(np.isnan(none.standing)) and np.all(np.isnan(none.front_roll)) and not none.how_many.any()


def test_lanes_and_single_rows_agree():
    c = np.random.default_rng(6).normal(size=(11, 6))  # more than one group of lanes and some left over
    together = solve_closure(c, 0.2)
    for i in range(11):
        alone = solve_closure(c[i : i + 1], 0.2)
        assert together.pitch[i] == pytest.approx(alone.pitch[0], abs=1e-15, nan_ok=True)
        assert np.array_equal(together.stands[i], alone.stands[0])
