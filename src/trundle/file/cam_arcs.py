"""A cam of a file that is made of arcs: {Cam: {arcs: [{at: [x, z], radius: r}, ...]}}."""

from typing import Annotated

from pydantic import Field, TypeAdapter

from trundle.errors import ModelError
from trundle.file.field import Scalar
from trundle.file.parts import Parts
from trundle.file.place import Section
from trundle.file.tree import Path
from trundle.pairs.cam import Cam
from trundle.typing import Raw


class ArcEntry(Section):
    """An arc: its centre in the plane of the cam and its radius (m)."""

    at: Annotated[list[Scalar], Field(min_length=2, max_length=2)]
    radius: Scalar


class CamEntry(Section):
    """Arcs in the order of increasing angle of the normal, from z towards x."""

    arcs: Annotated[list[ArcEntry], Field(min_length=1)]


CAM: TypeAdapter[Raw] = TypeAdapter(CamEntry)


def make_cam(given: CamEntry, parts: Parts, path: Path) -> Cam | None:
    """The cam; None with a fault if the arcs are not valid. Its sizes must be numbers, because they shape the
    equations.
    """

    def fixed(value: Raw, *at: str | int) -> float:
        return float(parts.values.fixed(value, (*path, "arcs", *at)))

    try:
        return Cam.of_arcs(
            [
                ((fixed(arc.at[0], i, "at", 0), fixed(arc.at[1], i, "at", 1)), fixed(arc.radius, i, "radius"))
                for i, arc in enumerate(given.arcs)
            ]
        )
    except ModelError as error:
        parts.values.faults.add(path, str(error))
        return None
