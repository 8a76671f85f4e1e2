"""Lines and irregularities from measured points, by smoothing splines with a stated tolerance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import FileError, ModelError
from trundle.rail.track.alignment import Alignment
from trundle.rail.track.basis import polynomial
from trundle.rail.track.columns import check_growing, read_columns
from trundle.rail.track.segment import Ends, Piece, Segment
from trundle.rail.track.signal import Signal, SplineSignal
from trundle.rail.track.spectrum import CHANNELS
from trundle.typing import Array, Untyped

DEGREE = 5
LEAST = 8  # points
CLOSE = 1e-3  # of the tolerance: how well the line must meet its own spline
FINEST = 8  # times that the grid is halved at most
PLACES = ("x", "y", "z", "cant")
ALONG = ("s", "curvature", "gradient", "cant")
Source = str | Path | Mapping[str, ArrayLike]


@final
@dataclass(frozen=True, eq=False)
class Measured(Segment):
    """A segment whose curvature, sine of the slope, and cant (m, right rail over left) are cubic splines over s."""

    curvature: Untyped
    slope: Untyped
    cant: Untyped

    def begins(self) -> Ends:
        return Ends(float(self.curvature(0.0)), float(self.cant(0.0)))

    def fixed_begin(self) -> Ends | None:
        return self.begins()

    def ends(self, before: Ends) -> Ends:
        return Ends(float(self.curvature(self.length)), float(self.cant(self.length)))

    def pieces(self, before: Ends, half_gauge: float) -> list[Piece]:
        out = []
        for i, (begin, end) in enumerate(pairwise(self.curvature.x)):
            powers = (end - begin) ** np.arange(4)
            k, slope, cant = (
                polynomial(*(spline.c[::-1, i] * powers)) for spline in (self.curvature, self.slope, self.cant)
            )
            last = 1.0 if i == len(self.curvature.x) - 2 else end / self.length
            out.append(Piece(last, k, cant / (2.0 * half_gauge), slope=slope, span=(begin / self.length, last)))
        return out


@final
@dataclass(frozen=True)
class Residual:
    """Measured minus smooth: root mean square and largest size, in the unit of the quantity."""

    rms: float
    largest: float


@final
@dataclass(frozen=True, eq=False)
class FittedLine:
    """A line through measured points and how far the points lie from it."""

    line: Alignment
    residuals: dict[str, Residual]
    tolerance: dict[str, float]

    def __str__(self) -> str:
        rows = [
            f"{name}: rms {self.residuals[name].rms:.3g}, largest {self.residuals[name].largest:.3g} "
            f"(tolerance {self.tolerance[name]:.3g})"
            for name in self.residuals
        ]
        return "\n".join([f"{self.line.name}: {self.line.length:g} m, {len(self.line.rows)} pieces", *rows])


def fit_line(source: Source, tolerance: float | Mapping[str, float], half_gauge: float = 0.75) -> FittedLine:
    """A line through points of a CSV file, or of arrays by name.

    Columns are x, y and perhaps z, cant (surveyed places, m); or s, curvature (1/m) and perhaps gradient, cant (a
    recording car). Cant is right rail over left; "cant_mm" is in millimetres. Splines of degree 5 approximate the
    points within a root mean square of the tolerance: one number (m) for places and cant, or one for each quantity,
    such as {"curvature": 1e-6, "cant": 1e-3}. For places it counts across the track ("plan") and in height ("z").

    Parameters
    ----------
    source : str, Path or mapping
        CSV file, or arrays by name.
    tolerance : float or mapping
        Root mean square distance of the splines from the points.
    half_gauge : float
        Half the distance of the rails (m).

    Returns
    -------
    FittedLine
        The line, with its deviations from what was measured.
    """
    columns, name = read_columns(source, tuple(dict.fromkeys((*ALONG, *PLACES))))
    if {"x", "y"} <= set(columns) and not set(columns) - set(PLACES):
        return _through_places(columns, _tolerances(tolerance, ("plan", "z", "cant")), half_gauge, name, source)
    if {"s", "curvature"} <= set(columns) and not set(columns) - set(ALONG):
        quantities = ("curvature", "gradient", "cant")
        allowed = _tolerances(tolerance, quantities)
        missing = [
            key for key in quantities if key in columns and isinstance(tolerance, Mapping) and key not in tolerance
        ]
        if missing:
            raise ModelError(f"give a tolerance of {missing[0]!r} too, in its own unit: {name} has such a column.")
        return _through_curvature(columns, allowed, half_gauge, name, source)
    raise FileError(
        f"{name}: columns {', '.join(columns)} do not make a line; give x, y (z, cant), or s, curvature (gradient, "
        f"cant)."
    )


def measured_signals(source: Source, tolerance: float) -> tuple[dict[str, Signal], str]:
    """Splines through measured irregularities."""
    columns, name = read_columns(source, ("s", *CHANNELS))
    if "s" not in columns or len(columns) < 2:
        raise FileError(f"{name}: measured irregularities need a column s and one of {', '.join(CHANNELS)}.")
    allowed = _positive(tolerance, "tolerance")
    s = columns.pop("s")
    check_growing(s, source, LEAST)
    signals: dict[str, Signal] = {}
    for channel, values in columns.items():
        spline = _smooth(s, values, allowed)
        rms = float(np.sqrt(np.mean((spline(s) - values) ** 2)))
        signals[channel] = SplineSignal(spline, float(s[0]), float(s[-1]), rms)
    return signals, name


def _through_curvature(
    columns: dict[str, Array], tolerance: dict[str, float], half_gauge: float, name: str, source: Source
) -> FittedLine:
    s = columns["s"]
    check_growing(s, source, LEAST)
    at = s - s[0]
    splines: dict[str, Untyped] = {}
    residuals: dict[str, Residual] = {}
    for key in ("curvature", "gradient", "cant"):
        values = columns.get(key, np.zeros(len(s)))
        splines[key] = _smooth(at, values, tolerance[key]) if key in columns else (lambda u: 0.0 * u)
        if key in columns:
            residuals[key] = _residual(splines[key](at) - values)
    # Four points of the line between two of the record: deviations from the splines are far below any tolerance.
    grid = np.interp(np.arange(4 * (len(at) - 1) + 1) / 4.0, np.arange(len(at)), at)
    gradient = splines["gradient"](grid)
    line = _line(grid, splines["curvature"](grid), gradient / np.sqrt(1.0 + gradient**2), splines["cant"](grid),
                 half_gauge, name, (0.0, 0.0, 0.0), 0.0)  # fmt: skip
    return FittedLine(line, residuals, tolerance)


def _through_places(
    columns: dict[str, Array], tolerance: dict[str, float], half_gauge: float, name: str, source: Source
) -> FittedLine:
    from scipy.interpolate import splev, splprep

    x, y = columns["x"], columns["y"]
    steps = np.hypot(np.diff(x), np.diff(y))
    u = np.concatenate([[0.0], np.cumsum(steps)])
    if np.any(steps == 0.0):
        raise FileError(f"{name}: points {np.argmin(steps) + 1} and {np.argmin(steps) + 2} are the same place.")
    check_growing(u, source, LEAST)
    plan, _ = splprep([x, y], u=u, k=DEGREE, s=len(x) * tolerance["plan"] ** 2)
    height = _smooth(u, columns["z"], tolerance["z"]) if "z" in columns else None
    cant = _smooth(u, columns["cant"], tolerance["cant"]) if "cant" in columns else None
    for halving in range(FINEST):
        grid = np.interp(np.linspace(0.0, 1.0, 2**halving * (len(u) - 1) + 1), np.linspace(0.0, 1.0, len(u)), u)
        line, s = _along(plan, height, cant, grid, half_gauge, name)
        off = np.abs(line.position(s)[:, :2] - np.column_stack(splev(grid, plan))).max()
        if off < CLOSE * tolerance["plan"]:
            break
    else:
        raise ModelError(
            f"{name}: the points require a curve that turns too sharply between them; widen the tolerance."
        )
    residuals = {"plan": _residual(_across(line, np.interp(u, grid, s), x, y))}
    for key, spline in (("z", height), ("cant", cant)):
        if spline is not None:
            residuals[key] = _residual(spline(u) - columns[key])
    return FittedLine(line, residuals, tolerance)


def _along(
    plan: Untyped, height: Untyped, cant: Untyped, u: Array, half_gauge: float, name: str
) -> tuple[Alignment, Array]:
    """The line of splines over a parameter u, by its own length, and that length at u."""
    from scipy.interpolate import splev

    points, weights = np.polynomial.legendre.leggauss(8)
    half = np.diff(u)[:, None] / 2.0
    inner = u[:-1, None] + half * (1.0 + points)

    def speed(at: Array) -> Array:
        dx, dy = splev(at.reshape(-1), plan, der=1)
        dz = 0.0 if height is None else height(at.reshape(-1), 1)
        return np.asarray(np.sqrt(dx**2 + dy**2 + dz**2)).reshape(at.shape)

    s = np.concatenate([[0.0], np.cumsum((speed(inner) * weights * half).sum(1))])
    (dx, dy), (ddx, ddy), whole = splev(u, plan, der=1), splev(u, plan, der=2), speed(u)
    turn = (dx * ddy - dy * ddx) / (dx**2 + dy**2) / whole  # of the heading, per metre along the track
    slope = 0.0 * u if height is None else height(u, 1) / whole
    begin = splev(u[0], plan)
    start = (float(begin[0]), float(begin[1]), 0.0 if height is None else float(height(u[0])))
    lean = 0.0 * u if cant is None else cant(u)
    return _line(s, turn, slope, lean, half_gauge, name, start, float(np.arctan2(dy[0], dx[0]))), s


def _line(
    s: Array,
    curvature: Array,
    slope: Array,
    cant: Array,
    half_gauge: float,
    name: str,
    start: Sequence[float],
    heading: float,
) -> Alignment:
    from scipy.interpolate import CubicSpline

    splines = (CubicSpline(s, values) for values in (curvature, slope, cant))
    segment = Measured(float(s[-1]), *splines)
    return Alignment([segment], half_gauge, position=start, heading=heading, name=name)


def _across(line: Alignment, s: Array, x: Array, y: Array) -> Array:
    """Distances of points from the line in plan."""
    for _ in range(4):
        place, heading = line.position(s), line.heading(s)
        ahead = (x - place[:, 0]) * np.cos(heading) + (y - place[:, 1]) * np.sin(heading)
        s = np.clip(s + ahead, 0.0, line.length)
    place = line.position(s)
    return np.asarray(np.hypot(x - place[:, 0], y - place[:, 1]))


def _smooth(s: Array, values: Array, tolerance: float) -> Untyped:
    from scipy.interpolate import UnivariateSpline

    return UnivariateSpline(s, values, k=DEGREE, s=len(s) * tolerance**2)


def _residual(off: Array) -> Residual:
    return Residual(float(np.sqrt(np.mean(off**2))), float(np.abs(off).max()))


def _tolerances(given: float | Mapping[str, float], wanted: tuple[str, ...]) -> dict[str, float]:
    if isinstance(given, Mapping):
        wrong = [key for key in given if key not in wanted]
        if wrong:
            raise ModelError(f"there is no tolerance of {wrong[0]!r} here; there are {', '.join(wanted)}.")
        one = {key: _positive(value, f"tolerance of {key}") for key, value in given.items()}
        return {**{key: max(one.values(), default=1e-3) for key in wanted}, **one}
    if "curvature" in wanted:
        raise ModelError('give the tolerance by quantity, such as {"curvature": 1e-6, "cant": 1e-3}; units differ.')
    return dict.fromkeys(wanted, _positive(given, "tolerance"))


def _positive(value: float, name: str) -> float:
    if not (np.isfinite(value) and value > 0.0):
        raise ModelError(f"the {name} must be a positive number, not {value!r}.")
    return float(value)
