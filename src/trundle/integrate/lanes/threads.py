"""Waiting for threads, interruptible by Ctrl-C."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait

PAUSE_SECONDS = 0.2


def wait_for(futures: Sequence[Future[None]], report: Callable[[], None] | None = None) -> None:
    """Wait until all are done, and raise the exception of one, if any; `report` is called regularly.

    Only the main thread handles Ctrl-C. If the signal reaches another thread, or arrives just before the main thread
    begins to wait, nothing wakes it, so it waits for short periods only.
    """
    while True:
        done, waiting = wait(futures, PAUSE_SECONDS, FIRST_EXCEPTION)
        for future in done:
            future.result()
        if not waiting:
            return
        if report is not None:
            report()
