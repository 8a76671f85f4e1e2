"""Polynomials between knots: coefficients of ascending powers of the distance from the lower knot."""

from collections.abc import Sequence

import numpy as np

from trundle.lookup.slopes import cubics, monotone_slopes, smooth_slopes
from trundle.typing import Array

DEGREES = {"cubic": 3, "linear": 1, "monotone": 3, "previous": 0, "hermite": 5}
"""Degree of the polynomials of each kind of interpolation."""
SMOOTH = {"cubic": 2, "linear": 0, "monotone": 1, "previous": -1, "hermite": 2}
"""Number of derivatives that have no jump at the knots."""
CELLS_AT_ONCE = 32  # cells of the first argument computed together, so that they stay in the cache of the processor
SLACK = 1e-12  # of the range: an argument beyond it by less is taken for round-off


def pieces(x: Array, y: Array, between: str, periodic: bool = False) -> Array:
    """Coefficients (degree + 1, intervals, ...) for values y (knots, ...) at knots x."""
    if between == "previous":
        return y[None, :]
    if between == "linear":
        h = np.diff(x).reshape(-1, *[1] * (y.ndim - 1))
        return np.stack([y[:-1], np.diff(y, axis=0) / h])
    if periodic and between == "cubic":
        from scipy.interpolate import CubicSpline

        return np.asarray(CubicSpline(x, y, bc_type="periodic").c[::-1])
    return cubics(x, y, smooth_slopes(x, y) if between == "cubic" else monotone_slopes(x, y))


def patches(x: Sequence[Array], y: Array, between: str, periodic: Sequence[bool]) -> Array:
    """Coefficients (intervals of x1, of x2, powers of x1, of x2, outputs) for values y at the knots of two arguments:
    first along x1, then every coefficient along x2.
    """
    first = np.moveaxis(pieces(x[0], y, between, periodic[0]), 2, 0)  # knot of x2, power, cell of x1, output
    out, count = None, first.shape[2]
    for k in range(0, count, CELLS_AT_ONCE):
        part = pieces(x[1], np.ascontiguousarray(first[:, :, k : k + CELLS_AT_ONCE]), between, periodic[1])
        part = np.transpose(part, (3, 1, 2, 0, 4))
        out = np.empty((count, *part.shape[1:])) if out is None else out
        out[k : k + CELLS_AT_ONCE] = part
    assert out is not None
    return out


def quintic(x: Array, f: Array, f1: Array, f2: Array) -> Array:
    """Coefficients of quintic polynomials from values, slopes and second derivatives at the knots."""
    h = np.diff(x).reshape(-1, *[1] * (f.ndim - 1))
    # Residuals of the parabola of the left knot at the right one, in value, slope and curvature.
    a = f[1:] - f[:-1] - h * (f1[:-1] + h * f2[:-1] / 2)
    b = f1[1:] - f1[:-1] - h * f2[:-1]
    c = f2[1:] - f2[:-1]
    third = (10 * a - 4 * b * h + c * h**2 / 2) / h**3
    fourth = (-15 * a + 7 * b * h - c * h**2) / h**4
    fifth = (6 * a - 3 * b * h + c * h**2 / 2) / h**5
    return np.stack([f[:-1], f1[:-1], f2[:-1] / 2, third, fourth, fifth])


def slack(x: Array) -> float:
    return float(max(SLACK * (x[-1] - x[0]), np.spacing(max(abs(x[0]), abs(x[-1])))))


def grid(x: Array, between: str) -> Array:
    """Ends of the intervals; the last value of a step function ("previous") has a (very short) step of its own."""
    return np.append(x, x[-1] + slack(x)) if between == "previous" else x


def edges(knots: Array, beyond: str) -> Array:
    """Lower edges of all cells but the first, which extends from minus infinity to the first knot. The last knot
    belongs to the interval before it. With beyond="refuse", arguments outside by round-off are still accepted.
    """
    out = knots.copy()
    margin = slack(knots) if beyond == "refuse" else 0.0
    out[0] -= margin
    out[-1] = max(out[-1] + margin, np.nextafter(out[-1], np.inf))
    return out


def corners(knots: Array, beyond: str) -> Array:
    """For each cell, the argument from which distances are measured."""
    return np.concatenate([knots[:1], knots[:-1], knots[-2:-1] if beyond == "repeat" else knots[-1:]])


def with_ends(c: Array, knots: Array, beyond: str) -> Array:
    """Coefficients (degree + 1, intervals, ...) with one more cell at either end, for arguments beyond the knots."""
    first, last = c[:, :1].copy(), c[:, -1:].copy()
    if beyond == "repeat":
        return np.concatenate([first, c, last], axis=1)
    if beyond == "refuse":
        first[:], last[:] = np.nan, np.nan
        return np.concatenate([first, c, last], axis=1)
    h = knots[-1] - knots[-2]
    powers = np.arange(len(c))
    value = np.tensordot(h**powers, c[:, -1], 1)
    slope = np.tensordot(powers * h ** np.maximum(powers - 1, 0), c[:, -1], 1)
    keep = 2 if beyond == "line" else 1
    first[keep:], last[:] = 0.0, 0.0
    for power, coefficient in enumerate((value, slope)[: min(keep, len(c))]):
        last[power, 0] = coefficient
    return np.concatenate([first, c, last], axis=1)
