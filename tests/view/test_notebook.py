"""What notebooks show: tables, scenes and pictures, and short texts."""

import sys
from contextlib import ExitStack
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import rcParams

import trundle as tr
from trundle.integrate.progress import progress_bar
from trundle.messages.preparing import is_watched
from trundle.run.run import Run
from trundle.view.notebook import table_html


class Checked(HTMLParser):
    """Every tag that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.frames: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag == "iframe":
            self.frames.append(dict(attrs)["srcdoc"])
        if tag not in ("br", "img", "input", "link", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(text: str) -> Checked:
    parser = Checked()
    parser.feed(text)
    assert parser.open == []
    return parser


@pytest.fixture(scope="module")
def model() -> tr.Model:
    m = tr.Model("<b>pendulum</b>")
    length = m.parameter("length", 0.4, "m", "of the rod")
    m.parameter("damping", 0.0, "kg m^2/s")
    bob = m.body("bob", mass=0.5, com=(0, 0, -length), inertia=0.002)
    m.connect(tr.Revolute("y"), m.ground, bob, name="hinge", law=tr.Spring(3.0))
    return m


def test_model_shows_its_parts(model: tr.Model) -> None:
    text = model._repr_html_()
    assert {"table", "details"} <= set(checked(text).seen)
    assert "&lt;b&gt;pendulum" in text and "<b>pendulum" not in text and "Revolute" in text and "Spring" in text
    assert "kg m²/s" in text
    assert repr(model) == "<Model '<b>pendulum</b>': 1 body, 1 connection, 0 forces>"


def test_system_shows_seals_and_bond_graph(model: tr.Model) -> None:
    system = model.build()
    text = system._repr_html_()
    assert "<svg" in text and "sealed by" in text and "hinge" in text
    assert "1 degree of freedom" in repr(system)
    linear = system.linearise()
    checked(linear._repr_html_())
    assert len(repr(linear)) < 200 and f"{linear.eigenvalues[-1].imag:.6g}" in linear._repr_html_()


def test_run_shows_a_scene_that_is_a_whole_page(cart: Run) -> None:
    found = checked(cart._repr_html_())
    assert found.frames[0].startswith("<!doctype html>") and "FINISHED" in cart._repr_html_()
    assert len(found.frames[0]) < 600_000


def test_batch_shows_how_cases_ended(model: tr.Model) -> None:
    batch = model.build().batch(0.1, {"hinge.angle": np.linspace(0, 1, 5)})
    text = batch._repr_html_()
    checked(text)
    assert "FINISHED" in text and '<td style="text-align:left">5</td>' in text


def test_figures_are_pictures_without_a_backend(cart: Run) -> None:
    png = cart.plot("cart.displacement")._repr_png_()
    assert png.startswith(b"\x89PNG") and rcParams["backend"]


def test_long_table_is_cut() -> None:
    assert "... and 40 more" in table_html(("n",), [(i,) for i in range(100)])


def test_a_long_run_shows_its_progress_in_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Cell:
        def update(self, text: str) -> None:
            shown.append(text)

    def display(text: str, display_id: bool) -> Cell:
        shown.append(text)
        return Cell()

    app = SimpleNamespace(initialized=lambda: True)
    monkeypatch.setitem(sys.modules, "ipykernel.kernelapp", SimpleNamespace(IPKernelApp=app))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    assert is_watched()
    with ExitStack() as stack:
        told = progress_bar(stack, 1.0, 5.0)
        told(2.0)
        told(2.1)  # too soon after the last look
    assert len(shown) == 3 and 'value="0.2500"' in shown[1] and "of 5 s" in shown[1] and shown[2] == ""
