"""The chapter on connections: its Python blocks are one script that runs and gives the numbers printed beside it."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from trundle.model.joint import JOINTS

FOLDER = Path(__file__).parents[2] / "docs"
PAGE = (FOLDER / "connections.md").read_text(encoding="utf-8")


def test_the_python_blocks_are_one_script(tmp_path, monkeypatch, capsys):
    script = tmp_path / "connections.py"
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    told = capsys.readouterr().out
    assert "connection 'hinge', bond 'rz' (about its z axis) is not sealed: of the pair (lambda, M)" in told
    assert names["ideal"].mobility.redundant == ("upper.x", "upper.y", "upper.z", "upper.rx", "upper.ry")
    loads = [
        [float(x) for x in re.findall(r"-?\d\S*", line.strip("[]"))]
        for line in told.splitlines()
        if re.match(r"^\[ ?-?\d", line)
    ]
    weight, couple = 30.0 * 9.81, 30.0 * 9.81 * 0.4 / 1.6
    assert np.array(loads)[:, [0, 2]] == pytest.approx(
        np.array([[couple, weight / 2], [-couple, weight / 2]]), rel=1e-3
    )
    notches = float(told.splitlines()[2])
    assert abs(notches) > 0.5 and notches == pytest.approx(round(notches), abs=1e-6)
    assert names["run"].power.residual.relative < 1e-12
    assert (tmp_path / "pendulum.svg").read_text(encoding="utf-8").startswith("<")
    assert (tmp_path / "door.png").stat().st_size > 5000


def test_every_joint_of_the_family_is_reported():
    assert [joint.__name__ for joint in JOINTS if f"`{joint.__name__}(" not in PAGE] == []


def test_pictures_of_the_page_are_there():
    for name in re.findall(r"\]\((connections/\S+)\)", PAGE):
        assert (FOLDER / name).is_file(), name
