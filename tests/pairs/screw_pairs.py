"""Pairs of screws laid out as in [Meijaard 2024, Eq. 1], for every row of Table 1, in random poses."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, pi

import numpy as np

from trundle.space.chain import Screw
from trundle.space.rotation import axis_vector

Random = np.random.Generator


@dataclass(frozen=True)
class Layout:
    """Pitches (m/rad), angle and distance of the axes, and the point: r from the second axis, s along it, turned by
    theta.
    """

    p_1: float
    p_2: float
    alpha: float = 0.0
    a: float = 0.0
    r: float = 0.0
    s: float = 0.0
    theta: float = 0.0

    def screws(self) -> tuple[Screw, Screw, np.ndarray]:
        c, d = np.cos(self.alpha), np.sin(self.alpha)
        tilt = np.array([[1, 0, 0], [0, c, -d], [0, d, c]])
        local = np.array([-self.r * np.sin(self.theta), self.r * np.cos(self.theta), self.s])
        foot = np.array([self.a, 0.0, 0.0])
        return Screw("z", self.p_1), Screw(tilt[:, 2], self.p_2, tuple(foot)), foot + tilt @ local

    def placed(self, rng: Random) -> tuple[Screw, Screw, np.ndarray]:
        """In a random pose, with axes that may point the other way and are given at any of their points."""
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        Q[:, 0] *= np.linalg.det(Q)
        t = 2 * rng.normal(size=3)
        first, second, point = self.screws()
        moved = []
        for screw in (first, second):
            axis = axis_vector(screw.axis)
            at = Q @ (np.array(screw.at) + rng.normal() * axis) + t
            moved.append(Screw(rng.choice([-1, 1]) * Q @ axis, screw.pitch, tuple(at)))
        return moved[0], moved[1], Q @ point + t

    def changed(self, name: str, by: float) -> "Layout":
        return replace(self, **{name: getattr(self, name) + by})


def _between(rng: Random, low: float, high: float) -> float:
    return float(rng.choice([-1.0, 1.0]) * rng.uniform(low, high))


def _tangent(rng: Random, p_2: float, r: float, s: float) -> Layout:
    alpha, a = _between(rng, 0.3, 1.3), rng.uniform(0.5, 1.5)
    return Layout(-a / np.tan(alpha), p_2, alpha, a, r * a, s, rng.uniform(-3, 3))


Family = Callable[[Random], Layout]

# Surface, a family of layouts that sweep it, and the sizes on which that depends: a change of any spoils it.
FAMILIES: tuple[tuple[str, str, str, Family, tuple[str, ...]], ...] = (
    ("Prismatic", "Prismatic", "Plane",
     lambda g: Layout(inf, inf, g.uniform(0.2, 3), g.normal(), 0.3, g.normal()), ()),
    ("Prismatic", "Revolute", "Cylinder",
     lambda g: Layout(inf, 0.0, g.choice([0, pi]), g.normal(), g.uniform(0.2, 1), g.normal(), g.normal()),
     ("alpha",)),
    ("Prismatic", "Revolute", "Plane",
     lambda g: Layout(inf, 0.0, pi / 2, g.normal(), g.uniform(0.2, 1), g.normal(), g.normal()), ("alpha", "p_2")),
    ("Prismatic", "Screw", "Cylinder",
     lambda g: Layout(inf, _between(g, 0.2, 1), 0.0, g.normal(), g.uniform(0.2, 1), g.normal(), g.normal()),
     ("alpha",)),
    ("Revolute", "Prismatic", "Cylinder",
     lambda g: Layout(0.0, inf, 0.0, _between(g, 0.2, 1), 0.0, g.normal()), ("alpha",)),
    ("Revolute", "Prismatic", "Plane",
     lambda g: Layout(0.0, inf, pi / 2, _between(g, 0.2, 1), 0.0, g.normal()), ("alpha", "p_1")),
    ("Revolute", "Prismatic", "Cone",
     lambda g: Layout(0.0, inf, _between(g, 0.2, 1.3), 0.0, 0.0, _between(g, 0.3, 1)), ("a", "p_1")),
    ("Revolute", "Revolute", "Plane",
     lambda g: Layout(0.0, 0.0, 0.0, _between(g, 0.3, 1), g.uniform(0.2, 1), g.normal(), g.normal()),
     ("alpha", "p_1", "p_2")),
    ("Revolute", "Revolute", "Sphere",
     lambda g: Layout(0.0, 0.0, _between(g, 0.2, 1.3), 0.0, g.uniform(0.2, 1), g.normal(), g.normal()),
     ("a", "p_1", "p_2")),
    ("Revolute", "Revolute", "Torus",
     lambda g: Layout(0.0, 0.0, pi / 2, g.uniform(1.0, 2), g.uniform(0.1, 0.9), 0.0, g.normal()),
     ("alpha", "s", "p_1", "p_2")),
    ("Revolute", "Screw", "Cylinder",
     lambda g: Layout(0.0, _between(g, 0.2, 1), 0.0, 0.0, g.uniform(0.2, 1), g.normal(), g.normal()), ("alpha", "a")),
    ("Screw", "Prismatic", "Cylinder",
     lambda g: Layout(_between(g, 0.2, 1), inf, 0.0, _between(g, 0.2, 1), 0.0, g.normal()), ("alpha",)),
    ("Screw", "Prismatic", "TangentSurface",
     lambda g: _tangent(g, inf, 0.0, _between(g, 0.3, 1)), ("alpha", "a", "p_1")),
    ("Screw", "Revolute", "Cylinder",
     lambda g: Layout(_between(g, 0.2, 1), 0.0, 0.0, 0.0, g.uniform(0.2, 1), g.normal(), g.normal()), ("alpha", "a")),
    ("Screw", "Revolute", "SpiralColumn",
     lambda g: _tangent(g, 0.0, g.uniform(0.1, 0.9), 0.0), ("alpha", "a", "p_1", "p_2", "s")),
    ("Screw", "Screw", "Cylinder",
     lambda g: Layout(g.uniform(0.5, 1), _between(g, 0.1, 0.4), 0.0, 0.0, g.uniform(0.2, 1), g.normal(), g.normal()),
     ("alpha", "a")),
)  # fmt: skip
