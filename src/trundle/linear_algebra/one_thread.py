"""Linear algebra of small matrices on one thread.

OpenBLAS distributes even matrices of a hundred rows over all cores, and its threads wait for each other by spinning: on
a busy machine a solve of 243 equations then takes fifty times as long. Results do not change.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

SETTERS = ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads")


@contextmanager
def one_thread() -> Iterator[None]:
    """Context in which the OpenBLAS of NumPy and SciPy uses one thread; other BLAS libraries are not affected."""
    controls = _controls()
    before = [get() for get, _ in controls]
    for _, put in controls:
        put(1)
    try:
        yield
    finally:
        for (_, put), count in zip(controls, before, strict=True):
            put(count)


Control = tuple[Callable[[], int], Callable[[int], None]]
"""Functions that return and set the number of threads of a library."""


def _controls() -> list[Control]:
    """Controls of the libraries of all imported packages."""
    return [one for name in ("numpy", "scipy") if name in sys.modules for one in _controls_of(name)]


@lru_cache
def _controls_of(package: str) -> tuple[Control, ...]:
    folder = Path(str(sys.modules[package].__file__)).parent
    found = []
    for path in sorted([*folder.parent.glob(f"{folder.name}.libs/*openblas*"), *folder.glob(".dylibs/*openblas*")]):
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        for name in SETTERS:
            if hasattr(library, name):
                found.append((getattr(library, name.replace("set", "get", 1)), getattr(library, name)))
                break
    return tuple(found)
