"""Slopes at the knots of cubic splines: smooth or monotone.

The same as those of SciPy's `CubicSpline` and `PchipInterpolator`, without the 0.4 s for importing SciPy.
"""

import numpy as np

from trundle.typing import Array


def smooth_slopes(x: Array, y: Array) -> Array:
    """Slopes of the spline with continuous curvature through values y (knots, ...) with "not-a-knot" ends (the first
    two pieces are one cubic, and the last two); a parabola for three knots, a straight line for two.
    """
    h = _widths(x, y)
    m = np.diff(y, axis=0)
    m /= h
    if len(x) < 4:
        bend = (m[-1] - m[0]) / (x[-1] - x[0])
        first = m[0] - bend * h[0]
        return np.stack([first, *(first + 2 * bend * (at - x[0]) for at in x[1:])])
    rise = h[1:] * m[:-1]  # 3 (h1 m0 + h0 m1), in place, as below: large tables are limited by memory
    rise += h[:-1] * m[1:]
    rise *= 3
    below, middle, above = h[1:].copy(), 2 * (h[:-1] + h[1:]), h[:-1].copy()
    # The condition of an end, h1 s0 + (h0 + h1) s1 = ..., is eliminated from the next row, which stays dominant.
    for at, diagonal, (h0, h1), (m0, m1) in ((0, below, h[:2], m[:2]), (-1, above, h[:-3:-1], m[:-3:-1])):
        middle[at], diagonal[at] = h0 + h1, 0.0
        rise[at] = (h1**2 * m0 + h0 * (2 * h0 + 3 * h1) * m1) / (h0 + h1)
    inner = solve_tridiagonal(below, middle, above, rise)
    ends = [
        ((3 * h0 + 2 * h1) * m0 + h0**2 * m1 / h1) / (h0 + h1) - (h0 + h1) * s / h1
        for (h0, h1), (m0, m1), s in ((h[:2], m[:2], inner[0]), (h[:-3:-1], m[:-3:-1], inner[-1]))
    ]
    return np.concatenate([ends[0][None], inner, ends[1][None]])


def monotone_slopes(x: Array, y: Array) -> Array:
    """Slopes of cubics without new extrema: harmonic means of the secant slopes on both sides, zero where these change
    sign [Fritsch 1984].
    """
    h = _widths(x, y)
    m = np.diff(y, axis=0) / h
    if len(x) == 2:
        return np.concatenate([m, m])
    before, after = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    turns = (np.sign(m[1:]) != np.sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (before / m[:-1] + after / m[1:]) / (before + after)
        inner = np.where(turns, 0.0, 1.0 / mean)
    ends = _end_slope(h[0], h[1], m[0], m[1]), _end_slope(h[-1], h[-2], m[-1], m[-2])
    return np.concatenate([ends[0][None], inner, ends[1][None]])


def _end_slope(h0: Array, h1: Array, m0: Array, m1: Array) -> Array:
    """End slope of the parabola through three knots, limited so that there is no new extremum."""
    slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(slope) > 3 * np.abs(m0))
    return np.where(np.sign(slope) != np.sign(m0), 0.0, np.where(steep, 3 * m0, slope))


def cubics(x: Array, y: Array, slopes: Array) -> Array:
    """Coefficients (4, intervals, ...) of ascending powers of the distance from the lower knot."""
    h = _widths(x, y)
    m = np.diff(y, axis=0)
    m /= h
    twist = slopes[:-1] + slopes[1:]
    twist -= 2 * m
    twist /= h
    m -= slopes[:-1]
    m /= h
    m -= twist
    twist /= h
    return np.stack([y[:-1], slopes[:-1], m, twist])


def solve_tridiagonal(below: Array, middle: Array, above: Array, right: Array) -> Array:
    """Solve a diagonally dominant tridiagonal system by cyclic reduction: every other unknown is eliminated, all of
    them at once.

    below[0] and above[-1] must be zero; the diagonals have as many axes as the right-hand side.
    """
    n = len(middle)
    if n == 1:
        return right / middle
    if n % 2 == 0:  # one more row: 1 * x = 0
        more = [np.concatenate([row, np.full_like(row[:1], value)]) for row, value in
                ((below, 0.0), (middle, 1.0), (above, 0.0), (right, 0.0))]  # fmt: skip
        return solve_tridiagonal(*more)[:-1]
    low, high = below[1::2] / middle[:-1:2], above[1::2] / middle[2::2]
    out = np.empty_like(right)
    rest = right[1::2] - low * right[:-1:2]
    rest -= high * right[2::2]
    out[1::2] = solve_tridiagonal(
        -low * below[:-1:2], middle[1::2] - low * above[:-1:2] - high * below[2::2], -high * above[2::2], rest
    )
    out[::2] = right[::2]
    out[2::2] -= below[2::2] * out[1::2]
    out[:-1:2] -= above[:-1:2] * out[1::2]
    out[::2] /= middle[::2]
    return out


def _widths(x: Array, y: Array) -> Array:
    return np.asarray(np.diff(x).reshape(-1, *[1] * (y.ndim - 1)))
