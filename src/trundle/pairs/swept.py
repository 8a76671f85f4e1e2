"""Any surface swept by two screws. Its normal is not carried by the screws, so only a vertex can touch it exactly
[Meijaard 2024, Sec. 2.3].
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.pairs.numeric import NumericSweep, read_screw
from trundle.pairs.surface import Surface
from trundle.pairs.sweep import Sweep, upright
from trundle.space.chain import Screw
from trundle.space.pose import Pose
from trundle.typing import Array, Value


@final
@dataclass(frozen=True)
class SweptSurface(Surface):
    """The surface on which `first`, then `second` move the point `at` (m): a helicoid, a skew hyperboloid, ...

    Its outer side is that of the cross product of the tangents along the first and the second screw; inside=True is the
    other side.
    """

    carried: ClassVar[bool] = False
    by_name: ClassVar[bool] = False

    first: Screw
    second: Screw
    at: tuple[float, float, float]
    inside: bool = False

    def __post_init__(self) -> None:
        for screw in (self.first, self.second):
            if not isinstance(screw, Screw):
                raise ModelError(f"SweptSurface is swept by two tr.Screw, got {screw!r}.")
        if self.first.name == self.second.name:
            raise ModelError(f"SweptSurface: both screws are named {self.first.name!r}; give them different names.")
        patch = self.numbers().at(0.0, 0.0)
        tangents = (patch.x_a, patch.x_b)
        area = float(np.linalg.norm(np.cross(*tangents)))
        if area < 1e-9 * float(np.prod([np.linalg.norm(t) for t in tangents])) or area == 0.0:
            raise ModelError(
                "SweptSurface: both screws move the point along the same line, or one does not move it at all: there "
                "is not a surface at this point. Take another point."
            )

    def numbers(self) -> NumericSweep:
        first, second = (read_screw(s, "SweptSurface") for s in (self.first, self.second))
        return NumericSweep(first, second, np.array(self.at, dtype=float), np.array([0.0, 0.0, 1.0]))

    def sweep(self) -> Sweep:
        patch = self.numbers().at(0.0, 0.0)
        side = -1.0 if self.inside else 1.0
        contact = Pose.at(self.at, upright(side * np.cross(patch.x_a, patch.x_b), patch.x_a))
        return Sweep(self.first, self.second, contact, carried=False)

    def normal(self, a: ArrayLike, b: ArrayLike) -> Array:
        n = np.cross(*self.tangents(a, b)) * (-1.0 if self.inside else 1.0)
        result: Array = n / np.linalg.norm(n, axis=-1, keepdims=True)
        return result

    def curvatures(self, a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
        raise ModelError(
            "the curvatures of a SweptSurface are not known; they are for the seven surfaces and the edges."
        )

    def closest(self, point: ArrayLike) -> tuple[Value, Value, Value]:
        raise ModelError("closest() is for the seven surfaces and the edges, not for a SweptSurface.")
