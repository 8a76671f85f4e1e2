"""Resistances of constraints (C of [Ikoki 2021, Eqs. 5, 17]) and matrices of weights (N of Eq. 18), against the
matrices of the paper by hand.
"""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import trundle as tr
from trundle.errors import ModelError, SolveError, UnknownNameError
from trundle.linear_algebra.udwadia_kalaba import relaxed_inverse

M, R, I, G = 25.0, 0.3, 1.125, 9.81
MASS = np.diag([M, M, I])
A = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, -R]])  # on x, z, theta: rows of the normal and of the slip


def wheel(law: Any = None) -> tr.Model:
    m = tr.Model("wheel")
    body = m.body("wheel", M, (I / 2, I, I / 2))
    m.connect(tr.PlanarPair(tr.Line(), tr.Circle(R)), m.ground, body, name="tyre", law=law or tr.NoSlip())
    m.apply(tr.Wrench(body, force=(-7.0, 0, 0), moment=(0, 50.0, 0)))
    return m


@pytest.mark.parametrize("s", [0.0, 0.6, 1.0])
def test_a_resistance_at_a_relaxed_contact(s: float) -> None:
    """Eqs. 4, 5, 17, 18 with C along the slip: udot = a + X (b - A a) + (I - X A) M^-1 C."""
    m = wheel()
    m.relax("tyre.slip_x", s)
    m.resist("tyre.slip_x", 30.0)
    found = m.build().accelerations({})
    Q, C = np.array([-7.0, -M * G, 50.0]), 30.0 * np.array([1.0, 0.0, -R])
    X = relaxed_inverse(A, MASS, [1.0, s])
    a, z = np.linalg.solve(MASS, Q), np.linalg.solve(MASS, C)
    udot = a - X @ A @ a + z - X @ A @ z
    assert found["wheel.acceleration"][0] == pytest.approx(udot[0], abs=1e-12)
    assert found["wheel.angular_acceleration"][1] == pytest.approx(udot[2], abs=1e-12)
    if s == 1.0:  # of a motion that is held nothing is felt
        free = wheel().build().accelerations({})
        assert found["wheel.acceleration"][0] == pytest.approx(free["wheel.acceleration"][0], abs=1e-13)


def rough_slider(mu: float, row: str = "bar.y", **start: float) -> tr.Model:
    """A block on an inclined bar; friction in proportion to the load that the bar would have to carry."""
    m = tr.Model("slider")
    block = m.body("block", 2.0, (0.1, 0.1, 0.1))
    tilt = 0.4
    guide = m.ground.frame((0, 0, 0), ("y", tilt))
    m.connect(tr.Prismatic("x"), guide, block, name="bar")
    m.resist(
        "bar.displacement",
        lambda s: -mu * tr.abs(s.multiplier(row)) * tr.tanh(s["bar.displacement_rate"] / 1e-3),
    )
    m.start |= {f"bar.{k}": v for k, v in start.items()}
    return m


def test_friction_of_a_joint_from_its_reaction() -> None:
    """x'' = g (sin - mu cos) down the bar, whose rows get names because one is used; its work is dissipated."""
    run = rough_slider(0.2, displacement_rate=1.0).build().simulate(0.5, samples=6)
    down = G * (np.sin(0.4) - 0.2 * np.cos(0.4))
    np.testing.assert_allclose(run.values("bar.displacement"), run.time + down * run.time**2 / 2, atol=1e-9)
    lost = 0.2 * 2.0 * G * np.cos(0.4) * run.values("bar.displacement")[-1]
    assert run.energy.work_lost[-1] == pytest.approx(lost, rel=1e-9)
    assert run.energy.drift < 1e-10
    along = run.values("bar.reaction_force")[-1] @ np.array([np.cos(0.4), 0, -np.sin(0.4)])
    assert along == pytest.approx(-0.2 * 2.0 * G * np.cos(0.4), rel=1e-9)  # it is part of what the bar exerts
    with pytest.raises(SolveError, match=r"'bar.displacement' is not an element on a bond"):
        _ = run.power.residual


