"""The page on tables: its scripts run, one after the other, and the engine turns as in an integration by hand."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import RectBivariateSpline

PAGE = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")


def test_the_scripts_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "tables.py"
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    assert names["run"].ok and names["again"].tables["push"] is names["stronger"]
    torque = RectBivariateSpline(names["speed"], names["throttle"], names["torque"])
    full = names["full"]
    found = solve_ivp(
        lambda t, u: (torque(u[0], 1.0)[0] - 0.001 * u**2) / 0.4, (0, 1.0), [80.0], "DOP853", rtol=1e-11, atol=1e-11
    )
    at = int(np.searchsorted(full.time, 1.0))
    assert full.time[at] == 1.0
    assert full.values("flywheel.angle_rate")[at] == pytest.approx(found.y[0, -1], abs=1e-6)
    u = full.values("flywheel.angle_rate")
    inside = u < 400
    assert full.values("power")[inside] == pytest.approx(torque(u[inside], 1.0, grid=False) * u[inside], rel=1e-10)
    assert (tmp_path / "engine.png").stat().st_size > 5000


def test_keywords_of_the_page_are_those_of_the_code() -> None:
    from trundle.lookup.table import BETWEEN
    from trundle.lookup.table_fields import BEYOND

    for word in (*BETWEEN, *BEYOND):
        assert f'| `"{word}"` |' in PAGE
