"""LuGre friction: bristles between the surfaces bend before they slip [Canudas 1995]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.laws.coefficient import check, check_falling, check_positive, falling, value
from trundle.laws.friction_law import TINY_SPEED, FrictionLaw
from trundle.laws.signals import Signals
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class LuGre(FrictionLaw):
    """Force over normal force sigma0 z + sigma1 zdot + sigma2 v with the deflection z of bristles, a vector along the
    slip v: zdot = v - sigma0 |v| z / g(v), g falling from mu_static to mu_kinetic around the Stribeck speed.

    It holds like a spring of stiffness sigma0 N before it slides. The deflections are states of the run,
    "contact.bristle_x" and "contact.bristle_y" (m); in a contact that is open they follow the slip all the same.
    The force cannot drive where viscous >= damping (mu_static / mu_kinetic - 1), or where mu_static = mu_kinetic.

    Parameters
    ----------
    mu_static : float or expression
        Coefficient of friction at rest.
    mu_kinetic : float or expression
        While it slides.
    stribeck_speed : float or expression
        Speed by which friction falls (m/s).
    stiffness : float or expression
        sigma0 (1/m).
    damping : float or expression
        sigma1 (s/m).
    viscous : float or expression
        sigma2 (s/m).
    """

    mu_static: Expr
    mu_kinetic: Expr
    stribeck_speed: Expr = 0.1
    stiffness: Expr = 1e4
    damping: Expr = 0.0
    viscous: Expr = 0.0

    def __post_init__(self) -> None:
        check(
            "LuGre", mu_static=self.mu_static, mu_kinetic=self.mu_kinetic, stribeck_speed=self.stribeck_speed,
            stiffness=self.stiffness, damping=self.damping, viscous=self.viscous,
        )  # fmt: skip
        check_positive(
            "LuGre", mu_kinetic=self.mu_kinetic, stribeck_speed=self.stribeck_speed, stiffness=self.stiffness
        )
        check_falling("LuGre", self.mu_static, self.mu_kinetic, "give a viscous part, which grows with speed")

    @property
    def has_bristles(self) -> bool:
        return True

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        """In steady sliding."""
        return self._dry(s, speed) + value(self.viscous, s) * speed

    def resist(
        self, s: Signals, motion: Sequence[Expr], rolling: Expr, bristles: Sequence[Expr]
    ) -> tuple[list[Expr], list[Expr]]:
        speed = ca.sqrt(sum((v**2 for v in motion), ca.SX(TINY_SPEED**2)))
        stiffness, damping, viscous = (value(x, s) for x in (self.stiffness, self.damping, self.viscous))
        yielding = stiffness * speed / self._dry(s, speed)
        rates = [v - yielding * z for v, z in zip(motion, bristles, strict=True)]
        moving = zip(motion, bristles, rates, strict=True)
        return [stiffness * z + damping * rate + viscous * v for v, z, rate in moving], rates

    def _dry(self, s: Signals, speed: Expr) -> Expr:
        return falling(s, self.mu_static, self.mu_kinetic, self.stribeck_speed, speed)
