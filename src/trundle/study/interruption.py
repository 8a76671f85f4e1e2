"""Interruptions from the keyboard during a study of many runs: a run that is interrupted ends early and keeps its
results, and the study must not take these for an answer.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noticed_interruptions() -> Iterator[Callable[[], None]]:
    """A function that raises KeyboardInterrupt where one has come since, also where a run has ended with it."""
    come: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    ours = threading.current_thread() is threading.main_thread() and callable(before)

    def notice(number: int, frame: FrameType | None) -> None:
        come.append(number)
        if callable(before):
            before(number, frame)

    def heed() -> None:
        if come:
            raise KeyboardInterrupt

    if ours:
        signal.signal(signal.SIGINT, notice)
    try:
        yield heed
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)
