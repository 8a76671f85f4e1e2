"""Walk along the curve of poses: predict along the tangent, correct with Newton's method across it.

The step follows the turning of the tangent and the convergence of Newton's method, so that a passage in which a contact
runs a hundred times faster than the drive is resolved, and no step can land on another branch.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from trundle.errors import SolveError
from trundle.linear_algebra.rank import NEAR_SINGULAR
from trundle.run.trace import REACHED
from trundle.study.trace.locus import Locus, Spectrum
from trundle.typing import Array

TURN = 0.1  # rad, angle between tangents that is aimed at
MOST_TURN = 0.25  # rad, beyond it a step is repeated
SMALLEST_STEP = 1e-7  # step along the curve, in parts of the largest
LEAPS = (1.0, 3.0, 10.0, 30.0)  # over a singular pose, in hundredths of the largest step


@final
@dataclass(frozen=True, eq=False)
class Point:
    """A pose on the curve; `direction` is the unit tangent in scaled coordinates."""

    q: Array
    direction: Array
    value: float  # of the driven coordinate
    slope: float  # its change along the curve
    spectrum: Spectrum

    def turned(self) -> "Point":
        """The same pose, passed in the other direction."""
        return Point(self.q, -self.direction, self.value, -self.slope, self.spectrum)


@final
@dataclass(eq=False)
class Path:
    """Points in the order in which they are passed."""

    points: list[Point]
    outcome: str = ""
    reached: bool = True
    turned: bool = False  # whether it ended at a turning point
    exact: list[int] = field(default_factory=list)  # numbers of the points at wanted values


@final
class Stretch:
    """The curve between two neighbouring points, exact at every parameter s: the way along the first tangent."""

    def __init__(self, locus: Locus, first: Point, last: Point) -> None:
        if first.direction @ last.direction < 0:  # the walk turned round at the last point
            last = last.turned()
        self.locus, self.first, self.last = locus, first, last
        self.end = float(first.direction @ ((last.q - first.q) / locus.scale))

    def __call__(self, s: float) -> Array:
        """The pose at s; SolveError if the curve cannot be found."""
        a, b, h = self.first, self.last, self.end
        x = s / h
        rise = b.direction / float(a.direction @ b.direction)
        d = (b.q - a.q) / self.locus.scale
        if 0 <= x <= 1:  # Hermite's cubic
            guess = a.direction * (s * (1 - x) ** 2) + d * (x * x * (3 - 2 * x)) + rise * (h * x * x * (x - 1))
        else:
            guess = a.direction * s if x < 0 else d + rise * (s - h)
        off = s - float(a.direction @ guess)
        found = self.locus.across(a.q + self.locus.scale * (guess + off * a.direction), a.direction)
        if not found.good:
            raise SolveError(f"the curve is lost near {self.locus.coordinate} = {a.value:.9g}.")
        return found.q

    def point(self, s: float) -> Point:
        return make_point(self.locus, self(s), self.first)

    def value(self, s: float) -> float:
        """The driven coordinate at s."""
        return self.locus.value(self(s), self.first.value)


def make_point(locus: Locus, q: Array, like: Point | Array) -> Point:
    """The point at a pose on the curve, its tangent in the direction of another one."""
    direction, near = (like.direction, like.value) if isinstance(like, Point) else (like, None)
    _, _, _, g = locus(q)
    spectrum = locus.spectrum(q)
    free = spectrum.free()
    if len(free) == 0:  # a nearly singular row of round-off
        free = spectrum.directions[-1:]
    along = (free @ direction) @ free  # at a singular pose: the direction of smooth continuation
    size = float(np.linalg.norm(along))
    along = along / size if size > 0 else direction
    return Point(q, along, locus.value(q, near), float(g @ along), spectrum)


@final
class Walker:
    """Makes the path from the start pose over all wanted values."""

    def __init__(self, locus: Locus, q: Array, step: float, limit: int, through_folds: bool) -> None:
        self.locus, self.step, self.limit, self.through_folds = locus, step, limit, through_folds
        direction = locus.first_direction(q)
        self.path = Path([make_point(locus, q, direction)])
        self.h = step / 4

    def walk(self, wanted: Sequence[float]) -> Path:
        """Pass the wanted values in their order."""
        heading = 0.0
        for value in wanted:
            here = self.path.points[-1]
            if value == here.value:
                self.path.exact.append(len(self.path.points) - 1)
                continue
            sign = float(np.sign(value - here.value))
            if here.slope * sign < 0 if heading == 0.0 else sign != heading:
                self.path.points[-1] = here.turned()
            heading = sign
            if not self._go_to(value):
                self.path.reached = False
                break
            self.path.exact.append(len(self.path.points) - 1)
        self.path.outcome = self.path.outcome or REACHED
        return self.path

    def _go_to(self, value: float) -> bool:
        points = self.path.points
        begin = points[-1]
        first = len(points) - 1
        while True:
            here = points[-1]
            if len(points) > self.limit:
                raise SolveError(
                    f"the trace took {self.limit} points and has reached {self.locus.coordinate} = {here.value:.9g} of "
                    f"{value:.9g}. Give a larger step or a larger limit, or check whether the curve is unbounded."
                )
            there = self._step(here, value)
            stretch = Stretch(self.locus, here, there)
            fold = here.slope * there.slope < 0
            s, last = stretch.end, there
            if fold:
                s = turning(stretch)
                last = stretch.point(s)
            if (here.value - value) * (last.value - value) <= 0:
                points.append(self._land(stretch, (0.0, here.value), (s, last.value), value))
                return True
            if fold and not self.through_folds:
                points.append(last)
                way = "greatest" if here.slope > 0 else "least"
                self.path.turned = True
                self.path.outcome = (
                    f"turning point: {self.locus.coordinate} has its {way} value {last.value:.12g} and cannot reach "
                    f"{value:.9g}. through_folds=True continues along the curve."
                )
                return False
            if fold and (last.value - value) * (there.value - value) <= 0:
                points.append(self._land(stretch, (s, last.value), (stretch.end, there.value), value))
                return True
            points.append(there)
            if len(points) - first > 8 and self._closed(begin, here, there):
                self.path.outcome = (
                    f"closed curve: the mechanism is back in its start pose and has not reached "
                    f"{self.locus.coordinate} = {value:.9g}."
                )
                return False

    def _closed(self, begin: Point, here: Point, there: Point) -> bool:
        """Whether the start is passed between two points in the same direction."""
        a, b = (self.locus.way(begin.q, p.q) for p in (here, there))
        step = float(np.linalg.norm(b - a))
        near = np.linalg.norm(a) < 1.1 * step and abs(there.value - begin.value) < 2 * step * self.locus.scale.max()
        return bool(near and a @ begin.direction < 0 <= b @ begin.direction and there.direction @ begin.direction > 0.9)

    def _step(self, here: Point, value: float) -> Point:
        """The next point; not much beyond the wanted value, where the mechanism may come to an end."""
        h = min(self.h, self.step)
        fall = self._fall()
        if fall is not None:
            h = min(h, fall) if here.spectrum.nearness > NEAR_SINGULAR else max(h, 0.1 * self.step)  # one step over it
        if abs(here.slope) > 0.05:
            h = min(h, 1.02 * abs(value - here.value) / abs(here.slope) + SMALLEST_STEP * self.step)
        cut = h < self.h
        while True:
            there, angle, iterations = self._try(here, h)
            if there is not None:
                factor = float(np.clip(TURN / max(angle, 1e-3), 0.5, 2.0))
                factor = min(factor, 1.0) if iterations > 4 else factor
                self.h = min(h * factor, self.step) if not cut else max(min(h * factor, self.step), self.h * 0.5)
                return there
            h, cut = h / 2, False
            if h < SMALLEST_STEP * self.step:
                return self._leap(here)

    def _fall(self) -> float | None:
        """Half the way to where the smallest singular value would vanish, None while it rises: another branch may lie
        as near as that, and beyond it the curve may turn sharply.
        """
        if len(self.path.points) < 2:
            return None
        before, here = self.path.points[-2:]
        fall = before.spectrum.smallest - here.spectrum.smallest
        if fall <= 0:
            return None
        way = float(np.linalg.norm((here.q - before.q) / self.locus.scale))
        return 0.5 * way * here.spectrum.smallest / fall

    def _try(self, here: Point, h: float, most: float = MOST_TURN) -> tuple[Point | None, float, int]:
        found = self.locus.across(here.q + self.locus.scale * (h * here.direction), here.direction)
        if not found.good or found.iterations > 8 or found.contraction > 0.3:
            return None, 0.0, found.iterations
        there = make_point(self.locus, found.q, here)
        moved = (found.q - here.q) / self.locus.scale - h * here.direction
        angle = float(np.arccos(np.clip(here.direction @ there.direction, -1.0, 1.0)))
        if angle > most or np.linalg.norm(moved) > 0.5 * most * h + 1e-13:
            return None, angle, found.iterations
        return there, angle, found.iterations

    def _leap(self, here: Point) -> Point:
        """Straight on over a singular pose, where Newton's method has no hold."""
        for part in LEAPS:
            there, _, _ = self._try(here, 0.01 * part * self.step, 2 * MOST_TURN)
            if there is not None:
                self.h = 0.01 * part * self.step
                return there
        raise SolveError(
            f"the curve ends or breaks at {self.locus.coordinate} = {here.value:.12g}: no step continues from there "
            f"(smallest singular value of the constraints {here.spectrum.smallest:.2g}). The mechanism may be at a "
            "dead end, or branches may meet there at an angle; start on the other side, or drive another coordinate."
        )

    def _land(self, stretch: Stretch, low: tuple[float, float], high: tuple[float, float], value: float) -> Point:
        """The point with exactly this value between two places (s, value) of a stretch."""
        from scipy.optimize import brentq

        locus, here = self.locus, stretch.first
        for s, reached in (low, high):
            if reached == value:
                return make_point(locus, stretch(s), here)
        guess = low[0] + (high[0] - low[0]) * (value - low[1]) / (high[1] - low[1])
        found = locus.at_value(stretch(guess), value)
        s = float(here.direction @ ((found.q - here.q) / locus.scale))
        slack = 1e-9 * abs(stretch.end)
        if not (found.good and found.contraction < 0.3 and low[0] - slack <= s <= high[0] + slack):
            s = float(brentq(lambda s: stretch.value(s) - value, low[0], high[0], xtol=1e-15, rtol=1e-14))
            return make_point(locus, stretch(s), here)
        return make_point(locus, found.q, here)


def turning(stretch: Stretch) -> float:
    """Where the driven coordinate turns back."""
    from scipy.optimize import brentq

    return float(brentq(lambda s: stretch.point(s).slope, 0.0, stretch.end, xtol=1e-15, rtol=1e-14))
