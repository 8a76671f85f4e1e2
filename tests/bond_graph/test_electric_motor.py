"""A direct-current motor: two domains in one graph, against the closed form of two linear equations."""

import numpy as np
import pytest
from scipy.linalg import expm

import trundle as tr
from trundle import examples
from trundle.bond_graph.bonds import BondGraph
from trundle.errors import ModelError, StoreError

U, K, R, L, J, D = 12.0, 0.1, 0.5, 0.01, 0.02, 0.001
MATRIX = np.array([[-R / L, -K / L], [K / J, -D / J]])
STEADY = np.linalg.solve(MATRIX, [-U / L, 0.0])  # current, rate


@pytest.fixture(scope="module")
def motor() -> tr.System:
    return examples.model("electric-motor").build()


def test_run_up_agrees_with_the_closed_form(motor: tr.System) -> None:
    run = motor.simulate(2.0, method="stiff", samples=201)
    exact = np.array([STEADY - expm(MATRIX * t) @ STEADY for t in run.time])
    np.testing.assert_allclose(run.values("motor.current"), exact[:, 0], atol=1e-8)
    np.testing.assert_allclose(run.values("shaft.angle_rate"), exact[:, 1], atol=1e-8)
    np.testing.assert_allclose(run.values("motor.effort"), K * exact[:, 0], atol=1e-9)
    stored = J * exact[-1, 1] ** 2 / 2 + L * exact[-1, 0] ** 2 / 2
    energy = run.energy
    assert energy.kinetic[-1] + energy.potential[-1] == pytest.approx(stored, rel=1e-9)
    assert energy.work_in[-1] - energy.work_lost[-1] == pytest.approx(stored, rel=1e-8)
    assert run.power.residual.relative < 1e-10


def test_the_circuit_stands_in_the_graph(motor: tr.System) -> None:
    """A gyrator leads from the bond of the shaft to a 1-junction with source, resistance and coil."""
    graph = motor.graph
    kinds = {n.name: n.kind for n in graph.nodes}
    below = {b.head for b in graph.bonds if b.tail == "shaft.rz"}
    assert sorted(kinds[name] for name in below) == ["GY", "R"]
    assert {(b.tail, b.head) for b in graph.bonds if "motor" in b.tail + b.head} == {
        ("GY shaft.rz", "1 motor"), ("Se motor", "1 motor"), ("1 motor", "R motor"), ("1 motor", "I motor"),
    }  # fmt: skip
    strokes = {b.head: b.at_head for b in graph.bonds}
    assert (strokes["GY shaft.rz"], strokes["R motor"], strokes["I motor"]) == (0, 0, 1)  # the coil is a state
    assert graph._repr_svg_().count(">GY<") == 2  # the box, and the legend


@pytest.mark.parametrize("reloaded", [False, True])
def test_the_graph_alone_moves_rotor_and_current(motor: tr.System, reloaded: bool) -> None:
    graph = BondGraph.from_json(motor.graph.to_json()) if reloaded else motor.graph
    state = motor.graph_state({"shaft.angle_rate": 20.0, "motor.current": 3.0})
    found = graph.accelerations(state)
    current, turning = MATRIX @ [3.0, 20.0] + [U / L, 0.0]
    assert found["motor.current_rate"] == pytest.approx(current, rel=1e-13)
    np.testing.assert_allclose(found["rotor.angular_acceleration"], [0, 0, turning], atol=1e-12)
    assert (found["Se motor"], found["R motor"]) == (U, R * 3.0)
    raised = graph.accelerations(state, {"U": 24.0})
    assert raised["motor.current_rate"] - found["motor.current_rate"] == pytest.approx(U / L)


def test_the_rate_of_the_current_comes_from_the_bonds(motor: tr.System) -> None:
    """Not from the equation of the state: without the gyrator nothing is induced."""
    from dataclasses import replace

    state = motor.graph_state({"shaft.angle_rate": 20.0, "motor.current": 3.0})
    cut = tuple(b for b in motor.graph.bonds if "GY shaft.rz" not in (b.tail, b.head))
    nodes = tuple(n for n in motor.graph.nodes if n.kind != "GY")
    found = replace(motor.graph, nodes=nodes, bonds=cut).accelerations(state)
    assert found["motor.current_rate"] == pytest.approx((U - R * 3.0) / L)


def test_what_is_refused(motor: tr.System) -> None:
    with pytest.raises(ModelError, match=r"inductance of an ElectricMotor on 'shaft\.angle' is 0\.0"):
        tr.ElectricMotor("shaft.angle", 0.1, 0.5, 0.0)
    with pytest.raises(StoreError, match="belongs to a circuit"):
        from trundle.bond_graph.modelica import to_modelica

        to_modelica(motor.graph)
