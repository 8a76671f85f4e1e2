"""Addresses of kernels that stay when machine code takes over: each leads to it or, while there is none, to the steps.

Many are loaded in one piece, for that takes as long as to load one; what a kernel leaves, the next one takes.
"""

import ctypes
from dataclasses import dataclass
from functools import cache
from threading import RLock
from weakref import finalize

from trundle.kernel.cache import USER_CACHE, Bundle
from trundle.kernel.jit import emit_object, host, load_code
from trundle.kernel.lower import ARGUMENTS, PARAMETERS, many_symbol, module, symbol
from trundle.kernel.threaded import SELF
from trundle.typing import Untyped

COUNT = 4
"""Doors in one piece of code."""
_TABLE = "trundle.kernels"
_MANY = "trundle.many"


@dataclass(frozen=True)
class Door:
    """Addresses of a function that evaluates once and of one that does so many times, for whatever kernel is behind."""

    once: int
    many: int
    place: int  # of the address of the kernel's own words
    engine: Untyped


class Doors:
    """Doors that are taken and those that are free."""

    def __init__(self) -> None:
        self._free: list[Door] = []
        self._changing = RLock()  # a kernel may be collected while another takes a door, in the same thread

    def take(self, owner: object, words: int) -> Door:
        """A door to the kernel with its own words at this address, which is free again when its owner is gone."""
        with self._changing:
            if not self._free:
                self._free += _loaded()
            door = self._free.pop()
        ctypes.c_int64.from_address(door.place).value = words
        finalize(owner, self._leave, door).atexit = False
        return door

    def _leave(self, door: Door) -> None:
        with self._changing:
            self._free.append(door)


def _loaded() -> list[Door]:
    engine = load_code(_code())
    table = engine.get_global_value_address(_TABLE)
    names = [(symbol(str(k)), many_symbol(str(k))) for k in range(COUNT)]
    found = [tuple(map(engine.get_function_address, both)) for both in names]
    return [Door(once, many, table + 8 * k, engine) for k, (once, many) in enumerate(found)]


@cache
def _code() -> bytes:
    """Object code of all doors, generated once and kept."""
    key = f"{COUNT} doors"
    kept = USER_CACHE.load_bundle(key)
    if kept is None:
        kept = Bundle(emit_object(_text()), ())
        USER_CACHE.save_bundle(key, kept)
    return kept.code


def _text() -> str:
    bodies = [f"@{_TABLE} = dso_local global [{COUNT} x ptr] zeroinitializer, align 8\n", _many()]
    return module(host(), 1, set(), bodies + [_door(k) for k in range(COUNT)])


def _word(name: str, kind: str = "i64") -> str:
    return (
        f"%at_{name} = getelementptr i64, ptr %self, i64 {SELF.index(name)}\n"
        f"%{name} = load {kind}, ptr %at_{name}, align 8\n"
    )


def _door(k: int) -> str:
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
    """Over groups of lanes, so that Python calls once for many evaluations."""
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
