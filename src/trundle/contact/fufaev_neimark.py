"""The rolling tyre of Keldysh, Neimark and Fufaev: it adheres, yields sideways and twists [Neimark 1972]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import casadi as ca

from trundle.laws.coefficient import check, check_positive, value
from trundle.laws.friction_law import FrictionLaw
from trundle.laws.signals import Signals
from trundle.typing import Expr

SLOW = 1e-9  # of its slip across, below which a wheel has no direction of rolling


@final
@dataclass(frozen=True)
class FufaevNeimark(FrictionLaw):
    """An upright tyre that does not slide: its contact patch is displaced sideways by lambda and twisted by phi
    relative to the wheel. The patch rolls along itself, and the line that it leaves on the road is curved by -(alpha
    lambda + beta phi). Per unit load, the force on the wheel is stiffness * lambda and the moment twist_stiffness *
    phi.

    States are "contact.bristle_y" (m, -lambda) and "contact.bristle_spin" (rad, -phi). In steady slip the cornering
    stiffness over load is stiffness * beta / alpha, and the trail twist_stiffness * alpha / (stiffness * beta). Along
    the wheel it rolls without slip. Lean is left out.
    """

    held: ClassVar[tuple[str, ...]] = ("slip_x",)

    stiffness: Expr  # sideways, over load (1/m)
    twist_stiffness: Expr  # about the normal, over load (m/rad)
    alpha: Expr  # 1/m^2
    beta: Expr  # 1/m

    def __post_init__(self) -> None:
        numbers = {name: getattr(self, name) for name in ("stiffness", "twist_stiffness", "alpha", "beta")}
        check("FufaevNeimark", **numbers)
        check_positive(
            "FufaevNeimark", stiffness=self.stiffness, alpha=self.alpha, beta=self.beta
        )  # a tyre may twist freely

    @property
    def sealed(self) -> tuple[str, ...]:
        return ("slip_x", "slip_y", "spin")

    @property
    def element(self) -> str:
        return "C"

    @property
    def has_bristles(self) -> bool:
        return True

    @property
    def turns_along(self) -> bool:
        return True

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        """In steady slip across."""
        lasting = value(self.stiffness, s) * value(self.beta, s) / value(self.alpha, s)
        return lasting * speed / ca.sqrt(rolling**2 + (SLOW * speed) ** 2)

    def resist(
        self, s: Signals, motion: Sequence[Expr], rolling: Expr, bristles: Sequence[Expr]
    ) -> tuple[list[Expr], list[Expr]]:
        (across, spin), (y, twist) = motion, bristles
        curved = rolling * value(self.alpha, s) * y + ca.fabs(rolling) * value(self.beta, s) * twist
        efforts = [value(self.stiffness, s) * y, value(self.twist_stiffness, s) * twist]
        return efforts, [across + rolling * twist, spin - curved]
