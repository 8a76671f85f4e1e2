"""From a run to its scene."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from trundle.errors import SolveError, UnknownNameError
from trundle.run.geometry import Geometry, geometry
from trundle.run.surfaces import Grid, surfaces
from trundle.typing import Array, Json
from trundle.view.scene import mesh
from trundle.view.scene.bowl import bowl
from trundle.view.scene.curves import curves, usual_names
from trundle.view.scene.forces import arrows, contacts
from trundle.view.scene.parts import body_meshes
from trundle.view.scene.scene import Colour, Contact, Item, Point, Scene, Spring, named
from trundle.view.scene.track import track

if TYPE_CHECKING:
    from trundle.run.run import Run

Points = Mapping[str, tuple[str, Sequence[float]]]  # name -> body, place in its axes (m)

FRAMES: Final = 1500  # poses that are kept
GHOSTS: Final = 6
LARGE, VEIL = 0.45, 0.4  # a stand-in for a shape that is so large, in sizes of the mechanism, is seen through
PALETTE: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8E7CC3", "#A07E58")
GROUND: Final[Colour] = (0.62, 0.65, 0.69)
STEEL: Final[Colour] = (0.55, 0.57, 0.6)
WOOD: Final[Colour] = (0.52, 0.45, 0.38)
AXES: Final[tuple[Colour, ...]] = ((0.8, 0.2, 0.2), (0.2, 0.6, 0.25), (0.2, 0.35, 0.85))


def make_scene(
    run: "Run", frames: int = FRAMES, plots: Sequence[str] | None = None, name: str = "", points: Points | None = None
) -> Scene:
    """The scene of a run, with at most about `frames` poses, the given quantities (names) as curves and points, besides
    those of the joints, whose paths can be shown: {"tip": ("blade", (0.5, 0, 0))}.
    """
    shape = geometry(run)
    bodies = ["ground", *(body for body in shape["bodies"] if body != "ground")]
    kept = chosen_samples(run, frames)
    p, R = _poses(run, bodies, kept)
    grids = surfaces(run)
    size = _size(shape, grids, bodies, (p[0], R[0]))
    colours = _colours(bodies)
    touches = contacts(run, shape, kept)
    seen_grids = [_opened(g, touches, bodies, p, R) for g in grids if not _is_face(g, shape)]
    items = [
        *_surface_items(seen_grids, bodies, colours, size),
        *_body_items(shape, grids, bodies, colours, size),
        *_joint_items(shape, bodies, size),
        *_track_items(shape, bodies, p, R),
        *_frame_items(bodies),
    ]
    size = max(size, _first_extent(items, p[0], R[0]))
    seen = np.unique(np.linspace(0, len(kept) - 1, 200).astype(int))
    coms = np.array([shape["bodies"].get(body, {"com": (0, 0, 0)})["com"] for body in bodies], dtype=float)
    free = [i for i, body in enumerate(bodies) if body not in shape["frames"]]
    springs = tuple(_springs(shape, bodies, size))
    low, high, travels = _extent(items, springs, p[seen], R[seen], size, bodies, shape["frames"])
    arrow, longest = arrows(run, shape, kept, p, R, bodies)
    shown = list(usual_names(run) if plots is None else plots)
    drawn = tuple(curves(run, shown))
    return Scene(
        name or run.model_name, run.time[kept], tuple(bodies), p, quaternions(R), coms,
        colours, tuple(items), springs, arrow, touches,
        tuple(named(bodies, frame) for frame in shape["frames"]), _floor(shape, low, size), size, low, high, travels,
        _around(items, size, p[seen], R[seen], coms, free),
        _face_on(p, R, size), _ghosts(run.time[kept], p, R, shape, bodies, travels, size), tuple(run.events),
        tuple(_points(shape, bodies, points or {})), drawn,
        tuple(curve.name for curve in drawn[: 3 if plots is None else None]), longest,
    )  # fmt: skip


def _points(shape: Geometry, bodies: Sequence[str], given: Points) -> Iterator[Point]:
    """Points that were asked for, then those of the joints on their second bodies."""
    for name, (body, at) in given.items():
        if body not in bodies:
            raise UnknownNameError(body, bodies, "body")
        place = np.asarray(at, dtype=float)
        if place.shape != (3,) or not np.all(np.isfinite(place)):
            raise SolveError(f"points={{{name!r}: ...}}: give the name of a body and three finite numbers (m).")
        yield Point(name, named(bodies, body), place)
    for name, _, body, at, _ in shape["joints"]:
        yield Point(f"{name} (joint)", named(bodies, body), np.array(at, dtype=float))


def chosen_samples(run: "Run", most: int) -> Any:
    """Numbers of the samples that are kept: spread evenly over time, with the first, the last and those at events."""
    t = run.time
    if len(t) <= most:
        return np.arange(len(t))
    even = np.searchsorted(t, np.linspace(t[0], t[-1], most))
    events = np.searchsorted(t, [time for _, time in run.events[: most // 2]])
    return np.unique(np.clip([*even, *events, *(events + 1), 0, len(t) - 1], 0, len(t) - 1).astype(int))


def _poses(run: "Run", bodies: Sequence[str], kept: Any) -> tuple[Array, Array]:
    """Positions (T, bodies, 3) and rotations (T, bodies, 3, 3) at the samples that are kept."""
    p, R = np.zeros((len(kept), len(bodies), 3)), np.tile(np.eye(3), (len(kept), len(bodies), 1, 1))
    for i, body in enumerate(bodies):
        if body != "ground":
            p[:, i] = run.values(f"{body}.position")[kept]
            R[:, i] = run.values(f"{body}.rotation")[kept].reshape(-1, 3, 3).transpose(0, 2, 1)  # stored by columns
    return p, R


def quaternions(R: Array) -> Array:
    """Unit quaternions (..., 4) of rotations (..., 3, 3), along the first axis without jumps of sign."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    wx, wy, wz = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xy, yz, zx = R[..., 1, 0] + R[..., 0, 1], R[..., 2, 1] + R[..., 1, 2], R[..., 0, 2] + R[..., 2, 0]
    rows = np.array([
        [1 + xx + yy + zz, wx, wy, wz],
        [wx, 1 + xx - yy - zz, xy, zx],
        [wy, xy, 1 - xx + yy - zz, yz],
        [wz, zx, yz, 1 - xx - yy + zz],
    ])  # fmt: skip
    products = np.moveaxis(rows, (0, 1), (-2, -1))  # 4 q q^T: every row is along q, the one of the largest entry best
    best = np.argmax(np.einsum("...ii->...i", products), axis=-1)
    q: Array = np.take_along_axis(products, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    flips = np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0)
    q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return q


