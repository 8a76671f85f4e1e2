"""From CasADi functions to machine code with a fixed address, for one or several lanes, cached on disk."""

from trundle.kernel.batch import PackedStates, evaluate
from trundle.kernel.cache import USER_CACHE, Bundle, CacheWarning, ObjectCache
from trundle.kernel.compile import compile_kernels, compile_tapes, read_tapes
from trundle.kernel.differentiate import jacobian_tape
from trundle.kernel.jit import Kernel, Shape, host_lanes
from trundle.kernel.memory import aligned
from trundle.kernel.read_tape import read_tape
from trundle.kernel.stored_kernels import load_stored, store_and_load
from trundle.kernel.tape import Tape
from trundle.kernel.tiers import compile_busy

__all__ = [
    "USER_CACHE",
    "Bundle",
    "CacheWarning",
    "Kernel",
    "ObjectCache",
    "PackedStates",
    "Shape",
    "Tape",
    "aligned",
    "compile_busy",
    "compile_kernels",
    "compile_tapes",
    "evaluate",
    "host_lanes",
    "jacobian_tape",
    "load_stored",
    "read_tape",
    "read_tapes",
    "store_and_load",
]
