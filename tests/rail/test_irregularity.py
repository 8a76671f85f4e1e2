"""Irregularities: their spectra, seeds and derivatives."""

import numpy as np
import pytest

from trundle import rail
from trundle.errors import ModelError, SolveError, UnknownNameError
from trundle.rail.track import spectrum
from trundle.rail.track.irregularity_view import measured_power
from trundle.rail.track.spectrum import CHANNELS, band_power, third_octaves

FAMILIES = [("erri", "low"), ("erri", "high"), *(("fra", n) for n in range(1, 7))]


def test_densities_typed_once_more():
    """ERRI at 10 m: A Wc^2 / ((W^2 + Wr^2)(W^2 + Wc^2)); FRA in cm^2, k = 0.25."""
    w = 2 * np.pi / 10
    low, high = spectrum.erri("low"), spectrum.erri("high")
    shape = 0.8246**2 / ((w**2 + 0.0206**2) * (w**2 + 0.8246**2))
    assert low["vertical"](w) == pytest.approx(4.032e-7 * shape) and high["lateral"](w) == pytest.approx(
        6.125e-7 * shape
    )
    # As polynomial coefficients of another program: b0 / (a0 + a2 W^2 + W^4).
    other = 2.741619e-7 / (0.00028855 + 0.6803895 * w**2 + w**4)
    assert low["vertical"](w) == pytest.approx(other, rel=1e-5)
    cross = w**2 / (w**2 + 0.438**2)
    angle = 4.032e-7 / 0.75**2 * shape * cross  # rad^2/(rad/m)
    assert low["cant"](w) == pytest.approx(1.5**2 * angle) and low["gauge"](w) == pytest.approx(5.32e-8 * shape * cross)
    four = spectrum.fra(4)
    assert four["vertical"](w) == pytest.approx(0.25 * 0.5376e-4 * 0.8245**2 / (w**2 * (w**2 + 0.8245**2)))
    assert four["cant"](w) == pytest.approx(0.5376e-4 * 0.8245**2 / ((w**2 + 0.8245**2) * (w**2 + 1.1312**2)))
    assert four["gauge"](w) == four["cant"](w)


def test_power_in_a_band_is_the_closed_integral():
    density = spectrum.erri("low")["vertical"]
    (r, c), edges = density.cutoffs, np.geomspace(0.04, 2.0, 2001)

    def primitive(w):
        return density.scale / (c**2 - r**2) * (np.arctan(w / r) / r - np.arctan(w / c) / c)

    assert band_power(density, edges, "v").sum() == pytest.approx(primitive(2.0) - primitive(0.04), rel=1e-12)


def test_better_classes_are_smoother():
    edges = third_octaves((1.524, 304.8))
    for channel in ("vertical", "lateral"):
        power = [band_power(spectrum.fra(n)[channel], edges, channel).sum() for n in range(1, 7)]
        assert sorted(power, reverse=True) == power


@pytest.mark.parametrize(("family", "level"), FAMILIES)
def test_variance_over_many_waves(family, level):
    """Amplitudes hold the whole power of the band; in every third octave too."""
    rough = getattr(rail.Irregularity, family)(level, seed=5)
    edges = third_octaves(rough.wavelengths)
    for channel in CHANNELS:
        signal = rough.signals[channel]
        power, _ = np.histogram(signal.omegas, edges, weights=signal.amplitudes**2 / 2)
        assert power == pytest.approx(band_power(rough.spectra[channel], edges, channel), rel=0.03)


def third_octaves_of(seeds, length):
    """Mean third-octave power of the signals over that of the spectrum, and its standard deviation over seeds."""
    ratios = []
    for seed in range(seeds):
        rough = rail.Irregularity.erri("low", seed=seed)
        edges = third_octaves(rough.wavelengths)
        wanted = band_power(rough.spectra["vertical"], edges, "vertical")
        ratios.append(measured_power(rough, "vertical", edges, 0.0, length) / wanted)
    return np.mean(ratios, axis=0), edges


def test_third_octave_spectrum():
    """Six records of 10 km. A band of width dW holds about dW L / 2 pi independent numbers of variance one; a Hann
    window leaves half of them.
    """
    seeds, length = 6, 10_000.0
    mean, edges = third_octaves_of(seeds, length)
    spread = 1 / np.sqrt(seeds * 0.5 * np.diff(edges) * length / (2 * np.pi))
    assert np.all(np.abs(mean - 1) < 4 * spread)
    assert spread.min() < 0.025


@pytest.mark.slow
def test_third_octave_spectrum_over_fifty_seeds():
    mean, _ = third_octaves_of(50, 100_000.0)
    assert np.abs(mean - 1).max() < 0.05


def test_seeds_determine_independent_channels():
    a, b, c = (rail.Irregularity.erri("low", seed=n) for n in (1, 1, 2))
    s = np.linspace(0, 100, 50)
    assert np.array_equal(a.vertical(s), b.vertical(s)) and np.abs(a.vertical(s) - c.vertical(s)).max() > 1e-3
    # Channels are independent, and do not depend on which others are asked for.
    alone = rail.Irregularity.from_spectra({"lateral": spectrum.erri("low")["lateral"]}, seed=1)
    assert np.array_equal(alone.lateral(s), a.lateral(s))
    long = np.arange(0, 20_000, 3.0)
    assert abs(np.corrcoef(a.vertical(long), a.lateral(long))[0, 1]) < 0.1


