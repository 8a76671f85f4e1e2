"""The page that reproduces Zboinski's example: its script runs and gives the numbers printed beside it."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "docs"
PAGE = (FOLDER / "relative-motion.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    script = tmp_path_factory.mktemp("page") / "relative_motion.py"
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), encoding="utf-8")
    return runpy.run_path(str(script))


def test_the_torque_is_that_of_the_frame_and_in_the_arc_by_hand(names):
    torque = names["torque"]
    assert names["run"].ok and names["run"].values("distance")[-1] == pytest.approx(254.0)
    assert torque == pytest.approx(names["by_hand"], abs=0.01 * np.max(np.abs(torque)))
    assert np.max(np.abs(torque)) == pytest.approx(16.31e3, rel=1e-3)
    speed_there = 20.0**2 + 2 * 2.0 * 71.0
    assert np.max(np.abs(torque)) == pytest.approx(2.1e5 * (2 / 600 / 30 * speed_there + 0.5 / 600 * 2.0), rel=5e-3)
    assert torque[-1] == pytest.approx(-2.1e5 * 2.0 / 600, rel=3e-3)


def test_the_yaw_without_it(names):
    with_it, without = names["yaw"](names["run"]), names["yaw"](names["without"])
    gap = without - with_it
    assert 1e3 * np.max(np.abs(with_it)) == pytest.approx(2.71, abs=0.01)
    assert 1e3 * np.max(np.abs(gap)) == pytest.approx(1.76, abs=0.01)
    assert 1e3 * gap[-1] == pytest.approx(0.082, abs=0.003)


def test_newton_in_the_ground_and_what_is_printed(names):
    assert names["residual"] < 1e-12
    right, printed = names["right"], names["printed"]
    assert max(np.abs(right.error_w).max(), np.abs(right.error_eps).max()) < 1e-12
    assert np.abs(printed.error_w).max() == pytest.approx(0.27, abs=0.005)
    assert np.abs(printed.error_a).max() == pytest.approx(0.75, abs=0.005)


def test_every_picture_of_the_page_exists():
    pictures = re.findall(r"\]\((relative-motion/[\w.-]+)\)", PAGE)
    assert len(pictures) == 2 and all((FOLDER / name).is_file() for name in pictures)
