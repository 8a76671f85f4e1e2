"""Nobody waits without being told why: what is prepared for longer than half a second says what it is and how long
it took.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Timer

PATIENCE = 0.5
"""Seconds of silence."""

_busy = Lock()  # held by the outermost: what is prepared inside it is part of it


def in_notebook() -> bool:
    """Whether this Python is the kernel of a notebook; to have imported what makes one is not enough."""
    kernel = sys.modules.get("ipykernel.kernelapp")
    return kernel is not None and bool(kernel.IPKernelApp.initialized())


def is_watched() -> bool:
    """Whether somebody reads along: stderr is a terminal, or this is a notebook."""
    return sys.stderr.isatty() or in_notebook()


@contextmanager
def preparing(what: str) -> Iterator[None]:
    """Around work that is done once and kept: 'trundle: preparing WHAT ... 3.1 s' on stderr where it takes long."""
    if not is_watched() or not _busy.acquire(blocking=False):
        yield
        return
    began, said = time.perf_counter(), Event()

    def tell() -> None:
        said.set()
        _say(f"trundle: preparing {what} ...")

    timer = Timer(PATIENCE, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        _busy.release()
        if said.is_set():
            _say(f" {time.perf_counter() - began:.1f} s\n")


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
