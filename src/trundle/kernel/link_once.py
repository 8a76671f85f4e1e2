"""Numba's code of a part, with all functions that it calls linked and optimised once, and no machine code.

Numba by itself links and optimises every inner function with all that it calls, makes machine code of it, and does so
again for each function that calls it: for the time loops that is more than half of the work, and none of it is used.
It also asks all its libraries anew what the sum of two numbers is, at each sum: a fifth of what is left.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite.binding import Linkage, ModuleRef, ValueRef
from numba.core.codegen import CodeLibrary, JITCodeLibrary, JITCPUCodegen
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction

from trundle.errors import KernelError
from trundle.typing import Untyped


class Unlinked(JITCodeLibrary):  # type: ignore[misc]
    """The code of one function by itself, simplified; what it calls is known, but not linked in."""

    _shared_module: ModuleRef | None

    def add_linking_library(self, library: CodeLibrary) -> None:
        """Remember a library of which this one calls functions."""
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Nothing is linked, optimised or generated before a part is whole."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No machine code, so no address: as numba has it for a function that only compiled code calls."""
        return 0

    def whole(self) -> ModuleRef:
        """Module of this function and of all that it calls, directly or not, optimised together.

        They are linked while their names are visible from outside, for LLVM leaves out what is not visible and that
        nothing so far calls; then they are as numba makes inner functions: copied into callers, or kept, as it pays.
        """
        whole = self._codegen.create_library(self.name)
        module, inner = whole._final_module, []
        for library in self._with_all_called():
            part = library._final_module
            if library is not self:
                inner += [one.name for one in part.functions if _is_visible(one)]
            module.link_in(part, preserve=True)
        for name in inner:
            module.get_function(name).linkage = "linkonce_odr"
        whole._optimize_final_module()
        module.verify()
        missing = sorted(one.name for one in module.functions if one.is_declaration and one.name.startswith("_Z"))
        if missing:
            raise KernelError(f"{self.name} calls {', '.join(missing)}, for which numba has generated no code.")
        return module

    def _get_module_for_linking(self) -> ModuleRef:
        """What numba links into a function that it compiles outside `linked_once`."""
        module: ModuleRef = self._shared_module or self.whole()
        for one in filter(_is_visible, module.functions):
            one.linkage = "linkonce_odr"
        self._shared_module = module
        return module

    def _with_all_called(self) -> list[CodeLibrary]:
        found: dict[CodeLibrary, None] = {}
        waiting: list[CodeLibrary] = [self]
        while waiting:
            library = waiting.pop()
            if library not in found:
                found[library] = None
                waiting += reversed(library._linking_libraries)
        return list(found)


class _Codegen(JITCPUCodegen):  # type: ignore[misc]
    _library_class = Unlinked

    def set_env(self, env_name: str, env: object) -> None:
        """Python objects of a function are for its machine code, which there is not."""


def _is_visible(function: ValueRef) -> bool:
    return not function.is_declaration and function.linkage == Linkage.external


@contextmanager
def linked_once() -> Iterator[None]:
    """While this holds, numba compiles functions to libraries that are `Unlinked` and remembers operators."""
    context = cpu_target.target_context
    usual = context._internal_codegen
    context._internal_codegen, _functions.get_call_type = _Codegen("trundle"), _remembered
    try:
        yield
    finally:
        context._internal_codegen, _functions.get_call_type = usual, _resolve


_functions: Untyped = BaseFunction
_resolve = _functions.get_call_type
_known: dict[tuple[Untyped, Untyped], Untyped] = {}


def _remembered(function: Untyped, context: Untyped, args: Untyped, kws: Untyped) -> Untyped:
    """Types of what a function takes and returns; remembered where it is one of numba's own, written in LLVM's terms.

    One that is written in Python is compiled as its caller is, so each caller must ask.
    """
    found: Untyped = None if kws else _known.get((function, args))
    if found is None:
        found = _resolve(function, context, args, kws)
        if not kws and function._impl_keys.get(found.args) is function.typing_key:
            _known[function, args] = found
    return found
