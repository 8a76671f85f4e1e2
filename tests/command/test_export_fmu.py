"""`trundle export`: an FMU moves as the model does, with its parameters and inputs."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import trundle as tr
from trundle.cli import app
from trundle.command.fmu import _outputs, export_fmu
from trundle.command.fmu_run import SETTINGS, FmuRun
from trundle.errors import FileError, StoreError

CART = """\
name: cart
parameters: {k: {value: 4, unit: N/m}}
inputs: {push: {value: 0, unit: N}}
bodies: {cart: {mass: 2, inertia: 0.1}}
connections: {cart: {pair: Prismatic, axis: x, first: ground, second: cart, law: {spring: k}}}
forces: {push: {coordinate_force: {coordinate: cart.displacement, law: {motor: push}}}}
run: {plot: [cart.displacement]}
"""


TWO_SPRINGS = """\
name: rotor
gravity: [0, 0, 0]
bodies: {rotor: {mass: 1, inertia: 0.1}}
connections:
  first: {pair: Revolute, axis: z, first: ground, second: rotor, law: {spring: 0.05}}
  second: {pair: Revolute, axis: z, first: ground, second: rotor, law: {spring: 0.05}}
start: {first.angle_rate: 5}
"""


@pytest.fixture
def cart(tmp_path: Path) -> Path:
    path = tmp_path / "cart.yaml"
    path.write_text(CART)
    return path


def test_an_fmu_moves_as_the_model(tmp_path: Path) -> None:
    pytest.importorskip("pythonfmu", reason="no builder of FMUs: pip install pythonfmu")
    fmpy = pytest.importorskip("fmpy", reason="no simulator of FMUs: pip install fmpy")
    out = tmp_path / "pendulum.fmu"
    names = ["--output", "pivot.angle", "--output", "pivot.reaction_force_x"]
    result = CliRunner().invoke(app, ["export", "simple-pendulum", "-o", str(out), *names, "--set", "m=2"])
    assert result.exit_code == 0, result.output
    assert __import__("fmpy.validation").validation.validate_fmu(str(out)) == []
    found = fmpy.simulate_fmu(str(out), stop_time=1.0, output_interval=0.1, start_values={"l": 1.2})
    run = tr.examples.model("simple-pendulum", {"l": 1.2, "m": 2.0}).build().simulate(1.0, samples=11)
    for name in ("pivot.angle", "pivot.reaction_force_x"):
        np.testing.assert_allclose(found[name], run.values(name), rtol=1e-7, atol=1e-7)


def test_inputs_hold_from_step_to_step(cart: Path, tmp_path: Path) -> None:
    """A force that begins at 1 s: the closed form of a mass on a spring."""
    pytest.importorskip("pythonfmu", reason="no builder of FMUs: pip install pythonfmu")
    fmpy = pytest.importorskip("fmpy", reason="no simulator of FMUs: pip install fmpy")
    out = export_fmu(cart, tmp_path / "cart.fmu", [], {})
    signal = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 3.0), (4.0, 3.0)], dtype=[("time", float), ("push", float)])
    found = fmpy.simulate_fmu(str(out), stop_time=3.0, output_interval=0.5, input=signal, start_values={"k": 8.0})
    late = np.maximum(found["time"] - 1.0, 0.0)
    np.testing.assert_allclose(found["cart.displacement"], 3 / 8 * (1 - np.cos(2 * late)), atol=1e-8)


def test_what_is_no_fmu_is_refused(cart: Path, tmp_path: Path) -> None:
    pytest.importorskip("pythonfmu", reason="no builder of FMUs: pip install pythonfmu")
    with pytest.raises(StoreError, match=r"ends in \.fmu"):
        export_fmu(cart, tmp_path / "cart.zip", [], {})
    with pytest.raises(StoreError, match=r"cart\.position_x"):
        export_fmu(cart, tmp_path / "cart.fmu", ["cart.position"], {})
    with pytest.raises(tr.TrundleError, match="nothing"):
        export_fmu(cart, tmp_path / "cart.fmu", ["cart.nothing"], {})


def test_an_example_of_python_is_refused() -> None:
    from trundle.command.find import model_path

    with pytest.raises(FileError, match="built in Python"):
        model_path("chain")


def test_without_pythonfmu(cart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pythonfmu.builder", None)
    with pytest.raises(StoreError, match=r"trundle\[fmi\]"):
        export_fmu(cart, tmp_path / "cart.fmu", [], {})


def test_outputs_unless_given_are_plots_or_coordinates(cart: Path) -> None:
    assert _outputs(tr.load_file(cart), []) == ["cart.displacement"]
    cart.write_text(CART.replace("run: {plot: [cart.displacement]}\n", ""))
    assert _outputs(tr.load_file(cart), []) == ["cart.displacement"]


@pytest.mark.parametrize(("end", "doubt"), [(0.5, ""), (2.0, "HALF_TURN.*second.angle")])
def test_an_fmu_checks_its_whole_run(end: float, doubt: str, tmp_path: Path) -> None:
    """The spring of a joint that closes a loop jumps at half a turn, which no single step tells."""
    (tmp_path / "model.yaml").write_text(TWO_SPRINGS)
    settings = {"model": "model.yaml", "outputs": ["second.angle"], "parameters": {}}
    (tmp_path / SETTINGS).write_text(json.dumps(settings))
    run = FmuRun(tmp_path)
    run.set_up(0.0, end, None)
    assert run.step(0.0, end) == ""
    assert re.search(doubt, run.doubt()) if doubt else run.doubt() == ""


def test_an_fmu_without_a_stop_time_and_steps_beyond_one(cart: Path, tmp_path: Path) -> None:
    (tmp_path / SETTINGS).write_text(
        json.dumps({"model": cart.name, "outputs": ["cart.displacement"], "parameters": {}})
    )
    for stop in (None, 1.0):
        run = FmuRun(tmp_path)
        run.set_up(0.0, stop, None)
        run.inputs["push"] = 3.0
        assert run.step(0.0, 0.5) == run.step(0.5, 0.5) == ""
        assert run.output("cart.displacement") == pytest.approx(3 / 4 * (1 - np.cos(2**0.5)), rel=1e-9)
        beyond = run.step(1.0, 0.5)
        assert beyond == "" if stop is None else "beyond the stop time of the experiment, 1 s" in beyond