def test_a_bead_on_a_rough_circular_wire() -> None:
    """The ideal reaction m (v^2 / r + g cos) presses on the wire: v v' = ... by hand, one turn and a half."""
    mu, r, mass = 0.1, 0.5, 0.3
    m = tr.Model("wire")
    bead = m.body("bead", mass, (1e-9, 1e-9, 1e-9), com=(0, 0, -r))
    m.connect(tr.Revolute("y"), m.ground, bead, name="wire")
    speed = 4.0

    def friction(s: Any) -> Any:
        press = tr.sqrt(s.multiplier("wire.x") ** 2 + s.multiplier("wire.y") ** 2)  # z is the axis of the joint
        return -mu * r * press * tr.tanh(s["wire.angle_rate"] / 1e-4)

    m.resist("wire.angle", friction)
    m.gravity = (0.0, 0.0, 0.0)
    m.start = {"wire.angle_rate": speed / r}
    run = m.build().simulate(1.0, samples=3)
    # without weight the wire presses with m v^2 / r: v' = -mu v^2 / r
    exact = speed / (1 + mu * speed * run.time / r)
    np.testing.assert_allclose(run.values("wire.angle_rate") * r, exact, rtol=1e-6)


def sliding_block(N: Any) -> tr.Model:
    """A ball pushed over a plane, its two slips weighed by a matrix."""
    m = tr.Model("ball")
    body = m.body("ball", 2.0, 0.4 * 2.0 * 0.1**2)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, body, name="floor", law=tr.NoSlip())
    m.apply(tr.Wrench(body, force=(3.0, -5.0, 0)))
    m.relax(("floor.slip_x", "floor.slip_y"), N)
    return m


MATRIX = np.array([[0.5, 0.2], [0.2, 0.7]])


@pytest.mark.parametrize("as_function", [False, True])
@pytest.mark.parametrize("N", [MATRIX, np.diag([0.81, 0.25]), np.array([[0.5, 0.5], [0.5, 0.5]]), 0.36 * np.eye(2)])
def test_a_full_matrix_of_weights(N: np.ndarray, as_function: bool) -> None:
    """Eq. 18 with all numbers of N, regular or not."""

    def function(s: Any) -> Any:
        return [[N[0, 0] + s["t"], N[0, 1]], [N[1, 0], N[1, 1] + s["t"] * s["ball.velocity_x"]]]

    found = sliding_block(function if as_function else N).build().accelerations({})
    inertia = 0.4 * 2.0 * 0.1**2
    mass = np.diag([2.0, 2.0, inertia, inertia])  # x, y, turns about x and y; at the floor v + w x r
    rows = np.array([[1.0, 0.0, 0.0, -0.1], [0.0, 1.0, 0.1, 0.0]])
    X = relaxed_inverse(rows, mass, N)
    a = np.array([1.5, -2.5, 0.0, 0.0])
    udot = a - X @ rows @ a
    np.testing.assert_allclose(found["ball.acceleration"][:2], udot[:2], atol=1e-12)
    np.testing.assert_allclose(found["ball.angular_acceleration"][:2], udot[2:], atol=1e-11)
    share = rows @ (udot - a)
    if np.linalg.det(N) > 1e-9:
        np.testing.assert_allclose(share, N @ (-rows @ a), atol=1e-11)  # A X = N
    held = np.array([found["floor.slip_force_x"], found["floor.slip_force_y"]]).ravel()
    np.testing.assert_allclose(held, 2.0 * (udot[:2] - a[:2]), atol=1e-11)


def test_eq_18_by_its_definition() -> None:
    """relaxed_inverse with a matrix: roots and pseudo-inverses as printed."""
    rng = np.random.default_rng(4)
    B, S = rng.normal(size=(3, 5)), rng.normal(size=(5, 5))
    mass = S @ S.T + np.eye(5)
    E, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    for squares in ([0.9, 0.4, 0.1], [1.0, 0.3, 0.0]):
        N = E @ np.diag(squares) @ E.T
        root = E @ np.diag(np.sqrt(squares)) @ E.T
        values, vectors = np.linalg.eigh(mass)
        back = vectors @ np.diag(values**-0.5) @ vectors.T
        X = back @ np.linalg.pinv(np.linalg.pinv(root, rcond=1e-9) @ B @ back, rcond=1e-9) @ root
        np.testing.assert_allclose(relaxed_inverse(B, mass, N), X, atol=1e-9)


