"""Interruptions from the keyboard.

A single run ends with the outcome INTERRUPTED and keeps its results. A run that is part of a study passes the
interruption on to the study, because its incomplete results must not be used.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_in_study: ContextVar[bool] = ContextVar("whether a run is a part of a study", default=False)


@contextmanager
def part_of_study() -> Iterator[None]:
    """Context or decorator in which runs of this thread pass an interruption on."""
    before = _in_study.set(True)
    try:
        yield
    finally:
        _in_study.reset(before)


def ends_run() -> bool:
    """Whether an interruption only ends the run."""
    return not _in_study.get()
