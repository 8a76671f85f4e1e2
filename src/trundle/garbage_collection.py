"""Pausing Python's garbage collector while equations are derived.

A derivation makes some hundred thousand small objects, nearly all of which are kept. The collector would examine all
objects of the process again and again without finding garbage, for a tenth of the time of a build.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_paused = 0  # number of active pauses, in all threads
_was_on = False


@contextmanager
def paused_garbage_collection(lasting: bool = False) -> Iterator[None]:
    """Context in which no garbage is collected; may be nested and used by several threads.

    lasting: what is made meanwhile stays, as imported modules do. It is put among the oldest objects, which the
    collector rarely examines; otherwise it would examine all of it as soon as it is on again.
    """
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
                if lasting and not gc.get_freeze_count():  # what others have frozen stays frozen
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()
