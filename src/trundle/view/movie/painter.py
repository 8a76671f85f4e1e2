"""Rendering of one scene at one time into an array of pixels."""

from collections.abc import Iterator
from ctypes import CFUNCTYPE, c_void_p
from functools import cache
from typing import Final, final

import numpy as np

from trundle.kernel.compiled import address
from trundle.typing import AnyArray, Array, Integers
from trundle.view.contact_states import COLOUR_OF_STATE
from trundle.view.movie.camera import Eye
from trundle.view.movie.fill_modes import GLASS, SHADOW, SOLID
from trundle.view.scene.mesh import Mesh, axes_along, coil, cylinder, revolved, sphere
from trundle.view.scene.scene import Colour, Scene

FINE: Final = 2  # pixels along each side that are averaged into one
SKY: Final = np.array([0.968, 0.976, 0.984])
LINE: Final = np.array([0.667, 0.698, 0.741])
LIGHT: Final = np.array([0.12, -0.34, 0.93]) / np.linalg.norm([0.12, -0.34, 0.93])  # towards it, as on the page
USUAL: Final = frozenset({"bodies", "surfaces", "joints", "springs", "track", "floor", "shadows"})
EXTRA: Final = frozenset({"contacts", "contact forces", "reactions", "frames"})  # on request


@cache
def _solids() -> dict[str, Mesh]:
    return {
        "coil": coil(),
        "dot": sphere(1.0),
        "shaft": cylinder(1.0, 1.0).moved(np.eye(3), (0.0, 0.0, 0.5)),
        "head": revolved([(0, 0), (1, 0), (0, 1)], count=16),
    }


