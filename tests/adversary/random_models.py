"""Random mechanisms as plain data, so that a twin can be made of each: re-posed, re-ordered, with its numbers as
parameters, as a file.

All body frames coincide with one frame in space where all coordinates are zero: a joint at a point of space is written
with the same point and axes on both bodies, and every loop is closed at zero. Contacts touch there too. A draw gives
other numbers to the same mechanism: masses, places, sizes, stiffnesses.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from tests.adversary.random_parts import Array, Deck, Drive, Joint, Law, Solid, Teeth, Tie, Touch

import trundle as tr

LOWER = ("Revolute", "Prismatic", "Helical", "Cylindrical", "Spherical", "Planar", "Universal", "Fixed", "Free")
SCALARS = {
    "Revolute": ("angle",),
    "Prismatic": ("displacement",),
    "Helical": ("angle",),
    "Cylindrical": ("angle", "displacement"),
    "Planar": ("x", "y", "angle"),
    "Universal": ("angle", "cross_angle"),
    "Free": ("x", "y", "z"),
}
KINDS = ("tree", "loop", "overconstrained", "compliant", "contact", "moving", "geared", "cam", "driven")
SIX = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class RandomModel:
    """Data of a mechanism; `make` builds the model."""

    seed: int
    kind: str
    solids: tuple[Solid, ...]
    joints: tuple[Joint, ...]
    ties: tuple[Tie, ...]
    push: tuple[str, Array] | None
    gravity: Array
    deck: Deck | None = None
    drive: Drive | None = None

    def make(
        self,
        rotation: Array | None = None,
        shift: Array | None = None,
        rng: np.random.Generator | None = None,
        named: bool = False,
        sizes: dict[str, float] | None = None,
    ) -> tr.Model:
        """The model; turned and shifted as a whole in space; with a generator, its parts in another order.

        named: its numbers are parameters, and a parameter "on" is a factor of all laws and forces.
        sizes: other numbers by name.
        """
        Q = np.eye(3) if rotation is None else rotation
        d = np.zeros(3) if shift is None else shift
        m = tr.Model(f"random {self.kind} {self.seed}", gravity=tuple(Q @ self.gravity))

        def number(name: str, value: float) -> Any:
            value = (sizes or {}).get(name, value)
            if not named:
                return value
            return m.parameters[name].symbol if name in m.parameters else m.parameter(name, value)

        on = number("on", 1.0)
        bodies = {"ground": m.ground if self.deck is None else self.deck.make(m, number, Q, d)}
        for solid in _shuffled(self.solids, rng):
            mass = number(f"{solid.name}_mass", solid.mass)
            inertia = tuple(number(f"{solid.name}_{i}", v) for i, v in zip(SIX, solid.inertia, strict=True))
            com = tuple(number(f"{solid.name}_{axis}", v) for axis, v in zip("xyz", solid.com, strict=True))
            bodies[solid.name] = m.body(solid.name, mass=mass, inertia=inertia, com=com)

        def place(body: str, p: Sequence[Any], R: Array) -> tr.Frame:
            if body == "ground" and self.deck is None:
                p = [sum(float(Q[i, j]) * p[j] for j in range(3)) + float(d[i]) for i in range(3)]
                R = Q @ R
            return bodies[body].frame(tuple(p), R)

        by_name = {joint.name: joint for joint in self.joints}
        for joint in _shuffled(self.joints, rng):
            at = joint.place(number, by_name)
            above = [p + up for p, up in zip(at, joint.lift(number), strict=True)]
            R2 = joint.R if joint.teeth is None else joint.teeth.R
            first, second = place(joint.first, at, joint.R), place(joint.second, above, R2)
            pair = joint.pair if joint.touch is None else joint.touch.make(number, joint.name)[0]
            pair = pair if joint.teeth is None else joint.teeth.make(number, joint.name)
            law: Any = {c: law.make(number, f"{joint.name}_{c}", on) for c, law in joint.laws.items()} or None
            if joint.touch is not None:
                law = joint.touch.law
            m.connect(pair, first, second, name=joint.name, law=law, compliance=joint.compliance)
        for i, tie in _shuffled(tuple(enumerate(self.ties)), rng):
            ends = [place(b, list(p), np.eye(3)) for b, p in zip((tie.first, tie.second), tie.ends, strict=True)]
            k, c, length = (number(f"tie{i}_{what}", getattr(tie, what)) for what in ("stiffness", "damping", "length"))
            m.apply(tr.SpringDamper(*ends, on * k, on * c, length), name=f"tie {i}")
        if self.push is not None:
            force = tuple(on * float(f) for f in self.push[1])
            m.apply(tr.Wrench(bodies[self.push[0]], force=force, axes="body"), name="push")
        if self.drive is not None:
            self.drive.make(m, number, on, bodies[self.drive.body])
        return m

    def draw(self, n: int) -> dict[str, float]:
        """Other numbers for the same mechanism, by name; draw 0 has its own."""
        rng = np.random.default_rng([self.seed, KINDS.index(self.kind), n])
        found = {name: p.value for name, p in self.make(named=True).parameters.items()}
        if n == 0:
            return found
        for solid in self.solids:
            other = _solid(rng, solid.name)
            found |= {f"{solid.name}_{i}": v for i, v in zip(SIX, other.inertia, strict=True)}
            found[f"{solid.name}_mass"] = other.mass
        for name, value in found.items():
            ending = name.rpartition("_")[2]
            if ending in ("x", "y", "z"):
                found[name] = value + 0.1 * float(rng.normal())
            elif name not in ("on", "gust") and ending not in (*SIX, "mass"):
                found[name] = value * float(np.exp(0.2 * rng.normal()))
        return found


def _shuffled(parts: Sequence[Any], rng: np.random.Generator | None) -> list[Any]:
    return list(parts) if rng is None else [parts[i] for i in rng.permutation(len(parts))]


def random_model(seed: int, kind: str) -> RandomModel:
    """A mechanism of two to five bodies; `kind` is one of KINDS."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    count = int(rng.integers(2, 6 if kind == "tree" else 5))
    if kind in ("geared", "cam"):
        count = int(rng.integers(1, 3))
    solids = tuple(_solid(rng, f"b{i}") for i in range(count))
    joints = [_tree_joint(rng, i, kind) for i in range(count)]
    closers = {
        "tree": list,
        "loop": lambda: [_closer(rng, count, n) for n in range(int(rng.integers(1, 3)))],
        "overconstrained": lambda: [_twin_of(rng, j) for j in joints if _twin_of(rng, j) is not None][:2],
        "compliant": lambda: [replace(_closer(rng, count, 0), compliance=tr.Spring(400.0, 4.0))],
        "contact": lambda: [_contact(rng, int(rng.integers(count)))],
        "moving": list,
        "geared": lambda: _gears(rng, count),
        "cam": lambda: _cam(rng, count),
        "driven": list,
    }[kind]()
    solids += tuple(_solid(rng, f"b{i}") for i in range(count, count + (2 if kind in ("geared", "cam") else 0)))
    ties = tuple(_tie(rng, count) for _ in range(int(rng.integers(0, 3))))
    push = (f"b{rng.integers(count)}", rng.normal(size=3)) if rng.random() < 0.5 else None
    made = RandomModel(seed, kind, solids, (*joints, *closers), ties, push, 9.81 * _direction(rng))
    if kind == "driven":
        made = replace(made, drive=_drive(rng, count))
    return replace(made, deck=_deck(rng)) if kind == "moving" else made


