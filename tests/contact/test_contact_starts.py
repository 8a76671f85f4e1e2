"""Contacts that may open or yield at the start of a run: gaps of closest points, and what is given is held."""

import math
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import AssemblyError, SolveError
from trundle.system import System

LOOSE: dict[str, dict[str, Any]] = {"compliant": {"compliance": tr.Hertz(1e5)}, "unilateral": {"unilateral": True}}


def thrown(first: Any, second: Any, **kind: Any) -> System:
    m = tr.Model("thrown")
    body = m.body("b", 1.0, (0.1, 0.12, 0.1))
    m.connect(tr.HigherPair(first, second), m.ground, body, name="c", **kind)
    return m.build()


@pytest.mark.parametrize("kind", LOOSE)
@pytest.mark.parametrize("first", [tr.Cylinder(2.0), tr.LineEdge(), tr.CircleEdge(1.0), tr.Cone(1.0, 0.4)])
def test_a_ball_in_random_places(first: Any, kind: str) -> None:
    """The gap at the start is the distance from the surface, and an open ball falls freely."""
    system = thrown(first, tr.Sphere(0.1), **LOOSE[kind])
    rng = np.random.default_rng(5)
    for _ in range(4):
        place = rng.normal(size=3) * 2 + (0, 0, 3)
        distance = float(first.closest(place)[2])
        if distance < 0.2:
            continue
        run = system.simulate(0.01, {"b.position": place}, samples=2)
        assert run.values("c.gap")[0] == pytest.approx(distance - 0.1, abs=1e-9)
        assert run.values("b.acceleration")[0] == pytest.approx((0, 0, -9.81), abs=1e-9)
        assert run.ok


@pytest.mark.parametrize("kind", LOOSE)
def test_a_wheel_clear_of_a_cylinder(kind: str) -> None:
    """Where the wheel came from does not matter: defaults, other poses and coordinates by name give one gap."""
    system = thrown(tr.Cylinder(2.0), tr.Torus(0.5, 0.1), **LOOSE[kind])
    pose = {"b.position": (0.3, 0.2, 3.21), "b.quaternion": (0.9, 0.2, 0.3, 0.1)}
    system.start({"b.position": (-0.3, 5.0, -3.21)})
    gap = system.simulate(0.001, pose, samples=2).values("c.gap")[0]
    assert gap == pytest.approx(0.7637437851377483, abs=1e-9)
    place = {name: value for (name, _), value in zip(_states(system), system.start(pose).q, strict=False)}
    assert system.simulate(0.001, place, samples=2).values("c.gap")[0] == pytest.approx(gap, abs=1e-9)


def _states(system: System) -> list[tuple[str, int]]:
    names: list[tuple[str, int]] = []
    for c in system.formulation.layout.coordinates:
        names += [(c.name, 0)] if c.n_q == 1 else [(f"{c.name}_{k}", i) for i, k in enumerate("wxyz")]
    return names


@pytest.mark.parametrize("kind", LOOSE)
def test_batches_settle_every_case(kind: str) -> None:
    system = thrown(tr.Cylinder(2.0), tr.Sphere(0.5), **LOOSE[kind])
    heights = np.array([2.6, 3.0, 4.0])
    runs = system.batch(0.01, {"b.z": heights, "b.x": 1.0}, samples=2)
    assert runs["c.gap"].values[:, 0] == pytest.approx(np.hypot(1.0, heights) - 2.5, abs=1e-9)


def test_the_model_s_own_start_is_kept_beside_a_compliant_contact() -> None:
    m = tr.Model("given")
    body = m.body("b", 1.0, (0.1, 0.1, 0.1))
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, body, name="c", compliance=tr.Hertz(1e6))
    m.start.update({"b.position": (0, 0, 0.3), "b.velocity": (1, 0, 0)})
    found = m.build().start()
    assert found.q[2] == pytest.approx(0.3) and found.u[0] == pytest.approx(1.0)


def test_a_compliant_contact_by_its_coordinates_touches() -> None:
    system = thrown(tr.Cylinder(2.0), tr.Torus(0.5, 0.1), **LOOSE["compliant"])
    given = {"c.angle": 0.1, "c.slide": 0.2, "c.yaw": 0.3}
    run = system.simulate(0.01, given, samples=2)
    assert run.ok
    assert abs(run.values("c.gap")[0]) < 1e-9
    for name, value in given.items():
        assert run.values(name)[0] == pytest.approx(value, abs=1e-9)


