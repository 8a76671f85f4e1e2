"""Checks of a line: numbers, continuity between segments, slopes."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.rail.track.gradient import slopes
from trundle.rail.track.rows import END, SLOPE, derivatives, make_rows
from trundle.rail.track.segment import Ends, Segment, type_faults
from trundle.real_array import is_number

if TYPE_CHECKING:
    from trundle.rail.track.alignment import Alignment

SAME_CURVATURE = 1e-9  # 1/m
SAME_CANT = 1e-9  # m
SAME_SLOPE = 1e-9  # of the sine of the slope


def check_numbers(
    segments: tuple[Segment, ...], half_gauge: float, position: ArrayLike, heading: float, pivot: str
) -> None:
    """ModelError with all invalid numbers of a line."""
    faults = []
    if not segments:
        faults.append("a line needs at least one segment.")
    if not is_number(half_gauge):
        raise ModelError(f"half_gauge is {half_gauge!r}; give half the distance of the rails in metres, such as 0.75.")
    if not (np.isfinite(half_gauge) and half_gauge > 0.0):
        raise ModelError(f"half_gauge is {half_gauge:g} m; it must be positive (0.75 for rails 1.5 m apart).")
    if np.shape(position) != (3,) or not all(is_number(v) and np.isfinite(v) for v in (*np.asarray(position), heading)):
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


def joined(line: "Alignment", jumps: bool) -> list[Ends]:
    """Curvature and cant before each segment; ModelError for segments that do not fit."""
    before, faults = [], []
    now = line.segments[0].begins()
    for number, segment in enumerate(line.segments):
        wanted = segment.fixed_begin()
        where = f"at {line.starts[number]:g} m, where {line.place(number)} begins"
        if number and wanted is not None:
            if abs(wanted.curvature - now.curvature) > SAME_CURVATURE and not jumps:
                faults.append(
                    f"{where}: the curvature jumps from {_radius(now.curvature)} to {_radius(wanted.curvature)}. Put "
                    "a transition curve between them, or give curvature_jumps=True."
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


def placed(line: "Alignment", error: ModelError) -> ModelError:
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


def check_slopes(line: "Alignment") -> None:
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


def notes(line: "Alignment") -> list[str]:
    """Notes on unusual, but valid, features of the line."""
    out = []
    for number, segment in enumerate(line.segments):
        end = segment.ends(line._ends[number])
        if abs(end.curvature) < 1e-9 and abs(end.cant) > SAME_CANT:
            out.append(f"{line.place(number)}: cant of {abs(end.cant):g} m without curvature at its end.")
        elif end.curvature * end.cant < 0.0:
            out.append(f"{line.place(number)}: the cant raises the inner rail at its end.")
    return out
