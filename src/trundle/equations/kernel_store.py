"""Machine code of the equations: compiled when first asked for, and kept on disk under the key of the Spec."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from math import frexp
from typing import TYPE_CHECKING, final

from trundle.equations.breaks import break_function
from trundle.equations.events import event_functions
from trundle.errors import KernelError
from trundle.kernel import USER_CACHE, Bundle, Kernel, Tape, compile_tapes, host_lanes, read_tapes
from trundle.preparing import preparing
from trundle.quick_symbols import quick_symbols
from trundle.typing import TapeFunction

if TYPE_CHECKING:
    from trundle.equations.formulation import Formulation

Maker = Callable[["Formulation"], Mapping[str, TapeFunction]]
"""Gives the functions of (t, x, p) that are compiled together, by name; None for one that the model does not need."""


def base(f: "Formulation") -> dict[str, TapeFunction]:
    """What every run needs."""
    rhs = f.functions.rhs()
    breaks = break_function(rhs, f.functions.equations.p, f.model.breaks)
    return {"rhs": rhs, "project": f.functions.project(), "breaks": breaks, "energy": f.functions.energy()}


def lanes(f: "Formulation") -> dict[str, TapeFunction]:
    """What many runs at once need."""
    return {"rhs": f.functions.rhs(), "project": f.functions.project()}


def stiff(f: "Formulation") -> dict[str, TapeFunction]:
    """What implicit methods need beside `base`; without rows its right-hand side is the plain one already."""
    plain = f.functions.plain_rhs() if f.functions.rows else None
    return {"rhs": plain, "jacobian": f.functions.jacobian(), "metric": f.functions.metric()}


def events(f: "Formulation") -> dict[str, TapeFunction]:
    """Event functions, their bounds, jumps, collisions."""
    return event_functions(f.model, f.functions)


OPEN_CONTACTS = 12
"""Rows of contacts that open, slip and stick, of all that may act at once, from which on code is generated quickly."""
MAKERS: dict[str, Maker] = {"base": base, "lanes": lanes, "stiff": stiff, "events": events}


@final
class KernelStore:
    """Kernels of one formulation by kind."""

    def __init__(self, formulation: "Formulation") -> None:
        self._of = formulation
        self._kernels: dict[str, dict[str, Kernel]] = {}
        self._tapes: dict[str, dict[str, Tape]] = {}  # read, not compiled yet
        self._state_size: int | None = None

    def __call__(
        self, kind: str, make: Maker | None = None, wide: bool = False, seldom: bool = False
    ) -> dict[str, Kernel]:
        """Kernels of a kind: one of MAKERS, or what `make` gives; wide ones for the SIMD lanes of this processor.
        What is `seldom` evaluated (at samples, not at every step) is generated quickly.
        """
        if kind not in self._kernels:
            self._kernels[kind] = self._load(kind, make or MAKERS[kind], host_lanes() if wide else 1, seldom)
        return self._kernels[kind]

    def state_size(self) -> int:
        """Length of the state vector, for which all that a run needs is derived and checked. Machine code is made when
        it is first needed: many questions, as those for accelerations or modes, need none.
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

    def prepare(self, kinds: Sequence[str]) -> None:
        """Several kinds of MAKERS: while code of one is generated, which needs no Python, the next is derived."""
        keys = {kind: self._key(kind, 1) for kind in kinds if kind not in self._kernels}
        kept = {kind: self._kept(key) for kind, key in keys.items()}
        self._kernels |= {kind: found for kind, found in kept.items() if found is not None}
        missing = [kind for kind, found in kept.items() if found is None]
        if not missing:
            return
        with self._preparing(" and ".join(missing)), ThreadPoolExecutor(1) as worker:
            tasks: dict[str, Future[Bundle]] = {}
            for kind in missing:
                tapes = self._tapes.pop(kind, None) or self._read(MAKERS[kind])
                tasks[kind] = worker.submit(compile_tapes, tapes, quick=self._is_quick())
            for kind, task in tasks.items():
                self._kernels[kind] = self._keep(keys[kind], task.result())

    def _load(self, kind: str, make: Maker, lanes: int, seldom: bool) -> dict[str, Kernel]:
        key = self._key(kind, lanes)
        kept = self._kept(key)
        if kept is not None:
            return kept
        with self._preparing(kind):
            tapes = self._tapes.pop(kind, None) or self._read(make)
            return self._keep(key, compile_tapes(tapes, lanes, quick=lanes == 1 and (seldom or self._is_quick())))

    def _keep(self, key: str, bundle: Bundle) -> dict[str, Kernel]:
        USER_CACHE.save_bundle(key, bundle)
        return bundle.load()

    def _kept(self, key: str) -> dict[str, Kernel] | None:
        """Kernels of the cache."""
        bundle = USER_CACHE.load_bundle(key)
        try:
            return None if bundle is None else bundle.load()
        except (KernelError, RuntimeError):  # code that is not what it should be is made anew
            return None

    def _preparing(self, kind: str) -> AbstractContextManager[None]:
        return preparing(f"machine code of the model {self._of.model.name!r} ({kind}), kept for next time")

    def _is_quick(self) -> bool:
        return len(self._of.equations.switched) >= OPEN_CONTACTS

    def _read(self, make: Maker) -> dict[str, Tape]:
        with quick_symbols():
            functions = {name: function for name, function in make(self._of).items() if function is not None}
        return read_tapes(functions)

    def _key(self, kind: str, lanes: int) -> str:
        f = self._of
        tree = [joint.connection.name for joint in f.topology.tree]
        key = f"{f.spec.key} {f.formalism} {kind} {tree} {f.mobility.redundant} {f.mobility.exchanged}"
        key += f" {frexp(f.length)[1]}"  # rows are scaled by it, and it follows the defaults of the parameters
        return key + (f" {lanes} lanes" if lanes > 1 else "")
