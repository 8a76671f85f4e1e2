"""Python's garbage collector, while equations are derived.

Deriving makes some hundred thousand small objects, nearly all of which stay. The collector goes through all objects of
the process again and again meanwhile, and finds nothing: a tenth of the time of a build.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_paused = 0  # by how many, in all threads
_was_on = False


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """No garbage is collected meanwhile; may be nested and used by several threads."""
    global _paused, _was_on
    with _LOCK:
        _paused += 1
        if _paused == 1:
            _was_on = gc.isenabled()
            gc.disable()
    try:
        yield
    finally:
        with _LOCK:
            _paused -= 1
            if _paused == 0 and _was_on:
                gc.enable()
