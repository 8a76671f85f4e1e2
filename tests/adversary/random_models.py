"""Random mechanisms as plain data, so that a twin can be made of each: re-posed, re-ordered, without its laws.

All body frames coincide with one frame in space where all coordinates are zero: a joint at a point of space is written
with the same point and axes on both bodies, and every loop is closed at zero. Contacts touch there too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import trundle as tr

Array = np.ndarray[Any, np.dtype[np.float64]]

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
KINDS = ("tree", "loop", "overconstrained", "compliant", "contact")


@dataclass(frozen=True)
class Solid:
    name: str
    mass: float
    inertia: tuple[float, ...]  # about the mass centre: xx, yy, zz, xy, xz, yz
    com: tuple[float, float, float]


@dataclass(frozen=True)
class Joint:
    """A connection at a point of space with axes R; `lift` is the height of the second frame above the first."""

    name: str
    pair: Any
    first: str
    second: str
    at: Array
    R: Array
    lift: float = 0.0
    laws: dict[str, Any] = field(default_factory=dict)
    contact_law: Any = None
    compliance: Any = None


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
class RandomModel:
    """What a mechanism is made of; `make` says it to Trundle."""

    seed: int
    kind: str
    solids: tuple[Solid, ...]
    joints: tuple[Joint, ...]
    ties: tuple[Tie, ...]
    push: tuple[str, Array] | None
    gravity: Array

    def make(
        self, rotation: Array | None = None, shift: Array | None = None, rng: np.random.Generator | None = None
    ) -> tr.Model:
        """The model; turned and shifted as a whole in space; with a generator, said in another order."""
        Q = np.eye(3) if rotation is None else rotation
        d = np.zeros(3) if shift is None else shift
        m = tr.Model(f"random {self.kind} {self.seed}", gravity=tuple(Q @ self.gravity))
        bodies = {"ground": m.ground}
        for solid in _shuffled(self.solids, rng):
            bodies[solid.name] = m.body(solid.name, mass=solid.mass, inertia=solid.inertia, com=solid.com)

        def place(body: str, p: Array, R: Array) -> tr.Frame:
            if body == "ground":
                p, R = Q @ p + d, Q @ R
            return bodies[body].frame(tuple(p), R)

        for joint in _shuffled(self.joints, rng):
            first = place(joint.first, joint.at, joint.R)
            second = place(joint.second, joint.at + joint.lift * joint.R[:, 2], joint.R)
            law: Any = dict(joint.laws) or None
            if joint.contact_law is not None:
                law = joint.contact_law
            m.connect(joint.pair, first, second, name=joint.name, law=law, compliance=joint.compliance)
        for i, tie in _shuffled(tuple(enumerate(self.ties)), rng):
            ends = [place(b, p, np.eye(3)) for b, p in zip((tie.first, tie.second), tie.ends, strict=True)]
            m.apply(tr.SpringDamper(*ends, tie.stiffness, tie.damping, tie.length), name=f"tie {i}")
        if self.push is not None:
            m.apply(tr.Wrench(bodies[self.push[0]], force=tuple(self.push[1]), axes="body"), name="push")
        return m

    def bare(self) -> "RandomModel":
        """Without laws and forces: only joints, contacts that roll, and gravity."""
        joints = tuple(replace(j, laws={}) for j in self.joints)
        return replace(self, joints=joints, ties=(), push=None)


def _shuffled(parts: Sequence[Any], rng: np.random.Generator | None) -> list[Any]:
    return list(parts) if rng is None else [parts[i] for i in rng.permutation(len(parts))]


def random_model(seed: int, kind: str) -> RandomModel:
    """A mechanism of two to five bodies; `kind` is one of KINDS."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    count = int(rng.integers(2, 6 if kind == "tree" else 5))
    solids = tuple(_solid(rng, f"b{i}") for i in range(count))
    joints = [_tree_joint(rng, i, kind) for i in range(count)]
    closers = {
        "tree": list,
        "loop": lambda: [_closer(rng, count, n) for n in range(int(rng.integers(1, 3)))],
        "overconstrained": lambda: [_twin_of(rng, j) for j in joints if _twin_of(rng, j) is not None][:2],
        "compliant": lambda: [replace(_closer(rng, count, 0), compliance=tr.Spring(400.0, 4.0))],
        "contact": lambda: [_contact(rng, int(rng.integers(count)))],
    }[kind]()
    ties = tuple(_tie(rng, count) for _ in range(int(rng.integers(0, 3))))
    push = (f"b{rng.integers(count)}", rng.normal(size=3)) if rng.random() < 0.5 else None
    return RandomModel(seed, kind, solids, (*joints, *closers), ties, push, 9.81 * _direction(rng))


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
    return Solid(name, mass, tuple(map(float, six)), tuple(map(float, 0.4 * rng.normal(size=3))))


def _pair(rng: np.random.Generator, name: str) -> Any:
    if name == "Helical":
        return tr.Helical("z", pitch=float(rng.normal(scale=0.2)))
    return getattr(tr, name)() if name in ("Spherical", "Fixed", "Free") else getattr(tr, name)("z")


def _laws(rng: np.random.Generator, name: str) -> dict[str, Any]:
    laws: dict[str, Any] = {}
    for coordinate in SCALARS.get(name, ()):
        a, b, c = (float(v) for v in rng.uniform(0.1, 2.0, size=3))
        choices = [
            None,
            tr.Spring(3 * a, 0.3 * b, 0.1 * c),
            tr.Damper(0.5 * a),
            tr.Motor(lambda t, q, u, a=a, b=b: a * tr.sin(b * t) - 0.2 * u),
            tr.Spring(a) + tr.Damper(0.1 * b),
        ]
        law = choices[int(rng.integers(len(choices)))]
        if law is not None:
            laws[coordinate] = law
    return laws


def _tree_joint(rng: np.random.Generator, i: int, kind: str) -> Joint:
    """Joint of body i to an earlier one or to the ground, said in either direction."""
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
        at = joint.at + rng.normal(size=3)
    elif kind in ("Revolute", "Cylindrical"):
        at = joint.at + float(rng.uniform(0.2, 1.5)) * joint.R[:, 2]
    else:
        return None
    return Joint(f"{joint.name} again", type(joint.pair)("z"), joint.first, joint.second, at, joint.R)


def _contact(rng: np.random.Generator, i: int) -> Joint:
    """Body i touches the ground."""
    radius, under = float(rng.uniform(0.2, 0.6)), float(rng.uniform(1.0, 3.0))
    tube = 0.3 * radius
    firsts = [(tr.Plane(), 0.0), (tr.Sphere(under), under), (tr.Cylinder(under), under)]
    seconds = [tr.Sphere(radius), tr.Torus(radius, tube), tr.CircleEdge(radius)]
    surface, height = firsts[int(rng.integers(len(firsts)))]
    pair = tr.HigherPair(surface, seconds[int(rng.integers(len(seconds)))])
    law = [None, tr.NoSlip(), tr.RegularisedCoulomb(0.4, 0.05)][int(rng.integers(3))]
    return Joint("touch", pair, "ground", f"b{i}", rng.normal(size=3), _turn(rng), height + radius, contact_law=law)


def _tie(rng: np.random.Generator, count: int) -> Tie:
    first, second = rng.choice(["ground", *(f"b{i}" for i in range(count))], size=2, replace=False)
    ends = (rng.normal(size=3), rng.normal(size=3) + 2.0)
    k, d, length = (float(v) for v in rng.uniform((1.0, 0.0, 0.5), (20.0, 1.0, 1.5)))
    return Tie(str(first), str(second), ends, k, d, length)
