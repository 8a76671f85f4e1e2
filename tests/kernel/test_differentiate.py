"""Jacobians made on the tape, against those of CasADi."""

import casadi as ca
import numpy as np
import pytest
from tests.kernel.test_random_expressions import random_function

import trundle as tr
import trundle.kernel.differentiate as differentiation
import trundle.kernel.numbering as numbering
from trundle import examples, rail
from trundle.derivative import derivatives
from trundle.equations.accelerations import MANY
from trundle.errors import KernelError
from trundle.kernel import Tape, jacobian_tape, read_tape, store_and_load
from trundle.kernel.interpret import BINARY, UNARY, interpret
from trundle.lookup.table import Table

T, X, P = ca.SX.sym("t"), ca.SX.sym("x", 4), ca.SX.sym("p", 2)
SEVERAL_FORMALISMS = [
    ("ball-in-bowl", "kane"), ("ball-in-bowl", "newton_euler"), ("rolling-disc", "udwadia_kalaba"),
    ("stiff-four-bar", "kane"), ("fixed-servo-joint", "newton_euler"), ("satellite", "kane"), ("pumped-swing", "kane"),
    ("heavy-top", "newton_euler"), ("bricard", "kane"), ("wheelset-on-track", "kane"), ("cam-and-follower", "kane"),
]  # fmt: skip


def of_casadi(function: ca.Function) -> ca.Function:
    """[d f/dx, d f/dt] by CasADi itself, of a function of (t, x, p)."""
    t, x, p = (ca.SX.sym("i", function.numel_in(k)) for k in range(3))
    value = ca.vertcat(*[ca.vec(ca.densify(ca.SX(v))) for v in function.call([t, x, p], True, False)])
    return ca.Function("jacobian", [t, x, p], [ca.densify(d) for d in derivatives(value, x, t)])


