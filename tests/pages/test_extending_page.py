"""The page on extending: its Python blocks are one script that runs and gives the numbers printed beside it."""

import re
import runpy
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Everything that the script of the page defines."""
    script = tmp_path_factory.mktemp("page") / "extending.py"
    blocks = re.findall(r"^ *```python\n(.*?)^ *```", PAGE, re.DOTALL | re.MULTILINE)
    script.write_text("\n".join(map(dedent, blocks)), encoding="utf-8")
    return runpy.run_path(str(script))


def test_a_law_of_friction_with_a_mode_of_its_own(names: dict[str, Any]) -> None:
    assert names["braked"].events == [("disc recovers", pytest.approx((2.0 - 0.4) / (0.2 * 9.81), abs=1e-9))]


def test_a_pair_in_a_model_file(names: dict[str, Any]) -> None:
    assert min(abs(names["load_modes"] - 1j * (2.0 * 9.81 * 0.5 / 0.1) ** 0.5)) < 1e-9


def test_a_surface_that_no_screws_sweep(names: dict[str, Any]) -> None:
    assert min(abs(names["bead_modes"] - 1j * (9.81 * 0.3) ** 0.5)) < 1e-9
