"""Pitch of a bicycle that stands on both wheels, in closed form."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import degrees
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from trundle.bicycle.check import kind_faults
from trundle.bicycle.follow import Closure, follow, roots_at
from trundle.bicycle.front import FrontWheel, front_wheel, quartic_coefficients
from trundle.bicycle.geometry import Geometry
from trundle.bicycle.loop import Loop
from trundle.errors import AssemblyError, ModelError
from trundle.space.arrays import read_together
from trundle.typing import Expr

_BLOCK = 8192  # poses whose arrays stay in the cache
_FLAT = 1e-9  # cosine of a roll that counts as 90 degrees


@final
@dataclass(frozen=True)
class Pitch:
    """Pose of a bicycle: numbers for one pose, with `roots` of shape (4,); for arrays of poses, arrays of their common
    shape, NaN if the front wheel cannot touch, and `roots` with one more axis.
    """

    pitch: Expr
    """angle of the frame, in rad: the tilt of the steering axis when upright"""
    front_roll: Expr
    """roll of the front wheel in rad"""
    touches: Expr
    """whether the front wheel can touch the road with the rear wheel on it, the way it does when upright"""
    roots: np.ndarray
    """every real root of the closure in rad, ascending, within half a turn of the tilt; nan after the last"""
    physical: np.ndarray
    """which of the roots is the pitch: at most one"""
    loop: Loop
    """the bicycle as a loop of hinges"""
    pose: Mapping[str, np.ndarray]
    """roll, steer, angles of the hubs, yaw, x and y, as they were given"""

    @cached_property
    def coefficients(self) -> np.ndarray:
        """a_0 to a_4 (last axis) of the quartic in tan(pitch / 2) whose roots these are."""
        return quartic_coefficients(self.loop.coefficients(**self.pose))

    @cached_property
    def front(self) -> FrontWheel:
        """Coordinates of the front wheel: x, y, yaw and pitch (x_f, y_f, psi_f, chi_f); NaN if it cannot touch."""
        return front_wheel(self.loop, dict(self.pose), np.asarray(self.pitch))


def pitch(geometry: Geometry, roll: ArrayLike, steer: ArrayLike) -> Pitch:
    """Pitch of a symmetric bicycle.

    Parameters
    ----------
    geometry : Geometry
    roll, steer : float or array
        Of the rear wheel, and of the fork (rad).

    Returns
    -------
    Pitch
        For arrays, NaN with `touches` False if the front wheel cannot touch.

    Raises
    ------
    AssemblyError
        For numbers, if the front wheel cannot touch.

    Notes
    -----
    Axes and signs are those of [Meijaard 2024]: x forward, y to the right, z down. Roll, steer and yaw are positive to
    the right, and pitch grows as the nose rises. In axes with z up (x forward, y left) roll keeps its sign; steer, yaw
    and pitch change theirs. So a lean to the right with the steer to the left is roll > 0, steer < 0 here, and both
    positive there.

    The first use compiles for half a second and is kept on disk; then a million poses take less than a second. Bicycles
    whose wheels would meet with the fork turned round are followed from upright, which is slower.
    """
    faults = kind_faults("pitch", geometry, Geometry, "A Loop goes to loop_pitch.")
    if faults:
        raise ModelError(faults)
    pose = {"roll": roll, "steer": steer}
    return _solve(geometry.coefficients, pose, geometry.loop(), geometry.wheels_stay_clear)


def loop_pitch(
    loop: Loop,
    roll: ArrayLike,
    steer: ArrayLike,
    rear_angle: ArrayLike = 0.0,
    front_angle: ArrayLike = 0.0,
    *,
    yaw: ArrayLike = 0.0,
    x: ArrayLike = 0.0,
    y: ArrayLike = 0.0,
) -> Pitch:
    """Pitch tilt + chi_r + chi_rf of a general bicycle; otherwise like `pitch`.

    Parameters
    ----------
    loop : Loop
        Hinges and wheels.
    roll, steer : float or array
        Of the rear wheel, and of the fork (rad).
    rear_angle, front_angle : float or array
        Of the hubs (rad).
    yaw, x, y : float or array
        Of the rear wheel (rad) and its contact (m): they matter where the front wheel's road is another plane.

    Returns
    -------
    Pitch
    """
    faults = kind_faults("loop_pitch", loop, Loop, "geometry.loop() makes one of a Geometry.")
    if faults:
        raise ModelError(faults)
    hubs = {"rear_angle": rear_angle, "front_angle": front_angle}
    pose = {"roll": roll, "steer": steer, **hubs, "yaw": yaw, "x": x, "y": y}
    return _solve(loop.coefficients, pose, loop, loop.wheels_stay_clear)


def _solve(closure: Closure, pose: Mapping[str, ArrayLike], loop: Loop, clear: bool) -> Pitch:
    arrays, tilt = read_together(pose), loop.tilt
    shape = arrays[0].shape
    flat = [v.ravel() for v in arrays]
    if not shape and not all(np.isfinite(v[0]) for v in flat):
        faulty = ", ".join(f"{name} {v[0]:g}" for name, v in zip(pose, flat, strict=True) if not np.isfinite(v[0]))
        raise ModelError(f"the pose of a bicycle needs finite numbers, got {faulty}.")
    for v in flat:
        v[~np.isfinite(v)] = np.nan  # infinite angles have no sine, and numpy would warn
    n = flat[0].size
    roots, angle, front_roll = np.empty((n, 4)), np.empty(n), np.empty(n)
    for start in range(0, n, _BLOCK):
        part = slice(start, start + _BLOCK)
        roots[part], angle[part], front_roll[part] = _solve_block(closure, [v[part] for v in flat], tilt, clear)
    touches = np.isfinite(angle)
    if not shape and not touches[0]:
        raise AssemblyError(_why_not(closure, flat, tilt))
    physical = roots == angle[:, None]
    shaped = (angle.reshape(shape)[()], front_roll.reshape(shape)[()], touches.reshape(shape)[()])
    given = {name: np.broadcast_to(0.0, shape) for name in ("rear_angle", "front_angle", "yaw", "x", "y")}
    given |= {name: value.reshape(shape) for name, value in zip(pose, flat, strict=True)}
    return Pitch(*shaped, roots.reshape(*shape, 4), physical.reshape(*shape, 4), loop, given)


def _solve_block(
    closure: Closure, pose: list[np.ndarray], tilt: float, clear: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Roots, pitch and front roll of a few thousand poses."""
    found = roots_at(closure, pose, tilt)
    angle, front_roll = found.standing, found.front_roll
    fallen = np.cos(pose[0]) <= _FLAT  # the rear wheel lies on its side, or beyond
    angle[fallen] = front_roll[fallen] = np.nan
    # A single standing root is the pitch; of several, or where others may be near, it is the one reached from upright.
    doubtful = np.flatnonzero((found.how_many > (1 if clear else 0)) & ~fallen)
    if doubtful.size:
        subset = [v[doubtful] for v in pose]
        reached = follow(closure, subset, tilt)
        c = closure(*subset)
        s, k = np.sin(reached), np.cos(reached)
        angle[doubtful] = reached
        front_roll[doubtful] = np.arctan2(c[0] * s + c[1] * k + c[2], c[3] * s + c[4] * k + c[5])
    return found.pitch, angle, front_roll


def _why_not(closure: Closure, pose: list[np.ndarray], tilt: float) -> str:
    """A sentence on a pose at which the front wheel cannot touch."""
    roll, steer = float(pose[0][0]), float(pose[1][0])
    text = f"the front wheel cannot touch the road at a roll of {degrees(roll):.6g} deg and a steer of "
    text += f"{degrees(steer):.6g} deg: "
    if np.cos(roll) <= _FLAT:
        return text + "the rear wheel itself lies on its side. Roll less than 90 degrees."
    if roots_at(closure, pose, tilt).how_many[0] > 0:
        return text + "it could, but the pose is not reached from upright with both wheels on the road. Steer less."
    c1, c2, c3, c4, c5, c6 = (float(v[0]) for v in closure(*pose))
    s, k = np.sin(tilt), np.cos(tilt)
    # Without a root the wheel is above or below the road at every pitch.
    above = c4 * s + c5 * k + c6 > np.sqrt(max(1 - (c1 * s + c2 * k + c3) ** 2, 0.0))
    side = "hangs above the road" if above else "cuts into the road"
    return text + f"it {side} at every pitch. Roll or steer less."
