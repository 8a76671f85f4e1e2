"""Value numbering: equal values are computed once, signs and constants are factored out, outputs are dense."""

from collections import Counter
from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from trundle.kernel import Tape, read_tape
from trundle.kernel.codes import CODE, OUTPUT
from trundle.kernel.interpret import interpret
from trundle.kernel.numbering import numbered
from trundle.kernel.read_tape import leaves_of

T, X, P = ca.SX.sym("t"), ca.SX.sym("x", 3), ca.SX.sym("p", 1)
A, B, C = X[0], X[1], X[2]


def tape_of(*outputs: ca.SX) -> Tape:
    return read_tape(ca.Function("f", [T, X, P], list(outputs)))


def counts(tape: Tape) -> Counter[str]:
    return Counter(op for op, _, _ in tape.operations if op not in ("t", "x", "p", "const", "sin", "cos"))


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ((A * B, B * A), {"mul": 1}),
        ((A + B, B + A), {"add": 1}),
        ((ca.sin(A), ca.cos(A)), {"sincos": 1}),
        ((ca.sin(A), ca.sin(-A)), {"sincos": 1, "neg": 1}),
        ((ca.cos(A), ca.cos(-A)), {"sincos": 1}),
        ((A * B, -A * B), {"mul": 1, "neg": 1}),
        ((A * B, (-A) * (-B)), {"mul": 1}),
        ((A - B, B - A), {"sub": 1, "neg": 1}),
        ((A + A, 2 * A), {"mul": 1}),
        ((A**2, A * A), {"mul": 1}),
        ((1 / A, A**-1), {"div": 1}),
        ((A + B * C, A - (-B) * C), {"mul": 1, "add": 1}),
        ((ca.fabs(A), ca.fabs(-A)), {"fabs": 1}),
        ((A / 4, A * 0.25), {"mul": 1}),
    ],
)
def test_equal_values_meet(pair: tuple[ca.SX, ca.SX], expected: dict[str, int]) -> None:
    assert counts(tape_of(*pair)) == expected


def test_constants_are_folded() -> None:
    two = ca.SX.sym("two")
    expression = ca.substitute(ca.sin(two) * two + ca.sqrt(two), two, 2.0)
    tape = tape_of(expression + A * 0)
    assert counts(tape) == {}
    assert interpret(tape, 0.0, [1.0, 2.0, 3.0], [0.0])[0] == pytest.approx(2 * np.sin(2) + np.sqrt(2), rel=1e-15)


def test_dead_operations_are_removed() -> None:
    function = ca.Function("f", [T, X, P], [A + B, ca.exp(C)])
    tape = read_tape(ca.Function("g", [T, X, P], [function(T, X, P)[0] + 0 * ca.exp(C)]))
    assert counts(tape) == {"add": 1}


def test_many_divisions_by_one_value_become_one() -> None:
    tape = tape_of(A / C, B / C, (A + B) / C)
    assert counts(tape) == {"div": 1, "mul": 3, "add": 1}
    assert counts(tape_of(A / C, B / C)) == {"div": 2}
    assert counts(tape_of(A / C, B / C, 1 / C)) == {"div": 1, "mul": 2}
    np.testing.assert_allclose(interpret(tape, 0.0, [1.0, 2.0, 7.0], [0.0]), [1 / 7, 2 / 7, 3 / 7], rtol=1e-15)


def test_signed_zero_and_nan_are_constants_like_others() -> None:
    const, output = CODE["const"], OUTPUT
    rows = [row for k in range(4) for row in ((const, k, -1, -1), (output, k, k, -1))]
    numbers = np.repeat([0.0, -0.0, np.nan, float("nan")], 2)
    *_, found = numbered(np.array(rows), numbers, leaves_of(0, 0), 4)
    assert found[0] != found[1] and found[2] == found[3]


def test_outputs_are_dense_column_by_column() -> None:
    sparse = ca.SX(2, 3)
    sparse[1, 0], sparse[0, 2] = A, B
    tape = tape_of(sparse, C)
    np.testing.assert_array_equal(interpret(tape, 0.0, [1.0, 2.0, 3.0], [0.0]), [0, 1, 0, 0, 2, 0, 3])


def test_a_function_without_outputs_is_an_empty_tape() -> None:
    for function in (ca.Function("f", [T, X, P], []), ca.Function("f", [T, X, P], [ca.SX(0, 1)])):
        tape = read_tape(function)
        assert tape.operations == () and tape.outputs == () and tape.n_operations == 0


def test_operands_stand_before_their_use(tangle: Callable[..., ca.Function]) -> None:
    tape = read_tape(tangle())
    for v, (op, a, b) in enumerate(tape.operations):
        assert op in ("t", "x", "p", "const") or (a < v and b < v)
        assert op not in ("sin", "cos") or tape.operations[v - 1][0] in ("sincos", "sin")


def test_numbering_shortens_a_real_function(tangle: Callable[..., ca.Function]) -> None:
    function = tangle()
    tape = read_tape(function)
    assert tape.n_operations < 0.9 * function.n_instructions()
    rng = np.random.default_rng(3)
    t, x, p = 0.3, rng.normal(size=6), rng.normal(size=2)
    expected = np.concatenate([np.array(ca.densify(o)).ravel(order="F") for o in function(t, x, p)])
    np.testing.assert_allclose(interpret(tape, t, x, p), expected, rtol=1e-12, atol=1e-12)
