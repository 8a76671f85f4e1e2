"""Kernels of the equations: made on first use, and cached on disk under the key of the Spec."""

import sys
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from math import frexp
from pathlib import Path
from typing import TYPE_CHECKING, final

from trundle.equations.breaks import break_function
from trundle.equations.events import event_functions
from trundle.garbage_collection import paused_garbage_collection
from trundle.kernel import (
    USER_CACHE,
    Bundle,
    Kernel,
    Tape,
    host_lanes,
    jacobian_tape,
    load_stored,
    read_tapes,
    store_and_load,
)
from trundle.messages.preparing import preparing
from trundle.symbols.quick_symbols import quick_symbols
from trundle.typing import TapeFunction

if TYPE_CHECKING:
    from trundle.equations.formulation import Formulation

Maker = Callable[["Formulation"], Mapping[str, TapeFunction | Tape]]
"""Returns the functions of (t, x, p) that are compiled together, by name, as functions or as tapes; None for one that
the model does not need."""


def base(f: "Formulation") -> dict[str, TapeFunction | Tape]:
    """Kernels that every run needs."""
    functions = f.run_functions
    rhs = functions.rhs()
    read = rhs if functions.rows else functions.plain_tape
    breaks = break_function(rhs, functions.equations.p, f.model.breaks)
    return {"rhs": read, "project": functions.project(), "breaks": breaks, "energy": functions.energy()}


def lanes(f: "Formulation") -> dict[str, TapeFunction]:
    """Kernels for many runs at once."""
    return {"rhs": f.run_functions.rhs(), "project": f.run_functions.project()}


def stiff(f: "Formulation") -> dict[str, TapeFunction | Tape]:
    """Kernels that implicit methods need in addition to `base`, whose right-hand side they use if there are no rows."""
    plain = f.functions.plain_tape
    rhs = plain if f.functions.rows else None
    return {"rhs": rhs, "jacobian": jacobian_tape(plain), "metric": f.functions.metric()}


def events(f: "Formulation") -> dict[str, TapeFunction]:
    """Event functions, their bounds, jumps, collisions."""
    return event_functions(f.model, f.run_functions)


@cache
def source_of(module: str) -> str:
    """Digest of the code of a module; empty if it has no file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return "" if file is None else sha256(Path(file).read_bytes()).hexdigest()


MAKERS: dict[str, Maker] = {"base": base, "lanes": lanes, "stiff": stiff, "events": events}


@final
class KernelStore:
    """Kernels of one formulation by kind."""

    def __init__(self, formulation: "Formulation") -> None:
        self._of = formulation
        self._kernels: dict[str, dict[str, Kernel]] = {}
        self._tapes: dict[str, dict[str, Tape]] = {}  # read, not compiled yet
        self._state_size: int | None = None

    def __call__(self, kind: str, make: Maker | None = None, wide: bool = False) -> dict[str, Kernel]:
        """Kernels of a kind: one of MAKERS, or made by `make`; wide ones for the SIMD lanes of this processor."""
        if kind not in self._kernels:
            self._kernels[kind] = self._load(kind, make or MAKERS[kind], host_lanes() if wide else 1)
        return self._kernels[kind]

    def state_size(self) -> int:
        """Length of the state vector; on first use everything that a run needs is derived and checked. Machine code is
        made only when needed: accelerations or modes, for example, need none.
        """
        if self._state_size is not None:
            return self._state_size
        key = f"sizes {self._key('base', 1)}"
        kept = USER_CACHE.load_bundle(key)
        found = None if kept is None else kept.meta.get("n_x")
        if not isinstance(found, int):
            with preparing(f"the equations of the model {self._of.model.name!r}"):
                self._tapes["base"] = self._read(base)
            found = self._tapes["base"]["rhs"].n_x
            USER_CACHE.save_bundle(key, Bundle(b"", (), {"n_x": found}))
        self._state_size = found
        return found

    def compile(self) -> None:
        """Generate machine code of all kernels used so far now, not when it pays."""
        with preparing(f"machine code of the model {self._of.model.name!r}, kept for next time"):
            for kernels in self._kernels.values():
                for kernel in kernels.values():
                    if kernel.threaded is not None:
                        kernel.threaded.compile()

    def _load(self, kind: str, make: Maker, lanes: int) -> dict[str, Kernel]:
        key, owner = self._key(kind, lanes), f" of the model {self._of.model.name!r}"
        if make is not MAKERS.get(kind):
            key += f" {source_of(make.__module__)}"  # the cache itself depends on the code of the equations only
        kept = load_stored(key, owner)
        if kept is not None:
            return kept
        with preparing(f"the equations{owner} ({kind}), kept for next time"), paused_garbage_collection():
            return store_and_load(key, self._tapes.pop(kind, {}) or self._read(make), lanes, owner)

    def _read(self, make: Maker) -> dict[str, Tape]:
        with quick_symbols():
            functions = {name: function for name, function in make(self._of).items() if function is not None}
        return read_tapes(functions)

    def _key(self, kind: str, lanes: int) -> str:
        f = self._of
        tree = [joint.connection.name for joint in f.topology.tree]
        key = f"{f.spec.key} {f.formalism} {kind} {tree} {f.mobility.redundant} {f.mobility.exchanged}"
        key += f" {frexp(f.length)[1]}"  # rows are scaled by it, and it depends on the defaults of parameters
        return key + (f" {lanes} lanes" if lanes > 1 else "")
