"""Tables in model files: inline or from a CSV file beside them, called in expressions; faults have their line."""

from pathlib import Path

import numpy as np
import pytest

import trundle as tr
from trundle.errors import FileError
from trundle.file import load_file, read_model

HEAD = """
name: m
parameters: {k: 2.0}
tables:
  spring: {x: [-2, -1, 0, 1, 2], y: [8, 1, 0, -1, -8], unit: N m, text: a stiffening spring}
  gear: {x: [[0, 1, 2], [0, 10]], y: [[[1, 2], [3, 4]], [[1, 2], [3, 4]], [[1, 2], [3, 4*pi/pi]]], between: linear,
         outputs: [up, down]}
bodies: {bob: {mass: 1, com: [0, 0, -1]}}
connections:
  bob: {pair: Revolute, axis: y, first: ground, second: bob, law: {motor: k*spring(q) - 0.1*u + 0*spring(t)}}
outputs:
  torque: spring(bob.angle)
  lower: gear.down(bob.angle + 1, 5)
events:
  half: {expression: spring(bob.angle) - 0.001}
start: {bob.angle: 0.3}
"""


def test_inline_tables_are_called_in_laws_outputs_and_events() -> None:
    model = read_model(HEAD).model
    table = model.tables["spring"].table
    assert table.unit == "N m" and table(0.5) == pytest.approx(-0.125)  # the cubic itself
    run = model.build().simulate(2.0)
    assert run.values("torque") == pytest.approx(-(run.values("bob.angle") ** 3), abs=1e-12)
    assert run.values("lower") == pytest.approx(np.full(501, 3.0)) and len(run.events) >= 1
    python = tr.Model("m")
    spring = python.table("spring", tr.Table([-2, -1, 0, 1, 2], [8, 1, 0, -1, -8]))
    bob = python.body("bob", mass=1, com=(0, 0, -1))
    law = tr.Motor(lambda t, q, u: 2.0 * spring(q) - 0.1 * u)
    python.connect(tr.Revolute("y"), python.ground, bob, "bob", law=law)
    other = python.build().simulate(2.0, {"bob.angle": 0.3})
    assert run.values("bob.angle") == pytest.approx(other.values("bob.angle"), abs=1e-9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "push.csv").write_text("t,a,b\n0,1,2\n1,2,4\n2,0,0\n")
    (tmp_path.parent / f"{tmp_path.name}.csv").write_text("t,a\n0,1\n1,2\n")
    return tmp_path


FILE = """
name: m
tables:
  push: {%s}
bodies: {bob: {mass: 1}}
connections:
  bob: {pair: Prismatic, axis: x, first: ground, second: bob, law: {motor: %s}}
"""


