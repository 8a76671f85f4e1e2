"""The same curve with every transition: accelerations, jerk and wheel forces of a vehicle that enters it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.errors import SolveError
from trundle.integrate.interruption import part_of_study
from trundle.messages.preparing import preparing
from trundle.messages.text_table import text_lines
from trundle.rail.analysis.assess import Assessment, assess
from trundle.rail.analysis.on_track import on_line
from trundle.rail.analysis.signals import band
from trundle.rail.track.alignment import Alignment
from trundle.rail.track.cubic_parabola import CubicParabola
from trundle.rail.track.segment import Arc, Straight
from trundle.rail.track.transition import Bloss, Clothoid, Cosine, Sine, Transition, Vienna
from trundle.rail.vehicle.vehicle import Vehicle
from trundle.typing import Array, Kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS: Mapping[str, Kind] = {
    "parabola": CubicParabola, "clothoid": Clothoid, "Bloss": Bloss, "cosine": Cosine, "sine": Sine, "Vienna": Vienna,
}  # fmt: skip
RATE = 250.0  # samples a second
JERK_FILTER = 10.0  # Hz, below which the jerk is taken


@final
@dataclass(frozen=True, eq=False)
class TransitionComparison:
    """By the name of the transition: the assessed run and its largest values."""

    runs: Mapping[str, Assessment]
    begin: float  # m, of the transition
    end: float

    def peaks(self) -> dict[str, dict[str, float]]:
        """Largest lateral acceleration (m/s^2) and jerk (m/s^3) in the body, roll rate of the body (rad/s), wheel load
        (N), its lowest share of the static one, lateral force (N), and the sum of Y over 2 m (N).
        """
        return {name: _peaks(found) for name, found in self.runs.items()}

    def table(self) -> str:
        """The peaks as text."""
        peaks = self.peaks()
        columns = list(next(iter(peaks.values())))
        rows = [["transition", *columns], *([name, *(f"{v:.4g}" for v in one.values())] for name, one in peaks.items())]
        return "\n".join(text_lines(rows))

    @preparing("the picture")
    def plot(self, path: Path | str | None = None) -> "Figure":
        """Lateral acceleration, jerk and load of the outer front wheel over the distance.

        Parameters
        ----------
        path : str or Path, optional
            File to write.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.style import COLOURS, QUIET, finish, new_figure, side_legend, style

        with style():
            figure = new_figure(8.2, 6.6, "one curve, several transitions")
            panels = figure.subplots(3, 1, sharex=True)
            drawn: list[Array] = []
            for (name, found), colour in zip(self.runs.items(), COLOURS, strict=False):
                largest = 0.02 * float(np.max(np.abs(found.lateral_acceleration)))
                hides = any(np.max(np.abs(found.lateral_acceleration - other)) < largest for other in drawn)
                drawn.append(found.lateral_acceleration)
                dashes = (0, (4, 4)) if hides else "-"  # the curve below shows through
                wheel = max(found.wheels[:2], key=lambda w: float(found.Q[w.name][-1]))
                signals = found.lateral_acceleration, jerk(found), 1e-3 * found.Q[wheel.name]
                for axes, values in zip(panels, signals, strict=True):
                    axes.plot(found.distance, values, color=colour, label=name, linewidth=1.3, linestyle=dashes)
            texts = ("lateral acceleration\n(m/s²)", "lateral jerk (m/s³)", "load of the outer\nfront wheel (kN)")
            for axes, text in zip(panels, texts, strict=True):
                axes.set_ylabel(text)
                for place in (self.begin, self.end):
                    axes.axvline(place, color=QUIET, linewidth=0.8)
            panels[-1].set_xlabel("distance (m)")
            side_legend(panels[0])
            return finish(figure, path)


@part_of_study()
def compare_transitions(
    vehicle: Vehicle,
    radius: float,
    length: float,
    speed: float,
    cant: float = 0.0,
    *,
    kinds: Sequence[str] | Mapping[str, Transition] | None = None,
    straight: float = 40.0,
    arc: float = 150.0,
    rtol: float = 1e-6,
) -> TransitionComparison:
    """Run a vehicle from straight track into an arc by several transitions of one length.

    Parameters
    ----------
    vehicle : Vehicle
    radius, cant : float
        Of the arc, m.
    length : float
        Of every transition, m.
    speed : float
        m/s.
    kinds : names or mapping, optional
        "parabola", "clothoid", "Bloss", "cosine", "sine", "Vienna": all unless given; or transitions of your own by
        name, which must end in the arc.
    straight, arc : float
        Lengths before and after it, m.
    rtol : float
        Of the runs.

    Returns
    -------
    TransitionComparison
    """
    names = list(KINDS) if kinds is None else list(kinds)
    unknown = [name for name in names if name not in KINDS and not isinstance(kinds, Mapping)]
    if unknown or not names:
        raise SolveError(f"compare_transitions: kinds are {', '.join(KINDS)}; got {unknown or 'none'}.")
    runs = {}
    for name in names:
        curve = kinds[name] if isinstance(kinds, Mapping) else KINDS[name](length=length, radius=radius, cant=cant)
        line = Alignment([Straight(straight), curve, Arc(radius=radius, length=arc + 30.0, cant=cant)], name=name)
        time = (straight + length + arc - 2 * vehicle.reach[1]) / speed
        system = on_line(vehicle, line, speed).build()
        run = system.simulate(time, method="stiff", rtol=rtol, samples=max(200, round(RATE * time)))
        if not run.ok:
            raise SolveError(f"compare_transitions: the run over the {name} ends with {run.outcome}.")
        runs[name] = assess(run)
    return TransitionComparison(runs, straight, straight + length)


def jerk(found: Assessment) -> Array:
    """Rate of the lateral acceleration in the body below 10 Hz, m/s^3."""
    smooth = band(found.time, found.acceleration[:, 1], None, JERK_FILTER)
    return np.gradient(smooth, found.time)


def _peaks(found: Assessment) -> dict[str, float]:
    turn = found.run.values(f"{found.body}.angular_velocity")
    static = np.array([found.axle_loads[w.wheelset] / 2 for w in found.wheels])[:, None]
    Q, Y = np.array(list(found.Q.values())), np.array(list(found.Y.values()))
    return {
        "acceleration": float(np.max(np.abs(found.lateral_acceleration))),
        "jerk": float(np.max(np.abs(jerk(found)[5:-5]))),
        "roll rate": float(np.max(np.hypot(turn[:, 0], turn[:, 1]))),
        "Q": float(np.max(Q)),
        "lowest Q/Q0": float(np.min(Q / static)),
        "Y": float(np.max(np.abs(Y))),
        "sum Y": max(float(np.max(np.abs(found.mean_over(v)[1]))) for v in found.sum_Y.values()),
    }
