"""Active rows, solved numerically, against the same equations solved on the tape and against numpy."""

import casadi as ca
import numpy as np
import pytest

from trundle.derivative import derivative
from trundle.kernel import compile_kernels, read_tape
from trundle.kernel.interpret import interpret
from trundle.kernel.stored_kernels import store_and_load
from trundle.linear_algebra.active_rows import ActiveRows
from trundle.linear_algebra.kkt import KKT, KKTRow, Sparse, dense

BODIES, CONTACTS, SPEEDS = 3, 5, 3  # each body has so many speeds
N = BODIES * SPEEDS
SHIFT = 1e-12


class Bodies:
    """Bodies with coupled speeds, contacts between neighbours and with the ground, some with friction, and a row that
    lasts; all numbers are inputs of the functions.
    """

    def __init__(self, seed: int, several: bool = True) -> None:
        rng = np.random.default_rng(seed)
        self.t, self.x, self.p = ca.SX.sym("t"), ca.SX.sym("x", N), ca.SX.sym("p", 4 * CONTACTS)
        closed, stick, angle, share = (self.p[k * CONTACTS : (k + 1) * CONTACTS] for k in range(4))
        self.M: list[Sparse] = [{} for _ in range(N)]
        for body in range(BODIES):
            root = rng.normal(size=(SPEEDS, SPEEDS))
            block = root @ root.T + SPEEDS * np.eye(SPEEDS)
            for i in range(SPEEDS):
                for j in range(SPEEDS):
                    self.M[SPEEDS * body + i][SPEEDS * body + j] = ca.SX(block[i, j])
        self.rows: list[KKTRow] = []
        self.shares: Sparse = {}
        for c in range(CONTACTS):
            touching = [body for body in (c % BODIES, c % BODIES + c // BODIES) if body < BODIES]
            at = sorted({SPEEDS * body + i for body in touching for i in range(SPEEDS)})
            x_row, y_row, normal = ({k: rng.normal() + 0.1 * self.x[k] for k in at} for _ in range(3))
            push = 0.2 * (1 - stick[c])
            slides = {k: normal[k] - push * (ca.cos(angle[c]) * x_row[k] + ca.sin(angle[c]) * y_row[k]) for k in at}
            loop, scale = ("contact", c), 1.0 + c
            self.rows += [KKTRow(r, loop, scale, closed[c] * stick[c], None, several) for r in (x_row, y_row)]
            self.rows.append(KKTRow(normal, loop, scale, closed[c], slides if c else None, several))
            self.shares[len(self.rows) - 1] = share[c]
        self.rows.append(KKTRow({0: ca.SX(1), N - 1: 0.3 + self.x[1]}, "tie"))
        self.b = {k: rng.normal() + self.x[k] for k in range(N)}
        self.c = {i: rng.normal() * self.x[0] for i in range(len(self.rows))}

    def functions(self, solver: KKT | ActiveRows) -> dict[str, ca.Function]:
        found = solver.solve_with_friction(self.b, self.c, self.shares)
        outputs = [dense(found.x, N), dense(found.multipliers, len(self.rows)), *found.unique, *found.solvable]
        return {
            "motion": self._function("motion", outputs),
            "change": self._function("change", [dense(solver.least_change(self.c), N)]),
        }

    def _function(self, name: str, outputs: list[ca.SX]) -> ca.Function:
        return ca.Function(name, [self.t, self.x, self.p], [ca.densify(ca.vertcat(*outputs))])

    @property
    def tape(self) -> KKT:
        return KKT(self.M, self.rows, list(range(N)), ca.SX(SHIFT))

    @property
    def numbers(self) -> ActiveRows:
        return ActiveRows(self.M, self.rows, list(range(N)), ca.SX(SHIFT))


def drawn(rng: np.random.Generator, closed: int) -> tuple[np.ndarray, np.ndarray]:
    """A state, and modes in which so many contacts are closed."""
    modes = np.zeros((4, CONTACTS))
    on = rng.permutation(CONTACTS)[:closed]
    modes[0, on] = 1
    modes[1, on] = rng.random(closed) < 0.5
    modes[2] = rng.uniform(-np.pi, np.pi, CONTACTS)
    modes[3, on] = 0.1 * rng.normal(size=closed)
    return rng.normal(size=N), modes.ravel()


@pytest.mark.parametrize("closed", range(CONTACTS + 1))
@pytest.mark.parametrize("several", [True, False])
def test_the_same_as_on_the_tape(closed: int, several: bool) -> None:
    """Of up to 16 rows on 9 speeds many are redundant: motions agree, and so do the smallest multipliers."""
    bodies, rng = Bodies(closed, several), np.random.default_rng(closed)
    tape, numbers = bodies.functions(bodies.tape), bodies.functions(bodies.numbers)
    for _ in range(5 if several else 5 * (closed < 3)):  # what is not shared may not be redundant
        x, p = drawn(rng, closed)
        for name in tape:
            expected, found = (np.array(f[name](0, x, p)).ravel() for f in (tape, numbers))
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8 * np.abs(expected).max())


def test_solution_agrees_with_numpy() -> None:
    """Contacts of two bodies with the ground, all of their rows independent: a system of equations like any other."""
    bodies, rng = Bodies(7, several=False), np.random.default_rng(7)
    f = bodies.functions(bodies.numbers)["motion"]
    given = ca.Function("given", [bodies.x, bodies.p], [
        ca.vertcat(*[dense(r, N).T for r in bodies.M]), ca.vertcat(*[dense(r.jacobian, N).T for r in bodies.rows]),
        ca.vertcat(*[dense(r.column or r.jacobian, N).T for r in bodies.rows]), dense(bodies.b, N),
        dense(bodies.c, len(bodies.rows)), ca.vertcat(*[1 if r.active is None else r.active for r in bodies.rows]),
    ])  # fmt: skip
    for _ in range(10):
        x, p = drawn(rng, 0)
        p[:2] = 1  # closed
        p[CONTACTS : CONTACTS + 2] = rng.random(2) < 0.5
        M, J, C, b, c, active = (np.array(v) for v in given(x, p))
        on = active.ravel() != 0
        m = int(on.sum())
        whole = np.block([[M, -C[on].T], [J[on], np.zeros((m, m))]])
        expected = np.linalg.solve(whole, np.concatenate([b.ravel(), c.ravel()[on]]))
        found = np.array(f(0, x, p)).ravel()
        np.testing.assert_allclose(found[:N], expected[:N], rtol=1e-9, atol=1e-9)
        multipliers = found[N : N + len(on)]
        np.testing.assert_allclose(multipliers[on], expected[N:], rtol=1e-9, atol=1e-9)
        assert not multipliers[~on].any()


@pytest.mark.parametrize("lanes", [1, 4])
def test_machine_code_threaded_code_and_the_interpreter_agree_to_the_bit(lanes: int) -> None:
    bodies, rng = Bodies(3), np.random.default_rng(3)
    functions = bodies.functions(bodies.numbers)
    compiled = compile_kernels(functions, lanes, cache=None)
    threaded = store_and_load(f"rows that act, {lanes}", {n: read_tape(f) for n, f in functions.items()}, lanes)
    states = [drawn(rng, k % (CONTACTS + 1)) for k in range(12)]
    for first in range(0, len(states), lanes):
        x, p = (np.stack(v, axis=-1) for v in zip(*states[first : first + lanes], strict=True))
        given = (np.zeros(lanes), x, p) if lanes > 1 else (0.0, x[:, 0], p[:, 0])
        for name, function in functions.items():
            found = compiled[name](*given)
            assert np.array_equal(found, threaded[name](*given))
            for lane in range(lanes):
                expected = interpret(read_tape(function), 0.0, x[:, lane], p[:, lane])
                # The interpreter rounds products that machine code adds without rounding.
                own = found[:, lane] if lanes > 1 else found
                np.testing.assert_allclose(own, expected, rtol=1e-7, atol=1e-8 * np.abs(expected).max())


def test_what_is_not_a_number_stays_so() -> None:
    bodies = Bodies(1)
    f = bodies.functions(bodies.numbers)["motion"]
    x, p = drawn(np.random.default_rng(1), 3)
    x[0] = np.nan
    assert np.isnan(np.array(f(0, x, p))).any()


def test_a_missing_derivative_is_reported() -> None:
    bodies = Bodies(1)
    found = bodies.numbers.solve_with_friction(bodies.b, bodies.c, {})
    with pytest.raises(RuntimeError, match="Derivatives cannot be calculated"):
        derivative(found.x[0], bodies.x)


def test_inverse_masses_among_some_rows_are_those_of_the_tape() -> None:
    bodies, rng = Bodies(5), np.random.default_rng(5)
    x, p = drawn(rng, 0)
    rows = (0, 2, 4, len(bodies.rows) - 1)
    found, expected = (
        np.array(ca.Function("f", [bodies.x, bodies.p], [
            ca.vertcat(*[dense(row, len(bodies.rows)).T for row in solver.among(rows)])
        ])(x, p))
        for solver in (bodies.numbers, bodies.tape)
    )  # fmt: skip
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)
    assert expected[0, 0] > 0 and not expected[1].any()
