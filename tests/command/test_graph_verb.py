"""`trundle graph`, and the table of seals of `trundle check`."""

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from trundle.cli import app

DRIVEN = """
name: driven
bodies: {arm: {mass: 1, inertia: 1, com: [0.5, 0, 0]}}
connections:
  pivot: {pair: Revolute, axis: y, first: ground, second: arm, law: {spring: {stiffness: 3, damping: 0.1}}}
"""


WHEEL = """
name: wheel
bodies: {wheel: {mass: 1, inertia: [0.1, 0.2, 0.1]}}
connections:
  road:
    pair: HigherPair
    surfaces: [Plane, {Torus: {radius: 0.3, tube: 0.1}}]
    first: ground
    second: wheel
    law: [NoSlip, {yaw: {damper: 0.1}, roll: {damper: 0.1}}]
"""


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def cells(result: Result) -> list[list[str]]:
    """Rows of the table that was printed."""
    lines = [line for line in result.output.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]


def test_check_prints_the_seals_and_counts_of_causality() -> None:
    result = call("check", "benchmark-bicycle")
    assert result.exit_code == 0, result.output
    rows = cells(result)
    assert len(rows) == 15
    assert rows[1] == ["rear", "normal", "(mu, F)", "flow", "FC", "the HigherPair"]
    assert ["steering", "rz", "(lambda, M)", "effort", "EC", "the Revolute"] in rows
    assert result.output.rstrip().splitlines()[-1] == (
        "Causality: 3 integral, 21 derivative, 0 in conflict, 1 algebraic loop."
    )


def test_check_names_what_seals_a_bond(tmp_path: Path) -> None:
    path = tmp_path / "driven.yaml"
    path.write_text(DRIVEN, encoding="utf-8")
    assert ["pivot", "rz", "(lambda, M)", "effort", "C+R", "Spring"] in cells(call("check", path))


def test_graph_prints_seals_and_causality() -> None:
    result = call("graph", "four-bar")
    assert result.exit_code == 0, result.output
    assert len(cells(result)) == 12
    assert "closure: z, rx and ry follow from what left, right and coupler hold" in result.output
    assert "Algebraic loops" in result.output


def test_graph_writes_files(tmp_path: Path) -> None:
    for name in ("graph.json", "graph.graphml"):
        result = call("graph", "simple-pendulum", "-o", tmp_path / name)
        assert result.exit_code == 0, result.output
        assert f"written: {tmp_path / name}" in result.output.replace("\n", "")
    assert json.loads((tmp_path / "graph.json").read_text(encoding="utf-8"))["name"] == "simple pendulum"


def test_graph_refuses_other_forms(tmp_path: Path) -> None:
    result = call("graph", "simple-pendulum", "--out", tmp_path / "graph.png")
    assert result.exit_code == 1
    assert ".graphml" in result.output
    assert list(tmp_path.iterdir()) == []


def test_laws_on_the_chain_of_a_contact_have_rows(tmp_path: Path) -> None:
    path = tmp_path / "wheel.yaml"
    path.write_text(WHEEL, encoding="utf-8")
    rows = cells(call("check", path))
    assert ["road", "chain yaw, chain roll", "(lambda, M)", "effort", "R", "Damper"] in rows
