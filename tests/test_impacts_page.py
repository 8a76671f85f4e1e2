"""The page on impacts: its script runs and gives the numbers told beside it."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from trundle.walker import predict

ROOT = Path(__file__).parents[1] / "docs"
PAGE = (ROOT / "impacts.md").read_text(encoding="utf-8")


def test_the_script_of_the_page(tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    script = tmp_path / "impacts.py"
    script.write_text(block, encoding="utf-8")
    names = runpy.run_path(str(script))
    assert names["found"].label == "forward+stick"
    assert names["found"].critical.mu_c == pytest.approx(0.4948716593, abs=5e-11)
    assert names["jambs"].jamb and names["jambs"].double_contact
    assert names["many"].shape == (300, 400)
    assert names["plane"].increments(names["x"], names["y"]).signs() == (-1, -1, 1, 1)


def test_pictures_are_there():
    pictures = re.findall(r"!\[\]\((.*?)\)", PAGE)
    assert len(pictures) == 2 and all((ROOT / picture).is_file() for picture in pictures)


def test_the_slip_up_to_which_section_5_has_a_double_contact():
    slip = np.array([0.3270, 0.3280])
    assert list(predict(0.25, np.pi / 3, 2.9, slip, -1.0, np.sqrt(0.8 / 1.2)).double_contact) == [True, False]
