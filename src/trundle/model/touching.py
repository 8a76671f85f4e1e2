"""Where the shapes of a body touch a plane."""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.errors import ModelError
from trundle.model.body import Frame
from trundle.model.flat_ends import check_feet
from trundle.pairs.higher import SurfacePair
from trundle.typing import Array


@final
@dataclass(frozen=True, eq=False)
class Touch:
    """A part of a shape that touches a plane: its name, the pair, and its place in the frame of the shape."""

    label: str
    pair: SurfacePair
    at: Array
    rotation: Array

    def frame(self, on: Frame) -> Frame:
        """The place on a body whose shape is seen in the frame `on`."""
        position = tuple(
            x + sum(float(r) * float(y) for r, y in zip(row, self.at, strict=True) if r)
            for x, row in zip(on.position, on.rotation, strict=True)
        )
        return Frame(on.body, position, on.rotation @ self.rotation)


def touches_of(name: str, frame: Frame, planar: bool, feet: int) -> list[Touch]:
    """All parts of the shapes of a body that touch a plane; in a plane of motion (x, z) only those in it. Flat ends
    stand on so many feet.
    """
    check_feet(name, feet)
    shapes = [shape for shape in frame.body.shape if not isinstance(shape, tuple)]
    if not shapes and frame.body.name == "ground":
        raise ModelError(f"contact {name!r}: the plane comes first, m.contact(m.ground, body), then what touches it.")
    if not shapes:
        raise ModelError(
            f"contact {name!r}: body {frame.body.name!r} has no shape to touch with. Give it one, "
            "m.body(..., shape=tr.shape.Box((0.2, 0.1, 0.1))), or name the points: m.connect_points(...)."
        )
    found: list[Touch] = []
    for k, shape in enumerate(shapes, start=1):
        prefix = f"{type(shape).__name__.lower()}_{k}_" if len(shapes) > 1 else ""
        parts = [*(shape.on_line() if planar else shape.on_plane(feet))]
        if not parts:
            raise ModelError(
                f"contact {name!r}: contact of a {type(shape).__name__} with a plane{' in a plane' if planar else ''} "
                "is not supported; boxes, balls, spheres, cylinders, discs, capsules and rods are. Connect its points, "
                "m.connect_points(...), or its surface, m.connect(tr.HigherPair(tr.Plane(), surface), ...)."
            )
        found += [Touch(prefix + label, pair, np.array(at, dtype=float), turn) for label, pair, at, turn in parts]
    return found
