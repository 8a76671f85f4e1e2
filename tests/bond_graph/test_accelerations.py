"""Accelerations from nodes and bonds alone are those of the equations of motion, in the graph that was built and in the
one that was read from its JSON text.
"""

import json
from typing import Any

import casadi as ca
import numpy as np
import pytest
from moving_states import formulation_of, moving_state

import trundle as tr
from trundle import examples
from trundle.bond_graph.bonds import BondGraph
from trundle.bond_graph.builder import build_graph
from trundle.bond_graph.states import graph_state
from trundle.bond_graph.strokes import with_causality
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, StoreError
from trundle.model.body import Frame

CLOSE = 1e-10
FEW = (
    "benchmark-bicycle", "bicycle-with-tyres", "following-frame", "pumped-swing",
    "spiral-column", "flyball-governor", "governed-engine", "two-hinge-door-compliant", "carousel", "fixed-servo-joint",
)  # fmt: skip


def engine(f: Formulation, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
    """Accelerations of mass centres and angular accelerations by Kane's equations, without machine code."""
    e = f.functions.equations
    udot = f.functions.dynamics[0]
    out = []
    for body in e.inertias:
        centre = e.motion.frame(Frame(body, body.com))
        out += [e.time_derivative(centre.v, udot), e.time_derivative(centre.w, udot)]
    values = np.array(ca.DM(ca.Function("a", [e.t, e.q, e.u, e.p], [ca.vertcat(*out)])(0.0, q, u, p))).reshape(-1, 6)
    found = {}
    for body, row in zip(e.inertias, values, strict=True):
        found[f"{body.name}.com_acceleration"], found[f"{body.name}.angular_acceleration"] = row[:3], row[3:]
    return found


def error(graph: BondGraph, state: dict[str, Any], expected: dict[str, np.ndarray]) -> float:
    """Largest difference over the largest acceleration."""
    found = graph.accelerations(state)
    size = max(1.0, *(float(np.max(np.abs(v))) for v in expected.values()))
    return max(float(np.max(np.abs(found[name] - value))) for name, value in expected.items()) / size


def check(model: tr.Model, seed: int) -> BondGraph:
    f = formulation_of(model)
    graph, p = build_graph(f), f.default_parameters
    q, u = moving_state(f, seed)
    state, expected = graph_state(f, q, u, p, 0.0), engine(f, q, u, p)
    assert all(np.all(np.isfinite(v)) for v in expected.values())
    assert error(graph, state, expected) < CLOSE
    again = BondGraph.from_json(graph.to_json())
    assert error(again, json.loads(json.dumps(state, default=np.ndarray.tolist)), expected) < CLOSE
    assert again.to_dict() == graph.to_dict()
    assert with_causality(again).to_dict() == graph.to_dict()  # strokes follow from nodes and bonds
    return graph


@pytest.mark.parametrize("name", FEW)
def test_accelerations_of_examples(name: str) -> None:
    check(examples.model(name), seed=1)


OPENING = ("ball-on-step", "wheel-climbs-kerb")


@pytest.mark.parametrize("name", OPENING)
def test_contacts_that_open_stick_and_slide(name: str) -> None:
    """What the contacts do is part of the state."""
    system = examples.model(name).build()
    state, expected = system.graph_state(), system.accelerations()
    found = system.graph.accelerations(state)
    for body in system.model.free_bodies:  # frames of bodies stand at their mass centres here
        for mine, own in (("com_acceleration", "acceleration"), ("angular_acceleration", "angular_acceleration")):
            np.testing.assert_allclose(found[f"{body.name}.{mine}"], expected[f"{body.name}.{own}"], atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in examples.names() if n not in (*FEW, *OPENING)])
def test_accelerations_of_all_examples(name: str) -> None:
    """Also of those with redundant rows: their efforts are not unique, their accelerations are."""
    check(examples.model(name), seed=2)


def pendulum() -> tr.Model:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0, 0, -1.0))
    m.connect(tr.Revolute("y"), m.ground, bob, name="hinge", law=tr.Spring(3.0, 0.5))
    return m


