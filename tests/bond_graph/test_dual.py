"""The dual graph, in which wrenches are flows: its accelerations are the same."""

import json
from pathlib import Path

import numpy as np
import pytest
from moving_states import formulation_of, moving_state

import trundle as tr
from trundle import examples
from trundle.bond_graph.bonds import BondGraph
from trundle.bond_graph.builder import build_graph
from trundle.bond_graph.dual import OTHER, DualGraph
from trundle.bond_graph.states import graph_state
from trundle.errors import SolveError, StoreError

FEW = (
    "benchmark-bicycle", "electric-motor", "following-frame", "flyball-governor", "fixed-servo-joint", "planetary-gear",
    "spring-door", "two-hinge-door", "spinning-disc",
)  # fmt: skip
OPENING = ("ball-on-step", "wheel-climbs-kerb")


def differences(model: tr.Model) -> tuple[float, float]:
    """Of accelerations and of wrenches, over the largest of each; the dual graph is read from its text."""
    f = formulation_of(model)
    graph, p = build_graph(f), f.default_parameters
    state = graph_state(f, *moving_state(f, seed=5), p, 0.0)
    dual = DualGraph.from_json(graph.dual().to_json())
    first, second = graph.accelerations(state), dual.accelerations(state)
    by_name = {a.name: b.name for a, b in zip(graph.nodes, graph.dual().nodes, strict=True)}
    rates = [(value, second[name]) for name, value in first.items() if name not in by_name]
    loads = [(value, second[by_name[name]]) for name, value in first.items() if name in by_name]
    assert rates and len(rates) + len(loads) == len(first)
    return tuple(
        max([0.0, *(float(np.max(np.abs(np.subtract(a, b)))) for a, b in each)])
        / max([1.0, *(float(np.max(np.abs(a))) for a, _ in each)])
        for each in (rates, loads)
    )  # type: ignore[return-value]


@pytest.mark.parametrize("name", FEW)
def test_both_readings_have_the_same_motion(name: str) -> None:
    rates, loads = differences(examples.model(name))
    assert rates < 1e-10
    if name != "two-hinge-door":  # redundant: its reactions are not unique
        assert loads < 1e-9


@pytest.mark.parametrize("name", OPENING)
def test_contacts_that_open_stick_and_slide(name: str) -> None:
    system = examples.model(name).build()
    state = system.graph_state()
    first, second = system.graph.accelerations(state), system.graph.dual().accelerations(state)
    for name, value in first.items():
        if name.endswith("acceleration"):
            np.testing.assert_allclose(second[name], value, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in examples.names() if n not in (*FEW, *OPENING)])
def test_both_readings_of_all_examples(name: str) -> None:
    assert differences(examples.model(name))[0] < 1e-9


def test_kinds_change_places() -> None:
    graph = examples.model("spring-door").build().graph
    dual = graph.dual()
    kinds = {node.name: node.kind for node in dual.nodes}
    assert kinds["0 door"] == "0" and kinds["1 hinge"] == "1"
    assert kinds["C door"] == "C" and kinds["Sf gravity door"] == "Sf" and kinds["Se ground"] == "Se"
    assert kinds["I hinge.rz"] == "I" and kinds["hinge.x"] == "EC"
    assert all(OTHER[OTHER[kind]] == kind for kind in OTHER)
    for a, b in zip(graph.bonds, dual.bonds, strict=True):
        assert a.at_head + b.at_head == a.size == b.size  # strokes are at the other ends
    assert dual.dual() is graph and dual.nodes[0].content.keys() == graph.nodes[0].content.keys()
    held = next(node for node in dual.nodes if node.name == "C door")
    assert set(held.content) == {"capacitance"}


def test_from_text_and_back(tmp_path: Path) -> None:
    graph = examples.model("electric-motor").build().graph
    path = graph.dual().save(tmp_path / "dual.json")
    again = DualGraph.from_json(path.read_text())
    assert again.to_dict() == graph.dual().to_dict() and again.dual().to_dict() == graph.to_dict()
    with pytest.raises(StoreError, match=r"read it with DualGraph\.from_json"):
        BondGraph.from_json(path.read_text())
    with pytest.raises(StoreError, match="not a dual bond graph"):
        DualGraph.from_json(graph.to_json())
    spoilt = json.loads(path.read_text())
    spoilt["bonds"][0]["tail"] = "nowhere"
    with pytest.raises(StoreError, match="nowhere"):
        DualGraph.from_json(json.dumps(spoilt))


def test_pictures_and_networks() -> None:
    dual = examples.model("spring-door").build().graph.dual()
    svg = dual._repr_svg_()
    assert "dual multibond graph" in svg and "capacitance: mass and inertia" in svg
    assert "'0 door' receives the effort" in svg or "'C door' receives the effort" in svg
    network = dual.to_networkx()
    assert network.nodes["1 hinge"]["kind"] == "1" and network.graph["flow"] == "wrench"
    rows = {row[1]: row for row in dual.seal_rows()}
    assert rows["rz"][2:5] == ("(M, lambda)", "flow", "I+R") and rows["x, y, z"][3:5] == ("effort", "EC")


def test_a_state_that_does_not_fit_is_refused() -> None:
    system = examples.model("simple-pendulum").build()
    (body,) = system.model.free_bodies
    state = system.graph_state()
    state[f"{body.name}.com_velocity"] = np.array([0.1, 0.2, 0.3])
    with pytest.raises(SolveError, match="does not fit its seals"):
        system.graph.dual().accelerations(state)


def test_what_no_node_holds_is_refused() -> None:
    m = examples.model("simple-pendulum")
    (name,) = [c.name for c in m.connections.values()]
    m.resist(f"{name}.angle", lambda s: -0.1 * s[f"{name}.angle_rate"])
    with pytest.raises(SolveError, match="the resistance on"):
        m.build("udwadia_kalaba").graph.dual().accelerations()
