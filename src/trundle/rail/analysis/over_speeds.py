"""One vehicle over one line at several speeds: the worst of every assessed quantity, speed by speed, in one table."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from trundle.atomic_write import check_target, write_whole
from trundle.errors import SolveError
from trundle.integrate.interruption import part_of_study
from trundle.messages.text_table import text_lines
from trundle.rail.analysis.assess import Assessment, Line, assess
from trundle.rail.track.alignment import Alignment
from trundle.rail.track.irregularity import Irregularity
from trundle.rail.trip.fit import trip_faults
from trundle.rail.trip.trip import Trip
from trundle.rail.vehicle.travel import UniformTravel
from trundle.rail.vehicle.vehicle import Vehicle
from trundle.typing import Array, Option

RATE = 200.0  # samples a second


@final
@dataclass(frozen=True, eq=False)
class SpeedTable:
    """Assessed trips at rising speeds (m/s). A trip that is refused or fails has no assessment, and its outcome says
    why.
    """

    speeds: Array
    outcomes: tuple[str, ...]
    assessments: tuple[Assessment | None, ...]

    @property
    def quantities(self) -> list[str]:
        """Names of the lines."""
        return list(dict.fromkeys(line.quantity for lines in self._lines for line in lines))

    def worst(self, quantity: str) -> list[Line | None]:
        """The line with the largest value of a quantity at each speed; None if there is no assessment.

        Parameters
        ----------
        quantity : str
            One of `quantities`.

        Returns
        -------
        list of Line or None
        """
        if quantity not in self.quantities:
            raise SolveError(f"{quantity!r} is not in the table; there are {', '.join(self.quantities)}.")
        found = ([line for line in lines if line.quantity == quantity] for lines in self._lines)
        return [max(lines, key=lambda line: line.value) if lines else None for lines in found]

    def table(self) -> str:
        """Quantities below each other, speeds side by side; * marks what exceeds its limit."""
        text = text_lines(self._rows())
        for v, outcome, found in zip(self.speeds, self.outcomes, self.assessments, strict=True):
            text += [f"{v:g} m/s: {outcome}"] if found is None else []
        return "\n".join(text)

    def save(self, path: Path | str) -> None:
        """Write the table as comma-separated text.

        Parameters
        ----------
        path : str or Path
            File to write.
        """
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(self._rows())
        check_target(Path(path))
        write_whole(Path(path), out.getvalue().encode())

    @property
    def _lines(self) -> list[list[Line]]:
        return [[] if one is None else one.lines() for one in self.assessments]

    def _rows(self) -> list[list[str]]:
        rows = [["quantity", "unit", "limit", *(f"{v:g} m/s" for v in self.speeds)]]
        for quantity in self.quantities:
            lines = self.worst(quantity)
            known = next(line for line in lines if line is not None)
            limit = "" if np.isnan(known.limit) else f"{known.limit:.4g}"
            rows.append([quantity, known.unit, limit, *map(_cell, lines)])
        return rows


def _cell(line: Line | None) -> str:
    return "-" if line is None else f"{line.value:.4g}{'*' if line.ok is False else ''}"


@part_of_study()
def over_speeds(
    vehicle: Vehicle,
    line: Alignment,
    speeds: Sequence[float],
    *,
    irregularity: Irregularity | None = None,
    duration: float | None = None,
    rtol: float = 1e-6,
    **options: Option,
) -> SpeedTable:
    """Run a vehicle along a line at several speeds, and assess each trip. Other speeds need no recompilation.

    Parameters
    ----------
    vehicle : Vehicle
    line : Alignment
    speeds : sequence of float
        m/s; they are sorted.
    irregularity : Irregularity, optional
    duration : float, optional
        s; each trip goes to the end of the line unless given.
    rtol : float
    **options
        Those of `rail.assess`.

    Returns
    -------
    SpeedTable
    """
    given = np.unique(np.asarray(speeds, dtype=float))
    if not len(given) or not np.all((given > 0) & np.isfinite(given)):
        raise SolveError(f"over_speeds: give speeds above zero (m/s), got {speeds!r}.")
    trip = Trip(vehicle, line, float(given[0]), irregularity=irregularity)
    outcomes: list[str] = []
    found: list[Assessment | None] = []
    for v in map(float, given):
        faults = list(trip_faults(vehicle, line, UniformTravel(v), trip.start))
        if faults:
            outcomes.append(f"refused: {faults[0]}")
            found.append(None)
            continue
        time = min(trip.longest({"speed": v}), np.inf if duration is None else duration)
        run = trip.simulate(time, parameters={"speed": v}, rtol=rtol, samples=max(2, round(RATE * time)))
        outcomes.append(run.outcome)
        found.append(assess(run, **options) if run.ok else None)
    return SpeedTable(given, tuple(outcomes), tuple(found))
