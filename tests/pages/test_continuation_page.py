"""The page on branches: its scripts run, one after the other, with the numbers that it gives."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from trundle.walker.rimless import PlasticGait

PAGE = (Path(__file__).parents[2] / "docs" / "continuation.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_scripts_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "continuation.py"
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    (fold,) = names["cycles"].special
    assert fold.parameter == pytest.approx(-0.25, abs=1e-7)
    assert np.abs(names["gait"]["multipliers"].values[:, 0]) == pytest.approx(0.5, abs=1e-8)
    assert (tmp_path / "hard_start.png").stat().st_size > 5000
    assert PlasticGait(slope=names["best"].values["slope"]).speed == pytest.approx(1.2, abs=1e-8)
