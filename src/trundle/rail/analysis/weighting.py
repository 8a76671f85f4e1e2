"""Weighting of vibrations by frequency: ISO 2631-1, EN 12299, Sperling.

A weighting is the transfer function from acceleration to weighted acceleration; signals are weighted in the frequency
domain, padded with zeros, so that the filter is the analogue one at every rate of sampling.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.errors import SolveError
from trundle.typing import AnyArray, Array


@final
@dataclass(frozen=True)
class Weighting:
    """Band limits f1, f2; transition f3, f4, Q4; upward step f5, Q5, f6, Q6, with frequencies in Hz [ISO 1997]."""

    name: str
    f3: float
    f4: float
    Q4: float
    f5: float = np.inf
    Q5: float = 1.0
    f6: float = np.inf
    Q6: float = 1.0
    gain: float = 1.0
    f1: float = 0.4
    f2: float = 100.0

    def transfer(self, frequency: AnyArray) -> AnyArray:
        """Complex factor at frequencies (Hz).

        Parameters
        ----------
        frequency : array
            In Hz.

        Returns
        -------
        array
        """
        f = np.maximum(np.abs(np.asarray(frequency, float)), 1e-12)
        s = 1j * f
        H = self.gain / (1 + np.sqrt(2) * self.f1 / s + (self.f1 / s) ** 2)
        H = H / (1 + np.sqrt(2) * s / self.f2 + (s / self.f2) ** 2)
        H = H * (1 + s / self.f3) / (1 + s / (self.Q4 * self.f4) + (s / self.f4) ** 2)
        if np.isfinite(self.f5):
            step = (1 + s / (self.Q5 * self.f5) + (s / self.f5) ** 2) / (
                1 + s / (self.Q6 * self.f6) + (s / self.f6) ** 2
            )
            H = H * step * (self.f5 / self.f6) ** 2
        return np.where(np.asarray(frequency) == 0, 0.0, H)

    def factor(self, frequency: AnyArray) -> AnyArray:
        """Its size.

        Parameters
        ----------
        frequency : array
            In Hz.

        Returns
        -------
        array
        """
        return np.abs(self.transfer(frequency))

    def apply(self, values: Array, rate: float) -> Array:
        """A weighted signal; `rate` in samples per second. Before its first sample the signal had the value of it: a
        constant part has no effect.

        Parameters
        ----------
        values : array
            Samples at equal distances of time.
        rate : float
            Samples per second.

        Returns
        -------
        array
        """
        n = 2 * len(values)
        spectrum = np.fft.rfft(values - values[0], n) * self.transfer(np.fft.rfftfreq(n, 1 / rate))
        return np.fft.irfft(spectrum, n)[: len(values)]


VERTICAL_ISO = Weighting("Wk", 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91)
HORIZONTAL = Weighting("Wd", 2.0, 2.0, 0.63)
VERTICAL_EN = Weighting("Wb", 16.0, 16.0, 0.63, 2.5, 0.8, 4.0, 0.8, gain=0.4 * (4.0 / 2.5) ** 2)


def weighted_rms(values: Array, rate: float, weighting: Weighting) -> float:
    """Root mean square of the weighted signal over its length."""
    return float(np.sqrt(np.mean(weighting.apply(np.asarray(values, float), rate) ** 2)))


def mean_comfort(accelerations: tuple[Array, Array, Array], rate: float, window: float = 5.0) -> float:
    """Mean comfort N_MV of EN 12299 at the floor, from x, y, z (m/s^2): 6 times the root of the sum of squares of the
    95 % values of weighted root mean squares over windows of 5 s [EN 2009]. The standard itself was not available: the
    factor 6 is that of the public program ride_comfort, the constants of Wb and Wd agree with the program comfpy.

    Parameters
    ----------
    accelerations : tuple of array
        Along x, y, z (m/s^2).
    rate : float
        Samples per second.
    window : float
        Length of the windows (s).

    Returns
    -------
    float
    """
    total = 0.0
    length = round(window * rate)
    for values, weighting in zip(accelerations, (HORIZONTAL, HORIZONTAL, VERTICAL_EN), strict=True):
        weighted = weighting.apply(np.asarray(values, float), rate)
        count = len(weighted) // length
        if count < 1:
            raise SolveError(f"mean comfort needs at least {window:g} s of motion, got {len(weighted) / rate:.3g} s.")
        parts = weighted[: count * length].reshape(count, length)
        total += float(np.percentile(np.sqrt(np.mean(parts**2, axis=1)), 95)) ** 2
    return float(6.0 * np.sqrt(total))


def sperling_factor(frequency: AnyArray, direction: str = "vertical", what: str = "comfort") -> AnyArray:
    """Sperling's weighting B of accelerations (m/s^2 or cm/s^2) at frequencies (Hz), for comfort or ride quality.

    Parameters
    ----------
    frequency : array
        In Hz.
    direction : {"vertical", "lateral"}
        Of the acceleration.
    what : {"comfort", "quality"}
        Which of the two weightings.

    Returns
    -------
    array
    """
    f = np.asarray(frequency, float)
    if what == "quality":  # [Garg 1984]
        top = (1 - 0.056 * f**2) ** 2 + (0.645 * f) ** 2 * (3.55 * f**2)
        bottom = ((1 - 0.252 * f**2) ** 2 + (1.547 * f - 0.00444 * f**3) ** 2) * (1 + 3.55 * f**2)
        return 1.14 * np.sqrt(top / bottom)
    factor = {"vertical": 0.588, "lateral": 0.737}[direction]
    top = 1.911 * f**2 + (0.25 * f**2) ** 2
    return factor * np.sqrt(top / ((1 - 0.277 * f**2) ** 2 + (1.563 * f - 0.0368 * f**3) ** 2))


def sperling(
    values: Array, rate: float, direction: str = "vertical", what: str = "comfort", most: float = 30.0
) -> float:
    """Sperling's Wz of an acceleration (m/s^2): (2 sum of (a_rms B)^2 over frequencies up to `most` Hz)^(1/6.67), in
    cm/s^2. For a sine of amplitude a it is (a B)^0.3 [Garg 1984].

    Parameters
    ----------
    values : array
        Accelerations (m/s^2).
    rate : float
        Samples per second.
    direction : {"vertical", "lateral"}
        Of the acceleration.
    what : {"comfort", "quality"}
        Which of the two weightings.
    most : float
        Highest frequency that counts (Hz).

    Returns
    -------
    float
    """
    values = np.asarray(values, float)
    spectrum = np.fft.rfft(values - np.mean(values)) / len(values)
    f = np.fft.rfftfreq(len(values), 1 / rate)
    power = 2 * np.abs(spectrum) ** 2
    inside = (f > 0.3) & (f <= most)
    return float((2e4 * np.sum(power[inside] * sperling_factor(f[inside], direction, what) ** 2)) ** (1 / 6.67))
