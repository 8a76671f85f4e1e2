"""Warnings and faults point at the line of the user: the nearest one outside this package, however many calls lie
between.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import NamedTuple, final

_HOME = os.path.dirname(__file__) + os.sep
_OTHERS = os.path.dirname(os.__file__) + os.sep  # Python's own modules and, in site-packages, other packages


def users_line(error: BaseException) -> str:
    """Where in the user's code an error arose, "line 12 of pendulum.py"; empty where nothing of it was running."""
    found, at = "", error.__traceback__
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if _is_users(file):
            found = f"line {at.tb_lineno} of {os.path.basename(file)}"
        at = at.tb_next
    return found


@final
class Returned(NamedTuple):
    """What a function of the user has returned."""

    value: object
    line: str  # "line 12 of pendulum.py"
    code: CodeType


@contextmanager
def users_returns() -> Iterator[list[Returned]]:
    """What functions of the user return meanwhile to this package. It is slow: for calls that have failed before."""
    found: list[Returned] = []
    within: list[FrameType] = []  # functions of the user that are running

    def watch(frame: FrameType, event: str, value: object) -> None:
        file = frame.f_code.co_filename
        made = file == "<string>" and frame.f_globals.get("__name__") != "__main__"  # by dataclasses and named tuples
        if made or not _is_users(file):
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
    """Where a function of the user begins, "line 12 of pendulum.py"; empty for what is not written there."""
    code = getattr(function, "__code__", None)
    if code is None or not _is_users(code.co_filename):
        return ""
    return f"line {code.co_firstlineno} of {os.path.basename(code.co_filename)}"


def _is_users(file: str) -> bool:
    return not file.startswith((_HOME, _OTHERS, "<frozen ")) and f"{os.sep}site-packages{os.sep}" not in file


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn whoever called into the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HOME):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