def test_columns_of_a_file_beside_the_model(folder: Path) -> None:
    file = folder / "model.yaml"
    file.write_text(
        FILE % ("csv: data/push.csv, x: t, y: [a, b], between: linear, beyond: line", "push.b(t) - push.a(t)")
    )
    table = load_file(file).model.tables["push"].table
    assert np.array_equal(table.y, [[1, 2], [2, 4], [0, 0]]) and table.beyond == ("line",)
    run = load_file(file).model.build().simulate(2.0)
    assert run.values("bob.displacement_rate")[-1] == pytest.approx(1.5 + 1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("table", "law", "words"),
    [
        ("csv: none.csv, x: t, y: a", "push(t)", "line 4, tables.push.csv: there is no file 'none.csv'"),
        ("csv: data/push.csv, x: s, y: a", "push(t)", "line 4, tables.push.*'s'"),
        ("csv: data/push.csv, x: t, y: 3", "push(t)", "tables.push.y: give the name of a column"),
        ("csv: ../{name}.csv, x: t, y: a", "push(t)", "must be a .csv file in the folder"),
        ("csv: /etc/passwd, x: t, y: a", "push(t)", "must be a .csv file in the folder"),
        ("csv: [a], x: t, y: a", "push(t)", "give the name of a CSV file"),
        ("x: [0, 2, 1], y: [0, 0, 0]", "push(t)", "line 4, tables.push: x of a table must increase"),
        ("x: [0, 1], y: [0, 1, 2]", "push(t)", "shape"),
        ("x: [0, one], y: [0, 1]", "push(t)", r"tables.push.x\[1\]: there is no parameter or constant called 'one'"),
        ("x: 3, y: [0, 1]", "push(t)", "give a list of numbers, not 3"),
        ("x: [0, 1], y: [0, .nan]", "push(t)", "tables.push"),
        ("x: [0, 1], y: [0, 1], between: spline", "push(t)", "tables.push.between"),
        ("x: [0, 1], y: [0, 1], beyond: stop", "push(t)", "'hold', 'line', 'refuse' or 'repeat'"),
        ("x: [0, 1]", "push(t)", "tables.push"),
        ("x: [0, 1], y: [0, 1], size: 3", "push(t)", "size"),
        ("x: [0, 1], y: [0, 1]", "push", "push is a table; write push"),
        ("x: [0, 1], y: [0, 1]", "pusch(t)", "there is no function 'pusch'; did you mean push"),
        ("x: [0, 1], y: [[0, 1], [1, 2]], outputs: [a, b]", "push.c(t)", "not 'push.c'"),
    ],
)
def test_faults_have_their_line(folder: Path, table: str, law: str, words: str) -> None:
    file = folder / "model.yaml"
    file.write_text(FILE % (table.replace("{name}", folder.name), law))
    with pytest.raises(FileError, match=words):
        load_file(file)


def test_a_model_of_text_has_no_folder() -> None:
    with pytest.raises(FileError, match="has no folder"):
        read_model(FILE % ("csv: push.csv, x: t, y: a", "push(t)"))


def test_a_link_out_of_the_folder_is_not_followed(folder: Path) -> None:
    (folder / "link.csv").symlink_to(folder.parent / f"{folder.name}.csv")
    file = folder / "model.yaml"
    file.write_text(FILE % ("csv: link.csv, x: t, y: a", "push(t)"))
    with pytest.raises(FileError, match=r"must be a \.csv file in the folder"):
        load_file(file)


def test_names_of_tables_are_not_those_of_others() -> None:
    for name in ("sin", "k"):
        with pytest.raises(FileError, match=f"tables.{name}: '{name}' is a name used in expressions, a parameter"):
            read_model(HEAD.replace("spring:", f"{name}:").replace("spring(", "sin("))


def test_masses_cannot_come_from_tables() -> None:
    with pytest.raises(FileError, match="table 'spring' cannot be used for masses"):
        read_model(HEAD.replace("mass: 1", "mass: spring(-1)"))


def test_states_and_frames_call_tables() -> None:
    """w' = -w + cos t by a table that is exact; the frame moves by its table."""
    text = """
name: m
gravity: [0, 0, 0]
tables:
  decay: {x: [-3, -1, 0, 1, 3], y: [3, 1, 0, -1, -3]}
  way: {x: [0, 1, 2, 3], y: [0, 1, 8, 27]}
bodies: {b: {mass: 1}, c: {mass: 1}}
frames: {deck: {position: [0, way(t), 0]}}
connections:
  b: {pair: Prismatic, axis: x, first: ground, second: b, law: {spring: 1}}
  c: {pair: Prismatic, axis: x, first: deck, second: c}
states: {w: {rate: decay(w) + b.displacement, start: 1}}
start: {b.displacement: 1}
"""
    run = read_model(text).model.build().simulate(3.0)
    t = run.time
    assert run.values("w") == pytest.approx(0.5 * np.exp(-t) + 0.5 * (np.cos(t) + np.sin(t)), abs=1e-8)
    assert run.values("c.position_y") == pytest.approx(t**3, abs=1e-12)
