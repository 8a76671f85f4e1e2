"""Kane's equations in joint coordinates: M udot + h = J' lambda, from the motion in ground axes.

The mass matrix is built from composite bodies [Walker & Orin 1982], the bias by a sum from the leaves to the root
[Luh, Walker & Paul 1980]; moments are shifted between neighbouring joints only, so nothing is lost far from the origin.
"""

from typing import Any, final

import casadi as ca

from trundle.equations.kinematics import Motion, Rigid
from trundle.equations.links import GROUND, Tree
from trundle.equations.saddle import Sparse
from trundle.model.body import Body, Frame
from trundle.space.inertia import Inertia
from trundle.space.rotation import cross, dot


@final
class TreeMotion:
    """Motion of a tree in joint coordinates, as constraint rows and forces ask for it."""

    def __init__(self, tree: Tree, q: Any, u: Any) -> None:
        self.tree, self.q, self.u = tree, q, u
        self.motion = Motion(tree, q, u)
        self.n_q, self.n_u = tree.n_q, tree.n_u
        self.quaternions = [link.i_q for link in tree.links if link.kind == "ball"]

    def frame(self, frame: Frame) -> Rigid:
        return self.motion.frame(frame)

    def body(self, body: Body) -> Rigid:
        return self.motion.body(body)

    def partials(self, body: Body, point: Any) -> list[tuple[int, Any, Any]]:
        """Partial velocities of a point fixed to the body, for every speed that moves it."""
        link = self.tree.place[body][0]
        return [column for k in self.tree.ancestors(link) for column in self.motion.columns(k, point)]

    def coordinate_rates(self) -> Any:
        return self.motion.coordinate_rates()

    def leaves_first(self) -> list[int]:
        """Speeds in an order of elimination without fill."""
        return [link.i_u + k for link in reversed(self.tree.links) for k in range(link.n_u)]

    def mass_matrix(self, inertias: dict[Body, Inertia]) -> list[Sparse]:
        """Rows of M by composite rigid bodies."""
        links, motion = self.tree.links, self.motion
        mass: list[Any] = [ca.SX(0) for _ in links]
        first: list[Any] = [ca.SX.zeros(3) for _ in links]  # mass times distance from the link's point
        second: list[Any] = [ca.SX.zeros(3, 3) for _ in links]
        rows: list[Sparse] = [{} for _ in range(self.n_u)]
        for i in reversed(range(len(links))):
            p = motion.links[i].p
            for body, _ in links[i].bodies:
                m, h, I = _about(inertias[body], motion.body(body), p)
                mass[i], first[i], second[i] = mass[i] + m, first[i] + h, second[i] + I
            for c in links[i].children:
                d = motion.links[c].p - p
                shift = _steiner(mass[c], first[c], d)
                mass[i], first[i] = mass[i] + mass[c], first[i] + first[c] + mass[c] * d
                second[i] = second[i] + second[c] + shift
            for k, angular, linear in motion.columns(i, p):
                force = mass[i] * linear + cross(angular, first[i])
                moment = ca.mtimes(second[i], angular) + cross(first[i], linear)
                at, j = p, i
                while j != GROUND:
                    moment = moment + cross(at - motion.links[j].p, force)
                    at = motion.links[j].p
                    for l, w, v in motion.columns(j, at):
                        value = dot(w, moment) + dot(v, force)
                        if (j != i or l >= k) and not value.is_zero():
                            rows[k][l] = rows[l][k] = value
                    j = links[j].parent
        return rows

    def bias(
        self, inertias: dict[Body, Inertia], gravity: Any, wrenches: dict[Body, list[tuple[Any, Any, Any]]]
    ) -> Any:
        """h = inertia forces without udot, minus gravity and applied wrenches (point, force, moment) on bodies."""
        links, motion = self.tree.links, self.motion
        forces: list[Any] = [ca.SX.zeros(3) for _ in links]
        moments: list[Any] = [ca.SX.zeros(3) for _ in links]
        h = ca.SX.zeros(self.n_u)
        for i in reversed(range(len(links))):
            p = motion.links[i].p
            for body, _ in links[i].bodies:
                f, n, at = inertia_wrench(inertias[body], motion.body(body), gravity)
                forces[i], moments[i] = forces[i] + f, moments[i] + n + cross(at - p, f)
                for point, F, M in wrenches.get(body, []):
                    forces[i] = forces[i] - F
                    moments[i] = moments[i] - M - cross(point - p, F)
            for k, w, v in motion.columns(i, p):
                h[k] = dot(w, moments[i]) + dot(v, forces[i])
            parent = links[i].parent
            if parent != GROUND:
                forces[parent] = forces[parent] + forces[i]
                moments[parent] = moments[parent] + moments[i] + cross(p - motion.links[parent].p, forces[i])
        return h


def inertia_wrench(inertia: Inertia, body: Rigid, gravity: Any) -> tuple[Any, Any, Any]:
    """Force and moment (at the mass centre) that the acceleration of the body takes, gravity included as
    acceleration.
    """
    c = ca.mtimes(body.R, inertia.com)
    a = body.a + cross(body.alpha, c) + cross(body.w, cross(body.w, c)) - gravity
    I = turned(inertia.matrix, body.R)
    return inertia.mass * a, ca.mtimes(I, body.alpha) + cross(body.w, ca.mtimes(I, body.w)), body.p + c


def turned(I: Any, R: Any) -> Any:
    """Inertia matrix in ground axes."""
    return ca.mtimes(ca.mtimes(R, I), R.T)


def _about(inertia: Inertia, body: Rigid, point: Any) -> tuple[Any, Any, Any]:
    """Mass, first moment and inertia about a point, ground axes."""
    d = body.p + ca.mtimes(body.R, inertia.com) - point
    return inertia.mass, inertia.mass * d, turned(inertia.matrix, body.R) + inertia.mass * _square(d)


def _square(d: Any) -> Any:
    return dot(d, d) * ca.SX.eye(3) - ca.mtimes(d, d.T)


def _steiner(mass: Any, h: Any, d: Any) -> Any:
    """What the inertia gains when its point of reference moves by -d (h is the first moment about the old point)."""
    hd = ca.mtimes(h, d.T)
    return mass * _square(d) + 2 * dot(h, d) * ca.SX.eye(3) - hd - hd.T
