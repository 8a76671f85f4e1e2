"""Interruptions from the keyboard during a study of many runs: a run that is interrupted ends early and keeps its
results, and the study must not take these for complete results. CasADi loses interruptions while it calls Python, so
that a study checks for them itself.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def noticed_interruptions() -> Iterator[Callable[[], None]]:
    """A function that raises KeyboardInterrupt if one has occurred since, also during a run."""
    come: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    ours = threading.current_thread() is threading.main_thread() and callable(before)

    def notice(number: int, frame: FrameType | None) -> None:
        come.append(number)
        if callable(before):
            before(number, frame)

    def check_interruption() -> None:
        if come:
            raise KeyboardInterrupt

    if ours:
        signal.signal(signal.SIGINT, notice)
    try:
        yield check_interruption
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)


def raise_lost_interruption(study: Callable[P, R]) -> Callable[P, R]:
    """Decorator of a study without partial results: an interruption that a library has lost is raised at its end."""

    @wraps(study)
    def interruptible(*args: P.args, **named: P.kwargs) -> R:
        with noticed_interruptions() as check_interruption:
            try:
                return study(*args, **named)
            finally:  # also where a library has made another error of it
                check_interruption()

    return interruptible