def test_where_the_closest_points_are_not_unique() -> None:
    """A ball on the axis of a pipe, and cylinders that touch along a line, are refused with a message."""
    pipe = thrown(tr.Cylinder(1.0, inside=True), tr.Sphere(0.1), unilateral=True)
    with pytest.raises(AssemblyError, match=r"'c'.*not unique"):
        pipe.start({"b.position": (0, 0, 0)})
    with pytest.raises(AssemblyError, match="along a line"):
        thrown(tr.Cylinder(1.0), tr.Cylinder(0.5), unilateral=True).start()


def test_reactions_of_a_compliant_normal_include_friction() -> None:
    """Force and moment of a sliding ball are those of the rigid normal."""
    found = {}
    depth = (2 * 9.81 / 1e6) ** (2 / 3)
    for name, kind in {"rigid": {}, "compliant": {"compliance": tr.Hertz(1e6)}}.items():
        m = tr.Model(name)
        body = m.body("b", 2.0, (0.1, 0.1, 0.1))
        pair = tr.HigherPair(tr.Plane(), tr.Sphere(0.1))
        law = [tr.RegularisedCoulomb(0.5, 1e-3), tr.SpinFriction(0.01, 0.5)]
        m.connect(tr.Free(), m.ground, body, name="free")
        m.connect(pair, m.ground, body, name="c", law=law, **kind)
        start = {
            "b.position": (0, 0, 0.1 - depth * bool(kind)),
            "b.velocity": (1, 0.5, 0),
            "b.angular_velocity": (0, 0, 3),
        }
        run = m.build().simulate(0.001, start, samples=2)
        found[name] = [run.values(f"c.{k}")[0] for k in ("reaction_force", "reaction_moment", "slip_force_x")]
        found[name].append(run.values("c.slip_force_y")[0])
    for rigid, compliant in zip(*found.values(), strict=True):
        assert compliant == pytest.approx(rigid, abs=2e-3 * 20)
    force = found["compliant"][0]
    assert math.hypot(force[0], force[1]) == pytest.approx(9.81, abs=1e-6) and force[2] == pytest.approx(19.62)
    assert found["compliant"][2] == pytest.approx(force[0]) and found["compliant"][3] == pytest.approx(force[1])


def test_a_wheel_parallel_to_the_floor_has_no_point_of_contact() -> None:
    """It is refused by its cause; tilted a little it falls."""
    system = thrown(tr.Plane(), tr.CircleEdge(0.2), unilateral=True)
    start = {"b.position": (0, 0, 1.0), "b.quaternion": (math.sqrt(0.5), math.sqrt(0.5), 0, 0)}
    with pytest.raises(SolveError, match="parallel to the plane"):
        system.simulate(0.1, start)
    run = system.simulate(
        0.1, start | {"b.quaternion": (math.cos(0.25 * math.pi + 1e-6), math.sin(0.25 * math.pi + 1e-6), 0, 0)}
    )
    assert run.ok and run.values("c.gap")[0] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("unit", [1e-9, 1e6])
def test_the_closest_points_are_found_in_any_unit_of_length(unit: float) -> None:
    """Rings beside each other of a nanometre and of a thousand kilometres."""
    rng = np.random.default_rng(5)
    rings = [(tr.Torus(0.8 * k, 0.2 * k), tr.Torus(0.7 * k, 0.1 * k)) for k in (1.0, unit)]
    models = [thrown(*ring, unilateral=True) for ring in rings]
    for _ in range(3):
        quaternion, place = rng.normal(size=4), rng.normal(size=3) + np.array([0, 0, 3])
        start = {"b.quaternion": tuple(quaternion / np.linalg.norm(quaternion))}
        gaps = [
            model.simulate(1e-9, start | {"b.position": tuple(k * place)}, samples=2).values("c.gap")[0] / k
            for model, k in zip(models, (1.0, unit), strict=True)
        ]
        assert gaps[1] == pytest.approx(gaps[0], rel=1e-9)


@pytest.mark.parametrize("radius", [1e-3, 0.2, 1.0, 50.0])
def test_a_pose_given_with_nine_digits_is_taken_and_touches_exactly(radius: float) -> None:
    m = tr.Model("disc")
    disc = m.body("disc", 1.0, (0.25 * radius**2, 0.5 * radius**2, 0.25 * radius**2))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(radius)), m.ground, disc, name="c", law=tr.Coulomb(0.3))
    system, rng = m.build(), np.random.default_rng(9)
    for _ in range(5):
        lean, heading = rng.uniform(-0.8, 0.8), rng.uniform(-3, 3)
        c, s, cl, sl = math.cos(heading), math.sin(heading), math.cos(lean), math.sin(lean)
        exact = np.array([[c, -s * cl, s * sl], [s, c * cl, -c * sl], [0, sl, cl]])
        rotation = [float(f"{v:.9g}") for v in exact.ravel(order="F")]
        place = (0.3 * radius, -2 * radius, float(f"{radius * cl:.9g}"))
        run = system.simulate(1e-6, {"disc.position": place, "disc.rotation": rotation}, samples=2)
        found = run.values("disc.rotation")[0].reshape(3, 3, order="F")
        lowest = run.values("disc.position")[0, 2] - radius * math.sqrt(1 - found[2, 1] ** 2)
        assert abs(lowest) < 1e-14 * radius
        assert run.values("disc.position")[0] == pytest.approx(place, abs=5e-9 * radius)
        np.testing.assert_allclose(found, exact, atol=5e-9)


