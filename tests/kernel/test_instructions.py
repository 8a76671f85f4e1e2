"""Instructions of a function: read from CasADi's text, and queried one by one."""

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from trundle.lookup.node import look_up
from trundle.symbols import instructions as module
from trundle.symbols.instructions import Instructions, instructions

T, X, P = ca.SX.sym("t"), ca.SX.sym("x", 6), ca.SX.sym("p", 2)


def from_text(function: ca.Function) -> Instructions:
    found = module._from_text(function)
    assert found is not None, "the text of this version of CasADi has another form: functions are read slowly"
    return found


def equal(a: Instructions, b: Instructions) -> bool:
    constants, calls = a.rows[:, 0] == ca.OP_CONST, a.rows[:, 0] == ca.OP_CALL
    parts = np.ones_like(a.rows, dtype=bool)
    parts[constants, 2:] = parts[calls, 1:] = False
    same = np.array_equal(a.numbers[constants], b.numbers[constants], equal_nan=True)
    return same and np.array_equal(a.rows[parts], b.rows[parts]) and list(a) == list(b)


@pytest.mark.parametrize("rounds", [1, 3, 12])
def test_both_ways_give_the_same(tangle: Callable[..., ca.Function], rounds: int) -> None:
    function = tangle(rounds)
    assert equal(from_text(function), module._one_by_one(function))


def test_numbers_with_all_their_bits() -> None:
    numbers = [np.pi, -0.1, 1e300, -5e-324, np.inf, np.nan]
    function = ca.Function(
        "f", [T, X, P], [ca.vertcat(*[x * c for x, c in zip(ca.vertsplit(X), numbers, strict=True)])]
    )
    read = from_text(function)
    found = read.numbers[read.rows[:, 0] == ca.OP_CONST]
    np.testing.assert_array_equal(found, [c for c in numbers if c in found or np.isnan(c)])
    assert len(found) == len(numbers) and equal(read, module._one_by_one(function))


def test_look_ups_are_calls_with_the_registers_given_by_casadi() -> None:
    numbers = [look_up(P[0], [angle], 3) for angle in (ca.sin(X[0]), X[1])]
    function = ca.Function("f", [T, X, P], [numbers[0][1] * X[2] + ca.sumsqr(numbers[1])])
    found = from_text(function)
    assert np.count_nonzero(found.rows[:, 0] == ca.OP_CALL) == 2 and equal(found, module._one_by_one(function))


@pytest.mark.parametrize(
    "change", [lambda s: s[1:], lambda s: s.replace("b", "c"), lambda s: "", lambda s: s[: len(s) // 2]]
)
def test_another_form_of_text_is_not_believed(
    tangle: Callable[..., ca.Function], monkeypatch: pytest.MonkeyPatch, change: Callable[[str], str]
) -> None:
    function = tangle(12)
    expected = module._one_by_one(function)

    class Changed:
        def __getattr__(self, name: str) -> object:
            return (lambda: change(function.serialize())) if name == "serialize" else getattr(function, name)

    assert equal(instructions(Changed()), expected)
