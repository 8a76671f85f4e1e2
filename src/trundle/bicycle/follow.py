"""Continuation: the root of the closure that is reached from the upright pose with both wheels on the road."""

from collections.abc import Callable, Sequence

import numpy as np

from trundle.bicycle.closure import Roots, solve_closure

Closure = Callable[..., tuple[np.ndarray, ...]]
"""Six coefficients, as arrays, as functions of roll, steer and the other coordinates."""

_FIRST_STEP, _LONGEST_STEP, _SHORTEST_STEP = 1 / 64, 1 / 16, 1e-7  # of the way
_LEAP = 0.05  # rad: a root that moves further in one step may be another one

# Paths from upright to the pose: fractions of roll and steer at their corners. Where the straight path is blocked by
# poses in which the front wheel cannot touch, a detour may be open.
_WAYS = (
    ((0.0, 0.0), (1.0, 1.0)),
    ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0)),
    ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)),
)


def follow(closure: Closure, pose: Sequence[np.ndarray], tilt: float) -> np.ndarray:
    """Pitch of each pose (arrays of roll, steer, ...) reached from upright along one of three paths, else nan."""
    pitch = np.full(len(pose[0]), np.nan)
    for way in _WAYS:
        open_ = np.flatnonzero(np.isnan(pitch))
        if open_.size:
            pitch[open_] = _walk(closure, [v[open_] for v in pose], tilt, way)
    return pitch


def roots_at(closure: Closure, pose: Sequence[np.ndarray], tilt: float) -> Roots:
    """All roots at the poses."""
    return solve_closure(np.column_stack(closure(*pose)), tilt)


def _walk(closure: Closure, pose: list[np.ndarray], tilt: float, way: Sequence[tuple[float, float]]) -> np.ndarray:
    """Follow the root along a path in steps that shrink where it moves fast; nan if it ends."""
    corners = np.arange(len(way)), np.array(way)
    place = np.zeros(len(pose[0]))
    step = np.full(len(place), _FIRST_STEP)

    def nearest(which: np.ndarray, at: np.ndarray, to: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The standing root next to a pitch, and how far from it."""
        roll_share, steer_share = (np.interp(at, corners[0], corners[1][:, k]) for k in (0, 1))
        roll, steer, *rest = (v[which] for v in pose)
        roots = roots_at(closure, [roll_share * roll, steer_share * steer, *rest], tilt)
        distance = np.abs(np.remainder(roots.pitch - to[:, None] + np.pi, 2 * np.pi) - np.pi)
        distance = np.where(roots.stands, distance, np.inf)
        best = np.argmin(distance, axis=1)[:, None]
        return np.take_along_axis(roots.pitch, best, 1)[:, 0], np.take_along_axis(distance, best, 1)[:, 0]

    walking = np.arange(len(place))
    pitch, distance = nearest(walking, place, np.full(len(place), tilt))
    pitch[np.isinf(distance)] = np.nan
    walking = walking[np.isfinite(distance)]
    while walking.size:
        # Steps end at corners, where the direction changes.
        trial = np.minimum(place[walking] + step[walking], np.floor(place[walking]) + 1)
        found, distance = nearest(walking, trial, pitch[walking])
        good = distance < _LEAP
        place[walking[good]], pitch[walking[good]] = trial[good], found[good]
        step[walking] = np.where(good, np.minimum(1.5 * step[walking], _LONGEST_STEP), step[walking] / 2)
        lost = step[walking] < _SHORTEST_STEP
        pitch[walking[lost]] = np.nan
        walking = walking[~lost & (place[walking] < corners[0][-1])]
    return pitch