@final
class Painter:
    """A canvas of `width` by `height` pixels, seen by an eye."""

    def __init__(self, width: int, height: int, eye: Eye) -> None:
        self.wide, self.high, self.eye = FINE * width, FINE * height, eye
        self.nearness = np.zeros(self.wide * self.high)
        self.image = np.empty((self.wide * self.high, 3))
        self.image[:] = SKY
        self.mask = np.zeros(self.wide * self.high)
        self._part = CFUNCTYPE(None, c_void_p)(address("fill_triangles", "trundle.view.movie.fill"))

    def add(self, mesh: Mesh, R: Array, p: Array, colour: Colour, opacity: float = 1.0, hollow: bool = False) -> None:
        """A mesh in a pose (R may stretch it)."""
        vertices = mesh.vertices @ R.T + p
        normals = mesh.normals @ (R / np.maximum(np.linalg.norm(R, axis=0), 1e-300)).T
        toward = self.eye.target + self.eye.distance * self.eye.axes[2] - vertices
        facing = np.einsum("ij,ij->i", normals, toward)
        triangles = mesh.triangles
        if hollow:
            triangles = triangles[facing[triangles].sum(axis=1) > 0]
        n = np.where(facing[:, None] < 0, -normals, normals)
        ahead = np.abs(facing) / np.maximum(np.linalg.norm(toward, axis=1), 1e-300)
        bright = 0.50 + 0.10 * n[:, 2] + 0.14 * ahead + 0.36 * np.maximum(n @ LIGHT, 0.0)
        shades = np.clip(np.array(colour) * (bright * (1 - 0.42 * mesh.stripes))[:, None], 0, 1)
        self._fill(vertices, shades, triangles, SOLID if opacity >= 1 else GLASS, opacity)

    def add_shadow(self, mesh: Mesh, R: Array, p: Array, floor: float) -> None:
        """The shadow of a mesh on the floor; must be painted before everything else."""
        vertices = mesh.vertices @ R.T + p
        vertices -= np.maximum(vertices[:, 2:] - floor, 0.0) / LIGHT[2] * LIGHT
        vertices[:, 2] = floor
        self._fill(vertices, vertices, mesh.triangles, SHADOW, 0.82)

    def _fill(self, vertices: Array, shades: Array, triangles: Integers, mode: int, opacity: float) -> None:
        places = np.ascontiguousarray(self.eye.see(vertices, self.wide, self.high))
        shades = np.ascontiguousarray(shades, dtype=float)
        corners = np.ascontiguousarray(triangles, dtype=np.int64)
        strength = np.array([opacity])
        table = np.array(
            [
                places.ctypes.data, shades.ctypes.data, corners.ctypes.data, len(corners), self.wide, self.high,
                self.nearness.ctypes.data, self.image.ctypes.data, self.mask.ctypes.data, mode, strength.ctypes.data,
            ],
            dtype=np.int64,
        )  # fmt: skip
        self._part(table.ctypes.data)

    def floor(self, height: float) -> None:
        """A level grid that fades away from the target; it hides nothing."""
        eye = self.eye
        spacing = 10.0 ** round(np.log10(eye.distance / 5))
        start = eye.target + eye.distance * eye.axes[2]
        single = [height, spacing, 9 * eye.distance, eye.scale(self.wide, self.high)]
        numbers = np.concatenate([LINE, SKY, start, eye.axes.ravel(), eye.target, single])
        self._run("paint_floor", numbers, numbers)

    def pixels(self) -> AnyArray:
        """The picture (height, width, 3), bytes."""
        coarse = np.empty((self.high // FINE, self.wide // FINE, 3))
        self._run("average", coarse, coarse)
        return (255 * np.clip(coarse, 0, 1) + 0.5).astype(np.uint8)

    def _run(self, part: str, numbers: Array, coarse: Array) -> None:
        addresses = [self.image.ctypes.data, numbers.ctypes.data, coarse.ctypes.data]
        table = np.array([self.wide, self.high, *addresses, FINE], dtype=np.int64)
        CFUNCTYPE(None, c_void_p)(address(part, "trundle.view.movie.floor"))(table.ctypes.data)


Thing = tuple[Mesh, Array, Array, Colour, float, bool, bool]  # mesh, R, p, colour, opacity, hollow, shadow


def things(scene: Scene, t: float, layers: frozenset[str]) -> Iterator[Thing]:
    """Everything to paint at a time."""
    p, R = scene.poses(t)
    solids = _solids()
    for item in scene.items:
        if item.layer in layers:
            stretch = 0.14 * scene.detail if item.layer == "frames" else 1.0
            yield item.mesh, stretch * R[item.body], p[item.body], item.colour, item.opacity, item.hollow, item.shadow
    for spring in scene.springs if "springs" in layers else ():
        foot, tip = p[spring.a] + R[spring.a] @ spring.pa, p[spring.b] + R[spring.b] @ spring.pb
        length = float(np.linalg.norm(tip - foot))
        if length > 0:
            turn = axes_along(tip - foot) * (spring.radius, spring.radius, length)
            yield solids["coil"], turn, foot, (0.42, 0.45, 0.5), 1.0, False, True
    i = scene.frame_before(t)
    for contact in scene.contacts if "contacts" in layers else ():
        state = int(contact.states[i]) if len(contact.states) else 2
        if state and np.all(np.isfinite(contact.points[i])):
            yield (
                solids["dot"],
                0.024 * scene.detail * np.eye(3),
                contact.points[i],
                COLOUR_OF_STATE[state],
                1.0,
                False,
                False,
            )
    for arrow in scene.arrows:
        length = 0.55 * scene.size * float(np.linalg.norm(arrow.vectors[i])) / (scene.longest[arrow.layer] or 1.0)
        if arrow.layer in layers and length > 1e-6 * scene.size:
            r = 0.012 * scene.size
            turn, head = axes_along(arrow.vectors[i]), min(length, 5 * r)
            neck = arrow.points[i] + (length - head) * turn[:, 2]
            yield solids["shaft"], turn * (r, r, length - head), arrow.points[i], arrow.colour, 1.0, False, False
            yield solids["head"], turn * (2.4 * r, 2.4 * r, head), neck, arrow.colour, 1.0, False, False


def paint(scene: Scene, t: float, eye: Eye, width: int, height: int, layers: frozenset[str] = USUAL) -> AnyArray:
    """The scene at a time (s) as pixels (height, width, 3)."""
    painter = Painter(width, height, eye)
    drawn = list(things(scene, t, layers))
    if "floor" in layers and scene.floor is not None:
        painter.floor(scene.floor)
        if "shadows" in layers:
            for mesh, R, p, _, opacity, _, shadow in drawn:
                if shadow and opacity >= 1:
                    painter.add_shadow(mesh, R, p, scene.floor)
    for mesh, R, p, colour, opacity, hollow, _ in sorted(drawn, key=lambda thing: thing[4] < 1):
        painter.add(mesh, R, p, colour, opacity, hollow)
    return painter.pixels()
