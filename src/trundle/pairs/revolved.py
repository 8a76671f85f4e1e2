"""Surfaces of revolution from a smooth profile."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import pi
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.math import cos, sin
from trundle.pairs.chart import SurfaceCoordinate
from trundle.pairs.parametric import ParametricSurface
from trundle.typing import Expr

SAMPLES = 65  # points at which a profile is checked


@final
@dataclass(frozen=True, eq=False)
class Profile:
    """The radius of a surface of revolution as an expression of the position along its axis."""

    y: Expr
    radius: Expr

    def at(self, y: Expr) -> Expr:
        """The radius (m) at the position y (m)."""
        return ca.substitute(self.radius, self.y, y)

    @property
    def slope(self) -> "Profile":
        """Change of the radius along the axis."""
        return Profile(self.y, derivative(self.radius, self.y))

    @property
    def symbols(self) -> tuple[Expr, ...]:
        """Parameters in it."""
        return tuple(s for s in ca.symvar(self.radius) if s.element_hash() != self.y.element_hash())


@final
@dataclass(frozen=True)
class Revolved(ParametricSurface):
    """A surface of revolution about the y axis: `profile` is its radius (m) as a function of the position y (m) along
    the axis, between `low` and `high` (m). inside=True is a bore.

    The profile is called once, with a symbol; functions of math come from `trundle`. It may use parameters.
    """

    profile: Callable[[Expr], Expr] = field(metadata={"variables": ("y",)})
    low: float  # m
    high: float  # m
    inside: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.profile, Profile):
            object.__setattr__(self, "profile", _read(self.profile))
        if not self.low < self.high:
            raise ModelError(f"Revolved: low must be less than high, got {self.low!r} and {self.high!r}.")
        if not self.symbols:
            y = np.linspace(self.low, self.high, SAMPLES)[1:-1]
            radius = np.array(ca.Function("r", [self._profile.y], [self._profile.radius])(y[None, :])).ravel()
            if not np.all(np.isfinite(radius)) or np.any(radius <= 0):
                bad = y[~(radius > 0)][0]
                raise ModelError(
                    f"Revolved: the radius must be greater than zero everywhere; at y = {bad:.6g} m it is not."
                )

    @property
    def _profile(self) -> Profile:
        assert isinstance(self.profile, Profile)
        return self.profile

    @property
    def symbols(self) -> tuple[Expr, ...]:
        return self._profile.symbols

    @property
    def turns(self) -> bool:
        return True

    def span(self) -> tuple[SurfaceCoordinate, SurfaceCoordinate]:
        along = SurfaceCoordinate("along", float(self.low), float(self.high), slides=True, ends=True)
        return SurfaceCoordinate("angle", -pi, pi, closed=True), along

    def locate(self, angle: Expr, along: Expr) -> Sequence[Expr]:
        radius = self._profile.at(along)
        return radius * sin(angle), along, radius * cos(angle)

    def outward(self, angle: Expr, along: Expr) -> Sequence[Expr]:
        return sin(angle), -self._profile.slope.at(along), cos(angle)


def _read(profile: Expr) -> Profile:
    """The profile as an expression, from a function or a constant radius."""
    y = ca.SX.sym("y")
    remedy = (
        "Revolved: the profile is a function of the position along the axis that returns the radius, such as "
        "lambda y: 0.3 - y**2; functions of math come from trundle: tr.sqrt, tr.cos, ..."
    )
    try:
        answer = profile(y) if callable(profile) else profile
        radius = ca.SX(ca.vertcat(*answer) if isinstance(answer, list | tuple) else answer)
    except (TypeError, NotImplementedError) as error:
        raise ModelError(f"{remedy} ({error})") from error
    if radius.numel() != 1:
        raise ModelError(f"Revolved: the profile must give one number, got {radius.numel()}.")
    if radius.is_constant() and not np.isfinite(float(radius)):
        raise ModelError(remedy)
    return Profile(y, radius)