def _colours(bodies: Sequence[str]) -> tuple[Colour, ...]:
    def shade(text: str) -> Colour:
        r, g, b = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return r, g, b

    return (GROUND, *(shade(PALETTE[i % len(PALETTE)]) for i in range(len(bodies) - 1)))


def _size(shape: Geometry, grids: Sequence[Grid], bodies: Sequence[str], pose: tuple[Array, Array]) -> float:
    """Extent of the mechanism at the start: joints, mass centres, shapes and round surfaces; m."""
    p, R = pose
    clouds = []
    for i, body in enumerate(bodies):
        part = shape["bodies"].get(body)
        if part is None or (body in shape["frames"] and not part["shapes"]):
            continue
        points = np.array([*part["joints"], *([] if i == 0 else [part["com"]]), *_corners(part)], dtype=float)
        points = points.reshape(-1, 3)
        points = np.vstack([points, *(g.points.reshape(-1, 3) for g in grids if g.body == body and _bounded(g))])
        clouds.append(p[i] + points @ R[i].T)
    cloud = np.vstack([np.zeros((0, 3)), *clouds])
    extent = float(np.max(np.ptp(cloud, axis=0))) if len(cloud) else 0.0
    if extent > 1e-9:
        return extent
    boxes = [
        float(np.sqrt(6 * np.trace(np.reshape(b.get("inertia", [0] * 9), (3, 3))) / b["mass"]))
        for b in shape["bodies"].values()
        if b.get("mass", 0) > 0
    ]
    return max([*boxes, 0.0]) or 1.0


def _bounded(grid: Grid) -> bool:
    """Whether it is as large as its body: round, an edge or a vertex; else it is clipped to where it was touched, as a
    long rail of the ground is.
    """
    if grid.body == "ground":
        extents = np.sort(np.ptp(grid.points.reshape(-1, 3), axis=0))
        return grid.spins and bool(extents[2] < 4 * extents[1])
    return grid.spins or grid.points.shape[1] == 1


