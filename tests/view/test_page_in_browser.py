"""The page of a run in a real Chromium: it draws, plays, and shows the numbers of the run."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.view.browser import Browser, find_chromium

import trundle as tr
from trundle.run.dataset import Run

PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"
)

COLOURS = """(() => { const c = document.getElementById("view"), d = document.createElement("canvas");
  d.width = c.width; d.height = c.height; const p = d.getContext("2d"); p.drawImage(c, 0, 0);
  return new Set(new Uint32Array(p.getImageData(0, 0, c.width, c.height).data.buffer)).size; })()"""
INK = """(k) => { const c = document.querySelectorAll(".panel canvas")[k];
  const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0;
  for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    one = Browser(PROGRAM)
    yield one
    one.close()


@pytest.fixture(scope="module")
def ride() -> Run:
    bicycle = tr.bicycle.benchmark().build()
    return bicycle.simulate(2.0, {"speed": 4.6, "roll_rate": 0.5}, samples=201)


def test_file_replays_offline(browser: Browser, ride: Run, tmp_path: Path) -> None:
    file = ride.save_html(tmp_path / "ride", plots=["roll", "steer", "speed"])
    browser.open(file.as_uri(), width=1000, height=600, offline=True)
    assert browser.run(COLOURS) > 200  # shaded wheels and the floor
    assert not browser.complaints
    assert all(url.startswith(("file:", "data:")) for url in browser.requests)
    # scrubbing sets the poses of the run, at samples and between them
    i = ride.time.searchsorted(1.2)
    body = list(browser.run("trundle.first.bodies")).index("front wheel")
    browser.run(
        f"document.getElementById('time').value = {float(ride.time[i])!r};"
        "document.getElementById('time').dispatchEvent(new Event('input'))"
    )
    found = browser.run(f"trundle.first.pose({body}, trundle.t)")
    assert np.allclose(found["p"], ride.values("front wheel.position")[i], rtol=0, atol=1e-9)
    R = ride.values("front wheel.rotation")[i].reshape(3, 3)
    assert np.allclose(found["R"], R, atol=1e-6)
    # the plots have the numbers, and the legend the value at the cursor
    assert browser.run("trundle.panels.length") == 2
    assert browser.run(f"({INK})(0)") > 1000
    browser.frame()
    shown = float(browser.run("document.querySelector('.legend b').textContent"))
    assert shown == pytest.approx(ride.values("roll")[i], rel=1e-3)


def test_play_moves_time_and_picture(browser: Browser, ride: Run, tmp_path: Path) -> None:
    browser.open(ride.save_html(tmp_path / "ride.html").as_uri(), width=800, height=500)
    before = browser.run("document.getElementById('view').toDataURL()")
    browser.run("document.getElementById('play').click()")
    browser.run("new Promise(ok => { const w = () => trundle.t > 0.05 ? ok() : requestAnimationFrame(w); w(); })")
    browser.run("document.getElementById('play').click()")
    assert not browser.run("trundle.playing") and 0.05 < browser.run("trundle.t") <= 2.0
    assert browser.run("document.getElementById('view').toDataURL()") != before
    browser.run("trundle.seek(99)")
    browser.frame()
    assert browser.run("document.getElementById('clock').textContent").startswith("2.00")
    # everything that can be switched on, draws
    browser.run("LAYERS.forEach(l => trundle.layers.add(l)); trundle.ask()")
    browser.frame()
    assert "N" in browser.run("document.getElementById('scale').textContent")
    assert not browser.complaints


def test_served_page_gives_every_quantity_to_two_pages(browser: Browser, ride: Run) -> None:
    other = tr.bicycle.benchmark().build().simulate(2.0, {"speed": 4.6, "roll_rate": 0.3}, samples=101)
    viewer = ride.show(plots=["roll"], compare=other, port=0, open_browser=False)
    for dark in (False, True):
        browser.open(viewer.url, width=390, height=760, dark=dark)
        assert browser.run("trundle.runs.length") == 2
        browser.run("trundle.pick('front wheel.position_z', true)")
        curves = browser.run("trundle.curves.filter(c => c.name === 'front wheel.position_z').map(c => [...c.y])")
        assert len(curves) == 2
        assert np.allclose(curves[0], ride.values("front wheel.position_z"), atol=1e-12)
        assert np.allclose(curves[1], other.values("front wheel.position_z"), atol=1e-12)
        assert browser.run("document.documentElement.scrollWidth") <= 390
    assert browser.run("fetch('quantity/nonsense').then(a => a.status)") == 404
    viewer.close()
