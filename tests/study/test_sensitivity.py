"""Derivatives of runs: against closed forms, differences of runs, and what is refused."""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import DerivativeWarning, SolveError, UnknownNameError

Array = np.ndarray[Any, np.dtype[np.float64]]
G = 9.81


def richardson(at: Callable[[float], Array], value: float, step: float) -> Array:
    """Derivative by central differences, their errors taken away up to the sixth power of the step."""
    found = [(at(value + h) - at(value - h)) / (2 * h) for h in (step, step / 2, step / 4)]
    for power in (4.0, 16.0):
        found = [(power * b - a) / (power - 1) for a, b in pairwise(found)]
    return found[0]


def compare(
    system: tr.System, duration: float, by: str, names: list[str], tolerance: float, given: dict[str, Any] | None = None
) -> tr.Run:
    """Derivatives of a run at the default tolerance against differences of runs at a tighter one."""
    given = given or {}
    run = system.simulate(duration, **given, samples=23, sensitivity=[by])
    assert run.trajectory is not None
    kind = "parameters" if by in system.model.parameters else "start"
    value = run.parameters[by] if kind == "parameters" else float(run[by][0])

    def at(value: float) -> Array:
        changed = {**given, kind: {**given.get(kind, {}), by: value}}
        other = system.simulate(duration, **changed, samples=23, rtol=1e-13)
        assert other.trajectory is not None
        assert np.array_equal(other.trajectory.events_before, run.trajectory.events_before)
        return np.column_stack([other.values(name) for name in names])

    expected = richardson(at, value, 1e-3 * max(abs(value), 0.1))
    found = np.column_stack([run.derivative(name, by).values for name in names])
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.max(np.abs(expected)))
    return run


@cache
def ball(unilateral: bool = True) -> tr.System:
    m = tr.Model("ball")
    e, g, mu, R = (m.parameter(n, v) for n, v in (("e", 0.7), ("g", G), ("mu", 0.05), ("R", 0.1)))
    m.gravity = (0, 0, -g)
    body = m.body("ball", mass=1.0, inertia=0.004)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(R)), m.ground, body, name="c", law=tr.Coulomb(mu),
              unilateral=unilateral, restitution=tr.Newton(e) if unilateral else None)  # fmt: skip
    m.start = {"ball.position": (0, 0, 1.1), "ball.velocity": (1.0, 0.3, 0), "ball.angular_velocity": (2.0, -5.0, 1.0)}
    return m.build()


def test_sensitivity_of_a_bouncing_ball_agrees_with_the_closed_form() -> None:
    h, e = 1.0, 0.7
    run = ball().simulate(1.5, samples=31, sensitivity=["e", "ball.position_z"], start={"ball.velocity": (0, 0, 0)})

    def height(t: float, h: float, e: float) -> float:
        """Of the lowest point, by adding up flights."""
        v, begun = np.sqrt(2 * G * h), np.sqrt(2 * h / G)
        if t < begun:
            return float(h - G * t**2 / 2)
        v *= e
        while t - begun > 2 * v / G:
            begun += 2 * v / G
            v *= e
        return float(v * (t - begun) - G * (t - begun) ** 2 / 2)

    for by, at in (("e", lambda z, t: height(t, h, e + z)), ("ball.position_z", lambda z, t: height(t, h + z, e))):
        expected = [richardson(lambda z, t=t, at=at: np.array(at(z, t)), 0.0, 1e-4) for t in run.time]
        np.testing.assert_allclose(run.derivative("ball.position_z", by), expected, rtol=0, atol=1e-8)
    times = run.sensitivities.event_times  # type: ignore[union-attr]
    first = np.sqrt(2 * h / G)
    np.testing.assert_allclose(times[0], [0.0, first / (2 * h)], atol=1e-9)
    np.testing.assert_allclose(times[1], [2 * first, (1 + 2 * e) * first / (2 * h)], atol=1e-9)


@pytest.mark.parametrize("by", ["mu", "R", "ball.velocity_x"])
def test_a_ball_that_slides_in_its_bounces(by: str) -> None:
    names = ["ball.position_x", "ball.position_y", "ball.velocity_x", "ball.angular_velocity_y"]
    compare(ball(), 1.2, by, names, 1e-8)


