"""From CasADi functions to machine code behind one address, one lane or several, kept on disk."""

from trundle.kernel.batch import PackedStates, evaluate
from trundle.kernel.cache import USER_CACHE, Bundle, CacheWarning, ObjectCache
from trundle.kernel.compile import compile_kernels, compile_tapes, read_tapes
from trundle.kernel.differentiate import jacobian_tape
from trundle.kernel.jit import Kernel, Shape, host_lanes
from trundle.kernel.kept import keep_and_load, load_kept
from trundle.kernel.memory import aligned
from trundle.kernel.read_tape import read_tape
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
    "keep_and_load",
    "load_kept",
    "read_tape",
    "read_tapes",
]
