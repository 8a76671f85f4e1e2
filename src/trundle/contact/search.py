"""Numbers: unit quaternions, and surface coordinates of contacts that are not joints of the tree.

A contact that closes a loop keeps the coordinates it is near to. One that may open, or yields, is loose: wherever its
bodies are, its gap is that of the closest points of the two surfaces.
"""

from typing import final

import casadi as ca
import numpy as np

from trundle.contact.bonds import ContactBonds
from trundle.contact.interfaces import ContactEquations
from trundle.errors import AssemblyError
from trundle.linear_algebra.in_place import InPlace
from trundle.motion.kinematics import normalised
from trundle.pairs.common_normal import nearest
from trundle.typing import AnyArray, Array, Expr

LIMIT = 60  # Newton steps
STRIDE = 0.5  # largest step (rad, or in lengths of the model)
TOUCHES = 1e-9  # of the distances of the contact from the frames: gap below which surfaces touch
WITHIN = np.array([0.1, 0.5, 0.9])  # places on a common normal where surfaces overlap
KEPT = 8  # poses for which the closest points are remembered
SINGULAR = 1e-9  # quality of a contact below which its point is not unique


@final
class ContactSearch:
    """Normalises quaternions and updates surface coordinates; called after every change of coordinates."""

    def __init__(self, equations: ContactEquations, length: float = 1.0) -> None:
        self.equations = equations
        self._contacts: list[Following] = []
        at = equations.motion.n_q
        for bonds in equations.contact_bonds.values():
            count = len(bonds.contact.followers)
            if count:
                self._contacts.append(Following(equations, bonds, slice(at, at + count), max(1.0, length)))
                at += count

    def __call__(self, t: float, q: Array, p: Expr, search: bool = True) -> Array:
        """The pose with unit quaternions and exact surface coordinates. Loose contacts are those of the closest points;
        where Newton's method fails for another, or does not end in a touch, it is searched for all over the surfaces,
        or made nan when no search is wanted.
        """
        q = normalised(q, self.equations.motion.quaternions)
        for contact in self._contacts:
            found = contact.follow(t, q, p)
            if contact.loose:
                if search or found is None:
                    found = contact.closest(t, q, p, found)
            elif search and (found is None or not contact.touches(t, found, p)):
                other = contact.closest(t, q, p, None)  # the contact may lie elsewhere on the surfaces
                if other is not None and (found is None or contact.touches(t, other, p)):
                    found = other
            if found is not None:
                q = found
            elif not search and not contact.loose:
                q[contact.block] = np.nan
        return q

    def needs_of_parameters(self, count: int) -> AnyArray:
        """Which of so many parameters it depends on."""
        found = np.zeros(count, bool)
        for contact in self._contacts:
            found |= contact.needs_of_parameters()
        return found

    def without_loose(self, P: Array) -> Array:
        """Rates of the coordinates by the speeds; those of loose contacts that are singular are left to the search."""
        for contact in self._contacts:
            if contact.loose and not np.all(np.isfinite(P[contact.block])):
                P[contact.block] = 0.0
        return P

    def singular(self, t: float, q: Array, p: Expr) -> bool:
        """Whether a loose contact has no unique point in this pose."""
        q = self(t, q, p)
        return any(contact.loose and not contact.quality(t, q, p) > SINGULAR for contact in self._contacts)

    def overlap(self, contact: str, t: float, q: Array, p: Expr, s: Array) -> tuple[Array, float]:
        """Place and depth of the deepest overlap of a contact that touches, among other common normals s."""
        for following in self._contacts:
            if following.connection.name == contact and following.touches(t, q, p):
                return following.overlap(t, q, p, s)
        return np.zeros(3), 0.0

    def check(self, t: float, q: Array, p: Expr) -> None:
        """AssemblyError if a loose contact has no unique point."""
        for contact in self._contacts:
            if contact.loose:
                contact.check(t, q, p)


