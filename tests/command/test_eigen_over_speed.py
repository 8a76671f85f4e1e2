"""Eigenvalues over forward speed on the command line."""

import re

import pytest
from typer.testing import CliRunner

from trundle.cli import app


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def words(result):
    """All that was printed, with the frames and line breaks of the terminal taken out."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.output).split())


def rows(result):
    return [line for line in result.output.splitlines() if line.startswith("│")]


def test_the_bare_command_prints_and_draws(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call("eigen", "benchmark-bicycle", "--speed", "0:10")
    assert result.exit_code == 0, result.output
    assert "stable between 4.292382536 and 6.024262015 m/s" in result.output
    assert "1 more eigenvalue is zero at every speed" in result.output
    assert "written: out/eigenvalues.png" in result.output
    assert (tmp_path / "out" / "eigenvalues.png").stat().st_size > 10_000
    assert len(rows(result)) == 21
    at_five = next(row for row in rows(result) if row.split("│")[1].strip() == "5")
    assert "-14.07839  -0.3228664  -0.7753419±4.464868i" in at_five


def test_count_picture_start_and_parameters(tmp_path):
    picture = tmp_path / "pictures" / "disc.png"
    arguments = ("--speed", "0.5:3:6", "--start", "roll=0", "--set", "g=4.905", "--plot", picture)
    result = call("eigen", "rolling-disc", *arguments)
    assert result.exit_code == 0, result.output
    assert len(rows(result)) == 6
    assert "stable from 0.783022988" in result.output  # 1.107361729517505 / sqrt(2)
    assert f"written: {picture}" in result.output
    assert picture.is_file()


def test_a_model_without_a_speed_is_reported_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call("eigen", "four-bar", "--speed", "0:10")
    assert result.exit_code == 1
    assert "has no quantity with the short name 'speed'" in words(result)
    assert "names: {speed: ...}" in words(result)
    assert list(tmp_path.iterdir()) == []


def test_a_start_that_is_no_steady_motion_is_reported_so():
    result = call("eigen", "rolling-disc", "--speed", "1:2")
    assert result.exit_code == 1
    assert "the start is not a steady motion" in words(result)
    assert "--start roll=0" in words(result)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--speed", "5"), "is not of the form first:last or first:last:count"),
        (("--speed", "5:2"), "the first speed must be less than the last"),
        (("--speed", "0:5:1"), "the count must be an integer"),
        (("--speed", "0:x"), "'x' is not a number"),
        (("--speed", "0:5", "--sweep", "g=1:2:3"), "give --sweep or --speed, not both"),
        (("--start", "rol=0"), "there is no coordinate, rate or motion of a body called 'rol'. Did you mean 'roll'"),
    ],
)
def test_bad_usage_gives_code_2_and_a_hint(arguments, told):
    result = call("eigen", "benchmark-bicycle", *arguments)
    assert result.exit_code == 2
    assert told in words(result)


def test_check_prints_independent_coordinates():
    told = words(call("check", "benchmark-bicycle"))
    assert "4 bodies, 5 connections, 3 degrees of freedom." in told
    assert "Rolling and prescribed rates constrain velocities only: 7 coordinates are independent." in told


def test_start_values_by_short_names(tmp_path):
    from trundle.run.store import load

    arguments = ("--start", "speed=5", "--start", "roll_rate=0", "--start", "steer=0.1", "--duration", 0.1)
    result = call("run", "benchmark-bicycle", "--no-plot", "--out", tmp_path, *arguments)
    assert result.exit_code == 0, result.output
    assert load(tmp_path / "result.nc").values("steering.angle")[0] == 0.1
