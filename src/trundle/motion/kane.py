"""Kane's equations in joint coordinates: M udot + h = J' lambda, from the motion in ground axes.

The mass matrix is built from composite bodies [Walker & Orin 1982], the bias by a sum from the leaves to the root
[Luh, Walker & Paul 1980]; moments are shifted between neighbouring joints only, so nothing is lost far from the origin.
"""

from collections.abc import Iterator
from typing import final

import casadi as ca

from trundle.linear_algebra.kkt import Sparse
from trundle.model.body import Body, Frame
from trundle.motion.articulated import forward_dynamics, link_inertia
from trundle.motion.kinematics import Kinematics
from trundle.motion.links import Tree
from trundle.motion.motion import FrameLoad, FrameMotion, Inertias, Loads, Partial
from trundle.motion.roots import Roots, time_derivative
from trundle.space.inertia import Inertia
from trundle.space.rotation import cross, dot
from trundle.typing import Expr


@final
class TreeMotion:
    """Motion of a tree in joint coordinates."""

    def __init__(self, tree: Tree, q: Expr, u: Expr, roots: Roots) -> None:
        self.tree, self.q, self.u, self.roots = tree, q, u, roots
        self.kinematics = Kinematics(tree, q, u, roots)
        self.n_q, self.n_u = tree.n_q, tree.n_u
        self.quaternions = [link.i_q for link in tree.links if link.kind == "ball"]
        self.coordinates = {
            f"{link.joint.connection.name}.{link.name}": (
                slice(link.i_q, link.i_q + link.n_q),
                slice(link.i_u, link.i_u + link.n_u),
            )
            for link in tree.links
        }

    def frame(self, frame: Frame) -> FrameMotion:
        return self.kinematics.frame(frame)

    def body(self, body: Body) -> FrameMotion:
        return self.kinematics.body(body)

    def partials(self, body: Body, point: Expr) -> list[Partial]:
        """Partial velocities of a point fixed to the body, for every speed that moves it."""
        link = self.tree.place[body][0]
        return [column for k in self.tree.ancestors(link) for column in self.kinematics.columns(k, point)]

    def base(self, body: Body) -> FrameMotion:
        return self.roots[self.tree.root(body)].world

    def time_derivative(self, value: Expr) -> Expr:
        return time_derivative(value, self.q, self.coordinate_rates(), self.roots)

    def coordinate_rates(self) -> Expr:
        return self.kinematics.coordinate_rates()

    def leaves_first(self) -> list[int]:
        """Speeds in an order of elimination without fill."""
        return [link.i_u + k for link in reversed(self.tree.links) for k in range(link.n_u)]

    def mass_matrix(self, inertias: Inertias) -> list[Sparse]:
        """Rows of M by composite rigid bodies."""
        links, motion = self.tree.links, self.kinematics
        total = [self._rigid(i, inertias) for i in range(len(links))]  # about the origin of each link, ground axes
        rows: list[Sparse] = [{} for _ in range(self.n_u)]
        for i in reversed(range(len(links))):
            p = motion.links[i].p
            for c in links[i].children:
                d = motion.links[c].p - p
                mass, first, second = total[c]
                m, h, I = total[i]
                total[i] = (m + mass, h + first + mass * d, I + second + _steiner(mass, first, d))
            mass, first, second = total[i]
            for k, angular, linear in motion.columns(i, p):
                force = mass * linear + cross(angular, first)
                moment = ca.mtimes(second, angular) + cross(first, linear)
                at, j = p, i
                while j >= 0:
                    moment = moment + cross(at - motion.links[j].p, force)
                    at = motion.links[j].p
                    for l, w, v in motion.columns(j, at):
                        value = dot(w, moment) + dot(v, force)
                        if (j != i or l >= k) and not value.is_zero():
                            rows[k][l] = rows[l][k] = value
                    j = links[j].parent
        return rows

    def unconstrained(
        self, inertias: Inertias, gravity: Expr, loads: Loads, efforts: Expr
    ) -> tuple[Expr, list[FrameLoad]]:
        """By articulated bodies."""
        udot, root_loads = forward_dynamics(self.tree, self.kinematics, inertias, gravity, loads, efforts)
        loads_on_roots: list[FrameLoad] = []
        for link, force, moment in root_loads:
            root = self.tree.roots[-1 - link.parent]
            R = self.roots[root].world.R
            loads_on_roots.append(
                FrameLoad(root, link.joint.connection.name, ca.mtimes(R, force), ca.mtimes(R, moment))
            )
        for body, (place, _) in self.tree.place.items():
            if place < 0 and body.is_free:  # fixed to a root
                root = self.tree.root(body)
                force, moment, centre = inertia_wrench(inertias[body], self.body(body), gravity)
                acting = [(centre, force, moment), *((point, -F, -M) for _, point, F, M in loads.get(body, ()))]
                origin = self.roots[root].world.p
                loads_on_roots += [FrameLoad(root, "", F, M + cross(point - origin, F)) for point, F, M in acting]
        return udot, loads_on_roots

    def bias(self, inertias: Inertias, gravity: Expr, loads: Loads) -> Expr:
        """h = inertia forces without udot, minus gravity and loads on bodies."""
        links, motion = self.tree.links, self.kinematics
        forces: list[Expr] = [ca.SX.zeros(3) for _ in links]
        moments: list[Expr] = [ca.SX.zeros(3) for _ in links]
        h = ca.SX.zeros(self.n_u)
        for i in reversed(range(len(links))):
            at, p = motion.links[i], motion.links[i].p
            m, first, I = self._rigid(i, inertias)
            a = at.a - gravity
            forces[i] += m * a + cross(at.alpha, first) + cross(at.w, cross(at.w, first))
            moments[i] += cross(first, a) + ca.mtimes(I, at.alpha) + cross(at.w, ca.mtimes(I, at.w))
            for body, _ in links[i].bodies:
                for _, point, F, M in loads.get(body, ()):
                    forces[i] = forces[i] - F
                    moments[i] = moments[i] - M - cross(point - p, F)
            for k, w, v in motion.columns(i, p):
                h[k] = dot(w, moments[i]) + dot(v, forces[i])
            parent = links[i].parent
            if parent >= 0:
                forces[parent] = forces[parent] + forces[i]
                moments[parent] = moments[parent] + moments[i] + cross(p - motion.links[parent].p, forces[i])
        return h

    def accelerating_wrenches(
        self, inertias: Inertias, gravity: Expr, udot: Expr
    ) -> Iterator[tuple[Body, Expr, Expr, Expr]]:
        """Link by link, at the origin of the link."""
        links, motion, zero = self.tree.links, self.kinematics, ca.SX.zeros(3)
        gained: list[tuple[Expr, Expr]] = []  # accelerations due to udot
        for i, link in enumerate(links):
            at, p = motion.links[i], motion.links[i].p
            alpha, a = (zero, zero) if link.parent < 0 else gained[link.parent]
            a = a if link.parent < 0 else a + cross(alpha, p - motion.links[link.parent].p)
            for k, angular, linear in motion.columns(i, p):
                alpha, a = alpha + angular * udot[k], a + linear * udot[k]
            gained.append((alpha, a))
            if not link.bodies or self.roots[self.tree.root(link.bodies[0][0])].clock is None:
                continue
            alpha, a = at.alpha + alpha, at.a + a - gravity
            m, first, I = self._rigid(i, inertias)
            force = m * a + cross(alpha, first) + cross(at.w, cross(at.w, first))
            moment = cross(first, a) + ca.mtimes(I, alpha) + cross(at.w, ca.mtimes(I, at.w))
            yield link.bodies[0][0], p, force, moment
        for body, (place, _) in self.tree.place.items():  # fixed to a frame
            if place < 0 and body.is_free:
                force, moment, centre = inertia_wrench(inertias[body], self.body(body), gravity)
                yield body, centre, force, moment

    def _rigid(self, link: int, inertias: Inertias) -> tuple[Expr, Expr, Expr]:
        """Mass, first moment and inertia of the bodies on a link about its origin, ground axes."""
        m, h, I = link_inertia(self.tree.links[link], inertias)
        R = self.kinematics.links[link].R
        if is_round(h, I):  # a wheel looks the same at every angle: only its axis counts
            z = R[:, 2]
            return m, z * h[2], I[0, 0] * ca.SX.eye(3) + (I[2, 2] - I[0, 0]) * ca.mtimes(z, z.T)
        return m, ca.mtimes(R, h), turned(I, R)


