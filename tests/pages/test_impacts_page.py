"""The page on impacts: its script runs and gives the numbers printed beside it."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from benchmarks.impact_figures import FIGURES

from trundle.walker import predict

ROOT = Path(__file__).parents[2] / "docs"
PAGE = (ROOT / "impacts.md").read_text(encoding="utf-8")


def test_the_scripts_of_the_page(tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 3
    script = tmp_path / "impacts.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(script))
    assert names["found"].label == "forward+stick"
    assert names["found"].critical.mu_c == pytest.approx(0.4948716593, abs=5e-11)
    assert names["jambs"].jamb and names["jambs"].double_contact
    assert names["many"].shape == (300, 400)
    assert names["damped"].sequence and names["hertzian"].energy_residual < 1e-9
    bouncing = names["m"].build().simulate(4.0)
    fall = (2 * 9.81) ** 0.5
    assert bouncing.events[-1][1] == pytest.approx(fall / 9.81 * (1 + 2 * 0.7 / 0.3), abs=1e-6)
    assert bouncing.impacts[0].impulse["floor"][2] == pytest.approx(0.5 * 1.7 * fall, rel=1e-9)
    assert (tmp_path / "collision.png").is_file()
    assert names["plane"].increments(names["x"], names["y"]).signs() == (-1, -1, 1, 1)


def test_pictures_are_there():
    pictures = re.findall(r"!\[[^]]*\]\((.*?)\)", PAGE)
    assert len(pictures) >= 5 and all((ROOT / picture).is_file() for picture in pictures)


def test_the_slip_up_to_which_section_5_has_a_double_contact():
    slip = np.array([0.3270, 0.3280])
    assert list(predict(0.25, np.pi / 3, 2.9, slip, -1.0, np.sqrt(0.8 / 1.2)).double_contact) == [True, False]


def test_the_page_of_figures_shows_all_that_the_script_draws():
    page = (ROOT / "impact_figures.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^]]+\]\((.*?)\)", page)
    assert shown == [f"impacts/figures/figure-{number}.png" for number in FIGURES]
    assert all((ROOT / picture).is_file() for picture in shown)
    assert list(FIGURES) == ["7", "11", "12", *map(str, range(14, 21)), "22", "23", "24"]
    assert re.findall(r"\*\*Fig\. (\d+)\.\*\*", page) == list(FIGURES)


def test_figures_show_what_their_captions_say():
    stops, reverses = (FIGURES[number]().axes for number in ("16", "15"))
    assert [axes.get_title(loc="left").split(": ")[1] for axes in stops] == ["forward+stick", "backward+stick"]
    assert [axes.get_title(loc="left").split(": ")[1] for axes in reverses] == ["forward", "backward+forward"]
    (text,) = [text.get_text() for text in FIGURES["23"]().axes[0].texts if "B:" in text.get_text()]
    assert "B: μ = 0.2887, forward" in text and "F: μ = ∞, forward+stick, jamb" in text and "A: μ = 0, DP" in text