def _gears(rng: np.random.Generator, count: int) -> list[Joint]:
    """Two wheels, or a pinion and a rack, on one of the bodies or on the ground, with teeth between them."""
    carrier = str(rng.choice(["ground", *(f"b{i}" for i in range(count))]))
    first, second = f"b{count}", f"b{count + 1}"
    kind = str(rng.choice(["Gear", "ring", "Belt", "crossed", "Rack", "BevelGear"]))
    R, at = _turn(rng), 0.6 * rng.normal(size=3)
    a, b = (float(v) for v in rng.uniform(0.5, 1.5, size=2))
    away, R2 = float(rng.uniform(0.5, 1.0)) * R[:, 0], R
    if kind == "BevelGear":
        away, R2 = np.zeros(3), R @ Rotation.from_rotvec([float(rng.uniform(0.5, 2.5)), 0, 0]).as_matrix()
    if kind == "Rack":
        away = 0.5 * rng.normal(size=3)
    slide = kind == "Rack"
    turning = Joint("wheel", tr.Revolute("z"), carrier, first, at, R, laws=_laws(rng, "Revolute"))
    other = Joint("other", tr.Prismatic("x") if slide else tr.Revolute("z"), carrier, second, away, R2,
                  laws=_laws(rng, "Prismatic" if slide else "Revolute"), twin_of="wheel")  # fmt: skip
    teeth = Joint("teeth", None, first, second, np.zeros(3), R, teeth=Teeth(kind, a, b, away, R2), twin_of="wheel")
    return [turning, other, teeth]


