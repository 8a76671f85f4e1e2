"""Forward dynamics of a tree in O(n): articulated bodies in link frames [Featherstone 2008, chapter 7].

Two differences from the book save operations: accelerations are those of the link's origin (not spatial accelerations),
so linear velocities are not needed; and every transformation is a rotation about z, a slide, a rotation about x and a
shift, applied to the 21 numbers of a symmetric articulated inertia [A H; H' M]: A11 A12 A13 A22 A23 A33, H11 ... H33 by
rows, M11 M12 M13 M22 M23 M33.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, final

import casadi as ca

from trundle.motion.kinematics import Kinematics, sine_cosine
from trundle.motion.links import Link, Tree
from trundle.motion.motion import Inertias, Loads
from trundle.space.rotation import cross, rotation_from_quaternion
from trundle.typing import Expr, Maker, TapeFunction

UPPER = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]  # entries of a symmetric block, as stored


def template(n_in: tuple[int, ...]) -> Callable[[Maker], Maker]:
    """Write a formula in scalars once; afterwards it is expanded by CasADi, which is faster than Python."""

    def wrap(formula: Maker) -> Maker:
        @lru_cache(maxsize=1)
        def function() -> TapeFunction:
            inputs = [ca.SX.sym(f"i{k}", n) for k, n in enumerate(n_in)]
            return ca.Function(formula.__name__, inputs, [ca.densify(ca.vertcat(*formula(*inputs)))])

        return lambda *args: function()(*[a if type(a) is ca.SX else ca.SX(a) for a in args])

    return wrap


@template((1, 1, 3))
def vector_z(c: Expr, s: Expr, v: Expr) -> Expr:
    """Rz v."""
    return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]


@template((1, 1, 3))
def vector_x(c: Expr, s: Expr, v: Expr) -> Expr:
    """Rx v."""
    return [v[0], c * v[1] - s * v[2], s * v[1] + c * v[2]]


def _turn(c: Expr, s: Expr, I: Expr, axis: int) -> Expr:
    """Rotate all three blocks about z (axis 2) or x (axis 0); a block of two axes takes one product with the double
    angle.
    """
    i, j, k = ((axis + 1) % 3, (axis + 2) % 3, axis)
    S = {}
    for name, at in (("A", 0), ("M", 15)):
        a = {(r, q): I[at + n] for n, (r, q) in enumerate(UPPER)} | {
            (q, r): I[at + n] for n, (r, q) in enumerate(UPPER)
        }
        e = s * (a[i, i] - a[j, j]) + c * (2 * a[i, j])
        S[name, i, i] = a[i, i] - s * e
        S[name, j, j] = a[j, j] + s * e
        S[name, min(i, j), max(i, j)] = c * e - a[i, j]
        S[name, min(i, k), max(i, k)] = c * a[i, k] - s * a[j, k]
        S[name, min(j, k), max(j, k)] = s * a[i, k] + c * a[j, k]
        S[name, k, k] = a[k, k]
    H = {(r, q): I[6 + 3 * r + q] for r in range(3) for q in range(3)}
    e = s * (H[i, i] - H[j, j]) + c * (H[i, j] + H[j, i])
    G = {
        (i, i): H[i, i] - s * e,
        (j, j): H[j, j] + s * e,
        (i, j): c * e - H[j, i],
        (j, i): c * e - H[i, j],
        (i, k): c * H[i, k] - s * H[j, k],
        (j, k): s * H[i, k] + c * H[j, k],
        (k, i): c * H[k, i] - s * H[k, j],
        (k, j): s * H[k, i] + c * H[k, j],
        (k, k): H[k, k],
    }
    return (
        [S["A", r, q] for r, q in UPPER]
        + [G[r, q] for r in range(3) for q in range(3)]
        + [S["M", r, q] for r, q in UPPER]
    )


@template((1, 1, 21))
def inertia_z(c: Expr, s: Expr, I: Expr) -> Expr:
    return _turn(c, s, I, 2)


@template((1, 1, 21))
def inertia_x(c: Expr, s: Expr, I: Expr) -> Expr:
    return _turn(c, s, I, 0)


@template((3, 21))
def inertia_shift(r: Expr, I: Expr) -> Expr:
    """Referred to a point at -r, with r^ for the matrix of r x: H' = H + r^ M,  A' = A + r^ H^T - H' r^."""
    A, H, M = blocks(I)
    X = ca.skew(r)
    G = H + ca.mtimes(X, M)
    A = A + ca.mtimes(X, H.T) - ca.mtimes(G, X)
    return [A[i, j] for i, j in UPPER] + [G[i, j] for i in range(3) for j in range(3)] + [M[i, j] for i, j in UPPER]


def blocks(I: Expr) -> list[Expr]:
    """A, H, M as 3x3 matrices."""
    return _apart().call([I])  # type: ignore[no-any-return]


