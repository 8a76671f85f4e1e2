"""Labels with the times of the poses of a picture, placed where they hide least."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from trundle.view.canvas import Canvas
from trundle.view.outline import Points
from trundle.view.pose_painter import Painter

WIDE, TALL = 0.078, 0.03  # of a label, in sizes of the picture
AWAY: Final = 0.008  # of a label from its pose, in sizes of the picture
SUPPORT: Final = 0.03  # of a support about its joint, in sizes of the picture
FREE: Final = 0.09  # sufficient distance from a label to other things, in sizes of the picture
MOST: Final = 300  # points of a pose that are checked
MIDST: Final = 0.04  # bonus for an end of a pose, in sizes of the picture
ROUND: Final = 16  # directions that are tried


def time_text(t: float) -> str:
    """A time in seconds with its unit: three digits, and all before the point."""
    return f"{t:.3g} s" if abs(t) < 1e3 else f"{t:.0f} s"


def label_poses(canvas: Canvas, painter: Painter, samples: Sequence[int], t: Points) -> None:
    """The time of every pose at one of its ends, away from other poses and times; omitted if there is no space."""
    clouds = [canvas.seen(_thinned(painter.cloud(i, fine=True))) for i in samples]
    if not all(len(cloud) for cloud in clouds):
        return
    size = float(np.max(np.ptp(np.vstack(clouds), axis=0)))
    box = size * np.array([WIDE, TALL])
    supports = canvas.seen(np.array(painter.scene["bodies"]["ground"]["joints"], dtype=float).reshape(-1, 3))
    taken: list[Points] = []
    for k, i in reversed(list(enumerate(samples))):  # the last pose, which is solid, chooses first
        others = np.vstack([np.zeros((0, 2)), *clouds[:k], *clouds[k + 1 :]])
        best, place = -np.inf, None
        for end, way, worse in _places(clouds[k], others):
            middle = end + AWAY * size * way + way * box / 2
            if any(np.all(np.abs(middle - other) < box) for other in taken):
                continue
            room = min(_room(middle, box, others), _room(end, 0 * box, others), FREE * size)
            room = min(room, _room(middle, box, supports) - SUPPORT * size)
            score = room + (0.03 * way[1] - worse) * size  # above rather than below
            if score > best:
                best, place = score, (end, way, middle)
        if place is not None:
            taken.append(place[2])
            canvas.label(place[0], place[1], time_text(float(t[i])))


def _places(cloud: Points, others: Points) -> Iterator[tuple[Points, Points, float]]:
    """Points of a pose with directions away from them: its ends, and, with a penalty, the point that is farthest from
    all other poses.
    """
    angles = np.pi / 2 + 2 * np.pi * np.arange(ROUND) / ROUND
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    own = cloud[np.argmax([_room(point, np.zeros(2), others) for point in cloud])]
    for way in ways:
        yield cloud[np.argmax(cloud @ way)], way, 0.0
        yield own, way, MIDST


def _thinned(points: Points) -> Points:
    return points[:: -(-len(points) // MOST)] if len(points) else points


def _room(middle: Points, box: Points, points: Points) -> float:
    """Distance of a box from the nearest of some points; zero where one is in it."""
    if not len(points):
        return np.inf
    apart = np.maximum(np.abs(points - middle) - box / 2, 0.0)
    return float(np.min(np.hypot(apart[:, 0], apart[:, 1])))
