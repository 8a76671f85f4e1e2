"""Signals of an irregularity along the track, and their third-octave spectra beside the given densities."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullLocator

from trundle.rail.track.spectrum import band_power, third_octaves
from trundle.typing import Array
from trundle.view.style import COLOURS, QUIET, finish, new_figure, style

if TYPE_CHECKING:
    from trundle.rail.track.irregularity import Irregularity

WAVES = (2, 5, 10, 20, 50, 100, 200)  # m, named along the axis
RECORD = 20_000.0  # m of signal from which the spectrum is taken


def plot_irregularity(rough: "Irregularity", path: Path | str | None = None, length: float = 500.0) -> Figure:
    """One row for each channel: signal to the left, spectrum over wavelength to the right."""
    names = list(rough.signals)
    with style():
        figure = new_figure(9.2, 1.1 + 1.75 * len(names), rough.name)
        panels = figure.subplots(len(names), 2, squeeze=False, width_ratios=(1.7, 1.0), sharex="col")
        for i, name in enumerate(names):
            signal, beside = panels[i]
            colour = COLOURS[i]
            begin, end = extent(rough, name, length)
            s = np.linspace(begin, end, 2000)
            signal.plot(s, 1e3 * rough(name, s), color=colour, linewidth=1.0)
            signal.axhline(0.0, color=QUIET, linewidth=0.8)
            signal.set_ylabel(f"{name} (mm)")
            begin, end = extent(rough, name, RECORD)
            band = rough.wavelengths or (4.0 * (end - begin) / 1e4 + 1.0, (end - begin) / 5.0)
            edges = third_octaves(band)
            if len(edges) > 1:
                waves = 2.0 * np.pi / np.sqrt(edges[:-1] * edges[1:])
                beside.loglog(waves, 1e3 * np.sqrt(measured_power(rough, name, edges, begin, end)), "o", color=colour,
                              markersize=4, label="signal")  # fmt: skip
                if name in rough.spectra:
                    wanted = band_power(rough.spectra[name], edges, name)
                    beside.loglog(waves, 1e3 * np.sqrt(wanted), color=QUIET, zorder=1, label="spectrum")
            beside.set_ylabel("rms (mm)")
            beside.margins(x=0.04)
            beside.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            beside.yaxis.set_minor_locator(NullLocator())
            beside.yaxis.set_major_formatter(FormatStrFormatter("%g"))
            beside.xaxis.set_major_formatter(FormatStrFormatter("%g"))
            beside.set_xticks([wave for wave in WAVES if band[0] <= wave <= band[1]])
            if i == 0:
                beside.legend(loc="upper left")
        panels[-1][0].set_xlabel("distance along the track (m)")
        panels[-1][1].set_xlabel("wavelength (m), third octaves")
        return finish(figure, path)


def extent(rough: "Irregularity", name: str, length: float) -> tuple[float, float]:
    """Range over which the signal is evaluated: that of the record if it is measured."""
    signal = rough.signals[name]
    begin, end = getattr(signal, "begin", 0.0), getattr(signal, "end", np.inf)
    return float(begin), float(min(begin + length, end))


def measured_power(rough: "Irregularity", name: str, edges: Array, begin: float, end: float) -> Array:
    """Variance (m^2) of a signal in bands (rad/m), from a stretch of it under a Hann window."""
    step = np.pi / edges[-1] / 1.5
    count = int((end - begin) / step)
    values = rough.signals[name].on_grid(begin, step, count, 1)[0]
    return power_in_bands(values, step, edges)


def power_in_bands(values: Array, step: float, edges: Array) -> Array:
    """Variance of equidistant values in bands between edges (rad/m)."""
    window = np.hanning(len(values))
    lines = np.abs(np.fft.rfft((values - values.mean()) * window)) ** 2 * 2.0 / (len(values) * (window**2).sum())
    omega = 2.0 * np.pi * np.fft.rfftfreq(len(values), step)
    # The share of each line in a band: lines are bars of the width of the resolution.
    half = omega[1] / 2.0
    total = np.concatenate([[0.0], np.cumsum(lines)])
    borders = np.append(omega - half, omega[-1] + half)
    return np.diff(np.interp(edges, borders, total))
