"""Second points of contact in a run: other common normals of the two surfaces, whose gap must stay above that of the
contact.

The compiled loops track them along the steps (`integrate.other_normals`). A contact that is open moves on to a point
that has come nearer; where surfaces that touch meet in a second point the run ends, at the time at which its gap
vanishes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import casadi as ca
import numpy as np

from trundle.contact.geometry import loop_contact
from trundle.contact.search import ContactSearch
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.codes import FAR, STRIDE
from trundle.integrate.options import OtherNormal
from trundle.integrate.outcome import DOUBLE_CONTACT, Outcome
from trundle.integrate.problem import OtherNormals, Problem
from trundle.integrate.trajectory import Trajectory
from trundle.kernel import Kernel
from trundle.model.connection import ConnectedPair
from trundle.pairs.higher import HigherPair
from trundle.space.rotation import dot
from trundle.study.common_normals import Normals
from trundle.study.trace.contact import search_reach
from trundle.typing import Array, TapeFunction

NEARER = 1e-8  # of the length of the model, by which another place must be nearer
AWAY = 1e-4  # of the length of the model: nearer normals are the contact itself
AT_START = 96  # places of the search at a start
SHALLOW = 0.5  # of the length of the model: deepest overlap at the end of a run that is looked into
LAST_STEPS = 64  # before its end, in which a run may have passed a second touch unseen
KNOWN = 6  # common normals that a run begins with; the other lanes look for more
LOOK_BACK = np.geomspace(1.0, 1e-5, 200)  # of the run, before its end
SAME = 0.05  # of the reach, between two looks at one common normal
NOT_ZERO = 1e-300
AHEAD = 1e-6  # change of the state, over itself, in which a rate is measured
TOUCHES = 1e-6  # of the length of the model: gap at a second touch


def may_touch_twice(c: ConnectedPair) -> bool:
    """Whether two surfaces can touch in more than one point: not where both are convex."""
    pair = c.pair
    if not isinstance(pair, HigherPair) or not pair.followers:
        return False
    return not all(s.convex and not s.hollow for s in (pair.first, pair.second))


def is_loose(c: ConnectedPair) -> bool:
    """Whether a contact may be open, or yields."""
    return c.unilateral or "z" not in c.holds


def contacts_touching_twice(f: Formulation) -> list[ConnectedPair]:
    """Contacts that may touch twice."""
    return [c for c in f.model.connections.values() if may_touch_twice(c)]


def other_normal_kernels(f: Formulation) -> dict[str, TapeFunction]:
    """For each contact a function of [coordinates, x]; see `integrate.other_normals` for what it gives."""
    e, functions = f.functions.equations, {}
    t, x, p = f.functions.inputs
    for i, (c, reach) in enumerate(zip(f.once(contacts_touching_twice), f.once(_reaches), strict=True)):
        pair, own = c.surface_pair, e.contact_bonds[c.name].contact
        s = ca.SX.sym("s", len(pair.followers))
        contact = loop_contact(pair, e.motion.frame(c.first), e.motion.frame(c.second), s)
        at = [e.signals[f"{c.name}.{name}"] for name in pair.followers]
        distance = ca.norm_2(contact.point - own.point)
        above = ca.fmax(own.gap, 0) if is_loose(c) else 0
        size = ca.mmax(ca.fabs(contact.corrections * (1 / reach)))  # of nan and a number it gives the number
        size = ca.if_else(ca.fabs(ca.sum1(contact.corrections)) < np.inf, size, np.inf)
        step = contact.corrections * ca.fmin(1, STRIDE / ca.fmax(size, NOT_ZERO))
        outputs = (
            step, contact.gap - above, contact.gap, dot(contact.axes[2], contact.opposed),
            contact.quality, distance, ca.vertcat(*at), contact.point, size,
        )  # fmt: skip
        functions[f"normal{i}"] = ca.Function("normal", [t, ca.vertcat(s, x), p], [ca.densify(ca.vertcat(*outputs))])
    return functions


def _reaches(f: Formulation) -> list[Array]:
    """How far the search goes in each coordinate of each contact that may touch twice."""
    found = []
    for c in f.once(contacts_touching_twice):
        pair = c.surface_pair
        known = {k.name: k for chart in pair.charts for k in chart.coordinates}
        found.append(np.array([search_reach(known[name], f.length) for name in pair.followers]))
    return found


def other_normals_of(f: Formulation) -> OtherNormals | None:
    """What the loops track; None if no contact can touch twice."""
    return f.once(_other_normals)


def _kernels(f: Formulation) -> dict[str, Kernel]:
    return f.kernels(f"other common normals in lanes, strides of {STRIDE}", other_normal_kernels, wide=True)


def _other_normals(f: Formulation) -> OtherNormals | None:
    found = f.once(contacts_touching_twice)
    if not found:
        return None
    kernels = f.once(_kernels)
    wide = tuple(kernels[f"normal{i}"] for i in range(len(found)))
    return OtherNormals(wide, tuple(f.once(_reaches)), tuple(map(is_loose, found)), AWAY * f.length)


def _normals(f: Formulation) -> list[Normals]:
    searched = other_normals_of(f)
    if searched is None:
        return []
    return [
        Normals(k, reach, searched.away) for k, reach in zip(f.once(_kernels).values(), searched.reach, strict=True)
    ]


def overlaps_at(f: Formulation, t: float, x: Array, p: Array) -> list[tuple[int, Array]]:
    """Common normals with a gap a little below zero, of contacts that cannot open: which contact, and coordinates."""
    known = zip(f.once(contacts_touching_twice), f.once(_normals), strict=True)
    return [
        (i, s)
        for i, (c, normals) in enumerate(known)
        if not is_loose(c)
        for s, values in zip(*normals.search(t, x, p, AT_START), strict=True)
        if -SHALLOW * f.length < values[normals.n + 1] < 0
    ]


def overlapping(f: Formulation, t: Array, x: Array, p: Array) -> Array:
    """For each of many states whether contacts that cannot open overlap a little elsewhere."""
    found = np.zeros(len(t), bool)
    for c, normals in zip(f.once(contacts_touching_twice), f.once(_normals), strict=True):
        if not is_loose(c):
            found |= normals.overlapping(t, x, p, AT_START, SHALLOW * f.length)
    return found


def normals_at_start(f: Formulation, q: Array, t: float, x: Array, p: Array) -> tuple[Array, ...]:
    """Other common normals of each contact at the start, at joint coordinates q, nearest first: rows of coordinates and
    of the gap above that of the contact. SolveError where two surfaces that touch overlap elsewhere.
    """
    known = []
    for c, normals in zip(f.once(contacts_touching_twice), f.once(_normals), strict=True):
        s, found = normals.search(t, x, p, AT_START)
        value, behind = found[:, normals.n], s[found[:, normals.n + 1] < 0]
        place, depth = f.contact_search.overlap(c.name, t, q, p, behind) if len(behind) else (behind, 0.0)
        if depth > NEARER * f.length:
            at = ", ".join(f"{v:.6g}" for v in place)
            raise SolveError(
                f"contact {c.name!r}: at the start the surfaces ({c.pair.title}) overlap elsewhere, by {depth:.4g} m "
                f"at ({at}) m. {DOUBLE_CONTACT.remedy}"
            )
        ahead = np.column_stack([s, value])[value > 0]
        known.append(ahead[np.argsort(ahead[:, -1])][:KNOWN])
    return tuple(known)


def normals_until(f: Formulation, t: float, x: Array, p: Array, known: tuple[Array, ...]) -> float:
    """The time up to which no gap of the common normals at the start shrinks by more than a third, by its rate there;
    at once where none is known. Along a normal that is common the gap does not depend on the coordinates.
    """
    if not sum(map(len, known)):
        return -np.inf
    rates, until = np.array(f.kernels("base")["rhs"](t, x, p)), np.inf
    ahead = AHEAD * np.max(np.abs(x), initial=NOT_ZERO) / np.max(np.abs(rates), initial=NOT_ZERO)
    for normals, rows in zip(f.once(_normals), known, strict=True):
        if len(rows):
            s, value = rows[:, : normals.n], rows[:, normals.n]
            later = normals.values(t + ahead, s, x + ahead * rates, p)[:, normals.n]
            with np.errstate(over="ignore"):  # of surfaces beyond all lengths: never
                shrinks = value * ahead / np.maximum(FAR * np.abs(later - value), NOT_ZERO)
            until = min(until, float(np.min(shrinks)))
    return t + until


@final
@dataclass(frozen=True, eq=False)
class Second:
    """A common normal whose gap is above zero at one time and below zero at another one."""

    contact: int
    s: Array  # coordinates, where it is below
    s_before: Array
    before: float
    after: float


@final
class Watch:
    """Answers the loop when a gap at another common normal vanishes, and keeps what ends the run."""

    def __init__(self, f: Formulation) -> None:
        self.formulation = f
        self.any_loose = any(map(is_loose, f.once(contacts_touching_twice)))
        self.second: Second | None = None
        self.born_inside: list[Second] = []

    def dismiss(self) -> None:
        """The normal found has never touched from outside: keep it as known, and search for others."""
        assert self.second is not None
        self.born_inside.append(self.second)
        self.second = None

    def knows(self, second: "Second") -> bool:
        """Whether this one was dismissed before."""
        reach = self.formulation.once(_normals)[second.contact].reach
        return any(
            other.contact == second.contact
            and second.before <= other.after
            and other.before <= second.after
            and np.all(np.abs(second.s - other.s) <= SAME * reach)
            for other in self.born_inside
        )

    def __call__(self, reached: OtherNormal) -> Outcome | Array | None:
        """The run ends at a second touch; an open contact continues with its closest points."""
        f = self.formulation
        c, normals = f.once(contacts_touching_twice)[reached.contact], f.once(_normals)[reached.contact]
        s, found = normals.solved(reached.t, reached.s[None, :], reached.x, reached.p)
        value, gap = found[0, normals.n : normals.n + 2]
        if not value < 0:
            return None
        if is_loose(c) and gap > max(value, 0):  # the contact is open, and so is the other place
            return self.moved_on(reached.t, reached.x, reached.p)
        after, at = reached.t, s[0]
        for t, x in zip(reached.trail_t[::-1], reached.trail_x[::-1], strict=True):
            if t < after:
                back, (found,) = normals.solved(float(t), at[None, :], x, reached.p)
                if found[normals.n + 1] > 0:
                    second = Second(reached.contact, at, back[0], float(t), after)
                    if self.knows(second):
                        return None
                    self.second = second
                    return DOUBLE_CONTACT
                if not found[normals.n + 1] < 0:
                    return None
                at, after = back[0], float(t)
        return None

    def look_at_end(self, found: Trajectory) -> None:
        """Whether surfaces that touch overlap a little elsewhere at the end of a run, which they have not done before:
        between two of its last steps.
        """
        f, trail, t, x, p = self.formulation, found.trail, found.t_end, found.x_end, found.p_end
        if trail is None:
            return
        last = slice(max(len(trail.t) - LAST_STEPS, 0), None)
        for contact, s in overlaps_at(f, t, x, p):
            if self(OtherNormal(contact, s, t, x, p, trail.t[last], trail.x[last])) is DOUBLE_CONTACT:
                return

    def moved_on(self, t: float, x: Array, p: Array) -> Array | None:
        """The state with the closest points of open contacts, searched for anew; None if they are no closer."""
        f = self.formulation
        other = x.copy()
        other[: f.n_q] = f.once(_searches)(t, x[: f.n_q], p)
        for c, normals in zip(f.once(contacts_touching_twice), f.once(_normals), strict=True):
            before, now = (normals.own_gap(t, state, p) for state in (x, other))
            if is_loose(c) and before > 0 and now < before - NEARER * f.length:
                return other
        return None


def _searches(f: Formulation) -> ContactSearch:
    return ContactSearch(f.equations, f.length)


def at_second_touch(f: Formulation, watch: Watch, run: Callable[[float], Trajectory]) -> Trajectory | None:
    """The run up to the second touch that was found; `run(t)` makes it up to a time.

    None if the common normal is lost on the way, so that its gap above zero was that of another one: surfaces that
    touch again do so by a gap that shrinks to nothing.
    """
    from scipy.optimize import brentq

    assert watch.second is not None
    second = watch.second
    normals, near = f.once(_normals)[second.contact], {second.after: second.s, second.before: second.s_before}

    def value(t: float) -> float:
        end, known = run(t), sorted(near, key=lambda time: abs(time - t))
        for start in known[:2]:
            s, gap = normals.gap(t, near[start], end.x_end, end.p_end)
            if np.isfinite(gap):
                near[t] = s
                return gap
        return np.nan

    try:
        t = float(brentq(value, second.before, second.after, xtol=1e-14, rtol=1e-14))
    except ValueError:  # not a number, or no change of sign
        return None
    if not abs(value(t)) < TOUCHES * f.length:
        return None
    found = run(t)
    name = f.once(contacts_touching_twice)[second.contact].name
    point = normals.values(t, near[t][None, :], found.x_end, found.p_end)
    place = ", ".join(f"{v:.6g}" for v in point[0, 2 * normals.n + 5 : 2 * normals.n + 8])
    sentence = DOUBLE_CONTACT.sentence.format(contact=repr(name), place=f"({place}) m")
    return replace(found, outcome=replace(DOUBLE_CONTACT, sentence=sentence))


def find_earlier_touch(
    f: Formulation, t0: float, lost: Trajectory, watch: Watch, run: Callable[[Array], Trajectory]
) -> Second | None:
    """The second touch before a contact was lost, if there was one that is not known to have appeared inside: by common
    normals with a gap below zero at the end, followed back until it is above. The run began at t0; `run(times)` makes
    it with samples at these times.
    """
    t1 = lost.t_end
    if other_normals_of(f) is None or not t1 > t0:
        return None
    times = t1 - (t1 - t0) * LOOK_BACK
    found = run(times)
    times = times[times <= found.t_end]  # where the contact is nearly singular, a run may break off before the end
    if not len(times) or not np.array_equal(found.t[: len(times)], times):
        return None
    p, first = found.parameters(), None
    for contact, normals in enumerate(f.once(_normals)):
        last = len(times) - 1
        s = normals.behind(times[last], found.x[last], p[last])
        for i in range(last - 1, -1, -1):
            if not len(s):
                break
            after, (s, values) = s, normals.solved(times[i], s, found.x[i], p[i])
            for row in np.flatnonzero(values[:, normals.n + 1] > 0):
                second = Second(contact, after[row], s[row], float(times[i]), float(times[i + 1]))
                if (first is None or second.before < first.before) and not watch.knows(second):
                    first = second
            s = s[values[:, normals.n + 1] < 0]
    return first


def without_other_normals(f: Formulation, problem: Problem) -> Problem:
    """For runs that are made again up to a time: only contacts that may move on to other points are pursued."""
    return problem if any(map(is_loose, f.once(contacts_touching_twice))) else replace(problem, other_normals=None)