@pytest.mark.parametrize("laws", [[tr.NoSlip(), tr.NoSpin()], [tr.Coulomb(0.4), tr.NoSpin()], tr.NoSpin()], ids=str)
def test_a_landing_at_which_a_law_stops_the_spin(laws: Any) -> None:
    m = tr.Model("uneven ball")
    inertia = m.parameter("inertia", 0.03)
    moments = (0.02, inertia, 0.04, 0.004, 0.003, 0.006)
    body = m.body("ball", mass=1.0, inertia=moments, com=(0.02, 0.01, 0.03))
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, body, name="c", law=laws, unilateral=True)
    m.start = {"ball.position": (0, 0, 0.15), "ball.velocity": (1.0, 0.3, 0), "ball.angular_velocity": (1.0, 2.0, 5.0)}
    names = ["ball.position_x", "ball.position_y", "ball.angular_velocity_x", "ball.angular_velocity_z"]
    compare(m.build(), 0.13, "inertia", names, 1e-6)


@pytest.mark.parametrize("by", ["mu", "g", "ball.angular_velocity_y"])
def test_a_ball_that_slides_in_a_turning_direction_and_rolls(by: str) -> None:
    given = {"start": {"ball.position": (0, 0, 0.1)}, "parameters": {"mu": 0.3}}
    run = compare(ball(False), 1.0, by, ["ball.position_x", "ball.position_y", "ball.angular_velocity_x"], 1e-7, given)
    assert any("stops" in str(event) for event in run.events)


def test_a_block_that_sticks_and_slips_on_a_belt() -> None:
    m = tr.Model("belt")
    mu, k = m.parameter("mu", 0.4), m.parameter("k", 30.0)
    block = m.body("block", mass=1.0, inertia=0.01)
    m.connect(tr.Planar("y"), m.ground, block, name="guide")
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.05)), m.ground, block, name="c", law=tr.Coulomb(mu, 0.25))
    m.apply(tr.SpringDamper(m.ground.at(0, 0, 0.05), block.at(1, 0, 0), stiffness=k, length=1.0), name="spring")
    m.apply(tr.Wrench(block, moment=lambda s: (0, -2.0 * s["guide.angle"] - 0.1 * s["guide.angle_rate"], 0)))
    m.start = {"block.position": (-1.2, 0, 0.05), "block.velocity": (0, 0, 0)}
    system = m.build()
    for by in ("mu", "k"):
        compare(system, 2.0, by, ["block.position_x", "block.velocity_x"], 1e-7)


@cache
def four_bar(formalism: str) -> tr.System:
    m = tr.Model("four-bar", gravity=(0, -G, 0))
    L, k = m.parameter("L", 1.3), m.parameter("k", 5.0)
    A = m.body("A", mass=1.0, com=(0.25, 0, 0), inertia=(0.01, 0.02, 0.02))
    B = m.body("B", mass=2.0, com=(L / 2, 0, 0), inertia=(0.01, 0.2, 0.2))
    C = m.body("C", mass=1.5, com=(0.4, 0, 0), inertia=(0.01, 0.1, 0.1))
    m.connect(tr.Revolute("z"), m.ground, A, name="a")
    m.connect(tr.Revolute("z"), A.at(0.5, 0, 0), B, name="b")
    m.connect(tr.Revolute("z"), m.ground.at(1.2, 0, 0), C, name="c", law=tr.Spring(k))
    m.connect(tr.Revolute("z"), B.at(L, 0, 0), C.at(0.8, 0, 0), name="d")
    m.start = {"a.angle": 0.6, "a.angle_rate": 3.0}
    return m.build(formalism=formalism)


@pytest.mark.parametrize("by", ["L", "k", "a.angle", "a.angle_rate"])
def test_a_linkage_whose_start_is_assembled(by: str) -> None:
    compare(four_bar("kane"), 2.0, by, ["a.angle", "c.angle_rate", "c.reaction_force_x"], 1e-8)


