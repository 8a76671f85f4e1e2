"""Lines as YAML files: the same line as in Python, and faults with their line."""

from math import inf

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import FileError
from trundle.file.track import load_track, read_track

TEXT = """
name: both ways
half_gauge: 0.72
position: [1, 2, 3]
heading: pi/6
segments:
  - straight: {length: 40}
  - cubic_parabola: {length: 60, radius: 400, cant: 0.1}
  - arc: {radius: 400, length: 50, cant: 0.1}
  - sine: {length: 80, radius: -300, cant: 0.12, ramp: bloss}
  - polynomial: {length: 50, radius: inf, coefficients: [0, 0, 3, -2]}
profile:
  - grade: {length: 50, gradient: 1/100}
  - vertical_curve: {length: 60, gradient: -0.01, shape: bloss}
irregularity: {fra: 5, seed: 3, wavelengths: [3, 60], fade_in: [0, 20]}
"""


def test_a_file_is_the_line_in_python():
    file = read_track(TEXT)
    plan = [
        rail.Straight(40),
        rail.CubicParabola(60, 400, 0.1),
        rail.Arc(400, 50, 0.1),
        rail.Sine(80, -300, 0.12, ramp="bloss"),
        rail.Polynomial(50, inf, coefficients=(0, 0, 3, -2)),
    ]
    profile = [rail.Grade(50, 0.01), rail.VerticalCurve(60, -0.01, shape="bloss")]
    line = rail.Alignment(plan, 0.72, profile=profile, position=(1, 2, 3), heading=np.pi / 6)
    assert np.array_equal(file.line.rows, line.rows) and file.line.name == "both ways"
    s = np.linspace(0, 280, 20)
    assert np.array_equal(file.line.position(s), line.position(s))
    rough = rail.Irregularity.fra(5, seed=3, wavelengths=(3, 60), fade_in=(0, 20))
    assert np.array_equal(file.irregularity.cant(s), rough.cant(s))


def test_measured_points_beside_the_file(tmp_path):
    s = np.linspace(0, 300, 151)
    line = rail.Alignment([rail.Straight(100), rail.Bloss(100, 600, 0.1), rail.Arc(600, 100, 0.1)])
    p = line.position(s)
    np.savetxt(tmp_path / "survey.csv", p[:, :2], delimiter=",", header="x,y", comments="")
    np.savetxt(
        tmp_path / "car.csv", np.column_stack([s, np.sin(s)]), delimiter=",", header="s,vertical_mm", comments=""
    )
    path = tmp_path / "line.yaml"
    path.write_text("points: survey.csv\ntolerance: 0.0005\nirregularity: {file: car.csv, tolerance: 1e-5}\n")
    file = tr.load_track(path)
    assert file.fit is not None and file.fit.residuals["plan"].rms < 5.001e-4
    assert file.line.position(150.0) == pytest.approx(line.position(150.0), abs=2e-3)
    assert file.irregularity.vertical(10.0) == pytest.approx(1e-3 * np.sin(10.0), abs=5e-5)


def test_the_lines_that_come_with_it():
    from trundle import examples

    paths = sorted((examples.FOLDER / "lines").glob("*.yaml"))
    assert len(paths) >= 3
    for path in paths:
        file = load_track(path)
        assert file.text and file.line.length > 300 and file.line.notes == []
    assert load_track(examples.FOLDER / "lines" / "sine-curve.yaml").line.continuity().kinks == ()


def segments(*items):
    return "segments:\n" + "".join(f"  - {item}\n" for item in items)


STRAIGHT, SINE = "straight: {length: 50}", "sine: {length: 100, radius: 600, cant: 0.15}"
FAULTS = [
    (segments("straight: {lenght: 50}"), ["line 2", "no field called 'lenght'", "'length'"]),
    (segments(STRAIGHT, "circle: {radius: 600}"), ["line 3", "no 'circle'", "cosine"]),
    (segments(STRAIGHT, "arc: {length: 5}"), ["line 3", "'radius' is missing"]),
    (segments(STRAIGHT, "sine: {length: ten}"), ["line 3", "'ten'"]),
    (segments(STRAIGHT, "sine: {length: [1]}"), ["line 3", "give a number"]),
    (segments(STRAIGHT, "sine: {length: 1/0}"), ["line 3"]),
    (segments(STRAIGHT, "5"), ["line 3", "give one of"]),
    (segments(STRAIGHT, "sine"), ["line 3", "give one of"]),
    (
        segments(STRAIGHT, SINE, "arc: {radius: 500, length: 20, cant: 0.15}"),
        ["line 4", "at 150 m", "500 m to the left"],
    ),
    (segments(STRAIGHT, "sine: {length: 100, radius: 0.5}"), ["line 3", "half the gauge"]),
    (segments(STRAIGHT, "sine: {length: 100, radius: 600, cant: 150}"), ["line 3", "150 mm are 0.15"]),
    (segments(STRAIGHT) + "gauge: 3\n", ["line 3", "'half_gauge'"]),
    (segments(STRAIGHT) + "half_gauge: -1\n", ["half_gauge"]),
    (segments(STRAIGHT) + "pivot: 3\n", ["line 3", "low rail"]),
    (segments(STRAIGHT) + "curvature_jumps: maybe\n", ["line 3", "true or false"]),
    (segments(STRAIGHT) + "position: 3\n", ["line 3", "list of numbers"]),
    (segments(STRAIGHT) + "profile:\n  - grade: {length: 10, gradient: 5}\n", ["line 4", "per mille"]),
    (segments(STRAIGHT) + "irregularity: {erri: middle}\n", ["line 3", "middle"]),
    (segments(STRAIGHT) + "irregularity: {erri: low, fra: 3}\n", ["line 3", "give one of"]),
    (segments(STRAIGHT) + "irregularity: {erri: low, seed: -1}\n", ["line 3", "integer"]),
    (segments(STRAIGHT) + "irregularity: {erri: low, tolerance: 1}\n", ["line 3", "takes seed"]),
    (segments(STRAIGHT) + "irregularity: {file: nowhere.csv, tolerance: 1}\n", ["nowhere.csv"]),
    ("segments: 5\n", ["line 1", "give a list"]),
    ("segments: []\n", ["at least one segment"]),
    ("name: x\n", ["`segments` or of measured `points`"]),
    ("points: nowhere.csv\ntolerance: 0.1\n", ["line 1", "cannot be read"]),
    ("points: a.csv\ntolerance: 0.1\nheading: 3\n", ["line 3", "leave 'heading' out"]),
    ("points: a.csv\n", ["tolerance"]),
    ("- 5\n", ["a file of a line is a mapping"]),
    ("segments: !!python/object:os.system {}\n", ["not allowed"]),
    ("segments: [", ["not valid YAML"]),
]


@pytest.mark.parametrize(("text", "words"), FAULTS)
def test_faults_in_the_file_are_reported(text, words, tmp_path):
    with pytest.raises(FileError) as error:
        read_track(text, folder=tmp_path)
    for word in words:
        assert word in str(error.value)


def test_all_faults_of_a_file_at_once():
    with pytest.raises(FileError, match="5 faults"):
        read_track(segments("straight: {lenght: 5}", "circle: {radius: 6}", "sine: {length: ten}") + "gauge: 3\n")
