"""The spanning tree: least depth, laws and massless bodies inside it, loops named by the connection that closes
them."""

import pytest

import trundle as tr
from trundle.errors import ModelError, SolveError
from trundle.graph import Topology, find_topology
from trundle.model.check import massless


def solid(m: tr.Model, name: str) -> tr.Body:
    return m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.1, 0, -0.2))


def ring(n: int) -> tr.Model:
    """n bodies in a ring of hinges that starts and ends at the ground."""
    m = tr.Model("ring")
    last = m.ground
    for i in range(n):
        body = solid(m, f"b{i}")
        m.connect(tr.Revolute("z"), last, body, name=f"j{i}")
        last = body
    m.connect(tr.Revolute("z"), last, m.ground, name=f"j{n}")
    return m


def topology(m: tr.Model) -> Topology:
    return find_topology(m, massless(m))


def depths(t: Topology) -> dict[str, int]:
    return {j.child.name: len(t.path_to_root(j.child)) - 1 for j in t.tree}


def test_tree_has_the_least_depth() -> None:
    t = topology(ring(7))
    assert depths(t) == {"b0": 1, "b1": 2, "b2": 3, "b3": 4, "b4": 3, "b5": 2, "b6": 1}
    assert [loop.name for loop in t.loops] == ["j4"]


def test_tree_runs_from_the_ground_outwards_and_reverses_joints() -> None:
    t = topology(ring(4))
    seen = {"ground"}
    for joint in t.tree:
        assert joint.parent.name in seen
        seen.add(joint.child.name)
        assert joint.reverse == (joint.connection.first.body is joint.child)
    assert any(joint.reverse for joint in t.tree)


def test_loop_lists_the_bodies_around_it() -> None:
    loop = topology(ring(4)).loops[0]
    assert {b.name for b in loop.bodies} == {"ground", "b0", "b1", "b2", "b3"}
    assert loop.bodies[0] is loop.connection.first.body
    assert loop.bodies[-1] is loop.connection.second.body


@pytest.mark.parametrize("law", [tr.Spring(1.0), tr.Servo(lambda t: t)])
@pytest.mark.parametrize("where", range(8))
def test_law_takes_its_joint_into_the_tree(law: tr.EffortLaw, where: int) -> None:
    m = ring(7)
    m.connections[f"j{where}"].laws["angle"] = law
    t = topology(m)
    assert f"j{where}" not in [loop.name for loop in t.loops]
    assert len(t.tree) == 7 and len(t.loops) == 1


@pytest.mark.parametrize("where", range(5))
def test_force_on_a_coordinate_takes_its_joint_into_the_tree(where: int) -> None:
    m = ring(4)
    m.apply(tr.TorsionSpring(f"j{where}.angle", 1.0))
    assert f"j{where}" not in [loop.name for loop in topology(m).loops]


def test_massless_body_does_not_end_a_branch() -> None:
    m = ring(3)
    cross = m.body("cross")
    m.connect(tr.Revolute("x"), m.bodies["b0"], cross, name="in")
    m.connect(tr.Revolute("y"), cross, m.bodies["b2"], name="out")
    t = topology(m)
    leaves = {j.child.name for j in t.tree} - {j.parent.name for j in t.tree}
    assert "cross" not in leaves


def test_servo_and_massless_body_come_before_springs() -> None:
    """If all connections of a loop have laws, a spring closes it."""
    for where in range(5):
        m = ring(4)
        for name, c in m.connections.items():
            c.laws["angle"] = tr.Servo(lambda t: t) if name == f"j{where}" else tr.Spring(1.0)
        assert topology(m).loops[0].name != f"j{where}"
    m = ring(2)
    cross = m.body("cross")
    m.connect(tr.Revolute("x"), m.bodies["b0"], cross, name="in")
    m.connect(tr.Revolute("y"), cross, m.bodies["b1"], name="out")
    for name in ("j0", "j1", "j2"):
        m.connections[name].laws["angle"] = tr.Spring(1.0)
    assert {loop.name for loop in topology(m).loops} <= {"j0", "j1", "j2"}


