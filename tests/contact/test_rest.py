"""Contacts that share loads: bodies on several feet come to rest, and slide where no share of the forces holds them."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import trundle as tr

G = 9.81
SIZE = (0.4, 0.3, 0.2)
MASS = 2.0
LOW = 0.05  # m above the ground, where tables are pushed
FEET = {3: ((-0.5, -0.3), (-0.5, 0.3), (0.5, 0.0)), 4: ((-0.5, -0.3), (-0.5, 0.3), (0.5, -0.3), (0.5, 0.3))}


def _inertia(a: float, b: float, c: float) -> tuple[float, float, float]:
    return MASS / 12 * (b**2 + c**2), MASS / 12 * (a**2 + c**2), MASS / 12 * (a**2 + b**2)


def _corners(count: int) -> np.ndarray[Any, Any]:
    half = np.array(SIZE) / 2
    heights = (-1, 1) if count == 8 else (-1,)
    return np.array([(x, y, z) for z in heights for x in (-1, 1) for y in (-1, 1)]) * half


@cache
def box(corners: int) -> tr.System:
    """A box whose corners may strike the floor."""
    m = tr.Model(f"box with {corners} corners")
    e = m.parameter("e", 0.3)
    body = m.body("box", MASS, _inertia(*SIZE))
    for k, at in enumerate(_corners(corners)):
        pair = tr.HigherPair(tr.Plane(), tr.Vertex())
        m.connect(pair, m.ground, body.at(*at), name=f"c{k}", law=tr.Coulomb(0.5), restitution=tr.Poisson(e))
    return m.build()


def _rotation(q: Any) -> np.ndarray[Any, Any]:
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def throw(rng: np.random.Generator, corners: int) -> dict[str, Any]:
    """A start above the floor: any attitude with eight corners; with four the box must fall on its bottom."""
    if corners == 8:
        q = rng.normal(size=4)
    else:
        turn = rng.uniform(-0.5, 0.5, 3)
        q = np.array([1.0, *(turn / 2)])
    q /= np.linalg.norm(q)
    low = float((_corners(corners) @ _rotation(q).T)[:, 2].min())
    spin = 5.0 if corners == 8 else 2.0
    return {
        "box.position": (0, 0, rng.uniform(0, 0.3) - low),
        "box.quaternion": tuple(q),
        "box.velocity": tuple(rng.uniform(-1, 1, 3)),
        "box.angular_velocity": tuple(rng.uniform(-spin, spin, 3)),
    }


def comes_to_rest(run: Any, bodies: list[str], contacts: list[str]) -> None:
    """At the end nothing moves; on the way nothing went through the floor, and no energy came from anywhere."""
    assert run.ok, run.outcome
    for body in bodies:
        for name in ("velocity", "angular_velocity"):
            assert np.max(np.abs(run.values(f"{body}.{name}")[-1])) < 1e-12
    for name in contacts:
        assert np.min(run.values(f"{name}.gap")) > -1e-9
        assert np.min(run.values(f"{name}.friction_power")) > -1e-9
    energy = run.energy.kinetic + run.energy.potential
    assert np.max(np.diff(energy)) < 1e-8 * abs(energy[0])
    assert not [text for text in run.warnings if "several motions" in text]


def _throws(corners: int, e: float, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        run = box(corners).simulate(5.0, throw(rng, corners), {"e": e}, samples=101, steps=tr.Steps(most=100_000))
        comes_to_rest(run, ["box"], [f"c{k}" for k in range(corners)])


@pytest.mark.parametrize("e", [0.3, 0.0])
def test_a_box_thrown_on_four_corners_comes_to_rest(e: float) -> None:
    _throws(4, e, 10, seed=7)


def test_edges_that_strike_in_turn_find_an_end() -> None:
    """Plastic landings in which two edges strike in turn, while their corners hold against each other."""
    rng = np.random.default_rng(1)
    throws = [throw(rng, 4) for _ in range(58)]
    for k in (10, 57):
        run = box(4).simulate(5.0, throws[k], {"e": 0.0}, samples=101, steps=tr.Steps(most=100_000))
        comes_to_rest(run, ["box"], [f"c{k}" for k in range(4)])


@pytest.mark.slow
@pytest.mark.parametrize(("corners", "e"), [(4, 0.3), (4, 0.0), (8, 0.3), (8, 0.0)])
def test_boxes_thrown_at_random_come_to_rest(corners: int, e: float) -> None:
    _throws(corners, e, 200, seed=1)


# -- the limit of friction ---------------------------------------------------------------------------------------------


@cache
def table(feet: int, beside: bool = False) -> tr.System:
    """A table pushed near the floor with `rise` t along (x, y), on a floor that slopes along x; and beside it a puck
    that slides all the time.
    """
    m = tr.Model(f"table on {feet} feet")
    rise, x, y = (m.parameter(name, 0.0) for name in ("rise", "x", "y"))
    kinetic, slope = m.parameter("kinetic", 0.5), m.parameter("slope", 0.0)
    body = m.body("table", 10.0, (1.0, 1.2, 1.5))
    for k, (at_x, at_y) in enumerate(FEET[feet]):
        law = tr.Coulomb(0.5, kinetic)
        ends = m.ground, body.at(at_x, at_y, -0.7)
        m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), *ends, name=f"f{k}", law=law, unilateral=True)
    m.apply(tr.Wrench(body.at(0, 0, LOW - 0.7), force=lambda s: (rise * s.t * x, rise * s.t * y, 0)))
    m.apply(tr.Wrench(body, force=(10.0 * G * tr.sin(slope), 0, 10.0 * G * (1 - tr.cos(slope)))))
    m.start = {"table.position": (0, 0, 0.7)}
    if beside:
        puck, skates = m.body("puck", 1.0, (0.1, 0.1, 0.1)), tr.HigherPair(tr.Plane(), tr.Vertex())
        m.connect(skates, m.ground, puck, name="skates", law=tr.Coulomb(0.01), unilateral=True)
        m.start |= {"puck.position": (0, 5, 0), "puck.velocity": (9, 0, 0)}
    return m.build()


@pytest.mark.parametrize("way", [0.0, 0.5, 2.1])
def test_a_table_slides_at_the_limit_of_all_its_feet(way: float) -> None:
    """mu times the weight, whichever way it is pushed; before that every foot stays within its own cone."""
    pushed = {"rise": 10.0, "x": np.cos(way), "y": np.sin(way), "kinetic": 0.4}
    limit = 0.5 * 10.0 * G / 10.0
    run = table(4).simulate(6.0, parameters=pushed)
    begins = [t for name, t in run.events if name.endswith("slips")]
    assert run.ok and begins == [pytest.approx(limit, rel=1e-8)] * len(begins) and begins
    speed = (5.0 * (36.0 - limit**2) - 0.4 * 10.0 * G * (6.0 - limit)) / 10.0
    found = run.values("table.velocity")[-1]
    assert found == pytest.approx([speed * np.cos(way), speed * np.sin(way), 0.0], abs=1e-6 * speed)
    total = np.zeros((len(run.time), 2))
    for k in range(4):
        force = np.stack([run.values(f"f{k}.slip_force_x"), run.values(f"f{k}.slip_force_y")], axis=1).reshape(-1, 2)
        load = run.values(f"f{k}.normal_force").ravel()
        assert np.all(np.hypot(*force.T) <= 0.5 * load + 1e-7) and np.all(load >= -1e-7)
        total += force
    held = run.time < limit - 1e-6
    assert total[held] == pytest.approx(-10.0 * run.time[held, None] * [np.cos(way), np.sin(way)], abs=1e-8)


@pytest.mark.parametrize(("way", "kinetic", "beside"), [(2.1, 0.5, False), (0.5, 0.5, True), (0.5, 0.4, True)])
def test_a_table_holds_as_well_while_something_else_slides(way: float, kinetic: float, beside: bool) -> None:
    """And where friction is the same in motion, so that it begins to move by nothing, it does not chatter there."""
    pushed = {"rise": 10.0, "x": np.cos(way), "y": np.sin(way), "kinetic": kinetic}
    run, limit = table(4, beside).simulate(6.0, parameters=pushed), 0.5 * G
    assert run.ok and run.events[0][1] == pytest.approx(limit, rel=1e-8) and len(run.events) < 30
    speed = (5.0 * (36.0 - limit**2) - kinetic * 10.0 * G * (6.0 - limit)) / 10.0
    found = run.values("table.velocity")[-1]
    assert found == pytest.approx([speed * np.cos(way), speed * np.sin(way), 0.0], abs=1e-6 * speed)


@cache
def plate(on_top: bool) -> tr.System:
    """A plate of mass `m` on three feet, beside a block of 1 kg or on top of it, pushed near its feet by m g t."""
    model = tr.Model("plate")
    mass = model.parameter("m", 1.0)
    block = model.body("block", 1.0, 0.1)
    body = model.body("plate", mass, (0.01 * mass, 0.01 * mass, 0.02 * mass))
    base = block.at(0, 0, 0.1) if on_top else model.ground
    for k, (x, y) in enumerate(FEET[3]):
        for below, above, mu in ((model.ground, block.at(x, y, -0.1), 0.5), (base, body.at(x / 5, y / 5, -0.05), 0.3)):
            name = f"{above.body.name} {k}"
            pair = tr.HigherPair(tr.Plane(), tr.Vertex())
            model.connect(pair, below, above, name=name, law=tr.Coulomb(mu), unilateral=True)
    model.apply(tr.Wrench(body.at(0, 0, -0.05), force=lambda s: (mass * G * s.t, 0, 0)))
    model.start = {"block.position": (0, 0, 0.1), "plate.position": (0, 0, 0.25) if on_top else (2, 0, 0.05)}
    return model.build()


@pytest.mark.parametrize("on_top", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_light_bodies_slide_at_their_limit_beside_and_on_heavy_ones(on_top: bool) -> None:
    """Loads of other bodies are no measure of what is negligible for a light one."""
    for mass in (1.0, 1e-4, 1e-7):
        run = plate(on_top).simulate(1.0, parameters={"m": mass}, samples=2)
        begins = [t for name, t in run.events if name.endswith("slips")]
        assert run.ok and begins == [pytest.approx(0.3, rel=1e-8)] * len(begins) and begins, (mass, run.events)
        speed = G * (0.5 * (1.0 - 0.3**2) - 0.3 * 0.7)
        assert run.values("plate.velocity")[-1, 0] == pytest.approx(speed, rel=1e-9)


@pytest.mark.parametrize("unilateral", [False, True])
def test_a_light_puck_slides_at_its_limit_beside_a_heavy_pendulum(unilateral: bool) -> None:
    m = tr.Model("puck and pendulum")
    puck, bob = m.body("puck", 1e-3, 1e-7), m.body("bob", 1e5, 1e5)
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, puck, name="c", law=tr.Coulomb(0.3),
              unilateral=unilateral)  # fmt: skip
    m.connect(tr.Revolute("y"), m.ground.at(0, 5, 0), bob)
    m.apply(tr.Wrench(puck, force=lambda s: (1e-3 * G * s.t, 0, 0)))
    assert m.build().simulate(1.0).events == [("c slips", pytest.approx(0.3, rel=1e-12))]


@pytest.mark.parametrize("law", [tr.Coulomb(0.3), tr.NoSlip()])
def test_what_sticks_in_a_model_without_lengths_is_at_rest(law: Any) -> None:
    """Its motion by round-off is no measure of accuracy."""
    m = tr.Model("puck")
    puck = m.body("puck", 1.0, 1.0)
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, puck, name="c", law=law)
    m.apply(tr.Wrench(puck, force=lambda s: (0.1 * G * s.t, 0, 0)))
    run = m.build().simulate(2.9, steps=tr.Steps(most=1000), samples=2)
    assert run.ok and run.events == []


def test_three_feet_at_the_angle_of_friction_stay() -> None:
    run = table(3).simulate(5.0, parameters={"slope": float(np.arctan(0.5))})
    assert run.ok and not run.events and np.max(np.abs(run.values("table.velocity"))) < 1e-12


@pytest.mark.parametrize("way", [0.0, 0.6435, 1.9])
def test_a_table_on_three_feet_pushed_slowly_slides(way: float) -> None:
    """Friction is proportional to the loads, so its sum acts at the mass centre: one limit for all directions."""
    pushed = {"rise": 10.0, "x": np.cos(way), "y": np.sin(way), "kinetic": 0.4}
    run = table(3).simulate(6.0, parameters=pushed, steps=tr.Steps(most=100_000))
    assert run.ok and run.events[0][1] == pytest.approx(0.5 * G, rel=1e-8)
    assert np.min([np.min(run.values(f"f{k}.friction_power")) for k in range(3)]) > -1e-9


@pytest.mark.parametrize("near", [1e-3, 1e-7])
def test_a_slow_slip_that_belongs_to_a_fast_motion_continues(near: float) -> None:
    """A pointer with a foot near its axle and one at its tip: holding the first would stop the other at once."""
    m = tr.Model("pointer")
    body = m.body("pointer", 2.0, (1.0, 1.0, 1.0))
    m.connect(tr.Cylindrical("z"), m.ground, body, name="axle")
    for name, at in (("foot", near), ("tip", 1.0)):
        pair = tr.HigherPair(tr.Plane(), tr.Vertex())
        m.connect(pair, m.ground, body.at(at, 0, 0), name=name, law=tr.Coulomb(0.3), unilateral=True)
    m.start = {"axle.angle_rate": 1.0}
    run = m.build().simulate(0.2, samples=2)
    moment = 0.3 * (near * run["foot.normal_force"].values[0] + run["tip.normal_force"].values[0])
    assert run.ok and run.events == []
    assert run["axle.angle_rate"].values[-1] == pytest.approx(1.0 - 0.2 * moment, rel=1e-9)


# -- stacks ------------------------------------------------------------------------------------------------------------


@cache
def stack(boxes: int) -> tr.System:
    """Boxes above each other; the corners of each may touch the top of the one below."""
    m = tr.Model(f"{boxes} boxes")
    below: Any = m.ground
    for i in range(boxes):
        body = m.body(f"b{i}", MASS, _inertia(*SIZE))
        for k, at in enumerate(_corners(4)):
            pair = tr.HigherPair(tr.Plane(), tr.Vertex())
            m.connect(pair, below, body.at(*at), name=f"s{i}{k}", law=tr.Coulomb(0.5), unilateral=True)
        below = body.at(0, 0, SIZE[2] / 2)
    return m.build()


def _falls(boxes: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        start: dict[str, Any] = {}
        for i in range(boxes):
            turn = rng.uniform(-0.05, 0.05, 3)
            start[f"b{i}.position"] = (*rng.uniform(-0.03, 0.03, 2), 0.1 + 0.27 * i + rng.uniform(0.03, 0.05))
            start[f"b{i}.quaternion"] = tuple(np.array([1, *turn / 2]) / np.linalg.norm([1, *turn / 2]))
            start[f"b{i}.velocity"] = tuple(rng.uniform(-0.2, 0.2, 3))
        run = stack(boxes).simulate(3.0, start, samples=101, steps=tr.Steps(most=100_000))
        comes_to_rest(run, [f"b{i}" for i in range(boxes)], [f"s{i}{k}" for i in range(boxes) for k in range(4)])


def _slides(seed: int) -> dict[str, Any]:
    """Two boxes on each other that slide over the floor together, or each its own way."""
    rng = np.random.default_rng([seed, 5])
    turned, spin = rng.uniform(-0.5, 0.5), rng.uniform(-2, 2) * 10 ** rng.uniform(-2, 0)
    speed, (x, y) = rng.uniform(-1, 1, 2) * 10 ** rng.uniform(-2, 0), rng.uniform(-0.1, 0.1, 2)
    upper, above = (speed[0] - spin * y, speed[1] + spin * x), spin
    if seed % 2:
        upper, above = tuple(rng.uniform(-0.3, 0.3, 2)), rng.uniform(-1, 1)
    return {
        "b0.position": (0, 0, 0.1),
        "b0.velocity": (*speed, 0),
        "b0.angular_velocity": (0, 0, spin),
        "b1.position": (x, y, 0.3),
        "b1.quaternion": (np.cos(turned / 2), 0, 0, np.sin(turned / 2)),
        "b1.velocity": (*upper, 0),
        "b1.angular_velocity": (0, 0, above),
    }


def _slide_to_rest(seed: int, steps: int = 5000, events: int = 200) -> None:
    run = stack(2).simulate(1.0, _slides(seed), samples=101, steps=tr.Steps(most=steps))
    assert len(run.events) < events, seed
    comes_to_rest(run, ["b0", "b1"], [f"s{i}{k}" for i in range(2) for k in range(4)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [10, 52])
def test_boxes_that_slide_together_come_to_rest(seed: int) -> None:
    """The upper one holds at its limit, for some loads of the corners that slide below and not for others."""
    _slide_to_rest(seed)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "steps", "events"), [(62, 400, 10), (84, 2000, 300)])
def test_boxes_that_creep_on_each_other_come_to_rest(seed: int, steps: int, events: int) -> None:
    """The direction of a slip that grows by 2e-3 m/s^2 is stiff; shares that fade away are found anew many times."""
    _slide_to_rest(seed, steps, events)


@pytest.mark.slow
def test_pairs_of_boxes_slide_to_rest() -> None:
    for seed in range(60):
        _slide_to_rest(seed)


def test_two_boxes_fall_on_each_other_and_rest() -> None:
    _falls(2, 3, seed=3)


@pytest.mark.slow
def test_three_boxes_fall_on_each_other_and_rest() -> None:
    _falls(3, 20, seed=3)


@pytest.mark.slow
def test_ten_dominoes_fall_and_rest() -> None:
    """Each falls on the next one, the last on the floor."""
    height, width, count, lean = 0.5, 0.1, 10, 0.05
    m = tr.Model("dominoes")
    inertia = (height**2 + width**2) / 12
    floor, law = tr.PlanarPair(tr.Line(), tr.Vertex()), tr.Coulomb(0.4)
    last, contacts = m.ground, []
    for i in range(count):
        body = m.body(f"d{i}", 1.0, inertia)
        m.connect(tr.Planar("y"), m.ground, body, name=f"pose{i}")
        ends = {f"r{i}": (m.ground, body.at(-width / 2, 0, -height / 2))}
        ends[f"f{i}"] = (m.ground, body.at(width / 2, 0, -height / 2))
        if i:
            face = body.frame((-width / 2, 0, 0), ((0, 1, 0), -np.pi / 2))
            ends[f"t{i}"] = (face, last.at(width / 2, 0, height / 2))
        if i == count - 1:
            ends["g"] = (m.ground, body.at(width / 2, 0, height / 2))
        for name, (first, second) in ends.items():
            m.connect(floor, first, second, name=name, law=law, unilateral=True)
        contacts, last = [*contacts, *ends], body
    c, s = np.cos(lean), np.sin(lean)
    start: dict[str, Any] = {f"d{i}.position": (0.2 * i + 0.05, 0, height / 2) for i in range(1, count)}
    start["d0.position"] = (width / 2 * (1 - c) + height / 2 * s, 0, width / 2 * s + height / 2 * c)
    start |= {"pose0.angle": lean, "pose0.angle_rate": 5.0}
    run = m.build().simulate(4.0, start, steps=tr.Steps(most=100_000))
    comes_to_rest(run, [f"d{i}" for i in range(count)], contacts)
    assert run.values(f"d{count - 1}.position")[-1, 2] == pytest.approx(width / 2, abs=1e-9)
