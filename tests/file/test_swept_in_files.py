"""Surfaces that two screws sweep, in model files."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import FileError
from trundle.file import read_model
from trundle.model.fingerprint import fingerprint
from trundle.space.chain import SLIDE

FILE = """\
name: bead
constants: {{climb: 0.3}}
parameters: {{free: 1}}
bodies: {{bead: {{mass: 1, inertia: 0.001}}}}
connections:
  bead: {{pair: {pair}, first: ground, second: bead, surfaces: [{{SweptSurface: {surface}}}, Vertex]}}
"""
HELICOID = "{first: {axis: z, pitch: climb, name: turn}, second: {axis: x, pitch: slide, name: out}, at: [0.5, 0, 0]}"

TAIL = "axis: x, pitch: slide, name: out}, at: [0.5"


def read(surface: str, pair: str = "HigherPair") -> tr.Model:
    return read_model(FILE.format(surface=surface, pair=pair), "bead.yaml").model


def test_a_helicoid_is_the_one_of_python() -> None:
    m = tr.Model("bead")
    m.parameter("free", 1.0)
    bead = m.body("bead", 1.0, (0.001, 0.001, 0.001))
    screws = tr.Screw("z", 0.3, name="turn"), tr.Screw("x", SLIDE, name="out")
    m.connect(tr.HigherPair(tr.SweptSurface(*screws, (0.5, 0.0, 0.0)), tr.Vertex()), m.ground, bead)
    ours = read(HELICOID)
    assert fingerprint(ours) == fingerprint(m)
    run = ours.build().simulate(0.3, {"bead.turn_rate": 1.0})
    assert np.max(np.abs(run.values("bead.position")[:, 2] - 0.3 * run.values("bead.turn"))) < 1e-12


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("climb", "free"), "pitch", "cannot depend on the parameter"),
        (("name: turn", "name: out"), "SweptSurface", "different names"),
        (("axis: z, ", ""), "axis", "must be given"),
        ((TAIL, "axis: z, name: out}, at: [0"), "SweptSurface", "not a surface at this point"),
        (("pitch: slide", "pitch: sliding"), "pitch", "sliding"),
        (("pitch: slide", "pitch: slide, wide: 1"), "wide", "There are: axis, name, pitch, at"),
    ],
)
def test_faults_name_their_place(change: tuple[str, str], line: str, words: str) -> None:
    with pytest.raises(FileError) as caught:
        read(HELICOID.replace(*change))
    assert line in str(caught.value) and words in str(caught.value)


def test_a_planar_pair_has_no_such_surface() -> None:
    with pytest.raises(FileError, match="SweptSurface"):
        read(HELICOID, "PlanarPair")
