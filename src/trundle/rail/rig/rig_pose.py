"""The pose of a wheelset on a roller rig, read from the solution."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.errors import AssemblyError
from trundle.rail.rig.rig_contact import SIGNS, Contacts, find_contacts, ring_section
from trundle.rail.rig.rig_solve import REASONS, TOUCHES, Found
from trundle.typing import Array, Expr

if TYPE_CHECKING:
    from trundle.rail.rig.roller_rig import RollerRig

JOINTS: dict[str, str] = {
    "s1": "lift of the wheelset's centre (m)",
    "s2": "lateral displacement of the wheelset's centre, to the left (m)",
    "theta3": "roll",
    "theta4": "yaw",
    "theta5": "pitch of the wheelset",
    "theta6": "right wheel: turn about the axle",
    "s7": "right wheel: slide along the generator of the cone (m), or turn theta7 along the hollow profile",
    "theta8": "right contact: turn about the common normal",
    "theta9": "right ring: turn along its profile",
    "theta10": "right ring: turn about the axis of the drum, or s10 along a straight rail (m)",
    "theta11": "angle of the drum, or s11 of the wheelset's centre along a straight track (m)",
    "theta12": "left wheel: turn about the axle",
    "s13": "left wheel: slide along the generator of the cone (m), or turn theta13 along the hollow profile",
    "theta14": "left contact: turn about the common normal",
    "theta15": "left ring: turn along its profile",
    "theta16": "left ring: turn about the axis of the drum, or s16 along a straight rail (m)",
}
"""The sixteen joints, numbered as in [Meijaard 2024, Fig. 13]; angles in rad. All are zero in the middle position."""


@final
@dataclass(frozen=True)
class RigPose:
    """Pose of a wheelset on the rig. Of one pose: numbers; of arrays of poses: arrays of their common shape, nan where
    both wheels cannot touch. Points have one more axis, of length 3: ground axes, from the centre of the drum, or on a
    straight track from the middle between the contacts of a wheelset in the middle position.
    """

    lateral: Expr  # m, to the left
    yaw: Expr  # rad
    roll: Expr  # rad, positive where the left wheel is higher
    lift: Expr  # m
    touches: Expr  # whether the pose exists
    joints: Mapping[str, Expr]  # by the names in JOINTS; signs are those of the coordinates of the model
    contacts: Mapping[str, Array]  # points of contact (m), "right" and "left"
    normals: Mapping[str, Array]  # unit normals out of the rings
    rolling_radius: Mapping[str, Expr]  # distance of the contacts from the axle (m)


def read_pose(rig: "RollerRig", found: Found, given: Sequence[Array], shape: tuple[int, ...]) -> RigPose:
    """The pose from the solution; `given` are lateral displacement, yaw, pitch and angle of the drum, or on a straight
    track the distance.
    """
    touches = found.state == TOUCHES
    lateral, yaw, pitch, along = given
    if not shape and not touches[0]:
        raise AssemblyError(_why_not(found, float(lateral[0]), float(yaw[0])))
    x = np.where(touches, found.x, np.nan)
    angle, roll, lift = x[:2], x[2], x[3]
    c = find_contacts(rig, angle, roll, lift, np.array([lateral, yaw]))
    guide = {"s1": lift, "s2": lateral, "theta3": roll, "theta4": yaw, "theta5": pitch}
    right, left = (_side_joints(rig, c, angle[side], roll, yaw, side, first) for side, first in enumerate((6, 12)))
    kind, turned = ("s", -along) if rig.straight else ("theta", along)  # a drum turns back under the wheelset
    joints = {**guide, **right, f"{kind}11": along, **left}
    for on_wheel, on_ring in (("theta6", f"{kind}10"), ("theta12", f"{kind}16")):  # pitch leaves the contacts
        joints[on_wheel], joints[on_ring] = joints[on_wheel] + pitch, joints[on_ring] - turned

    def shaped(values: Array) -> Expr:
        return values.reshape(shape)[()]

    sides = {"right": 0, "left": 1}
    forward = along[:, None] * ([1.0, 0.0, 0.0] if rig.straight else [0.0, 0.0, 0.0])
    return RigPose(
        shaped(lateral),
        shaped(yaw),
        shaped(roll),
        shaped(lift),
        shaped(touches),
        {name: shaped(v) for name, v in joints.items()},
        {side: (c.point[i] + forward).reshape(*shape, 3) for side, i in sides.items()},
        {side: c.normal[i].reshape(*shape, 3) for side, i in sides.items()},
        {side: shaped(c.radius[i]) for side, i in sides.items()},
    )


def _side_joints(
    rig: "RollerRig", c: Contacts, angle: Array, roll: Array, yaw: Array, side: int, first: int
) -> dict[str, Array]:
    """The five joints of one contact, from the wheel to the drum, while both have not turned."""
    sign = float(SIGNS[side, 0])
    radial, axle = c.radial[side], c.axle
    forward = np.stack([np.cos(yaw), np.cos(roll) * np.sin(yaw), np.sin(roll) * np.sin(yaw)], axis=-1)
    up = np.cross(forward, axle)  # across the axle, fixed to the wheelset at zero pitch
    turn = np.arctan2(np.sum(radial * forward, axis=-1), -np.sum(radial * up, axis=-1))
    _, _, along_ring = ring_section(rig, angle)
    along_wheel = np.cross(radial, axle)
    across_ring = np.cross(c.normal[side], along_ring)
    spin = np.arctan2(np.sum(across_ring * along_wheel, axis=-1), np.sum(along_ring * along_wheel, axis=-1))
    if rig.conical:
        profile = {f"s{first + 1}": -sign * (c.along[side] - rig.half_gauge) / np.cos(rig.cone_angle)}
    else:
        profile = {f"theta{first + 1}": -sign * (c.wheel_lean[side] - rig.cone_angle)}
    return {
        f"theta{first}": turn,
        **profile,
        f"theta{first + 2}": spin,
        f"theta{first + 3}": c.ring_lean[side] - sign * rig.cone_angle,
        **({f"s{first + 4}": rig.wheel_radius * angle} if rig.straight else {f"theta{first + 4}": angle}),
    }


def _why_not(found: Found, lateral: float, yaw: float) -> str:
    """Why a pose does not exist, as a sentence."""
    reason, share = REASONS[int(found.state[0])], float(found.share[0])
    return (
        f"at a lateral displacement of {lateral:.6g} m and a yaw of {yaw:.6g} rad the wheels cannot both touch their "
        f"rings: on the way there from the middle {reason}, just after {share * lateral:.4g} m and "
        f"{share * yaw:.4g} rad. Take a smaller displacement or yaw."
    )
