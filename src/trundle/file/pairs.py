"""Pairs and joints of a file: classes by name, options by their fields."""

from dataclasses import MISSING, fields
from typing import Annotated, final, get_args

from pydantic import Field as Limits
from pydantic import TypeAdapter

from trundle.file import schema
from trundle.file.cam_arcs import CAM, CamEntry, make_cam
from trundle.file.construct import Constructor
from trundle.file.faults import near
from trundle.file.field import Axis, Size
from trundle.file.kinds import TOUCHES, higher, joined
from trundle.file.laws import Laws
from trundle.file.parts import Parts
from trundle.file.swept import SWEPT, SweptEntry, make_swept
from trundle.file.tree import Path
from trundle.laws.law import EffortLaw
from trundle.model.joint import Joint
from trundle.pairs.lower import Pair
from trundle.real_array import is_integer
from trundle.space.rotation import Axis as AxisGiven
from trundle.typing import ClassField, Given, Kind, ModelPart, Options, Raw

AXIS: TypeAdapter[Raw] = TypeAdapter(Axis)
SIZE: TypeAdapter[Raw] = TypeAdapter(Size)
TWO: TypeAdapter[list[Raw]] = TypeAdapter(Annotated[list[Raw], Limits(min_length=2, max_length=2)])


@final
class Pairs:
    """Makes pairs and joints of one model."""

    def __init__(self, parts: Parts, constructor: Constructor, laws: Laws) -> None:
        self.parts, self.constructor, self.laws, self.faults = parts, constructor, laws, constructor.faults

    def make(self, connection: schema.Connection, path: Path) -> Pair | Joint | None:
        """The pair of a connection; None if it is not valid."""
        if connection.pair in higher():
            return self._of_surfaces(connection, path)
        kind = joined().get(connection.pair)
        if kind is None:
            hint = near(connection.pair, [*joined(), *higher(), TOUCHES])
            self.faults.add((*path, "pair"), f"there is no pair called {connection.pair!r}. {hint}")
            return None
        known = {f.name: f for f in fields(kind)}
        self._refuse(connection, list(known), path)
        needed = [f.name for f in known.values() if f.default is MISSING and f.default_factory is MISSING]
        missing = [name for name in needed if name not in connection.options]
        if missing:
            self.faults.add(path, f"{connection.pair} needs {' and '.join(missing)}")
            return None
        before = len(self.faults.found)
        given = {n: self._option(known[n], raw, (*path, n)) for n, raw in connection.options.items() if n in known}
        if len(self.faults.found) > before:  # some option is not valid
            return None
        made: Pair | Joint = kind(**{name: value for name, value in given.items() if value is not None})
        pair = made.pair() if isinstance(made, Joint) else made
        pair.frame()  # raises for axes without direction or that are not perpendicular
        return made

    def of_shapes(self, connection: schema.Connection, path: Path) -> Options:
        """Options of a contact of shapes: whether it is one in a plane of motion, and how many feet ends have."""
        self._refuse(connection, ["planar", "feet"], path)
        for word in ("points", "wheel", "unilateral"):
            if getattr(connection, word):
                text = f"a {TOUCHES} takes no {word}: its shapes touch and separate on their own"
                self.faults.add((*path, word), text)
        given = dict(connection.options)
        if not isinstance(given.get("planar", False), bool):
            self.faults.add((*path, "planar"), f"give true or false, not {given.pop('planar')}")
        if not is_integer(given.get("feet", 3)):
            self.faults.add((*path, "feet"), f"give an integer, not {given.pop('feet')}")
        return {word: given[word] for word in ("planar", "feet") if word in given}

    def _refuse(self, connection: schema.Connection, known: list[str], path: Path) -> None:
        """Options that belong to other pairs."""
        for option in connection.options:
            if option not in known:
                takes = " and ".join(known) or "no options"
                self.faults.add((*path, option), f"{connection.pair} has no {option}; it takes {takes}")

    def _option(self, field: ClassField, raw: Raw, path: Path) -> ModelPart:
        """The value of a field, by its declared type: an axis, surfaces, a seal, or a size."""
        if field.type in (AxisGiven, AxisGiven | None):
            axis = self.constructor.read(AXIS, raw, path)
            return None if axis is None else self.parts.axis(axis, path)
        if field.name == "surfaces":
            surfaces = self._surfaces(raw, higher()["HigherPair"][1], path)
            return surfaces and tuple(symbolic for symbolic, _ in surfaces)
        if field.type is Given and field.default is None:  # None: the bond is not sealed
            return self.laws.seal(raw, path)
        if EffortLaw in get_args(field.type) and isinstance(raw, dict | list):  # a law instead of a function
            return self.laws.effort(raw, path)
        size = self.constructor.read(SIZE, raw, path)
        return None if size is None else self.constructor.size(field, size, path)[0]

    def _of_surfaces(self, connection: schema.Connection, path: Path) -> Pair | None:
        """A pair of two surfaces; sizes that are parameters are checked with their values."""
        pair, kinds = higher()[connection.pair]
        self._refuse(connection, ["surfaces"], path)
        if "surfaces" not in connection.options:
            some = ", ".join(list(kinds)[:3])
            text = f"{connection.pair} needs surfaces: one of the first body and one of the second, such as {some}"
            self.faults.add(path, text)
            return None
        found = self._surfaces(connection.options["surfaces"], kinds, (*path, "surfaces"))
        if found is None:
            return None
        (first, first_number), (second, second_number) = found
        pair(first_number, second_number)
        made: Pair = pair(first, second)
        return made

    def _surfaces(self, raw: Raw, kinds: dict[str, Kind], path: Path) -> list[tuple[ModelPart, ModelPart]] | None:
        """Two surfaces, each with symbols and with numbers."""
        two = self.constructor.read(TWO, raw, path)
        if two is None:
            return None
        found = [self._surface(one, kinds, (*path, i)) for i, one in enumerate(two)]
        good = [one for one in found if one is not None]
        return good if len(good) == 2 else None

    def _surface(self, raw: Raw, kinds: dict[str, Kind], path: Path) -> tuple[ModelPart, ModelPart] | None:
        """One surface by its name and sizes, or a SweptSurface by its screws."""
        if isinstance(raw, dict) and list(raw) == ["SweptSurface"] and "Vertex" in kinds and "Plane" in kinds:
            path = (*path, "SweptSurface")
            given = self.constructor.read(SWEPT, raw["SweptSurface"], path, SweptEntry)
            made = None if given is None else make_swept(given, self.parts, path)
            return None if made is None else (made, made)
        if isinstance(raw, dict) and list(raw) == ["Cam"] and "Cam" in kinds and _of_arcs(raw["Cam"]):
            path = (*path, "Cam")
            arcs = self.constructor.read(CAM, raw["Cam"], path, CamEntry)
            cam = None if arcs is None else make_cam(arcs, self.parts, path)
            return None if cam is None else (cam, cam)
        return self.constructor.one(raw, kinds, "surface", path)


def _of_arcs(sizes: object) -> bool:
    return isinstance(sizes, dict) and "arcs" in sizes
