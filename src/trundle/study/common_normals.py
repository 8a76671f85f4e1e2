"""Common normals of the two surfaces of a contact, computed numerically by Newton steps from many starting points at
once.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.kernel import Kernel, PackedStates
from trundle.typing import Array

STARTS, NEWTON_LIMIT, FOLLOWED = 256, 24, 8  # places of a search, Newton steps from them, and along a run
SOLVED = 1e-12  # Newton step, of the reach
TOGETHER = 64  # states that are searched at once


@final
@dataclass(frozen=True, eq=False)
class Normals:
    """Common normals of one contact: rows of coordinates at states; the kernel is that of `second_contacts`."""

    kernel: Kernel
    reach: Array
    away: float

    @property
    def n(self) -> int:
        return len(self.reach)

    def values(self, t: float | Array, s: Array, x: Array, p: Array) -> Array:
        """Outputs of the kernel for rows of coordinates; times, states and parameters may be rows too."""
        return self._packed(t, s, x, p).evaluated()[: len(s)]

    def _packed(self, t: float | Array, s: Array, x: Array, p: Array) -> PackedStates:
        rows = np.hstack([s, np.broadcast_to(x, (len(s), np.shape(x)[-1]))])
        empty = -len(s) % self.kernel.lanes  # of the last lanes: they compute what the one before does
        if empty:
            rows = np.vstack([rows, np.repeat(rows[-1:], empty, axis=0)])
            t = t if np.ndim(t) == 0 else np.append(t, np.repeat(np.asarray(t)[-1:], empty))
            p = p if np.ndim(p) == 1 else np.vstack([p, np.repeat(p[-1:], empty, axis=0)])
        return PackedStates(self.kernel, t, rows, p)

    def solved(self, t: float | Array, s: Array, x: Array, p: Array, limit: int = FOLLOWED) -> tuple[Array, Array]:
        """Coordinates of the common normals found from rows of others, and the values there; not finite where there is
        none but the contact itself.
        """
        n, packed = self.n, self._packed(t, s, x, p)
        place, step, last = packed.x[:, :n], packed.out[:, :n], packed.out[:, 2 * n + 8]
        size = np.full(place[:, 0].shape, np.inf)
        for _ in range(limit):
            packed.evaluate()
            size = last.copy()
            place += step
            if np.all((size < SOLVED) | ~np.isfinite(size)):
                break
        found, size = packed.evaluated()[: len(s)], size.ravel()[: len(s)]
        good = (size < 1e-9) & (found[:, n + 2] < 0) & (np.abs(found[:, n + 3]) > 1e-9) & (found[:, n + 4] > self.away)
        found[~(good & np.all(np.isfinite(found), axis=1))] = np.nan
        return packed.states()[: len(s), :n], found

    def gap(self, t: float, s: Array, x: Array, p: Array) -> tuple[Array, float]:
        """One of them at another state: coordinates and gap; nan if it is lost."""
        s, found = self.solved(t, s[None, :], x, p)
        return s[0], float(found[0, self.n + 1])

    def own_gap(self, t: float, x: Array, p: Array) -> float:
        """Gap of the contact itself where it is open."""
        value, gap = self.values(t, np.zeros((1, self.n)), x, p)[0, self.n : self.n + 2]
        return float(gap - value)

    def search(self, t: float, x: Array, p: Array, starts: int) -> tuple[Array, Array]:
        """Coordinates of all that a search from so many places finds, and the values there."""
        own = self.values(t, np.zeros((1, self.n)), x, p)[0, self.n + 5 : 2 * self.n + 5]
        s, found = self.solved(t, own + self._places(starts), x, p, NEWTON_LIMIT)
        real = np.isfinite(found[:, 0])
        s, found = s[real], found[real]
        _, first = np.unique(np.round(s / self.reach, 7), axis=0, return_index=True)
        return s[first], found[first]

    def _places(self, count: int) -> Array:
        """Evenly spread about the contact, every second one near it."""
        ratios = 1.2207440846057596 ** -np.arange(1.0, self.n + 1)
        grid = 2 * ((0.5 + np.outer(np.arange(count), ratios)) % 1.0) - 1
        grid[::2] *= 0.2
        return np.asarray(grid * self.reach)

    def overlapping(self, t: Array, x: Array, p: Array, starts: int, depth: float) -> Array:
        """For each of many states whether such a search finds a gap below zero, by less than the depth."""
        found = np.zeros(len(t), bool)
        for first in range(0, len(t), TOGETHER):
            some = slice(first, min(first + TOGETHER, len(t)))
            own = self.values(t[some], np.zeros((len(t[some]), self.n)), x[some], p[some])
            s = (own[:, None, self.n + 5 : 2 * self.n + 5] + self._places(starts)).reshape(-1, self.n)
            case = np.repeat(np.arange(len(t))[some], starts)
            for limit in (NEWTON_LIMIT // 2, NEWTON_LIMIT // 2):  # half of them need no more
                s, values = self.solved(t[case], s, x[case], p[case], limit)
                gap = values[:, self.n + 1]
                found[case[(-depth < gap) & (gap < 0)]] = True
                left = np.isnan(gap) & np.all(np.isfinite(s), axis=1)
                s, case = s[left], case[left]
                if not len(s):
                    break
        return found

    def behind(self, t: float, x: Array, p: Array) -> Array:
        """Coordinates of all with a gap below zero that a search finds."""
        s, found = self.search(t, x, p, STARTS)
        return s[found[:, self.n + 1] < 0]
