"""Robots in URDF: links become bodies, joints become connections."""

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import NoReturn, final
from xml.parsers import expat

import numpy as np

from trundle.errors import FileError, ModelError, UnknownNameError
from trundle.file.text import read_text
from trundle.laws.efforts import Damper
from trundle.laws.law import EffortLaw, FlowLaw
from trundle.messages.warn import warn
from trundle.model.body import Body
from trundle.model.model import Model
from trundle.model.shape import Box, Cylinder, Mesh, Shape, Sphere, read_mesh
from trundle.pairs.lower import Fixed, Free, Pair, Planar, Prismatic, Revolute
from trundle.typing import Array

PAIRS: dict[str, Callable[[tuple[float, ...]], Pair]] = {
    "revolute": lambda axis: Revolute(axis),
    "continuous": lambda axis: Revolute(axis),
    "prismatic": lambda axis: Prismatic(axis),
    "planar": lambda axis: Planar(axis),
    "floating": lambda axis: Free(),
    "fixed": lambda axis: Fixed(),
}
"""Kinds of joints of URDF."""
FOLDERS = 4  # levels of folders, from that of the file upwards, in which meshes of a package are searched
EDGES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
         (1, 5, 7), (1, 7, 3)]  # fmt: skip


class UrdfWarning(UserWarning):
    """Parts of a URDF file that have no influence on the model."""


def load_urdf(
    path: str | Path,
    base: str = "fixed",
    limits: str = "ignored",
    laws: Mapping[str, EffortLaw | FlowLaw] | None = None,
) -> Model:
    """The model of a robot in URDF.

    Links become bodies with their inertia and visual shapes, joints become connections of the same names, with a
    `Damper` where `dynamics` gives one. Joint friction, limits of effort and velocity, collision shapes and elements of
    other programs are ignored, and so are joint limits unless they are watched; one warning lists what was ignored.

    Parameters
    ----------
    path : str or Path
        The file; macros (xacro) must have been expanded.
    base : {"fixed", "free"}
        Whether the root link is fixed to the ground or moves freely.
    limits : {"ignored", "watched"}
        "watched": a run ends when a revolute or prismatic joint reaches its limit, by an event such as "elbow at its
        upper limit". The file does not define what happens at the stop.
    laws : mapping, optional
        By the names of joints: what drives them, {"elbow": tr.Servo(lambda t: tr.sin(t))} for a prescribed motion or
        {"elbow": tr.Motor(...)} for a torque, which acts in addition to the damping of the file.

    Returns
    -------
    Model
        Gravity is 9.81 m/s^2 downwards (-z).

    Raises
    ------
    FileError
        With all faults: invalid XML or URDF, joints that do not form a tree, `mimic`.
    UnknownNameError
        If the file has no joint of a name in `laws`.
    """
    if base not in ("fixed", "free"):
        raise FileError(f"base={base!r}: the root link is 'fixed' to the ground or 'free'.")
    if limits not in ("ignored", "watched"):
        raise FileError(f"limits={limits!r}: those of the joints are 'ignored', or 'watched': runs end there.")
    if laws is not None and not isinstance(laws, Mapping):
        raise FileError(f"laws go by the names of joints, laws={{'elbow': tr.Damper(0.1)}}, not as {laws!r}.")
    root = _parsed(read_text(Path(path)), str(path))
    return _Robot(Path(path), root, limits == "watched", laws or {}).model(base)


def _parsed(text: str, source: str) -> ET.Element:
    """The root element; FileError for a document type, which could define entities."""

    def refuse(*_: object) -> NoReturn:
        raise FileError(f"{source}: a document type (<!DOCTYPE ...>) has no place in URDF and is not read.")

    check = expat.ParserCreate()
    check.StartDoctypeDeclHandler = refuse
    try:
        check.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise FileError(f"{source}: this is not XML: {error}.") from error
    root = ET.fromstring(text)
    if root.tag == "mujoco":
        raise FileError(
            f"{source}: this is MJCF, which is not read. Many robots exist in URDF too; else convert it, or write the "
            "joints with m.connect (the page 'Coming from another code' has the words side by side)."
        )
    if root.tag != "robot":
        raise FileError(f"{source}: a URDF file begins with <robot name=...>, this one with <{root.tag}>.")
    if "${" in text or "xacro:" in text:
        raise FileError(f"{source}: it has macros. Expand them first: xacro {source} > robot.urdf.")
    return root


