"""The page on friction: its script runs and gives the numbers printed beside it."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "friction.md").read_text(encoding="utf-8")


def test_the_script_of_the_page(tmp_path, monkeypatch):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    script = tmp_path / "friction.py"
    script.write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    ((_, t),) = names["run"].events
    assert t == pytest.approx(2 * 5.0 / (7 * 0.2 * 9.81), abs=1e-12)
    assert [name for name, _ in names["thrown"].events] == ["lane lands", "lane stops"], names["thrown"].events
    assert names["smooth"].values("ball.velocity")[-1, 0] == pytest.approx(25 / 7, abs=1e-6)
    assert np.all(np.isfinite(names["bristles"].values("lane.bristle_x")))
    assert (tmp_path / "bowling.png").stat().st_size > 5000
