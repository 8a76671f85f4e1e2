"""The interactive page of impacts: one file, and its JavaScript gives the numbers of the closed form."""

import json
import math
import re
import shutil
import subprocess

import numpy as np
import pytest
from typer.testing import CliRunner

from trundle.cli import app
from trundle.errors import KernelError, ModelError, StoreError
from trundle.view.javascript import javascript
from trundle.walker.impact.closed_form import collide
from trundle.walker.pictures.impact_page import impact_script, write_impact_page


def halved(x: float, limit: float) -> float:
    """Once or twice."""
    x /= 2
    if x > limit and not x < -LIMITLESS:
        x = x / 2
    return x


LIMITLESS = 3.0


def loops(x: float) -> float:
    for _ in range(3):
        x += 1
    return x


def powers(x: float) -> float:
    return x**2


def test_functions_in_javascript():
    assert javascript((halved,), {"LIMITLESS": LIMITLESS}).split("\n") == [
        "const LIMITLESS = 3.0;",
        "function halved(x, limit) {",
        "  x /= 2;",
        "  if (((x > limit) && (!(x < (-LIMITLESS))))) {",
        "    x = (x / 2);",
        "  }",
        "  return x;",
        "}",
    ]
    for function, what in ((loops, "statement"), (powers, "expression")):
        with pytest.raises(KernelError, match=f"this {what} cannot be written"):
            javascript((function,), {})


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to run JavaScript")
def test_the_script_computes_as_the_package_does():
    rng = np.random.default_rng(12)
    n = 600
    beta = rng.uniform(0.1, 1.47, n)
    slip = rng.normal(0, 0.4, n) * (rng.random(n) > 0.1)
    columns = [rng.uniform(0, 1.2, n), np.sin(beta), np.cos(beta), rng.exponential(1.5, n), slip, -np.ones(n)]
    columns += [rng.uniform(0, 1, n), columns[3] * rng.uniform(1, 1.5, n), rng.integers(0, 2, n)]
    cases = np.column_stack(columns).tolist()
    program = f"{impact_script()}\nconsole.log(JSON.stringify({json.dumps(cases)}.map(c => collide(...c))));"
    told = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    for case, found in zip(cases, json.loads(told.stdout), strict=True):
        exact = collide(*case)
        assert found[:2] == list(exact[:2])
        assert [math.nan if v is None else v for v in found] == pytest.approx(list(exact), abs=1e-13, nan_ok=True)


def test_the_page_is_one_file_that_needs_no_network(tmp_path):
    target = tmp_path / "page.html"
    result = CliRunner().invoke(app, ["impact", "map", "--beta", "50", "--lambda", "0.3", "-o", str(target)])
    assert result.exit_code == 0, result.output
    page = target.read_text(encoding="utf-8")
    assert "function collide(" in page and "/*" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    assert not re.search(r"https?://|src=|@import|<link", page)
    data = json.loads(re.search(r"const DATA = (\{.*\});", page).group(1))
    assert data["start"] == {"beta": math.radians(50), "lam": 0.3, "mu": 0.4, "slip": 0.3, "e": 0.0}


def test_a_page_that_cannot_be(tmp_path):
    with pytest.raises(ModelError, match="half_angle"):
        write_impact_page(tmp_path / "page.html", 2.0)
    with pytest.raises(StoreError, match="there is no directory"):
        write_impact_page(tmp_path / "nowhere" / "page.html", 1.0)
