"""Linear algebra of small matrices on one thread.

OpenBLAS shares out even matrices of a hundred rows among all cores, and its threads wait for each other by spinning: on
a machine that does something else too, a solve of 243 equations then takes fifty times as long. Results do not change.
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
    """Within it OpenBLAS, as NumPy and SciPy bring it along, takes one thread; another BLAS goes on as it did."""
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
"""How many threads a library takes, and the function that says so."""


def _controls() -> list[Control]:
    """Of each library that came with a package that is in use."""
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
