"""Where a wheelset stands on the rings of a roller rig, given its lateral displacement and yaw: Newton's method.

A ring is a tube about its core circle. It touches a wheel where the core circle is tangent to the wheel's surface moved
outwards by the radius of the tube. So four unknowns are enough: roll, lift, and for each side the angle about the
axis of the drum at which the gap between circle and surface, known in closed form, is zero and least. A rail of a
straight track is a tube about a straight line.
"""

from functools import cache
from math import cos, sin
from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.rail.rig.rig_contact import SIGNS, find_contacts
from trundle.typing import Array, Expr, Flags

if TYPE_CHECKING:
    from trundle.kernel import Kernel
    from trundle.rail.rig.roller_rig import RollerRig


STRIDE, SHORTEST = 0.1, 1e-5  # steps on the way from the middle, in half gauges and rad
LEAP = 0.3  # rad: an angle that moves further in one step may belong to another contact
FLAT = 0.02  # curvature of the gap along the ring, in core radii, below which a second contact is about to appear
LIMIT = 15  # Newton steps

TOUCHES, LOST, MIDDLE, APEX, RING, GROOVE, SECOND_POINT = range(7)
REASONS = {
    LOST: "the wheelset comes to a dead centre, beyond which one wheel would have to leave its ring",
    MIDDLE: "the contact on one wheel reaches the middle of the wheelset",
    APEX: "the contact on one wheel reaches the axle",
    RING: "the contact on one ring leaves its profile (the normal leans by 90 degrees)",
    GROOVE: "the contact on one wheel leaves its groove (the normal leans by 90 degrees)",
    SECOND_POINT: "the ring touches a wheel in a second point, before or behind the first",
}


class Found(NamedTuple):
    """Solutions, one column each; where the pose does not exist, the last one on the way to it."""

    x: Array  # (4, n) angles of the right and left contact about the axis of the drum, from the top; roll, lift
    state: Array  # TOUCHES or why not
    share: Array  # of the way from the middle that was covered


@cache
def _kernels(straight: bool) -> "tuple[Kernel, Kernel]":
    from trundle.kernel import compile_kernels, host_lanes

    functions = {"rig": closure_function(straight)}
    return compile_kernels(functions)["rig"], compile_kernels(functions, host_lanes())["rig"]


def closure_function(straight: bool = False) -> ca.Function:
    """Newton's step for (angles, roll, lift), and the second derivatives of the gaps along the rings, as a CasADi
    function of time, these unknowns followed by lateral displacement and yaw, and the section. On a straight track the
    angles are places along the rails, in wheel radii.
    """
    time, state, section = ca.SX.sym("t"), ca.SX.sym("x", 6), ca.SX.sym("section", 6)
    x, place = state[:4], state[4:]
    rows, rights, angle_steps, bends = [], [], [], []
    for i, sign in enumerate(SIGNS.ravel()):
        gap = _gap(sign, x[i], x[2], x[3], place, section, straight)
        slope = derivative(gap, x[i])
        bend, tilt = derivative(slope, x[i]), derivative(slope, x[2:])
        # Each angle is eliminated by its own slope; the two gaps remain for roll and lift.
        rows.append(derivative(gap, x[2:]) - slope / bend * tilt)
        rights.append(slope**2 / bend - gap)
        angle_steps.append((-slope / bend, -tilt / bend))
        bends.append(bend)
    (a, b), (c, d) = ((row[0], row[1]) for row in rows)
    step = ca.vertcat(d * rights[0] - b * rights[1], a * rights[1] - c * rights[0]) / (a * d - b * c)
    angles = [own + ca.mtimes(tilt, step) for own, tilt in angle_steps]
    return ca.Function("rig", [time, state, section], [ca.vertcat(*angles, step, *bends)])


def _gap(sign: float, angle: Expr, roll: Expr, lift: Expr, place: Expr, section: Expr, straight: bool) -> Expr:
    """Signed distance of a point of the core circle from the wheel's surface moved outwards.

    Written in small differences from the middle position, along the axle and out from it, so that a small displacement
    loses no digits.
    """
    y, yaw = place[0], place[1]
    c, h, core, sine, cosine, bend = (section[i] for i in range(6))
    x = core * (angle if straight else ca.sin(angle))
    drop = lift if straight else lift + 2 * core * ca.sin(angle / 2) ** 2
    turned = 2 * ca.sin(roll / 2) ** 2 * ca.cos(yaw) + 2 * ca.sin(yaw / 2) ** 2  # 1 - cos(roll) cos(yaw)
    axle_z = ca.sin(roll) * ca.cos(yaw)
    along = -sign * (x * ca.sin(yaw) + y * (1 - turned) + (h + drop) * axle_z) - c * turned
    square = x**2 - (sign * y + along) * (2 * c - sign * y + along) + (2 * h + drop) * drop
    out = square / (ca.sqrt(h**2 + square) + h)
    lean = along * sine + out * cosine
    aside = along**2 + out**2
    return (2 * lean - bend * aside) / (1 + ca.sqrt(1 - 2 * bend * lean + bend**2 * aside))


