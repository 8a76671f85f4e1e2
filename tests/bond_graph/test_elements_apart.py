"""Separate elements: storage, loss and source of a law are elements of their own on a 1-junction of the bond."""

from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.bond_graph.bonds import BondGraph
from trundle.equations.formulation import FORMALISMS


def door(law: Any = None, **options: Any) -> tr.Model:
    m = tr.Model("door")
    body = m.body("door", 30.0, (10.0, 11.6, 1.6), com=(0.4, 0, 1.0))
    m.connect(tr.Revolute("z"), m.ground, body, name="hinge", law=law, **options)
    return m


def ends(graph: BondGraph, bond: str) -> list[str]:
    kinds = {n.name: n.kind for n in graph.nodes}
    return [kinds[b.head] for b in graph.bonds if b.tail == bond] or [kinds[bond]]


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (None, ["EC"]),
        (tr.Spring(3.0), ["C"]),
        (tr.Damper(2.0), ["R"]),
        (tr.Spring(3.0, 2.0), ["C", "R"]),
        (tr.Spring(3.0, 2.0) + tr.Motor(1.0), ["C", "R", "Se"]),
        (tr.Spring(3.0) + tr.Spring(1.0), ["C", "C"]),
        (tr.Servo(lambda t: 0.1 * t), ["Sf"]),
    ],
)
def test_what_a_bond_ends_in(law: Any, expected: list[str]) -> None:
    graph = door(law).build().graph
    assert ends(graph, "hinge.rz") == expected
    assert graph.network.edges["ground", "door", "hinge"]["rz"] == "+".join(expected)
    assert graph.counts[:2] == (1, 1)  # junctions of bonds are no bodies


def test_compliance_of_every_bond() -> None:
    """[Kosenko 2022, Fig. 3]: six bonds, each with C and R."""
    graph = door(compliance=tr.Spring(1e6, 1e3)).build().graph
    assert [ends(graph, f"hinge.{b}") for b in ("x", "y", "z", "rx", "ry")] == [["C", "R"]] * 5
    assert graph.causality.integral == 6


def test_a_strut_between_bodies() -> None:
    m = door()
    m.apply(tr.SpringDamper(m.ground.at(0, 1, 0), m.bodies["door"].at(0.5, 0, 0), 10.0, 1.0, 1.0), name="strut")
    graph = m.build().graph
    assert ends(graph, "1 on strut") == ["C", "R"]
    m = door()
    m.apply(tr.SpringDamper(m.ground.at(0, 1, 0), m.bodies["door"].at(0.5, 0, 0), 10.0, 0.0, 1.0), name="strut")
    assert "C strut" in {n.name for n in m.build().graph.nodes}


def controlled(torque: Any) -> Any:
    m = tr.Model("door")
    body = m.body("door", 30.0, (10.0, 11.6, 1.6), com=(0.4, 0, 1.0))
    m.connect(tr.FixedControlledJoint("z", torque), m.ground, body, name="hinge")
    return m.build().simulate(2.0, {"hinge.angle": 1.0}, samples=41)


