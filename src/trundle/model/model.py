"""The model: what the user says, in the order it is said. Nothing is derived here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.laws.law import EffortLaw
from trundle.laws.restitution import Restitution
from trundle.math import RESERVED
from trundle.model.body import Body, Frame, Moves, as_frame, components
from trundle.model.connection import ConnectedPair, LawsGiven, connect
from trundle.model.crossing import Crossing
from trundle.model.force import CoordinateForce, Force
from trundle.model.frame import course_motion, given_motion
from trundle.model.joint import Joint
from trundle.model.shape import Shape
from trundle.model.symbol import ParameterSymbol
from trundle.pairs.lower import Pair
from trundle.quantity import Quantity

if TYPE_CHECKING:
    from trundle.system import System

FROZEN = (
    "this is the model of a built system, which stays as it is. Change your own model and build it again; "
    "copy.deepcopy(system.model) gives one that can be changed."
)


@final
@dataclass(frozen=True, eq=False)
class Parameter:
    """A number that can be changed without compiling again."""

    name: str
    symbol: Any
    value: float
    unit: str
    text: str


@final
@dataclass(frozen=True, eq=False)
class Output:
    """A quantity defined by the user: an expression of the signals."""

    name: str
    function: Callable[[Any], Any]
    unit: str
    text: str

    def quantities(self) -> Iterator[Quantity]:
        """The output itself."""
        text = self.text or "quantity defined by the user"
        yield Quantity(
            "", self.name, self.unit, text, 1, lambda s: ca.SX(self.function(s.signals)), "outputs", "output"
        )


@final
@dataclass(frozen=True, eq=False)
class Event:
    """Zero crossing of an expression of the signals.

    direction -1 falling, +1 rising, 0 both; action "record", "stop", or assignments {speed, coordinate or parameter:
    s -> expression}.
    """

    name: str
    function: Callable[[Any], Any]
    direction: int = 0
    action: str | Mapping[str, Callable[[Any], Any]] = "record"


@final
class Model:
    """A mechanism: bodies, connections, forces. z is up; gravity is 9.81 m/s^2 downwards unless said otherwise."""

    is_frozen = False  # the copy that a system works on refuses changes
    own_classes: tuple[str, ...] = ()  # in that copy, classes of the user whose code is asked again

    def __init__(self, name: str, gravity: tuple[Any, Any, Any] = (0.0, 0.0, -9.81)) -> None:
        self.name = name
        self.gravity = gravity
        self.ground = Body("ground", moves=Moves.AT_REST)
        self.bodies: dict[str, Body] = {"ground": self.ground}
        self.connections: dict[str, ConnectedPair] = {}
        self.forces: dict[str, Force] = {}
        self.parameters: dict[str, Parameter] = {}
        self.outputs: dict[str, Output] = {}
        self.events: dict[str, Event] = {}
        self.breaks: Any = []  # times, numbers or expressions of the parameters
        self.aliases: dict[str, str] = {}  # short name -> quantity
        self.relaxations: dict[str, Any] = {}  # constraint row -> weight
        self.impacts = "sequential"  # how several contacts of one collision are treated; or "simultaneous", "compliant"
        self.start: dict[
            str, Any
        ] = {}  # start values by name, used unless a run is given others; loops are assembled near them

    def freeze(self) -> None:
        """Refuse all changes from now on: a system was derived from it."""
        self.is_frozen = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self.is_frozen:
            raise ModelError(FROZEN)
        object.__setattr__(self, name, value)

    def __copy__(self) -> "Model":
        out = object.__new__(Model)
        out.__dict__.update({name: value for name, value in vars(self).items() if name != "is_frozen"})
        return out

    def __deepcopy__(self, memo: Any) -> "Model":
        """A model that can be changed; its functions are asked and stand by their answers."""
        from trundle.model.freeze import recorded

        return recorded(self)

    def __reduce__(self) -> tuple[Any, ...]:
        from trundle.model.pack import packed

        return packed(self)

    def body(
        self,
        name: str,
        mass: Any = 0.0,
        inertia: Any = (0.0, 0.0, 0.0),
        com: tuple[Any, Any, Any] = (0.0, 0.0, 0.0),
        about: Any = "com",
        shape: tuple[Shape, ...] | Shape = (),
        check_inertia: bool = True,
    ) -> Body:
        """Add a rigid body.

        Parameters
        ----------
        mass : float or expression
            In kg.
        inertia : number, three moments or matrix
            In kg m^2, about `about`, in axes of the body frame.
        com : tuple
            Mass centre in the body frame (m).
        about : "com" or tuple
            Point about which the inertia is given.
        shape : Shape or tuple of Shape
            For pictures only.
        check_inertia : bool
            Measured moments that break the triangle rule (no principal moment exceeds the sum of the other two) by up
            to 10 % are taken with a warning; False takes all that leave the motion well posed, without a warning.

        Returns
        -------
        Body
            To be connected, also by its frames: `body.at(x, y, z)`.
        """
        self._new_name(name, self.bodies, "body")
        shapes = shape if isinstance(shape, tuple) else (shape,)
        self.bodies[name] = Body(name, mass, inertia, components(com), about, shapes, check_inertia=check_inertia)
        return self.bodies[name]

    def moving_frame(
        self, name: str, position: Any = (0.0, 0.0, 0.0), rotation: Any = None, motion: Any = None
    ) -> Body:
        """Add a frame whose motion is given, such as the deck of a ship: bodies that are connected to it are described
        relative to it.

        Parameters
        ----------
        position : tuple, or function of the signals
            Origin of the frame in the ground (m). Expressions of time (`lambda s: (0, 0, tr.sin(s.t))`), parameters
            and states (`s["name"]`); derivatives come from the tape.
        rotation : (axis, angle), matrix, quaternion (w, x, y, z), or function of the signals
            From the axes of the frame to those of the ground.
        motion : object, optional
            In place of both: its `frame_state(s)` gives R and p in the ground, and v, w, a, eps in the axes of the
            frame, as `trundle.model.frame.FrameState` says.

        Returns
        -------
        Body
            To be connected as any body, also by its frames: `deck.at(x, y, z)`.
        """
        self._new_name(name, self.bodies, "body")
        if motion is not None:
            given = course_motion(motion)
        else:
            given = given_motion(position, ("z", 0.0) if rotation is None else rotation)
        self.bodies[name] = Body(name, moves=Moves.GIVEN, motion=given)
        return self.bodies[name]

    def connect(
        self,
        pair: Pair | Joint,
        first: Body | Frame,
        second: Body | Frame,
        name: str | None = None,
        law: LawsGiven = None,
        wheel: Body | None = None,
        compliance: EffortLaw | Mapping[str, EffortLaw] | None = None,
        unilateral: bool = False,
        restitution: Restitution | float | None = None,
    ) -> ConnectedPair:
        """Join two bodies, or frames on them.

        Parameters
        ----------
        pair : Pair or Joint
            tr.Revolute("y"), tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), tr.AxisJoint(...), ...
        name : str, optional
            That of the second body unless given.
        law : law or mapping, optional
            On the coordinates of the pair or, for a higher pair, on the bonds of its point of contact: tr.NoSlip(),
            {"slip_x": tr.Damper(5.0)}.
        wheel : Body, optional
            The body that carries the second surface where this turns about its own axis (y) against the second body;
            the contact is then followed from the frame that the wheel is mounted in.
        compliance : law or mapping, optional
            Springs in place of what the pair holds: tr.Spring(stiffness, damping) for all its bonds or {bond: spring};
            "translation" and "rotation" name all bonds of a kind. The deflections are coordinates then.
        unilateral : bool
            The contact may open; it closes again by a collision with the friction of its law.
        restitution : Restitution or float, optional
            Of that collision: tr.Stronge(e), tr.Poisson(e) or tr.Newton(e); a number is Poisson's. Plastic unless
            given. It makes the contact unilateral.

        Raises
        ------
        ModelError
            Where a name is taken, or a law or spring does not fit the pair.
        """
        a, b = as_frame(first), as_frame(second)
        if name is None:
            taken = {c.partition(".")[0] for c in self.connections}
            name = b.body.name if b.body.name not in taken and b.body.is_free else ""
            name = name or f"{a.body.name}-{b.body.name}"
        self._new_connection(name, a, b)
        self.connections[name] = connect(name, pair, a, b, law, wheel, compliance, unilateral, restitution)
        return self.connections[name]

    def connect_points(
        self,
        pair: Pair | Joint,
        first: Body | Frame,
        second: Body | Frame,
        points: Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]],
        name: str | None = None,
        **options: Any,
    ) -> tuple[ConnectedPair, ...]:
        """Join two bodies by one connection that touches in several points, such as a box on its corners.

        Parameters
        ----------
        pair : Pair or Joint
            The same at every point.
        first, second : Body or Frame
            What is joined.
        points : mapping or sequence
            Places (m) from the origin of `second`, in its axes, by name; those of a sequence are called point_1,
            point_2, ...
        name : str, optional
            Of the connection; that of the second body unless given. Its contacts are called `name.point`, and their
            quantities `name.point.gap` and so on.
        **options
            law, wheel, compliance, unilateral and restitution as in `connect`, for each of the contacts.

        Returns
        -------
        tuple of ConnectedPair
            The contacts, in the order of the points.

        Raises
        ------
        ModelError
            Where a name is taken, a point has not three components, or there is none.
        """
        frame = as_frame(second)
        name = name or frame.body.name
        _check_name(name, "connection")
        if not points:
            raise ModelError(f"connection {name!r} needs at least one point.")
        named = points if isinstance(points, Mapping) else {f"point_{i}": p for i, p in enumerate(points, start=1)}
        for label, point in named.items():
            _check_name(label, "point of contact")
            if len(components(point)) != 3:
                raise ModelError(f"connection {name!r}: {label} must have three components (m), got {point!r}.")
        a = as_frame(first)
        self._new_connection(name, a, frame)
        found = {}
        for label, point in named.items():
            place = tuple(
                x + sum(float(r) * y for r, y in zip(row, components(point), strict=True) if r)
                for x, row in zip(frame.position, frame.rotation, strict=True)
            )
            at, whole = Frame(frame.body, place, frame.rotation), f"{name}.{label}"
            found[whole] = connect(whole, pair, a, at, **options)
        self.connections.update(found)
        return tuple(found.values())

    def apply(self, force: Force, name: str | None = None) -> Force:
        """Add a force; without a name it is called after its kind and number."""
        if not isinstance(force, Force):
            raise ModelError(
                f"apply takes a force such as tr.SpringDamper or tr.Wrench, got {force!r}. Laws belong to connections: "
                "model.connect(pair, first, second, law=...), or tr.CoordinateForce(coordinate, law)."
            )
        if name is None:
            kind = type(force).__name__.lower()
            name = next(n for i in range(1, 10_000) if (n := f"{kind}-{i}") not in self.forces)
        self._new_name(name, self.forces, "force")
        if name in self.bodies or name in self.connections:
            raise ModelError(f"force {name!r} has the name of a body or connection; choose another name.")
        self.forces[name] = force
        return force

    def parameter(self, name: str, value: float, unit: str = "", text: str = "") -> Any:
        """Declare a tunable number and return its symbol, to be used wherever a number may stand."""
        self._new_quantity(name, "parameter")
        if not (isinstance(value, float | int | np.number) and isfinite(value)):
            raise ModelError(f"parameter {name!r} must be a finite number, got {value!r}.")
        symbol = ParameterSymbol(ca.SX.sym(name))
        self.parameters[name] = Parameter(name, symbol, float(value), unit, text)
        return symbol

    def alias(self, name: str, quantity: str) -> None:
        """Give a quantity a short name: alias("roll", "rear.roll") makes "roll", "roll_rate" and so on known
        wherever quantities go by name.
        """
        if name in self.bodies:
            raise ModelError(f"{name!r} cannot be a short name: it is a body.")
        self._new_quantity(name, "short name")
        for other in (*self.parameters, *self.outputs):
            if full_name(other, {name: quantity}) != other:
                raise ModelError(
                    f"with the short name {name!r}, {other!r} would mean {quantity!r} too; choose another."
                )
        self.aliases[name] = quantity

    def resolve(self, name: str) -> str:
        """The full name of a quantity that may be given by a short name, with an ending such as _rate or _x."""
        return full_name(name, self.aliases)

    def output(self, name: str, function: Callable[[Any], Any], unit: str = "", text: str = "") -> None:
        """Define a quantity of your own: an expression of the signals s["body.quantity"], s.t."""
        self._new_quantity(name, "output")
        self._need_function(function, f"output {name!r}")
        self.outputs[name] = Output(name, function, unit, text)

    def event(
        self,
        name: str,
        function: Callable[[Any], Any],
        direction: int = 0,
        action: str | Mapping[str, Callable[[Any], Any]] = "record",
    ) -> None:
        """Watch for zero crossings of an expression of the signals; see Event for the actions.

        A comparison (s["bob.angle"] > 0.2) stands for the difference of its sides: it rises where it becomes true.
        """
        self._new_name(name, self.events, "event")
        self._need_function(function, f"event {name!r}")
        if direction not in (-1, 0, 1):
            raise ModelError(f"event {name!r}: direction is -1 (falling), 0 (both) or +1 (rising), not {direction!r}.")
        if not isinstance(action, Mapping) and action not in ("record", "stop"):
            raise ModelError(f"event {name!r}: action is 'record', 'stop' or assignments, not {action!r}.")
        self.events[name] = Event(name, Crossing(function), direction, action)

    def break_at(self, *times: Any) -> None:
        """Name times at which a law changes abruptly, numbers or expressions of parameters: steps end there. Times at
        which laws compare time with something (tr.step(t - a), tr.where(t < a, ...)) are found without that.
        """
        if self.is_frozen:
            raise ModelError(FROZEN)
        known = {p.symbol.element_hash() for p in self.parameters.values()}
        for time in times:
            if isinstance(time, float | int | np.number) and not isinstance(time, bool) and isfinite(time):
                self.breaks.append(float(time))
            elif isinstance(time, ca.SX) and time.numel() == 1 and {s.element_hash() for s in ca.symvar(time)} <= known:
                self.breaks.append(time)
            else:
                raise ModelError(f"break_at takes times in s, numbers or expressions of parameters, got {time!r}.")

    def relax(self, row: str, weight: Any) -> None:
        """Give a constraint row ("connection.bond") a weight between 0 (lifted) and 1 (held), a number or a function
        of the signals s, which then also has s.multiplier("connection.bond"): the force that the row would bring if all
        rows were held in full. A relaxed row holds accelerations only; the formalism is then "udwadia_kalaba".
        """
        if not isinstance(row, str) or row.rpartition(".")[0] not in self.connections:
            raise ModelError(f"relax takes the row of a connection, such as 'wheel.slip_x', got {row!r}.")
        if not callable(weight) and not (isinstance(weight, float | int | np.number) and 0 <= weight <= 1):
            known = {p.symbol.element_hash() for p in self.parameters.values()}
            if not isinstance(weight, ca.SX) or any(s.element_hash() not in known for s in ca.symvar(weight)):
                raise ModelError(f"the weight of {row!r} lies between 0 (lifted) and 1 (held), got {weight!r}.")
        if row in self.relaxations:
            raise ModelError(f"the row {row!r} has a weight already.")
        self.relaxations[row] = weight

    def coordinate_laws(self) -> dict[str, Force]:
        """Laws of connections as forces on coordinates, by the name of the coordinate."""
        return {
            f"{c.name}.{coordinate}": CoordinateForce(f"{c.name}.{coordinate}", law)
            for c in self.connections.values()
            for coordinate, law in c.laws.items()
            if isinstance(law, EffortLaw)
        }

    def relaxed(self) -> list[str]:
        """Constraints that weights relax: rows, and contacts whose law does it."""
        return [*self.relaxations, *(c.name for c in self.connections.values() if c.relaxes)]

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

    def parameter_values(self) -> dict[str, float]:
        """Default values by name."""
        return {p.name: p.value for p in self.parameters.values()}

    def build(self, formalism: str | None = None) -> "System":
        """Check the model, derive its equations and make it ready to run. Raises ModelError with every fault found.

        formalism: "kane" unless given, or "udwadia_kalaba" where constraints are relaxed, which only that one knows.
        "newton_euler" measures angles between bodies within half a turn either way while it runs: a spring that is
        wound up further needs "kane". The angles of its results have all their turns.
        """
        from trundle.system import build

        return build(self, formalism)

    def _need_function(self, function: Any, what: str) -> None:
        if not callable(function):
            raise ModelError(f"{what} needs a function of signals, like lambda s: s['bob.angle'], got {function!r}.")

    def _new_quantity(self, name: str, what: str) -> None:
        """Parameters, outputs and short names stand beside each other in expressions and results."""
        for taken, kind in ((self.parameters, "parameter"), (self.outputs, "output"), (self.aliases, "short name")):
            self._new_name(name, taken, kind)
        if name in RESERVED:
            meant = {"t": "time", "q": "the coordinate in laws", "u": "its rate in laws"}.get(name)
            word = f"a word of expressions, {meant}" if meant else "a word of expressions"
            raise ModelError(f"{name!r} cannot be the name of a {what}: it is {word}. Choose another name.")
        if full_name(name, self.aliases) != name:
            raise ModelError(
                f"{name!r} cannot be the name of a {what}: by a short name it means {self.resolve(name)!r} already."
            )

    def _new_connection(self, name: str, first: Frame, second: Frame) -> None:
        """Names of connections, of those with several contacts too, are unique; of bodies they have only their own."""
        self._new_name(name, {c.partition(".")[0]: c for c in self.connections}, "connection")
        if name in self.bodies and self.bodies[name] not in (first.body, second.body):
            raise ModelError(f"connection {name!r} has the name of a body that it does not join; choose another name.")

    def _new_name(self, name: str, taken: Mapping[str, Any], what: str) -> None:
        if self.is_frozen:
            raise ModelError(FROZEN)
        _check_name(name, what)
        if what in ("body", "connection") and name in self.forces:
            raise ModelError(f"{name!r} is the name of a force; choose another one for the {what}.")
        if name in taken:
            raise ModelError(f"there is already a {what} called {name!r}; names are unique.")


def _check_name(name: str, what: str) -> None:
    if not isinstance(name, str) or not name or any(c in "./" or not c.isprintable() for c in name):
        raise ModelError(f"{name!r} cannot name a {what}: use letters, digits, spaces, '-' and '_'.")


def full_name(name: str, aliases: Mapping[str, str]) -> str:
    """The name of a quantity with a short name at its beginning replaced."""
    if name in aliases:
        return aliases[name]
    for short, full in aliases.items():
        ending = name.removeprefix(short)
        if name.startswith(short) and (ending == "" or ending in ("_rate", "_acceleration", "_w", "_x", "_y", "_z")):
            return full + ending
    return name
