"""Operators of SX symbols without CasADi's search for the kind of operands: the same expressions."""

import operator
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.symbols.quick_symbols import CONVERSIONS, OPERATORS, quick_symbols

METHODS = {f"__{side}{name}__" for name in OPERATORS for side in ("", "r")} | set(CONVERSIONS)
A, B = ca.SX.sym("a"), ca.SX.sym("b")
COLUMN, OTHER = ca.SX.sym("v", 3), ca.SX.sym("w", 3)
SPARSE = ca.SX(ca.Sparsity.diag(3), ca.SX.sym("d", 3))
PAIRS = [
    (A, B), (A, A), (A, COLUMN), (COLUMN, B), (COLUMN, OTHER), (SPARSE, SPARSE), (SPARSE, A), (A, SPARSE),
    (A, ca.SX(0)), (ca.SX(1), A), (ca.SX(2), ca.SX(3)), (A, 2.0), (2.0, A), (0, A), (A, 1), (COLUMN, 0.5), (True, A),
    (A, np.float64(0.1)), (np.float64(0.1), A), (A, np.int64(3)), (A, np.ones(3)), (COLUMN, ca.DM([1, 2, 3])),
]  # fmt: skip


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_the_expression_is_that_of_casadi(name: str) -> None:
    usual = {"add": ca.plus, "sub": ca.minus, "mul": ca.times, "truediv": ca.rdivide}[name]
    for a, b in PAIRS:
        expected = usual(a, b)
        with quick_symbols():
            found = getattr(operator, name)(a, b)
        assert type(found) is ca.SX and str(found) == str(expected) and found.sparsity() == expected.sparsity()


MATRIX = ca.MX.sym("m", 2)
CALLS = {
    "number of a constant": lambda: ca.DM(ca.SX(3.0)),
    "number of a symbol": lambda: ca.DM(A),
    "symbol of numbers": lambda: ca.SX(ca.DM([1, 2])),
    "float": lambda: float(ca.SX(2)),
    "array": lambda: np.array(ca.SX(2)),
    "array of symbols": lambda: ca.SX(np.array([A, 1.0], dtype=object)),
    "column with numbers": lambda: ca.vertcat(A, ca.DM(3), 2.0),
    "column with a matrix symbol": lambda: ca.vertcat(MATRIX, A),
    "column with a constant and a matrix symbol": lambda: ca.vertcat(MATRIX, ca.SX(1.0)),
    "sum with a matrix symbol": lambda: MATRIX + A,
    "product with numbers": lambda: ca.mtimes(ca.DM(np.eye(3)), COLUMN),
    "product with an array": lambda: ca.mtimes(np.eye(3), COLUMN),
    "array times symbol": lambda: np.eye(3) @ COLUMN,
    "call with symbols": lambda: ca.Function("f", [A], [A * 2])(B),
    "call with a constant": lambda: ca.Function("f", [A], [A * 2])(ca.SX(2)),
    "call with a number": lambda: ca.Function("f", [A], [A * 2])(2),
    "call with a matrix symbol": lambda: ca.Function("f", [A], [A * 2])(MATRIX[0]),
    "call of a function of matrix symbols": lambda: ca.Function("f", [MATRIX], [MATRIX * 2])(COLUMN[:2]),
    "value of a constant": lambda: ca.evalf(ca.SX(2)),
    "truth of a constant": lambda: bool(ca.SX(1)),
    "linear equations": lambda: ca.solve(SPARSE + 1, COLUMN),
    "derivative": lambda: ca.jacobian(COLUMN * A, ca.vertcat(A, COLUMN)),
    "condition": lambda: ca.if_else(A > 0, B, 1.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_casadi_return_the_usual_results(name: str) -> None:
    def answer() -> tuple[type, str]:
        try:
            found = CALLS[name]()
        except (NotImplementedError, TypeError, RuntimeError) as error:
            return type(error), ""
        return type(found), str(found)

    expected = answer()
    with quick_symbols():
        assert answer() == expected


def test_operands_that_do_not_fit_are_refused_as_before() -> None:
    with quick_symbols():
        with pytest.raises((RuntimeError, NotImplementedError)):
            COLUMN * ca.SX.sym("u", 2)
        with pytest.raises((TypeError, NotImplementedError)):
            A + "text"
        with pytest.raises((TypeError, NotImplementedError)):
            A + ca.MX.sym("m")


def test_casadi_is_as_installed_outside() -> None:
    with quick_symbols():
        with quick_symbols():
            assert set(vars(ca.SX)) >= METHODS
            assert not METHODS & (set(vars(ca.DM)) | set(vars(ca.MX)))
        assert set(vars(ca.SX)) >= METHODS
    assert not METHODS & set(vars(ca.SX))
    with pytest.raises(ZeroDivisionError), quick_symbols():
        raise ZeroDivisionError
    assert not METHODS & set(vars(ca.SX))


def test_a_build_leaves_casadi_as_installed_also_from_several_threads() -> None:
    def build(k: int) -> float:
        m = tr.Model(f"pendulum {k}")
        bob = m.body("bob", mass=1.0 + k, com=(0, 0, -1.0))
        m.connect(tr.Revolute("y"), m.ground, bob)
        return float(m.build().accelerations({"bob.angle": 0.5})["bob.angle_acceleration"])

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(build, range(4)))
    assert found == pytest.approx([-9.81 * np.sin(0.5)] * 4, rel=1e-12)
    assert not METHODS & set(vars(ca.SX))
