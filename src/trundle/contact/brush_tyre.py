"""The brush model: elastic bristles that adhere, then slide, under a parabola of pressure [Pacejka 2012, Sec. 3.2]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.laws.coefficient import check, check_positive, number, value
from trundle.laws.friction_law import FrictionLaw
from trundle.laws.signals import Signals
from trundle.typing import Expr

TINY_SLIP = 1e-12  # below which a slip has no direction


@final
@dataclass(frozen=True)
class BrushTyre(FrictionLaw):
    """Force over load mu (3 p - 3 p^2 + p^3) against the slip sigma = slip velocity / rolling speed of the tyre, with p
    = stiffness |sigma| / (3 mu) up to 1, where all of the patch slides [Pacejka 2012, Sec. 3.2].

    With the half length a of the patch also the aligning moment mu a p (1 - p)^3 over load about the normal; it can
    drive a wheel that is steered, as shimmy shows. Steady: nothing is remembered. `slow` is the least rolling speed in
    this ratio.

    Parameters
    ----------
    mu : float or expression
        Coefficient of friction.
    stiffness : float or expression
        Slip stiffness over load.
    half_length : float or expression
        Of the contact patch (m).
    slow : float or expression
        Least rolling speed by which slip is divided (m/s).
    """

    mu: Expr = 1.0
    stiffness: Expr = 15.0
    half_length: Expr = 0.0
    slow: Expr = 0.1

    def __post_init__(self) -> None:
        check("BrushTyre", mu=self.mu, stiffness=self.stiffness, half_length=self.half_length, slow=self.slow)
        check_positive(
            "BrushTyre", "without friction leave the law out", mu=self.mu, stiffness=self.stiffness, slow=self.slow
        )

    @property
    def sealed(self) -> tuple[str, ...]:
        return ("slip_x", "slip_y", "spin") if self.may_drive else ("slip_x", "slip_y")

    @property
    def may_drive(self) -> bool:
        return number(self.half_length) != 0

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        """In slip across."""
        p = self._slid(s, speed / ca.sqrt(rolling**2 + value(self.slow, s) ** 2))
        return value(self.mu, s) * p * (3 - 3 * p + p**2)

    def resist(
        self, s: Signals, motion: Sequence[Expr], rolling: Expr, bristles: Sequence[Expr]
    ) -> tuple[list[Expr], list[Expr]]:
        turning = rolling - motion[0]  # the rim over the road
        travel = ca.sqrt(turning**2 + value(self.slow, s) ** 2)
        sigma = [v / travel for v in motion[:2]]
        size = ca.sqrt(sum((x**2 for x in sigma), ca.SX(TINY_SLIP**2)))
        p, mu = self._slid(s, size), value(self.mu, s)
        efforts = [mu * p * (3 - 3 * p + p**2) * x / size for x in sigma]
        if len(motion) == 3:
            lever = value(self.half_length, s) * turning / travel
            efforts.append(-mu * lever * p * (1 - p) ** 3 * sigma[1] / size)
        return efforts, []

    def _slid(self, s: Signals, size: Expr) -> Expr:
        """Share of the patch that slides."""
        return ca.fmin(value(self.stiffness, s) * size / (3 * value(self.mu, s)), 1)
