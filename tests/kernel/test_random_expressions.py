"""Random expressions full of repeated, negated and constant parts: every identity of the numbering must hold."""

import casadi as ca
import numpy as np
import pytest

from trundle.kernel import compile_kernels, read_tape, store_and_load
from trundle.kernel.interpret import interpret

RULES = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: -a,
    lambda a, b: a / (1 + b * b),
    lambda a, b: ca.sin(a) - ca.cos(-a),
    lambda a, b: ca.tanh(a) * ca.fabs(-b),
    lambda a, b: ca.fmin(a, b) + ca.fmax(-a, b),
    lambda a, b: ca.if_else(ca.logic_and(a < b, ca.logic_not(b > 1)), a, ca.sqrt(1 + b * b)),
    lambda a, b: 2 * ca.tanh(a) - ca.tanh(a) - 0.5 * b,
    lambda a, b: (b - a) * (a - b) / 4,
    lambda a, b: ca.tanh(a) ** 3 - 1.5,
]


def random_function(seed: int, size: int = 120) -> ca.Function:
    rng = np.random.default_rng(seed)
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 4), ca.SX.sym("p", 2)
    values = [t, *ca.vertsplit(x), *ca.vertsplit(p), ca.SX(1), ca.SX(0), ca.SX(-2.5)]
    while len(values) < size:
        a, b = (values[k] for k in rng.integers(max(0, len(values) - 25), len(values), 2))
        # Bounded, so that no value grows until rounding decides a comparison.
        values.append(3 * ca.tanh(RULES[rng.integers(len(RULES))](a, b) / 3) if rng.random() < 0.3 else a - b)
        values.append(RULES[rng.integers(3)](values[-1], b) / 2)
    return ca.Function("f", [t, x, p], [ca.vertcat(*values[-20:]), ca.jacobian(values[-1], x)])


@pytest.mark.parametrize("seed", range(12))
def test_kernel_interpreter_and_casadi_agree(seed: int) -> None:
    function = random_function(seed)
    tape = read_tape(function)
    kernel = compile_kernels({"f": function}, cache=None)["f"]
    threaded = store_and_load("f", {"f": tape})["f"]
    rng = np.random.default_rng(100 + seed)
    for _ in range(5):
        t, x, p = rng.normal(), rng.normal(size=4), rng.normal(size=2)
        expected = np.concatenate([np.array(ca.densify(o)).ravel(order="F") for o in function(t, x, p)])
        assert np.isfinite(expected).all()
        scale = 1e-12 * (1 + np.abs(expected).max())
        np.testing.assert_allclose(interpret(tape, t, x, p), expected, rtol=1e-12, atol=scale)
        np.testing.assert_allclose(kernel(t, x, p), expected, rtol=1e-12, atol=scale)
        np.testing.assert_array_equal(threaded(t, x, p), kernel(t, x, p))
