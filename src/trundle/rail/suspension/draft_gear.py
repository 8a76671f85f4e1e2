"""Couplings between the vehicles of a train: slack, spring, friction and damping, along the line between two
couplers.
"""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.law import EffortLaw
from trundle.rail.suspension.suspension import check_numbers
from trundle.typing import Expr

ONSET = 1e-3  # m beyond the slack over which the damper becomes fully active


@final
@dataclass(frozen=True)
class DraftGear(EffortLaw):
    """Force of a coupling over its length: zero within the slack, then a spring, with friction in proportion to its
    force, and a damper. A coupling in draft never pushes, one in buff never pulls.

    Parameters
    ----------
    stiffness : float
        N/m, the same in draft and buff.
    slack : float
        Whole play between draft and buff, m.
    damping : float
        N s/m.
    friction : float
        Over the spring force: loading takes 1 + friction times the spring force, unloading gives back 1 - friction.
    length : float
        Of the coupling in the middle of its slack, m, between the couplers of the two vehicles.
    v0 : float
        m/s, speed over which the friction reverses.
    """

    stiffness: float
    slack: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    length: float = 1.0
    v0: float = 1e-3

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        check_numbers("DraftGear", ("stiffness", "length", "v0"), **given)
        if not self.friction < 1:
            raise ModelError(f"DraftGear: friction over the spring force must be below 1, got {self.friction!r}.")
        if not self.slack < 2 * self.length:
            raise ModelError(f"DraftGear: a slack of {self.slack:g} m does not fit a length of {self.length:g} m.")

    @property
    def acts_on(self) -> str:
        return "m"

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        out, beyond = self._beyond(q)
        elastic = self.stiffness * beyond
        rub = self.friction * elastic * ca.tanh(out * u / self.v0)
        drag = self.damping * out * u * beyond / (beyond + ONSET)
        return -out * ca.fmax(elastic + rub + drag, 0.0)

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.stiffness * self._beyond(q)[1] ** 2 / 2

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        out, beyond = self._beyond(q)
        return -(self.effort(t, q, u) + out * self.stiffness * beyond) * u

    def _beyond(self, q: Expr) -> tuple[Expr, Expr]:
        """Draft (1) or buff (-1), and how far beyond the slack, m."""
        stretch = q - self.length
        return ca.sign(stretch), ca.fmax(ca.fabs(stretch) - self.slack / 2, 0.0)
