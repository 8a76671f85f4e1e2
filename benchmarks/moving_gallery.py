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
from trundle.run.run import Run
from trundle.view.movie.movie import palette_of, picture
from trundle.view.scene.make import make_scene
from trundle.view.scene.scene import Scene

ROOT = Path(__file__).parents[1]
MOVING = ROOT / "docs" / "gallery" / "moving.gif"
SIZE = 480, 300  # of a thumbnail, pixels
INDEX = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Trundle: examples in motion</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>
body {{ font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; margin: 0 auto; padding: 24px; max-width: 1500px; }}
h1 {{ margin: 0 0 4px; font-size: 22px; }}
main {{ display: grid; gap: 20px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 270px), 1fr)); }}
a {{ color: inherit; text-decoration: none; border: 1px solid #8884; border-radius: 8px; overflow: hidden; }}
a:hover, a:focus-visible {{ border-color: #0072b2; outline: 2px solid #0072b2; }}
img {{ width: 100%; aspect-ratio: 8 / 5; display: block; }}
b, a p {{ display: block; margin: 0; padding: 8px 12px 0; }}
p {{ margin: 0 0 18px; opacity: 0.8; font-size: 13px; }} a p {{ padding: 2px 12px 12px; }}
</style></head>
<body><h1>Examples in motion</h1>
<p>{count} examples that come with Trundle; each opens as a page that replays it, with plots.</p>
<main>{cards}</main></body></html>
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
    image = f'<img src="{name}.png" alt="" loading="lazy">'
    return f'<a href="{name}.html">{image}<b>{escape(name)}</b><p>{escape(text)}</p></a>'


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
    (folder / "index.html").write_text(INDEX.format(cards="\n".join(cards), count=len(cards)), encoding="utf-8")
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
    shown = {"bicycle": (bicycle, 1.25), "wagon on a curve": (wagon(), 1.3), "rimless wheel": (rimless_wheel(), 1.35)}
    shown["cylinder on a spiral column"] = example_run("spiral-column")[0], 1.5
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
    several = np.vstack([np.asarray(sheet) for sheet in sheets[:: count // 4]])  # colours of all, not of one
    palette = palette_of(Image.fromarray(several))
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
