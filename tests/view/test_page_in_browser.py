"""The page of a run in a real Chromium: it draws, plays, and shows the numbers of the run."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.view.browser import Browser, opened

import trundle as tr
from trundle.run.run import Run
from trundle.walker.pictures.impact_page import write_impact_page

COLOURS = """(() => { const c = document.getElementById("view"), d = document.createElement("canvas");
  d.width = c.width; d.height = c.height; const p = d.getContext("2d"); p.drawImage(c, 0, 0);
  return new Set(new Uint32Array(p.getImageData(0, 0, c.width, c.height).data.buffer)).size; })()"""
INK = """(k) => { const c = document.querySelectorAll(".panel canvas")[k];
  const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0;
  for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from opened()


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
    browser.run("""new Promise(ok => { const button = document.getElementById('play'); button.click();
      const wait = () => { if (trundle.t > 0.05) { button.click(); ok(); } else requestAnimationFrame(wait); };
      wait(); })""")  # the page itself stops: it plays on while this process waits
    assert not browser.run("trundle.playing") and 0.05 < browser.run("trundle.t") < 0.3
    assert browser.run("document.getElementById('view').toDataURL()") != before
    browser.run("trundle.seek(99)")
    browser.frame()
    assert browser.run("document.getElementById('clock').textContent").startswith("2.00")
    # everything that can be switched on, draws
    browser.run("LAYERS.forEach(l => trundle.layers.add(l)); trundle.ask()")
    browser.frame()
    assert "N" in browser.run("document.getElementById('scale').textContent")
    assert not browser.complaints


def test_the_cursor_of_a_plot_follows_the_time_over_curves_that_stay(
    browser: Browser, ride: Run, tmp_path: Path
) -> None:
    browser.open(ride.save_html(tmp_path / "ride.html").as_uri())
    browser.run("window.painted = 0; Panel.prototype.repaint = () => { painted += 1; }")
    for t in (0.5, 1.5):
        browser.run(f"trundle.seek({t})")
        browser.frame()
        x, left, right = browser.run("""(() => { const p = trundle.panels[0], [a, b] = p.frame();
          return [p.cursor.getBoundingClientRect().left - p.canvas.getBoundingClientRect().left, a, b]; })()""")
        assert abs(x - (left + t / 2.0 * (right - left))) < 1.0
    assert browser.run("painted") == 0


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


SEEN = """(name) => { const b = trundle.first.bodies.indexOf(name), box = view.getBoundingClientRect();
  const p = trundle.stand().seen(place(trundle.first.pose(b, trundle.t), trundle.first.com(b)));
  const [r, u, e] = trundle.camera.axes(), f = Math.min(box.height, box.width) / 2 / Math.tan(0.3);
  const depth = trundle.camera.far - dot(p, e);
  return [box.left + box.width / 2 + f * dot(p, r) / depth, box.top + box.height / 2 - f * dot(p, u) / depth]; }"""


def place_of(browser: Browser, body: str) -> tuple[float, float]:
    """Pixel of the page at which the mass centre of a body of the first run is seen."""
    x, y = browser.run(f"({SEEN})({body!r})")
    return x, y


def test_pointing_names_bodies_and_double_click_follows_them(browser: Browser, ride: Run, tmp_path: Path) -> None:
    browser.open(ride.save_html(tmp_path / "ride.html").as_uri(), width=1000, height=640)
    browser.run("trundle.layers.delete('joints'); trundle.ask()")
    browser.frame()
    x, y = place_of(browser, "rear wheel")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + 12, y=y + 12)
    browser.frame()
    assert browser.run("[tip.hidden, tip.textContent]") == [False, "rear wheel"]
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=30, y=80)
    browser.frame()
    assert browser.run("tip.hidden")
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            at = {"x": x + 12, "y": y + 12, "button": "left", "clickCount": count}
            browser.call("Input.dispatchMouseEvent", type=kind, **at)
    assert browser.run("trundle.first.bodies[trundle.follow]") == "rear wheel"
    # arrows say how large they are
    browser.run("trundle.layers.add('contact forces'); trundle.ask()")
    browser.frame()
    told = browser.run("trundle.shown.filter(x => x.mark).map(x => x.about())")
    force = np.linalg.norm(ride.values("rear.reaction_force")[0])
    assert f"contact force at rear: {float(f'{force:.4g}'):g} N" in told
    assert not browser.complaints


