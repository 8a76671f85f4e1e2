"""OpenBLAS takes one thread within `one_thread`, and as many as before afterwards, also after an error."""

import subprocess
import sys

import pytest

from trundle.linear_algebra import one_thread as module
from trundle.linear_algebra.one_thread import one_thread

SCRIPT = """
import numpy, scipy.linalg
from trundle.linear_algebra.one_thread import _controls, one_thread
for _, put in _controls():
    put(3)
with one_thread():
    print([get() for get, _ in _controls()])
print([get() for get, _ in _controls()])
"""


def test_one_thread_within_and_as_many_as_before_afterwards() -> None:
    if not module._controls():
        pytest.skip("NumPy and SciPy do not bring OpenBLAS along here")
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    within, after = (eval(line) for line in done.stdout.splitlines())
    assert set(within) == {1} and set(after) == {3}


def test_what_is_raised_within_comes_out_and_the_number_is_put_back() -> None:
    counts = [get() for get, _ in module._controls()]
    with pytest.raises(ValueError, match="so it is"), one_thread():
        raise ValueError("so it is")
    assert [get() for get, _ in module._controls()] == counts
