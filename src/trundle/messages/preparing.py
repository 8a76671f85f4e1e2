"""Progress messages on stderr for work that takes longer than half a second: what is prepared and how long it took, or
how much of a long computation is done.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Timer, get_ident

PATIENCE = 0.5
"""Seconds before the first message."""
EVERY = 0.2
"""Seconds between two progress reports."""

_busy = Lock()  # held by the outermost context: work nested in it writes no messages of its own
_steps: dict[int, list[str]] = {}  # by the thread of the outermost context: its work, and the parts nested in it


def in_notebook() -> bool:
    """Whether this Python is the kernel of a notebook (ipykernel may be imported without one)."""
    kernel = sys.modules.get("ipykernel.kernelapp")
    return kernel is not None and bool(kernel.IPKernelApp.initialized())


def is_watched() -> bool:
    """Whether messages are visible: stderr is a terminal, or this is a notebook."""
    return sys.stderr.isatty() or in_notebook()


@contextmanager
def preparing(what: str) -> Iterator[None]:
    """Context or decorator for work without progress reports: writes 'trundle: preparing WHAT ... 3.1 s' to stderr if
    it takes long, with the name of the nested part that is under way.
    """
    thread = get_ident()
    if not is_watched() or not _busy.acquire(blocking=False):
        with _part(thread, what):
            yield
        return
    began, said = time.perf_counter(), Event()
    parts = _steps[thread] = [what]

    def tell() -> None:
        said.set()
        _say(f"trundle: preparing {parts[-1]} ...")

    timer = Timer(PATIENCE, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        del _steps[thread]
        _busy.release()
        if said.is_set():
            _say(f" {time.perf_counter() - began:.1f} s\n")


@contextmanager
def _part(thread: int, what: str) -> Iterator[None]:
    """Inside what the same thread prepares: the part that it is at."""
    parts = _steps.get(thread)
    if parts is None:
        yield
        return
    parts.append(what)
    try:
        yield
    finally:
        parts.pop()


@contextmanager
def under_way(what: str) -> Iterator[Callable[[str], None]]:
    """Context for long work that reports its progress ('12 of 100 cases'): after half a second, stderr shows the latest
    report in one line, 'trundle: WHAT, REPORT, 4 s', until the work is done. Nested work writes nothing of its own.
    """
    if not is_watched() or not _busy.acquire(blocking=False):
        yield _ignore
        return
    began = last = time.perf_counter()
    width = 0

    def report(text: str) -> None:
        nonlocal last, width
        now = time.perf_counter()
        if now - began < PATIENCE or (width and now - last < EVERY):
            return
        last, line = now, f"trundle: {what}, {text}, {now - began:.0f} s"
        _say(f"\r{line:<{width}}")
        width = max(width, len(line))

    try:
        yield report
    finally:
        _busy.release()
        if width:
            _say(f"\r{'':<{width}}\r")


@contextmanager
def reported_elsewhere() -> Iterator[None]:
    """Context for work whose progress is shown in another way, such as a bar: nothing inside it writes messages."""
    taken = _busy.acquire(blocking=False)
    try:
        yield
    finally:
        if taken:
            _busy.release()


def _ignore(_: str) -> None:
    """Used where messages are not visible."""


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