def pack(A: Expr, H: Expr, M: Expr) -> Expr:
    """The 21 numbers of A, H and M."""
    return _together().call([A, H, M])[0]


@lru_cache(maxsize=1)
def _apart() -> TapeFunction:
    """Entries are moved by a CasADi function too: entry by entry in Python it would take most of the time."""
    I = ca.SX.sym("I", 21)

    def symmetric(v: Expr) -> Expr:
        rows = [[v[0], v[1], v[2]], [v[1], v[3], v[4]], [v[2], v[4], v[5]]]
        return ca.vertcat(*[ca.horzcat(*row) for row in rows])

    return ca.Function("apart", [I], [symmetric(I[0:6]), ca.reshape(I[6:15], 3, 3).T, symmetric(I[15:21])])


@lru_cache(maxsize=1)
def _together() -> TapeFunction:
    A, H, M = (ca.SX.sym(name, 3, 3) for name in "AHM")
    entries = [A[i, j] for i, j in UPPER] + [H[i, j] for i in range(3) for j in range(3)] + [M[i, j] for i, j in UPPER]
    return ca.Function("together", [A, H, M], [ca.vertcat(*entries)])


def link_inertia(link: Link, inertias: Inertias) -> Expr:
    """Rigid inertia of all bodies on a link, about its origin: (mass, first moment, inertia)."""
    m, h, I = ca.SX(0), ca.SX.zeros(3), ca.SX.zeros(3, 3)
    for body, pose in link.bodies:
        part = inertias[body]
        R = ca.DM(pose.R)
        d = pose.p + ca.mtimes(R, part.com)
        m, h = m + part.mass, h + part.mass * d
        I = (
            I
            + ca.mtimes(ca.mtimes(R, part.matrix), R.T)
            + part.mass * (ca.dot(d, d) * ca.SX.eye(3) - ca.mtimes(d, d.T))
        )
    return m, h, I


@final
class RootLoad(NamedTuple):
    """Force and moment of a root of the tree on the first link of a branch, about the root's origin, in its axes."""

    link: Link
    force: Expr
    moment: Expr


@final
class TreeDynamics(NamedTuple):
    """udot, and the loads that the roots exert on the branches."""

    udot: Expr
    root_loads: list[RootLoad]


def forward_dynamics(
    tree: Tree, motion: Kinematics, inertias: Inertias, gravity: Expr, loads: Loads, efforts: Expr
) -> TreeDynamics:
    """Accelerations of a tree; efforts act along the speeds."""
    links, q, u, roots = tree.links, motion.q, motion.u, motion.roots
    spin: list[Expr] = []  # angular velocity in link axes
    stages: list[_Stage] = []
    for link in links:  # outwards: velocities
        stage = _Stage(link, q, u, spin[link.parent] if link.parent >= 0 else roots[-1 - link.parent].w)
        stages.append(stage)
        spin.append(stage.w)
    IA: list[Expr] = []
    pn: list[Expr] = []
    pf: list[Expr] = []
    for i, link in enumerate(links):
        m, h, I = link_inertia(link, inertias)
        w = spin[i]
        IA.append(pack(I, ca.skew(h), m * ca.SX.eye(3)))
        n, f = cross(w, ca.mtimes(I, w)), cross(w, cross(w, h))
        for body, _ in link.bodies:
            for _, point, F, M in loads.get(body, ()):
                world = motion.links[i]
                f = f - ca.mtimes(world.R.T, F)
                n = n - ca.mtimes(world.R.T, M + cross(point - world.p, F))
        pn.append(n)
        pf.append(f)
    root_loads: list[RootLoad] = []
    for i in reversed(range(len(links))):  # inwards: articulated inertia and bias
        link, parent = links[i], links[i].parent
        effort = efforts[link.i_u : link.i_u + link.n_u]
        I, n, f = stages[i].articulate(IA[i], pn[i], pf[i], effort)
        if parent >= 0:
            IA[parent], pn[parent], pf[parent] = IA[parent] + I, pn[parent] + n, pf[parent] + f
        else:
            root = roots[-1 - parent]
            (A, H, M), a = blocks(I), root.proper_acceleration(gravity)
            force = f + ca.mtimes(H.T, root.alpha) + ca.mtimes(M, a)
            root_loads.append(RootLoad(link, force, n + ca.mtimes(A, root.alpha) + ca.mtimes(H, a)))
    udot = ca.SX.zeros(tree.n_u)
    angular: list[Expr] = []
    linear: list[Expr] = []
    for i, link in enumerate(links):  # outwards: accelerations
        if link.parent >= 0:
            alpha, a = angular[link.parent], linear[link.parent]
        else:
            root = roots[-1 - link.parent]
            alpha, a = root.alpha, root.proper_acceleration(gravity)
        alpha, a, rates = stages[i].accelerate(alpha, a)
        angular.append(alpha)
        linear.append(a)
        udot[link.i_u : link.i_u + link.n_u] = rates
    return TreeDynamics(udot, root_loads)


