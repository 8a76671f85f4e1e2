"""A ball that lies on the tangent surface of a helix [Meijaard 2024, Sec. 3.1, Figs. 8 and 9]."""

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from trundle.errors import UnknownNameError
from trundle.file.read import ModelFile, RunSettings
from trundle.model.model import Model
from trundle.model.shape import Ball, Rod
from trundle.pairs.higher import HigherPair
from trundle.pairs.lower import Prismatic, Revolute
from trundle.pairs.surface import Sphere, TangentSurface

# Axes of the surface (y along its axis) in the ground: y along z, and the helix begins on the x axis.
ALONG_Z = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
CENTRE = (1.0, 1.5, 2.5)  # m, of the ball at the start


def sphere_on_tangent_surface(moves: str = "z", parameters: Mapping[str, float] | None = None) -> ModelFile:
    """The tangent surface of a helix turns about its axis under a ball that moves along z (or y) in proportion.

    The helix has the radius a = 1 and the pitch p = 1 about the z axis. A ball that is led along z moves by -p times
    the angle, one that is led along y (moves="y") by +a times the angle: exactly.
    """
    if moves not in ("y", "z"):
        raise UnknownNameError(moves, ("y", "z"), "direction for the ball")
    model = Model(f"ball on a tangent surface, led along {moves}")
    model.parameter("speed", (parameters or {}).get("speed", 0.5), "rad/s", "start speed of the surface")
    turns = np.linspace(-0.5 * math.pi, math.pi, 31)
    helix = [(math.cos(a), math.sin(a), float(a)) for a in turns]
    surface = model.body(
        "surface", mass=3.0, inertia=(2.0, 2.0, 2.0), shape=tuple(Rod(a, b) for a, b in pairwise(helix))
    )
    ball = model.body("ball", mass=1.0, inertia=(0.2, 0.2, 0.2), shape=Ball(0.5 * math.sqrt(2.0)))
    model.connect(Revolute("z"), model.ground, surface)
    model.connect(Prismatic(moves), model.ground.at(*CENTRE), ball)
    # The ball lies on the upper side, 2 sqrt(2) along the tangent from the helix.
    sheet = TangentSurface(radius=1.0, pitch=1.0, reach=2.0 * math.sqrt(2.0), inside=True)
    pair = HigherPair(sheet, Sphere(0.5 * math.sqrt(2.0)))
    model.connect(pair, surface.frame(rotation=ALONG_Z), ball, name="contact")
    model.start |= {
        "surface.angle": 0.0,
        "ball.displacement": 0.0,
        "surface.angle_rate": model.parameters["speed"].value,
    }
    return ModelFile(model, run=RunSettings(duration=1.0, plot=("surface.angle", "ball.displacement")))
