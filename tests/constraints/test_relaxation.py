"""Weighted inverses against their defining properties and the printed wheel, and rows that are relaxed."""

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.constraints.drag import Drag
from trundle.equations.kernels import Functions
from trundle.errors import ModelError, UnknownNameError
from trundle.linear_algebra.kkt import dense, sparse
from trundle.linear_algebra.udwadia_kalaba import Orthogonal, WeightedRow, relaxed_inverse, weighted_inverse
from trundle.system import System, build

MATRICES = [(3, 5, 3), (5, 5, 5), (4, 6, 2), (6, 4, 3), (7, 3, 3)]  # rows, columns, rank


def positive(rng: np.random.Generator, n: int) -> np.ndarray:
    root = rng.normal(size=(n, n))
    return root @ root.T + 0.3 * np.eye(n)


def on_tape(A: np.ndarray, M: np.ndarray, weights: Any = None) -> Orthogonal:
    mass, rows = ([sparse(ca.SX(row)) for row in B] for B in (M, A))
    order = list(range(len(M)))
    if weights is None:
        return Orthogonal(mass, order, [WeightedRow(row) for row in rows])
    return Orthogonal(mass, order, [WeightedRow(row, weight=None) for row in rows]).relaxed(list(weights))


def number(expression: Any) -> np.ndarray:
    return np.array(ca.DM(ca.Function("f", [], [ca.densify(expression)])()["o0"]))


# -- inverses ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns", "rank"), MATRICES)
def test_four_properties_of_the_weighted_inverse(rows: int, columns: int, rank: int) -> None:
    """[Ikoki 2021, Eq. 12] with (M X A)' = M X A in place of the last one, which does not hold as printed."""
    rng = np.random.default_rng(rows + 10 * rank)
    A = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))
    M, N = positive(rng, columns), positive(rng, rows)
    X = weighted_inverse(A, M, N)
    for left, right in ((A @ X @ A, A), (X @ A @ X, X), ((N @ A @ X).T, N @ A @ X), ((M @ X @ A).T, M @ X @ A)):
        np.testing.assert_allclose(left, right, atol=1e-9)
    if rank < columns:
        assert np.max(np.abs((X @ A @ M).T - X @ A @ M)) > 1e-2


@pytest.mark.parametrize(("rows", "columns", "rank"), MATRICES)
def test_tape_and_singular_values_agree(rows: int, columns: int, rank: int) -> None:
    """On rows that depend on each other the inverses differ, their products with consistent right-hand sides do not."""
    rng = np.random.default_rng(rows + 20 * rank)
    A = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))
    M = positive(rng, columns)
    X, exact = number(on_tape(A, M).weighted_inverse()), weighted_inverse(A, M, np.eye(rows))
    np.testing.assert_allclose(X @ A, exact @ A, atol=1e-9)
    assert np.count_nonzero(np.any(X != 0, axis=0)) == rank
    if rank == rows:
        np.testing.assert_allclose(X, exact, atol=1e-9)
        weights = rng.uniform(0.1, 1.0, size=rows)
        relaxed = number(on_tape(A, M, weights).weighted_inverse())
        np.testing.assert_allclose(relaxed, relaxed_inverse(A, M, weights), atol=1e-9)
        np.testing.assert_allclose(A @ relaxed, np.diag(weights**2), atol=1e-9)


