"""From a run to its scene."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from trundle.errors import SolveError, UnknownNameError
from trundle.run.geometry import Geometry, geometry
from trundle.run.surfaces import surfaces
from trundle.view.scene.curves import curves, usual_names
from trundle.view.scene.extent import (
    cylinder_around,
    detail_of,
    face_on,
    first_extent,
    floor_height,
    motion_box,
    size_of,
)
from trundle.view.scene.forces import arrows, contacts
from trundle.view.scene.items import body_colours, make_items
from trundle.view.scene.poses import chosen_samples, ghost_times, poses_of, quaternions
from trundle.view.scene.scene import Point, Scene, Spring, named

if TYPE_CHECKING:
    from trundle.run.run import Run

Points = Mapping[str, tuple[str, Sequence[float]]]  # name -> body, place in its axes (m)

FRAMES: Final = 1500  # poses that are kept


def make_scene(
    run: "Run", frames: int = FRAMES, plots: Sequence[str] | None = None, name: str = "", points: Points | None = None
) -> Scene:
    """The scene of a run, with at most about `frames` poses, quantities (by name) as curves, and points whose paths can
    be shown, {"tip": ("blade", (0.5, 0, 0))}, in addition to those of the joints.
    """
    shape = geometry(run)
    bodies = ["ground", *(body for body in shape["bodies"] if body != "ground")]
    kept = chosen_samples(run, frames)
    p, R = poses_of(run, bodies, kept)
    grids = surfaces(run)
    size = size_of(shape, grids, bodies, (p[0], R[0]))
    detail = detail_of(shape, bodies, size)
    colours = body_colours(bodies)
    touches = contacts(run, shape, kept)
    items = make_items(shape, grids, touches, bodies, colours, (p, R), size, detail)
    size = max(size, first_extent(items, p[0], R[0]))
    seen = np.unique(np.linspace(0, len(kept) - 1, 200).astype(int))
    coms = np.array([shape["bodies"].get(body, {"com": (0, 0, 0)})["com"] for body in bodies], dtype=float)
    free = [i for i, body in enumerate(bodies) if body not in shape["frames"]]
    springs = tuple(_springs(shape, bodies, detail))
    low, high, travels = motion_box(items, springs, p[seen], R[seen], size, bodies, shape["frames"])
    arrow, longest = arrows(run, shape, kept, p, R, bodies)
    shown = [plots] if isinstance(plots, str) else list(usual_names(run) if plots is None else plots)
    drawn = tuple(curves(run, shown))
    return Scene(
        name=name or run.model_name,
        time=run.time[kept],
        bodies=tuple(bodies),
        positions=p,
        quaternions=quaternions(R),
        coms=coms,
        colours=colours,
        items=tuple(items),
        springs=springs,
        arrows=arrow,
        contacts=touches,
        frames=tuple(named(bodies, frame) for frame in shape["frames"]),
        floor=floor_height(shape, low, size),
        size=size,
        detail=detail,
        low=low,
        high=high,
        travels=travels,
        around=cylinder_around(items, size, p[seen], R[seen], coms, free),
        planar=face_on(p, R, size),
        ghosts=ghost_times(run.time[kept], p, R, shape, bodies, travels, size),
        events=tuple(run.events),
        points=tuple(_points(shape, bodies, points or {})),
        plots=drawn,
        chosen=tuple(curve.name for curve in drawn[: 3 if plots is None else None]),
        longest=longest,
    )


def _points(shape: Geometry, bodies: Sequence[str], given: Points) -> Iterator[Point]:
    """The given points, then those of the joints on their second bodies."""
    for name, (body, at) in given.items():
        if body not in bodies:
            raise UnknownNameError(body, bodies, "body")
        place = np.asarray(at, dtype=float)
        if place.shape != (3,) or not np.all(np.isfinite(place)):
            raise SolveError(f"points={{{name!r}: ...}}: give the name of a body and three finite numbers (m).")
        yield Point(name, named(bodies, body), place)
    for name, _, body, at, _ in shape["joints"]:
        yield Point(f"{name} (joint)", named(bodies, body), np.array(at, dtype=float))


def _springs(shape: Geometry, bodies: Sequence[str], detail: float) -> Iterator[Spring]:
    for k, (a, pa, b, pb) in enumerate(shape["springs"]):
        yield Spring(
            f"spring {k}", named(bodies, a), np.array(pa, float), named(bodies, b), np.array(pb, float), 0.022 * detail
        )