def numbers(function: ca.Function, t: float, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.concatenate([np.array(ca.DM(v)).ravel(order="F") for v in function(t, x, p)])


def same_jacobian(function: ca.Function, *places: tuple[float, np.ndarray, np.ndarray]) -> Tape:
    found, expected = jacobian_tape(read_tape(function)), of_casadi(function)
    for t, x, p in places:
        wanted = numbers(expected, t, x, p)
        size = np.abs(wanted[np.isfinite(wanted)]).max(initial=1.0)
        np.testing.assert_allclose(interpret(found, t, x, p), wanted, rtol=1e-11, atol=1e-12 * size)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_random_expressions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = [(rng.normal(), rng.normal(size=4), rng.normal(size=2)) for _ in range(4)]
    tape = same_jacobian(random_function(seed), *places)
    kernel = store_and_load(f"jacobian {seed}", {"jacobian": tape})["jacobian"]
    assert np.allclose(kernel(*places[0]), interpret(tape, *places[0]), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_random_branches(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edges under many conditions, in arrays that have to be enlarged."""
    monkeypatch.setattr(differentiation, "_PER_EDGE", 3)
    rng = np.random.default_rng(seed)
    values = [T, *ca.vertsplit(X)]
    for _ in range(120):
        a, b, c = (values[k] for k in rng.integers(0, len(values), 3))
        branches = ca.if_else(a > b, ca.sin(c) * a, ca.cos(b)), ca.if_else(c > 0, a * b, 0), a * b - c
        values.append(ca.tanh(branches[rng.integers(3)]))
    function = ca.Function("f", [T, X, P], [ca.vertcat(*values[-20:])])
    same_jacobian(function, *[(rng.normal(), rng.normal(size=4), np.zeros(2)) for _ in range(3)])


@pytest.mark.parametrize("operation", [*UNARY, *BINARY, "sin", "cos"])
def test_every_operation(operation: str) -> None:
    """By both operands, by one alone, and by one that occurs twice."""
    make = ca.SX.binary if operation in BINARY else ca.SX.unary
    code, count = getattr(ca, f"OP_{operation.upper()}"), 2 if operation in BINARY else 1
    pairs = [(X[0], X[1]), (X[0], P[0]), (P[1], X[1]), (X[2], X[2]), (X[0] * X[3], ca.sin(T) + X[2])]
    f = ca.Function("f", [T, X, P], [ca.vertcat(*[make(code, *pair[:count]) for pair in pairs])])
    rng = np.random.default_rng(3)
    same_jacobian(f, *[(0.2, rng.uniform(0.1, 0.9, 4), rng.uniform(0.1, 0.9, 2)) for _ in range(4)])
    if operation not in ("acosh", "log", "sqrt", "pow", "log1p"):
        same_jacobian(f, *[(-0.2, rng.uniform(-0.9, 0.9, 4), rng.uniform(-0.9, 0.9, 2)) for _ in range(4)])


@pytest.mark.parametrize("limit", [0, 1000, -1])
def test_the_slope_of_a_branch_that_is_not_taken_does_not_count(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the order of elimination: slopes of roots at zero are infinite."""
    monkeypatch.setattr(differentiation, "_LIMITS", (limit,))
    s = X[0] ** 2 + X[1] ** 2
    speed = ca.sqrt(s)
    push = ca.if_else(s > 0, X[2] * X[0] / speed, X[3] * X[0])
    nested = ca.if_else(X[2] > 0, ca.if_else(s > 0, ca.sqrt(speed) * X[3], X[1]), 3 * X[1])
    f = ca.Function("f", [T, X, P], [ca.vertcat(push * X[3] + ca.sin(nested), nested * push, ca.sqrt(s + X[3]))])
    at_rest = [(0.0, np.array([0.0, 0.0, c, 0.7]), np.zeros(2)) for c in (0.4, -0.4)]
    moving = [(0.0, np.array([0.3, -0.2, c, 0.7]), np.zeros(2)) for c in (0.4, -0.4)]
    tape = same_jacobian(f, *at_rest, *moving)
    for place in at_rest:
        assert np.isfinite(interpret(tape, *place)).all()
    assert interpret(tape, *at_rest[0])[0] == pytest.approx(0.7**2)  # X[3] X[0] X[3]


@pytest.mark.parametrize("exponent", [1.5, 2.5, 3.5, 4.5, 8.5])
def test_half_powers_have_a_slope_where_their_base_is_zero(exponent: float) -> None:
    """They become products with a root, whose own slope is infinite there."""
    powers = [ca.fmax(X[0], 0) ** exponent, ca.fabs(X[1]) ** exponent * X[3], ca.fmax(-X[2], 0) ** exponent]
    f = ca.Function("f", [T, X, P], [ca.vertcat(*powers, ca.if_else(X[2] < 0, (-X[2]) ** exponent, 0))])
    at_zero = [(0.0, np.array(x), np.zeros(2)) for x in ([-0.3, 0.0, 0.4, 0.7], [0.0, 0.2, 0.0, 0.7])]
    tape = same_jacobian(f, (0.0, np.array([0.3, -0.2, -0.6, 0.7]), np.zeros(2)), *at_zero)
    for place in at_zero:
        assert np.isfinite(interpret(tape, *place)).all()


def test_look_ups_are_constant_within_their_cells() -> None:
    table = Table(np.linspace(-1, 1, 12), np.linspace(-1, 1, 12) ** 3)
    value = table.kind.value(P[0], [ca.sin(X[0]) * X[1]])
    f = ca.Function("f", [T, X, P], [ca.vertcat(value, value * X[2] + T**2)])
    rng, p = np.random.default_rng(1), np.array([table.block.handle, 0.0])
    same_jacobian(f, *[(rng.normal(), rng.uniform(-1, 1, 4), p) for _ in range(5)])


@pytest.mark.parametrize("name, formalism", SEVERAL_FORMALISMS)
def test_equations_of_examples(name: str, formalism: str) -> None:
    system = examples.model(name).build(formalism=formalism)
    run = system.simulate(0.02, samples=2).trajectory
    rng = np.random.default_rng(0)
    near = [run.x_end + 1e-3 * rng.normal(size=len(run.x_end)) for _ in range(3)]
    same_jacobian(system.formulation.functions.plain_rhs, *[(run.t_end, x, run.p_end) for x in near])


def test_a_wagon_in_fewer_operations() -> None:
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(1813, (1120, 112, 1120), contact)
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    wagon = rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), axle, box, 8.0)
    line = rail.Alignment([rail.Straight(40), rail.Sine(80, 600, 0.15), rail.Arc(600, 600, 0.15)])
    trip = rail.Trip(wagon, line, 30.0)
    run = trip.simulate(6.0, samples=7).trajectory
    plain = trip.system.formulation.functions.plain_rhs
    states = zip(run.t[1:], run.x[1:], run.parameters()[1:], strict=True)
    found = same_jacobian(plain, *[(float(t), x, p) for t, x, p in states])
    assert len(found.rows) < 0.85 * len(read_tape(of_casadi(plain)).rows)


def test_rows_that_are_solved_by_numbers_have_no_derivative() -> None:
    m = tr.Model("box")
    box = m.body("box", mass=1.0, inertia=0.1)
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    for k, corner in enumerate(corners):
        pair = tr.HigherPair(tr.Plane(), tr.Vertex())
        m.connect(pair, m.ground, box.at(*corner), name=f"c{k}", law=tr.Coulomb(0.3), unilateral=True)
    m.start |= {"box.position": (0, 0, 2)}
    assert 3 * len(corners) > MANY
    f = m.build().formulation
    with pytest.raises(KernelError, match="solves rows numerically"):
        jacobian_tape(read_tape(f.run_functions.rhs()))


def test_initial_capacity_does_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    tape = read_tape(random_function(3))
    expected = jacobian_tape(tape)
    monkeypatch.setattr(differentiation, "_PER_EDGE", 3)
    monkeypatch.setattr(numbering, "_AT_FIRST", 0.02)
    monkeypatch.setattr(numbering, "_LATER", 1.3)
    found = jacobian_tape(tape)
    np.testing.assert_array_equal(found.rows, expected.rows)
    assert found.constants == expected.constants and found.outputs == expected.outputs