@pytest.mark.parametrize(("rows", "columns", "rank"), MATRICES)
def test_relaxed_rows_of_any_rank(rows: int, columns: int, rank: int) -> None:
    """Eq. 18 needs neither independent rows nor an order of them; a weight of 0 takes a row out."""
    rng = np.random.default_rng(rows + 30 * rank)
    A = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))
    M, b, force = positive(rng, columns), rng.normal(size=rows), rng.normal(size=columns)
    far_apart = 10.0 ** rng.uniform(-7, 0, size=rows)
    for weights in (rng.uniform(0.05, 1.0, size=rows), far_apart, rng.permutation(rows) / rows):
        exact = relaxed_inverse(A, M, weights)
        order = rng.permutation(rows)
        solver = on_tape(A[order], M, weights[order])
        found = np.empty_like(exact)
        found[:, order] = number(solver.weighted_inverse())
        np.testing.assert_allclose(found, exact, atol=1e-9 * (1 + np.max(np.abs(exact))))
        x, multipliers = solver.solve(sparse(ca.SX(force)), sparse(ca.SX(b[order])))
        lam = number(dense(multipliers, rows)).ravel()
        a = np.linalg.solve(M, force)
        np.testing.assert_allclose(number(dense(x, columns)).ravel(), a + exact @ (b - A @ a), atol=1e-8)
        acting = weights[order] > 0
        np.testing.assert_allclose(M @ exact @ (b - A @ a), A[order].T @ lam, atol=1e-8 * (1 + np.max(np.abs(lam))))
        left_out = np.linalg.svd(A[order][acting])[0][:, np.linalg.matrix_rank(A[order][acting], tol=1e-9) :]
        assert np.max(np.abs(left_out.T @ lam[acting]), initial=0.0) < 1e-8 * (1 + np.max(np.abs(lam)))  # least norm


@pytest.mark.parametrize("weights", [(0.9, 0.5), (0.5, 0.9)])
def test_two_equivalent_rows(weights: tuple[float, float]) -> None:
    """The nearest to the shares 0.81 and 0.25 in the norm with 1 / s^2: 2 / (1 / 0.81 + 1 / 0.25)."""
    X = number(on_tape(np.ones((2, 1)), np.eye(1), weights).weighted_inverse())
    assert np.sum(X) == pytest.approx(2 / (1 / 0.81 + 1 / 0.25), abs=1e-14)
    m = tr.Model("slide", gravity=(9.81, 0, 0))
    body = m.body("body", 2.0, (0.1, 0.1, 0.1))
    m.connect(tr.Prismatic("x"), m.ground, body, name="slide")
    for name in "ab":
        m.connect(tr.Spherical(), m.ground, body, name=name)
    found = build(m, "udwadia_kalaba", {"a.x": weights[0], "b.x": weights[1]}).accelerations({})
    assert found["slide.displacement_acceleration"] == pytest.approx(9.81 * (1 - np.sum(X)), abs=1e-12)


def test_what_is_held_is_held_whatever_is_relaxed_beside_it() -> None:
    m = tr.Model("slide", gravity=(1.0, 2.0, 3.0))
    body = m.body("body", 2.0, (0.1, 0.1, 0.1))
    m.connect(tr.Prismatic((1, 2, 3)), m.ground, body, name="slide")
    for name in "ab":
        m.connect(tr.Spherical(), m.ground, body, name=name)
    half = {f"b.{bond}": 0.5 for bond in "xyz"}
    held = build(m, "udwadia_kalaba", half).accelerations({})
    assert held["slide.displacement_acceleration"] == pytest.approx(0.0, abs=1e-12)
    free = tr.Model("slide", gravity=(1.0, 2.0, 3.0))
    body = free.body("body", 2.0, (0.1, 0.1, 0.1))
    for name in ("slide", "again"):
        free.connect(tr.Prismatic((1, 2, 3)), free.ground, body, name=name)
    every = {f"again.{bond}": 0.5 for bond in ("x", "y", "rx", "ry", "rz")}  # hold nothing that is not held already
    found = build(free, "udwadia_kalaba", every).accelerations({})
    assert found["slide.displacement_acceleration"] == pytest.approx(14**0.5, abs=1e-12)


