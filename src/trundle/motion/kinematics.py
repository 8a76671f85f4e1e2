"""Motion of every link and body in ground axes: pose, velocity, and the acceleration without its terms in udot.

Everything is a CasADi expression of time t, coordinates q, speeds u and parameters p; exact zeros stay zeros, so a
planar mechanism costs no more than planar arithmetic.
"""

from collections.abc import Sequence
from typing import final
from weakref import WeakKeyDictionary

import casadi as ca
import numpy as np

from trundle.model.body import Body, Frame
from trundle.motion.links import Link, Tree, frame_pose
from trundle.motion.motion import FrameMotion, Partial
from trundle.motion.roots import Roots
from trundle.space.rotation import clean, cross, rotation_from_quaternion
from trundle.typing import Array, Expr


def turn_z(R: Expr, c: Expr, s: Expr) -> Expr:
    """R Rz."""
    return ca.horzcat(R[:, 0] * c + R[:, 1] * s, R[:, 1] * c - R[:, 0] * s, R[:, 2])


def turn_x(R: Expr, c: Expr, s: Expr) -> Expr:
    """R Rx."""
    return ca.horzcat(R[:, 0], R[:, 1] * c + R[:, 2] * s, R[:, 2] * c - R[:, 1] * s)


def sine_cosine(angle: float) -> tuple[float, float]:
    """Of an angle (rad), exact at multiples of a right angle."""
    s, c = clean([np.sin(angle), np.cos(angle)])
    return float(s), float(c)


@final
class Kinematics:
    """Motion of all links in the ground, derived once; bodies and frames on request."""

    def __init__(self, tree: Tree, q: Expr, u: Expr, roots: Roots) -> None:
        self.tree, self.q, self.u = tree, q, u
        self.roots = [roots[body] for body in tree.roots]
        self.links: list[FrameMotion] = []
        self.axes: list[Expr] = []  # joint axis (3) or, for a ball, its three axes (3x3)
        for link in tree.links:
            moving, axis = (_ball if link.kind == "ball" else _screw)(link, self._link(link.parent), q, u)
            self.links.append(moving)
            self.axes.append(axis)
        self._bodies: dict[Body, FrameMotion] = {}
        self._frames: WeakKeyDictionary[Frame, FrameMotion] = WeakKeyDictionary()

    def _link(self, i: int) -> FrameMotion:
        """Motion of a link, or of a root."""
        return self.links[i] if i >= 0 else self.roots[-1 - i].world

    def body(self, body: Body) -> FrameMotion:
        """Motion of the body's own frame."""
        if body not in self._bodies:
            link, pose = self.tree.place[body]
            self._bodies[body] = self._link(link).fixed(pose)
        return self._bodies[body]

    def frame(self, frame: Frame) -> FrameMotion:
        """Motion of a frame on a body."""
        found = self._frames.get(frame)
        if found is None:
            found = self._frames[frame] = self.body(frame.body).fixed(frame_pose(frame))
        return found

    def columns(self, link: int, point: Expr) -> list[Partial]:
        """(speed index, angular, linear) partial velocities of `point` on a body moved by this link alone."""
        item, axis, base = self.tree.links[link], self.axes[link], self.links[link].p
        if item.kind == "ball":
            return [(item.i_u + k, axis[:, k], cross(axis[:, k], point - base)) for k in range(3)]
        if item.kind == "slide":
            return [(item.i_u, ca.SX.zeros(3), axis)]
        linear = cross(axis, point - base)
        return [(item.i_u, axis, linear + item.pitch * axis if item.kind == "helix" else linear)]

    def coordinate_rates(self) -> Expr:
        """qdot = P(q) u."""
        qdot = ca.SX.zeros(self.tree.n_q)
        for link in self.tree.links:
            if link.kind == "ball":
                qdot[link.i_q : link.i_q + 4] = quaternion_rate(
                    self.q[link.i_q : link.i_q + 4], self.u[link.i_u : link.i_u + 3]
                )
            else:
                qdot[link.i_q] = self.u[link.i_u]
        return qdot


def quaternion_rate(quaternion: Expr, w: Expr) -> Expr:
    """Half the product of the quaternion with the angular velocity in moving axes."""
    e0, e = quaternion[0], quaternion[1:4]
    return ca.vertcat(-ca.dot(e, w), e0 * w + cross(e, w)) / 2


def _screw(link: Link, parent: FrameMotion, q: Expr, u: Expr) -> tuple[FrameMotion, Expr]:
    R = parent.R
    if link.g != 0.0:
        s, c = sine_cosine(link.g)
        R = turn_z(R, c, s)
    p = parent.p + ca.mtimes(R, link.shift)
    if link.alpha != 0.0:
        s, c = sine_cosine(link.alpha)
        R = turn_x(R, c, s)
    axis, x, rate = R[:, 2], q[link.i_q], u[link.i_u]
    if link.kind == "slide":
        if link.turn != 0.0:
            s, c = sine_cosine(link.turn)
            R = turn_z(R, c, s)
        p = p + axis * (x + link.slide)
    else:
        angle = x + link.turn
        R = turn_z(R, ca.cos(angle), ca.sin(angle))
        p = p + axis * (link.pitch * x + link.slide)
    r = p - parent.p
    v = parent.v + cross(parent.w, r)
    a = parent.a + cross(parent.alpha, r) + cross(parent.w, cross(parent.w, r))
    w, alpha = parent.w, parent.alpha
    if link.kind != "turn":
        along = axis * (rate if link.kind == "slide" else link.pitch * rate)
        v, a = v + along, a + 2 * cross(parent.w, along)
    if link.kind != "slide":
        spin = axis * rate
        w, alpha = w + spin, alpha + cross(parent.w, spin)
    return FrameMotion(R, p, w, v, alpha, a), axis


def _ball(link: Link, parent: FrameMotion, q: Expr, u: Expr) -> tuple[FrameMotion, Expr]:
    assert link.fixed is not None
    base = parent.fixed(link.fixed)
    R_q = rotation_from_quaternion(q[link.i_q : link.i_q + 4])
    rates = u[link.i_u : link.i_u + 3]
    R = ca.mtimes(base.R, R_q.T if link.reverse else R_q)
    axes = -base.R if link.reverse else R  # a reversed ball turns by minus the rates about the axes of its parent
    spin = ca.mtimes(axes, rates)
    alpha = base.alpha + cross(base.w, spin)
    return FrameMotion(R, base.p, base.w + spin, base.v, alpha, base.a), axes


def normalised(q: Expr, quaternions: Sequence[int]) -> Array:
    """Copy of the numbers q with quaternions of unit length."""
    copy = np.array(q, dtype=float)
    for i in quaternions:
        copy[i : i + 4] /= np.linalg.norm(copy[i : i + 4])
    return copy
