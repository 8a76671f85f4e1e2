"""The multibond graph: its structure, sizes of bonds, and causal strokes that obey every junction."""

from collections import Counter
from itertools import pairwise

import pytest

import trundle as tr
from trundle import examples
from trundle.bond_graph.bonds import Bond, BondGraph
from trundle.bond_graph.builder import build_graph
from trundle.equations.derivation import Derivation
from trundle.equations.formulation import Formulation
from trundle.model.spec import Spec

INERTIA = (0.1, 0.11, 0.12)


def graph_of(model: tr.Model) -> BondGraph:
    """Without compiling the equations of motion."""
    return build_graph(Formulation.of(Derivation(Spec(model)), "kane"))


def pendulum() -> tr.Model:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=2.0, inertia=INERTIA)
    m.connect(tr.Revolute("y"), m.ground, bob.at(0, 0, 1.0), name="hinge", law=tr.Spring(3.0))
    return m


def crowded() -> tr.Model:
    """Forces of every kind, a massless body, a wheel with a law on its chain, efforts that add up on one bond."""
    m = tr.Model("crowded")
    a = m.body("a", mass=1.0, inertia=INERTIA)
    cross = m.body("cross")
    b = m.body("b", mass=1.0, inertia=INERTIA, com=(0.3, 0.1, 0.0))
    ball = m.body("ball", mass=1.0, inertia=0.1)
    m.connect(tr.Free(), m.ground, a)
    m.connect(tr.Revolute("z"), a.at(1, 0, 0), cross, name="first turn", law=tr.Damper(0.1))
    m.connect(tr.Revolute("x"), cross, b, name="second turn")
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.2)), m.ground, ball, name="floor", law={"x": tr.Damper(1.0)})
    m.apply(tr.CoordinateForce("first turn.angle", tr.Spring(2.0)), "coil")
    m.apply(tr.SpringDamper(a, b, 10.0, 0.1, 0.5), "strut")
    m.apply(tr.Bushing(m.ground, b, (1.0,) * 6), "bush")
    m.apply(tr.Wrench(b, force=(1.0, 0.0, 0.0)), "push")
    return m


def strokes_at(graph: BondGraph, name: str) -> int:
    """Scalar bonds with their causal stroke at this node."""
    at_head = sum(b.at_head for b in graph.bonds if b.head == name)
    return at_head + sum(b.size - b.at_head for b in graph.bonds if b.tail == name)


def strokes_away(graph: BondGraph, name: str) -> int:
    total = sum(b.size for b in graph.bonds if name in (b.tail, b.head))
    return total - strokes_at(graph, name)


def test_pendulum_has_the_structure_of_the_paper() -> None:
    graph = graph_of(pendulum())
    kinds = Counter(n.kind for n in graph.nodes)
    assert kinds == {"1": 2, "0": 1, "TF": 3, "I": 1, "Se": 1, "Sf": 1, "FC": 5, "C": 1}
    chain = ["1 ground", "TF hinge first", "0 hinge", "TF hinge second", "1 bob"]
    bonds = {(b.tail, b.head): b for b in graph.bonds}
    for tail, head in pairwise(chain):
        assert bonds[tail, head].size == 6
    assert bonds["0 hinge", "TF hinge"].size == 6
    below = [b for b in graph.bonds if b.tail == "TF hinge"]
    assert [b.head for b in below] == [f"hinge.{bond}" for bond in ("x", "y", "z", "rx", "ry", "rz")]
    assert all(b.size == 1 for b in below)
    assert bonds["1 bob", "I bob"].at_head == 1  # one state; five components are in derivative causality
    assert bonds["Se gravity bob", "1 bob"] == Bond("Se gravity bob", "1 bob", 3, 3)
    assert [b.at_head for b in below] == [1, 1, 1, 1, 1, 0]  # the spring gives an effort, the others take it


def test_weightless_and_massless_bodies_lose_their_elements() -> None:
    m = tr.Model("space", gravity=(0, 0, 0))
    m.connect(tr.Free(), m.ground, m.body("stone", mass=1.0, inertia=INERTIA))
    assert not [n for n in graph_of(m).nodes if n.kind == "Se"]
    names = {n.name for n in graph_of(crowded()).nodes}
    assert "I cross" not in names
    assert "Se gravity cross" not in names
    assert {"I b", "Se gravity b"} <= names


