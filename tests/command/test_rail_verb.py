"""`trundle rail`: tables, pictures, and error messages."""

import numpy as np
import pytest
from typer.testing import CliRunner

from trundle import examples, rail
from trundle.cli import app
from trundle.file.track import load_track
from trundle.file.vehicle import load_vehicle


def run(*words):
    return CliRunner().invoke(app, ["rail", "track", *map(str, words)])


def test_a_line_by_name(tmp_path):
    result = run("reverse-curve", "--speed", 25, "--out", tmp_path, "--step", 10)
    assert result.exit_code == 0, result.output
    assert "4 Bloss" in result.output and "jumps" in result.output
    for name in ("line.png", "irregularity.png", "line.csv"):
        assert (tmp_path / name).stat().st_size > 1000
    table = np.genfromtxt(tmp_path / "line.csv", delimiter=",", names=True)
    assert table["s"][-1] == 760 and table["cant"][30] == pytest.approx(0.12)
    # Arc of 500 m at 25 m/s with 120 mm on 1500 mm: v^2/R cos - g sin, the same on the slope to 1e-4.
    assert "0.4695" in result.output


def test_no_pictures_and_the_list(tmp_path):
    result = run("sine-curve", "--no-plot", "--out", tmp_path)
    assert result.exit_code == 0 and not list(tmp_path.iterdir())
    assert "angular velocity and acceleration of the track frame are continuous" in result.output
    assert "sine-curve" in run().output


