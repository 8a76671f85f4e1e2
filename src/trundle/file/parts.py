"""Parts that several sections use: axes, places, shapes."""

from collections.abc import Collection
from typing import final

from trundle.file import schema
from trundle.file.faults import near
from trundle.file.fields_of_class import OneOf, Reading, given_kind, make
from trundle.file.place import Place, Turn
from trundle.file.tree import Path
from trundle.file.values import Values
from trundle.model.body import Body, Frame
from trundle.model.model import Model
from trundle.typing import ModelPart, Raw


@final
class Parts:
    """Makes parts of one model; `announced` are all bodies of the file, also invalid ones."""

    def __init__(self, values: Values, model: Model, announced: Collection[str]) -> None:
        self.values, self.model, self.announced = values, model, announced

    def axis(self, axis: Raw, path: Path) -> ModelPart:
        """A letter, or three plain numbers."""
        return axis if isinstance(axis, str) else tuple(self.values.fixed(a, (*path, i)) for i, a in enumerate(axis))

    def body(self, name: str, path: Path) -> Body | None:
        """A body; None when there is no such body."""
        bodies = self.model.bodies
        if name not in bodies and name not in self.announced:  # otherwise the fault of the body itself is reported
            self.values.faults.add(path, f"there is no body called {name!r}. {near(name, list(bodies))}")
        return bodies.get(name)

    def place(self, place: Place, path: Path) -> Body | Frame | None:
        """A frame on a body; None if there is no such body."""
        body = self.body(place.body, path)
        if body is None:
            return None
        at = self.values.vector(place.at, (*path, "at"))
        if place.rotation is None:
            return body if all(isinstance(a, float) and a == 0.0 for a in at) else Frame(body, at)
        return body.frame(at, self._rotation(place.rotation, (*path, "rotation")))

    def _rotation(self, turn: Turn, path: Path) -> ModelPart:
        fixed = self.values.fixed
        if turn.matrix is not None:
            return [[fixed(v, (*path, i, k)) for k, v in enumerate(row)] for i, row in enumerate(turn.matrix)]
        if turn.quaternion is not None:
            return [fixed(v, (*path, i)) for i, v in enumerate(turn.quaternion)]
        assert turn.angle is not None
        return self.axis(turn.axis, (*path, "axis")), fixed(turn.angle, (*path, "angle"))

    def shape(self, shape: OneOf, path: Path) -> ModelPart:
        """Parameters are replaced by their values in the file."""
        word = given_kind(shape)
        return make(schema.SHAPES[word], getattr(shape, word), (*path, word), Reading(self.values))

    def inertia(self, inertia: list[Raw], path: Path) -> ModelPart:
        """One moment for all axes, three, six, or a matrix."""
        if len(inertia) == 1:
            return (self.values.number(inertia[0], path),) * 3
        if isinstance(inertia[0], list):
            return tuple(self.values.vector(row, (*path, i)) for i, row in enumerate(inertia))
        return self.values.vector(inertia, path)
