"""Sizes for drawing: of the mechanism, its details, and the box of its motion; and the best direction of view."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from trundle.run.geometry import Geometry
from trundle.run.surfaces import Grid
from trundle.typing import Array, Json
from trundle.view.scene.scene import Item, Spring

FINE: Final = 7.0  # ratio of mechanism to typical body, up to which details are scaled with the mechanism


def size_of(shape: Geometry, grids: Sequence[Grid], bodies: Sequence[str], pose: tuple[Array, Array]) -> float:
    """Extent of the mechanism at the start: joints, mass centres, shapes and round surfaces; m."""
    p, R = pose
    clouds = []
    for i, body in enumerate(bodies):
        part = shape["bodies"].get(body)
        if part is None or (body in shape["frames"] and not part["shapes"]):
            continue
        points = np.array([*part["joints"], *([] if i == 0 else [part["com"]]), *shape_corners(part)], dtype=float)
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


def detail_of(shape: Geometry, bodies: Sequence[str], size: float) -> float:
    """The size of the mechanism, or less if typical bodies are much smaller, as the links of a long chain."""
    extents = []
    for body in bodies[1:]:
        part = shape["bodies"][body]
        points = np.array([*part["joints"], part["com"], *shape_corners(part)], dtype=float).reshape(-1, 3)
        extents.append(float(np.max(np.ptp(points, axis=0))))
    seen = [extent for extent in extents if extent > 1e-9 * size]
    return min(size, FINE * float(np.median(seen))) if seen else size


def _bounded(grid: Grid) -> bool:
    """Whether it is as large as its body: round, an edge or a vertex; else it is clipped to where it was touched, as a
    long rail of the ground is.
    """
    if grid.body == "ground":
        extents = np.sort(np.ptp(grid.points.reshape(-1, 3), axis=0))
        return grid.spins and bool(extents[2] < 4 * extents[1])
    return grid.spins or grid.points.shape[1] == 1


def shape_corners(part: Json) -> list[Array]:
    """Corners of the shapes of a body."""
    from trundle.view.outline import outline

    return list(outline(part).points()) if part["shapes"] else []


def first_extent(items: Sequence[Item], p: Array, R: Array) -> float:
    """Extent at the start of all moving bodies."""
    drawn = [
        p[item.body] + item.mesh.vertices[:: max(1, len(item.mesh.vertices) // 60)] @ R[item.body].T
        for item in items
        if item.body > 0 and item.layer in ("bodies", "surfaces")
    ]
    return float(np.max(np.ptp(np.vstack(drawn), axis=0))) if drawn else 0.0


def motion_box(
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


def cylinder_around(
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


def floor_height(shape: Geometry, low: Array, size: float) -> float | None:
    if any(part["kind"] == "Rails" for body in shape["bodies"].values() for part in body["shapes"]):
        return None
    road = shape.get("road")
    return float(road) if road is not None else float(low[2] - 0.04 * size)


def face_on(p: Array, R: Array, size: float) -> tuple[float, float] | None:
    """Direction of view of a planar motion, nearly normal to its plane."""
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
