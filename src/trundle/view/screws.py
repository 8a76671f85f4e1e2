"""Screws as in technical drawings: a centre line with a circular arrow for a rotation, a double arrow for a slide, a
coil for a helix; rings for a ball.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.pairs.numeric import NumericScrew
from trundle.view.outline import Points
from trundle.view.scene3d import Scene3D

DASHES = (0.05, 0.018, 0.012, 0.018)  # of a centre line, in sizes of the picture


@final
@dataclass(frozen=True, eq=False)
class Mark:
    """Drawing of a screw: range on its axis (m from `at`), end (1 or -1) of its symbol, size, colour and text."""

    low: float
    high: float
    end: float
    size: float
    colour: str
    text: str

    def place(self, inset: float) -> float:
        """A point on the axis, `inset` sizes inside the end of the symbol."""
        return self.high - inset * self.size if self.end > 0 else self.low + inset * self.size


def mark_clear(
    scene: Scene3D, screw: NumericScrew, reach: tuple[float, float], size: float, colour: str, text: str
) -> Mark:
    """A mark whose symbol does not overlap other drawings, not far beyond the `reach` of the axis."""
    marks = []
    for more in np.arange(0.2, 1.01, 0.08):
        for end in (1.0, -1.0):
            low, high = reach[0] - (more if end < 0 else 0.12) * size, reach[1] + (more if end > 0 else 0.12) * size
            marks.append(Mark(low, high, end, size, colour, text))
    spans = np.array([[screw.at + mark.place(inset) * screw.axis for inset in (0.0, 0.08, 0.16)] for mark in marks])
    clear = scene.clearance(spans.reshape(-1, 3)).reshape(-1, 3).min(axis=-1)
    enough = np.flatnonzero(clear > 0.09 * size)
    return marks[int(enough[0] if len(enough) else np.argmax(clear))]


def draw_screw(scene: Scene3D, screw: NumericScrew, mark: Mark) -> None:
    """Centre line, symbol at one end, and the name beyond."""
    for start, end in _dashes(mark.low, mark.high, mark.size):
        steps = np.linspace(start, end, max(2, int(np.ceil((end - start) / (0.02 * mark.size)))))
        scene.line(screw.at + steps[:, None] * screw.axis, mark.colour, 1.1)
    {"Prismatic": _slide, "Revolute": _turn, "Screw": _helix}[screw.kind](scene, screw, mark)
    tip, within = (screw.at + mark.place(inset) * screw.axis for inset in (0.0, 0.2))
    scene.label(tip, mark.text, mark.colour, within)


def _dashes(low: float, high: float, size: float) -> list[tuple[float, float]]:
    found, place, i = [], low, 0
    while place < high:
        step = DASHES[i % 4] * size
        if i % 2 == 0:
            found.append((place, min(place + step, high)))
        place, i = place + step, i + 1
    return found


def _around(screw: NumericScrew, where: float, radius: float, angles: Points, advance: float = 0.0) -> Points:
    """Points about the axis, at a place on it."""
    x, y = across(screw.axis)
    ring = radius * (np.cos(angles)[:, None] * x + np.sin(angles)[:, None] * y)
    wound: Points = screw.at + ring + (where + advance * (angles - angles[0]))[:, None] * screw.axis
    return wound


def across(axis: Points) -> tuple[Points, Points]:
    """Two unit vectors at right angles to an axis and to each other."""
    x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x = x / np.linalg.norm(x)
    return x, np.cross(axis, x)


def _turn(scene: Scene3D, screw: NumericScrew, mark: Mark) -> None:
    path = _around(screw, mark.place(0.06), 0.06 * mark.size, np.linspace(0.5, 5.6, 41))
    _headed(scene, path, mark.colour)


def _helix(scene: Scene3D, screw: NumericScrew, mark: Mark) -> None:
    angles = np.linspace(0.5, 4.4 * np.pi, 89)
    advance = np.sign(screw.advance) * 0.0088 * mark.size
    start = mark.place(0.08) - 2.0 * np.pi * advance
    _headed(scene, _around(screw, start, 0.05 * mark.size, angles, advance), mark.colour)


def _slide(scene: Scene3D, screw: NumericScrew, mark: Mark) -> None:
    side = 0.035 * mark.size * _side_of(scene, screw.axis)
    ends = [screw.at + mark.place(inset) * screw.axis + side for inset in (0.17, 0.0)]
    middle = (ends[0] + ends[1]) / 2
    for end in ends:
        scene.arrow(middle, end, mark.colour, 1.4, 8.0)


def _side_of(scene: Scene3D, axis: Points) -> Points:
    """A unit vector that is seen at right angles to an axis."""
    side = np.cross(scene.camera.axes[2], axis)
    length = float(np.linalg.norm(side))
    upright: Points = side / length if length > 1e-6 else scene.camera.axes[1]
    return upright


def _headed(scene: Scene3D, path: Points, colour: str) -> None:
    scene.line(path, colour, 1.5)
    scene.arrow(path[-4], path[-1], colour, 1.4, 8.0)


def draw_ball(scene: Scene3D, centre: Points, size: float, colour: str, text: str) -> None:
    """Three rings about the centre of a ball joint."""
    angles = np.linspace(0, 2 * np.pi, 49)
    for i in range(3):
        ring = np.zeros((49, 3))
        ring[:, i], ring[:, (i + 1) % 3] = np.cos(angles), np.sin(angles)
        scene.line(centre + 0.05 * size * ring, colour, 1.3)
    scene.dot(centre, colour, 4.0)
    scene.label(centre + 0.05 * size * scene.camera.axes[0], text, colour, centre)