def _section(rig: "RollerRig") -> Array:
    """Place and depth of the core circle below the axle in the middle, its radius (on a track the unit of length along
    it), sine and cosine of the cone angle, and the curvature of the profile of the wheel's surface moved outwards.
    """
    depth = rig.axle_height - rig.core_height
    bend = 0.0 if rig.conical else 1 / (rig.wheel_profile_radius - rig.ring_profile_radius)
    return np.array([rig.core_place, depth, _unit(rig), sin(rig.cone_angle), cos(rig.cone_angle), bend])


def _unit(rig: "RollerRig") -> float:
    """Length along a ring of one unit of its angle."""
    return rig.wheel_radius if rig.straight else rig.core_radius


def solve(rig: "RollerRig", lateral: Array, yaw: Array) -> Found:
    """Each pose followed from the middle along a straight path, in steps that become shorter where they fail."""
    n = len(lateral)
    goal = np.array([lateral, yaw])
    way = np.maximum(np.max(np.abs(goal) / [[rig.half_gauge], [1.0]], axis=0), STRIDE)
    x, leans = np.zeros((4, n)), np.zeros((4, n))
    leans[:] = np.array([[1.0], [1.0], [-1.0], [1.0]]) * rig.cone_angle
    share, step, state, least = np.zeros(n), STRIDE / way, np.full(n, TOUCHES), np.full(n, np.inf)
    walking = np.arange(n)
    while walking.size:
        ahead = np.minimum(share[walking] + step[walking], 1.0)
        place = goal[:, walking] * ahead
        trial, bends, sure = _newton(rig, x[:, walking], place)
        ending, there = _judge(rig, trial, bends, place)
        leap = np.max(np.abs(np.vstack([trial[:3] - x[:3, walking], there - leans[:, walking]])), axis=0)
        ending[~sure | (leap > LEAP)] = LOST
        good = ending == TOUCHES
        moved, stuck = walking[good], walking[~good]
        x[:, moved], leans[:, moved], share[moved] = trial[:, good], there[:, good], ahead[good]
        least[moved] = np.min(bends[:, good], axis=0)
        step[moved] = np.minimum(1.5 * step[moved], STRIDE / way[moved])
        step[stuck] /= 2
        lost = ~good & (step[walking] * way[walking] < SHORTEST)
        state[walking[lost]] = ending[lost]
        walking = walking[~lost & (share[walking] < 1)]
    state[(state == LOST) & (least < FLAT * _unit(rig))] = SECOND_POINT
    return Found(x, state, share)


def _newton(rig: "RollerRig", x: Array, place: Array) -> tuple[Array, Array, Flags]:
    """Solutions from a start nearby, curvatures of the gaps, and for which of them the method has ended."""
    from trundle.kernel import evaluate

    scalar, wide = _kernels(rig.straight)
    section = _section(rig)
    state = np.vstack([x, place])
    ended = np.zeros(x.shape[1], bool)
    for _ in range(LIMIT):
        out = evaluate(scalar, wide, 0.0, state.T, section, threads=1).T
        step, bends = out[:4], out[4:]
        size = np.max(np.abs(step), axis=0)
        step[:, ~np.isfinite(size)] = np.nan
        state[:4] += step * np.minimum(1.0, 0.5 / np.maximum(size, 1e-300))
        ended = size < 1e-12
        if np.all(ended | np.isnan(size)):
            break
    return state[:4], bends, ended


def _judge(rig: "RollerRig", x: Array, bends: Array, place: Array) -> tuple[Array, Array]:
    """Whether solutions are contacts of real wheels with real rings, or why not; and how the normals lean."""
    contact = find_contacts(rig, x[:2], x[2], x[3], place)
    faults = {
        SECOND_POINT: bends <= 0,
        MIDDLE: contact.along <= 0,
        APEX: contact.radius <= 0,
        RING: np.cos(contact.ring_lean) <= 0,
        GROOVE: np.cos(contact.wheel_lean) <= 0,
    }
    state = np.full(x.shape[1], TOUCHES)
    for reason, true in faults.items():
        state[np.any(true, axis=0) & (state == TOUCHES)] = reason
    return state, np.vstack([contact.wheel_lean, contact.ring_lean])
