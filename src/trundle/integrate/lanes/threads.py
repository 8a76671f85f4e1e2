"""Waiting for threads so that Ctrl-C is heard."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait

PAUSE_SECONDS = 0.2


def wait_for(futures: Sequence[Future[None]], report: Callable[[], None] | None = None) -> None:
    """Wait until all are done, and raise what one has raised; `report` is called now and then.

    Only the main thread hears Ctrl-C. Where the signal came to another thread, or just before the main one began to
    wait, nothing wakes it: it looks up now and then.
    """
    while True:
        done, waiting = wait(futures, PAUSE_SECONDS, FIRST_EXCEPTION)
        for future in done:
            future.result()
        if not waiting:
            return
        if report is not None:
            report()
