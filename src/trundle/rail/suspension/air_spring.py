"""An air spring with a reservoir behind an orifice [Oda 1970]: one state, the air that has passed through."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.efforts import Open
from trundle.laws.law import EffortLaw
from trundle.model.body import Frame
from trundle.model.force import BetweenWithStates, Signals, Terms
from trundle.model.model import Model
from trundle.model.state import State
from trundle.rail.suspension.axis_laws import AxisLaws, LoadedSpring, relative_motion
from trundle.rail.suspension.suspension import Suspension, check_numbers
from trundle.typing import Expr

ATMOSPHERE = 101_325.0  # Pa


@final
@dataclass(frozen=True)
class AirSpring(Suspension):
    """Vertical: spring `area` parallel to [spring `bellows` in series with (spring `reservoir` parallel to the
    orifice)]. The stiffness is area + bellows reservoir / (bellows + reservoir) for slow motions, area + bellows for
    fast ones.

    Parameters
    ----------
    bellows, reservoir : float
        Stiffness of the air in the bellows and in the reservoir, N/m.
    orifice : float
        N s/m, linear resistance of the pipe between them.
    area : float
        N/m, by the change of the effective area with height.
    orifice_quadratic : float
        N s^2/m^2, resistance that grows with the square of the speed.
    shear, shear_damping : float
        Horizontal stiffness (N/m) and damping (N s/m), alike along x and y.
    """

    bellows: float
    reservoir: float
    orifice: float
    area: float = 0.0
    orifice_quadratic: float = 0.0
    shear: float = 0.0
    shear_damping: float = 0.0

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        check_numbers("AirSpring", ("bellows", "reservoir", "orifice"), **given)

    @staticmethod
    def of_volumes(
        load: float, area: float, bellows: float, reservoir: float, orifice: float, *, exponent: float = 1.4,
        area_slope: float = 0.0, shear: float = 0.0,
    ) -> "AirSpring":  # fmt: skip
        """From the load (N) at rest, the effective area (m^2) and its slope by height (m), both volumes (m^3), the
        resistance of the orifice (N s/m) and the polytropic exponent: each volume has n p A^2 / V, with the absolute
        pressure p; a slope of the area adds load / A times it.

        Parameters
        ----------
        load : float
            At rest (N).
        area : float
            Effective area (m^2).
        bellows, reservoir : float
            Volumes (m^3).
        orifice : float
            Resistance of the orifice (N s/m).
        exponent : float
            Polytropic exponent.
        area_slope : float
            Slope of the area by height (m).
        shear : float
            Stiffness across (N/m).

        Returns
        -------
        AirSpring
        """
        check_numbers("AirSpring", ("load", "area", "bellows", "reservoir"), load=load, area=area, bellows=bellows,
                      reservoir=reservoir)  # fmt: skip
        if not 1.0 <= exponent <= 1.4:
            raise ModelError(f"AirSpring: the exponent lies between 1 (slow) and 1.4 (fast), got {exponent!r}.")
        pressed = exponent * (load / area + ATMOSPHERE) * area**2
        return AirSpring(pressed / bellows, pressed / reservoir, orifice, load / area * area_slope, shear=shear)

    @property
    def vertical_stiffness(self) -> float:
        return self.area + self.bellows * self.reservoir / (self.bellows + self.reservoir)

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        side: EffortLaw = LoadedSpring(self.shear, self.shear_damping) if self.shear or self.shear_damping else Open()
        m.apply(AxisLaws(lower, upper, (side, side, LoadedSpring(self.area, load=load))), name=f"{name}_carrier")
        m.apply(AirColumn(lower, upper, self), name=name)


@final
@dataclass(frozen=True, eq=False)
class AirColumn(BetweenWithStates):
    """Its air: the state `name.through` (m) is the deflection of the part behind the orifice, zero at rest."""

    spring: AirSpring

    @property
    def element(self) -> str:
        return "C"

    def states(self) -> Iterator[State]:
        text = f"part of the height taken by the air of the reservoir: {self.name}"
        yield State(self.name, "through", lambda s: self._flow(s)[1], 0.0, "m", text)

    def _flow(self, s: Signals) -> tuple[Expr, Expr]:
        """Force through the orifice (N), and the rate of the state: c w' + c2 w' |w'| is that force."""
        height, through = relative_motion(s, *self.places).displacement[2], self.state(s, "through")
        k = self.spring
        push = k.bellows * (height - through) - k.reservoir * through
        if k.orifice_quadratic == 0.0:
            return push, push / k.orifice
        return push, 2.0 * push / (k.orifice + ca.sqrt(k.orifice**2 + 4.0 * k.orifice_quadratic * ca.fabs(push)))

    def terms(self, s: Signals) -> Terms:
        at, through = relative_motion(s, *self.places), self.state(s, "through")
        stretch = at.displacement[2] - through
        force = -self.spring.bellows * stretch
        push, rate = self._flow(s)
        F = at.R[:, 2] * force
        return Terms(
            wrenches=at.wrenches(F),
            potential=self.spring.bellows * stretch**2 / 2 + self.spring.reservoir * through**2 / 2,
            dissipated=push * rate,
            measures={"force": (force, "N", "force of the air on the second body, beside that at rest")},
        )
