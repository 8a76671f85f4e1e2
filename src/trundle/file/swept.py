"""A surface of a file that is swept by two screws: {SweptSurface: {first: ..., second: ..., at: [x, y, z]}}."""

from collections.abc import Sequence
from typing import Literal

from pydantic import TypeAdapter

from trundle.errors import ModelError
from trundle.file.expression import constant
from trundle.file.field import Axis, Scalar, Vector, zeros
from trundle.file.parts import Parts
from trundle.file.place import Section
from trundle.file.tree import Path
from trundle.pairs.swept import SweptSurface
from trundle.space.chain import SLIDE, Screw
from trundle.typing import Raw


class ScrewEntry(Section):
    """A screw: axis, pitch in m/rad or the word slide, a point of the axis (m), and the name of its coordinate."""

    axis: Axis
    name: str
    pitch: Literal["slide"] | Scalar = constant(0.0)
    at: Vector = zeros(3)()


class SweptEntry(Section):
    """The two screws and the point that they move (m); inside: the other side."""

    first: ScrewEntry
    second: ScrewEntry
    at: Vector
    inside: bool = False


SWEPT: TypeAdapter[Raw] = TypeAdapter(SweptEntry)


def make_swept(given: SweptEntry, parts: Parts, path: Path) -> SweptSurface | None:
    """The surface; None with a fault if it is not valid. Its sizes must be numbers: they shape the equations."""

    def point(items: Sequence[Raw], at: Path) -> tuple[float, float, float]:
        x, y, z = (parts.values.fixed(item, (*at, i)) for i, item in enumerate(items))
        return x, y, z

    def screw(entry: ScrewEntry, at: Path) -> Screw:
        pitch = SLIDE if entry.pitch == "slide" else parts.values.fixed(entry.pitch, (*at, "pitch"))
        return Screw(parts.axis(entry.axis, (*at, "axis")), pitch, point(entry.at, (*at, "at")), entry.name)

    try:
        screws = screw(given.first, (*path, "first")), screw(given.second, (*path, "second"))
        return SweptSurface(*screws, point(given.at, (*path, "at")), given.inside)
    except ModelError as error:
        parts.values.faults.add(path, str(error))
        return None
