"""The same machines in other units: millimetres, grams, milliseconds; kilometres, tonnes, hours. Results scale."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.laws.friction_law import FrictionLaw

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


@cache
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


def friction_laws(length: float, time: float = 1.0) -> dict[str, Any]:
    """Every law of friction, in these units."""
    speed = length / time
    return {
        "Coulomb": tr.Coulomb(0.4, 0.3),
        "RegularisedCoulomb": tr.RegularisedCoulomb(0.3, v0=0.05 * speed),
        "Stribeck": tr.Stribeck(0.4, 0.3, stribeck_speed=0.1 * speed, v0=0.05 * speed),
        "LuGre": tr.LuGre(0.4, 0.3, stribeck_speed=0.1 * speed, stiffness=200 / length),
        "Creep": tr.Creep(20.0, 0.3, slow=0.1 * speed),
        "RollingResistance": tr.RollingResistance(0.01 * length, v0=0.05 / time),
        "SpinFriction": tr.SpinFriction(0.02 * length, 0.3, v0=0.05 / time),
        "Relaxed": tr.Relaxed(0.4, v0=speed),
        "PatchFriction": tr.PatchFriction(0.3, 0.02 * length, v0=0.05 * speed),
        "BrushTyre": tr.BrushTyre(0.4, 5.0, slow=0.3 * speed),
        "MagicTyre": tr.MagicTyre(
            0.4, 0.3, 5.0, 4.0, relaxation_x=0.1 * length, relaxation_y=0.1 * length, slow=0.3 * speed
        ),
        "FufaevNeimark": tr.FufaevNeimark(20 / length, 0.05 * length, alpha=50 / length**2, beta=2 / length),
    }


def leaning_wheel(law: str, length: float, mass: float = 1.0, time: float = 1.0) -> tr.Run:
    """A tyre alone that leans, turns and slips where its law lets it."""
    m = tr.Model("wheel", gravity=(0, 0, -9.81 * length / time**2))
    wheel = m.body("wheel", mass, tuple(mass * length**2 * np.array([0.02, 0.03, 0.02])))
    pair = tr.HigherPair(tr.Plane(), tr.Torus(0.3 * length, 0.1 * length))
    m.connect(pair, m.ground, wheel, name="c", law=friction_laws(length, time)[law])
    lean, speed = 0.3, length / time
    m.start = {"wheel.position": (0, 0, length * (0.2 * np.cos(lean) + 0.1))}
    m.start |= {"wheel.quaternion": (np.cos(lean / 2), np.sin(lean / 2), 0, 0), "wheel.velocity_y": 0.4 * speed}
    m.start |= {"wheel.angular_velocity_y": 5.0 / time, "wheel.angular_velocity_z": -2.0 / time}
    if not getattr(tr, law).held:  # along the wheel it rolls
        m.start["wheel.velocity_x"] = 0.7 * speed
    return m.build("udwadia_kalaba" if law == "Relaxed" else "kane").simulate(0.5 * time, samples=6)


def test_no_law_of_friction_is_left_out() -> None:
    named = {n: getattr(tr, n) for n in dir(tr) if not n.startswith("_")}
    laws = {n for n, c in named.items() if inspect.isclass(c) and issubclass(c, FrictionLaw)} - {"FrictionLaw"}
    assert laws == {*friction_laws(1.0)}


@pytest.mark.parametrize("law", friction_laws(1.0))
def test_a_wheel_alone_rolls_alike_at_any_size(law: str) -> None:
    """It has no two points whose distance would be a length: its radii are."""
    usual = leaning_wheel(law, 1.0)
    assert usual.ok
    for length in (1e-6, 1e4, 1e6):
        run = leaning_wheel(law, length)
        assert run.ok, run.outcome
        places = run.values("wheel.position") / length
        np.testing.assert_allclose(places, usual.values("wheel.position"), rtol=0, atol=1e-9, err_msg=f"{length:g} m")


def random_loop(rng: np.random.Generator, length: float) -> np.ndarray[Any, Any]:
    """Coordinates (over the length) of a loop that is assembled without a start pose: a four-bar, a slider-crank or a
    bar held by two balls.
    """
    a, b, c, d = rng.uniform(0.3, 1.5, 4) * length
    m = tr.Model("loop")
    first, second = (m.body(n, 1.0, 0.1 * length**2, com=(s / 2, 0, 0)) for n, s in (("first", a), ("second", b)))
    third = m.body("third", 1.0, 0.1 * length**2)
    m.connect(tr.Revolute("y"), m.ground, first)
    m.connect(tr.Revolute("y"), first.at(a, 0, 0), second)
    kind = rng.integers(3)
    if kind == 0:
        m.connect(tr.Revolute("y"), m.ground.at(d, 0, 0), third)
        m.connect(tr.Revolute("y"), second.at(b, 0, 0), third.at(c, 0, 0), name="closes")
    elif kind == 1:
        m.connect(tr.Prismatic("x"), m.ground.at(0, 0, 0.2 * c), third)
        m.connect(tr.Revolute("y"), second.at(b, 0, 0), third, name="closes")
    else:
        m.connect(tr.Spherical(), second.at(b, 0, 0), third.at(0, 0, 0.1 * length))
        m.connect(tr.Spherical(), m.ground.at(d, 0.1 * length, 0), third.at(c, 0, 0), name="closes")
    try:
        f = m.build().formulation
    except tr.AssemblyError:
        return np.zeros(0)  # bars that are too short
    units = [length if c.unit == "m" else 1.0 for c in f.layout.coordinates for _ in range(c.n_q)]
    return np.array(f.mobility.q) / units


@pytest.mark.parametrize("seed", [0, 1, 3, 8, 9, 10, 11, 12, 24, 33])
def test_loops_without_a_start_pose_close_alike_at_any_size(seed: int) -> None:
    usual = random_loop(np.random.default_rng(seed), 1.0)
    for length in (1e-5, 1e3):
        found = random_loop(np.random.default_rng(seed), length)
        np.testing.assert_allclose(found, usual, rtol=0, atol=1e-9, err_msg=f"{length:g} m")


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
