"""Efforts along one coordinate of a connection: by a law, by a function, or by a spring on an angle."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.efforts import Spring
from trundle.laws.law import EffortLaw, FlowLaw, check_numbers
from trundle.laws.signals import Signals as Signals
from trundle.model.block import Block
from trundle.model.force import EFFORT, OnCoordinate, Terms
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class CoordinateForce(OnCoordinate):
    """Effort on a coordinate, given as a law, as a function of the signals `s` or as a constant (its power then counts
    as supplied).
    """

    law: EffortLaw | Callable[[Signals], Expr] | Expr

    def __post_init__(self) -> None:
        self.check_coordinate()
        if isinstance(self.law, FlowLaw):
            raise ModelError(
                f"CoordinateForce on {self.coordinate!r}: a {self.law.title} prescribes a motion, and is a law of the "
                "joint: m.connect(joint, first, second, law=...)."
            )
        if isinstance(self.law, type):
            name = self.law.__name__
            raise ModelError(
                f"CoordinateForce on {self.coordinate!r}: {name} is a class; give an object of it with its values, "
                f"tr.{name}(...)."
            )
        if isinstance(self.law, Block):
            raise ModelError(
                f"CoordinateForce on {self.coordinate!r}: a block gives signals by name; write "
                f"lambda s: s[{self.law.name + '.output'!r}]."
            )
        if not isinstance(self.law, EffortLaw | float | int | ca.SX) and not callable(self.law):
            raise ModelError(
                f"CoordinateForce on {self.coordinate!r}: give a law such as tr.Spring(100.0), a function of the "
                f"signals such as lambda s: 2 * tr.sin(s.t), or a number, not {self.law!r}."
            )

    @property
    def effort_law(self) -> EffortLaw | None:
        return self.law if isinstance(self.law, EffortLaw) else None

    @property
    def element(self) -> str:
        return self.effort_law.element if self.effort_law else "Se"

    @property
    def elements(self) -> tuple[str, ...]:
        return self.effort_law.elements if self.effort_law else ("Se",)

    @property
    def acts_on(self) -> str:
        return self.effort_law.acts_on if self.effort_law else ""

    def terms(self, s: Signals) -> Terms:
        if not isinstance(self.law, EffortLaw):
            effort = self.law(s) if callable(self.law) else self.law
            if effort is None:
                raise ModelError("the function returns None; end it with `return` and an expression.")
            power = effort * s[self.coordinate + "_rate"]
            return Terms(efforts=[(self.coordinate, effort)], supplied=power, measures=_effort_measure(effort))
        law, q, u = self.law.acting(s, self.coordinate)
        effort = law.effort(s.t, q, u)
        return Terms(
            efforts=[(self.coordinate, effort)],
            potential=law.potential(s.t, q),
            dissipated=law.dissipated(s.t, q, u),
            supplied=law.supplied(s.t, q, u),
            measures=_effort_measure(effort),
        )


def _effort_measure(effort: Expr) -> dict[str, tuple[Expr, str, str]]:
    return {"effort": (effort, EFFORT, "effort along the coordinate, on the second body")}


@final
@dataclass(frozen=True, eq=False)
class TorsionSpring(OnCoordinate):
    """Linear spring and damper on an angle of a connection.

    Parameters
    ----------
    coordinate : str
        Name of the coordinate, such as "bob.angle".
    stiffness : float or expression
        In N m/rad.
    damping : float or expression
        In N m s/rad.
    rest : float or expression
        Angle at which it is slack (rad).
    """

    stiffness: Expr
    damping: Expr = 0.0
    rest: Expr = 0.0

    def __post_init__(self) -> None:
        self.check_coordinate()
        check_numbers("TorsionSpring", stiffness=self.stiffness, damping=self.damping, rest=self.rest)

    @property
    def element(self) -> str:
        return "C"

    @property
    def elements(self) -> tuple[str, ...]:
        return self.effort_law.elements

    @property
    def effort_law(self) -> EffortLaw:
        return Spring(self.stiffness, self.damping, self.rest)

    @property
    def acts_on(self) -> str:
        return "rad"

    def terms(self, s: Signals) -> Terms:
        return CoordinateForce(self.coordinate, self.effort_law).terms(s)
