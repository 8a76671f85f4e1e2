"""Inner functions are linked and optimised once, in what calls them: none is lost, and numba keeps working as usual."""

from ctypes import CFUNCTYPE, addressof, c_double, c_int32, c_void_p
from typing import Any

import pytest
from llvmlite import binding as llvm
from numba import njit, types
from numba.core.types.functions import BaseFunction

from trundle.errors import KernelError
from trundle.kernel import compiled, link_once
from trundle.kernel.link_once import Unlinked, linked_once

inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)


@inner
def cube(x: float) -> float:
    return x * x * x


@inner
def shifted(x: float, cubed: bool) -> float:
    return cube(x) + 1.0 if cubed else x + 1.0


@inner
def two_cubes(x: float) -> float:
    return cube(x) + cube(2.0 * x)


@inner
def both(x: float) -> float:
    """The first call needs no `cube`, though its library names that of `cube` before the second one does."""
    return shifted(x, False) + two_cubes(x)


def library(function: Any) -> Unlinked:
    with linked_once():
        function.compile((types.float64,))
    return function.overloads[(types.float64,)].library


def called(function: Any, x: float) -> float:
    """Result of the machine code of the whole module: a status, and the value behind the first pointer."""
    module = llvm.parse_bitcode(library(function).whole().as_bitcode())
    engine = llvm.create_mcjit_compiler(module, compiled._machine())
    address = engine.get_function_address(function.overloads[(types.float64,)].fndesc.mangled_name)
    value, error = c_double(), c_void_p()
    call = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_double)(address)
    assert call(addressof(value), addressof(error), x) == 0
    return value.value


def test_every_function_that_is_called_is_there() -> None:
    assert called(both, 3.0) == 3.0 + 1.0 + 27.0 + 216.0


def test_one_name_is_seen_from_outside() -> None:
    defined = [one for one in library(both).whole().functions if not one.is_declaration]
    (seen,) = [one.name for one in defined if one.linkage == llvm.Linkage.external]
    assert "both" in seen


def test_a_function_without_code_is_named() -> None:
    lonely = library(two_cubes)
    known, lonely._linking_libraries = lonely._linking_libraries, []
    try:
        with pytest.raises(KernelError, match=r"two_cubes calls .*cube.* numba has generated no code"):
            lonely.whole()
    finally:
        lonely._linking_libraries = known


def test_numba_itself_works_as_before() -> None:
    library(both)
    outer = njit(lambda x: both(x) + cube(x))
    assert outer(3.0) == 247.0 + 27.0
    assert njit(lambda x: x + 1)(2) == 3


def test_operators_are_resolved_once_and_functions_in_python_by_each_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    resolve = link_once._resolve

    def counted(function: Any, context: Any, args: Any, kws: Any) -> Any:
        asked.append(f"{getattr(function.typing_key, '__name__', '')}{args}")
        return resolve(function, context, args, kws)

    monkeypatch.setattr(link_once, "_resolve", counted)
    monkeypatch.setattr(BaseFunction, "get_call_type", resolve)  # put back afterwards
    monkeypatch.setattr(link_once, "_known", {})
    for k in range(3):
        library(njit(lambda x: max(x, 1.5) * x * x * x - k))  # noqa: B023
    assert asked.count("mul(float64, float64)") == 1
    assert asked.count("max(float64, float64)") >= 3
    assert BaseFunction.get_call_type is counted  # what it was before, for numba's other work