def test_formalisms_agree() -> None:
    names, by = ["a.angle", "c.angle_rate", "d.reaction_force_y"], ["L", "k", "a.angle"]
    runs = [four_bar(f).simulate(2.0, samples=11, sensitivity=by) for f in ("kane", "udwadia_kalaba")]
    for b in by:
        first, second = (np.column_stack([run.derivative(name, b) for name in names]) for run in runs)
        np.testing.assert_allclose(first, second, rtol=0, atol=1e-7 * np.max(np.abs(first)))


@pytest.mark.slow
def test_absolute_coordinates_agree() -> None:
    first, second = (
        four_bar(f).simulate(2.0, samples=11, sensitivity=["L"]).derivative("a.angle", "L")
        for f in ("kane", "newton_euler")
    )
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-7)


def test_events_that_change_state_and_parameters() -> None:
    m = tr.Model("cart")
    a, target, f = m.parameter("a", 0.1), m.parameter("target", 0.25), m.parameter("f", 0.3)
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=2.0))
    m.apply(tr.CoordinateForce("cart.displacement", lambda s: f - 0.2 * s["cart.displacement"] + 0.1 * tr.sin(3 * s.t)))
    m.event("hit", lambda s: s["cart.displacement"] - target, action={
        "target": lambda s: target + a * (1 + s["cart.displacement_rate"]),
        "cart.displacement_rate": lambda s: 0.9 * s["cart.displacement_rate"] + 0.1 * a,
    })  # fmt: skip
    m.event("seen", lambda s: s["cart.displacement"] - 0.333)
    m.start = {"cart.displacement_rate": 1.0}
    system = m.build()
    for by in ("a", "target", "f", "cart.displacement_rate"):
        compare(system, 2.0, by, ["cart.displacement", "cart.displacement_rate"], 1e-8)


def test_samples_that_begin_late_see_the_same() -> None:
    whole = ball().simulate(1.5, samples=[0.0, 0.9, 1.4], sensitivity=["e"])
    late = ball().simulate(1.5, samples=[0.9, 1.4], sensitivity=["e"])
    np.testing.assert_allclose(
        whole.derivative("ball.velocity_z", "e")[1:], late.derivative("ball.velocity_z", "e"), rtol=1e-9
    )


@cache
def pendulum() -> tr.System:
    m = tr.Model("pendulum")
    k, after = m.parameter("k", 3.0, unit="N m/rad"), m.parameter("after", 0.5, unit="s")
    bob = m.body("bob", mass=0.5, com=(0, 0, -0.4), inertia=0.002)
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Spring(k, damping=0.01))
    m.apply(tr.CoordinateForce("bob.angle", lambda s: tr.where(s.t > after, 0.1, 0.0)))
    m.start = {"bob.angle": 0.3}
    return m.build()


def test_units_and_energies() -> None:
    run = compare(pendulum(), 1.0, "k", ["bob.angle", "energy.kinetic", "energy.potential", "energy.work_lost"], 1e-8)
    assert run.derivative("bob.angle_rate", "k").attrs["units"] == "rad/s/(N m/rad)"
    assert run.derivative("bob.reaction_force", "k").dims == ("time", "axis")


def test_quantities_without_derivative_are_refused_with_a_message() -> None:
    system = pendulum()
    with pytest.raises(SolveError, match="time at which a law switches depends on 'after'"):
        system.simulate(1.0, sensitivity=["after"])
    with pytest.raises(UnknownNameError, match="no parameter or start value called 'kk'"):
        system.simulate(1.0, sensitivity=["kk"])
    with pytest.raises(SolveError, match="a name twice"):
        system.simulate(1.0, sensitivity=["k", "k"])
    with pytest.raises(SolveError, match="on_event"):
        system.simulate(1.0, sensitivity=["k"], on_event=lambda name, t, state: None)
    with pytest.raises(SolveError, match="explicit"):
        system.simulate(1.0, sensitivity=["k"], method="stiff")
    run = system.simulate(1.0, sensitivity=["k"])
    with pytest.raises(SolveError, match="'bob\\.rotation'"):
        run.derivative("bob.orientation", "k")
    with pytest.raises(UnknownNameError, match="after"):
        run.derivative("bob.angle", "after")
    with pytest.raises(SolveError, match="sensitivity="):
        system.simulate(1.0).derivative("bob.angle", "k")


