"""Call counters of all kernels in threaded code in one table, so that those called often are found quickly."""

from collections.abc import Iterator
from functools import partial
from threading import RLock
from typing import Generic, TypeVar
from weakref import ref

import numpy as np

from trundle.typing import Integers

_NEVER = np.iinfo(np.int64).max
_BLOCK = 512

K = TypeVar("K")


class WatchedKernels(Generic[K]):
    """Table with a row of words for each existing kernel; rows do not move in memory."""

    def __init__(self, width: int, counter: int) -> None:
        """`width` words per row; the word `counter` counts the calls."""
        self._width, self._counter = width, counter
        self._words: list[Integers] = []
        self._limits: list[Integers] = []
        self._owners: list[ref[K] | None] = []
        self._free: list[int] = []
        self._changing = RLock()  # reentrant: a kernel may be garbage-collected while another is added

    def __len__(self) -> int:
        return sum(owner is not None for owner in self._owners)

    def add(self, kernel: K, words: Integers, limit: int) -> tuple[int, Integers]:
        """Add a kernel, which is busy from `limit` calls on; return its number and its row, set to these words."""
        with self._changing:
            if not self._free:
                self._words.append(np.zeros((_BLOCK, self._width), np.int64))
                self._limits.append(np.full(_BLOCK, _NEVER))
                self._free += range(len(self._owners) + _BLOCK - 1, len(self._owners) - 1, -1)
                self._owners += [None] * _BLOCK
            number = self._free.pop()
            block, row = divmod(number, _BLOCK)
            self._words[block][row] = words
            self._limits[block][row] = limit
            self._owners[number] = ref(kernel, partial(self._forget, number))
            return number, self._words[block][row]

    def stop_watching(self, number: int) -> None:
        """Do not report a kernel as busy any more."""
        block, row = divmod(number, _BLOCK)
        self._limits[block][row] = _NEVER

    def busy(self) -> Iterator[K]:
        """Kernels that have reached their limit of calls."""
        for block, (words, limits) in enumerate(zip(self._words, self._limits, strict=False)):
            for row in np.flatnonzero(words[:, self._counter] >= limits).tolist():
                owner = self._owners[block * _BLOCK + row]
                kernel = None if owner is None else owner()
                if kernel is not None:
                    yield kernel

    def _forget(self, number: int, _: "ref[K]") -> None:
        with self._changing:
            self.stop_watching(number)
            self._owners[number] = None
            self._free.append(number)
