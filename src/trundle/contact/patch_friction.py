"""Dry friction of a round patch that slides and spins: each weakens the other [Zhuravlev 1998], [Farkas 2003]."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gamma, pi
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.coefficient import check, check_positive, value
from trundle.laws.friction_law import TINY_SPEED, FrictionLaw
from trundle.laws.signals import Signals
from trundle.typing import Expr

FAR = 6.0  # sliding over rim speed from which series are used: closed forms lose digits there
TERMS = 12  # of these series: 6^-24 is round-off
MEANS = 6  # arithmetic and geometric ones: quadratic convergence
ROUND_OFF = 1e-15


@final
@dataclass(frozen=True)
class PatchFriction(FrictionLaw):
    """Coulomb's law at every point of a round patch: force mu N F(s) against the slip, moment mu N a M(s) against the
    spin, s = slip over spin times radius a. Without spin F = 1 (`RegularisedCoulomb`), without slip M = 2/3 or 3 pi /
    16 (`SpinFriction` of that mean radius); a patch that spins fast slides as if on oil, F -> 0. A uniform disc stops
    both at once, with s -> 0.653 [Weidman 2007].

    pressure "hertz" is that of elastic bodies, "even" that of a flat disc. Exact integrals (polynomials and arc sines,
    or elliptic integrals), smooth by tanh(w / v0) where sliding and rim speed w are both small.
    """

    mu: Expr
    radius: Expr  # m, of the rim of the patch
    pressure: str = "hertz"
    v0: Expr = 1e-3  # m/s

    def __post_init__(self) -> None:
        check("PatchFriction", mu=self.mu, radius=self.radius, v0=self.v0)
        check_positive("PatchFriction", "a point has no moment: tr.Coulomb", radius=self.radius, v0=self.v0)
        if self.pressure not in SHARES:
            raise ModelError(
                f"PatchFriction: pressure must be {' or '.join(map(repr, SHARES))}, not {self.pressure!r}."
            )

    @property
    def sealed(self) -> tuple[str, ...]:
        return ("slip_x", "slip_y", "spin")

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        """Without spin."""
        return value(self.mu, s) * ca.tanh(speed / value(self.v0, s))

    def resist(
        self, s: Signals, motion: Sequence[Expr], rolling: Expr, bristles: Sequence[Expr]
    ) -> tuple[list[Expr], list[Expr]]:
        *slips, spin = motion
        radius = value(self.radius, s)
        sliding = ca.sqrt(sum((v**2 for v in slips), ca.SX(TINY_SPEED**2)))
        turning = ca.sqrt(spin**2 + TINY_SPEED**2)
        rim = radius * turning
        limit = value(self.mu, s) * ca.tanh(ca.sqrt(sliding**2 + rim**2) / value(self.v0, s))
        force, moment = SHARES[self.pressure](sliding / rim)
        return [*(limit * force * v / sliding for v in slips), limit * radius * moment * spin / turning], []


def _hertz(s: Expr) -> tuple[Expr, Expr]:
    """Force over mu N and moment over mu N a of a Hertzian patch."""
    near = ca.fmin(s, 1)
    inside = 3 * pi / 32 * near * (4 - near**2), 3 * pi / 128 * (8 - 8 * near**2 + 3 * near**4)
    far = ca.fmin(ca.fmax(s, 1), FAR)
    angle, root = ca.asin(ca.fmin(1 / far, 1)), ca.sqrt(ca.fmax(far**2 - 1, 0))
    beside = (
        3 / 16 * (far * (4 - far**2) * angle + root * (far + 2 / far)),
        3 / 64 * ((8 - 8 * far**2 + 3 * far**4) * angle + root * (6 - 3 * far**2)),
    )
    return _joined(s, inside, beside, _series(s, lambda m: 1.5 * gamma(m + 1) * gamma(1.5) / gamma(m + 2.5)))


def _even(s: Expr) -> tuple[Expr, Expr]:
    """The same of a disc that presses evenly, by complete elliptic integrals [Farkas 2003]."""
    near, far = ca.fmin(s, 1), ca.fmin(ca.fmax(s, 1), FAR)
    K, S = _elliptic(ca.fmin(near**2, 1 - ROUND_OFF))  # E = K (1 - S)
    inside = (
        4 / (3 * pi) * K * (2 * near - (1 + near**2) * S / near),
        4 / (9 * pi) * K * ((4 - 2 * near**2) * (1 - S) + near**2 - 1),
    )
    K, S = _elliptic(ca.fmin(1 / far**2, 1 - ROUND_OFF))
    E = K * (1 - S)
    beside = (
        4 / (3 * pi) * ((far**2 + 1) * E - (far**2 - 1) * K),
        4 / (9 * pi) * far * ((4 - 2 * far**2) * E + (2 * far**2 - 5 + 3 / far**2) * K),
    )
    return _joined(s, inside, beside, _series(s, lambda m: 1 / (m + 1)))


SHARES: dict[str, Callable[[Expr], tuple[Expr, Expr]]] = {"hertz": _hertz, "even": _even}


def _joined(s: Expr, inside: Expr, beside: Expr, afar: Expr) -> tuple[Expr, Expr]:
    """What spins faster than it slides, slides faster, slides far faster."""
    force, moment = (
        ca.if_else(s < 1, a, ca.if_else(s < FAR, b, c)) for a, b, c in zip(inside, beside, afar, strict=True)
    )
    return force, moment


def _elliptic(k2: Expr) -> tuple[Expr, Expr]:
    """K and 1 - E / K of the modulus k, k^2 given, by arithmetic and geometric means."""
    a, b, S, weight = ca.SX(1), ca.sqrt(1 - k2), k2 / 2, 1.0
    c = k2 / (2 * (1 + b))  # (a - b) / 2 without loss of digits
    for _ in range(MEANS):
        a, b = (a + b) / 2, ca.sqrt(a * b)
        S += weight * c**2
        c, weight = c**2 / (4 * (a + b) / 2), 2 * weight
    return pi / (a + b), S


def _series(s: Expr, mean: Callable[[int], float]) -> tuple[Expr, Expr]:
    """Expansions in 1 / s; `mean` gives the mean of r^(2m) over the pressure. On a ring they come from Legendre's
    polynomials, whose mean around it is that of w(m)^2, w = (2m - 1)!! / (2m)!!.
    """
    w = [1.0]
    for m in range(1, TERMS + 2):
        w.append(w[-1] * (2 * m - 1) / (2 * m))
    x = 1 / ca.fmax(s, FAR)
    force, moment = ca.SX(1), ca.SX(0)
    for m in range(TERMS):
        if m:
            share = w[m] ** 2 - (2 * m * w[m] ** 2 + (2 * m - 1) * w[m - 1] ** 2) / (4 * m - 1)
            force += share * mean(m) * x ** (2 * m)
        share = w[m] ** 2 - ((2 * m + 2) * w[m + 1] ** 2 + (2 * m + 1) * w[m] ** 2) / (4 * m + 3)
        moment += share * mean(m + 1) * x ** (2 * m + 1)
    return force, moment