def test_a_law_that_jumps_with_the_state_is_warned_of() -> None:
    m = tr.Model("cart")
    f = m.parameter("f", 1.0)
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=2.0))
    m.apply(tr.CoordinateForce("cart.displacement", lambda s: f - tr.where(s["cart.displacement"] > 0.2, 3.0, 0.0)))
    system = m.build()
    with pytest.warns(DerivativeWarning, match="a law jumps as the state changes"):
        system.simulate(1.5, sensitivity=["f"])


def test_two_events_at_once_have_no_derivative() -> None:
    m = tr.Model("cart")
    b = m.parameter("b", 0.5)
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=2.0))
    m.event("one", lambda s: s["cart.displacement"] - 0.5, action={"cart.displacement_rate": 2.0})
    m.event("two", lambda s: s["cart.displacement"] - b, action={"cart.displacement_rate": 3.0})
    m.start = {"cart.displacement_rate": 1.0}
    with pytest.raises(SolveError, match="'one' and 'two' happen at once"):
        m.build().simulate(1.0, sensitivity=["b"])


def test_columns_do_not_disturb_each_other() -> None:
    names = ["L", "k", "a.angle", "a.angle_rate"]
    all_at_once = four_bar("kane").simulate(2.0, samples=11, sensitivity=names)
    alone = four_bar("kane").simulate(2.0, samples=11, sensitivity=["k"])
    np.testing.assert_allclose(all_at_once.derivative("a.angle", "k"), alone.derivative("a.angle", "k"), atol=1e-9)


def pulled(force: Callable[[Any, Any], Any], given: float) -> tr.System:
    """A block of 1 kg with friction 0.3 that is pulled along by force(F, t)."""
    m = tr.Model("pulled block")
    mu, strength = m.parameter("mu", 0.3), m.parameter("F", given)
    block = m.body("block", mass=1.0, inertia=0.1)
    law = {"friction": tr.Coulomb(mu), **dict.fromkeys(("roll_x", "roll_y", "spin"), tr.Locked())}
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, block, name="foot", law=law)
    m.apply(tr.Wrench(block, force=lambda s: (force(strength, s.t), 0, 0)), "rope")
    return m.build()


def test_sticking_at_the_very_start() -> None:
    """Under F t it slides from t0 = mu g / F on: x = F (t - t0)^3 / 6."""
    system, t0 = pulled(lambda F, t: F * t, 1.0), 0.3 * G
    run = system.simulate(5.0, sensitivity=["mu", "F"], samples=3)
    assert float(run.derivative("block.position_x", "mu")[-1]) == pytest.approx(-G * (5 - t0) ** 2 / 2, rel=1e-9)
    exact = (5 - t0) ** 3 / 6 + t0 * (5 - t0) ** 2 / 2
    assert float(run.derivative("block.position_x", "F")[-1]) == pytest.approx(exact, rel=1e-9)
    for end in (1.0, t0):  # it has not moved, and does not in motions nearby
        still = system.simulate(end, sensitivity=["mu"], samples=3)
        assert float(still.derivative("block.position_x", "mu")[-1]) == pytest.approx(0.0, abs=1e-12)


def test_sticking_at_the_very_limit_has_no_derivative() -> None:
    """The block rests under F = mu g, and moves by (F - mu g) t^2 / 2 under more: 0 on one side, 0.5 on the other."""
    system = pulled(lambda F, t: F, 0.3 * G)
    with pytest.raises(SolveError, match=r"at t = 0 s contact 'foot' sticks at the very limit of its friction"):
        system.simulate(1.0, sensitivity=["F"])


def test_a_grazing_event_is_refused_with_a_message() -> None:
    m = tr.Model("swinging mass")
    body = m.body("b", mass=1.0, inertia=0.1)
    m.connect(tr.Prismatic("x"), m.ground, body, law=tr.Spring(m.parameter("k", 4.0)))
    jump = {"b.displacement_rate": lambda s: -0.8 * s["b.displacement_rate"]}
    m.event("hit", lambda s: s["b.displacement"] - 1.0, direction=1, action=jump)
    m.start = {"b.displacement": -1.0}
    with pytest.raises(SolveError, match=r"at t = 1.5708 s .*'hit' is only grazed.* no derivative beyond that time"):
        m.build().simulate(4.0, sensitivity=["k"])
