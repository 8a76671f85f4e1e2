"""A cylinder that rides on a spiral column [Meijaard 2024, Sec. 3.1, Figs. 5 to 7]."""

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from trundle.file.read import ModelFile, RunSettings
from trundle.model.model import Model
from trundle.model.shape import Rod
from trundle.pairs.higher import HigherPair
from trundle.pairs.lower import Prismatic
from trundle.pairs.surface import Cylinder, SpiralColumn

# Axes of the column (y along its axis) in the ground: y along x, and the helix begins at y = -radius.
ALONG_X = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])


def spiral_column(
    tube: float = 0.5 * math.sqrt(2.0),
    radius: float = 0.2 * math.sqrt(2.0),
    parameters: Mapping[str, float] | None = None,
) -> ModelFile:
    """A spiral column slides along its axis under a cylinder across it; in the trough the contact runs fast.

    The helix has the radius 1 and the pitch 1 about the x axis, the tube around it the radius `tube`; the cylinder of
    the given radius is parallel to y, stays at x = 0.7 and moves along z.
    system.trace("column.displacement", 6) gives the figure of the paper.
    """
    model = Model("cylinder on a spiral column")
    model.parameter("speed", (parameters or {}).get("speed", 6.0), "m/s", "start speed of the column")
    helix = [(angle, -math.cos(angle), -math.sin(angle)) for angle in np.linspace(-2.5 * math.pi, 0.5 * math.pi, 61)]
    coil = tuple(Rod(a, b) for a, b in pairwise(helix))
    column = model.body("column", mass=2.0, inertia=(1.0, 1.0, 1.0), shape=coil)
    cylinder = model.body("cylinder", mass=1.0, inertia=(0.1, 0.1, 0.1), shape=Rod((0, -1.5, 0), (0, 1.5, 0)))
    model.connect(Prismatic("x"), model.ground, column)
    model.connect(Prismatic("z"), model.ground.at(0.7, 0.0), cylinder)
    pair = HigherPair(SpiralColumn(radius=1.0, pitch=1.0, tube=tube), Cylinder(radius))
    model.connect(pair, column.frame(rotation=ALONG_X), cylinder, name="contact")
    model.start["column.displacement"] = 0.0
    model.start["cylinder.displacement"] = 0.7
    model.start["column.displacement_rate"] = model.parameters["speed"].value
    return ModelFile(model, run=RunSettings(duration=2.0, plot=("column.displacement", "cylinder.displacement")))