@pytest.mark.parametrize("fade", [(0.0, 0.0), (10.0, 40.0)])
def test_derivatives_are_exact(fade):
    """By a complex step through a sum written once more."""
    rough = rail.Irregularity.fra(3, seed=7, fade_in=fade)
    signal, h = rough.signals["cant"], 1e-20
    s = np.linspace(1, 98, 23)
    x = np.clip((s - fade[0]) / (fade[1] or 1.0), 0, 1) + 1j * h / (fade[1] or 1.0) * ((s > fade[0]) & (s < sum(fade)))
    grown = x**3 * (10 - 15 * x + 6 * x**2) if fade[1] else 1.0
    first = (np.cos((s + 1j * h)[:, None] * signal.omegas + signal.phases) @ signal.amplitudes * grown).imag / h
    assert rough.cant(s, 1) == pytest.approx(first, abs=1e-15)
    d = 1e-4
    for n in (1, 2):
        assert rough.cant(s, n + 1) == pytest.approx((rough.cant(s + d, n) - rough.cant(s - d, n)) / (2 * d), abs=2e-7)


def test_grid_is_the_sum():
    rough = rail.Irregularity.erri("high", seed=3, fade_in=(5.0, 20.0))
    s, found = rough.on_grid(0.0, 1000.0, 0.25)
    assert len(s) == 4001
    pick = np.random.default_rng(0).integers(0, 4001, 40)
    for channel in CHANNELS:
        for n in range(3):
            assert found[channel][n, pick] == pytest.approx(rough(channel, s[pick], n), abs=1e-14)


def test_faded_in_from_nothing():
    rough = rail.Irregularity.erri("low", seed=1)
    grown = rough.faded(10.0, 30.0)
    before, after = np.linspace(0, 10, 5), np.linspace(40, 60, 5)
    for n in range(3):
        assert np.array_equal(grown.vertical(before, n), np.zeros(5))
        assert grown.vertical(after, n) == pytest.approx(rough.vertical(after, n), abs=1e-16)


def test_rails_make_the_channels():
    rough = rail.Irregularity.fra(5, seed=2)
    s = np.linspace(0, 50, 9)
    rails = rough.rails(s, 1)
    assert (rails.left_z + rails.right_z) / 2 == pytest.approx(rough.vertical(s, 1))
    assert rails.right_z - rails.left_z == pytest.approx(rough.cant(s, 1))
    assert (rails.left_y + rails.right_y) / 2 == pytest.approx(rough.lateral(s, 1))
    assert rails.left_y - rails.right_y == pytest.approx(rough.gauge(s, 1))


def test_a_spectrum_of_ones_own():
    rough = rail.Irregularity.from_spectra({"vertical": lambda w: 1e-6 / w**2}, wavelengths=(5.0, 50.0), seed=4)
    variance = (rough.signals["vertical"].amplitudes ** 2).sum() / 2
    assert variance == pytest.approx(1e-6 * (50 - 5) / (2 * np.pi), rel=1e-9)
    table = rail.Irregularity.from_spectra({"gauge": ([0.1, 1.0], [1e-4, 1e-6])}, wavelengths=(5.0, 50.0), seed=4)
    assert table.spectra["gauge"](np.array([0.3, 2.0])) == pytest.approx([1e-6 / 0.09, 0.0])
    assert np.array_equal(rough.lateral(np.arange(3.0)), np.zeros(3))


BAD = [
    (lambda: rail.Irregularity.erri("middle"), "low"),
    (lambda: rail.Irregularity.fra(7), "1 \\(worst\\) to 6"),
    (lambda: rail.Irregularity.erri("low", wavelengths=(10.0, 3.0)), "wavelengths"),
    (lambda: rail.Irregularity.erri("low", wavelengths=(0.0, 3.0)), "wavelengths"),
    (lambda: rail.Irregularity.from_spectra({"twist": lambda w: w}), "twist"),
    (lambda: rail.Irregularity.from_spectra({"gauge": lambda w: -w}), "negative"),
    (lambda: rail.Irregularity.from_spectra({"gauge": lambda w: np.nan * w}), "not finite"),
    (lambda: rail.Irregularity.from_spectra({"gauge": ([1.0, 0.5], [1, 1])}), "must grow"),
    (lambda: rail.Irregularity.from_spectra({"gauge": ([1.0], [1])}), "two at least"),
    (lambda: rail.Irregularity.erri("low")("twist", 0.0), "twist"),
    (lambda: rail.Irregularity.erri("low", fade_in=(0.0, -1.0)), "fade_in"),
    (lambda: rail.Irregularity.erri("low").on_grid(0.0, 10.0, 0.0), "positive step"),
    (lambda: rail.Irregularity.erri("low", seed="x"), "non-negative integer"),
    (lambda: rail.Irregularity.erri("low", wavelengths=3), "shortest, longest"),
    (lambda: rail.Irregularity.erri("low", waves=2.5), "must be a positive integer"),
    (lambda: rail.Irregularity.from_spectra({"vertical": 5}), "function of rad/m"),
]


@pytest.mark.parametrize(("ask", "words"), BAD)
def test_what_is_refused(ask, words):
    with pytest.raises((ModelError, UnknownNameError, SolveError), match=words):
        ask()


def test_picture_of_an_irregularity(tmp_path):
    rail.Irregularity.erri("low", seed=1).plot(tmp_path / "rough.png", length=200.0)
    assert (tmp_path / "rough.png").stat().st_size > 50_000
