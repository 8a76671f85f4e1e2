"""Trampolines: addresses of kernels that remain the same when machine code replaces threaded code.

A trampoline jumps to the machine code of its kernel if there is any, otherwise to the threaded code. Several are loaded
together, which takes as long as loading one; those of deleted kernels are reused.
"""

import ctypes
from dataclasses import dataclass
from functools import cache
from threading import RLock
from weakref import finalize

from trundle.kernel.cache import USER_CACHE, Bundle
from trundle.kernel.jit import emit_object, host, load_code
from trundle.kernel.loop_sources import digest
from trundle.kernel.lower import ARGUMENTS, PARAMETERS, Target, many_symbol, module, symbol
from trundle.kernel.ready_code import SHIPPED, ready_code
from trundle.kernel.threaded import SELF
from trundle.typing import Untyped

COUNT = 4
"""Trampolines that are loaded together."""
_TABLE = "trundle.kernels"
_MANY = "trundle.many"


@dataclass(frozen=True)
class Trampoline:
    """Addresses of two functions: one evaluates the kernel once, the other many times."""

    once: int
    many: int
    place: int  # address at which the address of the kernel's own words is stored
    engine: Untyped


class Trampolines:
    """Pool of trampolines."""

    def __init__(self) -> None:
        self._free: list[Trampoline] = []
        self._changing = RLock()  # reentrant: a kernel may be garbage-collected while another takes a trampoline

    def take(self, owner: object, words: int) -> Trampoline:
        """A trampoline to the kernel with its own words at this address; returned to the pool when its owner is
        deleted.
        """
        with self._changing:
            if not self._free:
                self._free += _loaded()
            trampoline = self._free.pop()
        ctypes.c_int64.from_address(trampoline.place).value = words
        finalize(owner, self._leave, trampoline).atexit = False
        return trampoline

    def _leave(self, trampoline: Trampoline) -> None:
        with self._changing:
            self._free.append(trampoline)


def _loaded() -> list[Trampoline]:
    engine = load_code(_code())
    table = engine.get_global_value_address(_TABLE)
    names = [(symbol(str(k)), many_symbol(str(k))) for k in range(COUNT)]
    found = [tuple(map(engine.get_function_address, both)) for both in names]
    return [Trampoline(once, many, table + 8 * k, engine) for k, (once, many) in enumerate(found)]


@cache
def _code() -> bytes:
    """Object code of all trampolines: shipped, or generated once and cached."""
    code = ready_code(SHIPPED / shipped_name()) if SHIPPED.is_dir() else None
    if code is not None:
        return code
    key = f"{COUNT} trampolines"
    kept = USER_CACHE.load_bundle(key)
    if kept is None:
        kept = Bundle(emit_object(functions(host())), ())
        USER_CACHE.save_bundle(key, kept)
    return kept.code


def shipped_name() -> str:
    """Name under which they are shipped, with the digest of their sources (see `ready_code.place`)."""
    return f"trampolines.{digest(__name__)[:20]}.bc.xz"


def functions(target: Target) -> str:
    """IR text of all trampolines."""
    bodies = [f"@{_TABLE} = dso_local global [{COUNT} x ptr] zeroinitializer, align 8\n", _many()]
    return module(target, 1, set(), bodies + [_trampoline(k) for k in range(COUNT)])


def _word(name: str, kind: str = "i64") -> str:
    return (
        f"%at_{name} = getelementptr i64, ptr %self, i64 {SELF.index(name)}\n"
        f"%{name} = load {kind}, ptr %at_{name}, align 8\n"
    )


def _trampoline(k: int) -> str:
    own_words = f"%self = load ptr, ptr getelementptr (ptr, ptr @{_TABLE}, i64 {k}), align 8\n"
    return (
        f'define dso_local void @"{symbol(str(k))}"({PARAMETERS}) #0 {{\n{own_words}{_word("code", "ptr")}'
        "%none = icmp eq ptr %code, null\nbr i1 %none, label %threaded, label %machine\n"
        f"machine:\ntail call void %code({ARGUMENTS})\nret void\n"
        f"threaded:\n{_word('start', 'ptr')}tail call void %start({ARGUMENTS}, ptr %self)\nret void\n}}\n"
        f'define dso_local void @"{many_symbol(str(k))}"(i64 %n, {PARAMETERS}) #0 {{\n{own_words}'
        f'tail call void @"{_MANY}"(i64 %n, {ARGUMENTS}, ptr @"{symbol(str(k))}", ptr %self)\nret void\n}}\n'
    )


def _many() -> str:
    """Loop over groups of lanes, so that Python calls once for many evaluations."""
    sizes = {"t": "lanes", "x": "n_x", "p": "n_p", "out": "n_out"}
    moves = "\n".join(
        f"%{array}_at = mul i64 %k, %{size}\n%{array}_k = getelementptr double, ptr %{array}, i64 %{array}_at"
        for array, size in sizes.items()
    )
    return (
        f'define internal void @"{_MANY}"(i64 %n, {PARAMETERS}, ptr %once, ptr %self) #0 noinline {{\nentry:\n'
        f"{''.join(_word(size) for size in sizes.values())}"
        "%some = icmp sgt i64 %n, 0\nbr i1 %some, label %loop, label %done\n"
        f"loop:\n%k = phi i64 [0, %entry], [%next, %loop]\n{moves}\n"
        "call void %once(ptr %t_k, ptr %x_k, ptr %p_k, ptr %out_k, ptr %work)\n"
        "%next = add i64 %k, 1\n%more = icmp slt i64 %next, %n\nbr i1 %more, label %loop, label %done\n"
        "done:\nret void\n}\n"
    )
