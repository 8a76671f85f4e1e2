"""Warnings and faults that point at the user's line: the innermost frame outside this package."""

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import NamedTuple, final

HOME = os.path.dirname(os.path.dirname(__file__)) + os.sep
"""The folder of the package."""
_INSIDE = (HOME, contextlib.__file__)  # the latter stands between where a method is decorated by a context
_OTHERS = os.path.dirname(os.__file__) + os.sep  # Python's own modules and, in site-packages, other packages


def users_line(error: BaseException) -> str:
    """Line of the user's code in which an error arose, "line 12 of pendulum.py"; empty if no such code was running."""
    found, at = "", error.__traceback__
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if _is_users(file):
            found = f"line {at.tb_lineno} of {os.path.basename(file)}"
        at = at.tb_next
    return found


@final
class Returned(NamedTuple):
    """A value that a user's function returned."""

    value: object
    line: str  # "line 12 of pendulum.py"
    code: CodeType


@contextlib.contextmanager
def users_returns() -> Iterator[list[Returned]]:
    """Context that records what user's functions return to this package. It is slow: use it to repeat failed calls."""
    found: list[Returned] = []
    within: list[FrameType] = []  # functions of the user that are running

    def watch(frame: FrameType, event: str, value: object) -> None:
        file = frame.f_code.co_filename
        generated = file == "<string>" and frame.f_globals.get("__name__") != "__main__"  # dataclasses, named tuples
        if generated or not _is_users(file):
            return
        if event == "call":
            within.append(frame)
        elif event == "return" and within and within[-1] is frame:
            within.pop()
            if not within:
                found.append(Returned(value, f"line {frame.f_lineno} of {os.path.basename(file)}", frame.f_code))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(before)


def users_function(function: object) -> str:
    """First line of a user's function, "line 12 of pendulum.py"; empty for functions that are not in user's code."""
    code = getattr(function, "__code__", None)
    if code is None or not _is_users(code.co_filename):
        return ""
    return f"line {code.co_firstlineno} of {os.path.basename(code.co_filename)}"


def _is_users(file: str) -> bool:
    return not file.startswith((HOME, _OTHERS, "<frozen ")) and f"{os.sep}site-packages{os.sep}" not in file


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the line of the user that called into the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
