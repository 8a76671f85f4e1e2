"""What a model holds: its parts by name, the rules for names, and look-ups. model.py and declarations.py add them."""

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import NoReturn, Self, TypeVar

from trundle.errors import ModelError, UnknownNameError
from trundle.laws.law import EffortLaw
from trundle.math import RESERVED
from trundle.messages.arguments import explain_calls
from trundle.model.block import Block
from trundle.model.body import Body, Frame, Moves
from trundle.model.connection import ConnectedPair
from trundle.model.coordinate_forces import CoordinateForce
from trundle.model.definitions import Event, Output, Parameter
from trundle.model.force import Force
from trundle.model.input import Input
from trundle.model.shape import Shape
from trundle.model.state import State
from trundle.model.table import ModelTable
from trundle.typing import Expr, Given

FROZEN = (
    "this is the model of a built system, which stays as it is. Change your own model and build it again; "
    "copy.deepcopy(system.model) gives one that can be changed."
)


Part = TypeVar("Part")
_ADDED: dict[str, tuple[type, str]] = {
    "body": (Body, "arm = m.body('arm', mass=1.0)"),
    "connection": (ConnectedPair, "m.connect(tr.Revolute('y'), m.ground, arm)"),
    "force": (Force, "m.apply(tr.Wrench(arm, force=(0, 0, 1)))"),
    "parameter": (
        Parameter, "k = m.parameter('k', 2.0) for its default value; a run takes others, parameters={'k': 3.0}"
    ),
    "table": (ModelTable, "curve = m.table('curve', tr.Table(x, y))"),
    "input": (Input, "u = m.input('u', 0.0); a run takes its values, inputs={'u': 3.0}"),
    "output": (Output, "m.output('height', lambda s: s['bob.position_z'])"),
    "state": (State, "m.state('x', lambda s: -s['x'])"),
    "block": (Block, "m.block(tr.PID(...), 'controller')"),
    "event": (Event, "m.event('bottom', lambda s: s['bob.angle'])"),
}  # fmt: skip


_LISTED = {"body": "m.bodies"} | {kind: f"m.{kind}s" for kind in _ADDED if kind != "body"}


class Named(dict[str, Part]):
    """Parts of a model by name; the error for an unknown name suggests similar ones."""

    def __init__(self, what: str, parts: Mapping[str, Part] | None = None) -> None:
        super().__init__(parts or {})
        self.what = what

    def __missing__(self, name: object) -> NoReturn:
        raise UnknownNameError(str(name), self, self.what)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ("append", "add", "extend", "insert"):
            raise AttributeError(f"{_LISTED[self.what]} is not a list: write {_ADDED[self.what][1]}.", name=name)
        raise AttributeError(
            f"parts of a Model go by name, in square brackets: {_LISTED[self.what]}[{name!r}].",
            name=name,
        )

    def __setitem__(self, name: str, part: Part) -> None:
        kind, how = _ADDED[self.what]
        if not isinstance(part, kind):
            raise ModelError(f"{name!r}: {part!r} cannot be assigned as a {self.what}; write {how}.")
        super().__setitem__(name, part)

    def __reduce__(self) -> tuple[object, ...]:
        return Named, (self.what, dict(self))


