"""Two tiers of kernels: threaded code, which runs at once, then machine code of their own, if it pays.

Generating the machine code of a model takes as long as some ten thousand calls in threaded code. A kernel therefore
starts in threaded code (see `threaded`), which counts its calls; after many calls, machine code is generated, cached on
disk, and used from then on, even in the middle of a run. Results are bit-identical.
"""

from collections.abc import Callable, Mapping
from threading import Lock

import numpy as np

from trundle.kernel.jit import Kernel, Shape
from trundle.kernel.memory import address_of
from trundle.kernel.program import Program
from trundle.kernel.threaded import AT_ONCE, SELF, ThreadedCode, threaded_code
from trundle.kernel.trampolines import Trampolines
from trundle.kernel.watched_kernels import WatchedKernels
from trundle.messages.preparing import preparing
from trundle.typing import Integers

BUSY = 40_000
"""Calls after which machine code is generated: they took about as much time as generating it will."""
BUSY_AGAIN = 10_000
"""The same for a kernel that an earlier process has already used."""
MOSTLY_COPIES = 10_000
"""Number of outputs from which on a kernel stays in threaded code unless machine code is requested: it copies more than
it computes (as the inverse masses between 76 contacts), and code with that many stores takes minutes to generate."""
_NEVER = 2**62

_CODE, _CALLS = SELF.index("code"), SELF.index("calls")
_watched: "WatchedKernels[Threaded]" = WatchedKernels(len(SELF), _CALLS)
_trampolines = Trampolines()
_one_by_one = Lock()


def compile_busy() -> None:
    """Generate machine code for kernels that have been called often; called regularly during long computations."""
    for kernel in _watched.busy():
        kernel.compile_if_busy()


class Threaded:
    """A kernel in threaded code: its steps and its words (see `threaded.SELF`)."""

    def __init__(
        self, shape: Shape, program: Program, machine_code: Callable[[], Kernel], busy: int, owner: str
    ) -> None:
        busy = _NEVER if busy and shape.n_out >= MOSTLY_COPIES else busy
        self.shape, self._machine_code, self._busy, self._owner = shape, machine_code, busy, owner
        code = threaded_code(shape.lanes)
        self._code, self._steps = code, _located(program, code, shape.lanes)
        self._constants = np.repeat(program.constants, shape.lanes)
        self._machine: Kernel | None = None
        given = {
            "start": code.start, "steps": address_of(self._steps), "constants": address_of(self._constants),
            "n_constants": len(self._constants), "n_x": shape.n_x * shape.lanes, "n_p": shape.n_p * shape.lanes,
            "n_out": shape.n_out * shape.lanes, "lanes": shape.lanes,
        }  # fmt: skip
        self._number, self.words = _watched.add(self, np.array([given.get(name, 0) for name in SELF], np.int64), busy)
        if busy == 0:
            self.compile()

    @property
    def calls(self) -> int:
        """Number of calls in threaded code."""
        return int(self.words[_CALLS])

    @property
    def is_compiled(self) -> bool:
        """Whether there is machine code."""
        return self._machine is not None

    def compile_if_busy(self, coming: int = 0) -> None:
        """Generate machine code if the kernel has been called often, counting `coming` calls that will follow; skipped
        if another thread is generating code.
        """
        if self.words[_CALLS] + coming >= self._busy and self._machine is None and _one_by_one.acquire(blocking=False):
            try:
                self.compile()
            finally:
                _one_by_one.release()

    def compile(self) -> None:
        """Generate machine code, which is used from now on."""
        if self._machine is None:
            with preparing(f"machine code{self._owner} ({self.shape.name}), kept for next time"):
                self._machine = self._machine_code()
            self.words[_CODE] = self._machine.address
        _watched.stop_watching(self._number)


def _located(program: Program, code: ThreadedCode, lanes: int) -> np.ndarray:
    """Steps with the addresses of their functions, and with places as offsets in bytes."""
    steps, kinds = program.steps.copy(), program.steps["code"]
    steps["code"] = np.array([code.steps[name] for name in program.names], np.int64)[kinds]
    several = np.array([code.several.get(name, 0) for name in program.names], np.int64)[kinds]
    groups = np.flatnonzero(_begins_group(kinds) & (several > 0))
    steps["code"][groups] = several[groups]
    for field in ("to", "a", "b", "c"):
        steps[field] *= 8 * lanes
    if "item" in program.names:  # a place in a record, not one of the program
        items = kinds == program.names.index("item")
        steps["b"][items] = program.steps["b"][items]
    return steps


def _begins_group(kinds: Integers) -> np.ndarray:
    """Whether a step is the first of AT_ONCE steps of its kind that follow each other; groups do not overlap."""
    begins = np.flatnonzero(np.diff(kinds, prepend=-1))
    lengths = np.diff(begins, append=len(kinds))
    place = np.arange(len(kinds)) - np.repeat(begins, lengths)
    return np.asarray((place % AT_ONCE == 0) & (place + AT_ONCE <= np.repeat(lengths, lengths)))


# -- many kernels at once ----------------------------------------------------------------------------------------------


def load_threaded(parts: Mapping[str, Threaded]) -> dict[str, Kernel]:
    """Kernels of threaded code; their addresses remain the same when machine code replaces it."""
    kernels = {}
    for name, part in parts.items():
        s, jump = part.shape, _trampolines.take(part, address_of(part.words))
        owned = (jump.engine, part)
        kernels[name] = Kernel(name, jump.once, s.lanes, s.n_x, s.n_p, s.n_out, s.work_size, jump.many, owned, part)
    return kernels
