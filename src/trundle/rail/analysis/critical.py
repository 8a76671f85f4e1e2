"""Linear critical speed: eigenvalues of a vehicle on straight track over speed, and where the first becomes
unstable.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import SolveError
from trundle.linear_algebra.one_thread import one_thread
from trundle.messages.preparing import preparing
from trundle.rail.analysis.on_track import straight_track
from trundle.rail.analysis.uniform import UniformTrack
from trundle.rail.vehicle.vehicle import Vehicle
from trundle.system import System
from trundle.typing import AnyArray, Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXACT = 1e-12  # of a critical speed, relative


@final
@dataclass(frozen=True, eq=False)
class RootLocus:
    """Eigenvalues over speed, and the speeds at which the largest growth rate passes zero."""

    track: UniformTrack
    speeds: Array  # m/s
    eigenvalues: tuple[AnyArray, ...]  # 1/s, at each speed, largest real part first
    steady: tuple[Array, ...]  # the motion about which the equations were linearised
    crossings: tuple[float, ...]  # m/s
    frequencies: tuple[float, ...]  # Hz, of the motion that begins or ceases to grow at each

    @property
    def critical(self) -> float:
        """The lowest speed above which small motions grow (m/s); infinite if there is none in the range."""
        if self.growth[0] > 0:
            raise SolveError(
                f"small motions grow already at {self.speeds[0]:g} m/s: the critical speed lies below. Start lower."
            )
        return self.crossings[0] if self.crossings else np.inf

    @property
    def frequency(self) -> float:
        """Of the motion that grows there, Hz; nan if there is none."""
        return self.frequencies[0] if self.frequencies else np.nan

    @property
    def growth(self) -> Array:
        """Largest real part at each speed, 1/s."""
        return np.array([values[0].real for values in self.eigenvalues])

    @one_thread()
    def at(self, speed: float) -> tuple[Array, AnyArray, AnyArray]:
        """Steady motion, eigenvalues and modes (columns) at any speed (m/s).

        Parameters
        ----------
        speed : float
            In m/s.

        Returns
        -------
        tuple of array
        """
        near = int(np.argmin(np.abs(self.speeds - speed)))
        x = self.track.steady(speed, self.steady[near], float(self.speeds[near]))
        return x, *self.track.flow.eigen(x, speed)

    @preparing("the picture")
    def plot(self, path: Path | str | None = None, highest: float = 10.0) -> "Figure":
        """Growth rates and frequencies (up to `highest`, Hz) over speed, and the root locus.

        Parameters
        ----------
        path : str or Path, optional
            File to write.
        highest : float
            Highest frequency shown (Hz).

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.rail.analysis.critical_view import locus_picture

        return locus_picture(self, path, highest)

    @preparing("the picture")
    def plot_mode(self, speed: float | None = None, which: int = 0, path: Path | str | None = None) -> "Figure":
        """A mode in plan over one period: at the critical speed unless another is given.

        Parameters
        ----------
        speed : float, optional
            In m/s; the critical one unless given.
        which : int
            Number of the mode, as in `at`.
        path : str or Path, optional
            File to write.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.rail.analysis.critical_view import mode_picture

        if isinstance(speed, str | Path):
            raise SolveError(f"plot_mode: the speed is a number (m/s), got {speed!r}; give a file as path=.")
        return mode_picture(self, self.critical if speed is None else speed, which, path)


@preparing("the eigenvalues over the speed")
@one_thread()
def critical_speed(
    vehicle: Vehicle | System,
    first: float = 5.0,
    last: float = 120.0,
    count: int = 47,
    speeds: ArrayLike | None = None,
) -> RootLocus:
    """Eigenvalues of a vehicle on straight track over speed, and its linear critical speed.

    Parameters
    ----------
    vehicle : Vehicle, or System
        Such as a rail.Wagon; a system must have been built on straight track, with the parameter `speed`.
    first, last : float
        Range of speeds, m/s.
    count : int
        How many speeds in it are evaluated: an unstable range between two of them is not found.
    speeds : sequence of float, optional
        Speeds in place of the range (m/s).

    Returns
    -------
    RootLocus
        `critical` (m/s), `frequency` (Hz), `eigenvalues`; `plot()` and `plot_mode()` draw it.
    """
    chosen = rising_speeds(first, last, count, speeds)
    return locus_over(straight_track(vehicle, float(chosen[0])), chosen)


def rising_speeds(first: float, last: float, count: int, speeds: ArrayLike | None = None) -> Array:
    """Speeds of a range, or given ones; SolveError if they do not rise from above zero."""
    chosen = np.linspace(first, last, count) if speeds is None else np.asarray(speeds, float)
    if chosen.ndim != 1 or len(chosen) < 2 or not np.all(np.diff(chosen) > 0) or not chosen[0] > 0:
        got = f"{first:g} to {last:g} in {count}" if speeds is None else str(speeds)
        raise SolveError(f"critical_speed: at least two rising speeds above zero (m/s) are needed, got {got}.")
    return chosen


def locus_over(track: UniformTrack, speeds: Array) -> RootLocus:
    """Steady motions one from the other, their eigenvalues, and the zeros of the largest growth."""
    from scipy.optimize import brentq

    steady: list[Array] = []
    values: list[AnyArray] = []
    x, at = track.flow.first, track.built_speed
    for speed in map(float, speeds):
        x, at = track.steady(speed, x, at), speed
        steady.append(x)
        values.append(track.flow.eigen(x, speed)[0])
    growth = np.array([one[0].real for one in values])
    crossings, frequencies = [], []
    for k in np.flatnonzero((growth[:-1] > 0) != (growth[1:] > 0)):
        base, low = steady[k], float(speeds[k])

        def grows(speed: float, base: Array = base, low: float = low) -> AnyArray:
            return track.flow.eigen(track.steady(speed, base, low), speed)[0]

        high = float(speeds[k + 1])
        if (grows(low)[0].real > 0) == (grows(high)[0].real > 0):
            raise SolveError(
                f"critical_speed: a mode begins or ceases to grow between {low:g} and {high:g} m/s, but its growth "
                f"depends on round-off there. Look for a law without a definite slope at rest (creep, friction), or "
                f"take other speeds."
            )
        found = float(brentq(lambda v: grows(v)[0].real, low, high, xtol=EXACT * low, rtol=1e-14))
        crossings.append(found)
        frequencies.append(float(abs(grows(found)[0].imag) / (2 * np.pi)))
    return RootLocus(track, speeds, tuple(values), tuple(steady), tuple(crossings), tuple(frequencies))
