"""The studio in a real Chromium: sliders change the result, errors are shown at their lines, saved runs can be
repeated."""

import base64
import runpy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.view.browser import Browser, opened

import trundle as tr
from trundle import examples
from trundle.studio import Studio, studio

SLIDE = """(async () => { const s = studio.parameters.find((s) => s.name === NAME); s.range.value = VALUE;
  studio.slow = false; s.range.dispatchEvent(new Event("input")); await studio.running; return s.value; })()"""


@pytest.fixture
def served() -> Iterator[Studio]:
    made = studio("simple-pendulum", port=0, open_browser=False)
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from opened()


def curve(browser: Browser, name: str, run: int = 0) -> np.ndarray:
    return np.array(browser.run(f"[...trundle.curves.find((c) => c.name === '{name}' && c.run === {run}).y]"))


def test_a_slider_changes_the_result_and_the_script_repeats_it(
    browser: Browser, served: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.open(served.url, width=1200, height=760)
    first = curve(browser, "pivot.angle")
    system = examples.model("simple-pendulum").build()
    assert np.array_equal(first, system.simulate(10.0).values("pivot.angle"))
    browser.run("studio.keep(true)")
    length = browser.run(SLIDE.replace("NAME", "'l'").replace("VALUE", "1.5"))
    expected = system.simulate(10.0, parameters={"l": length}).values("pivot.angle")
    assert length == 1.5 and not np.allclose(first, expected, atol=0.1)
    assert np.array_equal(curve(browser, "pivot.angle"), expected)
    assert np.array_equal(curve(browser, "pivot.angle", 1), first)  # the kept run beside it
    browser.run("""(async () => { const f = studio.starts[1].start.sliders[0].field;
      const run = studio.run.bind(studio), ran = new Promise((ok) => { studio.run = (live) => ok(run(live)); });
      f.value = "-pi/4"; f.dispatchEvent(new Event("change")); await ran; studio.run = run; })()""")
    assert curve(browser, "pivot.angle_rate")[0] == pytest.approx(-np.pi / 4)
    saved = browser.run("""(async () => { const made = [], click = HTMLAnchorElement.prototype.click;
      HTMLAnchorElement.prototype.click = function () { made.push(this.download); };
      await studio.save("script"); await studio.save("model");
      HTMLAnchorElement.prototype.click = click; return made; })()""")
    assert saved == ["simple-pendulum.py", "simple-pendulum.yaml"]
    text = browser.run("studio.server.ask('save', { ...studio.settings(), what: 'script' }).then((a) => a.content)")
    (tmp_path / "again.py").write_bytes(base64.b64decode(text))
    monkeypatch.chdir(tmp_path)
    runpy.run_path("again.py")
    last = tr.load(sorted(tmp_path.glob("run-*.nc"))[-1])
    assert np.array_equal(last.values("pivot.angle"), curve(browser, "pivot.angle"))
    assert not browser.complaints


def test_faults_stand_at_their_lines(browser: Browser, served: Studio) -> None:
    browser.open(served.url)
    text = examples.find("simple-pendulum").path.read_text(encoding="utf-8").replace("second: bar", "second: rod")
    line = text[: text.index("second: rod")].count("\n") + 1
    browser.call("Runtime.evaluate", expression=f"window.faulty = {text!r}")
    browser.run("studio.openText(faulty, 'my.yaml')")
    shown = browser.run("document.getElementById('faults').innerText")
    assert f"line {line}:" in shown and "no body called 'rod'" in shown
    assert browser.run("[...document.querySelectorAll('#lines .bad')].map((s) => Number(s.textContent))")[0] == line
    assert browser.run("document.getElementById('drive').hidden")
    # mended, it runs
    browser.run("document.getElementById('text').value = faulty.replace('second: rod', 'second: bar')")
    browser.run("(async () => { await studio.openText(document.getElementById('text').value, 'my.yaml'); })()")
    assert browser.run("document.getElementById('faults').hidden") and not browser.run("trundle.first === undefined")
    # names from files are text, never markup
    browser.run("window.odd = faulty.replace('second: rod', 'second: bar')")
    browser.run("window.odd = odd.replace('name: simple', 'name: <img src=x onerror=alert(1)>')")
    browser.run("studio.openText(odd, 'x.yaml')")
    assert "<img" in browser.run("document.getElementById('name').textContent")
    assert browser.run("document.querySelectorAll('#bench img').length") == 0


def test_every_sheet_in_dark_and_on_a_phone(browser: Browser, served: Studio) -> None:
    browser.open(served.url, width=390, height=800, dark=True)
    browser.run("studio.openExample('simple-pendulum')")
    browser.run("studio.turn('structure'); studio.structure()")
    assert browser.run("document.querySelectorAll('#seals tr').length") > 2
    browser.run("studio.turn('eigenvalues'); document.getElementById('about').value = 'start'; studio.loci.plot()")
    assert browser.run("studio.loci.panels.length") == 2
    browser.frame()  # the plots learn their size when the page is laid out
    cursor = browser.run("studio.loci.panels.map((p) => [p.cursor.clientHeight, p.frame()[3] - p.frame()[2]])")
    assert cursor == [[214, 214]] * 2  # from the lower to the upper edge of its plot
    browser.run("studio.turn('impact'); new Promise((ok) => { document.getElementById('impact').onload = ok; })")
    browser.run("studio.turn('motion')")
    browser.frame()
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert not browser.complaints


def test_a_kept_run_that_moves_elsewhere_stays_in_the_picture(browser: Browser, served: Studio) -> None:
    browser.open(served.url, width=1200, height=760)
    browser.run("studio.openExample('benchmark-bicycle')")
    near = browser.run("trundle.camera.distance")
    browser.run("studio.keep(true)")
    assert browser.run("trundle.camera.distance") == pytest.approx(near)
    browser.run(SLIDE.replace("NAME", "'v'").replace("VALUE", "9"))
    browser.run("trundle.seek(trundle.range[1])")
    browser.frame()
    seen = browser.run("""(() => { const [r, u, e] = trundle.camera.axes(), half = Math.tan(0.3);
      const see = trundle.stand().seen;
      return trundle.runs.map((run) => { const p = see(run.middle(trundle.t)), depth = trundle.camera.far - dot(p, e);
        return [dot(p, r) / depth / half, dot(p, u) / depth / half]; }); })()""")
    assert len(seen) == 2 and np.max(np.abs(seen)) < 1.3  # the picture is wider than high
    browser.run("studio.keep(false)")
    assert browser.run("trundle.camera.distance") == pytest.approx(near, rel=0.2)


def test_menus_stay_on_the_screen_of_a_phone(browser: Browser, served: Studio) -> None:
    browser.open(served.url, width=390, height=800)
    browser.run("document.getElementById('saves').open = true")
    for name in ("files", "tabs"):
        left, right = browser.run(f"(({{left, right}}) => [left, right])({name}.getBoundingClientRect())")
        assert left >= 0 and right <= 390
