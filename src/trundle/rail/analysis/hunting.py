"""Limit cycles of a vehicle on straight track: stable and unstable ones over speed, and runs over a falling ramp of
speeds.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.errors import SolveError
from trundle.integrate.interruption import part_of_study
from trundle.messages.preparing import preparing
from trundle.rail.analysis.critical import RootLocus, locus_over, rising_speeds
from trundle.rail.analysis.on_track import straight_track
from trundle.rail.analysis.wheels import lateral_of, wheels_of
from trundle.rail.vehicle.vehicle import Vehicle
from trundle.rail.vehicle.wheel_on_rail import WheelOnRail
from trundle.study.continuation.branch import Branch, Steps, follow
from trundle.study.continuation.continue_motion import FlowValues, hopf_start
from trundle.study.continuation.curve import Follower
from trundle.study.continuation.periodic_curve import PeriodicCurve
from trundle.system import System
from trundle.typing import Array, ModelPart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRST = 1e-2  # rad/s or m/s, of the first limit cycle beside the Hopf point
SILENT = 1e-5  # m: a swing that has died out
LAST = 0.4  # part of each run of a ramp over which the swing is measured


@final
@dataclass(frozen=True, eq=False)
class Hunting:
    """Limit cycles over speed: `branch` by continuation, `ramp_speeds` and `ramp_swing` by runs."""

    locus: RootLocus
    branch: Branch
    coordinate: str  # lateral displacement of the first wheelset
    contacts: tuple[str, ...]  # profiles and the length eps of the soft minimum of the contact tables
    ramp_speeds: Array  # m/s, falling
    ramp_swing: Array  # amplitude, half the distance from side to side, m

    @property
    def critical(self) -> float:
        """Linear critical speed, m/s: above it small motions grow."""
        return self.locus.critical

    @property
    def saddle_nodes(self) -> tuple[float, ...]:
        """Speeds at which a stable and an unstable limit cycle meet, m/s."""
        return tuple(s.parameter for s in self.branch.all("fold"))

    @property
    def nonlinear_critical(self) -> float:
        """Lowest speed with a limit cycle that was found, m/s: below it no limit cycle of the branch exists."""
        return float(min([*self.branch.parameter, *self.saddle_nodes, self.critical]))

    @property
    def subcritical(self) -> bool:
        """Whether limit cycles begin unstable at the linear critical speed."""
        return not bool(self.branch.stable[0])

    @property
    def swing(self) -> Array:
        """Amplitude (half the distance from side to side) of the first wheelset, m, along the branch."""
        return swings(self.branch, self.coordinate)

    def cycles(self, speed: float) -> list[tuple[float, bool]]:
        """Swing (m) and stability of the limit cycles at a speed (m/s), between the points of the branch by straight
        lines.

        Parameters
        ----------
        speed : float
            In m/s.

        Returns
        -------
        list of (float, bool)
        """
        v, swing, stable = self.branch.parameter, self.swing, self.branch.stable
        found = []
        for k in np.flatnonzero((v[:-1] < speed) != (v[1:] < speed)):
            part = (speed - v[k]) / (v[k + 1] - v[k])
            found.append((float(swing[k] + part * (swing[k + 1] - swing[k])), bool(stable[k] and stable[k + 1])))
        return found

    def summary(self) -> str:
        """The results in one sentence, with the contact tables that they hold for."""
        kind = "subcritical" if self.subcritical else "supercritical"
        folds = ", ".join(f"{v:.4g}" for v in self.saddle_nodes) or "none"
        return (
            f"linear critical speed {self.critical:.4g} m/s ({kind}), saddle-nodes at {folds} m/s, limit cycles from "
            f"{self.nonlinear_critical:.4g} m/s on; {'; '.join(self.contacts)}; {self.branch.ending}"
        )

    @preparing("the picture")
    def plot(self, path: Path | str | None = None) -> "Figure":
        """Swing over speed: stable limit cycles solid, unstable ones dashed, the ramp as dots.

        Parameters
        ----------
        path : str or Path, optional
            File to write.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.rail.analysis.hunting_view import hunting_picture

        return hunting_picture(self, path)


