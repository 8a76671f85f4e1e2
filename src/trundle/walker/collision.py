"""Result of a collision of a body with two compliant feet."""

from dataclasses import dataclass
from math import cos, sin
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trundle.contact.normal import NormalLaw
from trundle.messages.preparing import preparing
from trundle.run.reported_events import EventTime
from trundle.typing import Option
from trundle.walker.two_feet import COMPRESSES, EXPANDS, HELD, OPEN, Wheel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SLIDING = {1: "forward", 0: "stick", -1: "backward"}
WORDS = {OPEN: "leaves", COMPRESSES: "compresses", EXPANDS: "expands", HELD: "is held"}
STARTS = {1: "slides forward", 0: "sliding stops", -1: "slides backward"}


class ContactPhase(NamedTuple):
    """A time interval in which no foot touches, leaves, or changes its sliding."""

    start: float  # s
    end: float
    front: str  # "open", "forward", "backward" or "stick"
    back: str

    @property
    def sliding(self) -> str:
        """Common to all feet on the ground; "open" when there is none."""
        return self.back if self.front == "open" else self.front

    @property
    def double(self) -> bool:
        """True while both feet press."""
        return self.front != "open" and self.back != "open"


@dataclass(frozen=True, eq=False)
class Collision:
    """Motion from the first touch of the front foot until no foot presses.

    Velocities are upward and forward, deformations positive when pressed in, forces those on the body. The time of a
    transition appears twice: before and after it.
    """

    inertia_ratio: float
    half_angle: float  # rad
    friction: float
    law: NormalLaw
    mass: float  # kg
    length: float  # m
    gravity: float  # m/s^2
    ending: str  # "released", "at rest" or "time over"
    time: np.ndarray  # s
    front_velocity: np.ndarray  # m/s
    back_velocity: np.ndarray
    slip: np.ndarray
    front_deformation: np.ndarray  # m
    back_deformation: np.ndarray
    front_force: np.ndarray  # N
    back_force: np.ndarray
    friction_force: np.ndarray  # both feet together: while both stick only the sum is determined
    front_impulse: np.ndarray  # N s
    back_impulse: np.ndarray
    friction_impulse: np.ndarray
    front_work: np.ndarray  # J, taken by the foot: stored and lost
    back_work: np.ndarray
    friction_work: np.ndarray  # J, lost by sliding
    phases: tuple[ContactPhase, ...]
    events: tuple[EventTime, ...]  # name, time (s)

    @property
    def _light_touch(self) -> int:
        """Number of phases at the start in which the back foot is loaded by weight alone while the impact lifts it."""
        if not self.phases[0].double or self._rise_by_blow(1) <= 0:
            return 0
        return next((n for n, phase in enumerate(self.phases) if phase.back == "open"), 0)

    def _rise_by_blow(self, foot: int) -> float:
        """How a unit force at the front foot, with the friction of the first phase, moves a foot (0 front, 1 back)."""
        slide = next(way for way, name in SLIDING.items() if name == self.phases[0].sliding)
        wheel = Wheel(self.inertia_ratio, self.half_angle, self.friction, 0.0)
        row = wheel.mobility[foot]
        return float(row[0] + row[2] * wheel.drag(slide)[0])

    @property
    def sequence(self) -> str:
        """Phases of sliding joined by "+", as far as one foot alone strikes; "DP" if both press from the start.

        A back foot that is loaded by weight alone until the impact lifts it does not count.
        """
        names: list[str] = []
        for n, phase in enumerate(self.phases):
            if n >= self._light_touch and phase.back != "open":
                break
            if not names or names[-1] != phase.sliding:
                names.append(phase.sliding)
        return "+".join(names) or "DP"

    @property
    def double_contact(self) -> bool:
        """Whether the back foot strikes the ground in a later phase."""
        return self.sequence != "DP" and any(phase.back != "open" for phase in self.phases[self._light_touch :])

    @property
    def jamb(self) -> bool:
        """Whether the impulse drives the front foot further down in the first phase."""
        return self.sequence != "DP" and self._rise_by_blow(0) < -1e-9

    @property
    def reversal(self) -> bool:
        """Whether the direction of sliding reverses."""
        return {"forward", "backward"} <= {phase.sliding for phase in self.phases}

    @property
    def duration(self) -> float:
        """From touch to the end (s)."""
        return float(self.time[-1])

    @property
    def impulse_ratio(self) -> float:
        """Poisson's coefficient of the front foot: its impulse after the first end of compression over that before."""
        turn = int(np.argmax(self.front_velocity >= 0))
        before = self.front_impulse[turn]
        return float((self.front_impulse[-1] - before) / before)

    @property
    def angular_velocity(self) -> np.ndarray:
        """Forward rolling positive (rad/s)."""
        result: np.ndarray = (self.back_velocity - self.front_velocity) / (2 * self.length * sin(self.half_angle))
        return result

    @property
    def turned(self) -> float:
        """Largest turn of the body (rad); the configuration is taken as constant, so this must be small."""
        apart = self.front_deformation - self.back_deformation
        return float(np.max(np.abs(apart)) / (2 * self.length * sin(self.half_angle)))

    @property
    def kinetic_energy(self) -> np.ndarray:
        """Of the body (J)."""
        turning = self.angular_velocity
        along = self.slip + self.length * cos(self.half_angle) * turning
        up = (self.front_velocity + self.back_velocity) / 2
        result: np.ndarray = self.mass / 2 * (along**2 + up**2 + self.inertia_ratio * (self.length * turning) ** 2)
        return result

    @property
    def energy_residual(self) -> float:
        """Largest error of the energy balance, as a part of the kinetic energy at the start."""
        weight = -self.mass * self.gravity * (self.front_deformation + self.back_deformation) / 2
        total = self.kinetic_energy + weight + self.front_work + self.back_work + self.friction_work
        return float(np.max(np.abs(total - total[0])) / total[0])

    @property
    def strikes_again(self) -> float | None:
        """When a foot that hangs above the ground at the end comes down in free flight (s after touch), if it does."""
        gaps = -np.array([self.front_deformation[-1], self.back_deformation[-1]])
        speeds, g = np.array([self.front_velocity[-1], self.back_velocity[-1]]), self.gravity
        if g > 0 and self.ending == "released":
            gaps = np.maximum(gaps, 0.0)
            return self.duration + float(np.min(speeds + np.sqrt(speeds**2 + 2 * g * gaps)) / g)
        falls = (speeds < 0) & (gaps > 0)
        return self.duration + float(np.min(gaps[falls] / -speeds[falls])) if falls.any() else None

    def __str__(self) -> str:
        flags = {"the front foot jambs": self.jamb, "sliding is reversed": self.reversal}
        flags["the back foot strikes later"] = self.double_contact
        lines = [
            f"{self.sequence}: {self.ending} after {self.duration:.6g} s",
            *(f"  {text}" for text in flags if flags[text]),
        ]
        for phase in self.phases:
            lines.append(f"  {phase.start:.6g} to {phase.end:.6g} s: front {phase.front}, back {phase.back}")
        lines += [f"  {time:.6g} s: {text}" for text, time in self.events]
        ends = f"v_t {self.slip[-1]:.6g}, v_nf {self.front_velocity[-1]:.6g}, v_nb {self.back_velocity[-1]:.6g} m/s"
        lines.append(f"  ends with {ends}; impulses {self.front_impulse[-1]:.6g}, {self.back_impulse[-1]:.6g} N s")
        if self.strikes_again is not None:
            lines.append(f"  a foot strikes again at {self.strikes_again:.6g} s")
        return "\n".join(lines)

    @preparing("the picture")
    def plot(self, path: Path | str | None = None, **options: Option) -> "Figure":
        """Velocities and heights of the feet over time with shaded phases.

        Parameters
        ----------
        path : str or Path, optional
            File to write.
        **options
            Options of `trundle.walker.pictures.collision.plot_collision`.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.walker.pictures.collision import plot_collision

        return plot_collision(self, path=path, **options)


def phases_and_events(
    time: np.ndarray, modes: np.ndarray, load: np.ndarray
) -> tuple[tuple[ContactPhase, ...], tuple[EventTime, ...]]:
    """From the modes (slide, front, back) and the load of both feet; phases without duration are left out."""
    starts = np.flatnonzero(np.r_[True, np.any(np.diff(modes, axis=0) != 0, axis=1)])
    phases: list[ContactPhase] = []
    events: list[EventTime] = []
    for n, first in enumerate(starts):
        start = float(time[first])
        if n:
            events += [EventTime(text, start) for text in _changes(modes[first - 1], modes[first])]
        if n and n + 1 == len(starts) and not load[first]:
            break
        end = float(time[starts[n + 1] - 1 if n + 1 < len(starts) else -1])
        front, back = ("open" if mode == OPEN else SLIDING[int(modes[first, 0])] for mode in modes[first, 1:])
        if phases and phases[-1][2:] == (front, back):
            phases[-1] = phases[-1]._replace(end=end)
        elif end > start:
            phases.append(ContactPhase(start, end, front, back))
    return tuple(phases), tuple(events)


def _changes(before: np.ndarray, after: np.ndarray) -> list[str]:
    """What happens at a transition, in words."""
    texts = [STARTS[int(after[0])]] if before[0] != after[0] else []
    for foot, old, new in zip(("front", "back"), before[1:], after[1:], strict=True):
        if old != new:
            texts.append(f"{foot} foot {'touches' if old == OPEN else WORDS[float(new)]}")
    return texts
