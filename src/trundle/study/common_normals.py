"""Common normals of the two surfaces of a contact, in numbers: by Newton steps from many places at once."""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.kernel import Kernel, PackedStates
from trundle.typing import Array

STARTS, NEWTON_LIMIT, FOLLOWED = 256, 24, 8  # places of a search, Newton steps from them, and along a run
STRIDE = 0.15  # longest Newton step, of the reach
SOLVED = 1e-12  # Newton step, of the reach


@final
@dataclass(frozen=True, eq=False)
class Normals:
    """Common normals of one contact: rows of coordinates at states. See `rivals.rival_kernels` for the kernel."""

    kernel: Kernel
    reach: Array
    away: float

    @property
    def n(self) -> int:
        return len(self.reach)

    def values(self, t: float, s: Array, x: Array, p: Array) -> Array:
        """Outputs of the kernel for rows of coordinates."""
        return self._packed(t, s, x, p).evaluated()[: len(s)]

    def _packed(self, t: float, s: Array, x: Array, p: Array) -> PackedStates:
        rows = np.vstack([s, np.repeat(s[-1:], -len(s) % self.kernel.lanes, axis=0)])
        return PackedStates(self.kernel, t, np.hstack([rows, np.broadcast_to(x, (len(rows), len(x)))]), p)

    def solved(self, t: float, s: Array, x: Array, p: Array, limit: int = FOLLOWED) -> tuple[Array, Array]:
        """Coordinates of the common normals found from rows of others, and the values there; not finite where there is
        none but the contact itself.
        """
        n, packed = self.n, self._packed(t, s, x, p)
        place, step, reach = packed.x[:, :n], packed.out[:, :n], self.reach[:, None]
        size = np.full(place[:, 0].shape, np.inf)
        for _ in range(limit):
            packed.evaluate()
            size = np.max(np.abs(step) / reach, axis=1)
            place += step * np.minimum(1.0, STRIDE / np.maximum(size, 1e-300))[:, None]
            if np.all((size < SOLVED) | ~np.isfinite(size)):
                break
        found, size = packed.evaluated()[: len(s)], size.ravel()[: len(s)]
        good = (size < 1e-9) & (found[:, n + 2] < 0) & (np.abs(found[:, n + 3]) > 1e-9) & (found[:, n + 4] > self.away)
        found[~(good & np.all(np.isfinite(found), axis=1))] = np.nan
        return packed.states()[: len(s), :n], found

    def gap(self, t: float, s: Array, x: Array, p: Array) -> tuple[Array, float]:
        """One of them at another state: coordinates and gap; nan where it is lost."""
        s, found = self.solved(t, s[None, :], x, p)
        return s[0], float(found[0, self.n + 1])

    def own_gap(self, t: float, x: Array, p: Array) -> float:
        """Gap of the contact itself where it is open."""
        value, gap = self.values(t, np.zeros((1, self.n)), x, p)[0, self.n : self.n + 2]
        return float(gap - value)

    def search(self, t: float, x: Array, p: Array, starts: int) -> tuple[Array, Array]:
        """Coordinates of all that a search from so many places finds, and the values there."""
        own = self.values(t, np.zeros((1, self.n)), x, p)[0, self.n + 5 : 2 * self.n + 5]
        ratios = 1.2207440846057596 ** -np.arange(1.0, self.n + 1)
        grid = 2 * ((0.5 + np.outer(np.arange(starts), ratios)) % 1.0) - 1
        grid[::2] *= 0.2
        s, found = self.solved(t, own + grid * self.reach, x, p, NEWTON_LIMIT)
        real = np.isfinite(found[:, 0])
        s, found = s[real], found[real]
        _, first = np.unique(np.round(s / self.reach, 7), axis=0, return_index=True)
        return s[first], found[first]

    def behind(self, t: float, x: Array, p: Array, starts: int = STARTS) -> Array:
        """Coordinates of all with a gap below zero that a search from so many places finds."""
        s, found = self.search(t, x, p, starts)
        return s[found[:, self.n + 1] < 0]