def hunting(
    vehicle: Vehicle | System,
    first: float = 5.0,
    last: float = 120.0,
    count: int = 47,
    *,
    coordinate: str | None = None,
    ramp: int = 25,
    settle: float = 4.0,
    intervals: int = 40,
    step: float = 0.25,
    limit: int = 120,
) -> Hunting:
    """Limit cycles of a vehicle on straight track, by continuation from its linear critical speed and by a ramp.

    Parameters
    ----------
    vehicle : Vehicle, or System
        As for `critical_speed`.
    first, last, count : float, float, int
        Range of speeds (m/s) and how many of them are evaluated for the linear critical speed.
    coordinate : str, optional
        The lateral displacement that is reported; of the first wheelset unless given.
    ramp : int
        Speeds of the ramp, from the highest of the branch down; 0 leaves it out.
    settle : float
        Time for which the vehicle runs at each of them, s.
    intervals : int
        Of collocation, in one period.
    step, limit : float, int
        Longest step along the branch, as a change of the states relative to their swing (root mean square), and most
        points.

    Returns
    -------
    Hunting
        `critical`, `saddle_nodes`, `branch` with Floquet multipliers; `plot()` is the bifurcation diagram. The length
        eps of the soft minimum of the contact tables decides what happens at small swings: `contacts` has it.
    """
    speeds = rising_speeds(first, last, count)
    locus = locus_over(straight_track(vehicle, first, last * settle if ramp else 0.0), speeds)
    critical = locus.critical
    if not np.isfinite(critical):
        raise SolveError(f"hunting: no motion is unstable between {first:g} and {last:g} m/s. Try higher speeds.")
    x, values, vectors = locus.at(critical)
    if abs(values[0].imag) < 1e-6:
        raise SolveError(
            f"hunting: the motion that grows at {critical:.4g} m/s does not oscillate: no limit cycle begins."
        )
    flow, model = locus.track.flow, locus.track.system.model
    name = lateral_of(model, wheels_of(model)[0]) if coordinate is None else coordinate
    flow.index(name)
    curve = PeriodicCurve(flow, last - first, intervals)
    node = hopf_start(curve, x, critical, vectors[:, 0], float(abs(values[0].imag)), FIRST)
    longest = step * np.sqrt(len(flow.kept))
    steps = Steps(0.5 * longest, longest, limit)
    branch = follow(Follower(curve), node, FlowValues.of(flow), "speed", "m/s", "periodic", (first, last), steps)
    contacts = tuple(dict.fromkeys(f.table.table.text for f in model.forces.values() if isinstance(f, WheelOnRail)))
    found = Hunting(locus, branch, name, contacts, np.zeros(0), np.zeros(0))
    speeds, swing = _ramp(found, ramp, settle) if ramp else (np.zeros(0), np.zeros(0))
    return Hunting(locus, branch, name, contacts, speeds, swing)


def swings(branch: Branch, name: str) -> Array:
    """Amplitude (half the distance from side to side) at each point of a branch."""
    return np.asarray(np.ptp(branch[name].values, axis=1) / 2)


@part_of_study()
def _ramp(found: Hunting, count: int, settle: float) -> tuple[Array, Array]:
    """From the fastest stable limit cycle down, each run from the end of the last, until it dies out."""
    branch, track = found.branch, found.locus.track
    large = np.flatnonzero(branch.stable & (found.swing > 100 * SILENT))
    if not len(large):
        return np.zeros(0), np.zeros(0)
    top = int(large[np.argmax(branch.parameter[large])])
    high = float(branch.parameter[top])
    low = max(0.97 * found.nonlinear_critical, 0.5 * high)
    x, at = branch.nodes[top].place.start, high
    speeds, swing = [], []
    k = track.flow.index(found.coordinate)
    for speed in map(float, np.linspace(high, low, count)):
        start = track.flow.start_values(_at_speed(track, x, speed / at))
        run = track.system.simulate(
            settle, start, {"speed": speed}, method="stiff", rtol=1e-7, samples=401, progress=False
        )
        if not run.ok or run.raw is None:
            raise SolveError(f"hunting: the run of the ramp at {speed:.4g} m/s ends with {run.outcome}")
        states = run.raw[1][:, track.flow.kept]
        x, at = states[-1], speed
        speeds.append(speed)
        swing.append(float(np.ptp(states[int((1 - LAST) * len(states)) :, k]) / 2))
        if swing[-1] < SILENT:
            break
    return np.array(speeds), np.array(swing)


def _at_speed(track: ModelPart, x: Array, ratio: float) -> Array:
    """A hunting motion at another speed: only the wheels turn in proportion."""
    scaled = track.scaled(x, ratio)
    large = np.abs(x) > 5.0  # rad/s: wheels that spin
    return np.where(large, scaled, x)
