"""What a model declares by name besides its mechanism: parameters, tables, inputs, states, outputs and events."""

from collections.abc import Callable, Mapping
from math import isfinite

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.laws.signals import Signals
from trundle.lookup.signal import zero_signal
from trundle.lookup.table import Table
from trundle.messages.arguments import advised, explain_calls
from trundle.model.block import Block
from trundle.model.contents import FROZEN, ModelContents, full_name
from trundle.model.crossing import Crossing
from trundle.model.definitions import Event, Output, Parameter
from trundle.model.input import Input, signal_name
from trundle.model.state import State
from trundle.model.table import ModelTable
from trundle.real_array import is_number
from trundle.symbols.parameters import ParameterSymbol
from trundle.typing import Expr


@explain_calls
class Declarations(ModelContents):
    """The part of `Model` that declares numbers, signals and events."""

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
            If the name is taken, there is no rate, or the start is not a finite number.
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
            If it is not a block, or the name is taken.
        """
        if not isinstance(block, Block):
            raise ModelError(f"block takes a block such as tr.PID or tr.FirstOrderLag, got {block!r}.")
        self._new_name(name, self.blocks, "block")
        if name in self.bodies or name in self.connections or name in self.forces:
            raise ModelError(f"block {name!r} has the name of a body, connection or force; choose another name.")
        self.blocks[name] = block.named(name)
        return self.blocks[name]

    @advised("m.parameter('k', 40.0, 'N/m') has a name and a value")
    def parameter(self, name: str, value: float, unit: str = "", text: str = "") -> Expr:
        """Declare a number that can change from run to run without recompiling.

        Parameters
        ----------
        name : str
        value : float
            The default; each run may use another value.
        unit, text : str
            For results and reports.

        Returns
        -------
        expression
            Its symbol, to be used in place of numbers.

        Raises
        ------
        ModelError
            If the name is taken or the value is not finite.
        """
        self._new_quantity(name, "parameter")
        if not (isinstance(value, float | int | np.number) and isfinite(value)):
            raise ModelError(f"parameter {name!r} must be a finite number, got {value!r}.")
        symbol = ParameterSymbol(ca.SX.sym(name))
        self.parameters[name] = Parameter(name, symbol, float(value), unit, text)
        return symbol

    @advised("m.table('road', tr.Table(x, y)) has a name and a table")
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
            If the name is taken, or it is not a table.
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
            The default, for runs that give neither another value nor a signal.
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
            If the name is taken or the value is not finite.
        """
        self._new_quantity(name, "input")
        self._new_quantity(signal_name(name), "table")
        if callable(value):
            raise ModelError(
                f"input {name!r}: its value is a number, for runs that give it no signal. A function of time is given "
                f"to a run, system.simulate(5.0, inputs={{{name!r}: lambda t: ...}})."
            )
        self.parameter(name, value, unit, text)
        signal = self.table(signal_name(name), zero_signal())
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
            If the name is taken.
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

    @advised("m.output('height', lambda s: s['bob.position_z']) has a name and a function of the signals")
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
            If the name is taken.
        """
        self._new_quantity(name, "output")
        self._need_function(function, f"output {name!r}")
        self.outputs[name] = Output(name, function, unit, text)

    @advised("m.event('bottom', lambda s: s['bob.angle']) has a name and a function of the signals")
    def event(
        self,
        name: str,
        function: Callable[[Signals], Expr],
        direction: int = 0,
        action: str | Mapping[str, Callable[[Signals], Expr]] = "record",
        keeps: str = "absolute",
        limit: bool = False,
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
        limit : bool
            The event is a limit, with a direction: a run that would begin beyond it is refused.

        Raises
        ------
        ModelError
            If the name is taken, or direction or action are not known.
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
        if limit and direction == 0:
            raise ModelError(f"event {name!r}: a limit has a direction, 1 (an upper one) or -1 (a lower one).")
        self.events[name] = Event(name, Crossing(function), direction, action, keeps, limit)

    def break_at(self, *times: Expr) -> None:
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
            if is_number(time) and isfinite(time):
                self.breaks = [*self.breaks, float(time)]
            elif isinstance(time, ca.SX) and time.numel() == 1 and {s.element_hash() for s in ca.symvar(time)} <= known:
                self.breaks = [*self.breaks, time]
            else:
                raise ModelError(f"break_at takes times in s, numbers or expressions of parameters, got {time!r}.")