def test_a_controlled_joint_with_a_law_stores_and_loses() -> None:
    """k phi + d phi' as a function is work in; as a law it is stored and lost. The motion is the same."""
    as_function, as_law = controlled(lambda t, q, u: 12 * q + 9 * u), controlled(tr.Spring(12.0, 9.0))
    np.testing.assert_allclose(as_law.values("hinge.angle"), as_function.values("hinge.angle"), atol=1e-9)
    angle, kinetic = as_law.values("hinge.angle")[-1], as_law.energy.kinetic[-1]
    assert as_law.energy.work_in[-1] == 0.0
    assert as_law.energy.work_lost[-1] == pytest.approx(6.0 - 6.0 * angle**2 - kinetic, rel=1e-8)
    assert as_function.energy.work_in[-1] == pytest.approx(kinetic, rel=1e-8)
    assert as_law.power.residual.relative < 1e-12


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_mu_and_lambda_of_every_joint(formalism: str) -> None:
    """Eqs. 1 to 3: along and about the axis the accelerations of the coordinates, else zero, whatever moves first."""
    m = tr.Model("arm")
    turret, boom = m.body("turret", 5.0, (0.3, 0.2, 0.4)), m.body("boom", 2.0, (0.05, 0.2, 0.2), com=(0.3, 0.1, 0))
    m.connect(tr.Revolute((0, 0.6, 0.8)), m.ground, turret, name="base")
    m.connect(tr.Cylindrical((1, 2, 2)), turret.at(0.1, 0, 0.5), boom, name="joint", law={"angle": tr.Spring(4.0)})
    start = {"base.angle": 0.4, "base.angle_rate": 3.0, "joint.angle": 0.7, "joint.displacement": 0.2,
             "joint.angle_rate": -2.0, "joint.displacement_rate": 1.5}  # fmt: skip
    run = m.build(formalism).simulate(0.3, start, samples=3001, rtol=1e-11)
    mu, turning = run.values("joint.mu"), run.values("joint.lambda")
    np.testing.assert_allclose(mu[:, :2], 0, atol=1e-7)
    np.testing.assert_allclose(turning[:, :2], 0, atol=1e-7)
    for found, name in ((mu[:, 2], "joint.displacement_rate"), (turning[:, 2], "joint.angle_rate")):
        rate = np.gradient(run.values(name), run.time, edge_order=2)
        np.testing.assert_allclose(found[2:-2], rate[2:-2], atol=2e-5 * (1 + np.max(np.abs(rate))))
    assert np.max(np.abs(mu[:, 2])) > 1.0


def test_lambda_of_a_servo_joint_is_what_it_prescribes() -> None:
    m = tr.Model("servo")
    body = m.body("body", 1.0, 0.1, com=(0.2, 0, 0))
    m.connect(tr.FixedServoJoint("y", lambda t, q, u: 2.0 - 3.0 * u), m.ground, body, name="joint")
    run = m.build().simulate(1.0, samples=5)
    np.testing.assert_allclose(run.values("joint.lambda")[:, 2], 2.0 - 3.0 * run.values("joint.angle_rate"), atol=1e-9)


def test_friction_is_a_flow_constraint_while_it_sticks_and_a_resistance_while_it_slides() -> None:
    """In the graph and in the audit: a ball that is thrown onto a slope slides, then rolls."""
    slope, mu, mass, radius = 0.3, 0.2, 2.0, 0.2
    m = tr.Model("ball on a slope", gravity=(9.81 * np.sin(slope), 0, -9.81 * np.cos(slope)))
    ball = m.body("ball", mass, 0.4 * mass * radius**2)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(radius)), m.ground, ball, name="floor", law=tr.Coulomb(mu))
    system = m.build()
    load = mass * 9.81 * np.cos(slope)
    rolling = 9.81 * np.sin(slope) / 1.4 / radius  # rad/s^2
    for turning, kind, freedoms, expected in (
        (0.0, "R", 5, mu * load / (0.4 * mass * radius)),
        (10.0, "FC", 3, rolling),
    ):
        state = system.graph_state({"ball.velocity": (2.0, 0, 0), "ball.angular_velocity": (0, turning, 0)})
        graph = system.graph.in_state(state)
        kinds = {n.name: n.kind for n in graph.nodes}
        assert [kinds[f"floor.{b}"] for b in ("slip_x", "slip_y", "normal", "spin")] == [kind, kind, "FC", "EC"]
        assert graph.causality.integral == freedoms
        for each in (graph, system.graph):  # the second one asks the state what its contacts do
            assert each.accelerations(state)["ball.angular_acceleration"][1] == pytest.approx(expected, rel=1e-11)
    run = system.simulate(1.0, {"floor.x_rate": 2.0}, samples=101)
    audit = run.power["floor"].sel(bond="slip_x")
    sticks = audit.sealed.values == "FC"
    ends = 2.0 / (9.81 * (3.5 * mu * np.cos(slope) - np.sin(slope)))  # of sliding
    np.testing.assert_array_equal(sticks, run.time > ends)
    np.testing.assert_allclose(audit.power.values[sticks], 0, atol=1e-12)
    np.testing.assert_allclose(audit.power.values[~sticks], -mu * load * audit.flow.values[~sticks], rtol=1e-9)
