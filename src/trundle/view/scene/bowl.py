"""Bowls: hollow spheres of which only the used part is drawn, so that one can look into them."""

from typing import Final

import numpy as np

from trundle.typing import Array
from trundle.view.scene.mesh import axes_along

LEVEL: Final = 0.5  # angle (rad) between the centre of the touched area and an axis, below which the brim is level
BRIM: Final = 0.35  # angle (rad) beyond the touched area
LEAST: Final = 1.0  # rad from the middle to the brim
ROUND: Final = 1e-3  # spread of the distances to the middle of a ball, in its radii


def bowl(points: Array, touched: Array) -> Array:
    """Points (n, m, 3) of a sphere around the touched points (k, 3), up to a brim; points of other surfaces, and of a
    sphere that was touched on all sides, are returned unchanged.
    """
    cloud = points.reshape(-1, 3)
    centre = (cloud.min(axis=0) + cloud.max(axis=0)) / 2
    radii = np.linalg.norm(cloud - centre, axis=1)
    radius = float(np.mean(radii))
    toward = (touched - centre)[np.all(np.isfinite(touched), axis=1)] / radius
    if not len(toward) or float(np.ptp(radii)) > ROUND * radius:
        return points
    middle = toward.mean(axis=0)
    turn = axes_along(_upright(middle))
    angle = float(np.arccos(np.clip(np.min(toward @ turn[:, 2]), -1, 1))) + BRIM
    if np.linalg.norm(middle) < 0.1 or angle > np.pi - BRIM:
        return points
    around, down = np.linspace(0, 2 * np.pi, points.shape[0]), np.linspace(0, max(angle, LEAST), points.shape[1])
    ring = np.stack([np.cos(around), np.sin(around)], axis=-1)[:, None] * np.sin(down)[:, None]
    local = np.concatenate([ring, np.broadcast_to(np.cos(down)[:, None], (*ring.shape[:2], 1))], axis=2)
    made: Array = centre + radius * local @ turn.T
    return made


def _upright(middle: Array) -> Array:
    """The direction of an axis, where the middle is near one: a bowl has a level brim."""
    size = float(np.linalg.norm(middle))
    k = int(np.argmax(np.abs(middle)))
    if abs(float(middle[k])) < np.cos(LEVEL) * size:
        return middle
    axis: Array = np.sign(middle[k]) * np.eye(3)[k]
    return axis
