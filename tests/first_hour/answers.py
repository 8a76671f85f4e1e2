"""Message and line that a faulty script produces."""

import re
import traceback

import pytest

import trundle as tr


def answered_at_its_line(head: str, line: str, words: str) -> None:
    """The line after `head` raises an error with these words, and is the line that Python shows."""
    script = head + line + "\n"
    with pytest.raises((tr.TrundleError, AttributeError, TypeError)) as caught:
        exec(compile(script, "script.py", "exec"), {})
    lines = [frame.lineno for frame in traceback.extract_tb(caught.tb) if frame.filename == "script.py"]
    assert lines[0] == script.count("\n")
    assert re.search(words, _shown(caught.value), re.DOTALL), _shown(caught.value)
    assert "casadi" not in str(caught.value).lower()


def _shown(error: BaseException) -> str:
    """As Python shows it, with its own suggestions."""
    return "".join(traceback.TracebackException(type(error), error, error.__traceback__).format_exception_only())