def test_free_connection_closes_nothing() -> None:
    m = tr.Model("free")
    b = solid(m, "b")
    m.connect(tr.Revolute("z"), m.ground, b)
    m.connect(tr.Free(), m.ground, b, name="loose")
    t = topology(m)
    assert [j.connection.name for j in t.tree] == ["b"] and not t.loops


def test_law_on_a_free_connection_beside_the_tree() -> None:
    """Two springs measured in two frames pull like their sum."""
    m = tr.Model("two frames", gravity=(0, 0, 0))
    b = m.body("b", mass=2.0, inertia=(1, 1, 1))
    m.connect(tr.Free(), m.ground, b, law={"x": tr.Spring(3.0)})
    m.connect(tr.Free(), m.ground.at(1, 0, 0), b, name="second", law={"x": tr.Spring(5.0)})
    a = m.build().accelerations({"b.x": 0.2})
    assert a["b.acceleration"][0] == pytest.approx((-3.0 * 0.2 - 5.0 * (0.2 - 1.0)) / 2.0)


def test_cardan_shaft_closed_over_the_ground() -> None:
    """Angle of the driven shaft: tan(out) = tan(in) / cos(bend), with a massless cross between the shafts."""
    import numpy as np

    bend = 0.5
    m = tr.Model("shaft", gravity=(0, 0, 0))
    drive, driven, cross = solid(m, "drive"), solid(m, "driven"), m.body("cross")
    m.connect(tr.Revolute("x"), m.ground, drive, law=tr.Servo(lambda t: t))
    m.connect(tr.Revolute("x"), m.ground.frame(rotation=("y", bend)), driven)
    m.connect(tr.Revolute("y"), drive, cross)
    m.connect(tr.Revolute("z"), cross.frame(rotation=("y", 0.0)), driven.frame(rotation=("y", 0.0)), name="fork")
    run = m.build().simulate(1.2, samples=7)
    assert run.ok, run.outcome
    np.testing.assert_allclose(np.tan(run.values("driven.angle")), np.tan(run.time) * np.cos(bend), atol=1e-8)


def test_loose_bodies_are_named() -> None:
    m = ring(2)
    a, b = solid(m, "moon"), solid(m, "star")
    m.connect(tr.Fixed(), a, b)
    with pytest.raises(ModelError, match=r"from the ground to 'moon', 'star'.*tr\.Free"):
        topology(m)


def test_nothing_that_moves() -> None:
    m = tr.Model("block")
    m.connect(tr.Fixed(), m.ground, solid(m, "b"))
    system = m.build()
    assert system.reactions()["b.reaction_force"][2] == pytest.approx(9.81)
    with pytest.raises(SolveError, match="nothing can move"):
        system.simulate(1.0)


def test_trees_grow_from_every_body_whose_motion_is_known() -> None:
    """A deck beside the ground: the tree of its bodies starts there; a chain from deck to ground closes a loop over
    both.
    """
    m = tr.Model("two roots")
    deck = m.moving_frame("deck")
    lamp, rod = (m.body(name, mass=1.0, inertia=(1, 1, 1)) for name in ("lamp", "rod"))
    m.connect(tr.Spherical(), deck, lamp)
    m.connect(tr.Spherical(), lamp, rod)
    m.connect(tr.Spherical(), m.ground, rod, name="tie")
    t = topology(m)
    parents = {j.child.name: j.parent.name for j in t.tree}
    assert parents == {"lamp": "deck", "rod": "ground"}
    (loop,) = t.loops
    assert [b.name for b in loop.bodies] == ["lamp", "deck", "ground", "rod"]
    assert m.roots == [m.ground, deck] and m.free_bodies == [lamp, rod] and m.moving_bodies == [deck, lamp, rod]
