"""Warnings point at the line of the user: the nearest one outside this package, however many calls lie between."""

import os
import sys
import warnings

_HOME = os.path.dirname(__file__) + os.sep


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn whoever called into the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HOME):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
