"""Links: the tree as a sequence of one-freedom (or ball) motions between frames whose z axis is the joint axis.

The frames are slid along and turned about their axes [Denavit & Hartenberg 1955] so that as few constants as possible
differ from zero: the motion from parent to link is  Rz(g) T(a, b, d) Rx(alpha) Rz(q + turn) Tz(pitch q + slide), and g
= d = 0 for the main child of each link. Fewer constants, fewer operations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import casadi as ca
import numpy as np

from trundle.graph.topology import Topology, TreeJoint
from trundle.model.body import Body, Frame
from trundle.space.chain import Ball, Screw
from trundle.space.pose import Pose, identity
from trundle.space.rotation import align_z, axis_vector, clean
from trundle.typing import Expr


def frame_pose(frame: Frame) -> Pose:
    """Pose of a frame on its body."""
    return Pose.at(frame.position, frame.rotation)


def about_z(angle: float, slide: Expr = 0.0) -> Pose:
    c, s = clean([np.cos(angle), np.sin(angle)])
    return Pose(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]), ca.vertcat(0, 0, slide))


@final
@dataclass
class Link:
    """One motion of the tree: kind "turn", "slide", "helix" or "ball"."""

    parent: int  # another link; -1 - k for root k of the tree
    joint: TreeJoint
    kind: str
    name: str  # of the coordinate, within its connection
    i_q: int
    i_u: int
    raw: Pose  # of the raw link frame in the raw frame of the parent, at zero
    pitch: Expr = 0.0
    reverse: bool = False  # balls only: the motion runs against the coordinate
    g: float = 0.0
    shift: Expr = None  # T(a, b, d)
    alpha: float = 0.0
    turn: float = 0.0
    slide: Expr = 0.0
    fixed: Pose | None = None  # balls only: constant pose before the motion
    bodies: list[tuple[Body, Pose]] = field(default_factory=list)
    children: list[int] = field(default_factory=list)

    @property
    def n_u(self) -> int:
        return 3 if self.kind == "ball" else 1

    @property
    def n_q(self) -> int:
        return 4 if self.kind == "ball" else 1


@final
@dataclass
class Tree:
    """All links, the bodies that they start from, and the link and pose of every body."""

    links: list[Link]
    roots: tuple[Body, ...]
    place: dict[Body, tuple[int, Pose]]
    n_q: int
    n_u: int

    def root(self, body: Body) -> Body:
        """The root that carries a body."""
        link = self.place[body][0]
        while link >= 0:
            link = self.links[link].parent
        return self.roots[-1 - link]

    def ancestors(self, link: int) -> list[int]:
        """The link, its parent, ... without the root."""
        path = []
        while link >= 0:
            path.append(link)
            link = self.links[link].parent
        return path


def build_tree(topology: Topology, roots: Sequence[Body]) -> Tree:
    """Expand every tree joint into links and place the bodies on them."""
    links: list[Link] = []
    place: dict[Body, tuple[int, Pose]] = {root: (-1 - k, identity()) for k, root in enumerate(roots)}
    i_q = i_u = 0
    for joint in topology.tree:
        c = joint.connection
        ends = (c.second, c.first) if joint.reverse else (c.first, c.second)
        turn = Pose(clean(c.pair.frame()), ca.SX.zeros(3))
        link, pose = place[joint.parent]
        chain = c.pair.chain()
        before, after = (chain.end.inverse(), identity()) if joint.reverse else (identity(), chain.end)
        base = pose @ frame_pose(ends[0]) @ turn @ before
        steps = chain.steps
        offsets_q = np.cumsum([0, *[s.n_q for s in steps]])
        offsets_u = np.cumsum([0, *[s.n_u for s in steps]])
        for k in reversed(range(len(steps))) if joint.reverse else range(len(steps)):
            step = steps[k]
            at = i_q + int(offsets_q[k]), i_u + int(offsets_u[k])
            if isinstance(step, Ball):
                centre = Pose.at(step.at)
                links.append(Link(link, joint, "ball", step.name, *at, raw=base @ centre, reverse=joint.reverse))
                base = centre.inverse()
            else:
                local = _screw_frame(step, joint.reverse)
                kind = "slide" if step.slides else "turn" if _is_zero(step.pitch) else "helix"
                pitch = {"slide": 1.0, "turn": 0.0, "helix": step.pitch}[kind]
                links.append(Link(link, joint, kind, step.name, *at, raw=base @ local, pitch=pitch))
                base = local.inverse()
            link = len(links) - 1
        place[joint.child] = (link, base @ after @ (frame_pose(ends[1]) @ turn).inverse())
        i_q, i_u = i_q + int(offsets_q[-1]), i_u + int(offsets_u[-1])
    for i, item in enumerate(links):
        if item.parent >= 0:
            links[item.parent].children.append(i)
    corrections = _normalise(links)
    for body, (link, pose) in place.items():
        if link >= 0:
            place[body] = (link, corrections[link] @ pose)
            links[link].bodies.append((body, place[body][1]))
    return Tree(links, tuple(roots), place, i_q, i_u)


def _screw_frame(step: Screw, reverse: bool) -> Pose:
    axis = axis_vector(step.axis)
    return Pose(align_z(-axis if reverse else axis), ca.SX(ca.vertcat(*step.at)))


def _is_zero(value: Expr) -> bool:
    return bool(value.is_zero()) if isinstance(value, ca.SX) else value == 0.0


def _normalise(links: list[Link]) -> list[Pose]:
    """Choose the link frames; returns for each link the pose of its raw frame in the chosen one."""
    size = [1] * len(links)
    for i in reversed(range(len(links))):
        if links[i].parent >= 0:
            size[links[i].parent] += size[i]
    corrections: list[Pose] = []
    for link in links:
        raw = link.raw if link.parent < 0 else corrections[link.parent] @ link.raw
        if link.kind == "ball":
            link.fixed = raw
            corrections.append(identity())
            continue
        link.g, link.shift, link.alpha, o, e = _decompose(raw)
        correction = about_z(o, e)
        main = max(link.children, key=lambda c: size[c], default=None)
        if main is not None and links[main].kind != "ball":
            g, shift, _, _, _ = _decompose(correction @ links[main].raw)
            link.turn, link.slide = g, shift[2]
            correction = about_z(g, shift[2]).inverse() @ correction
        corrections.append(correction)
    return corrections


def _decompose(pose: Pose) -> tuple[float, Expr, float, float, Expr]:
    """pose = Rz(g) T(a, b, d) Rx(alpha) Rz(o) Tz(e), with b = 0 and small constants where the axes allow it."""
    z = pose.R[:, 2]
    sin_alpha = float(np.hypot(z[0], z[1]))
    numeric = all(pose.p[i].is_constant() for i in range(3))
    if sin_alpha > 1e-12:
        g = float(np.arctan2(z[0], -z[1]))
        alpha = float(np.arctan2(sin_alpha, z[2]))
    else:
        alpha = 0.0 if z[2] > 0 else float(np.pi)
        g = 0.0
        if numeric:
            x, y = float(pose.p[0]), float(pose.p[1])
            g = float(np.arctan2(y, x)) if np.hypot(x, y) > 1e-14 else 0.0
    Rz = about_z(g).R
    ca_, sa = clean([np.cos(alpha), np.sin(alpha)])
    Rx = np.array([[1.0, 0, 0], [0, ca_, -sa], [0, sa, ca_]])
    rest = clean((Rz @ Rx).T @ pose.R)
    o = float(np.arctan2(rest[1, 0], rest[0, 0]))
    r = ca.mtimes(ca.DM(Rz.T), pose.p)
    if numeric:
        r = ca.SX(ca.DM(clean(np.array(ca.DM(r)).ravel(), 1e-15)))
    if sin_alpha > 0.1:  # axes far from parallel: slide both frames to the feet of the common normal
        e = -r[1] / sa
        return g, ca.vertcat(r[0], 0, r[2] - e * ca_), alpha, o, e
    if sin_alpha <= 1e-12:  # parallel: slide the child along its axis
        e = r[2] * ca_
        return g, ca.vertcat(r[0], r[1] if not numeric else 0, 0), alpha, o, e
    return g, r, alpha, o, ca.SX(0)
