"""Surfaces, lines and marks in space, in parallel projection, drawn from back to front on 2-D axes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.typing import ColorType
from numpy.typing import ArrayLike

from trundle.typing import Flags, Look, Untyped
from trundle.view.outline import Points
from trundle.view.style import INK, QUIET

T = TypeVar("T")
BEHIND = 0.22  # opacity of lines where a surface hides them
INNER = 0.02  # by which inner sides are set back, in sizes, so that they do not shine through near the outline


@final
@dataclass(frozen=True)
class Camera:
    """Direction from which the scene is seen, in degrees above the xy plane and about z; z is up in the picture."""

    elevation: float = 22.0
    azimuth: float = -58.0

    @property
    def axes(self) -> Points:
        """Unit vectors (3, 3): to the right, up, and towards the eye."""
        e, a = np.radians([self.elevation, self.azimuth])
        eye = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        return np.array([right, np.cross(eye, right), eye])

    def see(self, points: ArrayLike) -> Points:
        """Points (..., 3) as picture coordinates and nearness."""
        seen: Points = np.asarray(points) @ self.axes.T
        return seen


@final
@dataclass(eq=False)
class Scene3D:
    """Objects to draw, sorted by their distance from the viewer."""

    camera: Camera
    _polygons: list[Points] = field(default_factory=list)
    _depths: list[float] = field(default_factory=list)
    _faces: list[ColorType] = field(default_factory=list)
    _edges: list[ColorType] = field(default_factory=list)
    _widths: list[float] = field(default_factory=list)
    _over: list[tuple[Points, Look]] = field(default_factory=list)
    _arrows: list[tuple[Points, Points, Look]] = field(default_factory=list)
    _dots: list[tuple[Points, Look]] = field(default_factory=list)
    _labels: list[tuple[Points, Points, str, str]] = field(default_factory=list)

    def mesh(self, points: Points, normals: Points, colour: str, stride: int = 8, cut: bool = False) -> None:
        """A surface given on a grid (n, m, 3), shaded by its outward normals, darker if seen from inside the material;
        every stride-th grid line is drawn. `cut` omits faces seen from inside the material, to show a hollow.
        """
        corners = [points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]]
        quads = np.stack(corners, axis=2).reshape(-1, 4, 3)
        n = sum(normals[i : i + points.shape[0] - 1, j : j + points.shape[1] - 1] for i in (0, 1) for j in (0, 1))
        n = np.reshape(n, (-1, 3))
        n = n / np.maximum(np.linalg.norm(n, axis=-1, keepdims=True), 1e-12)
        right, up, eye = self.camera.axes
        facing = n @ eye
        light = (-0.35 * right + 0.75 * up + 0.55 * eye) / np.linalg.norm([0.35, 0.75, 0.55])
        bright = 0.62 + 0.38 * np.clip(np.sign(facing) * (n @ light), -0.35, 1.0)
        tint = np.array(to_rgb(colour))
        inner = 0.45 * tint + 0.55 * np.array(to_rgb(QUIET))
        shade = np.clip(np.where(facing[:, None] >= 0, tint, inner) * bright[:, None] * 1.12, 0, 1)
        seen = self.camera.see(quads)
        depths = np.mean(seen[..., 2], axis=-1)
        depths[facing < 0] -= INNER * float(np.ptp(points.reshape(-1, 3), axis=0).max())
        for i in np.flatnonzero(facing >= (0.0 if cut else -2.0)):
            paint = tuple(shade[i])
            self._add(seen[i], float(depths[i]), paint, paint, 0.35)
        shown = (normals @ eye >= 0) | (not cut)
        for grid, visible in ((points, shown), (np.swapaxes(points, 0, 1), shown.T)):
            for row, here in zip(grid[::stride], visible[::stride], strict=True):
                self.line(row, tuple(0.62 * tint), 0.35, lift=0.012, ghost=False, shown=here)

    def line(
        self,
        points: Points,
        colour: ColorType,
        width: float,
        lift: float = 0.0,
        ghost: bool = True,
        shown: Flags | None = None,
    ) -> None:
        """A polyline; hidden parts are drawn faintly if `ghost`. `lift` moves it towards the viewer, relative to its
        length; `shown` is a mask of the points that are drawn.
        """
        seen = self.camera.see(points)
        raise_by = lift * float(np.ptp(seen[:, :2], axis=0).max(initial=0.0))
        drawn = np.ones(len(seen), dtype=bool) if shown is None else shown
        for i in np.flatnonzero(drawn[:-1] & drawn[1:]):
            self._add(seen[i : i + 2], float(np.mean(seen[i : i + 2, 2])) + raise_by, "none", colour, width)
        if ghost:
            self._over.append((seen, {"color": colour, "linewidth": width, "alpha": BEHIND}))

    def _add(self, polygon: Points, depth: float, face: ColorType, edge: ColorType, width: float) -> None:
        self._polygons.append(polygon[:, :2])
        self._depths.append(depth)
        self._faces.append(to_rgba(face))
        self._edges.append(to_rgba(edge))
        self._widths.append(width)

    def arrow(self, start: Points, end: Points, colour: str, width: float = 1.8, head: float = 9.0) -> None:
        """An arrow in front of everything."""
        look = {
            "arrowstyle": "-|>",
            "color": colour,
            "linewidth": width,
            "mutation_scale": head,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        self._arrows.append((self.camera.see(start), self.camera.see(end), look))

    def face(self, points: Points, colour: str) -> None:
        """A filled polygon."""
        seen = self.camera.see(points)
        self._add(seen, float(np.mean(seen[:, 2])), (*to_rgb(colour), 0.45), "none", 0.0)

    def dot(self, point: Points, colour: str = INK, size: float = 5.0) -> None:
        """A point in front of everything."""
        look = {"markerfacecolor": colour, "markeredgecolor": "white", "markeredgewidth": 0.8, "markersize": size}
        self._dots.append((self.camera.see(point), look))

    def label(self, point: Points, text: str, colour: str, away: Points) -> None:
        """Text next to a point, on the side away from another one."""
        self._labels.append((self.camera.see(point), self.camera.see(away), text, colour))

    def clearance(self, points: Points) -> Points:
        """Distances in the picture of points (n, 3) from all faces and lines so far; those from labels count half."""
        from scipy.spatial import KDTree

        seen = self.camera.see(points)[:, :2]
        near: Points = KDTree(np.vstack(self._polygons)).query(seen)[0]
        for label in self._labels:
            near = np.minimum(near, 0.5 * np.linalg.norm(seen - label[0][:2], axis=-1))
        return near

    def extent(self) -> tuple[float, float]:
        """Width and height of all that is drawn, in m."""
        wide, high = np.ptp(self._corners(), axis=0)
        return float(wide), float(high)

    def _corners(self) -> Points:
        return np.vstack([*self._polygons, *(p[None, :2] for a in self._arrows for p in a[:2])])

    def paint(self, axes: Axes, font: float = 9.0) -> None:
        """Draw everything and fit the axes to it."""
        order = np.argsort(self._depths, kind="stable")

        def pick(items: Sequence[T]) -> list[T]:
            return [items[i] for i in order]

        everything = PolyCollection(pick(self._polygons), closed=False, zorder=2, capstyle="round")
        faces: Untyped = np.array(pick(self._faces))  # as arrays they are checked at once, not one by one
        edges: Untyped = np.array(pick(self._edges))
        everything.set_facecolor(faces)
        everything.set_edgecolor(edges)
        everything.set_linewidth(pick(self._widths))
        axes.add_collection(everything)
        for seen, look in self._over:
            axes.plot(*seen[:, :2].T, zorder=3, **look)
        for start, end, look in self._arrows:
            axes.annotate("", tuple(end[:2]), tuple(start[:2]), arrowprops=look, zorder=4, annotation_clip=False)
        for point, look in self._dots:
            axes.plot(*point[:2], "o", zorder=5, **look)
        self._fit(axes)
        self._write(axes, font)

    def _fit(self, axes: Axes) -> None:
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_axis_off()
        axes.margins(x=0.15, y=0.09)
        axes.update_datalim(self._corners())
        axes.autoscale_view()

    def _write(self, axes: Axes, font: float) -> None:
        for point, away, text, colour in self._labels:
            way = point[:2] - away[:2]
            way = way / max(float(np.linalg.norm(way)), 1e-12)
            note = axes.annotate(
                text, (point[0], point[1]), (7 * way[0], 7 * way[1]), textcoords="offset points", annotation_clip=False
            )
            note.set(color=colour, fontsize=font, zorder=6)
            note.set(ha=_side(way[0], ("right", "center", "left")), va=_side(way[1], ("top", "center", "bottom")))


def _side(component: float, choices: Sequence[str]) -> str:
    return choices[0] if component < -0.4 else choices[2] if component > 0.4 else choices[1]
