"""How trips end, and which wheels were off their rails."""

from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from trundle.integrate.outcome import Outcome
from trundle.model.model import Model
from trundle.rail.track.alignment import Alignment
from trundle.rail.vehicle.vehicle import PlacedVehicle
from trundle.run.run import Run
from trundle.typing import ModelPart

if TYPE_CHECKING:
    from trundle.run.batch import BatchRun

END_OF_LINE, DERAILED, STANDSTILL = "END_OF_LINE", "DERAILED", "STANDSTILL"
AT_END = 1e-3  # m before the end of a line at which a run has come to it
ARM = 0.5  # m: about the radius of a wheel, by which a roll moves its contact across
LIFTS, LANDS = "_lifts", "_lands"  # ends of names of events


@final
class LiftOff(NamedTuple):
    """A wheel that left its rail."""

    wheel: str
    time: float  # s
    distance: float  # m, of the vehicle's reference point
    duration: float  # s; up to the end of the run where it does not come down


def trip_outcome(run: Run, placed: PlacedVehicle, line: Alignment, end: float | None) -> str | None:
    """The ending of a run that came to the end of the line or of the contact, or to rest; None for others. `end`: the
    distance (m) at which a run without a duration is at the end of the line.
    """
    name, t = run.ending, float(run.time[-1])
    s = float(run.values("distance")[-1])
    last = run.events[-1][0] if name == "EVENT_STOP" and run.events else ""
    whole = end is not None and name == "FINISHED"
    if last == "end_of_line" or (whole and s > (end or 0.0) - AT_END):
        return f"{END_OF_LINE}: The foremost wheelset came to the end of {line.name} at t = {t:.6g} s."
    if last == "standstill" or whole:
        return f"{STANDSTILL}: The vehicle came to rest at s = {s:.6g} m, t = {t:.6g} s, before the end of {line.name}."
    argument = _left_contact(run.outcome, placed, run.system.model) if name == "TABLE_LEFT" and run.system else ""
    if not argument:
        return None
    y, roll = ({n: float(run.values(f"{n}.{c}")[-1]) for n in placed.wheelsets} for c in ("y", "rx"))
    return f"{DERAILED}: {_derailed(argument, y, roll, s, t)}"


def _left_contact(text: str, placed: PlacedVehicle, model: Model) -> str:
    """The argument, "u" or "roll", of a contact table that an ending names; empty if it names another table."""
    forces: list[ModelPart] = [model.forces[wheel.contact] for wheel in placed.wheels]
    names = {force.table.name for force in forces}
    return next((a for a in ("u", "roll") for name in names if f"argument {a!r} of table {name!r}" in text), "")


def _derailed(argument: str, y: dict[str, float], roll: dict[str, float], s: float, t: float) -> str:
    """Which wheel, where and when, from the lateral displacements (m) and rolls of the wheelsets."""
    worst = max(y, key=lambda name: max(abs(y[name]), ARM * abs(roll[name])))
    if argument == "roll" or ARM * abs(roll[worst]) > abs(y[worst]):
        side = "left" if roll[worst] > 0 else "right"
        return (
            f"The wheel {worst}_{side} rose from its rail at s = {s:.6g} m, t = {t:.6g} s: its wheelset leans by "
            f"{abs(roll[worst]):.3g} rad, beyond the table of the contact. Go slower, or take a wider curve."
        )
    side = "left" if y[worst] > 0 else "right"
    return (
        f"The wheel {worst}_{side} climbed over its rail, or left it, at s = {s:.6g} m, t = {t:.6g} s: its wheelset "
        f"stands {1e3 * abs(y[worst]):.3g} mm to the {side}, beyond the table of the contact. Go slower, take a wider "
        "curve, or profiles with a flange."
    )


def name_endings(found: "BatchRun", placed: PlacedVehicle, model: Model) -> None:
    """Name the endings of cases of a batch that left their contact tables as those of single trips."""
    batch = found.batch
    left = [i for i in range(len(batch.code)) if batch.outcome(i).name == "TABLE_LEFT"]
    if not left:
        return
    places, rolls = ({n: found.end(f"{n}.{c}").values for n in placed.wheelsets} for c in ("y", "rx"))
    s = found.end("distance").values
    for i in left:
        argument = _left_contact(str(batch.outcome(i)), placed, model)
        if not argument:
            continue
        y, roll = ({n: float(v[i]) for n, v in values.items()} for values in (places, rolls))
        text = _derailed(argument, y, roll, float(s[i]), float(batch.t_end[i]))
        batch.endings[i] = Outcome(DERAILED, int(batch.code[i]), text)


def lift_offs(run: Run, placed: PlacedVehicle) -> list[LiftOff]:
    """Wheels that left their rails during a run, in the order of time: from its events where the trip was made with
    `lift_offs=True`, else from its samples.

    Parameters
    ----------
    run : Run
        Of a trip.
    placed : PlacedVehicle
        The vehicle.

    Returns
    -------
    list of LiftOff
    """
    t, s = run.time, run.values("distance")
    names = set() if run.formulation is None else set(run.formulation.model.events)
    found = []
    for wheel in placed.wheels:
        off = run.values(f"{wheel.contact}.approach") < 0
        edges = np.flatnonzero(np.diff(np.concatenate([[False], off, [False]]).astype(int)))
        spans = [(t[first], t[min(last, len(t) - 1)]) for first, last in zip(edges[::2], edges[1::2], strict=True)]
        if f"{wheel.contact}{LIFTS}" in names:
            spans = _spans(run, wheel.contact, bool(off[0]))
        found += [LiftOff(wheel.contact, float(a), float(np.interp(a, t, s)), float(b - a)) for a, b in spans]
    return sorted(found, key=lambda one: one.time)


def _spans(run: Run, wheel: str, off: bool) -> list[tuple[float, float]]:
    """Times of events between which a wheel is off its rail; it may be so at the start."""
    since, found = (float(run.time[0]) if off else None), []
    for name, time in run.events:
        if name == f"{wheel}{LIFTS}":
            since = float(time)
        elif name == f"{wheel}{LANDS}" and since is not None:
            found.append((since, float(time)))
            since = None
    return found if since is None else [*found, (since, float(run.time[-1]))]
