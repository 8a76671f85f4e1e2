"""LLVM code of a numba function and of all functions that it calls, linked and optimised once, without machine code.

By default numba links and optimises every inner function with all functions that it calls and generates its machine
code, again for each caller: more than half of the compile time of the time loops, for code that is not used. It also
resolves the types of each operator anew wherever it occurs: a fifth of the remaining time.
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
    """The simplified code of one function; the functions that it calls are recorded, but not linked in."""

    _shared_module: ModuleRef | None

    def add_linking_library(self, library: CodeLibrary) -> None:
        """Remember a library whose functions this one calls."""
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Nothing is linked, optimised or generated before a part is complete."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0: there is no machine code, as for a function that only compiled code calls."""
        return 0

    def whole(self) -> ModuleRef:
        """Module of this function and of all that it calls, directly or not, optimised together.

        They are linked with external linkage, because LLVM drops internal functions that nothing calls yet; then they
        get the linkage of numba's inner functions, so that LLVM may inline them.
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
        """The module that numba links into a function compiled outside `linked_once`."""
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
        """Nothing: Python objects of a function are needed by its machine code only."""


def _is_visible(function: ValueRef) -> bool:
    return not function.is_declaration and function.linkage == Linkage.external


@contextmanager
def linked_once() -> Iterator[None]:
    """Context in which numba compiles functions to `Unlinked` libraries and caches the types of operators."""
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
    """Types of arguments and result of a function; cached for numba's own functions that are written in LLVM IR.

    Functions written in Python are compiled with the options of their caller, so each call is resolved.
    """
    found: Untyped = None if kws else _known.get((function, args))
    if found is None:
        found = _resolve(function, context, args, kws)
        if not kws and function._impl_keys.get(found.args) is function.typing_key:
            _known[function, args] = found
    return found
