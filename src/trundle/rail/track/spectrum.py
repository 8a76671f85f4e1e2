"""Power spectral densities of track irregularities: ERRI B176, the classes of the FRA, and user-defined ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.data_file import read_data
from trundle.errors import ModelError, UnknownNameError
from trundle.typing import Array, Raw

CHANNELS = ("vertical", "lateral", "cant", "gauge")
Density = Callable[[Array], ArrayLike] | tuple[ArrayLike, ArrayLike]  # a function of rad/m, or values over rad/m


@cache
def _data() -> Raw:
    return read_data("rail/data/track_spectra.toml")


@final
@dataclass(frozen=True)
class Rational:
    """scale * W^(2 power) / product of (W^2 + cutoff^2), one-sided, in m^2/(rad/m) over W in rad/m."""

    scale: float
    cutoffs: tuple[float, ...]
    power: int = 0

    def __call__(self, omega: Array) -> Array:
        square = np.asarray(omega) ** 2
        below = np.prod([square + cutoff**2 for cutoff in self.cutoffs], axis=0)
        return np.asarray(self.scale * square**self.power / below)


def erri(level: Literal["low", "high"]) -> dict[str, Rational]:
    """Spectra of ERRI B176 by channel; cant is the difference in height of the rails. [ORE 1989], read in public
    programs; one of them quotes [Guo et al. 2012].
    """
    data = _data()["erri"]
    if level not in data["levels"]:
        raise UnknownNameError(level, data["levels"], "level of ERRI B176")
    size, c, r, s = data["levels"][level], data["Wc"], data["Wr"], data["Ws"]
    return {
        "vertical": Rational(size["vertical"] * c**2, (r, c)),
        "lateral": Rational(size["lateral"] * c**2, (r, c)),
        # Given as an angle on half the distance b of the rails, A/b^2; the height is 2 b times the angle.
        "cant": Rational(4.0 * size["vertical"] * c**2, (r, c, s), 1),
        "gauge": Rational(size["gauge"] * c**2, (r, c, s), 1),
    }


def fra(track_class: int) -> dict[str, Rational]:
    """Spectra of the FRA by channel, classes 1 (worst) to 6. [Hamid et al. 1983], read in public programs; two of them
    quote [Lei & Noda 2002] for the vertical ones.
    """
    data = _data()["fra"]
    if track_class not in range(1, 7):
        raise ModelError(f"the FRA has the track classes 1 (worst) to 6, not {track_class!r}.")
    size, c, k = data["classes"][int(track_class) - 1], data["Wc"], data["k"]
    square_metres = 1e-4  # in a square centimetre, in which the table is given
    rough = {name: k * size[name] * square_metres * c**2 for name in ("vertical", "lateral")}
    return {
        "vertical": Rational(rough["vertical"], (0.0, c)),
        "lateral": Rational(rough["lateral"], (0.0, c)),
        "cant": Rational(4.0 * rough["vertical"], (c, size["Ws"])),
        "gauge": Rational(4.0 * rough["vertical"], (c, size["Ws"])),
    }


def usual_band(family: str) -> tuple[float, float]:
    """Shortest and longest wavelength (m) of a family of spectra."""
    short, long = _data()[family]["wavelengths"]
    return float(short), float(long)


def density_of(given: Density, name: str) -> Callable[[Array], Array]:
    """A function of rad/m from a function or from a table, which is interpolated in logarithms."""
    if callable(given):
        return lambda omega: np.broadcast_to(np.asarray(given(omega), float), np.shape(omega))
    if not (isinstance(given, tuple | list) and len(given) == 2):
        raise ModelError(f"the spectrum {name!r} is a function of rad/m, or a table (rad/m, densities), not {given!r}.")
    omegas, values = (np.asarray(column, float) for column in given)
    if omegas.ndim != 1 or omegas.shape != values.shape or len(omegas) < 2:
        raise ModelError(f"the spectrum {name!r}: give as many densities as wavenumbers, two at least.")
    if not (np.all(np.diff(omegas) > 0.0) and omegas[0] > 0.0 and np.all(values > 0.0) and np.all(np.isfinite(values))):
        raise ModelError(f"the spectrum {name!r}: wavenumbers must grow, and wavenumbers and densities be positive.")

    def table(omega: Array) -> Array:
        # The density is zero outside the table.
        inside = (omega >= omegas[0] * (1 - 1e-12)) & (omega <= omegas[-1] * (1 + 1e-12))
        return np.where(inside, np.exp(np.interp(np.log(omega), np.log(omegas), np.log(values))), 0.0)

    return table


def band_power(density: Callable[[Array], Array], edges: Array, name: str) -> Array:
    """Variance (m^2) in each band between edges (rad/m), by Gauss in the logarithm."""
    points, weights = np.polynomial.legendre.leggauss(8)
    low, high = np.log(edges[:-1]), np.log(edges[1:])
    omega = np.exp((low + high)[:, None] / 2.0 + (high - low)[:, None] / 2.0 * points)
    found = np.asarray(density(omega))
    if not np.all(np.isfinite(found)) or np.any(found < 0.0):
        raise ModelError(
            f"the spectrum {name!r} is negative or not finite between {edges[0]:g} and {edges[-1]:g} rad/m."
        )
    return np.asarray((((high - low) / 2.0)[:, None] * weights * found * omega).sum(1))


def third_octaves(wavelengths: tuple[float, float]) -> Array:
    """Edges (rad/m) of the third-octave bands that lie within a band of wavelengths (m), centred at 1 m * 10^(n/10)."""
    short, long = wavelengths
    n = np.arange(np.ceil(10 * np.log10(short) + 0.5 - 1e-9), np.floor(10 * np.log10(long) - 0.5 + 1e-9) + 1)
    edges = 10.0 ** ((np.append(n - 0.5, n[-1] + 0.5)) / 10.0) if len(n) else np.empty(0)
    return np.asarray(2.0 * np.pi / edges[::-1])


Spectra = Mapping[str, Density]
