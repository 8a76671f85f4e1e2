"""The camera of a movie."""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.typing import Array
from trundle.view.scene.scene import Scene

ASLANT = -1.01, 0.38  # azimuth and elevation (rad) when the motion is not in a plane
HALF = 0.3  # half the angle of view (rad)
HALF_SLOPE = float(np.tan(HALF))
ROOM = 1.1  # around a machine


@final
@dataclass(frozen=True, eq=False)
class Eye:
    """Looks at `target` (m) from azimuth and elevation (rad) at a distance (m)."""

    target: Array
    azimuth: float
    elevation: float
    distance: float

    @staticmethod
    def of(
        scene: Scene, t: float, azimuth: float | None, elevation: float | None, zoom: float, aspect: float = 1.6
    ) -> "Eye":
        """The same view as on the page, for a picture that is `aspect` times as wide as high: a travelling machine is
        followed, otherwise the box of the whole motion is shown.
        """
        usual = scene.planar or ASLANT
        target = scene.middle(t) if scene.travels else (scene.low + scene.high) / 2
        a = usual[0] if azimuth is None else azimuth
        e = usual[1] if elevation is None else elevation
        x, y, z = Eye(target, a, e, 1.0).axes @ scene.outline_points().T
        slopes = HALF_SLOPE * np.array([max(1.0, aspect), max(1.0, 1 / aspect)])  # of the rays at the sides
        far = float(np.max([np.abs(x) / slopes[0] + z, np.abs(y) / slopes[1] + z]))
        return Eye(target, a, e, ROOM * max(far, 1e-12) / zoom)

    @property
    def axes(self) -> Array:
        """Unit vectors (3, 3) to the right, up, and towards the eye."""
        ce, se, ca, sa = (f(x) for x in (self.elevation, self.azimuth) for f in (np.cos, np.sin))
        eye, right = np.array([ce * ca, ce * sa, se]), np.array([-sa, ca, 0.0])
        return np.array([right, np.cross(eye, right), eye])

    def scale(self, width: int, height: int) -> float:
        """Pixels for a unit slope of a ray."""
        return float(min(width, height) / 2 / np.tan(HALF))

    def see(self, points: Array, width: int, height: int) -> Array:
        """Points (n, 3) as positions in the picture and nearness (1 / depth), which is linear in it."""
        x, y, z = ((points - self.target) @ self.axes.T).T
        depth = self.distance - z
        near = np.where(depth > 0.01 * self.distance, 1.0 / np.maximum(depth, 1e-300), -1.0)
        f = self.scale(width, height)
        return np.column_stack([width / 2 + f * x * near, height / 2 - f * y * near, near])
