"""Signals of time: tables of one common kind, so that a run can take any of them without recompiling.

A signal consists of polynomials of degree five. Steps, straight lines and cubics are such polynomials with some
coefficients zero; their values remain the same to the last bit.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from trundle.errors import ModelError
from trundle.lookup.table import Table
from trundle.lookup.watched_time import WatchedTime
from trundle.typing import Array, Given

DEGREE = 5
KINK = 1e-9  # smaller jumps of value or slope, relative to the neighbouring values, are round-off
CLOSE = 1e-11  # error of the approximation of a function of time, relative to its largest value
SHORT = 1e-13  # of the span: a shorter piece contains a jump
FIRST_PIECES = 512  # into which the span is divided at first
NARROW = 1 / 16  # of the first pieces: if a function needs shorter ones, steps of a run end before and after them
MOST_PIECES = 10_000  # examined before the approximation is given up
MOST_BREAKS = 1000  # times that a function compares its argument with
NODES = (1 - np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)) / 2  # Chebyshev's, with both ends
BETWEEN_NODES = (NODES[1:] + NODES[:-1]) / 2
TO_POWERS = np.linalg.inv(np.vander(NODES, increasing=True))  # from values at the nodes to coefficients
TO_BETWEEN = np.vander(BETWEEN_NODES, DEGREE + 1, increasing=True)  # from coefficients to values between the nodes


def zero_signal() -> Table:
    """Zero at all times."""
    return Table([0.0, 1.0], [0.0, 0.0], between="linear").signal.with_kinks([False, False])


def as_signal(table: Table) -> Table:
    """The same curve as a table of the kind of signals; steps of a run end where its value or slope jumps."""
    if table.knows_kinks:
        return table
    kind = table.kind
    if kind.arguments != 1 or kind.outputs:
        raise ModelError(f"a signal has one argument, time, and one value; this table has {kind}.")
    if any(kind.repeats):
        raise ModelError(
            "a signal cannot be periodic: give its knots for the whole run, for example with np.tile, or declare a "
            "table (m.table) instead of an input."
        )
    if kind.degree > DEGREE:
        raise ModelError(f"a signal has polynomials up to degree {DEGREE}; this table has {kind}.")
    knots, pieces = table.breakpoints
    c = np.zeros((DEGREE + 1, pieces.shape[1]))
    c[: len(pieces)] = pieces[:, :, 0]
    made = Table.polynomials(
        knots, c, table.beyond[0], smooth=-1, unit=table.unit, text=table.text, arguments=table.arguments
    )
    return made.with_kinks(_kinks(knots, c))


def _kinks(knots: Array, c: Array) -> Array:
    """Whether the value or the slope jumps at each knot; always true at both ends, as in any table."""
    h, powers = np.diff(knots)[:-1], np.arange(len(c))[:, None]
    value = np.sum(c[:, :-1] * h**powers, axis=0)
    slope = np.sum(powers * c[:, :-1] * h ** np.maximum(powers - 1, 0), axis=0)
    size, rate = np.max(np.abs(c[0])), np.maximum(np.abs(slope), np.abs(c[1, 1:]))
    rate = np.maximum(rate, size / (knots[-1] - knots[0]))
    jumps = (np.abs(c[0, 1:] - value) > KINK * size) | (np.abs(c[1, 1:] - slope) > KINK * rate)
    return np.concatenate([[True], jumps, [True]])


def sampled(function: Callable[[float], Given], t0: float, t1: float, breaks: Iterable[float] = ()) -> Table:
    """A function of time between t0 and t1 (s), approximated by polynomials to 1e-11 of its largest value. Pieces end
    at its jumps, at given breaks, and at times that the function compares its argument with.
    """
    known, notes = _apart(breaks, t0, t1), set[float]()
    seen: dict[tuple[float, float], tuple[Array, Array]] = {}  # values in a piece, which most rounds have in common
    while True:
        made = _pieces(function, t0, t1, known, notes, seen)
        found = _apart([*known, *notes], t0, t1)
        if len(found) == len(known) or len(known) > MOST_BREAKS:
            return made
        known = found


def _apart(times: Iterable[float], t0: float, t1: float) -> list[float]:
    """The times inside the span, sorted, without duplicates up to round-off."""
    found = [t0]
    for t in sorted(t for t in times if t < t1 - SHORT * (t1 - t0)):
        if t > found[-1] + SHORT * (t1 - t0):
            found.append(t)
    return found[1:]


def _pieces(
    function: Callable[[float], Given],
    t0: float,
    t1: float,
    breaks: Sequence[float],
    notes: set[float],
    seen: dict[tuple[float, float], tuple[Array, Array]],
) -> Table:
    edges, jumps = [t0], [True]
    columns: list[Array] = []
    first = np.unique([*np.linspace(t0, t1, FIRST_PIECES + 1), *breaks]).tolist()
    size, examined, waiting = 0.0, 0, list(pairwise(first))[::-1]
    while waiting:
        examined += 1
        low, high = waiting.pop()
        if (low, high) not in seen:
            seen[low, high] = (
                _at(function, low + (high - low) * NODES, notes),
                _at(function, low + (high - low) * BETWEEN_NODES, notes),
            )
        values, between = seen[low, high]
        size = max(size, float(np.max(np.abs(values))))
        c = TO_POWERS @ values
        off = np.max(np.abs(TO_BETWEEN @ c - between))
        steepest = np.max(np.abs(np.diff(values) / np.diff(NODES))) / (high - low)
        round_off = 2 * np.finfo(float).eps * max(abs(low), abs(high)) * steepest  # of the time in the function
        middle = (low + high) / 2
        if off <= CLOSE * size + round_off:
            edges.append(high)
            jumps.append(False)
            columns.append(c / (high - low) ** np.arange(DEGREE + 1))
        elif high - low > SHORT * (t1 - t0) and low < middle < high:
            waiting += [(middle, high), (low, middle)]
        elif columns:  # a jump: the piece before it is extended over this one
            edges[-1], jumps[-1] = high, True
        else:
            edges[0] = high
        if examined > MOST_PIECES + 100 * len(breaks):
            raise ModelError(
                f"the function of time cannot be approximated by polynomials beyond t = {low:.6g} s: is it noise, "
                f"or are "
                "there very many jumps? Give its values at selected times, tr.Table(t, values, between='linear')."
            )
    kinks = np.array([*jumps[:-1], True]) | np.isin(edges, breaks)
    narrow = np.concatenate([[False], np.diff(edges) < (t1 - t0) / FIRST_PIECES * NARROW, [False]])
    for begin, end in np.flatnonzero(narrow[1:] != narrow[:-1]).reshape(-1, 2):  # groups of narrow pieces
        if not np.any(kinks[begin : end + 1]):
            kinks[[begin, end]] = True  # a step of a run must not skip a group
    made = Table.polynomials(np.array(edges), np.array(columns).T, smooth=-1)
    return made.with_kinks(kinks.tolist())


def _at(function: Callable[[float], Given], times: Array, notes: set[float]) -> Array:
    try:
        values: Array = np.array([function(WatchedTime(t, t, 1.0, notes)) for t in times.tolist()], dtype=float)
    except Exception as error:  # a function of the user may raise anything
        raise ModelError(
            f"the function of time cannot be evaluated at t = {times[0]:g} s ({type(error).__name__}: {error}): it "
            f"takes a "
            "number of seconds and returns a number."
        ) from error
    if values.shape != times.shape or not np.all(np.isfinite(values)):
        raise ModelError(
            f"the function of time must return one finite number, which it does not near t = {times[0]:g} s."
        )
    return values
