"""Every derivative of an expression goes through `trundle.derivative`."""

import re
from pathlib import Path

import casadi as ca
import numpy as np

import trundle
from trundle.derivative import derivative, derivative_along

SOURCE = Path(trundle.__file__).parent
CALLS = re.compile(r"\b(?:ca|casadi)\.(?:jacobian|jtimes|gradient|hessian|tangent|linearize|jacobian_sparsity)\b")
METHODS = re.compile(r"\.(?:jacobian_old|hessian_old|factory)\(")


def test_no_other_file_differentiates() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name != "derivative.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if CALLS.search(line) or METHODS.search(line)
    ]
    assert not found, "take these from trundle.derivative: " + "; ".join(found)


def test_the_search_finds_such_a_call() -> None:
    assert CALLS.search("P = ca.jacobian(e.position_rates(), e.u)")
    assert CALLS.search("    return casadi.jtimes(x, q, v)")
    assert not CALLS.search("self.contact.jacobian()")


def test_partial_derivatives_and_change_along_a_direction() -> None:
    """Of (x y, x^2) at (3, 5): rows (5, 3) and (6, 0)."""
    x = ca.SX.sym("x", 2)
    value = ca.vertcat(x[0] * x[1], x[0] ** 2)
    f = ca.Function("f", [x], [derivative(value, x), derivative_along(value, x, ca.vertcat(2, -1))])
    matrix, change = (np.array(v) for v in f([3, 5]))
    assert np.array_equal(matrix, [[5, 3], [6, 0]])
    assert np.array_equal(change.ravel(), [7, 12])