def _cam(rng: np.random.Generator, count: int) -> list[Joint]:
    """A cam and the slide with the roller that it moves, on one of the bodies or on the ground."""
    carrier = str(rng.choice(["ground", *(f"b{i}" for i in range(count))]))
    R, at, height = _turn(rng), 0.6 * rng.normal(size=3), float(rng.uniform(0.4, 0.8))
    away, a = height * R[:, 2], float(rng.uniform(0.5, 1.5))
    turning = Joint("cam", tr.Revolute("y"), carrier, f"b{count}", at, R, laws=_laws(rng, "Revolute"))
    slide = Joint("slide", tr.Prismatic("z"), carrier, f"b{count + 1}", away, R, laws=_laws(rng, "Prismatic"),
                  twin_of="cam")  # fmt: skip
    roller = Joint("roller", None, f"b{count}", f"b{count + 1}", np.zeros(3), R, teeth=Teeth("Cam", a, 1.0, away, R),
                   twin_of="cam")  # fmt: skip
    return [turning, slide, roller]


def _drive(rng: np.random.Generator, count: int) -> Drive:
    return Drive(f"b{rng.integers(count)}", rng.normal(size=3), float(rng.uniform(0.5, 3.0)), tuple(rng.normal(size=7)))


def _deck(rng: np.random.Generator) -> Deck:
    roll, pace = (float(v) for v in rng.uniform((0.1, 1.0), (1.0, 4.0)))
    return Deck(0.3 * rng.normal(size=3), _direction(rng), roll, pace, by_state=bool(rng.random() < 0.5))


def _direction(rng: np.random.Generator) -> Array:
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def _turn(rng: np.random.Generator) -> Array:
    """Axes: half of them along the axes of space, where entries of matrices vanish, the others anywhere."""
    if rng.random() < 0.5:
        return np.asarray(Rotation.random(random_state=int(rng.integers(2**31))).as_matrix())
    quarter = Rotation.from_euler("xyz", 90 * rng.integers(0, 4, size=3), degrees=True)
    return np.asarray(np.round(quarter.as_matrix()))


def _solid(rng: np.random.Generator, name: str) -> Solid:
    """Inertia of a cloud of points: always possible."""
    mass = float(np.exp(rng.normal()))
    points = rng.normal(size=(6, 3)) * rng.uniform(0.1, 0.5, size=3)
    points -= points.mean(axis=0)
    I = mass / 6 * (np.sum(points**2) * np.eye(3) - points.T @ points)
    six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    x, y, z = (float(v) for v in 0.4 * rng.normal(size=3))
    return Solid(name, mass, tuple(map(float, six)), (x, y, z))