def _first_extent(items: Sequence[Item], p: Array, R: Array) -> float:
    """Extent at the start of all that is drawn of moving bodies."""
    drawn = [
        p[item.body] + item.mesh.vertices[:: max(1, len(item.mesh.vertices) // 60)] @ R[item.body].T
        for item in items
        if item.body > 0 and item.layer in ("bodies", "surfaces")
    ]
    return float(np.max(np.ptp(np.vstack(drawn), axis=0))) if drawn else 0.0


def _corners(part: Json) -> list[Array]:
    """Corners of the shapes of a body."""
    from trundle.view.outline import outline

    return list(outline(part).points()) if part["shapes"] else []


def _is_face(grid: Grid, shape: Geometry) -> bool:
    """Whether a plane of a body is a face of its shapes, which are drawn."""
    part = shape["bodies"].get(grid.body)
    if not grid.flat or grid.points.shape[1] == 1 or part is None or not part["shapes"]:
        return False
    corners = np.array(_corners(part), dtype=float).reshape(-1, 3)
    origin = grid.points[0, 0]
    normal = np.cross(grid.points[-1, 0] - origin, grid.points[0, -1] - origin)
    heights = (corners - origin) @ normal / np.linalg.norm(normal)
    return len(corners) > 0 and bool(abs(float(np.max(heights))) < 0.02 * float(np.max(np.ptp(corners, axis=0))))


def _opened(grid: Grid, touches: Sequence[Contact], bodies: Sequence[str], p: Array, R: Array) -> Grid:
    """A hollow ball as a bowl; every other surface as it is."""
    points = next((one.points for one in touches if one.name == grid.connection), None)
    if not grid.hollow or not grid.spins or points is None:
        return grid
    i = named(bodies, grid.body)
    local = np.einsum("tji,tj->ti", R[:, i], points - p[:, i])
    return replace(grid, points=bowl(grid.points, local))


def _surface_items(
    grids: Sequence[Grid], bodies: Sequence[str], colours: Sequence[Colour], size: float
) -> Iterator[Item]:
    for grid in grids:
        i = named(bodies, grid.body)
        n, m = grid.points.shape[:2]
        level = grid.flat and i == 0 and float(np.ptp(grid.points[..., 2])) < 1e-6 * size
        colour = colours[i]
        if n == 1 and m == 1:
            yield Item(i, "surfaces", colour, mesh.sphere(0.02 * size).moved(np.eye(3), grid.points[0, 0]))
        elif grid.toothed:
            yield Item(i, "surfaces", colour, mesh.tube(grid.points[:, 0], 0.004 * size))
        elif m == 1:
            yield from _curve_items(i, grid.points[:, 0], colour, size)
        elif not level:  # a level plane of the ground is the floor
            made = mesh.grid(grid.points, striped=grid.spins and i > 0).thickened(0.001 * size)
            pale = 0.55 if grid.flat and i == 0 else 1.0
            yield Item(i, "surfaces", colour, made, pale, grid.hollow and grid.spins, i > 0)
            if grid.filled:
                for rim in (grid.points[:, 0], grid.points[:, -1]):
                    yield Item(i, "surfaces", colour, mesh.disc(rim))


def _curve_items(body: int, line: Array, colour: Colour, size: float) -> Iterator[Item]:
    """An edge as a tube; a closed one is the rim of a wheel."""
    yield Item(body, "surfaces", colour, mesh.tube(line, 0.012 * size))
    if not np.allclose(line[0], line[-1]):
        return
    yield Item(body, "surfaces", colour, mesh.disc(line), 0.22, shadow=False)
    half, middle = len(line) // 2, line[:-1].mean(axis=0)
    for k in (0, len(line) // 4):
        spoke = mesh.bar(line[k], 2 * middle - line[k] if k + half >= len(line) else line[k + half], 0.005 * size)
        yield Item(body, "surfaces", colour, spoke)


def _body_items(
    shape: Geometry, grids: Sequence[Grid], bodies: Sequence[str], colours: Sequence[Colour], size: float
) -> Iterator[Item]:
    touching = {grid.body for grid in grids}
    for name, part in shape["bodies"].items():
        i = named(bodies, name)
        if (i == 0 or name in shape["frames"]) and not part["shapes"]:
            continue
        for made in body_meshes(part, size, name in touching):
            veiled = not part["shapes"] and len(bodies) > 2 and made.extent() > LARGE * size
            yield Item(i, "bodies", colours[i], made, VEIL if veiled else 1.0)
        com = np.array(part["com"], dtype=float)
        for grid in grids if not part["shapes"] else ():  # feet stand on legs
            if grid.body == name and grid.points.size == 3 and np.linalg.norm(grid.points[0, 0] - com) > 1e-9:
                yield Item(i, "bodies", colours[i], mesh.bar(com, grid.points[0, 0], 0.01 * size))


def _joint_items(shape: Geometry, bodies: Sequence[str], size: float) -> Iterator[Item]:
    """A hinge as a short pin along its axis, every other joint as a knob."""
    dark: Colour = (0.25, 0.27, 0.3)
    for _, kind, body, point, axis in shape["joints"]:
        i = named(bodies, body)
        if "Revolute" in kind or "Axis" in kind or "Cylindrical" in kind or "Helical" in kind:
            pin = mesh.cylinder(0.02 * size, 0.05 * size).moved(mesh.axes_along(axis), point)
            yield Item(i, "joints", dark, pin)
        elif kind in ("Spherical", "Universal", "Fixed"):
            yield Item(i, "joints", dark, mesh.sphere(0.022 * size).moved(np.eye(3), point))
    for start, direction, body, point in shape["rails"]:
        del body, point
        a = np.array(start)
        d = np.array(direction)
        yield Item(0, "joints", STEEL, mesh.bar(a - 0.6 * size * d, a + 0.6 * size * d, 0.006 * size), shadow=False)


def _track_items(shape: Geometry, bodies: Sequence[str], p: Array, R: Array) -> Iterator[Item]:
    tracks: dict[str, tuple[Json, list[int]]] = {}
    for name, part in shape["bodies"].items():
        for one in part["shapes"]:
            if one["kind"] == "Rails":
                tracks.setdefault(str(one["gauge"]), (one, []))[1].append(named(bodies, name))
    for rails, frames in tracks.values():
        for kind, made in track([(p[:, i], R[:, i]) for i in frames], rails):
            yield Item(0, "track", STEEL if kind == "rail" else WOOD, made, shadow=False)


def _frame_items(bodies: Sequence[str]) -> Iterator[Item]:
    """Axes of every body, of unit length; painters stretch them."""
    for i in range(len(bodies)):
        for axis, colour in zip(np.eye(3), AXES, strict=True):
            yield Item(i, "frames", colour, mesh.bar(np.zeros(3), axis, 0.04), shadow=False)


def _extent(
    items: Sequence[Item],
    springs: Sequence[Spring],
    p: Array,
    R: Array,
    size: float,
    bodies: Sequence[str],
    frames: Sequence[str],
) -> tuple[Array, Array, bool]:
    """Box of the motion, and whether it is much larger than the machine."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for item in items:
        if item.layer in ("frames", "track"):
            continue
        corners = item.mesh.vertices[:: max(1, len(item.mesh.vertices) // 60)]
        if item.body == 0:
            if item.layer == "surfaces" and float(np.max(np.ptp(corners, axis=0))) > 4 * size:
                continue
            placed = corners
        else:
            placed = (p[:, item.body, None] + np.einsum("tij,nj->tni", R[:, item.body], corners)).reshape(-1, 3)
        placed = placed[np.all(np.isfinite(placed), axis=1)]
        if len(placed):
            low, high = np.minimum(low, placed.min(axis=0)), np.maximum(high, placed.max(axis=0))
    for spring in springs:
        for body, at in ((spring.a, spring.pa), (spring.b, spring.pb)):
            ends = p[:, body] + R[:, body] @ at
            ends = ends[np.all(np.isfinite(ends), axis=1)]
            if len(ends):
                low, high = np.minimum(low, ends.min(axis=0)), np.maximum(high, ends.max(axis=0))
    if not np.all(np.isfinite(low)):
        low, high = np.full(3, -size / 2), np.full(3, size / 2)
    free = [i for i in range(1, len(bodies)) if bodies[i] not in frames]
    middle = p[:, free].mean(axis=1) if free else p[:, 0]
    known = middle[np.all(np.isfinite(middle), axis=1)]
    travels = len(known) > 0 and bool(np.max(np.ptp(known, axis=0)) > 2.5 * size)
    return low, high, travels


def _around(
    items: Sequence[Item], size: float, p: Array, R: Array, coms: Array, free: Sequence[int]
) -> tuple[float, float]:
    """Radius and half height of the upright cylinder that holds all bodies, about the middle of the mass centres of
    those that are free to move (the ground is one of `free`); a small body beside something large has that in it.
    """
    moving = list(free[1:])
    centres = p[:, moving] + np.einsum("tbij,bj->tbi", R[:, moving], coms[moving])
    middle = centres.mean(axis=1) if moving else p[:, 0]
    radius, height = 0.5 * size, 0.25 * size
    for item in items:
        if item.body == 0 or item.layer not in ("bodies", "surfaces", "joints"):
            continue
        corners = item.mesh.vertices[:: max(1, len(item.mesh.vertices) // 60)]
        off = np.einsum("tij,nj->tni", R[:, item.body], corners) + (p[:, item.body] - middle)[:, None]
        off = off.reshape(-1, 3)[np.all(np.isfinite(off.reshape(-1, 3)), axis=1)]
        if len(off):
            radius = max(radius, float(np.max(np.hypot(off[:, 0], off[:, 1]))))
            height = max(height, float(np.max(np.abs(off[:, 2]))))
    return radius, height


def _floor(shape: Geometry, low: Array, size: float) -> float | None:
    if any(part["kind"] == "Rails" for body in shape["bodies"].values() for part in body["shapes"]):
        return None
    road = shape.get("road")
    return float(road) if road is not None else float(low[2] - 0.04 * size)


def _face_on(p: Array, R: Array, size: float) -> tuple[float, float] | None:
    """From where a plane motion is seen face on, slightly from the side."""
    views = {0: (0.0 + 0.25, 0.18), 1: (-np.pi / 2 + 0.25, 0.18), 2: (-np.pi / 2, 1.25)}
    moving, turning = p[:, 1:], R[:, 1:]
    if not moving.shape[1]:
        return None
    for normal, view in views.items():
        stays = float(np.max(np.ptp(moving[..., normal], axis=0))) < 1e-6 * size
        tilts = np.einsum("tbj,bj->tb", turning[:, :, normal], turning[0, :, normal])  # cosines against the first pose
        if stays and float(np.max(np.abs(tilts - 1))) < 1e-9:
            return float(view[0]), float(view[1])
    return None


def _ghosts(
    t: Array, p: Array, R: Array, shape: Geometry, bodies: Sequence[str], travels: bool, size: float
) -> tuple[float, ...]:
    """Times of poses that show the motion: equal parts of the way of what travels; else poses far from each other, for
    equal parts of a motion that comes back may all be the same pose.
    """
    coms = np.array([shape["bodies"][body]["com"] for body in bodies[1:]], dtype=float).reshape(-1, 3)
    if not len(coms) or len(t) < 2:
        return (float(t[0]),)
    places = p[:, 1:] + np.einsum("tbij,bj->tbi", R[:, 1:], coms)
    way = np.concatenate([[0.0], np.cumsum(np.max(np.linalg.norm(np.diff(places, axis=0), axis=2), axis=1))])
    if travels and way[-1] > 0:
        return tuple(float(time) for time in np.interp(np.linspace(0, way[-1], GHOSTS), way, t))
    seen = np.unique(np.linspace(0, len(t) - 1, 300).astype(int))
    axes = 0.3 * size * R[seen, 1:, :, :2].reshape(len(seen), -1)  # what turns about its mass centre moves too
    return _far_apart(t[seen], np.nan_to_num(np.hstack([places[seen].reshape(len(seen), -1), axes])), 1e-6 * size)


def _far_apart(t: Array, poses: Array, least: float) -> tuple[float, ...]:
    """Times of the first pose, of the last where it is another one, and of those that are, one after the other, the
    farthest from all before.
    """
    chosen = [0]
    nearest = np.linalg.norm(poses - poses[0], axis=1)
    if nearest[-1] > 0.2 * float(np.max(nearest)):
        chosen.append(len(t) - 1)
        nearest = np.minimum(nearest, np.linalg.norm(poses - poses[-1], axis=1))
    while len(chosen) < GHOSTS and float(np.max(nearest)) > least:
        chosen.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, np.linalg.norm(poses - poses[chosen[-1]], axis=1))
    return tuple(float(t[i]) for i in sorted(chosen))


def _springs(shape: Geometry, bodies: Sequence[str], size: float) -> Iterator[Spring]:
    for k, (a, pa, b, pb) in enumerate(shape["springs"]):
        yield Spring(
            f"spring {k}", named(bodies, a), np.array(pa, float), named(bodies, b), np.array(pb, float), 0.022 * size
        )
