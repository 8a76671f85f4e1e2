"""Static equilibria and small motions against closed forms and against the exact motion."""

import math

import numpy as np
import pytest

import trundle as tr
from trundle.errors import SolveError
from trundle.system import System

G = 9.81


def hanging(n: int) -> tr.Model:
    m = tr.Model("hanging")
    last = m.ground
    for i in range(n):
        bob = m.body(f"bob{i}", mass=1.0, inertia=(1e-9, 1e-9, 1e-9), com=(0, 0, -1.0))
        m.connect(tr.Revolute("y"), last if i == 0 else last.at(0, 0, -1.0), bob)
        last = bob
    return m


def test_pendulum_with_torsion_spring() -> None:
    m = hanging(1)
    m.apply(tr.TorsionSpring("bob0.angle", 5.0, rest=1.0))
    angle = m.build().equilibrium({"bob0.angle": 0.4})["bob0.angle"]
    assert G * math.sin(angle) == pytest.approx(5.0 * (1.0 - angle), abs=1e-10)


def test_ball_joint_and_bushing() -> None:
    m = tr.Model("ball", gravity=(0, 0, -G))
    b = m.body("b", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.3, 0, 0))
    m.connect(tr.Free(), m.ground, b)
    m.apply(tr.Bushing(m.ground, b, (100, 100, 100, 40, 40, 40)))
    found = m.build().equilibrium()
    assert found["b.z"] == pytest.approx(-2 * G / 100, abs=1e-9)
    assert np.linalg.norm(found["b.quaternion"]) == pytest.approx(1.0)
    lean = 2 * math.atan2(found["b.quaternion"][2], found["b.quaternion"][0])
    assert 40 * math.sin(lean) * math.cos(lean) == pytest.approx(2 * G * 0.3 * math.cos(lean), rel=1e-8)


def test_loop_in_equilibrium_does_not_move() -> None:
    m = tr.Model("swing")
    a, b, plank = (
        m.body(n, mass=k, inertia=(0.1, 0.1, 0.1), com=c)
        for n, k, c in (("a", 0.5, (0, 0, -0.5)), ("b", 0.5, (0, 0, -0.5)), ("plank", 3, (0.4, 0, 0)))
    )
    m.connect(tr.Revolute("y"), m.ground, a)
    m.connect(tr.Revolute("y"), m.ground.at(1.4, 0, 0), b)
    m.connect(tr.Revolute("y"), a.at(0, 0, -1.0), plank)
    m.connect(tr.Revolute("y"), plank.at(1.0, 0, 0), b.at(0, 0, -1.1), name="pin")
    m.start = {"a.angle": -0.2, "b.angle": 0.2}
    system = m.build()
    rest = system.equilibrium()
    moved = system.accelerations(rest)
    assert abs(moved["a.angle_acceleration"]) < 1e-8
    run = system.simulate(1.0, rest, samples=5)
    np.testing.assert_allclose(run.values("a.angle"), rest["a.angle"], atol=1e-7)
    assert np.all(system.linearise(rest).eigenvalues.real < 1e-6)


def test_no_equilibrium_is_said() -> None:
    m = tr.Model("falling")
    m.connect(tr.Prismatic("z"), m.ground, m.body("b", mass=1, inertia=(1, 1, 1)))
    with pytest.raises(SolveError, match=r"no equilibrium.*restoring force"):
        m.build().equilibrium()


def test_frequencies_of_the_double_pendulum() -> None:
    values = hanging(2).build().linearise().eigenvalues
    expected = sorted([math.sqrt(G * (2 - math.sqrt(2))), math.sqrt(G * (2 + math.sqrt(2)))] * 2)
    np.testing.assert_allclose(np.abs(values.imag), expected, rtol=1e-7)
    np.testing.assert_allclose(values.real, 0, atol=1e-8)


def test_modes_of_the_double_pendulum_are_scaled_to_one() -> None:
    modes = hanging(2).build().linearise().modes
    np.testing.assert_allclose(np.max(np.abs(modes), axis=0), 1.0)
    ratio = modes[1] / modes[0]  # relative angle of the second against the first
    np.testing.assert_allclose(
        np.sort(ratio.real), np.sort([math.sqrt(2) - 1] * 2 + [-math.sqrt(2) - 1] * 2), rtol=1e-6
    )


def test_damped_oscillator_table() -> None:
    m = tr.Model("oscillator", gravity=(0, 0, 0))
    m.connect(tr.Prismatic("z"), m.ground, m.body("b", mass=2.0, inertia=(1, 1, 1)), law=tr.Spring(50.0, 4.0))
    row = m.build().linearise().table()[0]
    assert row["damping_ratio"] == pytest.approx(4.0 / (2 * math.sqrt(100.0)))
    assert row["frequency_hz"] == pytest.approx(math.sqrt(25 - 1) / (2 * math.pi))


