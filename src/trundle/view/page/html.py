"""The page as one HTML text, without anything from the network."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from trundle.atomic_write import check_target, write_whole
from trundle.errors import StoreError
from trundle.view.page.pack import pack
from trundle.view.scene.curves import scalar_names
from trundle.view.scene.make import FRAMES, make_scene
from trundle.view.scene.mesh import coil, cylinder, revolved, sphere
from trundle.view.scene.scene import Scene

if TYPE_CHECKING:
    from trundle.run.dataset import Run

HOME: Final = Path(__file__).parent
SCRIPTS: Final = ("data", "space", "painter", "camera", "replay", "plots", "main")


def save_html(
    run: "Run",
    path: Path | str,
    plots: Sequence[str] | None = None,
    compare: "Run | None" = None,
    frames: int = FRAMES,
) -> Path:
    """Write a page that replays the run without Python and without a network.

    Parameters
    ----------
    run : Run
    path : str or Path
        The ending .html is added where there is none.
    plots : sequence of str, optional
        Quantities beside the picture; without it the coordinates, energies and normal forces to choose from.
    compare : Run, optional
        A second run in the same picture, paler, and with dashes in the plots.
    frames : int
        Poses that are kept at most; the page says so where the run has more.

    Returns
    -------
    Path
        Of the file that was written.
    """
    target = Path(path)
    check_target(target)
    target = target if target.suffix else target.with_name(target.name + ".html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise StoreError(f"cannot write the page {target}: its name must end in .html.")
    check_target(target)
    write_whole(target, page(run, plots, compare, frames).encode())
    return target


def page(
    run: "Run",
    plots: Sequence[str] | None = None,
    compare: "Run | None" = None,
    frames: int = FRAMES,
    live: bool = False,
) -> str:
    """The page as text; a live one may ask its server for every quantity of the run."""
    if frames < 2:
        raise StoreError(f"a page keeps at least 2 poses, got frames={frames!r}.")
    scenes = [make_scene(run, frames, plots)]
    if compare is not None:
        names = [curve.name for curve in scenes[0].plots if curve.name in set(scalar_names(compare))]
        scenes.append(make_scene(compare, frames, names, name=_other_name(run, compare)))
    names = scalar_names(run) if live else [curve.name for curve in scenes[0].plots]
    data = {
        "title": run.model_name,
        "note": _note(run, scenes[0]),
        "names": names,
        "shared": {name: vars(made) for name, made in _shared().items()},
        "scenes": [scene.header() for scene in scenes],
    }
    return fill(run.model_name, pack(data))


def fill(title: str, data: str) -> str:
    """The page with its title, looks, scripts and data."""
    text = (HOME / "page.html").read_text(encoding="utf-8")
    scripts = "\n".join((HOME / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    for place, content in (
        ("/*TITLE*/", escape(title)),
        ("/*STYLE*/", (HOME / "page.css").read_text(encoding="utf-8")),
        ("/*SCRIPT*/", f'"use strict";\n{scripts}'),
        ("/*DATA*/", data),
    ):
        text = text.replace(place, content, 1)
    return text


def _note(run: "Run", scene: Scene) -> str:
    words = [run.ending]
    if len(scene.time) < len(run.time):
        words.append(f"{len(scene.time)} of {len(run.time)} samples shown")
    words += [f"{len(run.events)} events"] if run.events else []
    words += [text for text in run.warnings if text.startswith("only every ")]
    return " · ".join(words)


def _other_name(run: "Run", other: "Run") -> str:
    """What the second run differs by, in a few words."""
    if other.model_name != run.model_name:
        return other.model_name
    changed = [f"{k} = {v:g}" for k, v in other.parameters.items() if run.parameters.get(k) != v]
    return ", ".join(changed[:3]) or "second run"


def _shared() -> dict[str, Any]:
    """Meshes that painters stretch to their places."""
    up = np.array([0.0, 0.0, 0.5])
    return {
        "coil": coil(),
        "dot": sphere(1.0),
        "shaft": cylinder(1.0, 1.0).moved(np.eye(3), up),
        "head": revolved([(0, 0), (1, 0), (0, 1)], count=20),
    }
