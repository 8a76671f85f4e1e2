"""The Magic Formula: a tyre as measured curves of force over slip, with relaxation lengths [Pacejka 2012]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.coefficient import check, check_positive, number, value
from trundle.laws.friction_law import FrictionLaw
from trundle.laws.signals import Signals
from trundle.typing import Expr

TINY_SLIP = 1e-12  # below which a slip has no direction


@final
@dataclass(frozen=True)
class MagicTyre(FrictionLaw):
    """Force over load mu sin(C atan(B x - E (B x - atan(B x)))) along and across, with B = stiffness / (C mu), of the
    slip x: slip velocity over travelling speed, kappa and tan alpha [Pacejka 2012, Ch. 4].

    Slips along and across share one force by their sizes over mu / stiffness: in pure slip each curve holds, in
    combined slip the force stays within the ellipse of both peaks. With relaxation lengths the slip follows over that
    distance: deflections z of the carcass, states "contact.bristle_x" and "contact.bristle_y" (m), turn with the wheel
    and have zdot = v - |V| z / relaxation, x = z / relaxation [Pacejka 2012, Ch. 7]. The force is in proportion
    to the load. The travelling speed counts at least `slow`, so that it creeps where it should stand.

    Parameters
    ----------
    mu_x, mu_y : float or expression
        Peak of the force over load, along and across; across as along unless given.
    stiffness_x : float or expression
        Slip stiffness over load.
    stiffness_y : float or expression
        Cornering stiffness over load (1/rad).
    shape_x, shape_y : float or expression
        Shape factor C.
    curvature_x, curvature_y : float or expression
        Curvature factor E, at most 1.
    relaxation_x, relaxation_y : float or expression
        Relaxation lengths (m).
    slow : float or expression
        Least travelling speed by which slip is divided (m/s).
    """

    mu_x: Expr = 1.0
    mu_y: Expr = None
    stiffness_x: Expr = 20.0
    stiffness_y: Expr = 15.0
    shape_x: Expr = 1.65
    shape_y: Expr = 1.3
    curvature_x: Expr = 0.0
    curvature_y: Expr = 0.0
    relaxation_x: Expr = 0.0
    relaxation_y: Expr = 0.0
    slow: Expr = 0.1

    def __post_init__(self) -> None:
        words = ("mu_x", "stiffness_x", "stiffness_y", "shape_x", "shape_y", "slow")
        positive = {"mu_y": self.peak_across, **{name: getattr(self, name) for name in words}}
        check("MagicTyre", **positive, relaxation_x=self.relaxation_x, relaxation_y=self.relaxation_y)
        check_positive("MagicTyre", "without friction leave the law out", **positive)
        for name in ("curvature_x", "curvature_y"):
            E = number(getattr(self, name))
            if E is not None and not E <= 1:
                raise ModelError(f"MagicTyre: {name} is at most 1 (above it the curve turns back), got {E!r}.")
        if (number(self.relaxation_x) == 0) != (number(self.relaxation_y) == 0):
            raise ModelError("MagicTyre: give both relaxation lengths (m), or none.")

    @property
    def peak_across(self) -> Expr:
        return self.mu_x if self.mu_y is None else self.mu_y

    @property
    def has_bristles(self) -> bool:
        return number(self.relaxation_x) != 0

    @property
    def turns_along(self) -> bool:
        return True

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        """In steady slip along."""
        return self._share(s, [speed / self._travel(s, rolling)])[0]

    def resist(
        self, s: Signals, motion: Sequence[Expr], rolling: Expr, bristles: Sequence[Expr]
    ) -> tuple[list[Expr], list[Expr]]:
        travel = self._travel(s, rolling)
        if not self.has_bristles:
            return self._share(s, [v / travel for v in motion]), []
        lengths = [value(length, s) for length in (self.relaxation_x, self.relaxation_y)][: len(motion)]
        slips = [z / length for z, length in zip(bristles, lengths, strict=True)]
        rates = [v - travel * slip for v, slip in zip(motion, slips, strict=True)]
        return self._share(s, slips), rates

    def _travel(self, s: Signals, rolling: Expr) -> Expr:
        return ca.sqrt(rolling**2 + value(self.slow, s) ** 2)

    def _share(self, s: Signals, slips: Sequence[Expr]) -> list[Expr]:
        """Force over load against each slip."""
        mu = [value(one, s) for one in (self.mu_x, self.peak_across)]
        steep = [value(one, s) for one in (self.stiffness_x, self.stiffness_y)]
        shape = [value(one, s) for one in (self.shape_x, self.shape_y)]
        bend = [value(one, s) for one in (self.curvature_x, self.curvature_y)]
        scaled = [k * slip / m for k, slip, m in zip(steep, slips, mu, strict=False)]
        size = ca.sqrt(sum((x**2 for x in scaled), ca.SX(TINY_SLIP**2)))
        return [m * x / size * _magic(size, c, e) for m, x, c, e in zip(mu, scaled, shape, bend, strict=False)]


def _magic(size: Expr, C: Expr, E: Expr) -> Expr:
    """The formula with peak 1 and slope 1."""
    x = size / C
    return ca.sin(C * ca.atan(x - E * (x - ca.atan(x))))
