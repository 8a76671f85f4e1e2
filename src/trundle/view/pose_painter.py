"""Poses of a mechanism on a canvas: earlier ones as ghosts, the last one solid, with the paths of the mass centres."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.run.geometry import Geometry
from trundle.typing import Raw
from trundle.view.canvas import Canvas
from trundle.view.outline import Outline, Points, coil
from trundle.view.style import COLOURS, INK, QUIET

Pose = tuple[Points, Points]  # positions (times, 3) and rotations (times, 3, 3) of a body


@final
@dataclass(frozen=True, eq=False)
class Painter:
    """Draws the poses of a mechanism; `size` (m) is that of the picture, to which pins and springs are scaled."""

    scene: Geometry
    outlines: Mapping[str, Outline]
    poses: Mapping[str, Pose]
    size: float

    def all(self, canvas: Canvas, samples: Sequence[int]) -> None:
        """Supports, slides, paths, and the mechanism at the samples."""
        middle = self.cloud(samples[-1], ground=True).mean(axis=0)
        for point in self.scene["bodies"]["ground"]["joints"]:
            canvas.support(np.array(point), self.size, middle)
        for start, direction, name, point in self.scene["rails"]:
            axis = np.array(direction)
            reach = [float((placed(np.array([point]), self.poses[name], i)[0] - start) @ axis) for i in samples]
            ends = (min(0.0, *reach) - 0.08 * self.size, max(0.0, *reach) + 0.08 * self.size)
            canvas.line(np.array(start) + np.outer(ends, axis), color=QUIET, linewidth=1.6, zorder=1.2)
        span = slice(samples[0], samples[-1] + 1)
        for name, body in self.scene["bodies"].items():
            if name != "ground":
                path = self.poses[name][0][span] + self.poses[name][1][span] @ np.array(body["com"])
                look = {"linewidth": 1.0, "alpha": 0.6, "linestyle": (0, (4, 2)), "zorder": 1.8}
                canvas.line(path, color=self.colours[name], **look)
        for k, i in enumerate(samples):
            last = k == len(samples) - 1
            alpha = 1.0 if last else 0.10 + 0.22 * k / max(len(samples) - 1, 1)
            self.pose(canvas, i, alpha, k, ground=last)

    def pose(self, canvas: Canvas, i: int, alpha: float = 1.0, level: int = 0, ground: bool = False) -> None:
        """The mechanism at one sample."""
        for j, (name, body) in enumerate(self.outlines.items()):
            if name != "ground" or ground:
                order = 2.0 + level + (0.5 * j / len(self.outlines))
                self._body(canvas, body, (self.poses[name], i), (self.colours[name], alpha), order)
        for spring in self.scene["springs"]:
            tip, foot = self._ends(spring, i)
            canvas.line(
                coil(tip, foot, 0.022 * self.size),
                color=INK,
                linewidth=1.1,
                alpha=alpha,
                zorder=2.6 + level,
            )

    def _ends(self, spring: Sequence[Raw], i: int) -> Points:
        """Ends of a spring at a sample, (2, 3)."""
        a, p, b, q = spring
        return np.vstack([placed(np.array([point]), self.poses[body], i) for body, point in ((a, p), (b, q))])

    def cloud(self, i: int, ground: bool = False, fine: bool = False) -> Points:
        """All corners of what moves at a sample, (n, 3); `fine` adds points along its bars and springs, and around its
        dots.
        """
        shown = [(name, body) for name, body in self.outlines.items() if ground or name != "ground"]
        points = [placed(body.points(), self.poses[name], i) for name, body in shown]
        if fine:
            bars = [(name, line) for name, body in shown for line in body.lines]
            points += [placed(_along(line), self.poses[name], i) for name, line in bars]
            points += [_along(self._ends(spring, i)) for spring in self.scene["springs"]]
            dots = [(name, centre) for name, body in shown for centre, radius in body.balls if not radius]
            points += [placed(at, self.poses[name], i) + s * self.dot * np.eye(3) for name, at in dots for s in (-1, 1)]
        return np.vstack([np.zeros((0, 3)), *points])

    def machine(self, samples: Sequence[int]) -> float:
        """Largest extent of the moving bodies at the samples (m)."""
        return max(float(np.max(np.ptp(cloud, axis=0))) if len(cloud := self.cloud(i)) else 0.0 for i in samples)

    @property
    def dot(self) -> float:
        """Radius of points (m)."""
        return 0.018 * self.size

    @property
    def has_corners(self) -> bool:
        """Whether it has anything visible other than balls."""
        return any(o.lines or o.faces or o.edges for name, o in self.outlines.items() if name != "ground")

    @property
    def colours(self) -> dict[str, str]:
        """Colours of the bodies."""
        moving = [name for name in self.outlines if name != "ground"]
        if len(moving) <= len(COLOURS):
            return {"ground": QUIET} | dict(zip(moving, COLOURS, strict=False))
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        shades = colormaps["viridis"](np.linspace(0.0, 0.88, len(moving)))
        return {"ground": QUIET} | {name: to_hex(shade) for name, shade in zip(moving, shades, strict=True)}

    def _body(
        self, canvas: Canvas, body: Outline, where: tuple[Pose, int], look: tuple[str, float], order: float
    ) -> None:
        """One body in one pose; `look` is colour and opacity."""
        colour, alpha = look
        bar = float(np.clip(6.0 - 0.12 * len(self.outlines), 2.0, 5.5))  # points
        for face in body.faces:
            canvas.face(placed(face, *where), colour, alpha, order)
        for edge in body.edges:
            canvas.line(placed(edge, *where), color=colour, linewidth=1.0, alpha=alpha, zorder=order)
        for line in body.lines:
            thin = bar * (0.5 if body.faces else 1.0)
            canvas.line(placed(line, *where), color=colour, linewidth=thin, alpha=alpha, zorder=order)
        for centre, radius in body.balls:
            canvas.ball(placed(centre, *where), radius or self.dot, colour, alpha, order + 0.01)
        for point in placed(body.joints, *where):
            canvas.pin(point, alpha, order + 0.6)


def _along(line: Points) -> Points:
    """Points between the first and the last of a bar."""
    between: Points = line[0] + np.linspace(0.0, 1.0, 12)[:, None] * (line[-1] - line[0])
    return between


def placed(points: Points, pose: Pose, i: int) -> Points:
    """Points of a body (n, 3) in ground axes at a sample."""
    out: Points = pose[0][i] + points @ pose[1][i].T
    return out
