"""Parts that several sections share: axes, places, shapes."""

from collections.abc import Collection
from typing import Any, final

from trundle.file import schema
from trundle.file.faults import near
from trundle.file.tree import Path
from trundle.file.values import Values
from trundle.model import shape as shapes
from trundle.model.body import Body, Frame
from trundle.model.model import Model
from trundle.typing import Raw


@final
class Parts:
    """Makes parts of one model; `announced` are the bodies that the file names, whether or not they could be made."""

    def __init__(self, values: Values, model: Model, announced: Collection[str]) -> None:
        self.values, self.model, self.announced = values, model, announced

    def axis(self, axis: Raw, path: Path) -> Any:
        """A letter, or three plain numbers."""
        return axis if isinstance(axis, str) else tuple(self.values.fixed(a, (*path, i)) for i, a in enumerate(axis))

    def body(self, name: str, path: Path) -> Body | None:
        """A body; None when there is no such body."""
        bodies = self.model.bodies
        if name not in bodies and name not in self.announced:  # else the fault of the body itself is reported already
            self.values.faults.add(path, f"there is no body called {name!r}. {near(name, list(bodies))}")
        return bodies.get(name)

    def place(self, place: schema.Place, path: Path) -> Body | Frame | None:
        """A frame on a body; None when there is no such body."""
        body = self.body(place.body, path)
        if body is None:
            return None
        at = self.values.vector(place.at, (*path, "at"))
        if place.rotation is None:
            return body if all(isinstance(a, float) and a == 0.0 for a in at) else Frame(body, at)
        return body.frame(at, self._rotation(place.rotation, (*path, "rotation")))

    def _rotation(self, turn: schema.Turn, path: Path) -> Any:
        fixed = self.values.fixed
        if turn.matrix is not None:
            return [[fixed(v, (*path, i, k)) for k, v in enumerate(row)] for i, row in enumerate(turn.matrix)]
        if turn.quaternion is not None:
            return [fixed(v, (*path, i)) for i, v in enumerate(turn.quaternion)]
        assert turn.angle is not None
        return self.axis(turn.axis, (*path, "axis")), fixed(turn.angle, (*path, "angle"))

    def shape(self, shape: schema.Shape, path: Path) -> shapes.Shape:
        """Parameters count with the values that they have in the file."""
        value, point = self.values.value, self.values.point
        if shape.rod is not None:
            path = (*path, "rod")
            ends = point(shape.rod.start, (*path, "start")), point(shape.rod.end, (*path, "end"))
            return shapes.Rod(*ends, value(shape.rod.radius, (*path, "radius")))
        if shape.box is not None:
            path = (*path, "box")
            return shapes.Box(point(shape.box.size, (*path, "size")), point(shape.box.at, (*path, "at")))
        if shape.disc is not None:
            disc, path = shape.disc, (*path, "disc")
            thick = value(disc.thickness, (*path, "thickness"))
            return shapes.Disc(value(disc.radius, (*path, "radius")), disc.axis, point(disc.at, (*path, "at")), thick)
        for name, kind in (("cylinder", shapes.Cylinder), ("capsule", shapes.Capsule)):
            given: schema.Cylinder | None = getattr(shape, name)
            if given is not None:
                at = point(given.at, (*path, name, "at"))
                sizes = [
                    value(v, (*path, name, key)) for key, v in (("radius", given.radius), ("length", given.length))
                ]
                return kind(sizes[0], sizes[1], given.axis, at)
        if shape.sphere is not None:
            path = (*path, "sphere")
            return shapes.Sphere(value(shape.sphere.radius, (*path, "radius")), point(shape.sphere.at, (*path, "at")))
        assert shape.ball is not None
        path = (*path, "ball")
        return shapes.Ball(value(shape.ball.radius, (*path, "radius")), point(shape.ball.at, (*path, "at")))

    def inertia(self, inertia: list[Any], path: Path) -> Any:
        """One moment for all axes, three, six, or a matrix."""
        if len(inertia) == 1:
            return (self.values.number(inertia[0], path),) * 3
        if isinstance(inertia[0], list):
            return tuple(self.values.vector(row, (*path, i)) for i, row in enumerate(inertia))
        return self.values.vector(inertia, path)