def test_keys_and_repeat(browser: Browser, ride: Run, tmp_path: Path) -> None:
    browser.open(ride.save_html(tmp_path / "ride.html").as_uri(), width=800, height=500)

    def press(key: str) -> None:
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
        browser.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    press("End")
    assert browser.run("trundle.t") == 2.0
    press(",")
    assert browser.run("trundle.t") == ride.time[-2]
    press(".")
    assert browser.run("trundle.t") == 2.0
    press("Home")
    press(".")
    assert browser.run("trundle.t") == ride.time[1]
    press("+")
    assert browser.run("[trundle.speed, Number(speed.value)]") == [0.5, 0.5]
    press("r")
    assert browser.run("again.getAttribute('aria-pressed')") == "true"
    press("End")
    browser.run("trundle.speed = 1e-9; trundle.toggle(true); trundle.t = 2; trundle.frame(performance.now())")
    assert browser.run("trundle.playing") and browser.run("trundle.t") < 0.1
    browser.run("trundle.toggle(false)")


def test_runs_that_part_stay_in_the_picture(browser: Browser, ride: Run, tmp_path: Path) -> None:
    other = tr.bicycle.benchmark().build().simulate(2.0, {"speed": 6.0, "roll_rate": -0.5}, samples=101)
    file = ride.save_html(tmp_path / "two.html", plots=["roll"], compare=other)
    browser.open(file.as_uri(), width=1000, height=640)
    browser.run("trundle.seek(2)")
    browser.frame()
    box = browser.run("(({left, right, top, bottom}) => [left, right, top, bottom])(view.getBoundingClientRect())")
    for k in (0, 1):
        browser.run(f"trundle.first = trundle.runs[{k}]")
        x, y = place_of(browser, "rear frame")
        assert box[0] < x < box[1] and box[2] < y < box[3]
    browser.run("trundle.first = trundle.runs[0]")
    assert "paler: speed = 6 at the start" in browser.run("scale.textContent")


def test_early_end_is_said_in_the_head(browser: Browser, tmp_path: Path) -> None:
    m = tr.Model("mass")
    push = tr.Motor(lambda t, q, u: q**3)  # grows without bound at a finite time
    m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0, inertia=1.0), law=push)
    system = m.build()
    for start, ends in ((0.1, True), (10.0, False)):
        run = system.simulate(1.0, {"mass.displacement": start}, samples=11)
        assert run.ok == ends
        browser.open(run.save_html(tmp_path / "mass.html").as_uri())
        said, look = browser.run("[note.textContent, note.className]")
        assert said.startswith("finished at 1 s" if ends else run.outcome) and look == ("" if ends else "bad")
        assert not browser.complaints


def test_the_map_of_impacts_fills_a_phone_with_letters_of_their_size(browser: Browser, tmp_path: Path) -> None:
    browser.size(390, 800)
    browser.events.clear()
    browser.call("Page.navigate", url=write_impact_page(tmp_path / "map.html", 1.0).as_uri())
    browser.wait_for("Page.loadEventFired")
    widths = browser.run("[...document.querySelectorAll('svg')].map((s) => s.getBoundingClientRect().width)")
    assert len(widths) == 2 and all(300 < w <= 390 for w in widths)
    letters = (
        "[...document.querySelectorAll('svg text')].map((t) => t.getCTM().a * parseFloat(getComputedStyle(t).fontSize))"
    )
    assert min(browser.run(letters)) > 10
    low = browser.run("(v => { v.value = 30; v.dispatchEvent(new Event('input')); return told.innerText; })(beta)")
    assert "tan \u03b2\t0.577350" in low
    assert not browser.complaints


def test_paths_and_ghosts_are_relative_to_the_frame_from_which_they_are_seen(browser: Browser, tmp_path: Path) -> None:
    """A swing on a turntable: seen from it, the path lies in the plane of the swing."""
    m = tr.Model("swing")
    table = m.moving_frame("table", rotation=lambda s: ("z", 2.0 * s.t))
    bob = m.body("bob", mass=1.0, inertia=0.01, com=(0, 0, -1.0))
    m.connect(tr.Revolute("y"), table.at(0.5, 0, 0), bob, name="hinge")
    run = m.build().simulate(2.0, {"hinge.angle": 0.3}, samples=101)
    browser.open(run.save_html(tmp_path / "swing.html").as_uri(), width=600, height=400)
    browser.run("['paths', 'ghosts'].forEach((l) => trundle.layers.add(l))")
    wide = """(() => { const { first } = trundle, made = [], up = trundle.painter.upload.bind(trundle.painter);
      trundle.painter.upload = (mesh) => { made.push(mesh); return up(mesh); };
      trundle.draw(); trundle.painter.upload = up;
      const y = made.flatMap((m) => Array.from(m.vertices).filter((_, i) => i % 3 === 1));
      return y.length ? Math.max(...y) - Math.min(...y) : 0; })()"""
    assert browser.run(wide) > 0.5
    browser.run("trundle.seat = trundle.first.frames[0]")
    assert 0 < browser.run(wide) < 0.05
    ghosts = "trundle.first.ghosts.map((t) => trundle.stand(t).seen(trundle.first.pose(2, t).p)[1])"
    assert np.ptp(browser.run(ghosts)) < 1e-6  # the hinge of all ghosts is at the same place of the table
    assert not browser.complaints