@final
class _Robot:
    """Reads a robot element by element, and collects faults and elements without influence."""

    def __init__(self, path: Path, root: ET.Element, watches: bool, laws: Mapping[str, EffortLaw | FlowLaw]) -> None:
        self.path, self.root, self.watches, self.laws = path, root, watches, laws
        self.faults: list[str] = []
        self.left_out: Counter[str] = Counter()

    def model(self, base: str) -> Model:
        model = Model(self.root.get("name") or self.path.stem)
        bodies = {name: self._body(model, name, link) for name, link in self._named("link").items()}
        joints = self._named("joint")
        ends = {name: (self._end(name, j, "parent", bodies), self._end(name, j, "child", bodies))
                for name, j in joints.items()}  # fmt: skip
        root = self._root(bodies, ends)
        self._raise()
        for name in self.laws:
            if name not in joints:
                raise UnknownNameError(name, joints, f"joint in {self.path}")
        model.connect(Fixed() if base == "fixed" else Free(), model.ground, bodies[root], name=f"{root}")
        waiting = dict(joints)
        reached = {root}
        while waiting:  # from the root outwards
            for name in [n for n in waiting if ends[n][0] in reached]:
                self._connect(model, name, waiting.pop(name), bodies[ends[name][0]], bodies[ends[name][1]])
                reached.add(ends[name][1])
        self._raise()
        for tag in {child.tag for child in self.root} - {"link", "joint", "material"}:
            self.left_out[f"<{tag}>"] += len(self.root.findall(tag))
        if self.left_out:
            parts = ", ".join(f"{what} ({count})" for what, count in self.left_out.items())
            warn(f"{self.path}: these have no influence on the model: {parts}.", UrdfWarning)
        return model

    # -- links ---------------------------------------------------------------------------------------------------------

    def _body(self, model: Model, name: str, link: ET.Element) -> Body:
        inertial = link.find("inertial")
        mass, com, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        where = f"link {name!r}"
        if inertial is not None:
            R, com = self._origin(inertial, where)
            mass = self._numbers(inertial.find("mass"), "value", 1, where)[0]
            xx, xy, xz, yy, yz, zz = (
                self._numbers(inertial.find("inertia"), f"i{part}", 1, where)[0]
                for part in ("xx", "xy", "xz", "yy", "yz", "zz")
            )
            inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        shapes = [self._shape(visual, where) for visual in link.findall("visual")]
        if count := len(link.findall("collision")):
            self.left_out["collision shapes (m.contact adds contacts)"] += count
        try:
            moments = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            shown = tuple(shape for shape in shapes if shape is not None)
            return model.body(name, mass, tuple(moments), com=_point(com), shape=shown)
        except ModelError as error:
            self.faults += error.faults
            return Body(name)

    def _shape(self, visual: ET.Element, where: str) -> Shape | None:
        R, at = self._origin(visual, where)
        geometry = visual.find("geometry")
        kinds = list(geometry) if geometry is not None else []
        if not kinds:
            self.faults.append(f"{where}: a visual without geometry.")
            return None
        kind = kinds[0]
        if kind.tag == "box":
            return _box(self._numbers(kind, "size", 3, where), R, at)
        if kind.tag in ("cylinder", "sphere"):
            radius = self._numbers(kind, "radius", 1, where)[0]
            if kind.tag == "sphere":
                return Sphere(radius, _point(at))
            return Cylinder(radius, self._numbers(kind, "length", 1, where)[0], _point(R[:, 2]), _point(at))
        if kind.tag == "mesh":
            return self._mesh(kind, R, at, where)
        self.left_out[f"visual <{kind.tag}>"] += 1
        return None

    def _mesh(self, kind: ET.Element, R: Array, at: Array, where: str) -> Mesh | None:
        name = kind.get("filename") or ""
        package = name.removeprefix("package://")
        inner = package.partition("/")[2] if package != name else ""
        places = [folder / part for folder in [self.path.parent, *self.path.resolve().parents][:FOLDERS]
                  for part in (package, inner) if part]  # fmt: skip
        found = next((place for place in places if place.is_file()), None)
        scale = self._numbers(kind, "scale", 3, where, (1.0, 1.0, 1.0))
        try:
            if found is not None:
                mesh = read_mesh(found)
                return Mesh(tuple(_point(R @ (scale * v) + at) for v in np.array(mesh.vertices)), mesh.triangles)
        except ModelError:  # a format that is not known here, or the extra 'view' is missing
            pass
        self.left_out["meshes that cannot be found or read"] += 1
        return None

    # -- joints --------------------------------------------------------------------------------------------------------

    def _connect(self, model: Model, name: str, joint: ET.Element, parent: Body, child: Body) -> None:
        kind, where = joint.get("type", ""), f"joint {name!r}"
        if kind not in PAIRS:
            self.faults.append(f"{where}: type {kind!r} is not known; URDF has {', '.join(PAIRS)}.")
            return
        if joint.find("mimic") is not None:
            self.faults.append(
                f"{where}: <mimic> is not supported. Remove it to leave the joint free, and couple the joints in "
                "Python, for wheels on one body with m.connect(tr.Gear(ratio), first, second)."
            )
        R, at = self._origin(joint, where)
        axis = self._numbers(joint.find("axis"), "xyz", 3, where, (1.0, 0.0, 0.0))
        law = self.laws.get(name)
        if (dynamics := joint.find("dynamics")) is not None:
            damping = self._numbers(dynamics, "damping", 1, where, (0.0,))[0]
            if damping and isinstance(law, FlowLaw):
                self.left_out["damping of joints with a prescribed motion"] += 1
            elif damping and kind in ("revolute", "continuous", "prismatic"):
                law = Damper(damping) + law if isinstance(law, EffortLaw) else Damper(damping)
            elif damping:
                self.left_out[f"damping of {kind} joints"] += 1
            if self._numbers(dynamics, "friction", 1, where, (0.0,))[0]:
                self.left_out["friction of joints"] += 1
        try:
            model.connect(PAIRS[kind](_point(axis)), parent.frame(_point(at), R), child, name=name, law=law)
        except ModelError as error:
            self.faults += [f"{where}: {fault}" for fault in error.faults]
            return
        if (limit := joint.find("limit")) is not None and kind in ("revolute", "prismatic"):
            self._limit(model, name, limit, f"{name}.{'angle' if kind == 'revolute' else 'displacement'}")

    def _limit(self, model: Model, name: str, limit: ET.Element, coordinate: str) -> None:
        """Limits of a coordinate (zero unless given), and of effort and velocity, which have no influence."""
        if limit.get("effort") or limit.get("velocity"):
            self.left_out["limits of effort and velocity"] += 1
        if not self.watches:
            self.left_out["limits of joints (with limits='watched' runs end there)"] += 1
            return
        lower, upper = (self._numbers(limit, end, 1, f"joint {name!r}", (0.0,))[0] for end in ("lower", "upper"))
        if not lower < upper:
            self.faults.append(f"joint {name!r}: its limits {lower:g} and {upper:g} leave no way between.")
            return
        model.event(f"{name} at its lower limit", lambda s: s[coordinate] - lower, -1, "stop", limit=True)
        model.event(f"{name} at its upper limit", lambda s: s[coordinate] - upper, 1, "stop", limit=True)

    def _end(self, name: str, joint: ET.Element, which: str, bodies: dict[str, Body]) -> str:
        element = joint.find(which)
        link = _clean(element.get("link") or "") if element is not None else ""
        if link not in bodies:
            self.faults.append(f"joint {name!r}: its {which} {link!r} is not a link of the file.")
        return link

    def _root(self, bodies: dict[str, Body], ends: dict[str, tuple[str, str]]) -> str:
        """The link that is not a child; every other one must be the child of one joint and connected to the root."""
        parents = Counter(child for _, child in ends.values())
        for link, count in parents.items():
            if count > 1:
                self.faults.append(f"link {link!r} is the child of {count} joints: URDF has trees only, no loops.")
        roots = [name for name in bodies if name not in parents]
        if len(roots) != 1:
            found = ", ".join(map(repr, roots)) or "none"
            self.faults.append(f"one link must be no child of a joint, the root; here are {found}.")
            return ""
        reached = [roots[0]]
        for link in reached:  # which grows
            reached += [child for parent, child in ends.values() if parent == link and child not in reached]
        apart = [name for name in bodies if name not in reached]
        if apart:
            self.faults.append(
                f"the links {', '.join(map(repr, apart))} are not connected to the root {roots[0]!r}: URDF has trees "
                "only, no loops."
            )
        return roots[0]

    # -- elements ------------------------------------------------------------------------------------------------------

    def _named(self, tag: str) -> dict[str, ET.Element]:
        found: dict[str, ET.Element] = {}
        for element in self.root.findall(tag):
            name = _clean(element.get("name") or "")
            if not name or name in found:
                self.faults.append(f"a {tag} is called {name!r}: every one needs a name of its own.")
            found[name] = element
        return found

    def _origin(self, element: ET.Element, where: str) -> tuple[Array, Array]:
        origin = element.find("origin")
        zero = (0.0, 0.0, 0.0)
        at = np.array(zero if origin is None else self._numbers(origin, "xyz", 3, where, zero))
        roll, pitch, yaw = zero if origin is None else self._numbers(origin, "rpy", 3, where, zero)
        return _turn(2, yaw) @ _turn(1, pitch) @ _turn(0, roll), at

    def _numbers(
        self, element: ET.Element | None, name: str, count: int, where: str, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        text = None if element is None else element.get(name)
        if text is None and default is not None:
            return default
        try:
            numbers = tuple(float(word) for word in (text or "").split())
        except ValueError:
            numbers = ()
        if len(numbers) != count or not all(map(isfinite, numbers)):
            self.faults.append(f"{where}: {name}={text!r}: give {count} finite number{'s' * (count > 1)}.")
            return default or (0.0,) * count
        return numbers

    def _raise(self) -> None:
        if self.faults:
            raise FileError("\n".join(f"{self.path}: {fault}" for fault in self.faults))


def _clean(name: str) -> str:
    """A name with only the characters that names of a model may have."""
    return "".join(c if c.isalnum() or c in " -_" else "_" for c in name)


def _point(values: Iterable[float]) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z


def _turn(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def _box(size: tuple[float, ...], R: Array, at: Array) -> Shape:
    """A box if it is along the axes of the body, otherwise a mesh of its triangles."""
    if np.array_equal(R, np.eye(3)):
        return Box(_point(size), _point(at))
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size / 2
    return Mesh(tuple(_point(R @ corner + at) for corner in corners), tuple(EDGES))
