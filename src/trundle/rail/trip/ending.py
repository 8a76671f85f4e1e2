"""How trips end, and which wheels were off their rails."""

from typing import NamedTuple, final

import numpy as np

from trundle.integrate.outcome import TABLE_LEFT
from trundle.rail.track.alignment import Alignment
from trundle.rail.vehicle.vehicle import PlacedVehicle
from trundle.run.dataset import Run

NEAR_END = 1.0  # m before the end of the line


@final
class LiftOff(NamedTuple):
    """A wheel that left its rail."""

    wheel: str
    time: float  # s
    distance: float  # m, of the vehicle's reference point
    duration: float  # s; up to the end of the run where it does not come down


def trip_outcome(run: Run, placed: PlacedVehicle, line: Alignment, ahead: float) -> str | None:
    """The ending of a run that came to the end of the line or of the contact; None for others."""
    if run.ending != TABLE_LEFT.name:
        return None
    t, s = float(run.time[-1]), float(run.values("distance")[-1])
    if s + ahead > line.length - NEAR_END:
        return f"END_OF_LINE: The foremost wheelset came to the end of {line.name} at t = {t:.6g} s."
    y = {name: float(run.values(f"{name}.y")[-1]) for name in placed.wheelsets}
    worst = max(y, key=lambda name: abs(y[name]))
    side = "left" if y[worst] > 0 else "right"
    return (
        f"DERAILED: The wheel {worst}_{side} climbed over its rail, or left it, at s = {s:.6g} m, t = {t:.6g} s: its "
        f"wheelset stands {1e3 * abs(y[worst]):.3g} mm to the {side}, beyond the table of the contact. Go slower, take "
        "a wider curve, or profiles with a flange."
    )


def lift_offs(run: Run, placed: PlacedVehicle) -> list[LiftOff]:
    """Wheels that left their rails during a run, as its samples show it, in the order of time."""
    t, s = run.time, run.values("distance")
    found = []
    for wheel in placed.wheels:
        off = run.values(f"{wheel.contact}.approach") < 0
        edges = np.flatnonzero(np.diff(np.concatenate([[False], off, [False]]).astype(int)))
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            end = t[min(last, len(t) - 1)]
            found.append(LiftOff(wheel.contact, float(t[first]), float(s[first]), float(end - t[first])))
    return sorted(found, key=lambda one: one.time)
