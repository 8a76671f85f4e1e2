"""Hertz's contact of two bodies of the same material: ellipse, approach, pressure, by exact elliptic integrals.

The gap of the undeformed surfaces is (kx x^2 + ky y^2) / 2, with kx along the rolling direction and ky across it, each
the sum of both bodies' curvatures. With Carlson's symmetric integrals no case of a > b or a < b is needed
[Johnson 1985, Sec. 4.2]:

    kx / 2 = (p0 / E*) (a b / 3) RD(0, b^2, a^2),   ky / 2 = (p0 / E*) (a b / 3) RD(0, a^2, b^2),
    approach = (p0 / E*) a b RF(0, a^2, b^2),       p0 = 3 N / (2 pi a b).
"""

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.rail.wheel_rail.elliptic import log_ratio, rd, rf
from trundle.space.arrays import read_together
from trundle.typing import Array, Expr, Flags


@final
@dataclass(frozen=True)
class Elastic:
    """Material of wheel and rail, the same for both.

    Parameters
    ----------
    shear_modulus : float
        In Pa.
    poisson : float
        Poisson's ratio.
    """

    shear_modulus: float = 82e9
    poisson: float = 0.28

    def __post_init__(self) -> None:
        faults = []
        if not 0.0 < self.shear_modulus < np.inf:
            faults.append(f"Elastic: shear_modulus must be greater than zero, got {self.shear_modulus!r} Pa.")
        elif self.shear_modulus < 1e6:
            faults.append(
                f"Elastic: shear_modulus is {self.shear_modulus:g} Pa, softer than any rubber. Is it given in GPa or "
                "N/mm^2? Steel has 82e9 Pa."
            )
        if not 0.0 <= self.poisson <= 0.5:
            faults.append(f"Elastic: poisson must lie between 0 and 0.5, got {self.poisson!r}.")
        if faults:
            raise ModelError(faults)

    @property
    def contact_modulus(self) -> float:
        """E* of two equal bodies (Pa)."""
        return self.shear_modulus / (1.0 - self.poisson)


STEEL = Elastic()


@final
class Ellipse(NamedTuple):
    """Contacts by Hertz's theory, as numbers or arrays."""

    a: Expr  # semi-axis in the rolling direction, m
    b: Expr  # semi-axis across it, m
    approach: Expr  # m
    pressure: Expr  # largest, Pa
    stiffness: Expr  # N = stiffness * approach^(3/2), N/m^(3/2)


def hertz(
    load: ArrayLike, rolling_curvature: ArrayLike, lateral_curvature: ArrayLike, material: Elastic = STEEL
) -> Ellipse:
    """Contact under a load (N), for the sums of both bodies' curvatures along and across the rolling direction (1/m).

    A load of zero gives an empty ellipse, with its stiffness.

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
    Ellipse
    """
    given = {"load": load, "rolling_curvature": rolling_curvature, "lateral_curvature": lateral_curvature}
    N, kx, ky = read_together(given)
    refuse("load", N, N < 0, "N; wheel and rail do not pull on each other. An open contact has the load 0")
    remedy = (
        "1/m, the sum of both bodies' curvatures must be greater than zero: a hollow wheel needs a larger radius "
        "than the rail head; a line contact has no ellipse"
    )
    refuse("rolling_curvature", kx, kx <= 0, remedy)
    refuse("lateral_curvature", ky, ky <= 0, remedy)
    g = axis_ratio(ky / kx)  # a / b
    # N = (4/3) E* approach^(3/2) * shape, from the three equations with a = b g.
    E = material.contact_modulus
    D = rd(1.0, g**2) / 3.0  # RD(0, b^2, a^2) b^3 / 3
    b = np.cbrt(3.0 * N / (np.pi * E * kx) * D)
    F = rf(1.0, g**2)  # RF(0, b^2, a^2) b
    approach = kx * b**2 * F / (2.0 * D)
    stiffness = np.pi * E * kx * (2.0 * D / (kx * F)) ** 1.5 / (3.0 * D)
    with np.errstate(invalid="ignore", divide="ignore"):
        pressure = np.where(N > 0, 1.5 * N / (np.pi * g * b**2), 0.0)
    return _scalars(Ellipse(g * b, b, approach, pressure, stiffness))


def hertz_of_axes(
    load: ArrayLike, a: ArrayLike, b: ArrayLike, material: Elastic = STEEL
) -> tuple[Ellipse, tuple[Expr, Expr]]:
    """Contact with given semi-axes (m) under a load (N), and the curvatures (rolling, lateral) that lead to it.

    Parameters
    ----------
    load : float or array
        Normal force (N).
    a, b : float or array
        Semi-axes along and across (m).
    material : Elastic
        Of both bodies.

    Returns
    -------
    tuple
        The ellipse, and the two curvatures (1/m).
    """
    N, a_, b_ = read_together({"load": load, "a": a, "b": b})
    refuse("load", N, N <= 0, "N; an ellipse of given size needs a load greater than zero")
    refuse("a", a_, a_ <= 0, "m; a semi-axis must be greater than zero")
    refuse("b", b_, b_ <= 0, "m; a semi-axis must be greater than zero")
    p0 = 1.5 * N / (np.pi * a_ * b_)
    k = p0 / material.contact_modulus * a_ * b_
    kx, ky = (2.0 / 3.0 * k * rd(*pair) for pair in ((b_**2, a_**2), (a_**2, b_**2)))
    approach = k * rf(a_**2, b_**2)
    ellipse = Ellipse(a_, b_, approach, p0, N / approach**1.5)
    return _scalars(ellipse), (_plain(kx), _plain(ky))


def axis_ratio(curvature_ratio: Array) -> Array:
    """a/b for ky/kx = RD(0, a^2, b^2) / RD(0, b^2, a^2): Newton's method on logarithms, where the relation is nearly a
    straight line.
    """
    target = np.log(curvature_ratio)
    s = 0.636 * target  # log of a/b
    h = 1e-5  # the slope need not be exact: it only directs the steps
    for _ in range(30):
        slope = (log_ratio(s + h) - log_ratio(s - h)) / (2.0 * h)
        step = (log_ratio(s) - target) / slope
        s = s - step
        if np.all(np.abs(step) < 1e-13 * (1.0 + np.abs(s))):
            break
    return np.exp(s)


def refuse(name: str, values: Array, wrong: Flags | bool, why: str) -> None:
    """ModelError that shows the first value that is wrong, or not finite, and its place in an array."""
    bad = np.asarray(wrong) | ~np.isfinite(values)
    if np.any(bad):
        place = np.argwhere(bad)[0]
        where = "" if values.ndim == 0 else f" at index {', '.join(str(i) for i in place)}"
        raise ModelError(f"{name} is {values[tuple(place)]:g}{where}{why if why.startswith(';') else f' {why}'}.")


def _scalars(ellipse: Ellipse) -> Ellipse:
    return Ellipse(*(_plain(v) for v in ellipse))


def _plain(value: Array) -> Expr:
    return float(value) if np.ndim(value) == 0 else value
