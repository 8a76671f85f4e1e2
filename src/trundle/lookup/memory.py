"""Tables in memory, laid out for compiled code, for the interpreter of tapes and for CasADi alike.

A table is a tree of nodes, one level for each argument. A node divides the range of its argument into cells and has one
child for each cell: a node for the next argument or, at the last level, a record. All numbers take eight bytes:

    node    first, scale, last bucket, address of the edges, of the starts, of the children, bytes of a child, nowhere
    record  eight numbers (PLACE, KINKS, CORNERS), then the data of the table

The first node is followed by the lower end and the width of the range of each argument (LIMITS).

The cell of x is the last one whose lower edge is not above x. Buckets of equal width narrow down the search:
`starts[b]` edges lie before bucket b. An argument that is NaN leads to `nowhere`, a node and record in one that is its
own child and holds NaN after its eight words.

Compiled code refers to a table by a handle, a number among its parameters. A handle consists of a slot of the directory
and a tag that no other table of any process has, so a stale handle, or one of another process, leads to `nowhere`
instead of a wrong table.
"""

import ctypes
import weakref
from collections.abc import Sequence
from secrets import randbits
from threading import RLock
from typing import final

import numpy as np
from numpy.typing import ArrayLike

WORDS = 8
"""Numbers before the data of a record, and numbers of a node."""
PLACE, KINKS, CORNERS = 0, 1, 3
"""Indices in a record: number of the cell; for each argument the number of kinks before it, and the lower corner."""
LIMITS = WORDS
"""Index after the first node: lower end and width of the range of each argument."""
WIDEST = 4096
"""Most numbers in a record."""
MOST_ARGUMENTS = 2
SLOTS = 2**20  # a power of two
TAG_BITS = 32  # a handle is an integer below 2^52, exact as a double

_directory = np.zeros((SLOTS, 2), np.int64)  # handle and address of each table
_lock = RLock()  # reentrant: the garbage collector may release a table while another one is entered
_free: list[int] = []
_next = 1  # slot 0 holds `nowhere`


def directory_address() -> int:
    """Address of the directory of this process."""
    return int(_directory.ctypes.data)


def _words(*parts: ArrayLike) -> np.ndarray:
    """Numbers and addresses side by side, eight bytes each."""
    return np.concatenate([np.atleast_1d(np.asarray(p)).view(np.float64) for p in parts])


def _nowhere() -> np.ndarray:
    page = np.full(WIDEST + 4, np.nan)
    at = page.ctypes.data
    edge, starts = at + 8 * WIDEST, at + 8 * (WIDEST + 1)
    page[WIDEST] = -np.inf
    page[WIDEST + 1 :] = np.zeros(3, np.int64).view(np.float64)
    page[:WORDS] = _words(np.zeros(3), np.array([edge, starts, at, 0, at], np.int64))
    return page


_page = _nowhere()
NOWHERE = int(_page.ctypes.data)
_directory[0] = 0, NOWHERE


@final
class Block:
    """A table in memory: the edges between the cells of each argument, and a record for each cell.

    edges: for each argument increasing numbers, one fewer than its cells. width: length of a record. limits: range of
    each argument. records: (cells, ..., width), to be filled, the first WORDS numbers of each as described above.
    """

    def __init__(self, edges: Sequence[np.ndarray], width: int, limits: Sequence[tuple[float, float]]) -> None:
        self.edges, self.limits, counts = edges, limits, [len(e) + 1 for e in edges]
        assert width <= WIDEST
        axes = [_Axis(np.asarray(e, float)) for e in edges]
        inner = WORDS * counts[0] if len(axes) == 2 else 0
        size = 2 * WORDS + sum(axis.size for axis in axes) + inner + width * int(np.prod(counts))
        self._memory = memory = np.empty(size + 8)
        skip = -memory.ctypes.data % 64 // 8
        self._words = words = memory[skip : skip + size]
        base, at = int(words.ctypes.data), 2 * WORDS
        words[WORDS : 2 * WORDS] = np.nan
        for i, (least, most) in enumerate(limits):
            words[LIMITS + 2 * i : LIMITS + 2 * i + 2] = least, most - least
        places = []
        for axis in axes:
            places.append(base + 8 * at)
            words[at : at + axis.size] = axis.words()
            at += axis.size
        nodes, leaves = base + 8 * at, base + 8 * (at + inner)
        self.records = words[at + inner :].reshape(*counts, width)
        if inner:
            row = 8 * width * counts[1]
            words[:WORDS] = axes[0].node(places[0], nodes, 8 * WORDS)
            for i in range(counts[0]):
                first = at + WORDS * i
                words[first : first + WORDS] = axes[1].node(places[1], leaves + i * row, 8 * width)
        else:
            words[:WORDS] = axes[0].node(places[0], leaves, 8 * width)
        self.address = base
        self.handle = _enter(base)
        weakref.finalize(self, _leave, self.handle, memory)

    @property
    def nbytes(self) -> int:
        return int(self._words.nbytes)


