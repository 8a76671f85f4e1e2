"""Kalker's coefficients of linear rolling contact, and the patch that creep laws work on."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.data_file import read_data
from trundle.lookup.table import Table
from trundle.messages.warn import warn
from trundle.rail.elementwise import sqrt
from trundle.rail.wheel_rail.hertz import STEEL, Elastic, hertz, refuse
from trundle.space.arrays import read_numbers
from trundle.typing import Array, Expr, Json

NAMES = ("C11", "C22", "C23", "C33")
EDGE = 0.1  # g = min(a/b, b/a) at the ends of the table
LEAST_LOAD = 1e-6  # N: patches of open contacts keep the shape of their ellipse


class KalkerWarning(UserWarning):
    """An ellipse more slender than Kalker's table: the coefficients follow his asymptotes."""


@final
class Coefficients(NamedTuple):
    """Kalker's coefficients, numbers or arrays."""

    C11: Expr
    C22: Expr
    C23: Expr
    C33: Expr


def kalker(a_over_b: ArrayLike, poisson: float = STEEL.poisson, *, quiet: bool = False) -> Coefficients:
    """Coefficients for ellipses with the semi-axes a along and b across the rolling direction [Kalker 1990, Table E.3].

    Inside the table (a/b from 0.1 to 10) a cubic spline over log(a/b); beyond it the table's asymptotes, joined
    continuously, with a KalkerWarning unless `quiet`.

    Parameters
    ----------
    a_over_b : float or array
        Ratio of the semi-axes along and across.
    poisson : float
        Poisson's ratio.
    quiet : bool
        Without a warning beyond the table.

    Returns
    -------
    Coefficients
    """
    g = read_numbers("a_over_b", a_over_b)
    refuse("a_over_b", g, g <= 0, "; the ratio of two semi-axes must be greater than zero")
    slender = (g < EDGE * (1 - 1e-12)) | (g > (1 + 1e-12) / EDGE)
    if np.any(slender) and not quiet:
        worst = g[slender].flat[np.argmax(np.abs(np.log(g[slender])))]
        warn(
            f"an ellipse with a/b = {worst:.4g} lies outside Kalker's table (0.1 to 10); its coefficients follow his "
            "asymptotes, within some per cent.",
            KalkerWarning,
        )
    found = np.exp(_spline(poisson)(np.log(np.clip(g, EDGE, 1 / EDGE))))
    if np.any(slender):
        small = np.minimum(g, 1.0 / g)
        for along, asymptote in ((True, _wide), (False, _long)):
            chosen = slender & ((g < 1) == along)
            # The table's last value over the asymptote's there, a correction that fades as g goes to zero.
            ratio = found[chosen] / asymptote(np.array(EDGE), poisson)
            found[chosen] = asymptote(small[chosen], poisson) * ratio ** (small[chosen, None] / EDGE)
    return Coefficients(*(float(c) if g.ndim == 0 else c for c in np.moveaxis(found, -1, 0)))


@cache
def _table() -> Json:
    return read_data("rail/data/kalker.toml")


@cache
def _spline(poisson: float) -> Table:
    """Logarithms of the coefficients over log(a/b). Over Poisson's ratio the reciprocals are nearly straight lines:
    a parabola through the three of the table.
    """
    data = _table()
    g, (n0, n1, n2) = np.array(data["g"]), data["poisson"]
    weights = np.array(
        [
            (poisson - n1) * (poisson - n2) / ((n0 - n1) * (n0 - n2)),
            (poisson - n0) * (poisson - n2) / ((n1 - n0) * (n1 - n2)),
            (poisson - n0) * (poisson - n1) / ((n2 - n0) * (n2 - n1)),
        ]
    )
    wide, long = (
        np.stack([1.0 / (1.0 / np.array(data[side][name]) @ weights) for name in NAMES], axis=-1)
        for side in ("a_over_b", "b_over_a")
    )
    x = np.concatenate([np.log(g), -np.log(g[-2::-1])])
    return Table(x, np.log(np.concatenate([wide, long[-2::-1]])))


