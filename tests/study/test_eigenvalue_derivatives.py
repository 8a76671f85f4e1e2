"""Derivatives of eigenvalues by parameters: closed forms, extrapolated differences, and what has none."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.bicycle import benchmark
from trundle.errors import DerivativeWarning, SolveError, UnknownNameError

FORMALISMS = ("kane", "udwadia_kalaba", "newton_euler")


def extrapolated(of: Callable[[float], np.ndarray], value: float, step: float) -> np.ndarray:
    """Derivative by central differences, whose error is of sixth order in the step."""
    d = [(of(value + h) - of(value - h)) / (2 * h) for h in (step, step / 2, step / 4)]
    once = [(4 * d[k + 1] - d[k]) / 3 for k in range(2)]
    return (16 * once[1] - once[0]) / 15


def door() -> tr.Model:
    """A pendulum that a damped spring turns aside: its equilibrium moves with every parameter."""
    m = tr.Model("door")
    k, length, damping = m.parameter("k", 3.0), m.parameter("length", 0.7), m.parameter("damping", 0.2)
    body = m.body("leaf", 2.0, (0.1, 0.1, 0.1), com=(0, 0, -length))
    m.connect(tr.Revolute("y"), m.ground, body, "hinge", tr.Spring(k, damping=damping, rest=0.4))
    return m


def linkage() -> tr.Model:
    """A four-bar with a damped spring: one freedom, two constraints of the loop."""
    m = tr.Model("linkage")
    k, rod = m.parameter("k", 40.0), m.parameter("rod", 1.1)
    bodies = [m.body(name, 2.0, (0.05, 0.2, 0.2), com=(0.4, 0.0, 0.0)) for name in ("crank", "coupler", "rocker")]
    m.connect(tr.Revolute("y"), m.ground, bodies[0], "a", tr.Spring(k, damping=0.7, rest=-0.8))
    m.connect(tr.Revolute("y"), bodies[0].at(0.8, 0, 0), bodies[1], "b")
    m.connect(tr.Revolute("y"), m.ground.at(1.3, 0.0, 0.0), bodies[2], "c")
    m.connect(tr.Revolute("y"), bodies[1].at(rod, 0, 0), bodies[2].at(0.9, 0, 0), "d")
    m.start.update({"a.angle": -1.1, "b.angle": 0.9, "c.angle": -1.3})
    return m


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize(
    ("model", "values"),
    [(door, {"k": 3.0, "length": 0.7, "damping": 0.2}), (linkage, {"k": 40.0, "rod": 1.1})],
)  # fmt: skip
def test_equilibria_that_move_with_the_parameter(
    model: Callable[[], tr.Model], values: dict[str, float], formalism: str
) -> None:
    system = model().build(formalism)
    start = {"hinge.angle": 0.1} if model is door else None
    rest = system.equilibrium(start)

    def eigenvalues(name: str, value: float) -> np.ndarray:
        given = {name: value}
        return np.asarray(system.linearise(system.equilibrium(rest, given), given).eigenvalues)

    linear = system.linearise(rest)
    assert len(linear.names) == 2
    for name, value in values.items():
        found = linear.eigenvalue_derivative(name)
        expected = extrapolated(lambda v, name=name: eigenvalues(name, v), value, 2e-2 * value)
        assert found == pytest.approx(expected, abs=1e-8 * np.max(np.abs(expected)))
        fixed = linear.matrix_derivative(name)
        assert np.trace(fixed) == pytest.approx(np.sum(found), abs=1e-12 * np.max(np.abs(found)))


def test_a_damped_oscillator_in_closed_form() -> None:
    """m L^2 + c L + k = 0, so dL/dc = -L / (2 m L + c) and dL/dk = -1 / (2 m L + c)."""
    m = tr.Model("oscillator")
    mass, k, c = m.parameter("mass", 0.3), m.parameter("k", 7.0), m.parameter("c", 0.9)
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass, 1.0), "slide", tr.Spring(k, damping=c))
    linear = m.build().linearise()
    L = linear.eigenvalues
    slope = 2 * 0.3 * L + 0.9
    for name, expected in (("c", -L / slope), ("k", -1 / slope), ("mass", -(L**2) / slope)):
        assert linear.eigenvalue_derivative(name) == pytest.approx(expected, rel=1e-13)


def test_a_sleeping_top_in_closed_form() -> None:
    """With A about the tip and C n the spin, A L^2 -+ i C n L - m g h = 0; the axes do not spin with the top."""
    m = tr.Model("top")
    height = m.parameter("h", 0.3)
    m.connect(tr.Spherical(), m.ground, m.body("top", 1.0, (0.02, 0.02, 0.01), com=(0, 0, height)))
    linear = m.build().linearise({"top.angular_velocity": (0, 0, 40.0)})
    h, A, spin, g = 0.3, 0.02 + 0.3**2, 0.01 * 40.0, 9.81
    found = linear.eigenvalue_derivative("h")
    for value, change in zip(linear.eigenvalues, found, strict=True):
        turn = 1j * spin * np.sign(value.imag)
        slope = (g - 2 * h * value**2) / (2 * A * value - turn) if value else 0.0
        assert abs(A * value**2 - turn * value - g * h) < 1e-12 or value == 0
        assert change == pytest.approx(slope, rel=1e-11, abs=1e-12)


def turning_disc() -> tuple[tr.System, dict[str, float], dict[str, Any]]:
    m = tr.Model("disc")
    r, mass = m.parameter("r", 0.5), m.parameter("mass", 2.0)
    body = m.body("disc", mass, (0.125, 0.25, 0.125))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(r)), m.ground, body, law=tr.NoSlip())
    system, turn = m.build(), {"disc.roll": 0.4, "disc.yaw_rate": -1.7}
    return system, turn, system.steady(turn)


def test_a_disc_in_a_turn_is_one_of_a_family() -> None:
    system, turn, first = turning_disc()
    linear = system.linearise(first)

    def eigenvalues(given: dict[str, float], parameters: dict[str, float]) -> np.ndarray:
        state = system.steady(given, first, parameters)
        return np.asarray(system.linearise(state, parameters).eigenvalues)

    cases = {
        "r": lambda v: eigenvalues(turn, {"r": v}),
        "mass": lambda v: eigenvalues(turn, {"mass": v}),
        "disc.roll": lambda v: eigenvalues({**turn, "disc.roll": v}, {}),
    }
    for (name, of), value in zip(cases.items(), (0.5, 2.0, 0.4), strict=True):
        held = [one for one in turn if one != name]
        found = linear.eigenvalue_derivative(name, held)
        expected = extrapolated(of, value, 1e-2)
        assert expected[:2] == pytest.approx([0, 0], abs=1e-9)  # two that are zero in every turn
        assert found == pytest.approx(expected, abs=1e-7 * abs(expected[2]))
    with pytest.raises(SolveError, match="unchanged while the parameter"):
        linear.eigenvalue_derivative("mass")
    with pytest.raises(SolveError, match="one of a family"):
        linear.eigenvalue_derivative("mass", held=["disc.roll"])


def test_a_bicycle_over_its_speed() -> None:
    system = benchmark().build()
    linear = system.linearise({"speed": 5.0})
    found = linear.eigenvalue_derivative("speed")
    expected = extrapolated(lambda v: np.asarray(system.linearise({"speed": v}).eigenvalues), 5.0, 0.05)
    assert len(found) == 5 and found == pytest.approx(expected, abs=1e-8)


def test_what_has_no_derivatives() -> None:
    system = door().build()
    with pytest.raises(SolveError, match="not about an equilibrium"):
        system.linearise({"hinge.angle": 1.0}).eigenvalue_derivative("k")
    linear = system.linearise(system.equilibrium({"hinge.angle": 0.1}))
    with pytest.raises(UnknownNameError, match="stiffness"):
        linear.eigenvalue_derivative("stiffness")
    with pytest.raises(SolveError, match="held and varied"):
        linear.eigenvalue_derivative("hinge.angle", held=["hinge.angle"])
    with pytest.raises(SolveError, match="no steady motion"):
        linear.eigenvalue_derivative("k", held=["hinge.angle"])


def test_a_fold_is_refused() -> None:
    """x'' = k - x^2 - x': at k = 0 two equilibria merge."""
    m = tr.Model("fold")
    k = m.parameter("k", 0.0)
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", 1.0, 1.0), "slide")
    x = "slide.displacement"
    m.apply(tr.CoordinateForce(x, lambda s: k - s[x] ** 2 - s[f"{x}_rate"]))
    with pytest.raises(SolveError, match="turn back there"):
        m.build().linearise().eigenvalue_derivative("k")


def test_equal_eigenvalues_with_modes_of_their_own_have_derivatives() -> None:
    """Two equal oscillators: i w = i sqrt(k/m) is there twice, and one of the two moves with each stiffness."""
    m = tr.Model("twins")
    for name in ("a", "b"):
        k = m.parameter(f"k_{name}", 4.0)
        m.connect(tr.Prismatic("x"), m.ground, m.body(name, 1.0, 1.0), f"slide {name}", tr.Spring(k))
    linear = m.build().linearise()
    assert np.abs(linear.eigenvalues) == pytest.approx([2.0] * 4)
    found = linear.eigenvalue_derivative("k_b")
    assert np.sort(np.abs(found)) == pytest.approx([0, 0, 0.25, 0.25], abs=1e-14)


def test_critical_damping_is_reported() -> None:
    m = tr.Model("critical")
    c = m.parameter("c", 2.0)
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", 1.0, 1.0), "slide", tr.Spring(1.0, damping=c))
    with pytest.warns(DerivativeWarning, match="coincide"):
        assert np.all(np.isnan(m.build().linearise().eigenvalue_derivative("c")))