def test_measured_points(tmp_path):
    p = rail.Alignment([rail.Straight(100), rail.Bloss(100, 600), rail.Arc(600, 100)]).position(
        np.linspace(0, 300, 100)
    )
    np.savetxt(tmp_path / "survey.csv", p, delimiter=",", header="x,y,z", comments="")
    result = run(tmp_path / "survey.csv", "--tolerance", 0.001, "--no-plot", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "plan: rms" in result.output and "tolerance 0.001" in result.output
    assert run(tmp_path / "survey.csv").exit_code == 2


def test_what_is_wrong(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("segments:\n  - straight: {length: 50}\n  - arc: {radius: 300, length: 20}\n")
    result = run(path)
    assert result.exit_code == 1 and "line 3" in result.output and "at 50 m" in result.output
    assert run("no-such-line").exit_code == 2
    assert run(tmp_path / "none.yaml").exit_code == 1
    assert run("sine-curve", "--no-plot", "--step", -1, "--out", tmp_path).exit_code == 2


def test_help_has_examples():
    result = run("--help")
    assert "Examples: trundle rail track sine-curve" in result.output


def contact(*words):
    return CliRunner().invoke(app, ["rail", "contact", *map(str, words)])


def test_a_wheel_on_a_rail(tmp_path):
    result = contact("--wheel", "S1002", "--rail", "60E1", "--amplitude", 0.007, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "0.1771" in result.output and "largest pressure" in result.output
    for name in ("contact.png", "creep.png", "contact.csv"):
        assert (tmp_path / name).stat().st_size > 1000
    table = np.genfromtxt(tmp_path / "contact.csv", delimiter=",", names=True)
    assert len(table) == 141 and table["dr"] == pytest.approx(-table["dr"][::-1], abs=1e-8)


def test_simple_and_measured_profiles(tmp_path):
    result = contact("--wheel", "cone:0.05", "--rail", "arc:0.3", "--amplitude", 0.003, "--no-plot", "--out", tmp_path)
    assert result.exit_code == 0 and "0.0527" in result.output
    assert [p.name for p in tmp_path.iterdir()] == ["contact.csv"]
    s = np.linspace(-42, 50, 400)
    rows = np.column_stack([s, -1e3 * rail.S1002().height(1e-3 * s)])
    np.savetxt(tmp_path / "wheel.csv", rows, delimiter=",", header="place,height")
    words = ("--z-down", "--amplitude", 0.003, "--no-plot", "--out", tmp_path)
    assert "0.177" in contact("--wheel", tmp_path / "wheel.csv", *words).output


@pytest.mark.parametrize(
    "words, said",
    [
        (("--wheel", "S2001"), "there is no wheel 'S2001'"),
        (("--rail", "arc:wide"), "a number after the colon"),
        (("--gauge", 1435), "is it given in mm"),
        (("--gauge", 1.8), "misses its rail"),
        (("--load", -5), "load is -5 N"),
        (("--mu", 0), "mu must be greater than zero"),
        (("--amplitude", 8), "must lie above 0 and not above 0.03"),
    ],
)
def test_wheels_and_rails_that_are_refused(words, said, tmp_path):
    result = contact(*words, "--out", tmp_path)
    assert result.exit_code != 0 and said in " ".join(result.output.replace("│", " ").split())


VEHICLES, LINES = examples.FOLDER / "vehicles", examples.FOLDER / "lines"


def rail_verb(*words):
    return CliRunner().invoke(app, ["rail", *map(str, words)])


@pytest.mark.slow
def test_a_trip_from_files(tmp_path):
    """By path; the forces are those of the trip in Python."""
    words = ("run", VEHICLES / "two-axle-wagon.yaml", "--track", LINES / "sine-curve.yaml", "--speed", 25)
    result = rail_verb(*words, "--duration", 4, "--samples", 401, "--plot", tmp_path / "x.png", "--assess")
    assert result.exit_code == 0, result.output
    assert "two-axle wagon on sine curve: FINISHED" in result.output and "sum of Y over 2 m" in result.output
    assert (tmp_path / "x.png").stat().st_size > 1000
    wagon, line = load_vehicle(VEHICLES / "two-axle-wagon.yaml").vehicle, load_track(LINES / "sine-curve.yaml").line
    run = rail.Trip(wagon, line, 25.0).simulate(4.0, samples=401)
    row = next(text for text in result.output.splitlines() if "front_right" in text)
    assert f"{1e-3 * run.values('front_right.Q').max():.4g}" in row


@pytest.mark.slow
def test_several_speeds_in_one_table(tmp_path):
    words = ("run", "two-axle-wagon", "--track", "sine-curve", "--duration", 4, "--out", tmp_path / "speeds.csv")
    result = rail_verb(*words, "--speed", 25, "--speed", 20)
    assert result.exit_code == 0, result.output
    assert "20 m/s" in result.output and "sum of Y over 2 m" in result.output
    assert (tmp_path / "speeds.csv").read_text().startswith("quantity,unit,limit,20 m/s,25 m/s")


@pytest.mark.slow
def test_critical_speed_from_a_file():
    result = rail_verb("critical", "two-axle-wagon", "--from", 25, "--to", 45, "--count", 5)
    assert result.exit_code == 0 and "critical speed 34.5" in result.output


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("run", "two-axle-waggon", "--track", "sine-curve", "--speed", 30), 2, "two-axle-wagon"),
        (("run", "two-axle-wagon", "--track", "sign-curve", "--speed", 30), 2, "sine-curve"),
        (("run", "two-axle-wagon", "--track", "sine-curve", "--speed", 0), 1, "goes forwards"),
        (("run", "two-axle-wagon", "--track", "sine-curve", "--speed", 90), 1, "would fall over"),
        (("run", "two-axle-wagon", "--track", "sine-curve", "--speed", 9, "--irregularity", "bad"), 2, "erri-low"),
        (("run", "none.yaml", "--track", "sine-curve", "--speed", 30), 1, "none.yaml"),
        (
            ("run", "two-axle-wagon", "--track", "sine-curve", "--speed", 9, "--speed", 8, "--plot", "x.png"),
            2,
            "one table",
        ),
        (("critical", "two-axle-wagon", "--from", 30, "--to", 10), 2, "rising speeds"),
        (("run", "--help"), 0, "trundle rail run wagon.yaml --track"),
        (("critical", "--help"), 0, "trundle rail critical two-axle-wagon"),
    ],
)
def test_words_of_trips(words, code, said):
    result = rail_verb(*words)
    assert result.exit_code == code and said in " ".join(result.output.split()), result.output