@pytest.mark.parametrize("spin", [10.0, 40.0])
def test_sleeping_top(spin: float) -> None:
    """Upright top on a ball joint: A s^2 -+ i C spin s - m g l = 0 in complex lean, in axes that do not spin."""
    A, C, mass, length = 0.5, 0.1, 1.0, 0.3
    m = tr.Model("top")
    top = m.body("top", mass=mass, inertia=(A - mass * length**2, A - mass * length**2, C), com=(0, 0, length))
    m.connect(tr.Spherical(), m.ground, top)
    values = m.build().linearise({"top.angular_rate": (0, 0, spin)}).eigenvalues
    space = np.roots([A, -1j * C * spin, -mass * G * length])
    expected = [*space, *np.conj(space), 0]  # of the spin; the angle of spin is cyclic and left out
    left = list(values)
    for value in expected:
        nearest = min(left, key=lambda v: abs(v - value))
        assert abs(nearest - value) < 1e-6 * (1 + abs(value))
        left.remove(nearest)


def flow_matrix(system: System, state: dict[str, float], names: tuple[str, ...], t: float) -> np.ndarray:
    """Derivative of the exact motion over time t with respect to the independent states, by central differences."""
    columns = []
    for name in names:
        ends = []
        for sign in (1, -1):
            start = {n: state.get(n, 0.0) for n in names}
            start[name] += sign * 1e-4
            run = system.simulate(t, start, samples=2, rtol=1e-12, atol=1e-13)
            assert run.initial is not None and not run.initial.changed
            ends.append([run.values(n)[-1] for n in names])
        columns.append((np.array(ends[0]) - np.array(ends[1])) / 2e-4)
    return np.array(columns).T


def test_linearisation_of_a_loop_against_the_exact_motion() -> None:
    from scipy.linalg import expm

    m = tr.Model("four-bar", gravity=(0, -G, 0))
    crank, coupler, rocker = (
        m.body(n, mass=1, inertia=(0.1, 0.1, 0.1), com=c)
        for n, c in (("crank", (0.05, 0.2, 0)), ("coupler", (0.5, 0.6, 0)), ("rocker", (1.1, 0.4, 0)))
    )
    for a, b, p in ((m.ground, crank, (0, 0, 0)), (m.ground, rocker, (1.2, 0, 0)), (crank, coupler, (0.1, 0.4, 0))):
        m.connect(tr.Revolute("z"), a.at(*p), b.at(*p), law=tr.Spring(30.0, 0.4))
    m.connect(tr.Revolute("z"), coupler.at(1.0, 0.8, 0), rocker.at(1.0, 0.8, 0), name="pin")
    system = m.build()
    rest = {k: float(v) for k, v in system.equilibrium().items()}
    linear = system.linearise(rest)
    assert linear.matrix.shape == (2, 2)
    state = {n: rest.get(n, 0.0) for n in linear.names}
    exact = flow_matrix(system, state, linear.names, 0.3)
    np.testing.assert_allclose(expm(0.3 * linear.matrix), exact, rtol=0, atol=2e-6 * np.max(np.abs(exact)))


def test_linearisation_about_a_moving_state_is_the_derivative_of_the_rates() -> None:
    """On a tree the state matrix is the Jacobian of the right-hand side."""
    system = hanging(2).build()
    state = {"bob0.angle": 0.4, "bob1.angle": -0.7, "bob0.angle_rate": 1.0, "bob1.angle_rate": 2.0}
    linear = system.linearise(state)
    h, columns = 1e-6, []
    for name in linear.names:
        a, b = (system.accelerations({**state, name: state[name] + d}) for d in (h, -h))
        columns.append(
            [(a[f"bob{i}.angle_acceleration"] - b[f"bob{i}.angle_acceleration"]) / (2 * h) for i in range(2)]
        )
    np.testing.assert_allclose(linear.matrix[2:], np.array(columns).T, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(linear.matrix[:2], [[0, 0, 1, 0], [0, 0, 0, 1]])


@pytest.mark.parametrize("planar", [True, False])
def test_a_box_on_the_floor_is_at_rest_where_it_stands(planar: bool) -> None:
    """Its corners hold it more often than it can move."""
    m = tr.Model("box")
    box = m.body("box", shape=tr.shape.Box((0.4, 0.3, 0.2)), density=500)
    m.contact(m.ground, box, tr.Coulomb(0.5), planar=planar)
    m.start = {"box.position": (0.3, 0, 0.1)}
    rest = m.build().equilibrium()
    np.testing.assert_allclose([rest["box.x"], rest["box.y"], rest["box.z"]], [0.3, 0, 0.1], atol=1e-12)
    np.testing.assert_allclose(rest["box.quaternion"], [1, 0, 0, 0], atol=1e-12)


def test_dominoes_stand() -> None:
    rest = tr.examples.model("dominoes").build().equilibrium()
    assert [rest[f"pose{i}.x"] for i in range(2)] == pytest.approx([0.25, 0.25], abs=1e-9)
    assert [rest[f"pose{i}.angle"] for i in range(2)] == pytest.approx([0.0, 0.0], abs=1e-9)
