"""Springs of a freight bogie of the kind of Y25: two stiffnesses, and dry friction in proportion to the load."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi, tan
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.law import EffortLaw
from trundle.model.body import Frame
from trundle.model.force import BetweenWithStates, Signals, Terms
from trundle.model.model import Model
from trundle.model.state import State
from trundle.rail.suspension.axis_laws import AxisLaws, LoadedSpring, Shifted, relative_motion
from trundle.rail.suspension.suspension import Suspension, check_numbers
from trundle.typing import Expr

LEAST = 1.0  # N: friction limit of springs without load
STILL = 1e-9  # m/s, below which a motion has no direction


@final
@dataclass(frozen=True)
class LenoirSprings(Suspension):
    """The springs of one axle box with Lenoir links.

    An inclined link turns a share of the spring force into a push of the box against its guide; there it rubs, up and
    down and across. The friction sticks by a spring: its force f follows f' = k (v - |v| f / limit) [Dahl 1968].

    Parameters
    ----------
    outer, inner : float
        Vertical stiffness of the springs that always carry, and of those that begin after `play`, N/m.
    play : float
        Compression of the outer springs at which the inner ones begin to carry, m.
    along, across : float
        Stiffness along x and y, N/m.
    mu : float
        Of the guides.
    link_angle : float
        Of the link from the vertical, rad: it pushes with the tangent of it.
    share : float
        Of the spring force that hangs on the link.
    stick : float
        Stiffness by which the friction sticks, N/m.
    """

    outer: float
    inner: float
    play: float
    along: float
    across: float
    mu: float
    link_angle: float
    share: float = 0.5
    stick: float = 1e7

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        check_numbers("LenoirSprings", ("outer", "along", "mu", "link_angle", "share", "stick"), **given)
        if not self.link_angle < pi / 2:
            raise ModelError(f"LenoirSprings: the link leans by less than pi/2 rad, got {self.link_angle!r}.")

    @property
    def friction(self) -> float:
        """Limit of the friction over the spring force."""
        return self.mu * tan(self.link_angle) * self.share

    @property
    def vertical_stiffness(self) -> float:
        return self.outer

    def compression(self, load: float) -> float:
        """Of the springs under a load (N), m."""
        first = load / self.outer
        return first if first <= self.play else (load + self.inner * self.play) / (self.outer + self.inner)

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        lift = Shifted(TwoSprings(self.outer, self.inner, self.play), self.compression(load))
        m.apply(AxisLaws(lower, upper, (LoadedSpring(self.along), LoadedSpring(self.across), lift)), name=name)
        m.apply(GuideFriction(lower, upper, lift, self.friction, self.stick), name=f"{name}_friction")


@final
@dataclass(frozen=True)
class TwoSprings(EffortLaw):
    """Springs that push while compressed (q below zero): the outer ones at once, the inner ones after the play."""

    outer: float
    inner: float
    play: float

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.outer * ca.fmax(-q, 0.0) + self.inner * ca.fmax(-q - self.play, 0.0)

    def potential(self, t: Expr, q: Expr) -> Expr:
        return (self.outer * ca.fmax(-q, 0.0) ** 2 + self.inner * ca.fmax(-q - self.play, 0.0) ** 2) / 2


@final
@dataclass(frozen=True, eq=False)
class GuideFriction(BetweenWithStates):
    """Friction across and up, limited by the force of the springs beside it. Its states `name.across` and `name.up`
    (m) are deflections of the spring by which it sticks.
    """

    springs: EffortLaw
    friction: float
    stick: float

    @property
    def element(self) -> str:
        return "R"

    def states(self) -> Iterator[State]:
        for i, kind in enumerate(("across", "up")):
            text = f"deflection of the spring by which the friction sticks, {kind}: {self.name}"
            yield State(self.name, kind, self._rate(i), 0.0, "m", text)

    def _bristles(self, s: Signals) -> Expr:
        return ca.vertcat(self.state(s, "across"), self.state(s, "up"))

    def _limit(self, s: Signals) -> Expr:
        height = relative_motion(s, *self.places).displacement[2]
        return self.friction * self.springs.effort(s.t, height, 0.0) + LEAST

    def _loss(self, s: Signals) -> Expr:
        """|v| k / limit, 1/s: how fast the bristles let go."""
        v = relative_motion(s, *self.places).rate[1:]
        return ca.sqrt(ca.sumsqr(v) + STILL**2) * self.stick / self._limit(s)

    def _rate(self, i: int) -> Expr:
        def rate(s: Signals) -> Expr:
            return relative_motion(s, *self.places).rate[1 + i] - self._loss(s) * self._bristles(s)[i]

        return rate

    def terms(self, s: Signals) -> Terms:
        at, bristles = relative_motion(s, *self.places), self._bristles(s)
        force = -self.stick * bristles
        F = ca.mtimes(at.R[:, 1:], force)
        return Terms(
            wrenches=at.wrenches(F),
            potential=self.stick * ca.sumsqr(bristles) / 2,
            dissipated=self._loss(s) * self.stick * ca.sumsqr(bristles),
            measures={
                "force": (ca.vertcat(0.0, force), "N", "friction on the second body, in axes of the first"),
                "limit": (self._limit(s), "N", "what it slides with"),
            },
        )
