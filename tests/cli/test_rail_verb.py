"""`trundle rail track`: tables, pictures, and words for what is wrong."""

import numpy as np
import pytest
from typer.testing import CliRunner

from trundle import rail
from trundle.cli import app


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
