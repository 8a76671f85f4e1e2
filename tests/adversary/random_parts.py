"""Parts of random mechanisms as plain data: bodies, laws, joints, contacts, gears, drives, ties and decks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

import trundle as tr

Array = np.ndarray[Any, np.dtype[np.float64]]
Number = Callable[[str, float], Any]  # a named number of the mechanism, or its parameter


@dataclass(frozen=True)
class Solid:
    name: str
    mass: float
    inertia: tuple[float, ...]  # about the mass centre: xx, yy, zz, xy, xz, yz
    com: tuple[float, float, float]


@dataclass(frozen=True)
class Law:
    """What acts along a coordinate; a, b and c are of the order of one."""

    kind: str  # "spring", "damper", "motor", "both"
    a: float
    b: float
    c: float

    def make(self, number: Number, name: str, on: Any) -> Any:
        a, b, c = (number(f"{name}_{letter}", getattr(self, letter)) for letter in "abc")
        if self.kind == "spring":
            return tr.Spring(on * 3 * a, on * 0.3 * b, 0.1 * c)
        if self.kind == "damper":
            return tr.Damper(on * 0.5 * a)
        if self.kind == "motor":
            return tr.Motor(lambda t, q, u: on * (a * tr.sin(b * t) - 0.2 * u))
        return tr.Spring(on * a) + tr.Damper(on * 0.1 * b)


@dataclass(frozen=True)
class Touch:
    """Two surfaces that touch: `under` (size of the first one) and the radius of the second one."""

    first: str
    second: str
    under: float
    radius: float
    law: Any

    def make(self, number: Number, name: str) -> tuple[Any, Any]:
        """The pair, and how high the second frame is above the first."""
        under, radius = number(f"{name}_under", self.under), number(f"{name}_radius", self.radius)
        firsts = {"Plane": tr.Plane(), "Sphere": tr.Sphere(under), "Cylinder": tr.Cylinder(under)}
        seconds = {
            "Sphere": tr.Sphere(radius),
            "Torus": tr.Torus(radius, 0.3 * radius),
            "CircleEdge": tr.CircleEdge(radius),
        }
        height = 0.0 if self.first == "Plane" else under
        return tr.HigherPair(firsts[self.first], seconds[self.second]), height + radius


@dataclass(frozen=True)
class Teeth:
    """Gears or a belt between two wheels, a rack, or a cam and its roller: `away` is the second frame from the first,
    in space, `R` its axes.
    """

    kind: str
    a: float
    b: float
    away: Array
    R: Array

    def make(self, number: Number, name: str) -> Any:
        a, b = (number(f"{name}_{letter}", getattr(self, letter)) for letter in "ab")
        if self.kind == "Gear":
            return tr.Gear(-a)
        if self.kind == "ring":
            return tr.Gear(0.4 * a / (1 + a))
        if self.kind == "BevelGear":
            return tr.BevelGear(-a, 0.1 * b)
        if self.kind == "Rack":
            return tr.RackAndPinion(0.1 * a)
        if self.kind in ("Belt", "crossed"):
            return tr.Belt(0.1 * a, 0.1 * b, crossed=self.kind == "crossed")
        height = float(np.linalg.norm(self.away))  # of the roller: the nose of the cam is up
        return tr.PlanarPair(
            tr.Cam(lambda angle: 0.7 * height - 0.05 * a * (1 - tr.cos(angle))), tr.Circle(0.3 * height)
        )


@dataclass(frozen=True)
class Drive:
    """A force on a body by a state with a rate of its own, an input, and a table of the state."""

    body: str
    force: Array
    rate: float
    values: tuple[float, ...]

    def make(self, m: tr.Model, number: Number, on: Any, body: tr.Body) -> None:
        rate = number("drive_rate", self.rate)
        curve = m.table("curve", tr.Table(np.linspace(-1, 1, len(self.values)), self.values, beyond="line"))
        gust = m.input("gust", 0.3)
        m.state("lag", lambda s: rate * (tr.sin(2 * s.t) + 0.2 * gust(s.t) - s["lag"]))
        x, y, z = (float(f) for f in self.force)
        m.apply(
            tr.Wrench(
                body, force=lambda s: (on * x * s["lag"], on * y * gust(s.t), on * z * curve(s["lag"])), axes="body"
            ),
            name="drive",
        )


@dataclass(frozen=True)
class Joint:
    """A connection at a point of space with axes R; that of a twin of another joint is counted from there."""

    name: str
    pair: Any
    first: str
    second: str
    at: Array
    R: Array
    laws: dict[str, Law] = field(default_factory=dict)
    touch: Touch | None = None
    teeth: Teeth | None = None
    compliance: Any = None
    twin_of: str = ""

    def place(self, number: Number, joints: dict[str, "Joint"]) -> list[Any]:
        """Where it is in space."""
        if self.twin_of:
            return [a + b for a, b in zip(joints[self.twin_of].place(number, joints), self.at, strict=True)]
        return [number(f"{self.name}_{axis}", float(p)) for axis, p in zip("xyz", self.at, strict=True)]

    def lift(self, number: Number) -> list[Any]:
        """Of the second frame above the first, in space."""
        if self.teeth is not None:
            return self.teeth.away.tolist()
        height = 0.0 if self.touch is None else self.touch.make(number, self.name)[1]
        return [float(r) * height for r in self.R[:, 2]]


@dataclass(frozen=True)
class Tie:
    """A spring between points of two bodies."""

    first: str
    second: str
    ends: tuple[Array, Array]
    stiffness: float
    damping: float
    length: float


@dataclass(frozen=True)
class Deck:
    """A frame that heaves and rolls, which carries everything in place of the ground, and coincides with it at t = 0.

    by_state: its angle is a state of the model, whose rate is given, and not a function of time.
    """

    heave: Array
    axis: Array
    roll: float
    pace: float
    by_state: bool

    def make(self, m: tr.Model, number: Number, Q: Array, d: Array) -> tr.Body:
        pace, roll = number("deck_pace", self.pace), number("deck_roll", self.roll)
        if self.by_state:
            m.state("swing", lambda s: pace * tr.cos(pace * s.t), unit="rad")
        x, y, z = (float(v) for v in self.axis)
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])

        def rotation(s: Any) -> Any:
            angle = roll * (s["swing"] if self.by_state else tr.sin(pace * s.t))
            return ca.SX(Q) @ (np.eye(3) + tr.sin(angle) * ca.SX(K) + (1 - tr.cos(angle)) * ca.SX(K @ K))

        def position(s: Any) -> Any:
            up = Q @ self.heave
            return tuple(float(a) + float(b) * tr.sin(pace * s.t) for a, b in zip(d, up, strict=True))

        return m.moving_frame("deck", position=position, rotation=rotation)
