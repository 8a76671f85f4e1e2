"""Rolling that is relaxed as the traction nears its limit [Ikoki 2021]: smooth, without states or transitions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.laws.coefficient import check, check_positive, value
from trundle.laws.friction_law import FrictionLaw
from trundle.laws.signals import Signals
from trundle.typing import Expr

NEGLIGIBLE_LIMIT = 1e-9  # of the traction, below which a limit of friction is negligible
TINY_SPEED = 1e-12  # of v0, below which a slip has no direction
SMALLEST = 1e-150  # N, so that a limit of zero divides no traction of zero


@final
@dataclass(frozen=True)
class Relaxed(FrictionLaw):
    """The rolling constraint at the weight s = 1 - tanh^2(k_s T / (3 mu N)), and friction mu N tanh(k_f T / (3 mu N))
    tanh(v / v0) against the slip v, of which the fraction 1 - s^2 acts [Ikoki 2021, Eqs. 18, 21, 22].

    T is the tractive force: what rolling without slip would take, or `traction`, a function of the signals such as the
    torque of an axle over the radius. N is the normal force if the rolling were held. The formalism is udwadia_kalaba.
    as_printed=True turns the friction along the slip and lets it act at the mass centre, as the paper has it.
    """

    mu: Expr
    k_s: Expr = 1.0
    k_f: Expr = 1.0
    as_printed: bool = False
    traction: Expr = None  # N
    v0: Expr = 1.0  # m/s; the paper's 1

    def __post_init__(self) -> None:
        check("Relaxed", mu=self.mu, k_s=self.k_s, k_f=self.k_f, v0=self.v0)
        check_positive("Relaxed", "it is a divisor; without friction leave the law out", mu=self.mu)
        check_positive("Relaxed", "tr.NoSlip enforces rolling without a limit", k_s=self.k_s)
        check_positive("Relaxed", v0=self.v0)
        if self.traction is not None:
            check("Relaxed", traction=self.traction)

    @property
    def relaxes(self) -> bool:
        return True

    @property
    def at_centre(self) -> bool:
        return self.as_printed

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        """Where the traction is far above its limit."""
        return value(self.mu, s) * ca.tanh(speed / value(self.v0, s))

    def weighed(self, s: Signals, motion: Sequence[Expr], grip: Sequence[Expr], load: Expr) -> tuple[Expr, list[Expr]]:
        given = None if self.traction is None else value(self.traction, s)
        squared = sum((f**2 for f in (grip if given is None else [given])), ca.SX((1e-3 * SMALLEST) ** 2))
        traction = ca.sqrt(squared)
        limit = ca.sqrt((value(self.mu, s) * load) ** 2 + NEGLIGIBLE_LIMIT**2 * squared + SMALLEST**2)
        weight = 1 - ca.tanh(value(self.k_s, s) * traction / (3 * limit)) ** 2
        speed = ca.sqrt(sum((v**2 for v in motion), ca.SX((TINY_SPEED * value(self.v0, s)) ** 2)))
        share = ca.tanh(value(self.k_f, s) * traction / (3 * limit)) * self.coefficient(s, speed, ca.SX(0))
        return weight, [(-1 if self.as_printed else 1) * share * v / speed for v in motion]