def test_what_the_relaxed_inverse_is_and_is_not() -> None:
    """A X = N, so A X A = N A; N A X A = N A and X A X = X hold only for weights 0 and 1. In the inverse that is
    least-squares in N the weights of independent rows have no effect at all.
    """
    rng = np.random.default_rng(4)
    A, M = rng.normal(size=(3, 5)), positive(rng, 5)
    for s in (np.array([1.0, 0.6, 0.3]), np.array([1.0, 1.0, 1.0])):
        N, X = np.diag(s**2), relaxed_inverse(A, M, s)
        np.testing.assert_allclose(A @ X, N, atol=1e-10)
        holds = bool(np.all(s == 1))
        assert np.allclose(N @ A @ X @ A, N @ A) == np.allclose(X @ A @ X, X) == holds
        np.testing.assert_allclose(weighted_inverse(A, M, N), weighted_inverse(A, M, np.eye(3)), atol=1e-10)
    X = relaxed_inverse(A, M, [1.0, 0.0, 1.0])
    np.testing.assert_allclose(X[:, [0, 2]], weighted_inverse(A[[0, 2]], M, np.eye(2)), atol=1e-10)
    assert not np.any(X[:, 1])
    np.testing.assert_allclose(number(on_tape(A, M, [1.0, 0.0, 1.0]).weighted_inverse()), X, atol=1e-10)


def test_relaxation_of_a_wheel_is_printed() -> None:
    """X, Q_i and Q_ni [Ikoki 2021, Eq. 20], C = (F_c, 0, 0) as printed, I_2 = I_3 = I."""
    m, I, R, s, T, F, g = symbols = [ca.SX.sym(n) for n in ("m", "I", "R", "s", "T", "F", "g")]
    M = [{0: m}, {1: m}, {2: I}]
    A = [{1: ca.SX(1)}, {0: ca.SX(1), 2: -R}]
    solver = Orthogonal(M, [0, 1, 2], [WeightedRow(row, weight=None) for row in A]).relaxed([ca.SX(1), s])
    X = solver.weighted_inverse()
    Q = ca.vertcat(0, -m * g, T)
    found = [X, *solver.constraint_forces(Q, ca.SX.zeros(2), ca.vertcat(F, 0, 0))]
    D, K = m * R**2 + I, I / m + R**2
    printed = [
        ca.blockcat([[0, I * s**2 / D], [1, 0], [0, -m * R * s**2 / D]]),
        ca.vertcat(R * s**2 / K * T, m * g, -(R**2) * s**2 / K * T),
        ca.vertcat((R**2 + I / m * (1 - s**2)) / K * F, 0, I / m * R * s**2 / K * F),
    ]
    f = ca.Function("f", symbols, [ca.densify(v) for v in (*found, *printed)])
    rng = np.random.default_rng(1)
    for _ in range(20):
        values = [np.array(ca.DM(v)) for v in f(*rng.uniform(0.1, 1.0, size=7))]
        for a, b in zip(values[:3], values[3:], strict=True):
            np.testing.assert_allclose(a, b, atol=1e-13)
    assert not ca.depends_on(X[:, 0], s)
    assert ca.simplify(found[2][1]).is_zero()


# -- models ------------------------------------------------------------------------------------------------------------


def driven_wheel(torque: float = 3.0, law: Any = None) -> tr.Model:
    m = tr.Model("driven wheel")
    body = m.body("wheel", mass=2.0, inertia=(0.1, 0.2, 0.1))
    pair = tr.HigherPair(tr.Plane(), tr.CircleEdge(0.5))
    m.connect(pair, m.ground, body, law=tr.NoSlip() if law is None else law)
    m.apply(tr.Wrench(body, moment=(0.0, torque, 0.0), axes="body"), name="torque")
    return m


SLIDING = {
    "wheel.roll": 0.2,
    "wheel.roll_rate": 0.3,
    "wheel.yaw_rate": 0.8,
    "wheel.pitch_rate": 4.0,
    "wheel.x_rate": 0.7,
}


def relaxed(weight: Any, **options: Any) -> System:
    return build(driven_wheel(**options), "udwadia_kalaba", {"wheel.slip_x": weight})


