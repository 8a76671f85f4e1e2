"""Creep laws: the tangential force of rolling contact from creepages, load and patch.

Axes of the contact: x in the rolling direction, y across it to the left, z along the normal away from the rail. A
creepage is the velocity of the wheel against the rail in the contact over the rolling speed; spin is the relative
angular velocity about z over the rolling speed (1/m). The force acts on the wheel. One law serves numbers, arrays and
symbols of the tape.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import pi
from typing import NamedTuple, final

import numpy as np

from trundle.errors import ModelError
from trundle.rail.elementwise import atan, exp, largest, least, sqrt, symbolic, where
from trundle.rail.wheel_rail.hertz import refuse
from trundle.rail.wheel_rail.kalker import Patch
from trundle.space.arrays import read_together
from trundle.typing import Expr

NO_LOAD = 1e-9  # N: least load in the friction limit, so that ratios to it stay finite in an open contact
NO_CREEP = 1e-30  # added to squares under a root, which has no slope at zero
SMALL_CREEP = 1e-6  # well above round-off, well below creepages that matter (1e-4 to 1e-2)


@final
class CreepForce(NamedTuple):
    """Forces and moment on the wheel at the contact."""

    longitudinal: Expr  # N
    lateral: Expr  # N
    spin_moment: Expr  # N m


@final
@dataclass(frozen=True)
class FallingFriction:
    """Coefficient of friction that falls with the slip velocity w: mu ((1 - floor) exp(-decay w) + floor)
    [Polach 2005, Eq. 13].
    """

    mu: Expr
    floor: float = 0.4  # friction at large slip velocity over mu
    decay: float = 0.6  # s/m

    def __post_init__(self) -> None:
        faults = _friction_faults("FallingFriction", self.mu)
        if not 0.0 < self.floor <= 1.0:
            faults.append(f"FallingFriction: floor must lie above 0 and not above 1, got {self.floor!r}.")
        if not 0.0 <= self.decay < np.inf:
            faults.append(f"FallingFriction: decay must not be negative, got {self.decay!r} s/m.")
        if faults:
            raise ModelError(faults)

    def at(self, slip_velocity: Expr) -> Expr:
        """Coefficient of friction at a slip velocity (m/s).

        Parameters
        ----------
        slip_velocity : float, array or expression
            In m/s.

        Returns
        -------
        float, array or expression
        """
        return self.mu * ((1.0 - self.floor) * exp(-self.decay * slip_velocity) + self.floor)


@dataclass(frozen=True)
class CreepLaw(ABC):
    """A creep law; `mu` is a number, a symbol or a FallingFriction."""

    mu: Expr = 0.4

    def __post_init__(self) -> None:
        if not isinstance(self.mu, FallingFriction):
            faults = _friction_faults(type(self).__name__, self.mu)
            if faults:
                raise ModelError(faults)

    def force(
        self, longitudinal: Expr, lateral: Expr, spin: Expr, load: Expr, patch: Patch, speed: Expr = None
    ) -> CreepForce:
        """Force on the wheel from the creepages (-, -, 1/m), the load (N) and the patch.

        speed: of rolling, m/s; only friction that falls with the slip velocity needs it.

        Parameters
        ----------
        longitudinal, lateral : float, array or expression
            Creepages.
        spin : float, array or expression
            Spin creepage (1/m).
        load : float, array or expression
            Normal force (N).
        patch : Patch
            Where they touch.
        speed : float, array or expression, optional
            Of rolling (m/s).

        Returns
        -------
        CreepForce
        """
        if not symbolic(longitudinal, lateral, spin, load, patch.a, patch.b):
            given = {"longitudinal creepage": longitudinal, "lateral creepage": lateral, "spin": spin, "load": load}
            longitudinal, lateral, spin, load = (v[()] for v in read_together(given))
            for name, value in zip(given, (longitudinal, lateral, spin), strict=False):
                refuse(name, np.asarray(value), False, "; creepages must be finite: is the rolling speed zero?")
            refuse("load", np.asarray(load), np.asarray(load) < 0, "N; an open contact has the load 0")
        mu = self._friction(longitudinal, lateral, speed)
        return self.law(longitudinal, lateral, spin, mu * largest(load, NO_LOAD), patch)

    @abstractmethod
    def law(self, xi_x: Expr, xi_y: Expr, spin: Expr, bound: Expr, patch: Patch) -> CreepForce:
        """Force on the wheel, where friction can carry the force `bound` = mu N > 0.

        Parameters
        ----------
        xi_x, xi_y, spin : expression
            Creepages (-, -, 1/m).
        bound : expression
            mu N (N).
        patch : Patch
            Where they touch.

        Returns
        -------
        CreepForce
        """

    def _friction(self, xi_x: Expr, xi_y: Expr, speed: Expr) -> Expr:
        if not isinstance(self.mu, FallingFriction):
            return self.mu
        if speed is None:
            raise ModelError(
                f"{type(self).__name__}: friction that falls with the slip velocity needs the rolling speed; give "
                "speed=... in m/s."
            )
        return self.mu.at((speed if symbolic(speed) else np.abs(speed)) * sqrt(xi_x**2 + xi_y**2 + NO_CREEP))


@dataclass(frozen=True)
class ScaledCreepLaw(CreepLaw):
    """Base law: forces over mu N depend on four numbers only, the linear forces over mu N and b/a."""

    def law(self, xi_x: Expr, xi_y: Expr, spin: Expr, bound: Expr, patch: Patch) -> CreepForce:
        linear = patch.f11 * xi_x / bound, patch.f22 * xi_y / bound, patch.f23 * spin / bound
        fx, fy, moment = self.shares(*linear, patch.b / patch.a)
        return CreepForce(bound * fx, bound * fy, bound * patch.a * moment)

    @abstractmethod
    def shares(self, t_x: Expr, t_y: Expr, t_spin: Expr, ratio: Expr) -> tuple[Expr, Expr, Expr]:
        """Forces over mu N and spin moment over mu N a, from the linear forces over mu N and b/a.

        Parameters
        ----------
        t_x, t_y, t_spin : expression
            Linear forces over mu N.
        ratio : expression
            b/a of the patch.

        Returns
        -------
        tuple of expression
        """


@final
@dataclass(frozen=True)
class Linear(CreepLaw):
    """Kalker's linear theory: no limit of friction, right for small creepages only.

    Parameters
    ----------
    mu : float or expression
        Coefficient of friction, or a FallingFriction.
    """

    def law(self, xi_x: Expr, xi_y: Expr, spin: Expr, bound: Expr, patch: Patch) -> CreepForce:
        return linear_force(xi_x, xi_y, spin, patch)


@final
@dataclass(frozen=True)
class JohnsonVermeulen(CreepLaw):
    """Vermeulen and Johnson's cubic saturation, without spin, with Kalker's coefficients instead of their own.

    Parameters
    ----------
    mu : float or expression
        Coefficient of friction, or a FallingFriction.
    """

    def law(self, xi_x: Expr, xi_y: Expr, spin: Expr, bound: Expr, patch: Patch) -> CreepForce:
        return saturate(linear_force(xi_x, xi_y, 0.0 * spin, patch), bound)


@final
@dataclass(frozen=True)
class ShenHedrickElkins(CreepLaw):
    """The cubic saturation on Kalker's linear force with spin [Shen et al. 1983]: fast, and good while the spin is
    small; at a flange (2 1/m) it is wrong by some 40 %.

    Parameters
    ----------
    mu : float or expression
        Coefficient of friction, or a FallingFriction.
    """

    def law(self, xi_x: Expr, xi_y: Expr, spin: Expr, bound: Expr, patch: Patch) -> CreepForce:
        return saturate(linear_force(xi_x, xi_y, spin, patch), bound)


@final
@dataclass(frozen=True)
class Polach(CreepLaw):
    """Polach's closed form [Polach 1999], with the reduction factors of adhesion and slip areas for wet or dirty rails
    [Polach 2005]: 1 >= adhesion >= slip > 0. It gives no spin moment.

    Parameters
    ----------
    mu : float or expression
        Coefficient of friction, or a FallingFriction.
    adhesion : float
        k_A, factor of the area of adhesion.
    slip : float
        k_S, factor of the area of slip.
    """

    adhesion: float = 1.0
    slip: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1.0 >= self.adhesion >= self.slip > 0.0:
            raise ModelError(
                f"Polach: the reduction factors must obey 1 >= adhesion >= slip > 0, got adhesion {self.adhesion!r}, "
                f"slip {self.slip!r}."
            )

    def law(self, xi_x: Expr, xi_y: Expr, spin: Expr, bound: Expr, patch: Patch) -> CreepForce:
        a, b = patch.a, patch.b
        turned = xi_y + spin * a
        xi_yc = where(turned**2 > xi_y**2, turned, xi_y)
        creep = sqrt(xi_x**2 + xi_yc**2 + NO_CREEP)
        along, across = (self._slip_force(xi_x, xi_y, creep, f, bound, patch) for f in (patch.f11, patch.f22))
        # Lateral force of spin; delta in the form whose difference from 1 keeps its digits.
        wide = 1.0 + 6.3 * (1.0 - exp(-a / b))
        eps_s = 8.0 / 3.0 * patch.f23 / a * sqrt(xi_yc**2 + SMALL_CREEP**2) / (wide * bound)
        delta = (eps_s**2 - 1.0) / (eps_s**2 + 1.0)
        root = 2.0 * eps_s / (eps_s**2 + 1.0)  # sqrt(1 - delta^2)
        K = eps_s * (-(delta**3) / 3.0 + delta**2 / 2.0 - 1.0 / 6.0) + root**3 / 3.0
        spun = 9.0 / 16.0 * a * bound * K * wide / sqrt(creep**2 + SMALL_CREEP**2)
        return CreepForce(-along * xi_x / creep, -across * xi_y / creep - spun * spin, 0.0 * spin)

    def _slip_force(self, xi_x: Expr, xi_y: Expr, creep: Expr, axial: Expr, bound: Expr, patch: Patch) -> Expr:
        """Size of the force of slip. Its stiffness is a mean of f11 and f22 that depends on the direction of the slip;
        where there is none, it is that of the axis (`axial`), so that small motions have Kalker's linear forces.
        """
        pull = (patch.f11 * xi_x) ** 2 + (patch.f22 * xi_y) ** 2 + (axial * SMALL_CREEP) ** 2
        stiffness = sqrt(pull / (xi_x**2 + xi_y**2 + SMALL_CREEP**2))
        eps = pi / 4.0 * stiffness * creep / bound
        k_A, k_S = self.adhesion * eps, self.slip * eps
        return 2.0 / pi * bound * (k_A / (1.0 + k_A**2) + atan(k_S))


def linear_force(xi_x: Expr, xi_y: Expr, spin: Expr, patch: Patch) -> CreepForce:
    """Kalker's linear theory [Kalker 1990, Sec. 2.2]."""
    return CreepForce(
        -patch.f11 * xi_x,
        -patch.f22 * xi_y - patch.f23 * spin,
        patch.f23 * xi_y - patch.f33 * spin,
    )