EDGES: dict[str, dict[str, Any]] = LOOSE | {"bouncing": {"restitution": 0.5}, "spring": {"compliance": tr.Spring(1e5)}}


def edge_on_edge(kerb_first: bool, **kind: Any) -> System:
    """A sharp wheel above the edge of a kerb: both sides of a contact of edges have a common normal."""
    m = tr.Model("kerb")
    body = m.body("b", 10.0, (0.2, 0.4, 0.2))
    kerb, rim = m.ground.at(0, 0, 0.08), tr.CircleEdge(0.3)
    if kerb_first:
        m.connect(tr.HigherPair(tr.LineEdge(), rim), kerb, body, name="c", law=tr.Coulomb(0.5), **kind)
    else:
        m.connect(tr.HigherPair(rim, tr.LineEdge()), body, kerb, name="c", law=tr.Coulomb(0.5), **kind)
    return m.build()


@pytest.mark.parametrize("kerb_first", [True, False])
@pytest.mark.parametrize("kind", EDGES)
def test_edges_that_touch_are_outside_each_other(kind: str, kerb_first: bool) -> None:
    """Whatever round-off says: the wheel stands on the kerb, and is not fallen through it."""
    system = edge_on_edge(kerb_first, **EDGES[kind])
    for angle in (0.35, -0.4, 0.9):
        way = np.array([-math.sin(angle), 0.0, math.cos(angle)])
        for off in (0.0, 1e-12, -1e-12, -1e-7, -1e-3):
            start = {"b.position": tuple((0.3 + off) * way + (0, 0, 0.08)), "b.velocity": tuple(-0.3 * way)}
            start["b.quaternion"] = (1.0, 0.0, 0.0, 0.0)  # else springs may turn the wheel until they are unstressed
            if off < -1e-9 and kind in ("unilateral", "bouncing"):
                with pytest.raises(SolveError, match="overlaps"):
                    system.simulate(0.01, start)
                continue
            run = system.simulate(0.005, start, samples=6)
            sign = 1 if kerb_first else -1
            assert run.values("c.contact_normal")[0] == pytest.approx(sign * way, abs=1e-6)
            assert run.values("c.gap")[0] == pytest.approx(off, abs=1e-9)
            if kind == "bouncing":
                assert run.values("b.velocity")[-1] @ way > 0  # thrown back
            else:
                assert run.values("c.normal_force")[-1] > 0


@pytest.mark.parametrize("kind", LOOSE)
def test_straight_edges_that_touch(kind: str) -> None:
    """They cross at right angles, the upper one across the lower one."""
    m = tr.Model("bars")
    body = m.body("b", 2.0, (0.1, 0.12, 0.1))
    pair = tr.HigherPair(tr.LineEdge(), tr.LineEdge())
    m.connect(pair, m.ground, body.frame((0, 0, -0.1), ("z", math.pi / 2)), name="c", **LOOSE[kind])
    run = m.build().simulate(0.01, {"b.position": (0, 0, 0.1), "b.velocity": (0, 0, -0.1)}, samples=3)
    assert run.values("c.contact_normal")[0] == pytest.approx((0, 0, 1), abs=1e-9)
    assert run.values("c.normal_force")[-1] > 0


@pytest.mark.parametrize("stop", [0.37, 0.45, 0.7])
def test_a_wheel_on_a_kerb_goes_on_from_where_it_was(stop: float) -> None:
    system = tr.examples.model("wheel-climbs-kerb").build()
    whole, part = system.simulate(0.75, samples=[0, stop, 0.75]), system.simulate(stop, samples=2)
    start = {name: part.values(name)[-1] for name in ("wheel.position", "wheel.velocity", "wheel.angular_velocity")}
    rest = system.simulate(0.75 - stop, start | {"wheel.quaternion": part.values("wheel.quaternion")[-1]}, samples=2)
    assert rest.values("kerb.state")[0] == 2.0
    assert rest.values("wheel.position")[-1] == pytest.approx(whole.values("wheel.position")[-1], abs=1e-8)