def pseudo_numbers(system: System, state: dict[str, Any]) -> list[np.ndarray]:
    f, e, p = (
        system.formulation.functions,
        system.formulation.functions.equations,
        system.formulation.default_parameters,
    )
    A = ca.vertcat(*[dense(row.jacobian, e.n_u).T for row in f.rows])
    M = ca.vertcat(*[dense(row, e.n_u).T for row in e.mass])
    b = -ca.vertcat(*[row.gamma for row in f.rows])
    s = ca.vertcat(*[ca.SX(row.weight) for row in f.rows])
    out = ca.Function("f", [e.t, e.q, e.u, e.p], [ca.densify(v) for v in (M, e.bias, A, b, s, f.dynamics[0])])
    start = system.start(state)
    return [np.array(ca.DM(v)).squeeze() for v in out(0.0, start.q, start.u, p)]


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_torque_on_an_upright_wheel(weight: float) -> None:
    """The traction of [Ikoki 2021, Eq. 20], from a model in space."""
    run = relaxed(weight).simulate(0.5, samples=3)
    m, I, R, T = 2.0, 0.2, 0.5, 3.0
    traction = R * weight**2 / (I / m + R**2) * T
    assert run.values("wheel.x_ideal_force") == pytest.approx(np.full(3, traction), abs=1e-10)
    assert run.values("wheel.pitch_ideal_force") == pytest.approx(np.full(3, -R * traction), abs=1e-10)
    assert run.values("wheel.x_rate")[-1] == pytest.approx(traction / m * 0.5, abs=1e-9)
    assert run.values("wheel.pitch_rate")[-1] == pytest.approx((T - R * traction) / I * 0.5, abs=1e-9)
    assert run.values("wheel.slip_force_x") == pytest.approx(np.full(3, traction), abs=1e-10)
    assert run.energy.drift < 1e-10


def test_weights_of_one_and_zero_hold_and_lift() -> None:
    rolling = {k: v for k, v in SLIDING.items() if k != "wheel.x_rate"}
    held = relaxed(1.0).accelerations(rolling)
    for name, value in driven_wheel().build().accelerations(rolling).items():
        assert held[name] == pytest.approx(value, abs=1e-9), name
    lifted = relaxed(0.0).accelerations(SLIDING)
    free = driven_wheel(law={"slip_y": tr.Locked()}).build().accelerations(SLIDING)
    for name in (k for k in free if k.endswith("acceleration")):
        assert lifted[name] == pytest.approx(free[name], abs=1e-9), name


@pytest.mark.parametrize("weight", [0.3, 0.9, lambda s: tr.exp(-(s["wheel.slip_x"] ** 2))])
def test_weights_between(weight: Any) -> None:
    """udot = a + X (b - A a) with the printed X of Eq. 18, and speeds that slip from the start."""
    system = relaxed(weight)
    M, h, A, b, s, udot = pseudo_numbers(system, SLIDING)
    a = np.linalg.solve(M, -h)
    assert 0 < np.min(s) < 1 == np.max(s)
    np.testing.assert_allclose(udot, a + relaxed_inverse(A, M, s) @ (b - A @ a), atol=1e-10)
    run = system.simulate(0.5, SLIDING, rtol=1e-11, atol=1e-11, samples=5)
    assert run.values("wheel.x_rate")[0] == 0.7
    assert np.max(np.abs(run.values("wheel.slip_y"))) < 1e-11
    assert run.energy.drift < 1e-9


def test_a_row_of_a_loop_and_a_servo_can_be_relaxed() -> None:
    m = tr.Model("two bars", gravity=(0, -9.81, 0))
    a, b = (m.body(n, mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0)) for n in "ab")
    m.connect(tr.Revolute("z"), m.ground, a, name="A", law=tr.Servo(lambda t: 0.2 * t**2))
    m.connect(tr.Revolute("z"), a.at(1, 0, 0), b.at(0, 0, 0), name="B")
    m.connect(tr.Planar("z"), m.ground.at(1.5, 0, 0), b.at(0.5, 0, 0), name="table")
    full = build(m, "udwadia_kalaba", {"A.angle": 1.0}).simulate(1.0)
    half = build(m, "udwadia_kalaba", {"A.angle": lambda s: 0.5}).simulate(1.0)
    assert full.values("A.angle")[-1] == pytest.approx(0.2, abs=1e-9)
    assert half.values("A.angle")[-1] < -1.0  # the drive brings a quarter of what is missing: the bars fall
    assert half.energy.drift < 1e-9


