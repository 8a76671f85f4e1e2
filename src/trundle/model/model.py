"""The model: what the user says, in the order it is said. Nothing is derived here."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import TYPE_CHECKING, Any, final

import casadi as ca
import numpy as np

from trundle.arguments import advised
from trundle.errors import ModelError
from trundle.laws.law import EffortLaw
from trundle.laws.restitution import Restitution
from trundle.laws.signals import Signals
from trundle.lookup.signal import constant_signal
from trundle.lookup.table import Table
from trundle.model.block import Block
from trundle.model.body import Body, Frame, Moves, as_frame, components
from trundle.model.connection import ConnectedPair, LawsGiven, connect
from trundle.model.contents import FROZEN, ModelContents, check_name, full_name
from trundle.model.crossing import Crossing
from trundle.model.definitions import Event, Output, Parameter
from trundle.model.force import Force
from trundle.model.frame import course_motion, given_motion
from trundle.model.input import Input, signal_name
from trundle.model.joint import Joint
from trundle.model.material import density_of, describe_mass, from_shapes
from trundle.model.non_ideal import check_matrix, check_resistance, check_weight
from trundle.model.part_check import as_shapes, body_faults, force_faults, joined_faults, refuse, vector_faults
from trundle.model.shape import Shape
from trundle.model.state import State
from trundle.model.table import ModelTable
from trundle.model.touching import touches_of
from trundle.pairs.equivalent import expand_chain
from trundle.pairs.lower import Pair
from trundle.space.chain import Chain
from trundle.symbol import ParameterSymbol
from trundle.typing import Expr, Values

if TYPE_CHECKING:
    from trundle.system import System

ZERO = (0.0, 0.0, 0.0)
_JOINT = "joints and contacts are connections, m.connect(tr.Revolute('y'), m.ground, bob)"
_KEPT = "a model is kept as the script, or as the model file that tr.load_model reads; run.save keeps results"
_FORCE = "write m.apply(tr.Wrench(bob, force=(0, 0, 1)))"
ELSEWHERE = {
    "joint": _JOINT,
    "add_joint": _JOINT,
    "force": _FORCE,
    "add_force": _FORCE,
    "spring": "write m.apply(tr.SpringDamper(m.ground, bob, stiffness)), or law=tr.Spring(stiffness) in m.connect",
    "damper": "write law=tr.Damper(damping) in m.connect",
    "save": _KEPT,
    "to_yaml": _KEPT,
}
"""What new users look for, and where it is."""


@final
class Model(ModelContents):
    """A mechanism: bodies, connections, forces. z is up; the default gravity is 9.81 m/s^2 downwards."""

    def __repr__(self) -> str:
        counts = (
            (len(self.free_bodies), "body", "bodies"),
            (len(self.connections), "connection", "connections"),
            (len(self.forces), "force", "forces"),
        )
        parts = [f"{count} {one if count == 1 else many}" for count, one, many in counts]
        return f"<Model {self.name!r}: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from trundle.view.notebook import model_html

        return model_html(self)

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "gravity":
            refuse(vector_faults(self, value, "gravity of the model"), "Give a vector in m/s^2, like (0, 0, -9.81).")
        if name == "start" and not isinstance(value, Mapping):
            raise ModelError(f"give start values by name, m.start = {{'body.coordinate': value}}, not as {value!r}.")

    def __getattr__(self, name: str) -> Any:
        if name in ("simulate", "batch", "linearise", "equilibrium", "steady", "describe", "stepper"):
            text = f"a Model has no {name!r}: build it first, system = m.build(), and ask system.{name}(...)."
            raise AttributeError(text, name=name, obj=self)
        if name in ELSEWHERE:
            raise AttributeError(f"a Model has no {name!r}: {ELSEWHERE[name]}.", name=name, obj=self)
        near = get_close_matches(name, [n for n in dir(type(self)) if not n.startswith("_")], n=2)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise AttributeError(f"a Model has no attribute {name!r}.{hint}", name=name, obj=self)

    def __deepcopy__(self, memo: dict[int, object]) -> "Model":
        """A model that can be changed; its functions are asked and stand by their answers."""
        from trundle.model.freeze import recorded

        return recorded(self)

    def __reduce__(self) -> tuple[object, ...]:
        from trundle.model.pack import packed

        return packed(self)

    @advised(
        position="a joint places a body, m.connect(joint, m.ground.at(0, 0, 1), arm); one that flies has start values",
        at="a joint places a body, m.connect(joint, m.ground.at(0, 0, 1), arm); one that flies has start values",
        length="give the mass centre, com=(0, 0, -0.5), or a shape, shape=tr.shape.Box((0.1, 0.1, 1.0))",
        radius="give a shape, shape=tr.shape.Ball(0.1)",
        size="give a shape, shape=tr.shape.Box((0.1, 0.1, 1.0))",
        velocity="start values go to the model by name, m.start = {'arm.velocity': (1, 0, 0)}",
    )
    def body(
        self,
        name: str,
        mass: Expr = 0.0,
        inertia: object = ZERO,
        com: tuple[Expr, Expr, Expr] = ZERO,
        about: object = "com",
        shape: tuple[Shape, ...] | Shape = (),
        check_inertia: bool = True,
        density: float | None = None,
        material: str | None = None,
    ) -> Body:
        """Add a rigid body.

        Parameters
        ----------
        name : str
        mass : float or expression
            In kg.
        inertia : number, three moments or matrix
            In kg m^2, about `about`, in axes of the body frame.
        com : tuple
            Mass centre in the body frame (m).
        about : "com" or tuple
            Point about which the inertia is given.
        shape : Shape or tuple of Shape
            For pictures, and with a density for mass, centre and inertia.
        check_inertia : bool
            Measured moments that violate the triangle inequality (no principal moment exceeds the sum of the other
            two) by up to 10 % are accepted with a warning; False accepts all with which the motion is well posed,
            without a warning.
        density : float, optional
            Of the shapes (kg/m^3): mass, centre and inertia follow from them; `body.mass_source` and `describe()` show
            the values used. Shapes are added up and should not overlap.
        material : str, optional
            In place of the density: "steel", "aluminium", ... (`trundle.model.material.MATERIALS`).

        Returns
        -------
        Body
            To be connected, also by its frames: `body.at(x, y, z)`.
        """
        self._new_name(name, self.bodies, "body")
        shapes = as_shapes(f"body {name!r}", shape)
        said = ""
        if density is not None or material is not None:
            if not (isinstance(mass, float) and mass == 0.0 and inertia is ZERO and com is ZERO):
                raise ModelError(f"body {name!r}: mass, inertia and com follow from the density; leave them out.")
            amount = density_of(name, density, material)
            mass, centre, inertia = from_shapes(name, shapes, amount)
            said = describe_mass(mass, centre, inertia, amount, material, len(shapes))
            com = (float(centre[0]), float(centre[1]), float(centre[2]))
        body = Body(name, mass, inertia, components(com), about, shapes, check_inertia=check_inertia, mass_source=said)
        refuse(body_faults(self, body))
        self.bodies[name] = body
        return body

    def moving_frame(
        self,
        name: str,
        position: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
        motion: Any = None,
        shape: tuple[Shape, ...] | Shape = (),
    ) -> Body:
        """Add a frame with prescribed motion, such as the deck of a ship: bodies connected to it are described
        relative to it.

        Parameters
        ----------
        name : str
        position : tuple, or function of the signals
            Origin of the frame in the ground (m). Expressions of time (`lambda s: (0, 0, tr.sin(s.t))`), parameters
            and states (`s["name"]`); derivatives come from the tape.
        rotation : (axis, angle), matrix, quaternion (w, x, y, z), or function of the signals
            From the axes of the frame to those of the ground.
        motion : object, optional
            In place of both: its `frame_state(s)` gives R and p in the ground, and v, w, a, eps in the axes of the
            frame, as `trundle.model.frame.FrameState` says.
        shape : Shape or tuple of Shape
            For pictures only.

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
        shapes = shape if isinstance(shape, tuple) else (shape,)
        self.bodies[name] = Body(name, shape=shapes, moves=Moves.GIVEN, motion=given)
        return self.bodies[name]

    @advised(
        damping="what acts in a joint is its law, law=tr.Damper(0.1)",
        stiffness="what acts in a joint is its law, law=tr.Spring(20.0, 0.1)",
        friction="friction of a contact is its law, law=tr.Coulomb(0.3)",
        mu="friction of a contact is its law, law=tr.Coulomb(0.3)",
        at="the place is that of the bodies, m.connect(pair, m.ground.at(0, 0, 1), bob)",
        axis="the joint has it, tr.Revolute('y')",
        e="write restitution=0.5",
    )
    def connect(
        self,
        pair: Pair | Joint | Chain,
        first: Body | Frame,
        second: Body | Frame,
        name: str | None = None,
        law: LawsGiven = None,
        wheel: Body | None = None,
        compliance: EffortLaw | Mapping[str, EffortLaw] | None = None,
        unilateral: bool = False,
        restitution: Restitution | float | None = None,
    ) -> ConnectedPair:
        """Connect two bodies, or frames on them.

        Parameters
        ----------
        pair : Pair, Joint or Chain
            tr.Revolute("y"), tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), tr.AxisJoint(...), ... A tr.Chain of screws of
            your own becomes single joints `name_coordinate` with massless bodies between them; the last one is given
            back.
        first, second : Body or Frame
            What is joined; `body.at(x, y, z)` and `body.frame(...)` are frames.
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

        Returns
        -------
        ConnectedPair

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
        if isinstance(pair, Chain):
            if unilateral or any(option is not None for option in (law, wheel, compliance, restitution)):
                text = "a chain of screws takes no laws and springs of a contact; m.apply acts on its coordinates"
                raise ModelError(f"connection {name!r}: {text} ({name}_coordinate.angle and so on).")
            last: ConnectedPair = expand_chain(pair, self, a, b, name)[-1]
            return last
        self._new_connection(name, a, b)
        refuse(joined_faults(self, name, a, b))
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
        """Connect two bodies by one connection with several contact points, such as a box on its corners.

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
        check_name(name, "connection")
        if not points:
            raise ModelError(f"connection {name!r} needs at least one point.")
        named = points if isinstance(points, Mapping) else {f"point_{i}": p for i, p in enumerate(points, start=1)}
        for label, point in named.items():
            check_name(label, "point of contact")
            if len(components(point)) != 3:
                raise ModelError(f"connection {name!r}: {label} must have three components (m), got {point!r}.")
        a = as_frame(first)
        self._new_connection(name, a, frame)
        refuse(joined_faults(self, name, a, frame))
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

    @advised(mu="friction is its law, law=tr.Coulomb(0.3)", friction="friction is its law, law=tr.Coulomb(0.3)")
    def contact(
        self,
        first: Body | Frame,
        second: Body | Frame,
        law: LawsGiven = None,
        restitution: Restitution | float | None = None,
        compliance: EffortLaw | None = None,
        name: str | None = None,
        planar: bool = False,
        feet: int = 3,
    ) -> tuple[ConnectedPair, ...]:
        """Let the shapes of a body touch a plane: a box with its corners, a ball or sphere with its surface, a cylinder
        or disc with its rims, on which it rolls, and feet on which its ends stand, a capsule with the balls at its
        ends, a rod with its ends. The contacts may open.

        Parameters
        ----------
        first : Body or Frame
            Its plane z = 0, with the material below: m.ground, a face of another body by its frame.
        second : Body or Frame
            Its body has the shapes; a frame says where they are seen from.
        law : law, optional
            Of friction, tr.Coulomb(0.3); without friction unless given.
        restitution : Restitution or float, optional
            Of collisions; plastic unless given.
        compliance : EffortLaw, optional
            A normal that yields, tr.HuntCrossley(...), in place of a rigid one.
        name : str, optional
            Of the connection, that of the second body unless given; its contacts are `name.corner_1` and so on.
        planar : bool
            The body moves in the x, z plane only.
        feet : int
            Points on which each flat end of a cylinder or disc stands; 0 for sharp rims that only roll, as of wheels:
            these cost less, and a run in which one lies flat ends with LIES_FLAT.

        Returns
        -------
        tuple of ConnectedPair
            One for each part that can touch.

        Raises
        ------
        ModelError
            Where the body has no shape, or one that is not known to touch.
        """
        a, b = as_frame(first), as_frame(second)
        taken = {c.partition(".")[0] for c in self.connections}
        name = name or (b.body.name if b.body.name not in taken else f"{a.body.name}-{b.body.name}")
        self._new_connection(name, a, b)
        refuse(joined_faults(self, name, a, b))
        rigid = compliance is None
        found = {}
        for touch in touches_of(name, b, planar, feet):
            whole, at = f"{name}.{touch.label}", touch.frame(b)
            found[whole] = connect(whole, touch.pair, a, at, law, None, compliance, rigid, restitution)
        self.connections.update(found)
        return tuple(found.values())

    def apply(self, force: Force, name: str | None = None) -> Force:
        """Add a force.

        Parameters
        ----------
        force : Force
            tr.SpringDamper, tr.Wrench, tr.CoordinateForce, ...
        name : str, optional
            After its kind and number unless given.

        Returns
        -------
        Force
            The same.

        Raises
        ------
        ModelError
            Where the name is taken or it is not a force.
        """
        if not isinstance(force, Force):
            raise ModelError(
                f"apply takes a force such as tr.SpringDamper or tr.Wrench, got {force!r}. Laws belong to connections: "
                "model.connect(pair, first, second, law=...), or tr.CoordinateForce(coordinate, law)."
            )
        if name is None:
            kind = type(force).__name__.lower()
            name = next(n for i in range(1, 10_000) if (n := f"{kind}-{i}") not in self.forces)
        self._new_name(name, self.forces, "force")
        if name in self.bodies or name in self.connections or name in self.blocks:
            raise ModelError(f"force {name!r} has the name of a body, connection or block; choose another name.")
        refuse(force_faults(self, name, force))
        self.forces[name] = force.named(name)
        return self.forces[name]

    def state(
        self,
        name: str,
        rate: Callable[[Signals], Expr] | None = None,
        start: float = 0.0,
        unit: str = "",
        text: str = "",
    ) -> None:
        """Add a state with its own rate equation: a filter, a controller, a distance travelled.

        Parameters
        ----------
        name : str
            By which it is a signal, s["name"], a start value and a result.
        rate : function of the signals
            Rate per second, lambda s: (s["cart.x"] - s["filtered"]) / 0.1; it may ask for what laws may ask for, for
            other states and for itself.
        start : float
            Value at the start, unless a run is given another: simulate(10, {"filtered": 1.0}).
        unit : str
            For results and tolerances.
        text : str
            One sentence on what it is.

        Raises
        ------
        ModelError
            Where the name is taken, there is no rate, or the start is not a finite number.
        """
        self._new_quantity(name, "state")
        if rate is None:
            raise ModelError(f"state {name!r} has no rate; give one, like rate=lambda s: 1.0 - s[{name!r}].")
        self._need_function(rate, f"the rate of state {name!r}")
        if not (isinstance(start, float | int | np.number) and isfinite(start)):
            raise ModelError(f"state {name!r} must start at a finite number, got {start!r}.")
        self.states[name] = State("", name, rate, float(start), unit, text)

    def block(self, block: Block, name: str) -> Block:
        """Add an element of a controller, with its own states and signals.

        Parameters
        ----------
        block : Block
            tr.PID(...), tr.FirstOrderLag(...), or one of your own.
        name : str
            Its signals are called "name.output" and so on.

        Returns
        -------
        Block
            The block, with its name.

        Raises
        ------
        ModelError
            Where it is no block, or the name is taken.
        """
        if not isinstance(block, Block):
            raise ModelError(f"block takes a block such as tr.PID or tr.FirstOrderLag, got {block!r}.")
        self._new_name(name, self.blocks, "block")
        if name in self.bodies or name in self.connections or name in self.forces:
            raise ModelError(f"block {name!r} has the name of a body, connection or force; choose another name.")
        self.blocks[name] = block.named(name)
        return self.blocks[name]

    def parameter(self, name: str, value: float, unit: str = "", text: str = "") -> Any:
        """Declare a number that can change from run to run without recompiling.

        Parameters
        ----------
        name : str
        value : float
            Unless a run is given another one.
        unit, text : str
            For results and reports.

        Returns
        -------
        expression
            Its symbol, to be used wherever a number may stand.

        Raises
        ------
        ModelError
            Where the name is taken or the value is not finite.
        """
        self._new_quantity(name, "parameter")
        if not (isinstance(value, float | int | np.number) and isfinite(value)):
            raise ModelError(f"parameter {name!r} must be a finite number, got {value!r}.")
        symbol = ParameterSymbol(ca.SX.sym(name))
        self.parameters[name] = Parameter(name, symbol, float(value), unit, text)
        return symbol

    def table(self, name: str, table: Table) -> ModelTable:
        """Declare a table. A run can use another one of the same kind without recompiling: simulate(tables={name:
        ...}).

        Parameters
        ----------
        name : str
            Beside those of parameters and outputs.
        table : Table
            tr.Table(x, y), tr.Table.hermite(...), tr.Table.from_csv(...), ...

        Returns
        -------
        ModelTable
            It is called with expressions inside laws, forces, outputs, events and motions: road(s["car.x"]).

        Raises
        ------
        ModelError
            Where the name is taken, or it is no table.
        """
        self._new_quantity(name, "table")
        if not isinstance(table, Table):
            raise ModelError(f"table {name!r} needs a tr.Table(x, y), got {table!r}.")
        self.tables[name] = ModelTable(name, ParameterSymbol(ca.SX.sym(name)), table)
        return self.tables[name]

    def input(self, name: str, value: float = 0.0, unit: str = "", text: str = "") -> Input:
        """Declare an input, a function of time that is given to each run: simulate(10.0, inputs={name: ...}).

        Parameters
        ----------
        name : str
            Beside those of parameters and outputs; in results it is the value over time.
        value : float
            Which it keeps unless a run is given another one, or a signal.
        unit, text : str
            For results and reports.

        Returns
        -------
        Input
            Inside laws and forces it is called with the time or the signals, u(t) or u(s), or asked for by its name,
            s[name]; a law that takes a function takes it as it is, tr.Motor(u).

        Raises
        ------
        ModelError
            Where the name is taken or the value is not finite.
        """
        self._new_quantity(name, "input")
        self._new_quantity(signal_name(name), "table")
        self.parameter(name, value, unit, text)
        signal = self.table(signal_name(name), constant_signal())
        self.inputs[name] = Input(self.parameters[name], signal)
        return self.inputs[name]

    def alias(self, name: str, quantity: str) -> None:
        """Give a quantity a short name.

        Parameters
        ----------
        name : str
            The short name.
        quantity : str
            What it stands for: alias("roll", "rear.roll") makes "roll", "roll_rate" and so on known wherever
            quantities go by name.

        Raises
        ------
        ModelError
            Where the name is taken.
        """
        if name in self.bodies:
            raise ModelError(f"{name!r} cannot be a short name: it is a body.")
        self._new_quantity(name, "short name")
        for other in (*self.parameters, *self.outputs, *self.states):
            if full_name(other, {name: quantity}) != other:
                raise ModelError(
                    f"with the short name {name!r}, {other!r} would mean {quantity!r} too; choose another."
                )
        self.aliases[name] = quantity

    def output(self, name: str, function: Callable[[Signals], Expr], unit: str = "", text: str = "") -> None:
        """Define a quantity of your own.

        Parameters
        ----------
        name : str
            As it stands in results.
        function : callable
            s -> expression, with s["body.quantity"] and s.t.
        unit, text : str
            For results.

        Raises
        ------
        ModelError
            Where the name is taken.
        """
        self._new_quantity(name, "output")
        self._need_function(function, f"output {name!r}")
        self.outputs[name] = Output(name, function, unit, text)

    def event(
        self,
        name: str,
        function: Callable[[Signals], Expr],
        direction: int = 0,
        action: str | Mapping[str, Callable[[Signals], Expr]] = "record",
        keeps: str = "absolute",
    ) -> None:
        """Add an event: the zero crossings of an expression.

        A comparison (s["bob.angle"] > 0.2) stands for the difference of its sides: it rises where it becomes true.

        Parameters
        ----------
        name : str
            As it stands in results.
        function : callable
            s -> expression, with s["body.quantity"] and s.t.
        direction : {-1, 0, 1}
            Falling, both or rising.
        action : "record", "stop" or mapping
            Or assignments {speed, coordinate or parameter: s -> expression} at the event.
        keeps : {"absolute", "relative"}
            Velocities of bodies that stay where an action changes the velocity of a moving frame: those in the ground
            (nothing strikes them; of least kinetic energy of the change where joints hinder), or those in the frame.

        Raises
        ------
        ModelError
            Where the name is taken, or direction or action are not known.
        """
        self._new_name(name, self.events, "event")
        self._need_function(function, f"event {name!r}")
        if direction not in (-1, 0, 1):
            raise ModelError(f"event {name!r}: direction is -1 (falling), 0 (both) or +1 (rising), not {direction!r}.")
        if not isinstance(action, Mapping) and action not in ("record", "stop"):
            raise ModelError(f"event {name!r}: action is 'record', 'stop' or assignments, not {action!r}.")
        if keeps not in ("absolute", "relative"):
            raise ModelError(
                f"event {name!r}: keeps is 'absolute' (velocities of bodies in the ground) or 'relative' (in the "
                f"frames), not {keeps!r}."
            )
        self.events[name] = Event(name, Crossing(function), direction, action, keeps)

    def break_at(self, *times: Any) -> None:
        """Declare times at which a law changes abruptly: integration steps end there.

        Times at which laws compare time with something (tr.step(t - a), tr.where(t < a, ...)) are found without that.

        Parameters
        ----------
        *times : float or expression
            In s, numbers or expressions of parameters.

        Raises
        ------
        ModelError
            For what is not a time.
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

    def relax(self, row: str | Sequence[str], weight: object) -> None:
        """Give a constraint row a weight; a relaxed row constrains accelerations only.

        Parameters
        ----------
        row : str or sequence of str
            "connection.bond"; several rows take a matrix.
        weight : float, expression of parameters, matrix, or function of the signals
            Between 0 (lifted) and 1 (held). A function s -> expression also has s.multiplier("connection.bond"): the
            force that the row would bring if all rows were held in full. For several rows the symmetric matrix N of
            [Ikoki 2021, Eq. 18], with eigenvalues from 0 to 1: independent rows bring the share N of what is missing
            in their accelerations (the weight s of one row is N = s^2). For two rows it may be a function.

        Raises
        ------
        ModelError
            Where there is no such row, or it has a weight already.

        Notes
        -----
        The formalism is then "udwadia_kalaba".
        """
        if isinstance(row, str) or not isinstance(row, Sequence):
            check_weight(self, row, weight)
            self.relaxations[row] = weight
        else:
            check_matrix(self, row, weight)
            self.weight_matrices[tuple(row)] = weight

    def resist(self, motion: str, effort: Any) -> None:
        """Add a force that a constraint exerts in addition to its ideal one: C of [Ikoki 2021, Eqs. 5, 17].

        Parameters
        ----------
        motion : str
            "connection.coordinate" ("slider.displacement"), "contact.bond" ("tyre.slip_x", "tyre.spin") or a relaxed
            row, along which it acts on the second body.
        effort : float, expression of parameters, or function of the signals
            In N, or N m about a turn. A function s -> expression also has s.multiplier("connection.bond"): the force
            that the row would bring if all rows were held in full and nothing were resisted.

        Raises
        ------
        ModelError
            Where there is no such motion, or it is resisted already.

        Notes
        -----
        Of a motion that is held nothing is felt; of one that is relaxed with the weight s, 1 - s^2 of it. What it takes
        counts as lost. The formalism is then "udwadia_kalaba".
        """
        check_resistance(self, motion, effort)
        self.resistances[motion] = effort

    @advised(
        method="the method is chosen for each run, system.simulate(5.0, method='stiff')",
        rtol="tolerances are chosen for each run, system.simulate(5.0, rtol=1e-8)",
        start="start values are those of the model, m.start = {...}, or of each run, system.simulate(5.0, {...})",
    )
    def build(self, formalism: str | None = None, omit: Values | None = None) -> "System":
        """Check the model, derive its equations and compile them.

        Parameters
        ----------
        formalism : {"kane", "newton_euler", "udwadia_kalaba"}, optional
            "kane" unless given, or "udwadia_kalaba" where constraints are relaxed, which only that one knows.
            "newton_euler" measures angles between bodies within half a turn either way while it runs: a spring that is
            wound up further needs "kane". The angles of its results have all their turns.
        omit : mapping, optional
            Imaginary forces of bodies in moving frames that are left out, see `trundle.system.build`.

        Returns
        -------
        System

        Raises
        ------
        ModelError
            With every fault of the model.
        """
        from trundle.system import build

        return build(self, formalism, omit=omit)
