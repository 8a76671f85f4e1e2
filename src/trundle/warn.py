"""Warnings and faults point at the line of the user: the nearest one outside this package, however many calls lie
between.
"""

import os
import sys
import warnings

_HOME = os.path.dirname(__file__) + os.sep
_OTHERS = os.path.dirname(os.__file__) + os.sep  # Python's own modules and, in site-packages, other packages


def users_line(error: BaseException) -> str:
    """Where in the user's code an error arose, "line 12 of pendulum.py"; empty where nothing of it was running."""
    found, at = "", error.__traceback__
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if not file.startswith((_HOME, _OTHERS)) and f"{os.sep}site-packages{os.sep}" not in file:
            found = f"line {at.tb_lineno} of {os.path.basename(file)}"
        at = at.tb_next
    return found


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn whoever called into the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HOME):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