def test_the_sliding_block_of_fig_1() -> None:
    """Eq. 1: F = -mu N tanh(T / (mu N)); the block yields to every pull, by half at T = mu N ... against Coulomb."""
    mass, mu = 10.0, 0.5
    m = tr.Model("block")
    block = m.body("block", mass, 0.1)
    pull = m.parameter("pull", 10.0, "N")
    m.connect(tr.PlanarPair(tr.Line(), tr.Vertex()), m.ground, block, name="floor")
    m.apply(tr.Wrench(block, force=(pull, 0, 0)))
    limit = mu * mass * G
    m.resist("floor.slip_x", -limit * tr.tanh(pull / limit))
    system = m.build()
    for ratio in (1 / 3, 1.0, 3.0):
        found = system.accelerations({}, parameters={"pull": ratio * limit})["block.acceleration"][0]
        assert found == pytest.approx(limit / mass * (ratio - np.tanh(ratio)), abs=1e-12)


@pytest.mark.parametrize(
    ("act", "error", "told"),
    [
        (lambda m: m.resist("nothing.x", 1.0), ModelError, "relative motion of a connection"),
        (lambda m: m.resist("tyre.slip_x", "much"), ModelError, "resistance along 'tyre.slip_x'"),
        (
            lambda m: (m.resist("tyre.slip_x", 1.0), m.resist("tyre.slip_x", 2.0)),
            ModelError,
            "has a resistance already",
        ),
        (lambda m: (m.resist("tyre.slip_q", 1.0), m.build()), UnknownNameError, "no bond of a contact to resist"),
        (lambda m: (m.resist("tyre.spin", lambda s: s["tyre.no"]), m.build()), ModelError, "'tyre.no'"),
        (lambda m: rough_slider(0.1, "bar.z").build(), UnknownNameError, r"'bar.z'.*'bar.x'"),
        (lambda m: (m.resist("tyre.slip_x", 1.0), m.build("kane")), ModelError, "udwadia_kalaba"),
        (lambda m: m.relax(("tyre.slip_x", "tyre.normal"), [[1, 2], [3, 4]]), ModelError, "symmetric matrix"),
        (lambda m: m.relax(("tyre.slip_x", "tyre.normal"), [[2, 0], [0, 1]]), ModelError, "eigenvalues 1, 2"),
        (lambda m: m.relax(("tyre.slip_x", "tyre.slip_x"), np.eye(2)), ModelError, "different rows"),
        (lambda m: m.relax(("tyre.slip_x",), [[1.0]]), ModelError, "one row takes a number"),
    ],
)
def test_what_is_refused(act: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        act(wheel())


def test_the_printed_non_ideal_force_of_the_wheel() -> None:
    """Eq. 20: with C = (F, 0, 0) at the centre, given by a force there and none along the slip: the sum over a run is
    that of a hand-made integration of Eqs. 4, 5 and 18.
    """
    s, force = 0.8, 12.0
    m = wheel()
    m.relax("tyre.slip_x", s)
    m.resist("tyre.slip_x", lambda signals: force * tr.tanh(-signals["tyre.slip_x"]))
    run = m.build().simulate(1.0, samples=2)
    X = relaxed_inverse(A, MASS, [1.0, s])
    Q = np.array([-7.0, -M * G, 50.0])

    def rates(t: float, u: np.ndarray) -> np.ndarray:
        C = force * np.tanh(R * u[2] - u[0]) * np.array([1.0, 0.0, -R])
        total = np.linalg.solve(MASS, Q + C)
        return total - X @ A @ total

    end = solve_ivp(rates, (0, 1), np.zeros(3), rtol=1e-11, atol=1e-12).y[:, -1]
    assert run.values("wheel.velocity")[-1, 0] == pytest.approx(end[0], abs=1e-8)
    assert run.values("wheel.angular_velocity")[-1, 1] == pytest.approx(end[2], abs=1e-8)


def test_a_motion_that_a_joint_of_the_tree_holds() -> None:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", 1.0, 0.1, com=(0, 0, -1)))
    m.resist("bob.rx", 1.0)
    with pytest.raises(ModelError, match=r"'bob\.rx' cannot be resisted.*'bob\.angle'"):
        m.build()