def test_force_that_is_not_ideal() -> None:
    """C acts as far as the rows let it: all of it where nothing holds, and its power is lost [Ikoki 2021, Eq. 5]."""
    system = relaxed(0.6)
    e = system.formulation.equations
    push = ca.vertcat(0.7, *[0.0] * (e.n_u - 1)) * e.u[0]
    e = replace(e, drags=[Drag(next(iter(e.model.connections.values())), push, ca.SX.zeros(3), ca.SX.zeros(3))])
    f = Functions(e, e.rows, system.formulation.length, system.mobility.redundant)
    start, p = system.start(SLIDING), system.formulation.default_parameters
    M, h, A, b, s, _ = pseudo_numbers(system, SLIDING)
    X, a, z = relaxed_inverse(A, M, s), np.linalg.solve(M, -h), np.linalg.solve(M, np.eye(len(h))[0] * 0.7 * start.u[0])
    x = np.concatenate([start.q, start.u, np.zeros(2)])
    xdot = np.array(f.rhs()(0.0, x, p)).ravel()
    udot = a + X @ (b - A @ a) + z - X @ (A @ z)
    np.testing.assert_allclose(xdot[len(start.q) : -2], udot, atol=1e-9)
    torque = ca.Function("supplied", [e.t, e.q, e.u, e.p], [e.supplied()])
    energy = ca.Function("energy", [e.q, e.u, e.p], [e.kinetic() + e.potential()])
    gradient = ca.Function("rate", [e.q, e.u, e.p], [ca.jacobian(energy(e.q, e.u, e.p), ca.vertcat(e.q, e.u))])
    gained = float(np.array(gradient(start.q, start.u, p)).ravel() @ xdot[:-2])
    assert gained == pytest.approx(xdot[-2] - xdot[-1], abs=1e-9)
    assert xdot[-2] == pytest.approx(float(torque(0.0, start.q, start.u, p)), abs=1e-12)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"wheel.slip_x": 1.2}, r"weight of 'wheel.slip_x' is 1.2; weights lie between 0"),
        ({"wheel.slip_x": lambda s: -0.1}, "is -0.1; weights lie between 0"),
        ({"wheel.slip_x": lambda s: s["wheel.nothing"]}, "there is no quantity called 'wheel.nothing'"),
        ({"wheel.slip_x": "much"}, "weight of 'wheel.slip_x'"),
        ({"wheel.slip_x": lambda s: (1, 2)}, "one number expected, got 2"),
    ],
)
def test_invalid_weights(weights: dict[str, Any], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        build(driven_wheel(), "udwadia_kalaba", weights)


def test_the_description_of_a_model_lists_relaxed_rows() -> None:
    m = driven_wheel()
    m.relax("wheel.slip_x", 0.5)
    run = m.build("udwadia_kalaba").simulate(0.5, samples=2)
    assert run.values("wheel.x_rate")[-1] == pytest.approx(0.5 * 0.25 * 0.5 * 3.0 / (0.1 + 0.25) / 2.0, abs=1e-9)
    for row, weight in (("wheel.slip_x", 0.5), ("wheel.slip_y", 1.5), ("nothing.x", 0.5), ("wheel.slip_y", "much")):
        with pytest.raises(ModelError):
            m.relax(row, weight)
    assert m.build().formalism == "udwadia_kalaba"
    with pytest.raises(ModelError, match="formalism='udwadia_kalaba'"):
        m.build("kane")


def test_unknown_rows_and_other_formalisms_are_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"no constraint row to relax called 'wheel.slip'.*'wheel.slip_x'"):
        build(driven_wheel(), "udwadia_kalaba", {"wheel.slip": 0.5})
    with pytest.raises(ModelError, match=r"'wheel.slip_x' relax constraints.*formalism='udwadia_kalaba', not 'kane'"):
        build(driven_wheel(), "kane", {"wheel.slip_x": 0.5})
    with pytest.raises(ModelError, match="not 'newton_euler'"):
        relaxed(0.5).simulate(1.0, formalism="newton_euler")
