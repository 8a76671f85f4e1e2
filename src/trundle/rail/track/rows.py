"""The line as a table: one row of forty numbers for each piece between two places where a formula changes.

A row holds origin and end of the piece (m), 1/length of its segment, a flag, and twelve coefficients each of
curvature, sine of the slope, and cant, in x = (s - origin) / length. The flag is 0 where the cant is the sine of its
angle, and 1 where it is the angle. A row begins where the one before it ends.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol, final

import numpy as np

from trundle.errors import ModelError
from trundle.rail.track.basis import COUNT, combine, derivative_of, differentiated, rebased, used, values
from trundle.rail.track.gradient import Slope
from trundle.rail.track.segment import Ends, Piece, Segment
from trundle.rail.track.track_frame import Local, local
from trundle.typing import AnyArray, Array, Expr

ORIGIN, END, INVERSE, BY_ANGLE = range(4)
CURVATURE, SLOPE, CANT = (slice(4 + i * COUNT, 4 + (i + 1) * COUNT) for i in range(3))
WIDTH = 4 + 3 * COUNT
SHORTEST = 1e-9  # m; pieces shorter than this are round-off of places that are meant to be one


def make_rows(
    segments: tuple[Segment, ...], before: list[Ends], starts: Array, slopes: list[Slope], half_gauge: float, low: bool
) -> tuple[Array, Array]:
    """The rows, and the number of the segment that each belongs to; `low` turns the cant about the lower rail."""
    breaks = [slope.end for slope in slopes]
    rows, owners = [], []
    for number, (segment, ends) in enumerate(zip(segments, before, strict=True)):
        begin = starts[number]
        for piece in segment.pieces(ends, half_gauge):
            low_x, high_x = piece.span or (0.0, 1.0)
            origin, length = starts[number] + low_x * segment.length, (high_x - low_x) * segment.length
            last = starts[number + 1] if piece.end == 1.0 else starts[number] + piece.end * segment.length
            inner = [s for s in breaks if begin + SHORTEST < s < last - SHORTEST]
            for first, end in pairwise([begin, *inner, last]):
                slope = _slope(slopes, (first + end) / 2.0, origin, length)
                slope = slope if piece.slope is None else slope + piece.slope
                if low:
                    slope = slope + _rise(piece, (first - origin) / length, half_gauge) / length
                head = [origin, end, 1.0 / length, float(piece.by_angle)]
                rows.append(np.concatenate([head, piece.curvature, slope, piece.cant]))
                owners.append(number)
            begin = last
    return np.array(rows), np.array(owners)


def _slope(slopes: list[Slope], s: float, origin: float, length: float) -> Array:
    found = next((one for one in slopes if s <= one.end), slopes[-1])
    return rebased(found.series, (origin - found.origin) / found.length, length / found.length)


def _rise(piece: Piece, begin: float, half_gauge: float) -> Array:
    """Slope that the centre line gets when the cant turns about the lower rail, times the length of the segment."""
    if piece.by_angle:
        raise ModelError("a Vienna curve turns about the centre of the track; leave out pivot='low rail'")
    x = np.linspace(begin, 1.0 if piece.span else piece.end, 33)
    cant = combine(piece.cant, values(x))
    if cant.min() < -1e-12 and cant.max() > 1e-12:
        raise ModelError("its cant changes sides, and with it the lower rail; leave out pivot='low rail'")
    side = 1.0 if cant.max() > 1e-12 else -1.0
    return side * half_gauge * differentiated(piece.cant)


class Numbers(Protocol):
    """Numbers of a row by their place in it; those that are not used are zero."""

    used: AnyArray

    def __getitem__(self, place: int) -> Expr: ...


@final
class RowNumbers:
    """Numbers of the rows in which places lie: one row for all places, or one for each."""

    def __init__(self, rows: Array, owner: AnyArray | int) -> None:
        self._rows, self._owner = rows, owner
        self.used: AnyArray = np.any(rows, axis=0)

    def __getitem__(self, place: int) -> Expr:
        return self._rows[self._owner, place]


@final
class RowSymbols:
    """Numbers of a row as expressions, such as those that a table gives."""

    def __init__(self, numbers: Sequence[Expr]) -> None:
        self.all = tuple(numbers)
        self.used: AnyArray = np.ones(len(numbers), bool)

    def __getitem__(self, place: int) -> Expr:
        return self.all[place]


def share(numbers: Numbers, s: Expr) -> Expr:
    """x at s."""
    return (s - numbers[ORIGIN]) * numbers[INVERSE]


def needed(numbers: Numbers, *channels: slice) -> AnyArray:
    """Which of the twelve functions some channels need."""
    return used(*(numbers.used[channel] for channel in channels))


def total(numbers: Numbers, channel: slice, functions: Sequence[Expr]) -> Expr:
    """Sum of the coefficients of a channel times functions."""
    out: Expr = 0.0 * functions[0]
    for i, function in enumerate(functions):
        if numbers.used[channel.start + i]:
            out = out + numbers[channel.start + i] * function
    return out


def local_at(numbers: Numbers, s: Expr) -> Local:
    """Angles of the line at s."""
    inverse = numbers[INVERSE]
    value = values(share(numbers, s), needed(numbers, CURVATURE, SLOPE, CANT))
    first = derivative_of(value)
    second = derivative_of(first)
    scales = (1.0, inverse, inverse * inverse)

    def channel(which: slice) -> list[Expr]:
        zero, functions = 0.0 * value[0], (value, first, second)
        return [zero + scale * total(numbers, which, f) for scale, f in zip(scales, functions, strict=True)]

    return local(channel(CURVATURE)[:2], channel(SLOPE), channel(CANT), numbers[BY_ANGLE])


def derivatives(row: Array, channel: slice, s: float, orders: int) -> list[Expr]:
    """Value and derivatives by s of one channel of one row."""
    basis = values((s - row[ORIGIN]) * row[INVERSE])
    return [row[INVERSE] ** order * combine(differentiated(row[channel], order), basis) for order in range(orders)]