class _Stage:
    """One link: its transformation and the intermediate results of the three passes."""

    def __init__(self, link: Link, q: Expr, u: Expr, w_parent: Expr) -> None:
        self.link = link
        zero = ca.SX.zeros(3)
        if link.kind == "ball":
            assert link.fixed is not None
            R_q = rotation_from_quaternion(q[link.i_q : link.i_q + 4])
            R_q = R_q.T if link.reverse else R_q
            self.R = ca.mtimes(ca.SX(ca.densify(ca.DM(link.fixed.R))), R_q)
            self.shift = link.fixed.p
            self.centripetal = cross(w_parent, cross(w_parent, self.shift))
            rate = u[link.i_u : link.i_u + 3]
            before = ca.mtimes(self.R.T, w_parent)
            self.axes = -R_q.T if link.reverse else ca.densify(ca.SX.eye(3))  # of the speeds, in link axes
            turn = ca.mtimes(self.axes, rate)
            self.w = before + turn
            self.c_angular, self.c_linear = cross(before, turn), zero
            return
        s_g, c_g = sine_cosine(link.g)
        self.g = (c_g, s_g)
        s_a, c_a = sine_cosine(link.alpha)
        self.alpha = (c_a, s_a)
        x, rate = q[link.i_q], u[link.i_u]
        self.shift = link.shift
        w = w_parent if link.g == 0.0 else vector_z(c_g, -s_g, w_parent)
        self.centripetal = cross(w, cross(w, link.shift))
        w = w if link.alpha == 0.0 else vector_x(c_a, -s_a, w)
        if link.kind == "slide":
            s_t, c_t = sine_cosine(link.turn)
            self.z = (ca.SX(c_t), ca.SX(s_t))
            self.slide = x + link.slide
        else:
            angle = x + link.turn
            self.z = (ca.cos(angle), ca.sin(angle))
            self.slide = link.pitch * x + link.slide
        d = self.slide
        self.along = ca.vertcat(w[0] * w[2] * d, w[1] * w[2] * d, -(w[0] * w[0] + w[1] * w[1]) * d)  # w x (w x d z)
        w = vector_z(self.z[0], -self.z[1], w)
        turning = rate if link.kind != "slide" else ca.SX(0)
        sliding = {"turn": ca.SX(0), "slide": rate, "helix": link.pitch * rate}[link.kind]
        self.c_angular = ca.vertcat(w[1] * turning, -w[0] * turning, 0)
        self.c_linear = ca.vertcat(2 * w[1] * sliding, -2 * w[0] * sliding, 0)
        self.w = ca.vertcat(w[0], w[1], w[2] + turning)

    def articulate(self, I: Expr, n: Expr, f: Expr, effort: Expr) -> tuple[Expr, Expr, Expr]:
        """Project the link's freedom out of its articulated inertia and pass the rest to the parent."""
        if self.link.kind == "ball":
            return self._articulate_ball(I, n, f, effort)
        A, H, M = blocks(I)
        h = self.link.pitch
        if self.link.kind == "slide":
            U_n, U_f, drive = H[:, 2], M[:, 2], f[2]
            D = U_f[2]
        else:
            U_n, U_f, drive = A[:, 2], H[2, :].T, n[2]
            D = U_n[2]
            if self.link.kind == "helix":
                U_n, U_f, drive = U_n + h * H[:, 2], U_f + h * M[:, 2], drive + h * f[2]
                D = U_n[2] + h * U_f[2]
        inverse = 1 / D
        self.U_n, self.U_f, self.inverse, self.drive = U_n, U_f, inverse, effort - drive
        N, F = U_n * inverse, U_f * inverse
        if self.link.kind == "slide":  # the row of the freedom is exactly zero afterwards
            F = ca.vertcat(F[0], F[1], 1)
        elif self.link.kind == "turn":
            N = ca.vertcat(N[0], N[1], 1)
        A, H, M = A - ca.mtimes(N, U_n.T), H - ca.mtimes(N, U_f.T), M - ca.mtimes(F, U_f.T)
        if self.link.kind == "slide":
            H[:, 2], M[2, :], M[:, 2] = 0, 0, 0
        elif self.link.kind == "turn":
            A[2, :], A[:, 2], H[2, :] = 0, 0, 0
        n = n + ca.mtimes(A, self.c_angular) + ca.mtimes(H, self.c_linear) + N * self.drive
        f = f + ca.mtimes(H.T, self.c_angular) + ca.mtimes(M, self.c_linear) + F * self.drive
        I, n, f = inertia_z(*self.z, pack(A, H, M)), vector_z(*self.z, n), vector_z(*self.z, f)
        if not ca.SX(self.slide).is_zero():
            _, H, M = blocks(I)
            n, f = n + ca.mtimes(H, self.along), f + ca.mtimes(M, self.along)
            r = ca.vertcat(0, 0, self.slide)
            I, n = inertia_shift(r, I), n + cross(r, f)
        if self.link.alpha != 0.0:
            I, n, f = inertia_x(*self.alpha, I), vector_x(*self.alpha, n), vector_x(*self.alpha, f)
        I, n, f = self._to_parent(I, n, f)
        if self.link.g != 0.0:
            I, n, f = inertia_z(*self.g, I), vector_z(*self.g, n), vector_z(*self.g, f)
        return I, n, f

    def _to_parent(self, I: Expr, n: Expr, f: Expr) -> tuple[Expr, Expr, Expr]:
        _, H, M = blocks(I)
        n, f = n + ca.mtimes(H, self.centripetal), f + ca.mtimes(M, self.centripetal)
        return inertia_shift(self.shift, I), n + cross(self.shift, f), f

    def _articulate_ball(self, I: Expr, n: Expr, f: Expr, effort: Expr) -> tuple[Expr, Expr, Expr]:
        A, H, M = blocks(I)
        self.H, self.drive = H, ca.mtimes(self.axes, effort) - n
        self.solve = _inverse_symmetric(A)
        G = ca.mtimes(self.solve, H)
        M = M - ca.mtimes(H.T, G)
        f = f + ca.mtimes(G.T, self.drive)  # with A and H gone, the angular bias does not reach the parent
        n = ca.mtimes(self.axes, effort)
        zero = ca.SX.zeros(3, 3)
        M = ca.mtimes(ca.mtimes(self.R, M), self.R.T)
        return self._to_parent(pack(zero, zero, M), ca.mtimes(self.R, n), ca.mtimes(self.R, f))

    def accelerate(self, alpha: Expr, a: Expr) -> tuple[Expr, Expr, Expr]:
        """Accelerations of the link (link axes) and of its coordinate, from those of the parent."""
        if self.link.kind == "ball":
            a = ca.mtimes(self.R.T, a + cross(alpha, self.shift) + self.centripetal)
            alpha = ca.mtimes(self.R.T, alpha) + self.c_angular
            total = ca.mtimes(self.solve, self.drive - ca.mtimes(self.H, a))
            return total, a, ca.mtimes(self.axes.T, total - alpha)
        if self.link.g != 0.0:
            alpha, a = vector_z(self.g[0], -self.g[1], alpha), vector_z(self.g[0], -self.g[1], a)
        a = a + cross(alpha, self.shift) + self.centripetal
        if self.link.alpha != 0.0:
            c, s = self.alpha
            alpha, a = vector_x(c, -s, alpha), vector_x(c, -s, a)
        a = a + cross(alpha, ca.vertcat(0, 0, self.slide)) + self.along
        cosine, sine = self.z
        alpha = vector_z(cosine, -sine, alpha) + self.c_angular
        a = vector_z(cosine, -sine, a) + self.c_linear
        U_n, U_f = self.U_n, self.U_f
        rest = self.drive - U_n[0] * alpha[0] - U_n[1] * alpha[1] - U_f[0] * a[0] - U_f[1] * a[1]
        if self.link.kind == "turn":
            total = (rest - U_f[2] * a[2]) * self.inverse
            return ca.vertcat(alpha[0], alpha[1], total), a, total - alpha[2]
        if self.link.kind == "slide":
            total = (rest - U_n[2] * alpha[2]) * self.inverse
            return alpha, ca.vertcat(a[0], a[1], total), total - a[2]
        rate = (rest - U_n[2] * alpha[2] - U_f[2] * a[2]) * self.inverse
        z = ca.vertcat(0, 0, rate)
        return alpha + z, a + self.link.pitch * z, rate


def _inverse_symmetric(A: Expr) -> Expr:
    """Inverse of a symmetric 3x3 matrix by cofactors."""
    a, b, c, d, e, f = A[0, 0], A[0, 1], A[0, 2], A[1, 1], A[1, 2], A[2, 2]
    if b.is_zero() and c.is_zero() and e.is_zero():
        return ca.diag(ca.vertcat(1 / a, 1 / d, 1 / f))
    C = [d * f - e * e, c * e - b * f, b * e - c * d, a * f - c * c, b * c - a * e, a * d - b * b]
    k = 1 / (a * C[0] + b * C[1] + c * C[2])
    C = [k * value for value in C]
    return ca.vertcat(ca.horzcat(C[0], C[1], C[2]), ca.horzcat(C[1], C[3], C[4]), ca.horzcat(C[2], C[4], C[5]))
