"""A line inside a model: its rows and its plan as tables that compiled code reads, and the frame that moves along
it.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.laws.signals import NamedSignals
from trundle.lookup.table import Table
from trundle.model.model import Model
from trundle.rail.track.adjust import Adjustment, adjustable, columns
from trundle.rail.track.alignment import Alignment
from trundle.rail.track.basis import integrals
from trundle.rail.track.rows import CURVATURE, END, INVERSE, SLOPE, WIDTH, RowSymbols, local_at, share, total
from trundle.rail.track.spectrum import CHANNELS
from trundle.rail.track.track_frame import TrackMotion, motion
from trundle.typing import AnyArray, Array, Expr

if TYPE_CHECKING:
    from trundle.rail.track.irregularity import Irregularity

HEADING, HEIGHT, BEGIN = range(WIDTH, WIDTH + 3)  # of a row where its x is 0; where it begins (m)
STEP = 1.0  # m between places of the plan
DEGREE = 9  # of its polynomials: their second derivative is right to 1e-16 1/m in transitions of 30 m
BEYOND = 1.0  # m of irregularities before the beginning of a line and beyond its end
NODES = 3.0  # m: wave for which nodes lie close enough where the shortest one is not known
APART = 1e-6  # m between nodes
SLACK = 2.0  # m by which stages of a step may overrun a row; further away, the counted row is wrong

Expression = Callable[[NamedSignals], Expr] | float


def row_table(line: Alignment, by: Literal["distance", "number"] = "distance") -> Table:
    """The rows of a line with heading and height, found by the distance along the track or by the number of the row."""
    rows = np.column_stack([line.rows, line.pose.offsets(), line.pose.starts])
    if adjustable(line) is not None:
        rows = np.column_stack([rows, columns(line)])
    rows = np.vstack([rows, rows[-1:]])
    if by == "number":
        knots = np.append(np.arange(len(line.rows)), len(line.rows) - 0.5)  # no row begins after the last one
    else:
        knots = np.append(line.pose.starts, line.length)
    return Table(knots, rows, between="previous", beyond="refuse", text=f"rows of {line.name}")


def plan_table(line: Alignment, step: float = STEP) -> Table:
    """Places x, y (m) of a line over the distance, by polynomials that have its curvature at the Chebyshev points of
    each step: no digits are lost by differences of coordinates, so their second derivative is exact too.
    """
    ends = [*line.pose.starts, line.length]
    cells = [max(1, int(np.ceil((end - begin) / step))) for begin, end in pairwise(ends)]
    parts = [np.linspace(begin, end, n, False) for (begin, end), n in zip(pairwise(ends), cells, strict=True)]
    row, s = np.repeat(np.arange(len(cells)), cells), np.append(np.concatenate(parts), line.length)
    h = np.diff(s)[:, None]
    k = np.arange(DEGREE - 1)
    x = 0.5 - 0.5 * np.cos(np.pi * (k + 0.5) / len(k))
    inside, owner = s[:-1, None] + h * x, row[:, None]
    bend = _directions(line, inside, owner)[1]  # place, point, component
    base = bend[:, :1]  # subtracted: the rest is small
    second = np.einsum("kp,npi->kni", np.linalg.inv(x[:, None] ** k), bend - base) / h ** k[:, None, None]
    second[0] += base[:, 0]
    c = np.empty((DEGREE + 1, len(row), 2))
    c[0] = line.pose.position(s[:-1], row)[:, :2]
    c[1] = _directions(line, s[:-1, None], owner)[0][:, 0]
    c[2:] = second / ((k + 1) * (k + 2))[:, None, None]
    return Table.polynomials(s, c, "refuse", text=f"plan of {line.name}")


def _directions(line: Alignment, s: Array, row: AnyArray) -> tuple[Array, Array]:
    """First and second derivative of x, y by the distance s, in rows."""
    at, heading = line.local(s, row), line.pose.heading(row, s)
    c, n = np.cos(heading), np.sin(heading)
    along, across, bend = at.cos_g, at.k * at.cos_g, -at.sin_g * at.g1
    first, second = (along * c, along * n), (bend * c - across * n, bend * n + across * c)
    return np.stack(np.broadcast_arrays(*first), -1), np.stack(np.broadcast_arrays(*second), -1)


def irregularity_table(rough: "Irregularity", start: float, stop: float, step: float | None = None) -> Table:
    """Deviations of both rails over the distance (m), left y, left z, right y, right z, by quintics.

    Steps of a twelfth of the shortest wave leave errors below 1e-6 of a wave's height. Measured signals have nodes
    every 0.25 m, and at the knots of their splines where these are closer.

    Parameters
    ----------
    rough : Irregularity
        The deviations.
    start, stop : float
        Places (m).
    step : float, optional
        Between nodes (m).

    Returns
    -------
    Table
    """
    s, channels = _on_nodes(rough, start, stop) if step is None else rough.on_grid(start, stop, step)
    z, y, cant, gauge = (channels[name] for name in CHANNELS)
    sides = np.stack([y + gauge / 2.0, z - cant / 2.0, y - gauge / 2.0, z + cant / 2.0], -1)  # derivative, place, side
    names = ("left y", "left z", "right y", "right z")
    return Table.hermite(
        s, sides[0], sides[1], sides[2], beyond="refuse", unit="m", outputs=names, arguments=("s",), text=rough.name
    )


def _on_nodes(rough: "Irregularity", start: float, stop: float) -> tuple[Array, dict[str, Array]]:
    """Places between which quintics follow the signals, and values and derivatives there: twelve in the shortest wave,
    at most 0.25 m apart where waves are not known, and the knots of splines that lie closer.
    """
    signals = rough.signals.values()
    shortest = (
        min([NODES, *(one.shortest_wave for one in signals)]) if rough.wavelengths is None else rough.wavelengths[0]
    )
    s, channels = rough.on_grid(start, stop, shortest / 12.0)
    knots = np.unique(np.concatenate([np.zeros(0), *(one.knots for one in signals)]))
    knots = knots[(knots > s[0]) & (knots < s[-1])]
    if len(knots) < 2 or np.min(np.diff(knots)) > shortest / 12.0 * (1 - 1e-9):
        return s, channels
    s = np.unique(np.concatenate([s, knots]))
    s = s[np.concatenate([[True], np.diff(s) > APART])]
    return s, {channel: np.array([rough(channel, s, order) for order in range(3)]) for channel in CHANNELS}


def irregularities_along(rough: "Irregularity", length: float) -> Table:
    """The same for a whole line (m), and a little beyond its ends where the signals are known there: a wheelset may
    stand a little behind its frame or ahead of it.
    """
    beyond = 0.0 if rough.wavelengths is None else BEYOND
    return irregularity_table(rough, -beyond, length + beyond)


@final
class TrackFrame:
    """A frame that moves along a line, for `m.moving_frame(name, motion=TrackFrame(...))`.

    Parameters
    ----------
    model : Model
        Gets two tables, `name_rows` and `name_plan`; a run may be given those of another line.
    line : Alignment
    distance : float, or function of the signals
        Along the track (m): `lambda s: 20.0 * s.t`, or a state.
    speed, acceleration : float, or function of the signals, optional
        m/s and m/s^2. By default the derivatives of the distance by time.
    count : bool, optional
        Whether an event, `name_joint`, counts in which row the frame is (the parameter `name_row`), so that bodies keep
        their velocities in the ground where those of the frame jump. Default: if the line has such kinks. A run that
        starts elsewhere must be given the row too, `parameters={"track_row": line.row_at(s)}`; with a wrong row it ends
        soon. Otherwise the row is found by the distance.
    name : str
    """

    def __init__(
        self,
        model: Model,
        line: Alignment,
        distance: Expression,
        speed: Expression | None = None,
        acceleration: Expression | None = None,
        *,
        count: bool | None = None,
        name: str = "track",
    ) -> None:
        if (speed is None) != (acceleration is None):
            raise ModelError("give speed and acceleration along the track both, or neither.")
        kinks = line.continuity().kinks
        if kinks and count is False:
            places = ", ".join(f"{s:g}" for s in kinks[:8])
            raise ModelError(
                f"{line.name}: the angular velocity of the track frame jumps at {places} m, and with it the motion of "
                f"bodies relative to it; leave out count=False, or take curves without kinks."
            )
        self._model = model
        self.line, self._distance, self._rates = line, distance, (speed, acceleration)
        counted = bool(kinks) if count is None else count
        self.rows = model.table(f"{name}_rows", row_table(line, "number" if counted else "distance"))
        self.plan = model.table(f"{name}_plan", plan_table(line))
        changing = adjustable(line)
        self._adjustment = None if changing is None else Adjustment(model, changing)
        self._row: str | None = f"{name}_row" if counted else None
        if self._row is not None:
            self._count(model, self._row, f"{name}_joint")

    def _count(self, model: Model, row: str, event: str) -> None:
        """The number of the row as a parameter that an event advances."""
        start = float(_value(self._distance, _AtStart(model)))
        text = f"number of the row of {self.line.name} in which the frame is"
        model.parameter(row, float(self.line.row_at(self.line.inside(start))), text=text)

        def left(s: NamedSignals) -> Expr:
            return _value(self._distance, s) - self.rows(s[row])[END]

        model.event(event, left, 1, {row: lambda s: s[row] + 1.0})

    def frame_state(self, s: NamedSignals) -> TrackMotion:
        """Pose and motion of the frame as expressions of the signals.

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.

        Returns
        -------
        TrackMotion
        """
        at, numbers = self._place(s)
        speed, acceleration = self._speeds(at, s)
        if self._row is not None:
            speed = speed + _guard(at, numbers)
        height, R, w, eps, v, a, _ = _formulas()(ca.vertcat(*numbers.all), at, speed, acceleration)
        place = self.plan(at)
        if self._adjustment is not None:
            place = place + self._adjustment.shift(s, at, ca.vertsplit(self._row_at(at, s)), BEGIN + 1)
        return TrackMotion(ca.vertcat(place, height), R, w, eps, v, a)

    def bend(self, s: NamedSignals) -> Expr:
        """Distance along the track (m), turn of the frame per metre of track (rad/m) in its own axes, and its
        derivative (rad/m^2).

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.

        Returns
        -------
        expression
        """
        at, numbers = self._place(s)
        return ca.vertcat(at, _formulas()(ca.vertcat(*numbers.all), at, 0.0, 0.0)[-1])

    def bend_to_third_order(self, s: NamedSignals) -> Expr:
        """The same with the second derivative (rad/m^3), for wheelsets that may stand decimetres from the frame.

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.

        Returns
        -------
        expression
        """
        at, numbers = self._place(s)
        given = ca.vertcat(*numbers.all)
        return ca.vertcat(at, _formulas()(given, at, 0.0, 0.0)[-1], _third()(given, at))

    def _place(self, s: NamedSignals) -> tuple[Expr, RowSymbols]:
        """Distance along the track, and the row in which it lies."""
        at = ca.SX(_value(self._distance, s if self._rates[0] is not None else _TimeOnly(s, self._model.parameters)))
        row = ca.vertsplit(self._row_at(at, s))
        return at, RowSymbols(row if self._adjustment is None else self._adjustment.numbers(s, row, BEGIN + 1))

    def _row_at(self, at: Expr, s: NamedSignals) -> Expr:
        return self.rows(at if self._row is None else s[self._row])

    def _speeds(self, at: Expr, s: NamedSignals) -> tuple[Expr, Expr]:
        speed, acceleration = self._rates
        if speed is not None and acceleration is not None:
            return ca.SX(_value(speed, s)), ca.SX(_value(acceleration, s))
        rate = derivative(at, s.t)
        return rate, derivative(rate, s.t)


@final
class _TimeOnly:
    """Signals limited to time and parameters: the rate of a distance is then its derivative by time."""

    def __init__(self, signals: NamedSignals, parameters: Mapping[str, object]) -> None:
        self._signals, self._parameters = signals, parameters
        self.t = signals.t

    def __getitem__(self, name: str) -> Expr:
        if name not in self._parameters:
            raise ModelError(f"the distance depends on {name!r}: give speed and acceleration along the track too.")
        return self._signals[name]


@final
class _AtStart:
    """Signals at the start, as numbers: time zero, parameters and states by their values in the model."""

    t = 0.0

    def __init__(self, model: Model) -> None:
        self._model = model

    def __getitem__(self, name: str) -> Expr:
        if name in self._model.states:
            return self._model.states[name].start
        return self._model.parameter_values()[name]


@lru_cache(maxsize=1)
def _formulas() -> ca.Function:
    """Height, rotation, w, eps, v, a, turn per metre and its derivative, from the numbers of a row, distance, speed and
    acceleration: written once; afterwards CasADi expands it, which is faster than Python.
    """
    given, at, speed, acceleration = ca.SX.sym("row", BEGIN + 1), *(ca.SX.sym(n) for n in ("at", "speed", "a"))
    numbers = RowSymbols(ca.vertsplit(given))
    grown = integrals(share(numbers, at))
    heading = numbers[HEADING] + total(numbers, CURVATURE, grown) / numbers[INVERSE]
    height = numbers[HEIGHT] + total(numbers, SLOPE, grown) / numbers[INVERSE]
    local = local_at(numbers, at)
    found = motion(ca.vertcat(0.0, 0.0, height), heading, local, speed, acceleration)
    bend = ca.vertcat(*local.darboux(), *local.darboux_derivative())
    out = [height, found.rotation, found.w, found.eps, found.v, found.a, bend]
    return ca.Function("track_motion", [given, at, speed, acceleration], [ca.densify(one) for one in out])


@lru_cache(maxsize=1)
def _third() -> ca.Function:
    """Second derivative of the turn per metre, from the numbers of a row and the distance."""
    given, at = ca.SX.sym("row", BEGIN + 1), ca.SX.sym("at")
    first = ca.vertcat(*local_at(RowSymbols(ca.vertsplit(given)), at).darboux_derivative())
    return ca.Function("track_third", [given, at], [ca.densify(derivative(first, at))])


def _guard(at: Expr, row: RowSymbols) -> Expr:
    """Zero within a row; beyond it (if a wrong row was given at the start) nan, which ends the run."""
    return 1e-300 * ca.sqrt((row[END] + SLACK - at) * (at - row[BEGIN] + SLACK))


def _value(given: Expression, s: NamedSignals) -> Expr:
    return given(s) if callable(given) else given
