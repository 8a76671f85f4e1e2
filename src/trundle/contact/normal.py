"""Compliant normals of a contact, given as `compliance=`: forces of the gap q and its rate u.

Where the surfaces overlap by d = -q they push apart; they never pull, so the contact opens by itself.
"""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.coefficient import check, check_positive, number
from trundle.laws.law import EffortLaw
from trundle.typing import Expr, Option


@dataclass(frozen=True)
class NormalLaw(EffortLaw):
    """An elastic force k d^n with losses of its own, never below zero. Subclasses are final."""

    stiffness: Expr  # N/m^exponent

    @property
    def power(self) -> Expr:
        """Exponent of the overlap."""
        return 1.0

    def undamped(self, q: Expr) -> Expr:
        """Elastic force (N).

        Parameters
        ----------
        q : expression
            Gap (m), negative where surfaces overlap.

        Returns
        -------
        expression
        """
        return self.stiffness * _overlap(q) ** self.power

    def damped(self, q: Expr, u: Expr) -> Expr:
        """Force that the law wants (N); it acts where surfaces overlap and it pushes.

        Parameters
        ----------
        q, u : expression
            Gap (m), negative where surfaces overlap, and its rate (m/s).

        Returns
        -------
        expression
        """
        return self.undamped(q)

    def one_way(self, q: Expr, u: Expr, way: Expr) -> Expr:
        """The same while the overlap grows (way 1) or falls (-1), smooth where its rate passes zero.

        Parameters
        ----------
        q, u : expression
            Gap (m), negative where surfaces overlap, and its rate (m/s).
        way : expression
            1 while the overlap grows, -1 while it falls.

        Returns
        -------
        expression
        """
        return self.damped(q, u)

    def pressed(self, q: Expr, u: Expr) -> Expr:
        """A length (m) that is above zero where the law pushes, and passes zero at the end of that with a slope.

        Parameters
        ----------
        q, u : expression
            Gap (m), negative where surfaces overlap, and its rate (m/s).

        Returns
        -------
        expression
        """
        return -q

    @property
    def acts_on(self) -> str:
        return "m"

    @property
    def only_pushes(self) -> bool:
        return True

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return ca.if_else(q < 0, ca.fmax(self.damped(q, u), 0), 0)

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.stiffness * _overlap(q) ** (self.power + 1) / (self.power + 1)

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return u * (self.undamped(q) - self.effort(t, q, u))

    def _check(self, **more: Option) -> None:
        law = type(self).__name__
        check(law, functions=False, stiffness=self.stiffness, exponent=self.power, **more)
        check_positive(law, "without a normal force leave the contact out", stiffness=self.stiffness)
        power = number(self.power)
        if power is not None and power < 1:
            raise ModelError(f"{law}: exponent must not be below 1 (1.5 is Hertz's), got {power:g}.")


def _overlap(q: Expr) -> Expr:
    return ca.fmax(-q, 0)


@final
@dataclass(frozen=True)
class Hertz(NormalLaw):
    """Elastic contact k d^1.5 [Johnson 1985, Ch. 4]: two spheres have k = 4/3 E' sqrt(R').

    Parameters
    ----------
    stiffness : float or expression
        k (N/m^1.5).
    exponent : float
        Of the depth.
    """

    exponent: Expr = 1.5

    def __post_init__(self) -> None:
        self._check()

    @property
    def power(self) -> Expr:
        return self.exponent


@final
@dataclass(frozen=True)
class HuntCrossley(NormalLaw):
    """k d^n (1 + chi ddot), never below zero [Hunt 1975]: no jump at touch, restitution about 1 - 2/3 chi v.

    Parameters
    ----------
    stiffness : float or expression
        k (N/m^n).
    damping : float or expression
        chi (s/m).
    exponent : float
        n.
    """

    damping: Expr
    exponent: Expr = 1.5

    def __post_init__(self) -> None:
        self._check(damping=self.damping)

    @property
    def power(self) -> Expr:
        return self.exponent

    def damped(self, q: Expr, u: Expr) -> Expr:
        return self.undamped(q) * (1 - self.damping * u)

    def pressed(self, q: Expr, u: Expr) -> Expr:
        return -q * (1 - self.damping * u)


@final
@dataclass(frozen=True)
class LinearContact(NormalLaw):
    """Parallel spring and damper, k d + c ddot, never negative; the damper force jumps at touchdown.

    Parameters
    ----------
    stiffness : float or expression
        k (N/m).
    damping : float or expression
        c (N s/m).
    """

    damping: Expr = 0.0

    def __post_init__(self) -> None:
        self._check(damping=self.damping)

    def damped(self, q: Expr, u: Expr) -> Expr:
        return self.undamped(q) - self.damping * u

    def pressed(self, q: Expr, u: Expr) -> Expr:
        return -q - self.damping * u / self.stiffness