def saturate(linear: CreepForce, bound: Expr) -> CreepForce:
    """Linear force F reduced to `bound` (1 - (1 - t/3)^3), t = F / bound up to 3, and to `bound` beyond."""
    t = sqrt(linear.longitudinal**2 + linear.lateral**2 + NO_CREEP) / bound
    s = least(t, 3.0)
    share = (1.0 - s / 3.0 + s**2 / 27.0) * least(1.0, 3.0 / largest(t, 3.0))
    return CreepForce(*(share * f for f in linear))


@final
class Creepages(NamedTuple):
    """Velocities of the wheel against the rail over the rolling speed."""

    longitudinal: Expr
    lateral: Expr
    spin: Expr  # 1/m


def creepages(longitudinal_slip: Expr, lateral_slip: Expr, spin_rate: Expr, speed: Expr) -> Creepages:
    """Creepages from the slip velocities (m/s) and the relative rate of rotation about the normal (rad/s).

    Parameters
    ----------
    longitudinal_slip, lateral_slip : float, array or expression
        Slip velocities (m/s).
    spin_rate : float, array or expression
        About the normal (rad/s).
    speed : float, array or expression
        Of rolling (m/s).

    Returns
    -------
    Creepages
    """
    if not symbolic(longitudinal_slip, lateral_slip, spin_rate, speed):
        v = np.asarray(speed, dtype=float)
        refuse("speed", v, v == 0, "m/s; creepage is slip over rolling speed and has no meaning for a wheel at rest")
    size = sqrt(speed**2) if symbolic(speed) else np.abs(speed)
    return Creepages(longitudinal_slip / size, lateral_slip / size, spin_rate / size)


def _friction_faults(owner: str, mu: Expr) -> list[str]:
    if symbolic(mu):
        return []
    try:
        value = np.asarray(mu, dtype=float)
    except (TypeError, ValueError):
        return [f"{owner}: mu must be a number, a symbol or a FallingFriction, got {mu!r}."]
    if not np.all((value > 0) & np.isfinite(value)):
        return [f"{owner}: the coefficient of friction mu must be greater than zero, got {mu!r}."]
    return []
