"""A picture of two surfaces in contact, with the chain of screws between their bodies."""

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
from trundle.pairs.closest import limits
from trundle.pairs.numeric import NumericScrew, read_screw, read_sweep, typical_length
from trundle.space.chain import Ball, Chain
from trundle.view.outline import Points
from trundle.view.scene3d import Camera, Stage
from trundle.view.screws import draw_ball, draw_screw, mark_clear
from trundle.view.style import COLOURS, INK, finish, new_figure, style
from trundle.view.surface import GRID, OTHER_SKIN, SKIN, draw_skin, good_camera, picture_height, through

FIRST, SECOND = COLOURS[0], COLOURS[1]
REACH = 2.0  # of a patch from the contact, in sizes of the smaller body


@final
@dataclass(frozen=True, eq=False)
class Part:
    """What is seen of one surface, in the frame of the first body."""

    surface: Surface
    points: Points
    normals: Points


def draw_pair(
    pair: HigherPair,
    coordinates: Sequence[float] | None = None,
    path: Path | str | None = None,
    camera: Camera | None = None,
    reach: float | None = None,
    title: str | None = None,
    width: float = 6.4,
) -> Figure:
    """Both surfaces in contact at coordinates of the chain of the pair (zero when not given), with its screws, the
    point of contact and the normal out of the first surface.

    Each surface is shown up to the distance `reach` (m) from the contact along its screws; without it some sizes of the
    smaller one.
    """
    chain = pair.chain()
    q = _coordinates(chain, coordinates)
    contact, normal = contact_at(pair, q)
    length = reach or REACH * _smaller(pair)
    still = np.eye(3), np.zeros(3)
    parts = _part(pair.first, still, contact, length), _part(pair.second, _pose(chain, q), contact, length)
    cloud = np.vstack([part.points.reshape(-1, 3) for part in parts])
    size = float(np.ptp(cloud, axis=0).max())
    stage = Stage(camera or good_camera(contact, (normal,), cloud))
    for part, colour in zip(parts, (SKIN, OTHER_SKIN), strict=True):
        draw_skin(stage, part.surface, part.points, part.normals, colour)
    stage.arrow(contact, contact + 0.16 * size * normal, INK)
    stage.dot(contact)
    _draw_chain(stage, chain, q, contact, parts, size)
    with style():
        figure = new_figure(width, picture_height(stage, width) + 0.3, title or pair.title)
        stage.paint(figure.subplots())
        return finish(figure, path)


def _coordinates(chain: Chain, given: Sequence[float] | None) -> Points:
    if given is None:
        parts = [np.array([1.0, 0.0, 0.0, 0.0]) if isinstance(step, Ball) else np.zeros(1) for step in chain.steps]
        return np.concatenate(parts)
    q = np.asarray(given, dtype=float)
    if q.shape != (chain.n_q,) or not np.all(np.isfinite(q)):
        names = ", ".join(f"{step.name} ({step.n_q})" if step.n_q > 1 else step.name for step in chain.steps)
        raise ModelError(f"a picture of this pair takes {chain.n_q} finite coordinates ({names}), got {given!r}.")
    return q


def _pose(chain: Chain, q: Points) -> tuple[Points, Points]:
    """Rotation and position in numbers."""
    R, p = chain.pose(ca.SX(ca.DM(q)))
    return np.array(ca.DM(R)), np.array(ca.DM(p)).ravel()


def contact_at(pair: HigherPair, q: Points) -> tuple[Points, Points]:
    """Point of contact and normal out of the first surface, in the frame of the first body, at coordinates of the
    chain.
    """
    steps = pair.chain().steps
    carrying = steps[:1] if isinstance(steps[0], Ball) else steps[:2]
    R, p = _pose(Chain(*carrying, end=pair.sweeps[0].contact), q[: sum(step.n_q for step in carrying)])
    return p, R[:, 2]


def _smaller(pair: HigherPair) -> float:
    """Size of the smaller surface; a plane, a straight edge and a vertex have none."""
    sweeps = [read_sweep(surface.sweep(), type(surface).__name__) for surface in (pair.first, pair.second)]
    smaller = min(typical_length(sweep.first, sweep.second, sweep.point, otherwise=inf) for sweep in sweeps)
    return smaller if isfinite(smaller) else 1.0


def _part(surface: Surface, pose: tuple[Points, Points], contact: Points, reach: float) -> Part:
    """The surface about the contact, in the pose of its body."""
    R, p = pose
    sweep = read_sweep(surface.sweep(), type(surface).__name__)
    a, b, _ = surface.closest((contact - p) @ R)
    patch = sweep.at(a, b)
    spans = (
        _span(sweep.first, a, patch.x_a, reach, (-inf, inf)),
        _span(sweep.second, b, patch.x_b, reach, limits(sweep)),
    )
    grid_a, grid_b = (np.linspace(*span, count) for span, count in zip(spans, GRID, strict=True))
    points, normals = surface.point(grid_a[:, None], grid_b), surface.normal(grid_a[:, None], grid_b)
    return Part(surface, p + points @ R.T, normals @ R.T)


def _span(
    screw: NumericScrew, middle: float, tangent: Points, reach: float, ends: tuple[float, float]
) -> tuple[float, float]:
    """Displacements that move the contact by up to `reach`, at most a whole turn."""
    half = reach / max(float(np.linalg.norm(tangent)), 1e-12)
    if screw.kind == "Revolute":
        half = pi if half > 0.5 * pi else half
    return max(middle - half, ends[0]), min(middle + half, ends[1])


def _draw_chain(stage: Stage, chain: Chain, q: Points, contact: Points, parts: tuple[Part, Part], size: float) -> None:
    """Each screw where those before it have carried it, in the colour of its surface."""
    sides: tuple[int | None, ...] = (0, 0, None, 1, 1)
    if len(chain.steps) == 3:
        sides = (0, 1, 1) if isinstance(chain.steps[0], Ball) else (0, 0, 1)
    for i, (step, side) in enumerate(zip(chain.steps, sides, strict=True)):
        R, p = _pose(Chain(*chain.steps[:i]), q[: sum(s.n_q for s in chain.steps[:i])])
        colour = INK if side is None else (FIRST, SECOND)[side]
        if isinstance(step, Ball):
            draw_ball(stage, p + R @ np.array([float(v) for v in step.at]), size, colour, "ball")
            continue
        still = read_screw(step, step.name)
        screw = through(NumericScrew(R @ still.axis, p + R @ still.at, still.spin, still.advance), contact)
        points = contact[None] if side is None else parts[side].points.reshape(-1, 3)
        along = (points - screw.at) @ screw.axis
        reach = float(along.min()), float(along.max())
        draw_screw(stage, screw, mark_clear(stage, screw, reach, size, colour, step.name))
