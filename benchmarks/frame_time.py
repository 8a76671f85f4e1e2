"""Time of one frame of the player, for a chain of 20 bodies with paths, forces and plots shown.

python -m benchmarks.frame_time

In Python: processor time to make the poses of a page and to pack them, over the number of poses. In Chromium: time
to set all poses, forces, cursors and values of a frame, to hand them to the graphics and to lay out the page. A
headless Chromium paints in software on the same processor, which no user does: every call of the graphics is made as
always, but paints one triangle only, and is painted before the next frame begins. There is no clock of processor time
in a page: of many frames the quickest tenth is what the machine can do when nothing else runs.
"""

import statistics
import tempfile
import time
from pathlib import Path

from tests.view.browser import Browser, find_chromium

from trundle import examples
from trundle.run.run import Run
from trundle.view.page.html import page

BODIES, SAMPLES = 20, 1001
LAYERS = ("reactions", "paths", "centres of mass", "frames")
FRAMES = """(() => { const out = [], end = trundle.range[1], { gl } = trundle.painter, pixel = new Uint8Array(4);
  const paint = gl.drawElementsInstanced.bind(gl);
  gl.drawElementsInstanced = (mode, count, kind, offset) => paint(mode, 3, kind, offset, 1);
  for (let i = 0; i < 300; i++) {
    trundle.t = (end * i) / 300;
    const began = performance.now(); trundle.draw(); document.body.offsetHeight; out.push(performance.now() - began);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  }
  return out; })()"""


def chain() -> Run:
    """The example, falling for two seconds."""
    return examples.model("chain", n=BODIES).build().simulate(2.0, samples=SAMPLES)


def in_python(run: Run) -> float:
    """Processor time to make the page, for each pose (ms); the median of three."""
    times = []
    for _ in range(3):
        began = time.process_time()
        page(run)
        times.append(time.process_time() - began)
    return 1e3 * statistics.median(times) / len(run.time)


def in_browser(run: Run, program: str) -> tuple[float, float]:
    """Time in JavaScript for one frame (ms): the quickest tenth of many, and their median."""
    browser = Browser(program)
    with tempfile.TemporaryDirectory() as folder:
        browser.open(run.save_html(Path(folder) / "chain.html").as_uri())
        browser.run(f"{list(LAYERS)}.forEach(l => trundle.layers.add(l)); trundle.draw()")
        times = sorted(browser.run(FRAMES))
    browser.close()
    return float(times[len(times) // 10]), statistics.median(times)


def main() -> None:
    """Print both."""
    run = chain()
    print(f"{BODIES} bodies, {SAMPLES} poses")
    print(f"Python: {in_python(run):.3f} ms of processor time for each pose")
    program = find_chromium()
    if program is None:
        print("no Chromium on this machine")
        return
    quick, middle = in_browser(run, program)
    print(f"JavaScript: a frame takes {quick:.2f} ms (quickest tenth), {middle:.2f} ms (median)")


if __name__ == "__main__":
    main()
