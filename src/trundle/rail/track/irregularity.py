"""Irregularities of the track: signals along s with exact derivatives, from spectra (seeded) or from measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.messages.preparing import preparing
from trundle.rail.track import spectrum
from trundle.rail.track.signal import Signal, SineSum
from trundle.rail.track.spectrum import CHANNELS, Spectra, band_power, density_of
from trundle.real_array import is_integer
from trundle.typing import AnyArray, Array, Option, Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WAVES = 2000  # sines of one signal


@final
@dataclass(frozen=True, eq=False)
class Rails:
    """Deviation (m) of each rail from its place, and derivatives by s: y to the left, z up."""

    left_y: Array
    left_z: Array
    right_y: Array
    right_z: Array


@final
@dataclass(frozen=True, eq=False)
class Irregularity:
    """Deviations of a track from its line: of its centre, `vertical` (up) and `lateral` (to the left), of its `cant`
    (right rail over left) and of its `gauge` (wider), all in m. Channels that are not given are zero.

    fade_in = (start, length) lets them grow from zero, with a smooth second derivative.
    """

    signals: Mapping[str, Signal]
    spectra: Settings = field(default_factory=dict)  # densities the signals were made from
    wavelengths: tuple[float, float] | None = None  # m, band of the spectra
    fade_in: tuple[float, float] = (0.0, 0.0)  # m
    name: str = "irregularity"

    def __post_init__(self) -> None:
        wrong = [name for name in self.signals if name not in CHANNELS]
        if wrong:
            raise ModelError(f"there is no channel {wrong[0]!r} of irregularity; there are {', '.join(CHANNELS)}.")
        start, length = self.fade_in
        if not (np.isfinite(start) and np.isfinite(length) and length >= 0.0):
            raise ModelError("fade_in is (start, length) in metres, with a length that is not negative.")

    @staticmethod
    def erri(level: Literal["low", "high"], seed: int = 0, **options: Option) -> "Irregularity":
        """ERRI B176, "low" or "high".

        Parameters
        ----------
        level : {"low", "high"}
            How rough.
        seed : int
            Of the random phases.
        **options
            As of `from_spectra`.

        Returns
        -------
        Irregularity
        """
        options.setdefault("wavelengths", spectrum.usual_band("erri"))
        return Irregularity.from_spectra(spectrum.erri(level), seed, name=f"ERRI B176 {level}", **options)

    @staticmethod
    def fra(track_class: int, seed: int = 0, **options: Option) -> "Irregularity":
        """A track class of the FRA, 1 (worst) to 6.

        Parameters
        ----------
        track_class : int
            1 (worst) to 6.
        seed : int
            Of the random phases.
        **options
            As of `from_spectra`.

        Returns
        -------
        Irregularity
        """
        options.setdefault("wavelengths", spectrum.usual_band("fra"))
        return Irregularity.from_spectra(spectrum.fra(track_class), seed, name=f"FRA class {track_class}", **options)

    @staticmethod
    def from_spectra(
        spectra: Spectra,
        seed: int = 0,
        *,
        wavelengths: tuple[float, float] = (3.0, 150.0),
        waves: int = WAVES,
        fade_in: tuple[float, float] = (0.0, 0.0),
        name: str = "irregularity",
    ) -> "Irregularity":
        """From one-sided densities in m^2/(rad/m) by channel: functions of rad/m, or tables (rad/m, densities).

        Each signal has `waves` sines, one in each of as many bands between the wavelengths (m), with the power of its
        band, a random wavenumber within it and a random phase. The channels are independent of each other.

        Parameters
        ----------
        spectra : mapping
            Densities by channel.
        seed : int
            Of the random phases.
        wavelengths : tuple of float
            Shortest and longest (m).
        waves : int
            Sines of each signal.
        fade_in : tuple of float
            Where it begins and the length over which it grows (m).
        name : str
            Of the irregularity.

        Returns
        -------
        Irregularity
        """
        _check_band(wavelengths, waves, seed)
        edges = np.geomspace(2.0 * np.pi / wavelengths[1], 2.0 * np.pi / wavelengths[0], waves + 1)
        sources = dict(zip(CHANNELS, np.random.SeedSequence(seed).spawn(len(CHANNELS)), strict=True))
        densities = {channel: density_of(given, channel) for channel, given in spectra.items()}
        signals: dict[str, Signal] = {}
        for channel, density in densities.items():
            random = np.random.default_rng(sources[channel]) if channel in sources else np.random.default_rng(0)
            power = band_power(density, edges, channel)
            omegas = edges[:-1] + random.random(waves) * np.diff(edges)
            signals[channel] = SineSum(omegas, np.sqrt(2.0 * power), 2.0 * np.pi * random.random(waves))
        return Irregularity(signals, densities, wavelengths, fade_in, name)

    @staticmethod
    def measured(
        source: str | Path | Mapping[str, ArrayLike], tolerance: float, *, fade_in: tuple[float, float] = (0.0, 0.0)
    ) -> "Irregularity":
        """From a CSV file, or arrays by name, with columns s and some of the channels (m, or mm: "vertical_mm").

        Splines of degree 5 approximate the points within a root mean square of `tolerance` (m).

        Parameters
        ----------
        source : str, Path or mapping
            CSV file, or arrays by name.
        tolerance : float
            Root mean square distance of the splines from the points (m).
        fade_in : tuple of float
            Where it begins and the length over which it grows (m).

        Returns
        -------
        Irregularity
        """
        from trundle.rail.track.measured import measured_signals

        signals, name = measured_signals(source, tolerance)
        return Irregularity(signals, fade_in=fade_in, name=name)

    def __call__(self, channel: str, s: ArrayLike, derivative: int = 0) -> Array:
        """A channel (m) or its derivative by s, at s (m)."""
        if channel not in CHANNELS:
            raise ModelError(f"there is no channel {channel!r} of irregularity; there are {', '.join(CHANNELS)}.")
        places = np.asarray(s, float)
        if channel not in self.signals:
            return np.zeros(places.shape)
        parts = [self.signals[channel](places, order) for order in range(derivative + 1)]
        return _leibniz(parts, self._envelope(places, derivative))

    def vertical(self, s: ArrayLike, derivative: int = 0) -> Array:
        """Height of the centre (m).

        Parameters
        ----------
        s : float or array
            Distance along the line (m).
        derivative : int
            By the distance: 0, 1 or 2.

        Returns
        -------
        array
        """
        return self("vertical", s, derivative)

    def lateral(self, s: ArrayLike, derivative: int = 0) -> Array:
        """Place of the centre to the left (m).

        Parameters
        ----------
        s : float or array
            Distance along the line (m).
        derivative : int
            By the distance: 0, 1 or 2.

        Returns
        -------
        array
        """
        return self("lateral", s, derivative)

    def cant(self, s: ArrayLike, derivative: int = 0) -> Array:
        """Height of the right rail over the left one (m).

        Parameters
        ----------
        s : float or array
            Distance along the line (m).
        derivative : int
            By the distance: 0, 1 or 2.

        Returns
        -------
        array
        """
        return self("cant", s, derivative)

    def gauge(self, s: ArrayLike, derivative: int = 0) -> Array:
        """Deviation of the gauge, positive where the track is wider (m).

        Parameters
        ----------
        s : float or array
            Distance along the line (m).
        derivative : int
            By the distance: 0, 1 or 2.

        Returns
        -------
        array
        """
        return self("gauge", s, derivative)

    def rails(self, s: ArrayLike, derivative: int = 0) -> Rails:
        """Deviations of both rails.

        Parameters
        ----------
        s : float or array
            Distance along the line (m).
        derivative : int
            By the distance: 0, 1 or 2.

        Returns
        -------
        Rails
        """
        z, y, cant, gauge = (self(channel, s, derivative) for channel in CHANNELS)
        return Rails(y + gauge / 2.0, z - cant / 2.0, y - gauge / 2.0, z + cant / 2.0)

    def on_grid(self, start: float, stop: float, step: float) -> tuple[Array, dict[str, Array]]:
        """Places at equal distances, and value, first and second derivative (rows) of each channel there.

        Parameters
        ----------
        start, stop, step : float
            In m.

        Returns
        -------
        tuple
            Places, and arrays by channel.
        """
        if not (step > 0.0 and stop > start and np.isfinite([start, stop, step]).all()):
            raise ModelError("a grid goes from start to a later stop by a positive step.")
        count = int(np.floor((stop - start) / step + 1e-9)) + 1
        s: Array = np.asarray(start + step * np.arange(count), np.float64)
        envelope = self._envelope(s, 2)
        out = {}
        for channel in CHANNELS:
            signal = self.signals.get(channel)
            parts = np.zeros((3, count)) if signal is None else signal.on_grid(start, step, count, 3)
            out[channel] = np.array([_leibniz(parts[: n + 1], envelope) for n in range(3)])
        return s, out

    def faded(self, start: float, length: float) -> "Irregularity":
        """The same, growing from zero at `start` over a length (m).

        Parameters
        ----------
        start, length : float
            In m.

        Returns
        -------
        Irregularity
        """
        return replace(self, fade_in=(start, length))

    @preparing("the picture")
    def plot(self, path: Path | str | None = None, length: float = 500.0) -> "Figure":
        """Signals over a length (m), and their spectra beside the given densities.

        Parameters
        ----------
        path : str or Path, optional
            File to write.
        length : float
            How much of it is shown (m).

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.rail.track.irregularity_view import plot_irregularity

        return plot_irregularity(self, path, length)

    def _envelope(self, s: Array, derivatives: int) -> list[float] | list[Array]:
        """6 x^5 - 15 x^4 + 10 x^3 from 0 to 1, and its derivatives by s."""
        start, length = self.fade_in
        if length == 0.0:
            return [1.0] + [0.0] * derivatives
        x = np.clip((s - start) / length, 0.0, 1.0)
        series = np.polynomial.Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
        inside: AnyArray = (x > 0.0) & (x < 1.0)
        return [series(x)] + [series.deriv(n)(x) / length**n * inside for n in range(1, derivatives + 1)]


def _leibniz(signal: Array | Sequence[Array], envelope: list[float] | list[Array]) -> Array:
    """Highest derivative of a product from the derivatives of its factors."""
    from math import comb

    n = len(signal) - 1
    return np.asarray(sum(comb(n, k) * signal[n - k] * envelope[k] for k in range(n + 1)))


def _check_band(wavelengths: tuple[float, float], waves: int, seed: int) -> None:
    if np.shape(wavelengths) != (2,):
        raise ModelError(f"wavelengths are (shortest, longest) in metres, not {wavelengths!r}.")
    if not is_integer(seed) or seed < 0:
        raise ModelError(f"the seed is a non-negative integer, not {seed!r}.")
    short, long = wavelengths
    if not (np.isfinite(short) and np.isfinite(long) and 0.0 < short < long):
        raise ModelError(f"wavelengths are (shortest, longest) in metres, both positive; not ({short:g}, {long:g}).")
    if not isinstance(waves, Integral) or waves < 1:
        raise ModelError(f"the number of sines of a signal must be a positive integer, not {waves!r}.")
