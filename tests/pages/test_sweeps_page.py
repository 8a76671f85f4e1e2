"""The page on many runs: its scripts run one after the other."""

import re
import runpy
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from trundle.sweeps.question import EVENTS, REDUCTIONS

PAGE = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text(encoding="utf-8")


def test_the_scripts_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("Agg")
    script = tmp_path / "sweeps.py"
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    found, grid = names["found"], names["grid"]
    assert dict(grid.sizes) == {"k": 6, "c": 3, "start(bob.angle)": 2}
    assert np.array_equal(names["same"]["bob.angle"], found["bob.angle"])
    small = found["first(swings back)"].values[found["start(bob.angle)"].values == 0.2]
    stiffness = found["k"].values[found["start(bob.angle)"].values == 0.2]
    quarter = np.pi / 2 / np.sqrt((9.81 + stiffness) / 1.1)  # of the period of small swings
    assert small == pytest.approx(quarter, rel=0.05)
    assert names["fitted"].values["k"] == pytest.approx(3.3, abs=4 * names["fitted"].errors["k"])
    half_critical = np.sqrt(1.1 * (9.81 + names["fitted"].values["k"]))  # least integral of the square, small swings
    assert names["best"].values["c"] == pytest.approx(half_critical, rel=2e-3)


def test_keywords_of_the_page_are_those_of_the_code() -> None:
    for word in (*REDUCTIONS, *EVENTS, "end"):
        assert f'"{word}(' in PAGE
