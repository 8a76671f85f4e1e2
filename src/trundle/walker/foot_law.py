"""A law of feet that collide: a spring with dry friction beside it."""

from dataclasses import dataclass
from math import sqrt
from typing import final

from trundle.contact.normal import NormalLaw
from trundle.errors import ModelError
from trundle.laws.coefficient import number
from trundle.math import sign, where
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class BiStiffness(NormalLaw):
    """Spring with a dry-friction damper in parallel: k (1 + mu_n) d while d grows, k (1 - mu_n) d while it falls.

    At rest the force may have any value between these two. With mu_n = 1 the foot gives nothing back (plastic).

    Parameters
    ----------
    stiffness : float or expression
        k (N/m).
    internal_friction : float or expression
        mu_n, from 0 to 1.
    """  # [Barjau 2022, Eq. 5.1]

    stiffness: Expr = 1e3
    internal_friction: Expr = 0.2

    def __post_init__(self) -> None:
        self._check(internal_friction=self.internal_friction)
        share = number(self.internal_friction)
        if share is not None and share > 1:
            raise ModelError(
                f"BiStiffness: internal_friction must be between 0 (elastic) and 1 (plastic), got {share!r}; above 1 "
                "the foot would pull."
            )

    def damped(self, q: Expr, u: Expr) -> Expr:
        return self.one_way(q, u, -sign(u))

    def one_way(self, q: Expr, u: Expr, way: Expr) -> Expr:
        return self.undamped(q) * (1 + self.internal_friction * way)

    def pressed(self, q: Expr, u: Expr) -> Expr:
        return where(self.internal_friction == 1, -u, -q)  # s * m/s: only the sign matters

    @property
    def restitution(self) -> float:
        """Energetic coefficient of restitution of every collision of one foot, sqrt((1 - mu_n) / (1 + mu_n)).

        It is Poisson's (ratio of the impulses) too as long as sliding does not change during the collision.
        """
        return sqrt((1 - self.internal_friction) / (1 + self.internal_friction))