def _pair(rng: np.random.Generator, name: str) -> Any:
    if name == "Helical":
        return tr.Helical("z", pitch=float(rng.normal(scale=0.2)))
    return getattr(tr, name)() if name in ("Spherical", "Fixed", "Free") else getattr(tr, name)("z")


def _laws(rng: np.random.Generator, name: str) -> dict[str, Law]:
    laws: dict[str, Law] = {}
    for coordinate in SCALARS.get(name, ()):
        a, b, c = (float(v) for v in rng.uniform(0.1, 2.0, size=3))
        kind = ("", "spring", "damper", "motor", "both")[int(rng.integers(5))]
        if kind:
            laws[coordinate] = Law(kind, a, b, c)
    return laws


def _tree_joint(rng: np.random.Generator, i: int, kind: str) -> Joint:
    """Joint of body i to an earlier one or to the ground, with the two bodies in either order."""
    names = LOWER if kind == "tree" else tuple(n for n in LOWER if n != "Fixed")
    if kind == "overconstrained":
        names = ("Revolute", "Prismatic", "Planar", "Cylindrical")
    if kind == "contact":
        names = ("Free", "Spherical", "Revolute", "Universal", "Planar") if i else ("Free",)
    name = str(rng.choice(names))
    parent = "ground" if i == 0 or rng.random() < 0.3 else f"b{rng.integers(i)}"
    ends = (parent, f"b{i}") if rng.random() < 0.6 else (f"b{i}", parent)
    return Joint(f"j{i}", _pair(rng, name), *ends, 0.6 * rng.normal(size=3), _turn(rng), laws=_laws(rng, name))


def _closer(rng: np.random.Generator, count: int, n: int) -> Joint:
    """A pair between two parts that are joined already."""
    first, second = rng.choice(["ground", *(f"b{i}" for i in range(count))], size=2, replace=False)
    name = str(rng.choice(["Spherical", "Universal", "Cylindrical", "Planar", "Revolute"]))
    return Joint(f"c{n}", _pair(rng, name), str(first), str(second), 0.6 * rng.normal(size=3), _turn(rng))


def _twin_of(rng: np.random.Generator, joint: Joint) -> Joint | None:
    """The same freedom a second time: all its rows are redundant. A hinge again further along its axis, a slide or a
    plane anywhere.
    """
    kind = type(joint.pair).__name__
    if kind in ("Prismatic", "Planar"):
        away = rng.normal(size=3)
    elif kind in ("Revolute", "Cylindrical"):
        away = float(rng.uniform(0.2, 1.5)) * joint.R[:, 2]
    else:
        return None
    name = f"{joint.name} again"
    return Joint(name, type(joint.pair)("z"), joint.first, joint.second, away, joint.R, twin_of=joint.name)


def _contact(rng: np.random.Generator, i: int) -> Joint:
    """Body i touches the ground."""
    radius, under = float(rng.uniform(0.2, 0.6)), float(rng.uniform(1.0, 3.0))
    first = ("Plane", "Sphere", "Cylinder")[int(rng.integers(3))]
    second = ("Sphere", "Torus", "CircleEdge")[int(rng.integers(3))]
    law = [None, tr.NoSlip(), tr.RegularisedCoulomb(0.4, 0.05)][int(rng.integers(3))]
    touch = Touch(first, second, under, radius, law)
    return Joint("touch", None, "ground", f"b{i}", rng.normal(size=3), _turn(rng), touch=touch)


def _tie(rng: np.random.Generator, count: int) -> Tie:
    first, second = rng.choice(["ground", *(f"b{i}" for i in range(count))], size=2, replace=False)
    ends = (rng.normal(size=3), rng.normal(size=3) + 2.0)
    k, d, length = (float(v) for v in rng.uniform((1.0, 0.0, 0.5), (20.0, 1.0, 1.5)))
    return Tie(str(first), str(second), ends, k, d, length)