@explain_calls
class ModelContents:
    """Bodies, connections, forces, parameters, tables, outputs and events by name; frozen, nothing changes."""

    is_frozen = False  # the copy that a system works on refuses changes
    own_classes: tuple[str, ...] = ()  # in that copy, classes of the user whose code is examined again

    def __init__(self, name: str, gravity: tuple[Expr, Expr, Expr] = (0.0, 0.0, -9.81)) -> None:
        if not isinstance(name, str):
            raise ModelError(f"the name of a model is a text, tr.Model('pendulum'), got {name!r}.")
        self.name = name
        self.ground = Body("ground", moves=Moves.AT_REST)
        self.bodies: dict[str, Body] = Named("body", {"ground": self.ground})
        self.connections: dict[str, ConnectedPair] = Named("connection")
        self.forces: dict[str, Force] = Named("force")
        self.parameters: dict[str, Parameter] = Named("parameter")
        self.tables: dict[str, ModelTable] = Named("table")
        self.inputs: dict[str, Input] = Named("input")  # their levels are parameters, their signals are tables
        self.outputs: dict[str, Output] = Named("output")
        self.states: dict[str, State] = Named("state")
        self.blocks: dict[str, Block] = Named("block")
        self.events: dict[str, Event] = Named("event")
        self.breaks: Sequence[Expr] = []  # times, numbers or expressions of the parameters
        self.aliases: dict[str, str] = {}  # short name -> quantity
        self.relaxations: dict[str, Given] = {}  # constraint row -> weight
        self.weight_matrices: dict[tuple[str, ...], Given] = {}  # constraint rows -> N of [Ikoki 2021, Eq. 18]
        self.resistances: dict[str, Given] = {}  # "connection.motion" -> effort that is not that of an ideal constraint
        self.impacts = "sequential"  # how several contacts of one collision are treated; or "simultaneous", "compliant"
        self.gravity = gravity
        self.scenery: Sequence[Shape] = ()  # shapes that stand on the ground: drawn, without contact
        self.start: dict[str, Given] = {}  # by name, unless a run is given others; loops are assembled near them

    def freeze(self) -> None:
        """Refuse all changes from now on: a system was derived from it."""
        self.is_frozen = True

    def __setattr__(self, name: str, value: object) -> None:
        if self.is_frozen:
            raise ModelError(FROZEN)
        object.__setattr__(self, name, value)

    def __copy__(self) -> Self:
        out = object.__new__(type(self))
        out.__dict__.update({name: value for name, value in vars(self).items() if name != "is_frozen"})
        return out

    def resolve(self, name: str) -> str:
        """The full name of a quantity.

        Parameters
        ----------
        name : str
            It may be a short name, with an ending such as _rate or _x.

        Returns
        -------
        str
        """
        return full_name(name, self.aliases)

    def coordinate_laws(self) -> dict[str, Force]:
        """Laws of connections as forces on coordinates, by the name of the coordinate."""
        return {
            f"{c.name}.{coordinate}": CoordinateForce(f"{c.name}.{coordinate}", law)
            for c in self.connections.values()
            for coordinate, law in c.laws.items()
            if isinstance(law, EffortLaw)
        }

    def every_state(self) -> list[State]:
        """States of the model, of its blocks and of its forces."""
        parts: list[Block | Force] = [*self.blocks.values(), *self.forces.values()]
        return [*self.states.values(), *(state for part in parts for state in part.states())]

    def relaxed(self) -> list[str]:
        """Everything that is not an ideal constraint: relaxed rows, resisted motions, contacts that relax slips."""
        mixed = [row for rows in self.weight_matrices for row in rows]
        by_laws = [c.name for c in self.connections.values() if c.relaxes]
        return [*self.relaxations, *mixed, *self.resistances, *by_laws]

    @property
    def free_bodies(self) -> list[Body]:
        """Bodies whose motion is to be found."""
        return [body for body in self.bodies.values() if body.is_free]

    @property
    def moving_bodies(self) -> list[Body]:
        """Bodies that are not at rest."""
        return [body for body in self.bodies.values() if not body.is_at_rest]

    @property
    def roots(self) -> list[Body]:
        """Bodies whose motion is known: the ground, and those with a given motion."""
        return [body for body in self.bodies.values() if not body.is_free]

    @property
    def frames(self) -> list[Body]:
        """Moving frames: bodies without mass whose motion is given."""
        return [body for body in self.bodies.values() if body.moves is Moves.GIVEN]

    def parameter_symbols(self) -> list[Expr]:
        """Symbols of the parameters and of the tables, in their order among the parameters of kernels."""
        return [*(p.symbol for p in self.parameters.values()), *(table.symbol for table in self.tables.values())]

    def names_given(self) -> list[str]:
        """Names of the values that a run accepts: parameters and inputs, then tables."""
        signals = {own.signal.name for own in self.inputs.values()}
        return [*self.parameters, *(name for name in self.tables if name not in signals)]

    def parameter_values(self) -> dict[str, float]:
        """Default values by name."""
        return {p.name: p.value for p in self.parameters.values()}

    @staticmethod
    def _need_function(function: object, what: str) -> None:
        if not callable(function):
            raise ModelError(f"{what} needs a function of signals, like lambda s: s['bob.angle'], got {function!r}.")
        try:
            parameters = signature(function)
        except ValueError:  # a function of C that tells nothing
            return
        try:
            parameters.bind("s")
        except TypeError:
            raise ModelError(
                f"{what} is called with one argument, the signals, lambda s: s['bob.angle']; its function takes "
                f"{parameters}. Only laws on a joint are called with time, coordinate and rate."
            ) from None

    def _new_quantity(self, name: str, what: str) -> None:
        """Check a name: parameters, tables, outputs, states and short names share one namespace in expressions and
        results.
        """
        check_name(name, what)
        a = "an" if what in ("input", "output") else "a"
        known: dict[str, Mapping[str, object]] = {"parameter": self.parameters, "table": self.tables}
        known |= {"output": self.outputs, "state": self.states, "short name": self.aliases}
        for kind, taken in known.items():
            self._new_name(name, taken, kind)
        rates = {f"{state}_rate": state for state in self.states}
        if name in rates:
            raise ModelError(f"{name!r} cannot be the name of {a} {what}: it is the rate of state {rates[name]!r}.")
        if what == "state" and any(f"{name}_rate" in taken for taken in known.values()):
            raise ModelError(f"state {name!r}: its rate would be called {name + '_rate'!r}, which exists already.")
        if name in RESERVED:
            meant = {"t": "time", "q": "the coordinate in laws", "u": "the rate in laws"}.get(name)
            word = f"a name used in expressions ({name} is {meant})" if meant else "a name used in expressions"
            raise ModelError(f"{name!r} cannot be the name of {a} {what}: it is {word}. Choose another name.")
        if full_name(name, self.aliases) != name:
            raise ModelError(
                f"{name!r} cannot be the name of {a} {what}: it is already the short name of {self.resolve(name)!r}."
            )

    def motion_along(self, name: object) -> tuple[ConnectedPair, str] | None:
        """The connection and its bond or coordinate that a name means.

        Parameters
        ----------
        name : object
            Such as "wheel.slip_x".

        Returns
        -------
        tuple or None
            (connection, "slip_x"); None if there is no such connection.
        """
        owner, _, motion = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        return (self.connections[owner], motion) if owner in self.connections else None

    def _new_connection(self, name: str, first: Frame, second: Frame) -> None:
        """Names of connections, of those with several contacts too, are unique; of bodies they have only their own."""
        self._new_name(name, {c.partition(".")[0]: c for c in self.connections}, "connection")
        if name in self.bodies and self.bodies[name] not in (first.body, second.body):
            raise ModelError(
                f"connection {name!r} has the name of a body that it does not connect; choose another name."
            )

    def _new_name(self, name: str, taken: Mapping[str, object], what: str) -> None:
        if self.is_frozen:
            raise ModelError(FROZEN)
        check_name(name, what)
        for kind, others in (("force", self.forces), ("block", self.blocks)):
            if what in ("body", "connection") and name in others:
                raise ModelError(f"{name!r} is the name of a {kind}; choose another one for the {what}.")
        if name in taken:
            article = "an" if what[0] in "aeiou" else "a"
            raise ModelError(f"there is already {article} {what} called {name!r}; names are unique.")


def check_name(name: str, what: str) -> None:
    """Refuse what cannot be a name; one that begins with a bracket would be a list of symbols to CasADi."""
    if not isinstance(name, str) or not name or name[0] == "[" or any(c in "./" or not c.isprintable() for c in name):
        a = "an" if what in ("input", "output") else "a"
        raise ModelError(f"{name!r} cannot name {a} {what}: use letters, digits, spaces, '-' and '_'.")


def full_name(name: str, aliases: Mapping[str, str]) -> str:
    """The name of a quantity with a short name at its beginning replaced."""
    if name in aliases:
        return aliases[name]
    for short, full in aliases.items():
        ending = name.removeprefix(short)
        if name.startswith(short) and (ending == "" or ending in ("_rate", "_acceleration", "_w", "_x", "_y", "_z")):
            return full + ending
    return name
