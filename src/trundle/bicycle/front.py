"""Position of the front wheel of a bicycle on the road, for a known pitch."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trundle.bicycle.loop import Loop, turned
from trundle.errors import ModelError
from trundle.space.rotation import axis_vector
from trundle.typing import Expr


class FrontWheel(NamedTuple):
    """Chain coordinates of the front wheel on its road, as [Meijaard 2024, Fig. 11] has them; x forward, y right."""

    x: Expr
    """x_f of the point of contact (m)."""
    y: Expr
    """y_f of the point of contact (m)."""
    yaw: Expr
    """psi_f: heading of the wheel (rad)."""
    pitch: Expr
    """chi_f: turn of the wheel about its own axis (rad), from the drawn pose."""
    height: Expr
    """Of the lowest point of the wheel above the road (m): round-off, where the wheel touches."""


def front_wheel(loop: Loop, pose: dict[str, np.ndarray], pitch: np.ndarray) -> FrontWheel:
    """From roll, steer, rear_angle, front_angle, yaw, x and y, arrays of one shape."""
    if tuple(loop.road_normal) != (0.0, 0.0, 1.0):
        raise ModelError("the place of the front wheel is known for one plane road only, and this loop has two.")
    shape = pitch.shape
    q = {name: np.broadcast_to(value, shape).ravel() for name, value in pose.items()}
    chi = pitch.ravel() - loop.tilt - q["rear_angle"]
    # A mark on the wheel that points forward as it is drawn: the turn about its axis is read from it.
    axis = axis_vector(loop.front_wheel.axis)
    mark = np.array([1.0, 0.0, 0.0]) - axis[0] * axis
    vectors = [v[:, None] for v in (axis, mark / np.linalg.norm(mark), np.array(loop.front_wheel.at))]
    hinges = ((loop.front_hub, q["front_angle"]), (loop.steering, q["steer"]), (loop.rear_hub, q["rear_angle"]))
    for hinge, angle in hinges:
        at = np.array(hinge.at)[:, None]
        vectors[2] = vectors[2] - at
        vectors = [turned(v, hinge.axis, angle) for v in vectors]
        vectors[2] = at + vectors[2]
    for about, angle in (("y", chi), ("x", q["roll"]), ("z", q["yaw"])):
        if about == "z":
            vectors[2] = vectors[2] - np.array([[0.0], [0.0], [1.0]]) * loop.rear_tyre
        vectors = [turned(v, about, angle) for v in vectors]
        if about == "y":
            vectors[2] = vectors[2] - np.array([[0.0], [0.0], [1.0]]) * (loop.rear_radius - loop.rear_tyre)
    a, forward, centre = vectors
    centre = centre + np.array([q["x"], q["y"], 0.0 * chi])
    yaw = np.arctan2(-a[0], a[1])
    heading = np.array([np.cos(yaw), np.sin(yaw), 0.0 * yaw])
    down = np.cross(heading, a, axis=0)
    front_angle = np.arctan2(-np.sum(forward * down, axis=0), np.sum(forward * heading, axis=0))
    contact = centre + down * (loop.front_radius - loop.front_tyre)
    found = (contact[0], contact[1], yaw, front_angle, -(contact[2] + loop.front_tyre))
    return FrontWheel(*(value.reshape(shape)[()] for value in found))


def quartic_coefficients(c: Sequence[Expr]) -> np.ndarray:
    """a_0 to a_4 (last axis) of the quartic in tan(pitch / 2). [Meijaard 2024, Eq. 29]"""
    c1, c2, c3, c4, c5, c6 = c
    return np.stack(
        np.broadcast_arrays(
            (c3 - c2) ** 2 + (c6 - c5) ** 2 - 1,
            4 * c1 * (c3 - c2) + 4 * c4 * (c6 - c5),
            4 * (c1**2 + c4**2) + 2 * (c3**2 - c2**2 + c6**2 - c5**2 - 1),
            4 * c1 * (c2 + c3) + 4 * c4 * (c5 + c6),
            (c2 + c3) ** 2 + (c5 + c6) ** 2 - 1,
        ),
        axis=-1,
    )
