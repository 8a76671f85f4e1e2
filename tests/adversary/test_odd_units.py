"""The same machines in other units: millimetres, grams, milliseconds; kilometres, tonnes, hours. Results scale."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trundle as tr

UNITS = {"mm, g, ms": (1e3, 1e3, 1e3), "km, t, s": (1e-3, 1e-3, 1.0)}  # of a metre, a kilogram, a second

REACH = float(0.3 * np.cos(0.4) + np.sqrt(0.64 - (0.3 * np.sin(0.4)) ** 2))  # of the crank at 0.4 rad


def linkage(length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> tr.Model:
    """A slider-crank with a spring, under its weight."""
    m = tr.Model("slider-crank", gravity=(0, 0, -9.81 * length / time**2))
    inertia = mass * length**2
    crank = m.body("crank", mass, 0.02 * inertia, com=(0.15 * length, 0, 0))
    rod = m.body("rod", 1.5 * mass, 0.1 * inertia, com=(0.4 * length, 0, 0))
    piston = m.body("piston", 2.0 * mass, 0.01 * inertia)
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3 * length, 0, 0), rod)
    m.connect(
        tr.Prismatic("x"), m.ground, piston, law=tr.Spring(50.0 * mass / time**2, 1.0 * mass / time, 0.9 * length)
    )
    m.connect(tr.Revolute("y"), rod.at(0.8 * length, 0, 0), piston, name="pin")
    m.start = {"crank.angle": 0.4, "piston.displacement": REACH * length, "crank.angle_rate": 3.0 / time}
    return m


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_a_linkage_moves_alike_in_other_units(units: tuple[float, float, float]) -> None:
    length, mass, time = units
    usual = linkage().build().simulate(2.0, samples=5)
    run = linkage(*units).build().simulate(2.0 * time, samples=5)
    assert usual.ok and run.ok
    np.testing.assert_allclose(run.values("crank.angle"), usual.values("crank.angle"), atol=1e-7)
    np.testing.assert_allclose(
        run.values("piston.displacement") / length, usual.values("piston.displacement"), atol=1e-7
    )
    force = mass * length / time**2
    found = run.values("pin.reaction_force") / force
    np.testing.assert_allclose(found, usual.values("pin.reaction_force"), atol=1e-5)


# -- contacts ----------------------------------------------------------------------------------------------------------

ODD = UNITS | {"um, mg, ms": (1e6, 1e6, 1e3), "km, t, h": (1e-3, 1e-3, 1 / 3600), "no system": (7.3e-3, 310.0, 0.17)}


def thrown(length: float, mass: float, time: float, soft: bool) -> tr.Run:
    """A ball that is thrown on a floor: it bounces, slides and rolls; or it sinks into it and slides on."""
    m = tr.Model("thrown ball", gravity=(0, 0, -9.81 * length / time**2))
    ball = m.body("ball", 6.0 * mass, 0.4 * 6.0 * mass * (0.11 * length) ** 2)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(0.11 * length))
    if soft:
        law = tr.RegularisedCoulomb(0.2, v0=1e-3 * length / time)
        stiff = tr.Hertz(1e6 * mass / (length**0.5 * time**2))
        m.connect(pair, m.ground, ball, name="floor", law=law, compliance=stiff)
    else:
        m.connect(pair, m.ground, ball, name="floor", law=tr.Coulomb(0.2), unilateral=True, restitution=0.5)
    m.start = {"ball.position": (0, 0, 0.5 * length), "ball.velocity": (2.0 * length / time, 0.5 * length / time, 0)}
    return m.build().simulate((1.0 if soft else 2.0) * time, samples=6)


@pytest.mark.parametrize("units", ODD.values(), ids=ODD)
def test_a_ball_bounces_slides_and_rolls_alike_in_other_units(units: tuple[float, float, float]) -> None:
    usual, run = thrown(1.0, 1.0, 1.0, soft=False), thrown(*units, soft=False)
    assert usual.ok and run.ok
    np.testing.assert_allclose(run.values("ball.position") / units[0], usual.values("ball.position"), atol=1e-12)
    first = [(name, pytest.approx(t * units[2], rel=1e-11)) for name, t in usual.events[:10]]
    assert run.events[:10] == first and [name for name, _ in run.events] == [name for name, _ in usual.events]


@pytest.mark.parametrize("units", ODD.values(), ids=ODD)
def test_a_ball_sinks_in_alike_in_other_units(units: tuple[float, float, float]) -> None:
    usual, run = thrown(1.0, 1.0, 1.0, soft=True), thrown(*units, soft=True)
    assert usual.ok and run.ok
    np.testing.assert_allclose(run.values("ball.position") / units[0], usual.values("ball.position"), atol=5e-7)


# -- lengths -----------------------------------------------------------------------------------------------------------


def crossed_cylinders(length: float) -> tr.Model:
    """One falls on the other and slides."""
    m = tr.Model("crossed cylinders", gravity=(0, 0, -9.81 * length))
    body = m.body("body", 1.0, tuple(0.1 * length**2 * np.array([1.0, 1.2, 1.5])))
    pair = tr.HigherPair(tr.Cylinder(0.5 * length), tr.Cylinder(0.3 * length))
    m.connect(pair, m.ground, body, name="c", law=tr.Coulomb(0.3), unilateral=True)
    m.start = {"body.position": (0.01 * length, 0.02 * length, 0.85 * length)}
    m.start |= {"body.quaternion": (1.0, 0, 0, 1.0), "body.velocity": (0.1 * length, 0.2 * length, 0)}
    return m


def elastic_wheel(length: float) -> tr.Model:
    """A wheel with an elastic tyre that leans and yaws."""
    m = tr.Model("elastic wheel", gravity=(0, 0, -9.81 * length))
    wheel = m.body("body", 1.0, tuple(length**2 * np.array([0.02, 0.04, 0.02])))
    law = tr.FufaevNeimark(30 / length, 2 * length, alpha=40 / length**2, beta=6 / length)
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.3 * length, 0.05 * length)), m.ground, wheel, name="c", law=law)
    m.start = {"c.yaw_rate": 0.1, "c.pitch_rate": 6.0, "c.roll": 0.05}
    return m


def relaxed_wheel(length: float) -> tr.Model:
    """A wheel driven so that its rolling is relaxed."""
    m = tr.Model("relaxed wheel", gravity=(0, 0, -9.81 * length))
    wheel = m.body("body", 2.0, tuple(2 * length**2 * np.array([0.02, 0.04, 0.02])))
    pair = tr.PlanarPair(tr.Line(), tr.Circle(0.3 * length))
    m.connect(pair, m.ground, wheel, name="c", law=tr.Relaxed(0.3, v0=length))
    m.apply(tr.Wrench(wheel, moment=(0, 2.0 * length**2, 0)))
    return m


@pytest.mark.parametrize(
    ("model", "formalism", "length"),
    [
        (crossed_cylinders, "kane", 1e6),
        (crossed_cylinders, "kane", 1e-3),
        (elastic_wheel, "kane", 1e-6),
        (elastic_wheel, "kane", 1e3),
        (relaxed_wheel, "udwadia_kalaba", 1e-6),
        (relaxed_wheel, "udwadia_kalaba", 1e3),
    ],
)
def test_contacts_of_any_size_move_alike(model: Callable[[float], tr.Model], formalism: str, length: float) -> None:
    duration = 0.4 if model is crossed_cylinders else 1.0
    usual, run = (model(unit).build(formalism).simulate(duration, samples=3) for unit in (1.0, length))
    assert usual.ok and run.ok
    np.testing.assert_allclose(run.values("body.position") / length, usual.values("body.position"), rtol=0, atol=1e-9)


# -- any units ---------------------------------------------------------------------------------------------------------


def _box(m: tr.Model, name: str, below: Any, length: float, mass: float, **contact: Any) -> tr.Body:
    """A box whose lower corners may touch what is below."""
    body = m.body(name, 2.0 * mass, tuple(mass * length**2 * np.array([0.13, 0.20, 0.25]) / 6))
    for k, (x, y) in enumerate([(-0.2, -0.15), (-0.2, 0.15), (0.2, -0.15), (0.2, 0.15)]):
        corner, pair = body.at(x * length, y * length, -0.1 * length), tr.HigherPair(tr.Plane(), tr.Vertex())
        m.connect(pair, below, corner, name=f"{name}{k}", law=tr.Coulomb(0.5), **contact)
    return body


def _turned(*turn: float) -> tuple[float, ...]:
    return tuple(np.array([1.0, *turn]) / np.linalg.norm([1.0, *turn]))


def thrown_box(m: tr.Model, length: float, mass: float, time: float) -> float:
    """It falls on a corner, rocks and slides to rest."""
    _box(m, "box", m.ground, length, mass, restitution=tr.Poisson(0.3))
    m.start = {"box.position": (0, 0, 0.3 * length), "box.quaternion": _turned(0.1, 0.15, 0.05)}
    m.start |= {"box.velocity": tuple(length / time * np.array([0.6, -0.4, 0.2]))}
    m.start |= {"box.angular_velocity": (1.0 / time, -0.7 / time, 0.5 / time)}
    return 3.0


def sliding_disc(m: tr.Model, length: float, mass: float, time: float) -> float:
    """It slides on its edge, along a direction that turns, and stops sliding at 0.7516 s."""
    disc = m.body("disc", mass, tuple(mass * length**2 * np.array([0.01, 0.02, 0.01])))
    pair = tr.HigherPair(tr.Plane(), tr.CircleEdge(0.2 * length))
    m.connect(pair, m.ground, disc, name="c", law=tr.Coulomb(0.3), unilateral=True)
    m.start = {"disc.position": (0, 0, 0.179006175 * length), "disc.quaternion": (0.973404047, 0.229095094, 0, 0)}
    m.start |= {"disc.velocity": (-1.889 * length / time, -0.175 * length / time, 0)}
    m.start |= {"disc.angular_velocity": (0, 1.068 / time, 1.087 / time)}
    return 0.9


def bouncing_ball(m: tr.Model, length: float, mass: float, time: float) -> float:
    """It bounces to rest, slides and rolls."""
    ball = m.body("ball", 6.0 * mass, 0.4 * 6.0 * mass * (0.11 * length) ** 2)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(0.11 * length))
    m.connect(pair, m.ground, ball, law=tr.Coulomb(0.2), restitution=0.5)
    m.start = {"ball.position": (0, 0, 0.5 * length), "ball.velocity": (2.0 * length / time, 0.5 * length / time, 0)}
    return 2.0


def falling_stack(m: tr.Model, length: float, mass: float, time: float) -> float:
    """Two boxes fall on the floor and on each other."""
    below: Any = m.ground
    for i in range(2):
        below = _box(m, f"b{i}", below, length, mass, unilateral=True).at(0, 0, 0.1 * length)
        way = length * np.array([0.01 * i, -0.02 * i, 0.14 + 0.27 * i])
        turn = (1 - 1.7 * i) * np.array([0.015, -0.01, 0.02])
        m.start |= {f"b{i}.position": tuple(way), f"b{i}.quaternion": _turned(*turn)}
        m.start |= {f"b{i}.velocity": tuple(length / time * np.array([0.1, -0.15 * i, 0.1]))}
    return 2.0


Throw = Callable[[tr.Model, float, float, float], float]
Motion = tuple[list[tuple[str, float]], np.ndarray[Any, Any], np.ndarray[Any, Any]]


def motion(throw: Throw, length: float, mass: float, time: float) -> Motion:
    """Events, positions and velocities, over the units. Absolute tolerances are given in proportion: those of rates
    that a run finds by itself go with the unit of time.
    """
    m = tr.Model(throw.__name__, gravity=(0, 0, -9.81 * length / time**2))
    span = throw(m, length, mass, time) * time
    atol = {"m": 2e-11 * length, "rad": 1e-10, "m/s": 2e-11 * length / time, "rad/s": 1e-10 / time}
    run = m.build().simulate(span, samples=11, steps=tr.Steps(most=100_000), atol=atol)
    assert run.ok, run.outcome
    places, speeds = (np.hstack([run.values(f"{b.name}.{what}") for b in m.free_bodies])
                      for what in ("position", "velocity"))  # fmt: skip
    return [(name, t / time) for name, t in run.events], places / length, speeds * time / length


def moves_in_proportion(throw: Throw, seed: int, draws: int) -> None:
    """Every transition comes at the same time, as many bounces are counted, and all ends where it should."""
    rng = np.random.default_rng([seed, 12])
    events, places, speeds = motion(throw, *10.0 ** rng.uniform(-7, 5, 3))
    for _ in range(draws):
        other = motion(throw, *10.0 ** rng.uniform(-7, 5, 3))
        assert other[0] == [(name, pytest.approx(t, rel=1e-8)) for name, t in events]
        np.testing.assert_allclose(other[1], places, atol=1e-9)
        np.testing.assert_allclose(other[2], speeds, atol=1e-8)


@pytest.mark.parametrize("throw", [thrown_box, sliding_disc, bouncing_ball])
def test_a_throw_in_units_drawn_at_random_moves_in_proportion(throw: Throw) -> None:
    moves_in_proportion(throw, seed=1, draws=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("throw", "draws"), [(thrown_box, 20), (sliding_disc, 20), (bouncing_ball, 20), (falling_stack, 4)]
)
def test_throws_in_any_units_move_in_proportion(throw: Throw, draws: int) -> None:
    moves_in_proportion(throw, seed=2, draws=draws)
