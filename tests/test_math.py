"""The functions of tr.*: the same on numbers, on symbols and in expressions."""

import math

import casadi as ca
import pytest

import trundle as tr
from trundle.math import CONSTANTS, FUNCTIONS

REFERENCE = {
    "degrees": math.radians, "rpm": lambda x: x * math.pi / 30, "kmh": lambda x: x / 3.6,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "exp": math.exp, "log": math.log, "sqrt": math.sqrt,
    "abs": abs, "sign": lambda x: math.copysign(1.0, x), "floor": math.floor, "ceil": math.ceil, "atan2": math.atan2,
    "min": min, "max": max, "where": lambda c, a, b: a if c else b, "step": lambda x: 1.0 if x >= 0 else 0.0,
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_agrees_with_its_meaning_on_numbers_and_symbols(name):
    function = FUNCTIONS[name]
    arguments = (0.3, 0.7, -0.2)[: function.fewest]
    expected = REFERENCE[name](*arguments)
    value = function.call(*arguments)
    assert isinstance(value, float)
    assert value == pytest.approx(expected, rel=1e-15)
    symbols = [ca.SX.sym(f"a{i}") for i in range(len(arguments))]
    on_symbols = ca.Function("f", symbols, [function.call(*symbols)])
    assert float(on_symbols(*arguments)) == pytest.approx(expected, rel=1e-15)


def test_every_function_of_expressions_is_exported():
    for name in (*FUNCTIONS, *CONSTANTS):
        assert getattr(tr, name) is (FUNCTIONS[name].call if name in FUNCTIONS else CONSTANTS[name])


def test_where_leaves_alone_what_it_does_not_take():
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [tr.where(x > 0, tr.log(x), -1.0)])
    assert float(f(-1.0)) == -1.0
    assert float(f(math.e)) == pytest.approx(1.0)


def test_step_and_many_arguments():
    assert [tr.step(v) for v in (-1e-9, 0.0, 2.0)] == [0.0, 1.0, 1.0]
    assert tr.min(3.0, 1.0, 2.0) == 1.0
    assert tr.max(3.0, 1.0, 5.0, 2.0) == 5.0
