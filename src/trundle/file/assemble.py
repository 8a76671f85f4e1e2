"""From the sections of a file to a Model. Every fault is collected with its path; the rest is still checked."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import final

from trundle.errors import FileError, ModelError, TrundleError
from trundle.file import schema
from trundle.file.blocks import Blocks
from trundle.file.construct import Constructor
from trundle.file.expression import Expression
from trundle.file.faults import PLACE, Faults, near
from trundle.file.forces import Forces
from trundle.file.kinds import TOUCHES
from trundle.file.laws import Laws
from trundle.file.non_ideal import NonIdeal
from trundle.file.pairs import Pairs
from trundle.file.parts import Parts
from trundle.file.place import Turn
from trundle.file.scope import Names
from trundle.file.tables import Tables
from trundle.file.tree import Path
from trundle.file.values import Values
from trundle.laws.signals import Signals
from trundle.math import RESERVED
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.typing import Expr, Options, Raw


@final
class Assembler:
    """Builds the model of one file; `given` are values that replace those of parameters."""

    def __init__(
        self, section: schema.ModelSection, faults: Faults, given: Mapping[str, float], folder: FilePath | None = None
    ) -> None:
        self.section, self.faults, self.given, self.folder = section, faults, given, folder
        self.values = Values(faults)
        self.model = Model(section.name)
        self.parts = Parts(self.values, self.model, {**section.bodies, **section.frames})
        constructor = Constructor(self.values)
        self.laws = Laws(constructor)
        self.pairs = Pairs(self.parts, constructor, self.laws)
        self.keys: dict[str, str | int] = {}  # keys of connections in the file

    def assemble(self) -> Model:
        """The model, with all parts that could be understood."""
        section = self.section
        self._parameters()
        self._constants()
        self._tables()
        with self._watch(("gravity",)):
            self.model.gravity = self.values.vector(section.gravity, ("gravity",))
        self.model.impacts = section.impacts
        with self._watch(("scenery",)):
            self.model.scenery = tuple(self.parts.shape(s, ("scenery", i)) for i, s in enumerate(section.scenery))
        for name, body in section.bodies.items():
            with self._watch(("bodies", name)):
                self._body(name, body)
        for name, frame in section.frames.items():
            with self._watch(("frames", name)):
                self._frame(name, frame)
        for key, connection in section.connections.items():
            with self._watch(("connections", key)):
                self._connection(key, connection)
        blocks = Blocks(self.values, self.model)
        for name, state in section.states.items():
            with self._watch(("states", name)):
                blocks.state(name, state, ("states", name))
        for name, block in section.blocks.items():
            with self._watch(("blocks", name)):
                blocks.block(name, block, ("blocks", name))
        self._names()
        names = Names(self.model)
        self.values.check_later(names.signals)
        forces = Forces(self.parts, self.laws, names)
        for name, one in section.forces.items():
            with self._watch(("forces", name)):
                force = forces.make(one, ("forces", name))
                if force is not None:
                    self.model.apply(force, name)
        non_ideal = NonIdeal(self.values, self.model, names.signals)
        for rows, weight in section.relax.items():
            with self._watch(("relax", rows)):
                non_ideal.relax(rows, weight, ("relax", rows))
        for motion, effort in section.resist.items():
            with self._watch(("resist", motion)):
                non_ideal.resist(motion, effort, ("resist", motion))
        self._names_of_forces()
        names = Names(self.model) if section.forces else names  # forces may have states
        for name, output in section.outputs.items():
            with self._watch(("outputs", name)):
                function = self.values.signal(output.expression, ("outputs", name, "expression"), names.signals)
                self.model.output(name, function, output.unit, output.text)
        for name, event in section.events.items():
            with self._watch(("events", name)):
                self._event(name, event, names)
        for i, time in enumerate(section.break_at):
            with self._watch(("break_at", i)):
                self.model.break_at(self.values.number(time, ("break_at", i)))
        self._start(names)
        return self.model

    @contextmanager
    def _watch(self, path: Path) -> Iterator[None]:
        """Context in which errors of the model become faults at this path."""
        try:
            yield
        except FileError:  # too many faults: reading stops
            raise
        except TrundleError as error:
            text, place = str(error), PLACE.match(str(error))
            self.faults.add(path, text[place.end() :] if place and place["name"] == path[-1] else text)

    def _parameters(self) -> None:
        section, scope = self.section, self.values.scope
        for what, given in (("parameter", section.parameters), ("input", section.inputs)):
            for name, one in given.items():
                path = (f"{what}s", name)
                if name in RESERVED:
                    self.faults.add(path, f"{name!r} is a name used in expressions; choose another name")
                    continue
                if one.value.names:
                    hint = (
                        "what follows from others goes to constants" if what == "parameter" else "a run gives signals"
                    )
                    self.faults.add(path, f"{'an' if what == 'input' else 'a'} {what} has a plain number; {hint}")
                    continue
                value = self.given.get(name, self.values.value(one.value, (*path, "value")))
                with self._watch(path):
                    if what == "input":
                        scope.inputs[name] = self.model.input(name, value, one.unit, one.text)
                    else:
                        scope.add_parameter(name, self.model.parameter(name, value, one.unit, one.text), value)
        for name in self.given:
            if name not in {**section.parameters, **section.inputs}:
                known = [*section.parameters, *section.inputs]
                hint = near(name, known) if known else "The file has no parameters."
                self.faults.add(("parameters",), f"there is no parameter called {name!r} to be set. {hint}")

    def _constants(self) -> None:
        scope = self.values.scope
        for name, expression in self.section.constants.items():
            path = ("constants", name)
            if name in RESERVED or name in scope.symbols or name in scope.inputs:
                self.faults.add(
                    path, f"{name!r} is a name used in expressions, a parameter or an input; choose another name"
                )
                continue
            value = self.values.value(expression, path)
            known = all(n in scope.symbols for n in expression.names)
            symbol = self.values.number(expression, path) if known else value
            scope.add_constant(name, symbol, value, any(n in scope.tunable for n in expression.names))

    def _tables(self) -> None:
        tables, scope = Tables(self.values, self.folder), self.values.scope
        for name, given in self.section.tables.items():
            path = ("tables", name)
            if name in RESERVED or name in scope.symbols:
                self.faults.add(
                    path, f"{name!r} is a name used in expressions, a parameter or a constant; choose another name"
                )
                continue
            with self._watch(path):
                table = tables.make(given, path)
                if table is not None:
                    scope.symbols |= tables.known(self.model.table(name, table))

    def _body(self, name: str, body: schema.Body) -> None:
        path = ("bodies", name)
        values = self.values
        shape = tuple(self.parts.shape(s, (*path, "shape", i)) for i, s in enumerate(body.shape))
        if body.density is not None or body.material is not None:
            weighed = {"mass", "inertia", "com", "about"} & body.model_fields_set
            if weighed:
                names = ", ".join(sorted(weighed))
                raise ModelError(
                    f"body {name!r}: {names} cannot be given beside a material or density, which determines them."
                )
            check = body.check_inertia
            self.model.body(name, shape=shape, check_inertia=check, density=body.density, material=body.material)
            return
        self.model.body(
            name,
            values.number(body.mass, (*path, "mass")),
            self.parts.inertia(body.inertia, (*path, "inertia")),
            values.vector(body.com, (*path, "com")),
            body.about if body.about == "com" else values.vector(body.about, (*path, "about")),
            shape,
            body.check_inertia,
        )

    def _frame(self, name: str, frame: schema.MovingFrame) -> None:
        path = ("frames", name)
        position = [self._of_time(v, (*path, "position", i)) for i, v in enumerate(frame.position)]
        shape = tuple(self.parts.shape(s, (*path, "shape", i)) for i, s in enumerate(frame.shape))
        rotation = None if frame.rotation is None else self._turn(frame.rotation, (*path, "rotation"))
        self.model.moving_frame(name, lambda s: tuple(of(s) for of in position), rotation, shape=shape)

    def _turn(self, turn: Turn, path: Path) -> Callable[[Signals], Expr]:
        """A rotation as a function of the signals."""
        if turn.matrix is not None:
            rows = [[self._of_time(v, (*path, i, k)) for k, v in enumerate(row)] for i, row in enumerate(turn.matrix)]
            return lambda s: [[of(s) for of in row] for row in rows]
        if turn.quaternion is not None:
            parts = [self._of_time(v, (*path, i)) for i, v in enumerate(turn.quaternion)]
            return lambda s: tuple(of(s) for of in parts)
        assert turn.angle is not None
        axis, angle = self.parts.axis(turn.axis, (*path, "axis")), self._of_time(turn.angle, (*path, "angle"))
        return lambda s: (axis, angle(s))

    def _of_time(self, expression: Expression, path: Path) -> Callable[[Signals], Expr]:
        return self.values.signal(expression, path, ["t", *self.section.states, *self.section.inputs])

    def _connection(self, key: str | int, connection: schema.Connection) -> None:
        path: Path = ("connections", key)
        touches = connection.pair == TOUCHES
        pair = None if touches else self.pairs.make(connection, path)
        first = self.parts.place(connection.first, (*path, "first"))
        second = self.parts.place(connection.second, (*path, "second"))
        law = self.laws.of_connection(connection.law, (*path, "law"))
        compliance = self.laws.compliance(connection.compliance, (*path, "compliance"))
        restitution = self.laws.restitution(connection.restitution, (*path, "restitution"))
        name = connection.name or (key if isinstance(key, str) else None)
        wheel = None
        options: Options
        made: tuple[ConnectedPair, ...]
        if connection.wheel is not None:
            wheel = self.parts.body(connection.wheel, (*path, "wheel"))
        if touches and first is not None and second is not None:
            options = self.pairs.of_shapes(connection, path)
            made = self.model.contact(first, second, law, restitution, compliance, name, **options)
            self.keys |= {one.name: key for one in made}
        if pair is not None and first is not None and second is not None:
            options = {"law": law, "wheel": wheel, "compliance": compliance}
            options |= {"unilateral": connection.unilateral, "restitution": restitution}
            if connection.points is None:
                made = (self.model.connect(pair, first, second, name, **options),)
            else:
                where = (*path, "points")
                points = {
                    label: self.values.vector(point, (*where, label)) for label, point in _named(connection.points)
                }
                made = self.model.connect_points(pair, first, second, points, name, **options)
            self.keys |= {one.name: key for one in made}

    def _names(self) -> None:
        """Short names, each for a quantity of the model."""
        names = Names(self.model)
        for name, full in self.section.names.items():
            path = ("names", name)
            if name in RESERVED or name in self.values.scope.symbols:
                self.faults.add(
                    path, f"{name!r} is a name used in expressions, a parameter or a constant; choose another name"
                )
            elif full not in names.quantities and full.partition(".")[0] not in self.section.forces:
                self.faults.add(path, f"there is no quantity called {full!r}. {near(full, list(names.quantities))}")
            else:
                with self._watch(path):
                    self.model.alias(name, full)

    def _names_of_forces(self) -> None:
        """Short names of measures of forces, read after the forces."""
        for name, full in self.section.names.items():
            if full.partition(".")[0] in self.model.forces:
                with self._watch(("names", name)):
                    known = Names(self.model).quantities
                    if full not in known:
                        text = f"there is no quantity called {full!r}. {near(full, list(known))}"
                        self.faults.add(("names", name), text)

    def _event(self, name: str, event: schema.Event, names: Names) -> None:
        path = ("events", name)
        function = self.values.signal(event.expression, (*path, "expression"), names.signals)
        action = event.action
        if isinstance(action, dict):
            for target in action:
                if target not in names.changes and target not in self.model.parameters:
                    hint = near(target, [*names.changes, *self.model.parameters])
                    text = f"there is no state or parameter called {target!r}. {hint}"
                    self.faults.add((*path, "action", target), text)
            action = {k: self.values.signal(e, (*path, "action", k), names.signals) for k, e in action.items()}
        self.model.event(name, function, event.direction, action, event.keeps)

    def _start(self, names: Names) -> None:
        for name, value in self.section.start.items():
            path = ("start", name)
            if name not in names.starts:
                hint = near(name, list(names.starts))
                text = f"there is no coordinate, rate or motion of a body called {name!r}. {hint}"
                self.faults.add(path, text)
            elif isinstance(value, list):
                self.model.start[name] = self.values.point(value, path)
            else:
                self.model.start[name] = self.values.value(value, path)


def _named(points: dict[str, Raw] | list[Raw]) -> list[tuple[str, Raw]]:
    """Points of contact by name."""
    return list(points.items()) if isinstance(points, dict) else [(f"point_{i}", p) for i, p in enumerate(points, 1)]
