"""The page on states: its scripts run and give the numbers printed beside them."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
import yaml

import trundle as tr
from trundle.file import load_model

PAGE = (Path(__file__).parents[2] / "docs" / "states.md").read_text(encoding="utf-8")
BASE = """
name: lift
bodies: {cabin: {mass: 800, inertia: 100}}
connections: {cabin: {pair: Prismatic, axis: z, first: {body: ground, at: [0, 0, -1]}, second: cabin}}
names: {height: cabin.displacement}
"""


def test_the_scripts_of_the_page(tmp_path: Path) -> None:
    script = tmp_path / "states.py"
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), encoding="utf-8")
    names = runpy.run_path(str(script))
    rest, run, linear = names["rest"], names["run"], names["linear"]
    assert rest["cabin.displacement"] == pytest.approx(3.0) and rest["motor.output"] == pytest.approx(800 * 9.81)
    assert rest["controller.integral"] == pytest.approx(800 * 9.81 / 1500)
    assert run.ok and run.values("height")[-1] == pytest.approx(3.0, abs=0.2)
    told = re.search(r"print\(linear\.names\)  # (.*)", PAGE)
    assert told is not None and ", ".join(linear.names) == told[1]
    assert max(value.real for value in linear.eigenvalues) < 1e-9
    assert isinstance(names["m"], tr.Model)


def test_the_file_of_the_page(tmp_path: Path) -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "lift.yaml"
    path.write_text(BASE + block, encoding="utf-8")
    assert set(yaml.safe_load(block)) == {"states", "blocks", "forces"}
    run = load_model(path).build().simulate(0.5)
    assert run.ok and np.allclose(run.values("counter"), run.time, atol=1e-12)
