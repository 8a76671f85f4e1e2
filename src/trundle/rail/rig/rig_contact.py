"""The contacts of a wheelset on a roller rig in numbers, for many poses at once.

Arrays of two sides have the shape (2, n), right and left; vectors have one more axis, of length 3, at the end.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.rail.rig.roller_rig import RollerRig

SIGNS = np.array([[-1.0], [1.0]])  # of y: right, left


class Contacts(NamedTuple):
    """Points and directions in ground axes, from the centre of the drum, or on a track from between the contacts."""

    axle: Array  # (n, 3) direction of the axle
    radial: Array  # (2, n, 3) away from the axle, to the contact
    normal: Array  # (2, n, 3) out of the ring
    point: Array  # (2, n, 3)
    along: Array  # (2, n) place of the contact along the axle, outwards from its middle
    radius: Array  # (2, n) of the wheel at the contact
    wheel_lean: Array  # (2, n) angle of the normal in the plane of the axle, inwards from the perpendicular
    ring_lean: Array  # (2, n) angle about x of the ring's normal from the top of its profile


def ring_section(rig: "RollerRig", angle: Array) -> tuple[Array, Array, Array]:
    """Of the section of a ring at an angle about the drum's axis from the top, or of a straight rail at a place along
    it in wheel radii: the centre of the profile in the plane of symmetry, its top and the direction along the ring.
    """
    zero = np.zeros_like(angle)
    if rig.straight:
        top, along = np.stack([zero, zero, zero + 1], axis=-1), np.stack([zero + 1, zero, zero], axis=-1)
        return rig.wheel_radius * angle[..., None] * along + rig.core_height * top, top, along
    top = np.stack([np.sin(angle), zero, np.cos(angle)], axis=-1)
    along = np.stack([np.cos(angle), zero, -np.sin(angle)], axis=-1)
    return rig.core_height * top, top, along


def find_contacts(rig: "RollerRig", angle: Array, roll: Array, lift: Array, place: Array) -> Contacts:
    """The contacts from their angles about the drum's axis, roll and lift, which must be right for the lateral
    displacement and yaw in `place`.
    """
    lateral, yaw = place
    axle = np.stack([-np.sin(yaw), np.cos(roll) * np.cos(yaw), np.sin(roll) * np.cos(yaw)], axis=-1)
    middle, top, _ = ring_section(rig, angle)
    side = np.array([0.0, 1.0, 0.0]) * SIGNS[..., None]
    core = middle + rig.core_place * side
    centre = np.stack([np.zeros_like(roll), lateral, rig.axle_height + lift], axis=-1)
    from_centre = core - centre
    outwards = SIGNS[..., None] * axle
    along = np.sum(from_centre * outwards, axis=-1)
    radial = from_centre - along[..., None] * outwards
    out = np.linalg.norm(radial, axis=-1)
    radial = radial / out[..., None]
    normal_along, normal_out = rig.wheel_normal(along, out)
    normal = -(normal_along[..., None] * outwards + normal_out[..., None] * radial)
    rho = rig.ring_profile_radius
    return Contacts(
        axle,
        radial,
        normal,
        core + rho * normal,
        along - rho * normal_along,
        out - rho * normal_out,
        np.arctan2(normal_along, normal_out),
        np.arctan2(-normal[..., 1], np.sum(normal * top, axis=-1)),
    )
