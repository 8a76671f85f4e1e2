"""Equivalent conicity of a rolling-radius difference dr(y): the cone with the same wavelength [EN 2008], UIC 519."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.rail.wheel_rail.hertz import refuse
from trundle.space.arrays import read_numbers
from trundle.typing import Array, Expr

Method = Literal["integration", "regression", "harmonic"]
POINTS = 2000  # of the quadratures


def equivalent_conicity(
    lateral: ArrayLike, radius_difference: ArrayLike, amplitude: ArrayLike, method: Method = "integration"
) -> Expr:
    """tan(gamma_e) for amplitudes of the lateral motion, from the difference of the rolling radii (left minus right) at
    lateral displacements (to the left); lengths in one unit. Between the displacements dr is a straight line.

    integration: wavelength of Klingel's nonlinear equation y'' = -dr(y) / (e r0) about the place where dr is zero, with
    2 * amplitude from one turning point to the other; symmetric or not. regression: half the slope of the straight line
    through dr over the amplitude. harmonic: half the first Fourier coefficient of dr along a sine.
    Arrays have nan if the motion does not come back within the given displacements; one amplitude is refused there.

    Parameters
    ----------
    lateral : array
        Displacements to the left, rising.
    radius_difference : array
        Left minus right rolling radius there.
    amplitude : float or array
        Of the lateral motion.
    method : {"integration", "regression", "harmonic"}
        How it is evaluated.

    Returns
    -------
    float or array
    """
    names = ("lateral", "radius_difference", "amplitude")
    y, dr, a = (read_numbers(n, v) for n, v in zip(names, (lateral, radius_difference, amplitude), strict=True))
    if y.ndim != 1 or y.shape != dr.shape or len(y) < 2 or np.any(np.diff(y) <= 0):
        raise ModelError(
            "equivalent conicity: lateral and radius_difference must be rows of equal length, lateral increasing; got "
            f"shapes {y.shape} and {dr.shape}."
        )
    refuse("radius_difference", dr, False, "; leave out displacements without contact")
    check_amplitude(a)
    if method not in get_args(Method):
        raise ModelError(f"equivalent conicity: method must be one of {', '.join(get_args(Method))}, got {method!r}.")
    found = {"integration": _integrate, "regression": _regress, "harmonic": _linearise}[method](y, dr, np.atleast_1d(a))
    if a.ndim == 0 and np.isnan(found[0]):
        raise ModelError(
            f"equivalent conicity: a motion with the amplitude {a:g} does not come back within the displacements "
            f"given, {y[0]:g} to {y[-1]:g}. Give dr(y) further out, or a smaller amplitude; where dr falls with y the "
            "wheelset is driven away from the middle."
        )
    return float(found[0]) if a.ndim == 0 else found


def check_amplitude(amplitude: Array) -> None:
    """ModelError if the array is empty or an amplitude is not above zero."""
    if not amplitude.size:
        raise ModelError("equivalent conicity: give at least one amplitude; the array is empty.")
    refuse("amplitude", amplitude, amplitude <= 0, "; an amplitude must be greater than zero")


def _rest(y: Array, dr: Array) -> tuple[float, float]:
    """First and last place of rest: where dr goes upwards through zero, or is zero; that nearest to y = 0."""
    zero = np.flatnonzero(dr == 0)
    runs = np.split(zero, np.flatnonzero(np.diff(zero) > 1) + 1) if len(zero) else []
    found = [(float(y[r[0]]), float(y[r[-1]])) for r in runs]
    for i in np.flatnonzero((dr[:-1] < 0) & (dr[1:] > 0)):
        place = float(y[i] - dr[i] * (y[i + 1] - y[i]) / (dr[i + 1] - dr[i]))
        found.append((place, place))
    return min(found, key=lambda ends: abs(ends[0] + ends[1]), default=(np.nan, np.nan))


def _integrate(y: Array, dr: Array, amplitude: Array) -> Array:
    """With U the integral of dr the wavelength is 2 sqrt(e r0) times the integral of dy / sqrt(2 (U(end) - U(y))); e r0
    drops out of the conicity.
    """
    first, last = _rest(y, dr)
    if not np.isfinite(first):
        return np.full(len(amplitude), np.nan)
    U = np.concatenate([[0.0], np.cumsum(0.5 * (dr[1:] + dr[:-1]) * np.diff(y))])
    bend = np.diff(dr) / np.diff(y)

    def potential(x: Array) -> Array:
        """Exact: dr is a chain of straight lines."""
        i = np.clip(np.searchsorted(y, x, side="right") - 1, 0, len(y) - 2)
        d = x - y[i]
        return np.asarray(U[i] + dr[i] * d + 0.5 * bend[i] * d**2)

    low, high = first - 2 * amplitude, np.full(len(amplitude), last)  # left turning point: U(left) = U(left + 2 a)
    for _ in range(60):
        left = 0.5 * (low + high)
        falls = potential(left) > potential(left + 2 * amplitude)
        low, high = np.where(falls, left, low), np.where(falls, high, left)
    left = 0.5 * (low + high)
    # y = left + a (1 - cos t): the integrand is bounded at both ends.
    t = np.pi * (np.arange(POINTS) + 0.5) / POINTS
    a = amplitude[:, None]
    top = np.maximum(potential(left), potential(left + 2 * amplitude))[:, None]
    drop = top - potential(left[:, None] + a * (1 - np.cos(t)))
    size = np.max(np.abs(drop), axis=1)
    idle = 2 * amplitude <= last - first  # nothing turns the wheelset back
    comes_back = np.all(drop > -1e-12 * size[:, None], axis=1) & (size > 0)
    comes_back &= np.abs(potential(left) - potential(left + 2 * amplitude)) < 1e-6 * size
    comes_back &= (left > y[0] - 1e-9 * amplitude) & (left + 2 * amplitude < y[-1] + 1e-9 * amplitude)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.sum(np.pi / POINTS * a * np.sin(t) / np.sqrt(2.0 * np.maximum(drop, 0.0)), axis=1)
        found = 0.5 * (np.pi / half) ** 2
    return np.where(idle, 0.0, np.where(comes_back, found, np.nan))


def _regress(y: Array, dr: Array, amplitude: Array) -> Array:
    u = np.linspace(-1.0, 1.0, POINTS + 1)
    values = np.interp(amplitude[:, None] * u, y, dr, left=np.nan, right=np.nan)
    return np.asarray(0.5 * values @ u / np.sum(u**2) / amplitude)


def _linearise(y: Array, dr: Array, amplitude: Array) -> Array:
    sine = np.sin(2 * np.pi * np.arange(POINTS) / POINTS)
    values = np.interp(amplitude[:, None] * sine, y, dr, left=np.nan, right=np.nan)
    return np.asarray(np.mean(values * sine, axis=1) / amplitude)
