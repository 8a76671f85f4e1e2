"""A picture of two surfaces in contact, with the chain of screws between their bodies where there is one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, pi
from pathlib import Path
from typing import final

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

from trundle.errors import ModelError
from trundle.pairs import HigherPair, Surface
from trundle.pairs.chart import Chart
from trundle.pairs.numeric import NumericScrew, NumericSurface, NumericSweep, read_screw, typical_length
from trundle.pairs.planar import PlanarPair
from trundle.pairs.sweep import MEET
from trundle.space.chain import Ball, Chain, Named
from trundle.space.rotation import rotation
from trundle.view.outline import Points
from trundle.view.scene3d import Camera, Scene3D
from trundle.view.screws import draw_ball, draw_screw, mark_clear
from trundle.view.style import COLOURS, INK, finish, new_figure, style
from trundle.view.surface import GRID, OTHER_SKIN, SKIN, draw_skin, good_camera, picture_height, through

FIRST, SECOND = COLOURS[0], COLOURS[1]
REACH = 2.0  # of a patch from the contact, in sizes of the smaller body


@final
@dataclass(frozen=True, eq=False)
class Part:
    """The visible part of one surface, in the frame of the first body."""

    surface: Surface
    points: Points
    normals: Points


def draw_pair(
    pair: HigherPair | PlanarPair,
    coordinates: Sequence[float] | None = None,
    path: Path | str | None = None,
    camera: Camera | None = None,
    reach: float | None = None,
    title: str | None = None,
    width: float = 6.4,
) -> Figure:
    """Both surfaces in contact at coordinates of the pair (zero when not given), with its screws if it has any, the
    point of contact and the normal out of the first surface.

    Each surface is shown up to the distance `reach` (m) from the contact along its coordinates; without it some sizes
    of the smaller one. A planar pair is drawn in its plane, without camera and reach.
    """
    if isinstance(pair, PlanarPair):
        from trundle.view.planar import draw_planar_pair

        return draw_planar_pair(pair, coordinates, path, title, width)
    q = _coordinates(pair, coordinates)
    contact, normal = contact_at(pair, q)
    length = reach or REACH * _smaller(pair)
    still = np.eye(3), np.zeros(3)
    parts = _part(pair.first, still, contact, length), _part(pair.second, pose_at(pair, q), contact, length)
    cloud = np.vstack([part.points.reshape(-1, 3) for part in parts])
    size = float(np.ptp(cloud, axis=0).max())
    scene = Scene3D(camera or good_camera(contact, (normal,), cloud))
    for part, colour in zip(parts, (SKIN, OTHER_SKIN), strict=True):
        draw_skin(scene, part.surface, part.points, part.normals, colour)
    scene.arrow(contact, contact + 0.16 * size * normal, INK)
    scene.dot(contact)
    if pair.in_tree:
        _draw_chain(scene, pair.chain(), q, contact, parts, size)
    with style():
        figure = new_figure(width, picture_height(scene, width) + 0.3, pair.title if title is None else title)
        scene.paint(figure.subplots())
        return finish(figure, path)


def _coordinates(pair: HigherPair, given: Sequence[float] | None) -> Points:
    steps = pair.coordinates
    if given is None:
        return np.concatenate([np.array([1.0, 0.0, 0.0, 0.0]) if step.n_q == 4 else np.zeros(1) for step in steps])
    q, count = np.asarray(given, dtype=float), sum(step.n_q for step in steps)
    if q.shape != (count,) or not np.all(np.isfinite(q)):
        names = ", ".join(f"{step.name} ({step.n_q})" if step.n_q > 1 else step.name for step in steps)
        raise ModelError(f"a picture of this pair takes {count} finite coordinates ({names}), got {given!r}.")
    return q


def _pose(chain: Chain, q: Points) -> tuple[Points, Points]:
    """Rotation and position in numbers."""
    R, p = chain.pose(ca.SX(ca.DM(q)))
    return np.array(ca.DM(R)), np.array(ca.DM(p)).ravel()


def pose_at(pair: HigherPair, q: Points) -> tuple[Points, Points]:
    """Rotation and position of the second frame in the first at coordinates of the pair."""
    if pair.in_tree:
        return _pose(pair.chain(), q)
    (R, p), on_second = _on_first(pair, q), _on_second(pair, q)
    if on_second is None:  # a ball: how it is turned does not matter
        return np.eye(3), p + float(pair.second.ball) * R[:, 2]
    R_B, p_B = on_second
    if pair.first.ball is not None:
        return np.eye(3), -float(pair.first.ball) * R_B[:, 2] - p_B
    yaw = dict(zip([c.name for c in pair.coordinates], q, strict=True)).get("yaw", 0.0)
    turn = R @ rotation("z", float(yaw)) @ MEET @ R_B.T
    return turn, p - turn @ p_B


def contact_at(pair: HigherPair, q: Points) -> tuple[Points, Points]:
    """Point of contact and normal out of the first surface, in the frame of the first body, at coordinates of the
    pair.
    """
    if not pair.in_tree:
        R, p = _on_first(pair, q)
        return p, R[:, 2]
    steps = pair.chain().steps
    carrying = steps[:1] if isinstance(steps[0], Ball) else steps[:2]
    R, p = _pose(Chain(*carrying, end=pair.sweeps[0].contact), q[: sum(step.n_q for step in carrying)])
    return p, R[:, 2]


def _on_first(pair: HigherPair, q: Points) -> tuple[Points, Points]:
    """Contact axes and point on the first surface of a pair that is not a chain of screws, in its frame."""
    if pair.first.ball is None:
        return _at(pair.charts[0], q[:2])
    found = _on_second(pair, q)
    assert found is not None
    R = found[0] @ MEET
    return R, float(pair.first.ball) * R[:, 2]


def _on_second(pair: HigherPair, q: Points) -> tuple[Points, Points] | None:
    """The same on the second surface; None on a ball."""
    return None if pair.second.ball is not None else _at(pair.charts[1], q[-2:])


def _at(chart: Chart, q: Points) -> tuple[Points, Points]:
    at = chart.place(ca.SX(float(q[0])), ca.SX(float(q[1])))
    return np.array(ca.DM(at.R)), np.array(ca.DM(at.point)).ravel()


def _smaller(pair: HigherPair) -> float:
    """Size of the smaller surface; a plane, a straight edge and a vertex have none."""
    smaller = min(_size(surface.numbers()) for surface in (pair.first, pair.second))
    return smaller if isfinite(smaller) else 1.0


def _size(numbers: NumericSurface) -> float:
    if isinstance(numbers, NumericSweep):
        return typical_length(numbers.first, numbers.second, numbers.point, otherwise=inf)
    return numbers.size


def _part(surface: Surface, pose: tuple[Points, Points], contact: Points, reach: float) -> Part:
    """The surface about the contact, in the pose of its body."""
    R, p = pose
    chart, numbers = surface.chart(), surface.numbers()
    a, b, _ = surface.closest((contact - p) @ R)
    patch, ends = numbers.at(a, b), chart.ends(numbers)
    spans = [
        _span(coordinate, middle, tangent, reach, end)
        for coordinate, middle, tangent, end in zip(
            chart.coordinates, (a, b), (patch.x_a, patch.x_b), ends, strict=True
        )
    ]
    grid_a, grid_b = (np.linspace(*span, count) for span, count in zip(spans, GRID, strict=True))
    points, normals = surface.point(grid_a[:, None], grid_b), surface.normal(grid_a[:, None], grid_b)
    return Part(surface, p + points @ R.T, normals @ R.T)


def _span(
    coordinate: Named, middle: float, tangent: Points, reach: float, ends: tuple[float, float]
) -> tuple[float, float]:
    """Displacements that move the contact by up to `reach`, at most a whole turn."""
    half = reach / max(float(np.linalg.norm(tangent)), 1e-12)
    if coordinate.closed:
        half = pi if half > 0.5 * pi else half
    return max(middle - half, ends[0]), min(middle + half, ends[1])


def _draw_chain(
    scene: Scene3D, chain: Chain, q: Points, contact: Points, parts: tuple[Part, Part], size: float
) -> None:
    """Each screw where those before it have carried it, in the colour of its surface."""
    sides: tuple[int | None, ...] = (0, 0, None, 1, 1)
    if len(chain.steps) == 3:
        sides = (0, 1, 1) if isinstance(chain.steps[0], Ball) else (0, 0, 1)
    for i, (step, side) in enumerate(zip(chain.steps, sides, strict=True)):
        R, p = _pose(Chain(*chain.steps[:i]), q[: sum(s.n_q for s in chain.steps[:i])])
        colour = INK if side is None else (FIRST, SECOND)[side]
        if isinstance(step, Ball):
            draw_ball(scene, p + R @ np.array([float(v) for v in step.at]), size, colour, "ball")
            continue
        still = read_screw(step, step.name)
        screw = through(NumericScrew(R @ still.axis, p + R @ still.at, still.spin, still.advance), contact)
        points = contact[None] if side is None else parts[side].points.reshape(-1, 3)
        along = (points - screw.at) @ screw.axis
        reach = float(along.min()), float(along.max())
        draw_screw(scene, screw, mark_clear(scene, screw, reach, size, colour, step.name))
