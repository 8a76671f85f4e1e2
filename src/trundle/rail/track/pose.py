"""Pose of the line: heading and height in closed form, the plan by Gauss quadrature between fixed places."""

from typing import final

import casadi as ca
import numpy as np

from trundle.rail.track.basis import combine, functions_of, integrals, values
from trundle.rail.track.rows import CURVATURE, END, INVERSE, ORIGIN, SLOPE, RowNumbers, needed, share, total
from trundle.typing import AnyArray, Array, Expr

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(6)
TURN = 0.5  # rad; the most that the line may turn between two places
SHARE = 1.0 / 8.0  # of a segment that is not circular: the greatest distance between two places


@final
class Pose:
    """Integrals of the line at fixed places, and from there to any other one."""

    def __init__(self, rows: Array, position: Array, heading: float) -> None:
        self.rows = rows
        self.starts = np.concatenate([[rows[0, ORIGIN]], rows[:-1, END]])
        self._headings, self._heights = np.zeros(len(rows)), np.zeros(len(rows))  # where x of each row is 0
        turn, height = heading, float(position[2])
        for i, row in enumerate(rows):
            self._headings[i] = turn - self.heading(i, self.starts[i])
            self._heights[i] = height - self.height(i, self.starts[i])
            turn, height = self.heading(i, row[END]), self.height(i, row[END])
        owner = np.repeat(np.arange(len(rows)), [self._count(i) for i in range(len(rows))])
        self.owner: AnyArray = owner
        self.places = np.concatenate(
            [np.linspace(self.starts[i], rows[i, END], self._count(i), endpoint=False) for i in range(len(rows))]
        )
        ends = np.append(self.places[1:], rows[-1, END])
        steps = self._plan(owner, self.places, ends)
        self.corners = np.asarray(position[:2]) + np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])

    def _grown(self, owner: AnyArray | int, channel: slice, s: Expr) -> Expr:
        """Integral of a channel from the place where x is 0 to s (m), in rows."""
        numbers = RowNumbers(self.rows, owner)
        return total(numbers, channel, integrals(share(numbers, s), needed(numbers, channel))) / numbers[INVERSE]

    def _count(self, i: int) -> int:
        """Into how many parts a row is cut."""
        row, length = self.rows[i], self.rows[i, END] - self.starts[i]
        curvature, slope = row[CURVATURE], row[SLOPE]
        x = (np.linspace(self.starts[i], row[END], 33) - row[ORIGIN]) * row[INVERSE]
        turns = np.abs(combine(curvature, values(x))).max() * length / TURN
        bends = 0.0 if not (curvature[1:].any() or slope[1:].any()) else length * row[INVERSE] / SHARE
        return max(1, int(np.ceil(max(turns, bends))))

    def offsets(self) -> Array:
        """Heading (rad) and height (m) of each row where its x is 0."""
        return np.column_stack([self._headings, self._heights])

    def heading(self, owner: AnyArray | int, s: Expr) -> Expr:
        """Heading (rad) at s in the rows with these numbers."""
        return self._headings[owner] + self._grown(owner, CURVATURE, s)

    def height(self, owner: AnyArray | int, s: Expr) -> Expr:
        """Height (m) at s."""
        return self._heights[owner] + self._grown(owner, SLOPE, s)

    def _plan(self, owner: AnyArray, begin: Array, end: Array) -> Array:
        """Steps in plan (m) from begin to end within rows."""
        half = (end - begin) / 2.0
        s = begin[:, None] + half[:, None] * (1.0 + _POINTS)
        inside = owner[:, None]
        heading = self.heading(inside, s)
        along = _WEIGHTS * half[:, None]
        numbers = RowNumbers(self.rows, inside)
        if numbers.used[SLOPE].any():
            sine = total(numbers, SLOPE, values(share(numbers, s), needed(numbers, SLOPE)))
            along = along * np.sqrt(1.0 - sine**2)
        return np.stack([(along * np.cos(heading)).sum(1), (along * np.sin(heading)).sum(1)], -1)

    def position(self, s: Array, owner: AnyArray) -> Array:
        """Places (n, 3) of the line at s (n) in the rows with these numbers."""
        place = np.searchsorted(self.places, s, side="right") - 1
        # At the end of a row the place before it is used: it belongs to the wanted row.
        place = np.clip(place, np.searchsorted(self.owner, owner), np.searchsorted(self.owner, owner, side="right") - 1)
        plan = self.corners[place] + self._plan(owner, self.places[place], s)
        return np.column_stack([plan, self.height(owner, s)])

    def position_in_row(self, i: int, s: Expr) -> Expr:
        """The place at s within one row, as an expression of a symbol."""
        f = functions_of(s)
        count = self._count(i)
        begin, row = self.starts[i], self.rows[i]
        x, y = self.corners[int(np.searchsorted(self.owner, i))]
        half = (s - begin) / (2.0 * count)
        for part in range(count):
            for point, weight in zip(_POINTS, _WEIGHTS, strict=True):
                at = begin + half * (2 * part + 1 + point)
                sine = combine(row[SLOPE], values((at - row[ORIGIN]) * row[INVERSE]))
                along = weight * half * f.sqrt(1.0 - sine * sine)
                heading = self.heading(i, at)
                x, y = x + along * f.cos(heading), y + along * f.sin(heading)
        return ca.vertcat(x, y, self.height(i, s))
