"""A direct-current motor on a joint: an electric circuit in a mechanical model."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.law import check_numbers
from trundle.laws.signals import Signals
from trundle.model.force import OnCoordinate, Terms
from trundle.model.state import State
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class ElectricMotor(OnCoordinate):
    """Direct-current motor on an angle of a connection: a source of voltage, a resistance and a coil in one circuit,
    and a gyrator to the shaft. The torque on the second body is constant * current, the voltage that it induces
    constant * rate.

    Its state is the current, "name.current" (A), which starts at zero.

    Parameters
    ----------
    coordinate : str
        Name of the coordinate, such as "bob.angle".
    constant : float or expression
        Of torque (N m/A) and of voltage (V s/rad).
    resistance : float or expression
        In ohm.
    inductance : float or expression
        In H.
    voltage : float, expression or function of the signals
        In V.
    name : str
        Given by m.apply.
    """

    constant: Expr
    resistance: Expr
    inductance: Expr
    voltage: Expr | Callable[[Signals], Expr] = 0.0
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        self.check_coordinate()
        check_numbers("ElectricMotor", constant=self.constant)
        for what, value, least in (("inductance", self.inductance, 1e-300), ("resistance", self.resistance, 0.0)):
            if not isinstance(value, ca.SX) and not (isinstance(value, Real) and float(value) >= least):
                raise ModelError(
                    f"the {what} of an ElectricMotor on {self.coordinate!r} is {value!r}; it must be "
                    f"{'positive' if least else 'zero or more'}. A motor without inductance is a law: "
                    f"tr.Motor(lambda t, "
                    "q, u: constant * (voltage - constant * u) / resistance)."
                )

    def named(self, name: str) -> "ElectricMotor":
        return replace(self, name=name)

    @property
    def acts_on(self) -> str:
        return "rad"

    @property
    def element(self) -> str:
        """A gyrator, behind which stands the circuit."""
        return "GY"

    def current(self, s: Signals) -> Expr:
        """The current (A).

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.

        Returns
        -------
        expression
        """
        return s[f"{self.name}.current"]

    def source(self, s: Signals) -> Expr:
        """The voltage of the source (V).

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.

        Returns
        -------
        expression
        """
        return ca.SX(self.voltage(s) if callable(self.voltage) else self.voltage)

    def states(self) -> Iterator[State]:
        yield State(self.name, "current", self._rate, 0.0, "A", f"current through the coil: {self.name}")

    def _rate(self, s: Signals) -> Expr:
        induced = self.constant * s[f"{self.coordinate}_rate"]
        return (self.source(s) - self.resistance * self.current(s) - induced) / self.inductance

    def terms(self, s: Signals) -> Terms:
        current, source = self.current(s), self.source(s)
        torque = self.constant * current
        return Terms(
            efforts=[(self.coordinate, torque)],
            potential=self.inductance * current**2 / 2,
            dissipated=self.resistance * current**2,
            supplied=source * current,
            measures={
                "effort": (torque, "N m", "torque of the motor on the second body"),
                "voltage": (source, "V", "voltage of the source"),
            },
        )
