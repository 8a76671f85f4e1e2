"""Every example as a page that replays it, with a thumbnail and a page of them all; the moving picture of the README.

python -m benchmarks.moving_gallery [NAME ...] [--out DIR]
python -m benchmarks.moving_gallery --readme
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
from PIL import Image

import trundle as tr
from trundle import examples, rail
from trundle.command.find import find_model
from trundle.run.dataset import Run
from trundle.view.movie.movie import picture
from trundle.view.scene.make import make_scene
from trundle.view.scene.scene import Scene

ROOT = Path(__file__).parents[1]
MOVING = ROOT / "docs" / "gallery" / "moving.gif"
SIZE = 480, 300  # of a thumbnail, pixels
INDEX = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Trundle: examples in motion</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>body{{font:15px/1.4 system-ui,sans-serif;margin:24px}}main{{display:grid;gap:18px;
grid-template-columns:repeat(auto-fill,minmax(260px,1fr))}}a{{color:inherit;text-decoration:none}}
img{{width:100%;border-radius:6px}}p{{margin:2px 0;opacity:.75;font-size:13px}}</style></head>
<body><h1>Examples in motion</h1><main>{cards}</main></body></html>
"""


def example_run(name: str) -> tuple[Run, tuple[str, ...]]:
    """The run that an example asks for, and what it plots."""
    file = find_model(name, {})
    wish = file.run
    options = {"method": wish.method, "rtol": wish.rtol, "atol": wish.atol, "samples": wish.samples}
    return file.model.build().simulate(wish.duration or 10.0, **options), wish.plot


def write_page(name: str, folder: Path) -> str:
    """Write the page and the thumbnail of an example; the card that shows them."""
    run, plots = example_run(name)
    run.save_html(folder / f"{name}.html", plots=plots or None)
    scene = make_scene(run, plots=())
    thumbnail(scene).save(folder / f"{name}.png")
    text = examples.find(name).sentence()
    return f'<a href="{name}.html"><img src="{name}.png" alt=""><b>{escape(name)}</b><p>{escape(text)}</p></a>'


def thumbnail(scene: Scene) -> Image.Image:
    """The machine in the middle of its motion; one that stays where it is fills the picture."""
    early = float(scene.time[0] + 0.1 * (scene.time[-1] - scene.time[0]))
    events = [t for _, t in scene.events if t > early]  # what happens first, else the middle of the way
    t = events[0] if events else scene.ghosts[len(scene.ghosts) // 2]
    if not scene.travels:
        low, high = scene.extent_at(t)
        scene = replace(scene, low=low, high=high)
    return picture(scene, t, SIZE, caption=False)


def write_pages(names: list[str], folder: Path) -> None:
    """All pages, and the one that leads to them."""
    folder.mkdir(parents=True, exist_ok=True)
    cards = []
    for name in names:
        cards.append(write_page(name, folder))
        print(folder / f"{name}.html")
    (folder / "index.html").write_text(INDEX.format(cards="\n".join(cards)), encoding="utf-8")
    print(folder / "index.html")


def wagon() -> Run:
    """The wagon of the page about rail vehicles, as it enters a curve."""
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(mass=1813, inertia=(1120, 112, 1120), contact=contact)
    box = rail.AxleBox(rail.Bushing(stiffness=(5e6, 2e6, 1.2e6), damping=(1e4, 1e4, 2e4)))
    vehicle = rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), height=1.9), axle, box, wheelbase=8.0)
    curve = rail.Alignment([rail.Straight(30), rail.Sine(60, 180, 0.15), rail.Arc(180, 200, 0.15)])
    return rail.Trip(vehicle, curve, 20.0).simulate(6.0, samples=301)


def rimless_wheel() -> Run:
    """A rimless wheel rolls down a slope from spoke to spoke."""
    return tr.walker.rimless_wheel().build().simulate(5.0)


def frames(count: int, size: tuple[int, int]) -> Iterator[Image.Image]:
    """Four machines side by side."""
    bicycle = tr.bicycle.benchmark().build().simulate(5.0, {"speed": 4.6, "roll_rate": 0.9})
    shown = {"bicycle": (bicycle, 1.2), "wagon on a curve": (wagon(), 1.2), "rimless wheel": (rimless_wheel(), 1.7)}
    shown["cylinder on a spiral column"] = example_run("spiral-column")[0], 1.9
    scenes = [(make_scene(run, plots=(), name=name), zoom) for name, (run, zoom) in shown.items()]
    for f in np.linspace(0, 1, count):
        sheet = Image.new("RGB", (2 * size[0] + 4, 2 * size[1] + 4), "white")
        for k, (scene, zoom) in enumerate(scenes):
            t = float(scene.time[0] + f * (scene.time[-1] - scene.time[0]))
            sheet.paste(picture(scene, t, size, zoom=zoom), ((k % 2) * (size[0] + 4), (k // 2) * (size[1] + 4)))
        yield sheet


def write_moving(path: Path = MOVING, count: int = 60, size: tuple[int, int] = (300, 190)) -> None:
    """The moving picture at the head of the README, below 2 MB."""
    sheets = list(frames(count, size))
    palette = sheets[count // 2].quantize(160, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    flat = [sheet.quantize(palette=palette, dither=Image.Dither.NONE) for sheet in sheets]
    flat[0].save(path, save_all=True, append_images=flat[1:], duration=83, loop=0, optimize=True)
    print(path, path.stat().st_size)
    if path.stat().st_size > 2_000_000:
        raise SystemExit("the moving picture of the README must stay below 2 MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "gallery")
    parser.add_argument("--readme", action="store_true")
    given = parser.parse_args()
    if given.readme:
        write_moving()
    else:
        write_pages(given.names or examples.names(), given.out)


if __name__ == "__main__":
    main()