@final
class _Axis:
    """Edges of the cells along one argument, and the buckets that lead to them."""

    def __init__(self, edges: np.ndarray) -> None:
        self.edges = edges
        self.buckets = len(edges) + 1
        span = edges[-1] - edges[0]
        self.first = float(edges[0])
        self.scale = float(self.buckets / span) if span > 0 else 0.0
        bucket = np.clip(np.floor((edges - self.first) * self.scale), 0, self.buckets - 1)
        self.starts = np.searchsorted(bucket, np.arange(self.buckets + 1)).astype(np.int64)

    @property
    def size(self) -> int:
        return 1 + len(self.edges) + len(self.starts)

    def words(self) -> np.ndarray:
        return _words(-np.inf, self.edges, self.starts)

    def node(self, at: int, children: int, stride: int) -> np.ndarray:
        """A node for this axis, whose edges are at an address."""
        starts = at + 8 * (1 + len(self.edges))
        numbers = np.array([self.first, self.scale, self.buckets - 1.0])
        return _words(numbers, np.array([at, starts, children, stride, NOWHERE], np.int64))


def _enter(address: int) -> float:
    """Enter a table into the directory and return its handle."""
    global _next
    with _lock:
        if not _free and _next == SLOTS:
            raise MemoryError(f"there are {SLOTS - 1:,} tables in this process already; delete some.")
        slot = _free.pop() if _free else _next
        _next += slot == _next
        handle = (1 + randbits(TAG_BITS - 1)) * SLOTS + slot
        _directory[slot] = handle, address
    return float(handle)


def _leave(handle: float, memory: np.ndarray) -> None:
    """Remove a table that no longer exists from the directory (`memory` was kept alive until now)."""
    slot = int(handle) % SLOTS
    with _lock:
        _directory[slot] = 0
        _free.append(slot)


# -- Python versions of the functions that compiled code applies to handles, nodes and records -------------------------


def root(handle: float) -> float:
    """Address of the table with a handle."""
    number = int(min(max(handle, 0.0), 2.0**53)) if handle == handle else 0
    known, address = _directory[number % SLOTS]
    return float(address if known == number else NOWHERE)


def find(x: float, node: float) -> float:
    """Address of the child in whose cell x lies."""
    at = int(node)
    first, scale, last = (ctypes.c_double * 3).from_address(at)
    edges_at, starts_at, children, stride, nowhere = (ctypes.c_int64 * 5).from_address(at + 24)
    if x != x:
        return float(nowhere)
    bucket = int(min(max((x - first) * scale, 0.0), last))
    low, high = (ctypes.c_int64 * 2).from_address(starts_at + 8 * bucket)
    while low < high:
        middle = (low + high + 1) // 2
        if ctypes.c_double.from_address(edges_at + 8 * middle).value <= x:
            low = middle
        else:
            high = middle - 1
    return float(children + low * stride)


def item(record: float, k: float) -> float:
    """Number k of a record."""
    return ctypes.c_double.from_address(int(record) + 8 * int(k)).value


def record(handle: float, arguments: Sequence[float], width: int) -> np.ndarray:
    """The first numbers of the record found for the arguments."""
    at = root(handle)
    for x in arguments:
        at = find(x, at)
    return np.array((ctypes.c_double * width).from_address(int(at)))
