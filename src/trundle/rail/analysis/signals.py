"""Signals of a run over distance or time: sliding means, low-pass filters, percentiles."""

import numpy as np

from trundle.errors import SolveError
from trundle.typing import Array


def on_grid(x: Array, values: Array, step: float | None = None) -> tuple[Array, Array]:
    """A signal at equal steps of x; without a step, with as many points as it has."""
    x, values = np.asarray(x, float), np.asarray(values, float)
    if x.shape != values.shape or x.ndim != 1 or len(x) < 4 or not np.all(np.diff(x) > 0):
        raise SolveError("a signal needs at least four places or times that rise, and a value at each.")
    count = len(x) if step is None else max(2, round((x[-1] - x[0]) / step) + 1)
    grid = np.linspace(x[0], x[-1], count)
    return grid, np.interp(grid, x, values)


def sliding_mean(x: Array, values: Array, length: float = 2.0) -> tuple[Array, Array]:
    """Means over windows of a given length, exact for the piecewise linear signal: centres and means.

    Windows lie wholly within the signal.

    Parameters
    ----------
    x : array
        Places, rising.
    values : array
        Of the signal there.
    length : float
        Of the window, as x.

    Returns
    -------
    tuple of array
    """
    x, values = np.asarray(x, float), np.asarray(values, float)
    reach = x[-1] - x[0] if x.size else 0.0
    if not 0 < length < reach:
        raise SolveError(f"a sliding mean over {length:g} needs a signal that is longer; this one has {reach:g}.")
    area = np.concatenate([[0.0], np.cumsum((values[1:] + values[:-1]) / 2 * np.diff(x))])

    def primitive(at: Array) -> Array:
        i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
        part = at - x[i]
        slope = (values[i + 1] - values[i]) / (x[i + 1] - x[i])
        return area[i] + values[i] * part + slope * part**2 / 2

    centres = x[(x >= x[0] + length / 2) & (x <= x[-1] - length / 2)]
    return centres, (primitive(centres + length / 2) - primitive(centres - length / 2)) / length


def band(time: Array, values: Array, low: float | None, high: float | None, order: int = 4) -> Array:
    """Butterworth filter forwards and backwards (no shift), between two frequencies in Hz, at equal steps of time."""
    from scipy.signal import butter, sosfiltfilt

    rate = (len(time) - 1) / (time[-1] - time[0])
    if high is not None and high >= rate / 2:
        high = None  # the samples contain nothing above
    if low is None and high is None:
        return np.asarray(values, float)
    kind = "bandpass" if low and high else "lowpass" if high else "highpass"
    edges = [low, high] if low and high else high or low
    sections = butter(order, edges, kind, fs=rate, output="sos")
    pad = min(len(values) - 1, 3 * (2 * len(sections) + 1))
    filtered: Array = sosfiltfilt(sections, values, padlen=pad)
    return filtered


def largest(values: Array, share: float = 99.85) -> float:
    """The larger of both percentiles, 100 - share and share, without sign [UIC 2009]."""
    return float(max(abs(np.percentile(values, share)), abs(np.percentile(values, 100 - share))))
