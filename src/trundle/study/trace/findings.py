"""Findings along a trace: turning points, singular poses, losses of contact, double contacts."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import final

import numpy as np

from trundle.errors import SolveError
from trundle.linear_algebra.rank import NEAR_SINGULAR, rank_of_values
from trundle.pairs.higher import HigherPair
from trundle.run.trace import Finding
from trundle.study.trace.contact import Fit, FitFunction, Normal, Normals
from trundle.study.trace.locus import Locus
from trundle.study.trace.path import Path, Stretch, turning
from trundle.typing import Array, ModelPart

NEAREST = 1e-9  # part of a stretch, below which a common normal came up as it is
OPEN = 1e-12  # lengths; a smaller gap is round-off of a common normal that parts from the contact itself, pressed in
ROOM = 0.01  # along the curve, to either side of a singular pose


@final
class Finder:
    """Looks along a path."""

    def __init__(self, locus: Locus, path: Path, double_contacts: bool = True) -> None:
        self.locus, self.path, self.p = locus, path, locus.p
        self.smallest = np.array([point.spectrum.smallest for point in path.points])
        e = locus.equations
        self.fits = {name: FitFunction(e, bonds) for name, bonds in e.contact_bonds.items() if _watched(bonds)}
        self.fit_values: dict[str, list[Fit]] = {
            name: [f(point.q, self.p) for point in path.points] for name, f in self.fits.items()
        }
        pairs = {
            name: bonds
            for name, bonds in e.contact_bonds.items()
            if double_contacts and bonds.connection.pair.followers
        }
        self.normals = {name: Normals(e, bonds, locus.formulation.length) for name, bonds in pairs.items()}

    def find(self) -> list[Finding]:
        """All findings in the order in which they are passed."""
        found: list[tuple[float, Finding]] = []
        for search in (self._turning_points, self._singular_poses, self._losses, self._double_contacts):
            found += search()
        return [finding for _, finding in sorted(found, key=lambda item: item[0])]

    def _stretch(self, i: int) -> Stretch:
        return Stretch(self.locus, self.path.points[i], self.path.points[i + 1])

    def _place(self, value: float) -> str:
        return f"{self.locus.coordinate} = {round(value, 12) + 0.0:.12g}"

    # -- turning points ------------------------------------------------------------------------------------------------

    def _turning_points(self) -> Iterator[tuple[float, Finding]]:
        points = self.path.points
        stopped = self.path.turned
        for i in range(len(points) - 1 - stopped):
            stretch = self._stretch(i)
            if stretch.first.slope * stretch.last.slope < 0:
                s = turning(stretch)
                yield i + s / stretch.end, self._turning_point(stretch.value(s), stretch.first.slope > 0)
        if stopped:
            yield len(points) - 1.0, self._turning_point(points[-1].value, points[-2].slope > 0)

    def _turning_point(self, value: float, greatest: bool) -> Finding:
        kind = "greatest" if greatest else "least"
        text = (
            f"turning point at {self._place(value)}: the {kind} value on this part of the curve; the motion turns back."
        )
        return Finding("turning point", value, text)

    # -- singular poses ------------------------------------------------------------------------------------------------

    def _singular_poses(self) -> Iterator[tuple[float, Finding]]:
        points = self.path.points
        last: tuple[int, float] | None = None
        for i in range(len(points) - 1):
            if not (self._flips(i) or self._dips(i)):
                continue
            found = self._locate_singular(i)
            if found is None:
                continue
            value = found[1].value
            if last is None or i > last[0] + 2 or abs(value - last[1]) > 1e-7:  # not the same one from both sides
                yield found
            last = (i, value)

    def _flips(self, i: int) -> bool:
        """Whether the determinant of the constraints, bordered by the tangent, changes its sign in a stretch."""
        from scipy.linalg import qr

        stretch = self._stretch(i)
        a, b = stretch.first, stretch.last
        A, B = (self.locus(point.q)[1] for point in (a, b))
        n = len(a.q)
        rows = sorted(qr(A.T, mode="r", pivoting=True)[1][: n - 1]) if len(A) > n - 1 else list(range(len(A)))
        signs = [np.linalg.slogdet(np.vstack([M[rows], p.direction]))[0] for M, p in ((A, a), (B, b))]
        return bool(signs[0] * signs[1] < 0)

    def _dips(self, i: int) -> bool:
        """Whether the smallest singular value would reach zero within the stretch, seen from both of its sides: so it
        does when two loops fold together, where the determinant keeps its sign.
        """
        smallest = self.smallest
        if min(smallest[i], smallest[i + 1]) < 1e-6:
            return True
        if i == 0 or i + 2 >= len(smallest):
            return False
        way = [self._stretch(k).end for k in (i - 1, i, i + 1)]
        left, right = (smallest[i] - smallest[i - 1]) / way[0], (smallest[i + 1] - smallest[i + 2]) / way[2]
        if left >= 0 or right >= 0:
            return False
        return bool(-smallest[i] / left < 1.3 * way[1] and -smallest[i + 1] / right < 1.3 * way[1])

    def _locate_singular(self, i: int) -> tuple[float, Finding] | None:
        """The zero of the smallest singular value; a sign on one side of it makes it smooth."""
        stretch = self._stretch(i)
        left, right = stretch.first.spectrum.smallest, stretch.last.spectrum.smallest
        guess = stretch.end * left / max(left + right, 1e-300)  # as if it fell and rose in straight lines
        found = _smooth_root(stretch, guess, lambda d, q: float(np.sign(d)) * self.locus.spectrum(q).smallest)
        if found is None:
            return None
        s, q = found
        if rank_of_values(self.locus.spectrum(q).values[: len(q) - 1], NEAR_SINGULAR) == len(q) - 1:
            return None
        value = self.locus.value(q, stretch.first.value)
        loops, lost = self._folded(q)
        text = (
            f"singular pose at {self._place(value)}: the constraints lose {lost} of their rank in "
            f"{', '.join(map(repr, loops))}, and the motion could continue on several branches."
        )
        return i + s / stretch.end, Finding("singular pose", value, text, ", ".join(loops))

    def _folded(self, q: Array) -> tuple[list[str], int]:
        """Connections whose rows depend on each other at a singular pose, and how many ranks are lost."""
        A = self.locus(q)[1]
        U, values, _ = np.linalg.svd(A)
        full = len(q) - 1
        rank = rank_of_values(values[:full], NEAR_SINGULAR)
        share = np.sum(np.abs(U[:, rank:full]), axis=1)
        names = [self.locus.row_owners[k] for k in np.flatnonzero(share > 1e-3 * share.max(initial=1e-300))]
        return list(dict.fromkeys(names)), full - rank

    # -- losses of contact ---------------------------------------------------------------------------------------------

    def _losses(self) -> Iterator[tuple[float, Finding]]:
        for name, fits in self.fit_values.items():
            start = self.path.points[0].value
            if fits[0].curvature < 0:
                text = (
                    f"the contact {name!r} cannot exist at the start, {self._place(start)}: beside the point the "
                    f"surfaces interpenetrate (relative curvature {fits[0].curvature:.3g} 1/m)."
                )
                yield 0.0, Finding("loss of contact", start, text, name)
            for i in range(len(fits) - 1):
                yield from self._balance_lost(name, i, fits[i], fits[i + 1])
                yield from self._surface_left(name, i, fits[i], fits[i + 1])

    def _balance_lost(self, name: str, i: int, a: Fit, b: Fit) -> Iterator[tuple[float, Finding]]:
        stretch, f = self._stretch(i), self.fits[name]
        at_the_end = i == len(self.path.points) - 2 and abs(b.balance) < 1e-9 * abs(a.balance)
        if a.balance * b.balance >= 0 and not at_the_end:
            return
        found = (stretch.end, stretch.last.value)
        if not at_the_end:
            found = self._crossing(i, lambda q: f(q, self.p).balance)
        s, value = found
        if a.curvature > 0 > b.curvature or at_the_end:
            story = "beyond it the surfaces interpenetrate beside the point of contact"
        elif a.curvature < 0 < b.curvature:
            story = "up to it the surfaces interpenetrate beside the point of contact"
        else:
            story = "a relative curvature of the surfaces changes its sign there"
        text = f"loss of contact in {name!r} at {self._place(value)}: {story}."
        yield i + s / stretch.end, Finding("loss of contact", value, text, name)

    def _crossing(self, i: int, f: Callable[[Array], float]) -> tuple[float, float]:
        """Where a function of the pose vanishes in a stretch, and the driven coordinate there."""
        stretch = self._stretch(i)
        low, high = f(stretch.first.q), f(stretch.last.q)
        if self._flips(i) or self._dips(i):
            found = _smooth_root(stretch, stretch.end * low / (low - high), lambda _, q: f(q))
            if found is not None:
                return found[0], self.locus.value(found[1], stretch.first.value)
        s = _root(lambda s: f(stretch(s)), 0.0, stretch.end)
        return s, stretch.value(s)

    def _surface_left(self, name: str, i: int, a: Fit, b: Fit) -> Iterator[tuple[float, Finding]]:
        pair = self.locus.equations.contact_bonds[name].connection.surface_pair
        stretch, f = self._stretch(i), self.fits[name]

        def area(side: int, q: Array) -> float:
            return f(q, self.p).areas[side]

        for side, surface in enumerate((pair.first, pair.second)):
            if a.areas[side] * b.areas[side] < 0:
                s, value = self._crossing(i, partial(area, side))
                text = (
                    f"loss of contact in {name!r} at {self._place(value)}: the point of contact reaches the end of the "
                    f"{type(surface).__name__} (its cusp, apex or fold)."
                )
                yield i + s / stretch.end, Finding("loss of contact", value, text, name)

    # -- double contacts -----------------------------------------------------------------------------------------------

    def _double_contacts(self) -> Iterator[tuple[float, Finding]]:
        last = len(self.path.points) - 1
        for name, normals in self.normals.items():
            known: list[Normal] = []
            for i, point in enumerate(self.path.points):
                found = normals.search(point.q, self.p, known, thorough=i in (0, last))
                for before, now in zip(known, found, strict=False):
                    if now is not None and before.gap * now.gap < 0:
                        yield from self._second_touch(
                            name, normals, i - 1, (0.0, before), (self._stretch(i - 1).end, now)
                        )
                for new in found[len(known) :] if i else ():
                    if new is not None and new.gap < 0:
                        yield from self._touched_since(name, normals, i - 1, new)
                known = [normal for normal in found if normal is not None]

    def _touched_since(self, name: str, normals: Normals, i: int, now: Normal) -> Iterator[tuple[float, Finding]]:
        """The touch of a common normal that came up unseen and is pressed in at the end of a stretch: the stretch in
        which it came up is halved until it is found open; none where it came up so.
        """
        while (found := normals.follow(now, self.path.points[i].q, self.p)) is not None and found.gap < 0 and i:
            if normals.same(found, normals.own(self.path.points[i].q, self.p)):
                break
            i, now = i - 1, found
        stretch = self._stretch(i)
        low, high = 0.0, stretch.end
        while abs(high - low) > NEAREST * abs(stretch.end):
            s = (low + high) / 2
            q = stretch(s)
            found = normals.follow(now, q, self.p)
            if found is None or 0 <= found.gap < OPEN * normals.length or normals.same(found, normals.own(q, self.p)):
                low = s
            elif found.gap < 0:
                high, now = s, found
            else:
                yield from self._second_touch(name, normals, i, (s, found), (high, now))
                return

    def _second_touch(
        self, name: str, normals: Normals, i: int, begin: tuple[float, Normal], end: tuple[float, Normal]
    ) -> Iterator[tuple[float, Finding]]:
        stretch = self._stretch(i)
        (first, before), (last, now) = begin, end

        def normal(s: float) -> Normal | None:
            if s in (first, last):
                return before if s == first else now
            x = (s - first) / (last - first)
            return normals.follow(Normal(before.s + x * (now.s - before.s), 0.0, before.point), stretch(s), self.p)

        def gap(s: float) -> float:
            found = normal(s)
            return np.nan if found is None else found.gap

        s = _root(gap, first, last)
        found = normal(s) if np.isfinite(s) else None
        if found is None or not abs(found.gap) < 1e-9:
            return
        value = stretch.value(s)
        place = ", ".join(f"{v:.6g}" for v in found.point)
        story = "touch in a second point" if before.gap > 0 else "part again in a second point"
        text = f"double contact in {name!r} at {self._place(value)}: the surfaces {story}, ({place}) m."
        yield i + s / stretch.end, Finding("double contact", value, text, name)


def _watched(bonds: ModelPart) -> bool:
    """Whether the curvatures of a contact can change: those of two balls, or of circles, lines and vertices in a plane,
    do not.
    """
    pair = bonds.connection.pair
    return isinstance(pair, HigherPair) and (pair.first.ball is None or pair.second.ball is None)


def _smooth_root(stretch: Stretch, s: float, f: Callable[[float, Array], float]) -> tuple[float, Array] | None:
    """Zero near s of a smooth function of (distance from s, pose), and the pose there: by polynomials through poses
    that keep off it, for a pose that cannot be computed well itself.
    """
    room = max(0.3 * abs(stretch.end), ROOM)
    steps = room * np.array([-1.0, -0.8, -0.6, -0.4, 0.4, 0.6, 0.8, 1.0])
    for _ in range(4):
        try:
            poses = np.array([stretch(s + d) for d in steps])
        except SolveError:
            return None
        fit = np.polynomial.Polynomial.fit(steps, [f(d, q) for d, q in zip(steps, poses, strict=True)], 7)
        near = [float(r.real) for r in fit.roots() if abs(r.imag) < 1e-9 * room and abs(r.real) < room]
        if not near:
            return None
        d = min(near, key=abs)
        if abs(d) < 0.2 * room:
            q = np.array([float(np.polynomial.Polynomial.fit(steps, column, 7)(d)) for column in poses.T])
            return s + d, q
        s += d
    return None


def _root(f: Callable[[float], float], begin: float, end: float) -> float:
    """Zero between begin and end; not a number where the function has none."""
    from scipy.optimize import brentq

    try:
        return float(brentq(f, begin, end, xtol=1e-15, rtol=1e-14))
    except (ValueError, RuntimeError):
        return float("nan")
