"""What an interruption from the keyboard does to a run.

One that stands alone ends there and keeps its results, INTERRUPTED. One that is a part of a study must not be taken for
an answer: there the interruption goes on to the study, which decides what it keeps.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_in_study: ContextVar[bool] = ContextVar("whether a run is a part of a study", default=False)


@contextmanager
def part_of_study() -> Iterator[None]:
    """Runs made here, in this thread, pass an interruption on; also a decorator."""
    before = _in_study.set(True)
    try:
        yield
    finally:
        _in_study.reset(before)


def ends_run() -> bool:
    """Whether an interruption ends the run and no more."""
    return not _in_study.get()
