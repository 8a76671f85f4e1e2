"""The profile of a line: gradients and the vertical curves between them, over the distance along the track."""

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import final

from trundle.errors import ModelError
from trundle.rail.track.basis import DEGREE
from trundle.rail.track.segment import Parts, type_faults
from trundle.rail.track.transition import ramps

SMOOTH = 1e-9  # two gradients are equal within this


@final
@dataclass(frozen=True)
class Grade:
    """Constant gradient: rise over horizontal distance, 0.01 for 1 in 100; positive climbs.

    Parameters
    ----------
    length : float
        Length along the track (m).
    gradient : float
        Rise over horizontal distance.
    """

    length: float
    gradient: float = 0.0


@final
@dataclass(frozen=True)
class VerticalCurve:
    """From the gradient before to `gradient`, given by its length (m) or by its radius (m).

    The shape is "linear" (the vertical curve of constant radius) or another shape without sines, such as "bloss".
    """

    length: float | None = None  # m along the track
    gradient: float = 0.0
    radius: float | None = None  # m
    shape: str = "linear"


Vertical = Grade | VerticalCurve


@final
@dataclass(frozen=True)
class Slope:
    """Sine of the slope from s = start to end (m): a polynomial of (s - origin) / length."""

    start: float
    end: float
    origin: float
    length: float
    series: tuple[float, ...]


def sine_of(gradient: float) -> float:
    """Sine of the slope angle whose tangent is the gradient."""
    return gradient / sqrt(1.0 + gradient * gradient)


def slopes(profile: tuple[Vertical, ...], length: float) -> list[Slope]:
    """The profile as polynomials over the whole length of the line; the last gradient continues to its end."""
    faults: list[str] = []
    found: list[Slope] = []
    for number, part in enumerate(profile, 1):
        if not isinstance(part, Grade | VerticalCurve):
            raise ModelError(f"part {number} of the profile (is {part!r}): give Grade or VerticalCurve.")
        faults += [f"part {number} of the profile ({type(part).__name__}): {text}." for text in type_faults(part)]
    if faults:
        raise ModelError(faults)
    at, now = 0.0, profile[0].gradient if profile else 0.0
    for number, part in enumerate(profile, 1):
        place = f"part {number} of the profile ({type(part).__name__}, from {at:g} m)"
        wrong = _faults(part, number, now)
        if wrong:
            faults += [f"{place}: {text}." for text in wrong]
            break
        extent = _length(part, now)
        if at + extent > length * (1.0 + 1e-9):
            faults.append(f"{place}: it ends at {at + extent:g} m, beyond the end of the line at {length:g} m.")
            break
        found += _slopes(part, at, extent, now)
        at, now = at + extent, part.gradient
    if faults:
        raise ModelError(faults)
    if at < length:
        found.append(Slope(at, length, 0.0, 1.0, (sine_of(now),)))
    return found


def _faults(part: Vertical, number: int, now: float) -> list[str]:
    found = []
    if not (isfinite(part.gradient) and abs(part.gradient) < 1.0):
        found.append(f"its gradient is {part.gradient:g}; 10 per mille are 0.010, and 1 (45 degrees) is too steep")
        return found
    if isinstance(part, Grade):
        if not (isfinite(part.length) and part.length > 0.0):
            found.append(f"its length is {part.length:g} m; it must be positive")
        if abs(part.gradient - now) > SMOOTH:
            found.append(f"its gradient is {part.gradient:g}, that before {now:g}; put a VerticalCurve between them")
        return found
    sizes = [size for size in (part.length, part.radius) if size is not None]
    if number == 1:
        found.append("a profile begins with a Grade, from which the curve can start")
    if len(sizes) != 1 or not all(isfinite(size) and size > 0.0 for size in sizes):
        found.append("give either its length or its radius, a positive number of metres")
    elif part.radius is not None and abs(part.gradient - now) <= SMOOTH:
        found.append(f"its gradient is that before it, {now:g}; a curve by its radius needs a change")
    if part.shape not in _shapes():
        found.append(f"there is no vertical shape called {part.shape!r}; there are {', '.join(_shapes())}")
    return found


def _shapes() -> dict[str, Parts]:
    """Shapes without sines: those can be cut where the plan changes."""
    return {name: parts for name, parts in ramps().items() if not any(c[DEGREE + 1 :].any() for _, c in parts)}


def _length(part: Vertical, now: float) -> float:
    if part.length is not None:
        return part.length
    assert isinstance(part, VerticalCurve) and part.radius is not None
    return abs(sine_of(part.gradient) - sine_of(now)) * part.radius


def _slopes(part: Vertical, at: float, extent: float, now: float) -> list[Slope]:
    if isinstance(part, Grade):
        return [Slope(at, at + extent, 0.0, 1.0, (sine_of(part.gradient),))]
    first, last = sine_of(now), sine_of(part.gradient)
    out: list[Slope] = []
    begin = 0.0
    for end, coefficients in _shapes()[part.shape]:
        series: list[float] = [float((last - first) * c) for c in coefficients[: DEGREE + 1]]
        series[0] += first
        out.append(Slope(at + begin * extent, at + end * extent, at, extent, tuple(series)))
        begin = end
    return out