def _wide(g: Array, nu: float) -> Array:
    """Asymptotes for g = a/b to 0 [Kalker 1990, Table E.3]."""
    return np.stack(
        [
            np.full_like(g, np.pi**2 / (4 * (1 - nu))),
            np.full_like(g, np.pi**2 / 4),
            np.pi * np.sqrt(g) / (3 * (1 - nu)) * (1 + nu * (np.log(16 / g) - 5)),
            np.pi**2 / (16 * (1 - nu) * g),
        ],
        axis=-1,
    )


def _long(g: Array, nu: float) -> Array:
    """Asymptotes for g = b/a to 0 [Kalker 1990, Table E.3]."""
    L = np.log(16 / g**2)
    c = 3 - np.log(4.0)
    shear, side, spin = L - 2 * nu, (1 - nu) * L + 2 * nu, (1 - nu) * L - 2 + 4 * nu
    return np.stack(
        [
            2 * np.pi / (g * shear) * (1 + c / shear),
            2 * np.pi / (g * side) * (1 + (1 - nu) * c / side),
            2 * np.pi / (3 * g**1.5 * spin),
            np.pi / 4 * (1 - nu * (L - 2) / spin),
        ],
        axis=-1,
    )


@final
@dataclass(frozen=True, eq=False)
class Patch:
    """Contact ellipse with its elastic and creepage coefficients: numbers, arrays, or symbols of the tape."""

    a: Expr  # semi-axis in the rolling direction, m
    b: Expr  # semi-axis across it, m
    coefficients: Coefficients
    shear_modulus: Expr = STEEL.shear_modulus  # Pa

    @classmethod
    def ellipse(cls, a: ArrayLike, b: ArrayLike, material: Elastic = STEEL) -> "Patch":
        """With given semi-axes (m).

        Parameters
        ----------
        a, b : float or array
            Semi-axes along and across (m).
        material : Elastic
            Of both bodies.

        Returns
        -------
        Patch
        """
        a_, b_ = read_numbers("a", a), read_numbers("b", b)
        refuse("a", a_, a_ <= 0, "m; a semi-axis must be greater than zero")
        refuse("b", b_, b_ <= 0, "m; a semi-axis must be greater than zero")
        return cls(a, b, kalker(a_ / b_, material.poisson), material.shear_modulus)

    @classmethod
    def hertz(
        cls, load: ArrayLike, rolling_curvature: ArrayLike, lateral_curvature: ArrayLike, material: Elastic = STEEL
    ) -> "Patch":
        """Under a load (N), for the sums of both bodies' curvatures along and across the rolling direction (1/m).

        Parameters
        ----------
        load : float or array
            Normal force (N).
        rolling_curvature, lateral_curvature : float or array
            Sums of both bodies' curvatures along and across (1/m).
        material : Elastic
            Of both bodies.

        Returns
        -------
        Patch
        """
        found = hertz(load, rolling_curvature, lateral_curvature, material)
        if np.any(np.asarray(load) == 0):
            found = hertz(np.maximum(load, LEAST_LOAD), rolling_curvature, lateral_curvature, material)
        return cls.ellipse(found.a, found.b, material)

    @property
    def f11(self) -> Expr:
        """Longitudinal force per longitudinal creepage (N)."""
        return self.shear_modulus * self.a * self.b * self.coefficients.C11

    @property
    def f22(self) -> Expr:
        """Lateral force per lateral creepage (N)."""
        return self.shear_modulus * self.a * self.b * self.coefficients.C22

    @property
    def f23(self) -> Expr:
        """Lateral force per spin, and spin moment per lateral creepage (N m)."""
        return self.shear_modulus * self.a * self.b * sqrt(self.a * self.b) * self.coefficients.C23

    @property
    def f33(self) -> Expr:
        """Spin moment per spin (N m^2)."""
        return self.shear_modulus * (self.a * self.b) ** 2 * self.coefficients.C33
