"""A line: segments joined, with its profile; the motion of the frame that goes along it."""

from collections.abc import Sequence
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Literal, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError, SolveError
from trundle.rail.track.gradient import Vertical, slopes
from trundle.rail.track.pose import Pose
from trundle.rail.track.rows import END, SLOPE, RowNumbers, derivatives, local_at, make_rows
from trundle.rail.track.segment import Ends, Segment, type_faults
from trundle.rail.track.track_frame import Local, TrackMotion, motion
from trundle.typing import AnyArray, Array, Expr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trundle.rail.track.continuity import Continuity
    from trundle.rail.track.small_angles import SmallAngles

SAME_CURVATURE = 1e-9  # 1/m
SAME_CANT = 1e-9  # m
SAME_SLOPE = 1e-9  # of the sine of the slope


@final
class Alignment:
    """Segments one after the other, from s = 0; lengths are measured along the track.

    half_gauge (m) is half the distance of the rails, on which cant is measured. `profile` is made of Grade and
    VerticalCurve; without it the line is level. `pivot` says about which line the cant turns: the centre of the track,
    or the lower rail, so that the centre rises by half the cant. Curvature that jumps, as in a turnout, must be asked
    for by curvature_jumps=True.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        half_gauge: float = 0.75,
        *,
        profile: Sequence[Vertical] = (),
        position: Sequence[float] = (0.0, 0.0, 0.0),
        heading: float = 0.0,
        pivot: Literal["centre", "low rail"] = "centre",
        curvature_jumps: bool = False,
        name: str = "line",
    ) -> None:
        if isinstance(segments, Segment):
            raise ModelError("a line is a list of segments; put the segment into brackets.")
        self.segments = tuple(segments)
        self.half_gauge, self.name = half_gauge, name
        self.profile, self.pivot = tuple(profile), pivot
        _check_numbers(self.segments, half_gauge, position, heading, pivot)
        self.starts: Array = np.concatenate([[0.0], np.cumsum([segment.length for segment in self.segments])])
        self._ends = _joined(self, curvature_jumps)
        try:
            self.rows, self.owners = make_rows(
                self.segments, self._ends, self.starts, slopes(self.profile, self.length), half_gauge,
                pivot == "low rail",
            )  # fmt: skip
        except ModelError as error:
            raise _placed(self, error) from error
        _check_slopes(self)
        self.pose = Pose(self.rows, np.asarray(position, float), heading)
        self.notes = _notes(self)

    @property
    def length(self) -> float:
        """Length of the line, m along the track."""
        return float(self.starts[-1])

    def place(self, number: int) -> str:
        """A segment in words: its number, kind and extent."""
        kind = type(self.segments[number]).__name__
        return f"segment {number + 1} ({kind}, {self.starts[number]:g} to {self.starts[number + 1]:g} m)"

    def ends_before(self, number: int) -> Ends:
        """Curvature and cant where a segment begins."""
        return self._ends[number]

    def row_at(self, s: ArrayLike) -> Expr:
        """Number of the row that holds s; at a joint the one that begins there."""
        found = np.searchsorted(self.rows[:, END], s, side="right")
        return np.minimum(found, len(self.rows) - 1)

    def local(self, s: Expr, row: AnyArray | int | None = None) -> Local:
        """Curvature, slope and cant with their derivatives at s."""
        s = s if isinstance(s, ca.SX | ca.MX) else self.inside(s)
        return local_at(RowNumbers(self.rows, self.row_at(s) if row is None else row), s)

    def curvature(self, s: Expr) -> Expr:
        """Turn of the heading per metre of track (1/m), positive to the left."""
        return self.local(s).k

    def cant(self, s: Expr) -> Expr:
        """Height of the right rail over the left one (m)."""
        return 2.0 * self.half_gauge * self.local(s).sin_b

    def gradient(self, s: Expr) -> Expr:
        """Rise over horizontal distance of the centre of the track."""
        at = self.local(s)
        return at.sin_g / at.cos_g

    def heading(self, s: ArrayLike) -> Expr:
        """Direction in plan (rad), from the x axis to the left."""
        s = self.inside(s)
        return self.pose.heading(self.row_at(s), s)

    def position(self, s: ArrayLike) -> Expr:
        """Places (m) of the centre of the track in the ground: x, y, z in the last axis."""
        s = self.inside(s)
        flat = s.reshape(-1)
        return self.pose.position(flat, self.row_at(flat)).reshape(*s.shape, 3)

    def motion(self, s: Expr, speed: Expr = 0.0, acceleration: Expr = 0.0, row: int | None = None) -> TrackMotion:
        """Pose of the track frame at s, and its w, eps, v, a in its own axes, exactly.

        s (m), speed (m/s) and acceleration along the track (m/s^2) are numbers or arrays. For a symbol s, `row` says
        in which row of the line it lies (`row_at`), since formulas differ from row to row.
        """
        if isinstance(s, ca.SX | ca.MX):
            if row is None:
                raise SolveError(
                    "s is a symbol: say in which row of the line it lies, such as row=line.row_at(80.0); the formulas "
                    "differ from row to row."
                )
            return motion(
                self.pose.position_in_row(row, s), self.pose.heading(row, s), self.local(s, row), speed, acceleration
            )
        s, speed, acceleration = np.broadcast_arrays(self.inside(s), *_finite(speed, acceleration))
        owner = self.row_at(s) if row is None else np.full(s.shape, row)
        flat = s.reshape(-1)
        position = self.pose.position(flat, owner.reshape(-1)).reshape(*s.shape, 3)
        return motion(position, self.pose.heading(owner, s), self.local(s, owner), speed, acceleration)

    def small_angles(
        self, s: Expr, speed: Expr = 0.0, acceleration: Expr = 0.0, as_printed: bool = False
    ) -> "SmallAngles":
        """The same motion in the small-angle form of [Zboinski 2011, Eqs. 66 to 75], with its error.

        as_printed=True keeps the signs of the paper, which do not agree with each other.
        """
        from trundle.rail.track.small_angles import small_angles

        return small_angles(self, s, speed, acceleration, as_printed)

    def continuity(self) -> "Continuity":
        """Which derivative of curvature, cant and slope jumps where, and what of the motion of the frame with it."""
        return self._continuity

    @cached_property
    def _continuity(self) -> "Continuity":
        from trundle.rail.track.continuity import continuity

        return continuity(self)

    def plot(self, path: Path | str | None = None) -> "Figure":
        """Plan, curvature and cant bands, and profile in one figure."""
        from trundle.rail.track.track_view import plot_alignment

        return plot_alignment(self, path)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.length:g} m, {len(self.segments)} segments"]
        lines += [f"  {self.place(i)}" for i in range(len(self.segments))]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def inside(self, s: ArrayLike) -> Array:
        """s as an array; places beyond the ends are refused."""
        try:
            found = np.asarray(s, float)
        except (TypeError, ValueError) as error:
            raise SolveError(f"s is {s!r}; give places in metres.") from error
        slack = 1e-9 * max(1.0, self.length)
        outside = ~((found >= -slack) & (found <= self.length + slack))
        if outside.any():
            raise SolveError(
                f"s = {found[outside].flat[0]:g} m is not on the line, which goes from 0 to {self.length:g} m."
            )
        return np.asarray(np.clip(found, 0.0, self.length))


def _finite(speed: ArrayLike, acceleration: ArrayLike) -> list[Array]:
    out = []
    for name, given in (("speed", speed), ("acceleration", acceleration)):
        value = np.asarray(given, float)
        if not np.all(np.isfinite(value)):
            raise SolveError(f"the {name} must be finite.")
        out.append(value)
    return out


def _check_numbers(
    segments: tuple[Segment, ...], half_gauge: float, position: ArrayLike, heading: float, pivot: str
) -> None:
    faults = []
    if not segments:
        faults.append("a line needs at least one segment.")
    if isinstance(half_gauge, bool) or not isinstance(half_gauge, Real):
        raise ModelError(f"half_gauge is {half_gauge!r}; give half the distance of the rails in metres, such as 0.75.")
    if not (np.isfinite(half_gauge) and half_gauge > 0.0):
        raise ModelError(f"half_gauge is {half_gauge:g} m; it must be positive (0.75 for rails 1.5 m apart).")
    if np.shape(position) != (3,) or not all(isinstance(v, Real) and np.isfinite(v) for v in (*position, heading)):
        faults.append("the line starts at a position of three finite numbers (m), with a finite heading (rad).")
    if pivot not in ("centre", "low rail"):
        faults.append(f"the cant turns about the 'centre' or the 'low rail', not about {pivot!r}.")
    at = 0.0
    for number, segment in enumerate(segments, 1):
        place = f"segment {number} ({type(segment).__name__}, from {at:g} m)"
        if not isinstance(segment, Segment):
            raise ModelError(f"segment {number} is {segment!r}; give Straight, Arc or a transition curve.")
        wrong = type_faults(segment)
        faults += [f"{place}: {fault}." for fault in wrong or segment.faults(half_gauge)]
        at += segment.length if not wrong else 0.0
    if faults:
        raise ModelError(faults)


def _joined(line: Alignment, jumps: bool) -> list[Ends]:
    """Curvature and cant before each segment; segments that do not fit are refused."""
    before, faults = [], []
    now = line.segments[0].begins()
    for number, segment in enumerate(line.segments):
        wanted = segment.fixed_begin()
        where = f"at {line.starts[number]:g} m, where {line.place(number)} begins"
        if number and wanted is not None:
            if abs(wanted.curvature - now.curvature) > SAME_CURVATURE and not jumps:
                faults.append(
                    f"{where}: the curvature jumps from {_radius(now.curvature)} to {_radius(wanted.curvature)}. Put a "
                    f"transition curve between them, or say curvature_jumps=True."
                )
            if abs(wanted.cant - now.cant) > SAME_CANT:
                faults.append(
                    f"{where}: the cant jumps from {now.cant:g} to {wanted.cant:g} m (right rail over left). Cant can "
                    f"change along a transition curve only."
                )
            if jumps:
                now = Ends(wanted.curvature, now.cant)
        before.append(now)
        now = segment.ends(now)
    if faults:
        raise ModelError(faults)
    return before


def _radius(curvature: float) -> str:
    if abs(curvature) < 1e-12:
        return "straight track"
    return f"a radius of {abs(1.0 / curvature):.6g} m to the {'left' if curvature > 0 else 'right'}"


def _placed(line: Alignment, error: ModelError) -> ModelError:
    """The error with the first segment that raises it."""
    for number, (segment, ends) in enumerate(zip(line.segments, line._ends, strict=True)):
        alone = slopes((), segment.length)
        try:
            make_rows(
                (segment,), [ends], np.array([0.0, segment.length]), alone, line.half_gauge, line.pivot == "low rail"
            )
        except ModelError as own:
            return ModelError(f"{line.place(number)}: {own}.")
    return error


def _check_slopes(line: Alignment) -> None:
    """A slope that jumps would be a kink in the rails."""
    for row in range(1, len(line.rows)):
        at = line.rows[row - 1, END]
        left, right = (derivatives(r, SLOPE, at, 1)[0] for r in line.rows[row - 1 : row + 1])
        if abs(right - left) > SAME_SLOPE:
            raise ModelError(
                f"at {at:g} m, in {line.place(int(line.owners[row]))}: the centre of the track would have a kink, from "
                f"a slope of {left:.6g} to {right:.6g}. With pivot='low rail' the cant ramp must begin and end without "
                f"slope: take a Bloss, Cosine, Sine or Helmert ramp."
            )


def _notes(line: Alignment) -> list[str]:
    out = []
    for number, segment in enumerate(line.segments):
        end = segment.ends(line._ends[number])
        if abs(end.curvature) < 1e-9 and abs(end.cant) > SAME_CANT:
            out.append(f"{line.place(number)}: cant of {abs(end.cant):g} m without curvature at its end.")
        elif end.curvature * end.cant < 0.0:
            out.append(f"{line.place(number)}: the cant raises the inner rail at its end.")
    return out
