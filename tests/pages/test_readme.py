"""The code in the README runs as described."""

import re
import runpy
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def test_the_first_lines_run_in_an_empty_folder(tmp_path, monkeypatch, capsys):
    block, *_ = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(_written(tmp_path.parent / "first_lines.py", block)))
    assert len([line for line in block.splitlines() if line.strip()]) == 8
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pendulum.html", "pendulum.png"]
    assert "pendulum" in capsys.readouterr().out and names["run"].energy.drift < 1e-8


def _written(path, text):
    path.write_text(text)
    return path


def test_the_mechanism_of_the_readme(tmp_path, monkeypatch, capsys):
    _, block, _, _ = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    script = tmp_path / "readme.py"
    script.write_text(block)
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    assert "1 degree of freedom" in capsys.readouterr().out
    run = names["run"]
    assert run.ok and run.energy.drift < 1e-8
    # Energy lost in the damper: integral of 30 v^2 over the samples, an independent quadrature.
    v, t = run.values("piston.displacement_rate"), run.time
    lost = float((30.0 * (v[1:] ** 2 + v[:-1] ** 2) / 2 * (t[1:] - t[:-1])).sum())
    assert run.energy.work_lost[-1] == pytest.approx(lost, rel=2e-3)
    assert (tmp_path / "crank.nc").exists() and (tmp_path / "crank.png").exists()


def test_the_rolling_machines_of_the_readme(tmp_path, capsys):
    _, _, block, _ = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    script = tmp_path / "readme.py"
    script.write_text("import trundle as tr\n" + block)
    names = runpy.run_path(str(script))
    assert names["system"].mobility.configuration == 5 and names["system"].mobility.freedoms == 3
    assert names["run"].ok and names["ride"].ok
    assert names["pitch"] == pytest.approx(0.309399464807, abs=1e-12)
    assert capsys.readouterr().out.startswith("0.000275103178")


def test_the_door_of_the_readme(tmp_path, capsys):
    _, _, _, block = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    script = tmp_path / "readme.py"
    script.write_text("import trundle as tr\n" + block)
    names = runpy.run_path(str(script))
    effort = names["run"].power["hinge"]["effort"].sel(bond="rz").values[0]
    assert effort == pytest.approx(-12.0 * 1.2)
    told = capsys.readouterr().out
    assert "integral" in told and "stored in hinge.angle" in told


def test_every_picture_of_the_readme_exists():
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README.read_text())
    assert len(pictures) >= 13
    assert [p for p in pictures if not (README.parent / p).exists()] == []
