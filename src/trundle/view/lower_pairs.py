"""The lower pairs as pictures: the surface over which both bodies touch, and the screws that it leaves free
[Meijaard 2024, Fig. 1].
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from trundle.errors import ModelError
from trundle.pairs.lower import Cylindrical, Helical, Pair, Planar, Prismatic, Revolute, Spherical
from trundle.pairs.numeric import NumericScrew, read_screw
from trundle.space.chain import Ball
from trundle.view.outline import Points
from trundle.view.scene3d import Camera, Scene3D
from trundle.view.screws import draw_ball, draw_screw, mark_clear
from trundle.view.style import COLOURS, finish, new_figure, style
from trundle.view.surface import SKIN

SIX: tuple[Pair, ...] = (Spherical(), Planar(), Cylindrical(), Revolute(), Prismatic(), Helical(pitch=0.06))
"""The lower pairs of Reuleaux, in the order of the figure."""


def draw_lower_pairs(
    pairs: Sequence[Pair] = SIX, path: Path | str | None = None, columns: int = 3, width: float = 9.0
) -> Figure:
    """Lower pairs side by side, each about its own z axis, with letters and freedoms."""
    rows = -(-len(pairs) // columns)
    with style():
        figure = new_figure(width, width / columns * rows)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel in panels[len(pairs) :]:
            panel.set_axis_off()
        for panel, pair in zip(panels, pairs, strict=False):
            _scene(pair).paint(panel, 8.5)
            freedoms = pair.chain().n_u
            text = f"{type(pair).__name__} ({pair.letter}), {freedoms} freedom{'' if freedoms == 1 else 's'}"
            panel.set_title(text, loc="left", fontsize=10, fontweight="bold", pad=14)
        return finish(figure, path)


def _scene(pair: Pair) -> Scene3D:
    scene = Scene3D(Camera(24.0, -55.0))
    points = _skin(pair)
    u, v = (np.gradient(points, axis=axis) for axis in (0, 1))
    normals = np.cross(u, v)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-12)
    outwards = np.sign(np.sum(normals * (points - points.reshape(-1, 3).mean(axis=0)), axis=-1, keepdims=True))
    scene.mesh(points, np.where(outwards < 0, -normals, normals), SKIN)
    cloud = points.reshape(-1, 3)
    for i, step in enumerate(pair.chain().steps):
        colour = COLOURS[i]
        if isinstance(step, Ball):
            draw_ball(scene, np.zeros(3), 3.4, colour, step.name)
            continue
        still = read_screw(step, step.name)
        screw = NumericScrew(still.axis, still.at, still.spin, still.advance)
        along = (cloud - screw.at) @ screw.axis
        reach = float(along.min()), float(along.max())
        draw_screw(scene, screw, mark_clear(scene, screw, reach, 2.0, colour, step.name))
    return scene


def _skin(pair: Pair) -> Points:
    """Points (a, b, 3) of the surface over which the bodies touch, about the z axis."""
    around, along = np.linspace(0, 2 * np.pi, 97), np.linspace(-1.0, 1.0, 49)
    if isinstance(pair, Planar):
        return np.stack(np.broadcast_arrays(along[:, None], along[None], 0.0), axis=-1)
    if isinstance(pair, Spherical):
        lean = np.pi / 2 * along
        radius, height = np.cos(lean), np.sin(lean)
    else:
        radius, height = np.full(49, 0.45), along
    if isinstance(pair, Revolute):  # collars hold it along the axis
        radius = np.where(np.abs(along) > 0.6, 0.7, 0.45)
    angle, bulge = around[:, None], np.ones((97, 1))
    if isinstance(pair, Helical):  # a thread of two windings in the sense of the pitch, steeper than it is for the eye
        bulge = 1 + 0.14 * np.cos(angle - 2 * np.pi * along * np.sign(float(pair.pitch)))
    elif isinstance(pair, Prismatic):  # a square bar
        bulge = 1 / np.maximum(np.abs(np.cos(angle)), np.abs(np.sin(angle)))
    elif not isinstance(pair, Cylindrical | Revolute | Spherical):
        raise ModelError(f"a picture of a lower pair takes one of the six, got {pair!r}.")
    ring = radius * bulge
    return np.stack(np.broadcast_arrays(ring * np.cos(angle), ring * np.sin(angle), height), axis=-1)