@final
class Following:
    """One contact with coordinates that follow the motion."""

    def __init__(self, equations: ContactEquations, bonds: ContactBonds, block: slice, length: float) -> None:
        e, c, pair = equations, bonds.contact, bonds.connection.surface_pair
        self.connection, self.block, self.pair, self._length = bonds.connection, block, pair, length
        self._edges = pair.first.dimension == pair.second.dimension == 1
        self.loose = bonds.connection.unilateral or "z" not in bonds.connection.holds
        facing = ca.dot(c.axes[2], c.opposed)
        out = ca.vertcat(c.gap, facing, c.quality, c.residual, c.corrections)
        self._f = InPlace(ca.Function("settle", [e.t, e.q, e.p], [ca.densify(out)]))
        self._n = block.stop - block.start
        frames = [e.motion.frame(bonds.connection.first), e.motion.frame(bonds.connection.second)]
        sizes = [ca.SX(chart.sizes()) for chart in pair.charts]
        balls = [ca.SX(0.0 if s.ball is None else s.ball) for s in (pair.first, pair.second)]
        outputs = [f.R for f in frames] + [f.p for f in frames] + sizes + [ca.vertcat(*balls)]
        self._place = InPlace(ca.Function("place", [e.t, e.q, e.p], [ca.densify(v) for v in outputs]))
        reach = sum((ca.norm_2(c.point - f.p) for f in frames), ca.SX(0))
        self._reach = InPlace(ca.Function("reach", [e.t, e.q, e.p], [ca.densify(reach)]))
        self._known: dict[bytes, Array | None] = {}

    def needs_of_parameters(self) -> AnyArray:
        """Which parameters it depends on."""
        return self._f.needs(2) | self._place.needs(2) | self._reach.needs(2)

    def gap(self, t: float, q: Array, p: Expr) -> float:
        return float(self._f(t, q, p)[0][0, 0])

    def size(self, t: float, q: Array, p: Expr) -> float:
        """How far the point of contact is from the frames of both surfaces (m)."""
        return float(self._reach(t, q, p)[0][0, 0])

    def touches(self, t: float, q: Array, p: Expr) -> bool:
        """Whether the surfaces touch; gap and size are both zero where points at the origins of their frames meet."""
        return abs(self.gap(t, q, p)) <= TOUCHES * self.size(t, q, p)

    def quality(self, t: float, q: Array, p: Expr) -> float:
        """Zero or nan if the point of contact is not unique."""
        out = self._f(t, q, p)[0].ravel()
        return abs(float(out[2])) if np.all(np.isfinite(out)) else float("nan")

    def follow(self, t: float, q: Array, p: Expr) -> Array | None:
        """Newton's method from the coordinates as they are; None when it does not end in a contact of the outer
        sides.
        """
        q = q.copy()
        for _ in range(LIMIT):
            out = self._f(t, q, p)[0].ravel()
            step = out[3 + self._n :]
            size = float(np.max(np.abs(step)))
            if not np.isfinite(size):
                return None
            q[self.block] += step * min(1.0, STRIDE * self._length / max(size, 1e-300))
            if size < 1e-14 * (1 + float(np.max(np.abs(q[self.block])))):
                break
        else:
            if size > 1e-9:
                return None
        return q if out[1] < 0 else None

    def closest(self, t: float, q: Array, p: Expr, found: Array | None) -> Array | None:
        """The pose with the contact of the closest points; `found` where that is as close."""
        is_touching = found is not None and self.touches(t, found, p)
        if is_touching and not self._edges:
            return found
        s = self._nearest(t, q, p)
        if s is None:
            return found
        other = q.copy()
        other[self.block] = s
        exact = self.follow(t, other, p)
        size = self.size(t, other, p)
        if exact is not None and abs(self.gap(t, exact, p) - self.gap(t, other, p)) < 1e-6 * size:
            other = exact
        if found is None or is_touching:  # by edges, whose two sides touch alike: the outer ones count
            return other
        if abs(self.gap(t, found, p) - self.gap(t, other, p)) < TOUCHES * size:
            return found
        return other

    def overlap(self, t: float, q: Array, p: Expr, s: Array) -> tuple[Array, float]:
        """Place (m) and depth of the deepest overlap among common normals with a gap below zero, by rows of surface
        coordinates; depth zero if there is none.

        Between the ends of such a normal everything is inside both surfaces. Those of the far sides, which every
        contact has too, are not.
        """
        nowhere = np.zeros(3), 0.0
        numbers = self._place(t, q, p)
        R, x, charts = numbers[:2], [v.ravel() for v in numbers[2:4]], self.pair.charts
        surfaces = [chart.numeric(v.ravel()) for chart, v in zip(charts, numbers[4:6], strict=True)]
        if s.shape[1] == 2:  # a ball: the closest point of the other surface is not nearer than its radius
            on = 0 if self.pair.second.ball is not None else 1
            a, b, far = charts[on].closest(surfaces[on], ((x[1 - on] - x[on]) @ R[on])[None, :])
            side = charts[on].placed(surfaces[on], R[on], x[on]).at(np.array([[a[0], b[0]]]))
            along = float(side.normal[0] @ (x[1 - on] - side.point[0]))
            smallest = TOUCHES * self.size(t, q, p)
            at_end = abs(abs(along) - abs(float(far[0]))) > smallest  # an edge, which no surface touches
            depth = float(numbers[6].ravel()[1 - on]) - abs(float(far[0]))
            return nowhere if at_end or depth <= 0 else (side.point[0], depth)
        first, second = (charts[i].placed(surfaces[i], R[i], x[i]).at(s[:, 2 * i : 2 * i + 2]).point for i in range(2))
        between = first + WITHIN[:, None, None] * (second - first)
        good = np.ones(len(s), bool)
        for i in (1, 0):
            points = (between[:, good] - x[i]) @ R[i]
            if points.size:
                far = charts[i].closest(surfaces[i], points.reshape(-1, 3))[2].reshape(points.shape[:2])
                good[good] = np.all(far < 0, axis=0)
        if not np.any(good):
            return nowhere
        depth = np.linalg.norm(second - first, axis=1) * good
        deepest = int(np.argmax(depth))
        return (first[deepest] + second[deepest]) / 2, float(depth[deepest])

    def _nearest(self, t: float, q: Array, p: Expr) -> Array | None:
        """Surface coordinates of the closest points, remembered for a few poses."""
        numbers = self._place(t, q, p)
        key = b"".join(np.ascontiguousarray(v).tobytes() for v in numbers)
        if key not in self._known:
            while len(self._known) >= KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[key] = self._search(numbers)
        return self._known[key]

    def _search(self, numbers: list[Array]) -> Array | None:
        if not all(np.all(np.isfinite(v)) for v in numbers):
            return None
        R, x = numbers[:2], [v.ravel() for v in numbers[2:4]]
        charts = self.pair.charts
        surfaces = [chart.numeric(v.ravel()) for chart, v in zip(charts, numbers[4:6], strict=True)]
        on = 0 if self.pair.second.ball is not None else 1
        if self.pair.first.ball is None and self.pair.second.ball is None:
            found = nearest(*(charts[i].placed(surfaces[i], R[i], x[i]) for i in range(2)))
            return None if found is None else found[0]
        if not (self.pair.first, self.pair.second)[on].carried:
            return None
        centre = R[on].T @ (x[1 - on] - x[on])
        a, b, _ = charts[on].closest(surfaces[on], centre[None, :])
        return np.array([a[0], b[0]])

    def check(self, t: float, q: Array, p: Expr) -> None:
        """AssemblyError if the contact is not found, or its point is not unique."""
        out = self._f(t, q, p)[0].ravel()
        name, first, second = self.connection.name, self.connection.first.body.name, self.connection.touching.name
        where = f"contact {name!r} between {first!r} and {second!r} ({self.pair.title})"
        if not self.quality(t, q, p) > SINGULAR:
            raise AssemblyError(
                f"{where}: the closest points of the two surfaces are not unique at the start; they may touch along "
                f"a line, or a ball may be at the centre of a round surface. Start slightly away from this pose, or "
                f"use other surfaces."
            )
        if np.max(np.abs(out[3 + self._n :])) > 1e-6 or out[1] > 0:
            raise AssemblyError(
                f"{where}: at the start the two surfaces have no common normal along which they could touch; their "
                "closest points may lie at an apex, a cusp or another end of a surface. Start in another pose, or let "
                "a tr.Vertex or an edge touch there."
            )