def test_a_pendulum_by_hand() -> None:
    """Turn about the hinge, a spring, a damper: all numbers in closed form."""
    system = pendulum().build()
    angle, rate = 0.7, -1.3
    found = system.graph.accelerations(system.graph_state({"hinge.angle": angle, "hinge.angle_rate": rate}))
    turning = (-2.0 * 9.81 * np.sin(angle) - 3.0 * angle - 0.5 * rate) / (0.2 + 2.0)
    np.testing.assert_allclose(found["bob.angular_acceleration"], [0, turning, 0], atol=1e-12)
    assert found["C hinge.rz"] == pytest.approx(-3.0 * angle)
    assert found["R hinge.rz"] == pytest.approx(-0.5 * rate)
    out = np.array([-np.sin(angle), 0, -np.cos(angle)])  # from the hinge to the mass centre
    along = np.array([-np.cos(angle), 0, np.sin(angle)])
    np.testing.assert_allclose(found["bob.com_acceleration"], turning * along - rate**2 * out, atol=1e-12)


def test_angles_count_whole_turns() -> None:
    system = pendulum().build()
    found = [system.graph.accelerations(system.graph_state({"hinge.angle": a})) for a in (0.5, 0.5 + 4 * np.pi)]
    assert found[1]["C hinge.rz"] - found[0]["C hinge.rz"] == pytest.approx(-12 * np.pi)


def test_parameters_and_time() -> None:
    m = tr.Model("driven")
    k = m.parameter("k", 4.0)
    cart = m.body("cart", mass=3.0, inertia=1.0)
    m.connect(tr.Prismatic("x"), m.ground, cart, name="rail", law=tr.Motor(lambda t, q, u: k * tr.sin(t)))
    graph = BondGraph.from_json(m.build().graph.to_json())
    assert graph.accelerations(t=0.4)["cart.com_acceleration"][0] == pytest.approx(4.0 * np.sin(0.4) / 3.0)
    moved = graph.accelerations(parameters={"k": 6.0}, t=0.4)
    assert moved["cart.com_acceleration"][0] == pytest.approx(2.0 * np.sin(0.4))
    with pytest.raises(tr.TrundleError, match="'kk'"):
        graph.accelerations(parameters={"kk": 1.0})


def test_a_state_that_does_not_fit_is_refused() -> None:
    system = pendulum().build()
    state = system.graph_state({"hinge.angle_rate": 2.0})
    state["bob.com_velocity"] = state["bob.com_velocity"] + [0, 0.1, 0]
    with pytest.raises(SolveError, match="does not fit its seals: 'hinge"):
        system.graph.accelerations(state)
    del state["bob.orientation"]
    with pytest.raises(SolveError, match=r"lacks 'bob\.orientation'"):
        system.graph.accelerations(state)


def test_laws_on_the_chain_of_a_contact() -> None:
    """A spring on the heading of a wheel and a drive of its roll act beside the bonds of the contact."""
    m = tr.Model("wheel")
    wheel = m.body("wheel", mass=1.0, inertia=(0.125, 0.25, 0.125))
    laws = {"yaw": tr.Spring(1.0, 0.2), "roll": tr.Servo(lambda t: 0.1 + 0.2 * t + 0.3 * t**2)}
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.5, 0.1)), m.ground, wheel, name="road", law=laws)
    graph = check(m, seed=3)
    assert graph.missing == () and {"C road.yaw", "R road.yaw", "road.roll"} <= {n.name for n in graph.nodes}
    assert graph.causality.integral == 4


def test_what_no_node_holds_is_refused() -> None:
    m = pendulum()
    m.resist("hinge.angle", lambda s: -0.1 * s["hinge.angle_rate"])
    graph = m.build("udwadia_kalaba").graph
    assert graph.missing == ("the resistance on 'hinge.angle'",)
    with pytest.raises(SolveError, match=r"the resistance on 'hinge\.angle'"):
        graph.accelerations()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda data: data.update(format="another"), "not a bond graph"),
        (lambda data: data.update(version=1), "layout 1"),
        (lambda data: data.pop("bonds"), "bonds"),
        (lambda data: data["nodes"][2]["content"]["flow"].update(operations=[["__import__", 0]]), "'__import__'"),
        (lambda data: data["nodes"][2]["content"]["flow"].update(operations=[["add", 0, 99]]), "not known"),
        (lambda data: data["nodes"][2]["content"]["flow"].update(outputs=[0, 1]), "2 outputs"),
    ],
)
def test_what_is_no_graph_is_refused(spoil: Any, told: str) -> None:
    data = json.loads(build_graph(formulation_of(pendulum())).to_json())
    spoil(data)
    with pytest.raises(StoreError, match=told):
        BondGraph.from_json(json.dumps(data))
    with pytest.raises(StoreError, match="not valid JSON"):
        BondGraph.from_json("{")
