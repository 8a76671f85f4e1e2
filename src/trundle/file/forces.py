"""The section `forces` of a file: each force by the name of its class, with the fields of the class."""

from functools import cache
from typing import final

from pydantic import TypeAdapter
from pydantic_core import PydanticCustomError

from trundle.file.construct import Constructor
from trundle.file.faults import near
from trundle.file.field import Scalar
from trundle.file.fields_of_class import OneOf, Reading, can_be_written, given_kind, make, one_of, section_of
from trundle.file.kinds import forces
from trundle.file.laws import Laws
from trundle.file.parts import Parts
from trundle.file.place import Section
from trundle.file.scope import Names
from trundle.file.tree import Path
from trundle.model.coordinate_forces import CoordinateForce
from trundle.model.force import Force
from trundle.typing import ModelPart, Raw


class CoordinateForceSection(Section):
    """Effort on a coordinate: a law, or an expression of t and of quantities."""

    coordinate: str
    law: Raw = None
    effort: Scalar | None = None

    def model_post_init(self, context: object) -> None:
        if (self.law is None) == (self.effort is None):
            raise PydanticCustomError("one", "give either law or effort")


@cache
def _one_force(kinds: tuple[tuple[str, ModelPart], ...]) -> tuple[TypeAdapter[OneOf], type[OneOf]]:
    """The section of one force of these kinds, and its validator."""
    sections = {word: section_of(kind) for word, kind in kinds if can_be_written(kind)}
    section = one_of("force", {**sections, "coordinate_force": CoordinateForceSection})
    return TypeAdapter(section), section


@final
class Forces:
    """Makes the forces of one model; `names` are those that they may use."""

    def __init__(self, parts: Parts, laws: Laws, names: Names) -> None:
        self.parts, self.laws, self.values = parts, laws, parts.values
        self.constructor = Constructor(parts.values)
        self.coordinates = names.coordinates
        self.reading = Reading(self.values, parts.place, self._coordinate, laws.effort, names.signals)
        self.kinds = forces()
        self.adapter, self.section = _one_force(tuple(self.kinds.items()))

    def make(self, raw: Raw, path: Path) -> Force | None:
        """The force, or None with a fault if it is not valid."""
        one = self.constructor.read(self.adapter, raw, path, self.section)
        if one is None:
            self.values.faults.left_out.add(str(path[-1]))
            return None
        word = given_kind(one)
        given, at = getattr(one, word), (*path, word)
        if self.kinds[word] is CoordinateForce:
            return self._coordinate_force(given, at)
        made: Force | None = make(self.kinds[word], given, at, self.reading)
        return made

    def _coordinate_force(self, given: CoordinateForceSection, path: Path) -> Force | None:
        coordinate = self._coordinate(given.coordinate, (*path, "coordinate"))
        if given.effort is not None:
            return CoordinateForce(
                coordinate, self.values.signal(given.effort, (*path, "effort"), self.reading.signals)
            )
        law = self.laws.effort(given.law, (*path, "law"))
        return None if law is None else CoordinateForce(coordinate, law)

    def _coordinate(self, name: str, path: Path) -> str:
        """The full name of a coordinate."""
        full = self.parts.model.resolve(name)
        if full not in self.coordinates:
            self.values.faults.add(
                path, f"there is no coordinate called {name!r}. {near(name, list(self.coordinates))}"
            )
        return full
