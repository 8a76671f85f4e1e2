"""Springs of a freight bogie of the kind of Y25: two stiffnesses, and dry friction in proportion to the load."""

from dataclasses import dataclass
from math import pi, tan
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.law import EffortLaw
from trundle.model.body import Frame
from trundle.model.model import Model
from trundle.rail.suspension.axis_laws import AxisLaws, LoadedSpring, Shifted
from trundle.rail.suspension.guide_friction import STICK, ExactGuides, SmoothGuides
from trundle.rail.suspension.suspension import Suspension, check_numbers
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class LenoirSprings(Suspension):
    """The springs of one axle box with Lenoir links.

    An inclined link turns a share of the spring force into a force of the box against its guide, which causes friction
    vertically and laterally. The friction sticks by a spring; it slides gradually by Dahl's law or, with `exact`, at
    its limit only, with events.

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
        Of the link from the vertical, rad: its tangent is the ratio of guide force to spring force.
    share : float
        Of the spring force that hangs on the link.
    stick : float
        Stiffness by which the friction sticks, N/m.
    exact : bool
        Whether it sticks and slides exactly.
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
    exact: bool = False

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "exact"}
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
        """Of the springs under a load (N), m.

        Parameters
        ----------
        load : float
            In N.

        Returns
        -------
        float
        """
        first = load / self.outer
        return first if first <= self.play else (load + self.inner * self.play) / (self.outer + self.inner)

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        lift = Shifted(TwoSprings(self.outer, self.inner, self.play), self.compression(load))
        m.apply(AxisLaws(lower, upper, (LoadedSpring(self.along), LoadedSpring(self.across), lift)), name=name)
        full, numbers = f"{name}_friction", (lower, upper, lift, self.friction, self.stick)
        if not self.exact:
            m.apply(SmoothGuides(*numbers), name=full)
            return
        m.parameter(f"{full}_slides", STICK, text="0 while the friction sticks, 1 while it slides")
        force = m.apply(ExactGuides(*numbers), name=full)
        if not isinstance(force, ExactGuides):
            raise ModelError(f"LenoirSprings: {full!r} did not become a friction element.")
        force.watch(m)


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
