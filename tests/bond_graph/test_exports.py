"""Exports to other programs: the undirected network, all bonds as a networkx graph, JSON, GraphML, and files."""

import json
import sys
import types
from pathlib import Path

import networkx as nx
import pytest

import trundle as tr
from trundle import examples
from trundle.bond_graph.bonds import BondGraph
from trundle.bond_graph.builder import build_graph
from trundle.equations.derivation import Derivation
from trundle.equations.formulation import Formulation
from trundle.errors import StoreError
from trundle.model.spec import Spec


def graph_of(model: tr.Model) -> BondGraph:
    return build_graph(Formulation.of(Derivation(Spec(model)), "kane"))


@pytest.fixture(scope="module")
def bicycle() -> BondGraph:
    return graph_of(examples.model("benchmark-bicycle"))


@pytest.fixture(scope="module")
def four_bar() -> BondGraph:
    return graph_of(examples.model("four-bar"))


def test_network_of_the_bicycle(bicycle: BondGraph) -> None:
    net = bicycle.network
    assert not net.is_directed()
    assert set(net) == {"ground", "rear wheel", "rear frame", "front frame", "front wheel"}
    keys = {key: {a, b} for a, b, key in net.edges(keys=True)}
    assert keys["steering"] == {"rear frame", "front frame"}
    assert keys["rear"] == {"ground", "rear wheel"}  # the wheel touches the road
    road, hub = net.edges["ground", "rear wheel", "rear"], net.edges["rear wheel", "rear frame", "rear hub"]
    assert (road["pair"], road["held"], road["z"], road["rz"]) == ("HigherPair", 3, "FC", "EC")
    assert (hub["pair"], hub["held"], hub["rz"]) == ("Revolute", 5, "EC")
    assert len(nx.minimum_cycle_basis(nx.Graph(net))) == 1


def test_parallel_connections_stay_apart() -> None:
    m = tr.Model("door")
    door = m.body("door", mass=1.0, inertia=1.0)
    for z, name in enumerate(("lower", "upper")):
        m.connect(tr.Revolute("z"), m.ground.at(0, 0, z), door.at(0, 0, z), name=name)
    assert sorted(key for _, _, key in graph_of(m).network.edges(keys=True)) == ["lower", "upper"]


def test_bonds_as_a_directed_graph(four_bar: BondGraph) -> None:
    out = four_bar.to_networkx()
    assert out.number_of_nodes() == len(four_bar.nodes)
    assert out.number_of_edges() == len(four_bar.bonds)
    assert nx.is_weakly_connected(out)
    assert {n for n, data in out.nodes(data=True) if data["conflict"]} == {"closure.z", "closure.rx", "closure.ry"}
    values = [v for _, data in out.nodes(data=True) for v in data.values()]
    values += [v for _, _, data in out.edges(data=True) for v in data.values()]
    assert {type(v) for v in values} <= {str, int, bool}
    for _, _, data in out.edges(data=True):
        assert data["at_head"] + data["at_tail"] == data["size"]


def test_json_is_complete(four_bar: BondGraph) -> None:
    data = json.loads(four_bar.to_json())
    assert data == four_bar.to_dict()
    assert data["version"] == 3
    assert len(data["nodes"]) == len(four_bar.nodes)
    assert len(data["bonds"]) == len(four_bar.bonds)
    assert len(data["seals"]) == 24
    assert data["seals"][5] == {
        "name": "left.rz", "connection": "left", "bond": "rz", "variables": ["lambda", "M"], "sealed_by": "effort",
        "element": "EC", "by": "the Revolute", "held": False, "coordinate": "left.angle",
    }  # fmt: skip
    causality = data["causality"]
    assert causality["integral"] == 1
    assert len(causality["derivative"]) == 17
    assert [c["seal"] for c in causality["conflicts"]] == ["closure.z", "closure.rx", "closure.ry"]
    assert all(loop["size"] == len(loop["seals"]) for loop in causality["loops"])


def test_graphml_is_read_back_unchanged(four_bar: BondGraph, tmp_path: Path) -> None:
    path = four_bar.save(tmp_path / "graph.graphml")
    back = nx.read_graphml(path)
    assert dict(back.nodes(data=True)) == dict(four_bar.to_networkx().nodes(data=True))
    ends = [(a, b, d["size"], d["at_head"]) for a, b, d in back.edges(data=True)]
    assert sorted(ends) == sorted((b.tail, b.head, b.size, b.at_head) for b in four_bar.bonds)


def test_json_file(four_bar: BondGraph, tmp_path: Path) -> None:
    path = four_bar.save(str(tmp_path / "graph.JSON"))
    assert json.loads(path.read_text(encoding="utf-8")) == four_bar.to_dict()
    assert [p.name for p in tmp_path.iterdir()] == ["graph.JSON"]


def test_picture_is_the_one_of_the_notebook(
    four_bar: BondGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    painter = types.ModuleType("trundle.view.bond_graph")
    monkeypatch.setattr(painter, "to_svg", lambda graph: f"<svg>{graph.name}</svg>", raising=False)
    monkeypatch.setitem(sys.modules, "trundle.view.bond_graph", painter)
    assert four_bar.save(tmp_path / "graph.svg").read_text(encoding="utf-8") == "<svg>four-bar</svg>"
    assert four_bar._repr_svg_() == "<svg>four-bar</svg>"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("graph.pdf", ".svg (picture), .json (all data), .graphml"),
        ("graph", "no suffix"),
        ("nowhere/graph.json", "Create it first"),
        ("folder.json", "this is a directory"),
    ],
)
def test_refused_paths(four_bar: BondGraph, tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(StoreError) as error:
        four_bar.save(tmp_path / name)
    assert told in str(error.value)


def test_nothing_is_left_behind_when_writing_fails(
    four_bar: BondGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "graph.json"
    old.write_text("old", encoding="utf-8")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StoreError, match="No space left on device"):
        four_bar.save(old)
    assert old.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_laws_on_the_chain_of_a_contact_are_reported() -> None:
    m = tr.Model("wheel")
    wheel = m.body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.1))
    law = {"x": tr.Servo(lambda t: t), "yaw": tr.Damper(0.1), "contact": tr.NoSlip()}
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.3, 0.1)), m.ground, wheel, name="road", law=law)
    m.apply(tr.CoordinateForce("road.yaw", tr.Spring(2.0)), "rider")
    graph = graph_of(m)
    found = [(c["name"], c["variables"], c["sealed_by"], c["element"], c["by"]) for c in graph.to_dict()["chain"]]
    assert found == [
        ("road.x", ["mu", "F"], "flow", "Sf", "Servo"),
        ("road.yaw", ["lambda", "M"], "effort", "R", "Damper"),
        ("road.yaw", ["lambda", "M"], "effort", "C", "force 'rider'"),
    ]
    node = next(n for n in graph.nodes if n.name == "road.yaw")
    assert (node.kind, node.label) == ("1", "Damper + force 'rider'")
    assert len({n.name for n in graph.nodes}) == len(graph.nodes) and not any("*" in n.name for n in graph.nodes)


def test_a_graph_is_short_in_a_shell(bicycle: BondGraph) -> None:
    assert repr(bicycle) == "<BondGraph of 'benchmark bicycle': 4 bodies, 5 connections, 3 degrees of freedom>"
