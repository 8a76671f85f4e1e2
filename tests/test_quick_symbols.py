"""Operators of SX symbols without CasADi's search for the kind of operands: the same expressions."""

import operator

import casadi as ca
import numpy as np
import pytest

from trundle.quick_symbols import OPERATORS, quicken

quicken()
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
        found, expected = getattr(operator, name)(a, b), usual(a, b)
        assert type(found) is ca.SX and str(found) == str(expected) and found.sparsity() == expected.sparsity()


def test_operands_that_do_not_fit_are_refused_as_before() -> None:
    with pytest.raises((RuntimeError, NotImplementedError)):
        COLUMN * ca.SX.sym("u", 2)
    with pytest.raises((TypeError, NotImplementedError)):
        A + "text"
    with pytest.raises((TypeError, NotImplementedError)):
        A + ca.MX.sym("m")


def test_numbers_and_other_symbols_keep_their_operators() -> None:
    names = {f"__{side}{name}__" for name in OPERATORS for side in ("", "r")}
    assert names <= set(vars(ca.SX))
    assert not names & (set(vars(ca.DM)) | set(vars(ca.MX)))
    before = vars(ca.SX)["__add__"]
    quicken()
    assert vars(ca.SX)["__add__"] is before