def test_forces_and_sums_of_efforts() -> None:
    graph = graph_of(crowded())
    nodes = {n.name: n for n in graph.nodes}
    assert (nodes["C strut"].kind, nodes["C strut"].size) == ("C", 1)
    assert (nodes["C bush"].kind, nodes["C bush"].size) == ("C", 6)
    assert {"0 strut", "TF strut first", "TF strut second", "0 bush", "Se push", "TF push"} <= nodes.keys()
    assert "0 coil" not in nodes  # it acts on a coordinate, so it is part of the seal of that bond
    turn = nodes["first turn.rz"]
    assert (turn.kind, turn.label) == ("1", "Damper + force 'coil'")
    assert [n for n in nodes if n.endswith(" first turn.rz")] == ["R first turn.rz", "C first turn.rz"]
    assert nodes["floor.x"].kind == "R"
    assert {(b.tail, b.head, b.size) for b in graph.bonds} >= {
        ("0 floor.x", "floor.x", 1),
        ("1 ground", "TF floor.x first", 6),
        ("Se push", "TF push", 6),
        ("TF push", "1 b", 6),
    }


def test_names_that_users_make_ambiguous_stay_unique() -> None:
    m = tr.Model("names")
    a, b = (m.body(n, mass=1.0, inertia=INERTIA) for n in "ab")
    m.connect(tr.Free(), m.ground, a, name="link")
    m.connect(tr.Free(), m.ground, b, name="link first")
    graph = graph_of(m)
    names = [n.name for n in graph.nodes]
    assert len(set(names)) == len(names)
    assert {end for bond in graph.bonds for end in (bond.tail, bond.head)} == set(names)
    assert [graph.network.has_edge("ground", "b", "link first"), graph.network.number_of_edges()] == [True, 2]


MODELS = {"pendulum": pendulum, "crowded": crowded} | {
    name: lambda name=name: examples.model(name)
    for name in ("benchmark-bicycle", "four-bar", "flyball-governor", "bricard", "rolling-disc")
}


@pytest.mark.parametrize("name", MODELS)
def test_causal_strokes_obey_every_junction(name: str) -> None:
    """One flow comes into a 1-junction, one effort into a 0-junction, and a transformer passes both on."""
    graph = graph_of(MODELS[name]())
    for node in graph.nodes:
        if node.kind == "1":
            assert strokes_away(graph, node.name) == (6 if node.is_body else 1), node
        elif node.kind == "0":
            assert strokes_at(graph, node.name) == node.size, node
        elif node.kind == "TF":
            sizes = [b.size for b in graph.bonds if node.name in (b.tail, b.head)]
            if min(sizes) == 6 or node.name == f"TF {node.of}":
                assert strokes_at(graph, node.name) == strokes_away(graph, node.name), node
        elif node.kind in ("EC", "C", "R", "Se"):
            assert strokes_at(graph, node.name) == 0, node
    inward = sum(strokes_at(graph, n.name) for n in graph.nodes if n.kind == "I")
    assert inward == graph.causality.integral


@pytest.mark.parametrize("name", MODELS)
def test_every_bond_is_sealed_by_one_element(name: str) -> None:
    graph = graph_of(MODELS[name]())
    nodes = {n.name: n for n in graph.nodes}
    ends = Counter(b.head for b in graph.bonds)
    conflicts = {c.seal for c in graph.causality.conflicts}
    for seal in graph.seals:
        assert ends[seal.name] == 1
        takes_effort = strokes_at(graph, seal.name) == 1
        assert takes_effort == (seal.imposes_flow and seal.name not in conflicts), seal
        assert nodes[seal.name].kind in ("FC", "EC", "R", "C", "Se", "Sf", "1")
        inner = [b.head for b in graph.bonds if b.tail == seal.name]
        assert (nodes[seal.name].kind == "1") == (len(inner) > 1)
        assert {nodes[n].kind for n in inner} <= {"C", "R", "Se"}
    connections = {seal.connection for seal in graph.seals}
    assert all(len({s.name for s in graph.seals if s.connection == c}) == 6 for c in connections)


def test_graph_is_made_once() -> None:
    m = pendulum()
    system = m.build()
    assert system.graph is system.graph
