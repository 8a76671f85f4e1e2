"""Memory of kernels in threaded code, many side by side, so that one look finds those that were called often."""

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


class Live(Generic[K]):
    """Rows of words, one for each kernel as long as it lives; rows do not move."""

    def __init__(self, width: int, counter: int) -> None:
        """So many words in a row; one of them counts the calls."""
        self._width, self._counter = width, counter
        self._words: list[Integers] = []
        self._limits: list[Integers] = []
        self._owners: list[ref[K] | None] = []
        self._free: list[int] = []
        self._changing = RLock()  # a kernel may be collected while another is added, in the same thread

    def __len__(self) -> int:
        return sum(owner is not None for owner in self._owners)

    def add(self, kernel: K, words: Integers, limit: int) -> tuple[int, Integers]:
        """Number of the kernel, and its row, which begins with these words; it is busy from so many calls on."""
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

    def leave_alone(self, number: int) -> None:
        """It is not busy any more, however often it is called."""
        block, row = divmod(number, _BLOCK)
        self._limits[block][row] = _NEVER

    def busy(self) -> Iterator[K]:
        """Kernels that were called often."""
        for block, (words, limits) in enumerate(zip(self._words, self._limits, strict=False)):
            for row in np.flatnonzero(words[:, self._counter] >= limits).tolist():
                owner = self._owners[block * _BLOCK + row]
                kernel = None if owner is None else owner()
                if kernel is not None:
                    yield kernel

    def _forget(self, number: int, _: "ref[K]") -> None:
        with self._changing:
            self.leave_alone(number)
            self._owners[number] = None
            self._free.append(number)
