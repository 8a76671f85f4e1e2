"""The reference page: its Python blocks and its YAML example run, and it mentions everything public."""

import inspect
import re
import runpy
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from tools.public_names import public_names, sentence
from typer.testing import CliRunner

import trundle as tr
from trundle import bicycle, pairs, rail
from trundle.bicycle.whipple import benchmark
from trundle.cli import app
from trundle.file.kinds import CONTACT_LAWS, LAWS
from trundle.integrate import outcome
from trundle.model import Force, Law
from trundle.pairs import edges, lower_pairs, surfaces
from trundle.pairs.contact_quantities import contact_quantities
from trundle.pairs.geometry import SurfaceGeometry
from trundle.rail.track.transition import transitions
from trundle.run.trace import Finding, Trace
from trundle.system import System

PAGE = (Path(__file__).parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def mentioned(name: str) -> bool:
    """In a backquoted piece of code, as a whole word."""
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    return any(re.search(rf"\b{name}\b", piece) for piece in re.findall(r"`([^`\n]+)`", prose))


def test_the_python_blocks_are_one_script(tmp_path, monkeypatch):
    found = blocks("python")
    assert len(found) == 5
    script = tmp_path / "reference.py"
    script.write_text("\n".join(found), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    run, state = names["run"], names["state"]
    assert run.ok and run.energy.drift < 1e-8
    assert run.values("height") == pytest.approx(run.values("bob.com_position_z"), abs=1e-15)
    # x of the mass centre is 0.1 + (-0.4) sin(angle): -0.4 sin(angle) = 0.2.
    assert state.changed["bob.angle"] == pytest.approx((0.5, -0.5235987755982988), abs=1e-9)
    assert set(names["b"].outcomes) == {"FINISHED"}
    assert (names["rolling"].mobility.configuration, names["rolling"].mobility.freedoms) == (5, 3)
    assert names["turn"].ok and names["turn"].energy.drift < 1e-8


def test_the_model_file_runs(tmp_path):
    text, _, _ = blocks("yaml")
    path = tmp_path / "cart.yaml"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(path), "--no-plot", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "FINISHED" in result.output
    run = tr.load(tmp_path / "out" / "result.nc")
    assert run.ok and run.events and {name for name, _ in run.events} == {"stop"}
    assert run.values("cart.displacement").max() < 0.1 + 1e-9


def test_the_model_file_of_the_wheel_rolls(tmp_path):
    _, text, _ = blocks("yaml")
    path = tmp_path / "wheel.yaml"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(path), "--no-plot", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    run = tr.load(tmp_path / "out" / "result.nc")
    assert run.ok
    # A straight run without slip: the hub moves with the speed of the contact, and the wheel turns with speed / radius.
    turning = run.values("hub.angle_rate") + run.values("road.pitch_rate")
    assert turning == pytest.approx(run.values("road.x_rate") / 0.3)


def test_the_model_file_with_joints_by_their_seals(tmp_path):
    *_, text = blocks("yaml")
    path = tmp_path / "crane.yaml"
    path.write_text(text, encoding="utf-8")
    model = tr.load_model(path)
    assert [model.connections[name].kind for name in ("mast", "hook")] == ["AxisJoint", "Connection"]
    assert model.connections["arm"].compliant
    run = model.build().simulate(2.0, method="stiff")
    assert run.ok and run.energy.drift < 1e-6
    assert run.values("mast.angle_rate") == pytest.approx(0.5 * np.tanh(run.time), abs=1e-9)
    words = {"open", "locked", "spring", "damper", "motor", "servo", "flow", "acceleration"}
    assert words <= set(LAWS) and words <= set(
        re.findall(r"\w+", PAGE[PAGE.index("## 8 Model files") : PAGE.index("## 9 ")])
    )


def test_reactions_on_the_first_body_are_about_the_origin_of_the_second_frame():
    m = tr.Model("slide")
    block = m.body("block", mass=2.0, inertia=0.1)
    m.connect(tr.Prismatic("x"), m.ground, block)
    system = m.build()
    for on, sign in (("second", 1.0), ("first", -1.0)):
        found = system.reactions({"block.displacement": 3.0}, on=on)
        assert found["block.reaction_force"] == pytest.approx([0, 0, sign * 2.0 * 9.81])
        assert found["block.reaction_moment"] == pytest.approx([0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("pair", lower_pairs(of_user=False))
def test_every_pair_with_its_coordinates(pair):
    rows = [line for line in PAGE.splitlines() if line.startswith(f"| `{pair.__name__}` |")]
    assert len(rows) == 1
    for step in pair().chain().steps:
        assert f"`{step.name}`" in rows[0]
        assert f"`{step.name}_rate`" in rows[0] if step.n_u == 1 else "`angular_rate`" in rows[0]


def row_of(name):
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}")]
    return [cell.strip() for cell in row.strip("|").split("|")]


SIZES = {"radius": 0.4, "angle": 0.3, "tube": 0.1, "pitch": 0.05, "reach": 0.6, "inside": False}
SIZES |= {"a": 0.3, "b": 0.2, "c": 0.1, "profile": "0.4 - y**2", "low": -0.1, "high": 0.2}


@pytest.mark.parametrize("kind", [*surfaces(of_user=False), *edges(of_user=False)])
def test_every_surface_with_its_sizes_and_coordinates(kind):
    _, sizes, coordinates, sentence = row_of(f"{kind.__name__}` | ")
    values = SIZES | {"profile": lambda y: 0.4 - y**2}
    chart = kind(**{f.name: values[f.name] for f in fields(kind)}).chart()
    assert re.findall(r"`(\w+)`", coordinates) == list(chart.names)
    assert re.findall(r"`(\w+)`", sizes) == [f.name for f in fields(kind)]
    for field, piece in zip(fields(kind), sizes.split(", "), strict=False):
        assert ("\\*" in piece) == (field.type is float)  # plain numbers are marked
    assert sentence


@pytest.mark.parametrize("law", CONTACT_LAWS.values())
def test_every_law_of_contact(law):
    _, holds, _ = row_of(f"{law.__name__}(")
    assert all(f"`{name}`" in holds for name in law.held)


@pytest.mark.parametrize("name", [q.kind for q in contact_quantities("wheel")])
def test_every_quantity_of_a_contact(name):
    unit = {q.kind: q.unit for q in contact_quantities("wheel")}[name]
    (row,) = [line for line in PAGE.splitlines() if line.startswith("|") and f"`contact.{name}`" in line]
    assert f"| {unit} |".replace("|  |", "| |") in row


def test_every_verb_of_the_command_line():
    verbs = [command.callback.__name__ for command in app.registered_commands]
    assert len(verbs) >= 8
    assert [verb for verb in verbs if f"| `trundle {verb}" not in PAGE] == []


def test_every_law_force_and_outcome():
    exported = [getattr(tr, name) for name in tr.__all__]
    kinds = [c.__name__ for c in exported if isinstance(c, type) and issubclass(c, Force | Law)]
    assert len(kinds) >= 11
    endings = [ending.name for ending in outcome.ALL]
    assert [name for name in [*kinds, *endings] if not mentioned(name)] == []


def public(kind):
    return [name for name in vars(kind) if not name.startswith("_")]


def arguments(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


TOLD = {
    "trace": [*arguments(System.trace), *public(Trace), *(f.name for f in fields(Finding))],
    "findings": ["turning point", "singular pose", "loss of contact", "double contact"],
    "bicycle": [
        *bicycle.__all__,
        *(f.name for f in fields(bicycle.Geometry)),
        *(f.name for f in fields(bicycle.Pitch)),
    ],
    "short names": list(benchmark().aliases),
    "rig": [
        *(f.name for f in fields(rail.RollerRig)),
        *(f.name for f in fields(rail.RigPose)),
        *arguments(rail.RollerRig.pose),
        *arguments(rail.RollerRig.model),
        *("RollerRig", "pose", "joints", "model", "wavelength", "klingel_wavelength", "conicity", "roll_coefficient"),
    ],
    "track": [
        *(name for name in public(rail.Alignment) if name not in ("local", "place", "ends_before")),
        *(f.name for f in fields(rail.TrackMotion)),
        *(f.name for f in fields(rail.Jump)),
        *(name for name in public(rail.Irregularity) if name not in ("signals", "spectra")),
        *(kind.__name__ for kind in transitions(of_user=False)),
        *arguments(rail.Alignment.__init__),
    ],
    "classification": [
        "classify",
        "table",
        *arguments(pairs.classify),
        *(f.name for f in fields(pairs.Classification)),
    ],
    "surfaces": [name for name in public(SurfaceGeometry) if name not in ("sweep", "thickened")],
}


@pytest.mark.parametrize("section", TOLD)
def test_every_name_of_a_section(section):
    assert len(TOLD[section]) >= 4
    # The name of the model is no quantity of a trace.
    assert [name for name in TOLD[section] if not mentioned(name) and name != "model_name"] == []


def test_every_public_name_has_a_row():
    """A name is missing, or its docstring has changed: `python -m tools.public_names` writes the table."""
    told = dict(re.findall(r"^\| `(tr\.[\w.]+)` \| (.*) \|$", PAGE, re.MULTILINE))
    names = dict(public_names())
    assert len(names) > 200 and {"tr.walker.collide", "tr.walker.bouncing_dimer", "tr.pairs.classify"} <= set(names)
    assert sorted(set(names) - set(told)) == [] and sorted(set(told) - set(names)) == []
    assert [name for name, part in names.items() if told[name] != sentence(name, part)] == []
    assert [name for name, text in told.items() if len(text) < 5] == []
