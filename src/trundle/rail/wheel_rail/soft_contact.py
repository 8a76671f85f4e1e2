"""Contact of a wheel that touches everywhere a little: means over all places across the rail, weighted by exp(-gap)."""

from typing import NamedTuple, final

import numpy as np

from trundle.typing import Array

COARSE = 16  # of so many places one is enough to find about how low a wheel is
FAINTEST = 600.0  # eps: larger gaps are cut to this; their weights add nothing, but are not denormal (slow)
NEGLIGIBLE = 50.0  # eps: places whose gaps are larger than the lowest by more add less than round-off


@final
class RailStrip(NamedTuple):
    """Places across a rail, with height (in eps) and curvature there."""

    place: Array
    height: Array
    curvature: Array


@final
class WheelStrip(NamedTuple):
    """A wheel above the places of a rail (last axis), at several positions: height (in eps) over the middle of its
    axle, slope, radius of the circle, curvature.
    """

    height: Array
    slope: Array
    radius: Array
    curvature: Array

    def part(self, roll: int, rows: slice) -> "WheelStrip":
        """At one roll and some positions across the rail."""
        return WheelStrip(*(values[roll, rows] for values in self))


def soft_contact(rail: RailStrip, wheel: WheelStrip) -> Array:
    """Gap (in eps, of a sum over the places), slope, place, radius and curvature at positions of the wheel that follow
    each other by one step across the rail. The gap is infinite where there is no wheel above the rail.
    """
    part = _near(rail.height, wheel.height)
    gap = wheel.height[:, part] - rail.height[part]
    lowest = np.min(gap, axis=1)
    lost = ~np.isfinite(lowest)
    w = np.where(lost, 0.0, lowest)[:, None] - gap
    np.exp(np.maximum(w, -FAINTEST, out=w), out=w)
    w[lost] = 1.0
    total = np.sum(w, axis=1)
    # Row by row, as BLAS does not divide one row among threads, which wait for each other longer than this takes.
    slope, radius, curvature = (np.vecdot(w, values[:, part]) / total for values in wheel[1:])
    place, rail_curvature = (np.vecdot(w, values[part]) / total for values in (rail.place, rail.curvature))
    return np.array([lowest - np.log(total), slope, place, radius, curvature + rail_curvature])


def _near(rail: Array, wheel: Array) -> slice:
    """Places at which the wheel in any position is not much higher than where it is lowest; all, if there may be a
    position without a wheel above the rail.
    """
    above = np.max(np.min(wheel[:, ::COARSE] - rail[::COARSE], axis=1))  # no lowest gap is larger
    if not np.isfinite(above):
        return slice(None)
    passing = np.concatenate([wheel[-1], wheel[-2::-1, -1]])  # what stands above the first place, one after the other
    least = sliding_minimum(passing, len(wheel)) - rail
    part = _span(least < above + NEGLIGIBLE)
    return _span(least < np.max(np.min(wheel[:, part] - rail[part], axis=1)) + NEGLIGIBLE)


def sliding_minimum(values: Array, window: int) -> Array:
    """Smallest of every `window` numbers in a row, from the smallest of every 2, 4, 8, ...

    Parameters
    ----------
    values : array
        At least `window` numbers.
    window : int

    Returns
    -------
    array
    """
    width = 1
    while 2 * width <= window:
        values = np.minimum(values[:-width], values[width:])
        width *= 2
    rest = window - width
    return np.minimum(values[: len(values) - rest], values[rest:])


def _span(marked: Array) -> slice:
    """From the first to the last place that is marked."""
    found = np.flatnonzero(marked)
    return slice(found[0], found[-1] + 1)
