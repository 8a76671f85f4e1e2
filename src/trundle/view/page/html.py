"""The page as one HTML text, without anything from the network."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from trundle.atomic_write import check_target, file_path, write_whole
from trundle.errors import StoreError
from trundle.messages.arguments import advised
from trundle.typing import Json
from trundle.view.contact_states import COLOUR_OF_STATE, STATE_NAMES
from trundle.view.page.pack import pack
from trundle.view.scene.curves import scalar_names
from trundle.view.scene.make import FRAMES, Points, make_scene
from trundle.view.scene.mesh import coil, cylinder, revolved, sphere
from trundle.view.scene.scene import Scene

if TYPE_CHECKING:
    from trundle.run.run import Run

HOME: Final = Path(__file__).parent
PLAYER: Final = ("data", "space", "painter", "camera", "replay", "plots", "widgets", "main")


@advised()
def save_html(
    run: "Run",
    path: Path | str,
    plots: Sequence[str] | None = None,
    compare: "Run | None" = None,
    frames: int = FRAMES,
    points: Points | None = None,
) -> Path:
    """Write a page that replays the run without Python and without a network.

    Parameters
    ----------
    run : Run
    path : str or Path
        The suffix .html is added if there is none.
    plots : sequence of str, optional
        Quantities that are plotted; by default the user can choose from coordinates, energies and normal forces.
    compare : Run, optional
        A second run in the same picture, paler, and with dashes in the plots.
    frames : int
        Largest number of poses; the page says if the run has more.
    points : mapping, optional
        Points whose paths can be shown, {"tip": ("blade", (0.5, 0, 0))}: body and position in its axes (m), in addition
        to mass centres, joints and contacts.

    Returns
    -------
    Path
        The written file.
    """
    target = file_path(path)
    check_target(target)
    target = target if target.suffix else target.with_name(target.name + ".html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise StoreError(f"cannot write the page {target}: its name must end in .html.")
    check_target(target)
    write_whole(target, page(run, plots, compare, frames, points=points).encode())
    return target


def page(
    run: "Run",
    plots: Sequence[str] | None = None,
    compare: "Run | None" = None,
    frames: int = FRAMES,
    live: bool = False,
    points: Points | None = None,
) -> str:
    """The page as text; a live one can request every quantity of the run from its server."""
    return fill(run.model_name, pack(page_data(run, plots, compare, frames, live, points)))


def fill(title: str, data: str) -> str:
    """The page of runs with its title, styles, scripts and packed data; the browser runs no other scripts."""
    script = f"{player_script()}\n{file_text('start.js')}"
    (_, style), player = player_parts()
    hashes = ("/*SCRIPT HASH*/", _hash(script)), ("/*STYLE HASH*/", _hash(style))
    named = ("/*TITLE*/", escape(title))  # replaced last, because a title may contain a placeholder
    parts = *hashes, ("/*STYLE*/", style), player, ("/*SCRIPT*/", script), ("/*DATA*/", data), named
    return with_parts(file_text("page.html"), *parts)


def _hash(text: str) -> str:
    """As a content security policy names a script or a style."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def page_data(
    run: "Run",
    plots: Sequence[str] | None = None,
    compare: "Run | None" = None,
    frames: int = FRAMES,
    live: bool = False,
    points: Points | None = None,
) -> Json:
    """The data of the player, before packing."""
    if frames < 2:
        raise StoreError(f"a page keeps at least 2 poses, got frames={frames!r}.")
    scenes = [make_scene(run, frames, plots, points=points)]
    if compare is not None:
        names = [curve.name for curve in scenes[0].plots if curve.name in set(scalar_names(compare))]
        scenes.append(make_scene(compare, frames, names, name=_other_name(run, compare), points=points))
    names = scalar_names(run) if live else [curve.name for curve in scenes[0].plots]
    return {
        "title": run.model_name,
        "note": _note(run, scenes[0]),
        "ok": run.ok,
        "names": names,
        "states": [{"name": STATE_NAMES[k], "colour": COLOUR_OF_STATE[k]} for k in sorted(STATE_NAMES)],
        "shared": {name: vars(made) for name, made in _shared().items()},
        "scenes": [scene.header() for scene in scenes],
    }


def file_text(name: str) -> str:
    """A file of this folder."""
    return (HOME / name).read_text(encoding="utf-8")


def player_parts() -> tuple[tuple[str, str], ...]:
    """Styles and markup of every page with a player, by placeholder."""
    return ("/*STYLE*/", file_text("page.css")), ("/*PLAYER*/", file_text("player.html"))


def player_script() -> str:
    """The scripts of the player."""
    return "\n".join(['"use strict";', *(file_text(f"{name}.js") for name in PLAYER)])


def with_parts(text: str, *parts: tuple[str, str]) -> str:
    """The text of a page with its placeholders replaced."""
    for place, content in parts:
        text = text.replace(place, content, 1)
    return text


def _note(run: "Run", scene: Scene) -> str:
    said = run.outcome.partition(": ")[2].rstrip(".") if run.ok else run.outcome
    words = [f"finished at {run.time[-1]:g} s" if run.ending == "FINISHED" else said or run.ending]
    if len(scene.time) < len(run.time):
        words.append(f"{len(scene.time)} of {len(run.time)} samples shown")
    words += [f"{len(run.events)} event{'s' if len(run.events) > 1 else ''}"] if run.events else []
    words += [run.stored.thinned] if run.stored is not None and run.stored.thinned else []
    return " · ".join(words)


def _other_name(run: "Run", other: "Run") -> str:
    """Difference of the second run, in a few words."""
    if other.model_name != run.model_name:
        return other.model_name
    changed = [f"{k} = {v:g}" for k, v in other.parameters.items() if run.parameters.get(k) != v]
    return ", ".join(changed[:3]) or _other_start(run, other) or "second run"


def _other_start(run: "Run", other: "Run") -> str:
    """Start values that differ: of short names, or else of coordinates, or else of their rates."""
    known = set(scalar_names(run)) & set(scalar_names(other)) | set(run.aliases) & set(other.aliases)
    for names in (run.aliases, run.coordinates, [f"{name}_rate" for name in run.coordinates]):
        starts = {name: (run.values(name)[0], other.values(name)[0]) for name in names if name in known}
        changed = [f"{name} = {theirs:.4g}" for name, (own, theirs) in starts.items() if not np.isclose(own, theirs)]
        if changed:
            return f"{', '.join(changed[:3])} at the start"
    return ""


def _shared() -> Json:
    """Meshes that are scaled by the player."""
    up = np.array([0.0, 0.0, 0.5])
    return {
        "coil": coil(),
        "dot": sphere(1.0),
        "shaft": cylinder(1.0, 1.0).moved(np.eye(3), up),
        "head": revolved([(0, 0), (1, 0), (0, 1)], count=20),
    }