def is_round(h: Expr, I: Expr) -> bool:
    """Whether first moment and inertia are the same all round the z axis."""
    off = (h[0], h[1], I[0, 1], I[0, 2], I[1, 2])
    return all(v.is_zero() for v in off) and bool(ca.is_equal(I[0, 0], I[1, 1], 4))


def inertia_wrench(inertia: Inertia, body: FrameMotion, gravity: Expr) -> tuple[Expr, Expr, Expr]:
    """Force and moment (at the mass centre) that the acceleration of the body requires, with gravity as an
    acceleration.
    """
    c = ca.mtimes(body.R, inertia.com)
    a = body.a + cross(body.alpha, c) + cross(body.w, cross(body.w, c)) - gravity
    I = turned(inertia.matrix, body.R)
    return inertia.mass * a, ca.mtimes(I, body.alpha) + cross(body.w, ca.mtimes(I, body.w)), body.p + c


def turned(I: Expr, R: Expr) -> Expr:
    """Inertia matrix in ground axes."""
    return ca.mtimes(ca.mtimes(R, I), R.T)


def _square(d: Expr) -> Expr:
    return dot(d, d) * ca.SX.eye(3) - ca.mtimes(d, d.T)


def _steiner(mass: Expr, h: Expr, d: Expr) -> Expr:
    """Change of the inertia when its point of reference moves by -d (h is the first moment about the old point)."""
    hd = ca.mtimes(h, d.T)
    return mass * _square(d) + 2 * dot(h, d) * ca.SX.eye(3) - hd - hd.T
