"""Time integrals of sampled quantities: polynomials through neighbouring samples, pieced together at jumps."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.lib.stride_tricks import as_strided

from trundle.typing import Array, Integers

POINTS = 12  # order twelve on smooth data
BLOCK = 8  # intervals that one small matrix product integrates
CHUNK = 65_536  # stencils of unequal steps that are solved for at once


def gaps(t: Array, jumps: Sequence[float]) -> Integers:
    """Numbers of the intervals between samples in which something jumped."""
    return np.flatnonzero(np.diff(np.searchsorted(jumps, t, side="left")))


def cumulative(t: Array, y: Array, jumps: Sequence[float] = ()) -> Array:
    """Integral of each column of y from the first sample to each."""
    total = np.zeros(y.shape)
    _fill(total[1:], t, y, jumps)
    return np.cumsum(total, axis=0, out=total)


def increments(t: Array, y: Array, jumps: Sequence[float] = ()) -> Array:
    """Integral of each column of y over each interval between samples, of shape (samples - 1, columns).

    No polynomial runs across a jump: the interval that holds it is integrated from both sides up to the jump.
    """
    out = np.zeros((max(len(t) - 1, 0), y.shape[1]))
    _fill(out, t, y, jumps)
    return out


def _fill(out: Array, t: Array, y: Array, jumps: Sequence[float]) -> None:
    if len(t) < 2:
        return
    step = (t[-1] - t[0]) / (len(t) - 1)
    even = bool(np.all(np.abs(np.diff(t) - step) < 1e-9 * step))
    segment = np.searchsorted(jumps, t, side="left")
    cuts = np.flatnonzero(np.diff(segment)) + 1
    for a, b in zip([0, *cuts], [*cuts, len(t)], strict=True):
        size = min(POINTS, b - a)
        if b - a > 1 and even:
            _even(out[a : b - 1], step, y[a:b], size)
        elif b - a > 1:
            _uneven(out[a : b - 1], t[a:b], y[a:b], size)
        if a > 0:
            out[a - 1] += _piece(t, y, jumps[segment[a] - 1], t[a], a, size)
        if b < len(t):
            out[b - 1] += _piece(t, y, t[b - 1], jumps[segment[b - 1]], b - size, size)


def _even(out: Array, step: float, y: Array, size: int) -> None:
    """Equal steps: one stencil for all inner intervals, and its neighbours at both ends."""
    table = step * _table(size)
    before = size // 2 - 1  # intervals between the first point of the stencil and the middle one
    inner, rows = len(y) - size + 1, min(BLOCK, len(y) - size + 1)
    many = np.zeros((rows, rows + size - 1))  # the stencil for several intervals in one product
    for i in range(rows):
        many[i, i : i + size] = table[before]
    y = y if y.strides[1] == y.itemsize else np.ascontiguousarray(y)
    whole = inner // rows * rows
    blocks = as_strided(y, (inner // rows, rows + size - 1, y.shape[1]), (rows * y.strides[0], *y.strides))
    np.matmul(many, blocks, out=out[before : before + whole].reshape(-1, rows, y.shape[1]))
    out[before + whole : before + inner] = many[rows - (inner - whole) :] @ y[inner - rows : inner + size - 1]
    out[:before] = table[:before] @ y[:size]
    out[before + inner :] = table[before + 1 :] @ y[-size:]


@cache
def _table(size: int) -> Array:
    """Weights for each interval of a stencil with unit steps."""
    places = np.arange(size - 1.0)
    return _solve(np.broadcast_to(np.arange(float(size)), (size - 1, size)), places, places + 1)


def _uneven(out: Array, t: Array, y: Array, size: int) -> None:
    """Any steps: weights for each interval."""
    for first in range(0, len(out), CHUNK):
        i = np.arange(first, min(first + CHUNK, len(out)))
        start = np.clip(i - (size // 2 - 1), 0, len(t) - size)
        weights = _solve(t[start[:, None] + np.arange(size)], t[i], t[i + 1])
        total = weights[:, 0, None] * y[start]
        for k in range(1, size):
            total += weights[:, k, None] * y[start + k]
        out[i] = total


def _piece(t: Array, y: Array, low: float, high: float, start: int, size: int) -> Array:
    """Integral over a part of an interval beside the stencil."""
    weights = _solve(t[None, start : start + size], np.array([low]), np.array([high]))
    return np.asarray(weights[0] @ y[start : start + size])


def _solve(nodes: Array, low: Array, high: Array) -> Array:
    """Weights that integrate polynomials exactly: nodes (rows, size), from low to high."""
    size = nodes.shape[1]
    centre = (nodes[:, :1] + nodes[:, -1:]) / 2
    half = np.maximum((nodes[:, -1:] - nodes[:, :1]) / 2, 1e-300) if size > 1 else np.ones_like(centre)
    power = np.arange(size)
    x, a, b = (nodes - centre) / half, (low[:, None] - centre) / half, (high[:, None] - centre) / half
    moments = (b ** (power + 1) - a ** (power + 1)) / (power + 1)
    vandermonde = x[:, None, :] ** power[None, :, None]
    return np.asarray(np.linalg.solve(vandermonde, moments[:, :, None])[:, :, 0] * half)
