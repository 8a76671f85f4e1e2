"""Causality of a multibond graph: which element sets each flow, and which one responds with the effort.

Sequential assignment [Karnopp 2006, Ch. 5] on the canonical junction structure: sources and flow constraints come
first, then every component of an inertance that is still free is a state (integral causality). A prescribed flow makes
one component of some inertance dependent (derivative causality); if there is none left, there is a causal conflict.
This is a question of rank, so the assignment is an elimination over the rows of all prescribed flows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from trundle.bond_graph.phrasing import SHOWN, components, listed
from trundle.linear_algebra.rank import is_spent
from trundle.typing import Array

AXES = ("x", "y", "z", "rx", "ry", "rz")
NEGLIGIBLE_COEFFICIENT = 1e-7  # coefficients below count as zero in explanations


@final
@dataclass(frozen=True)
class Dependent:
    """A component of an inertance in derivative causality: its flow follows from others, so it is not a state."""

    body: str
    axis: str  # x, y, z (velocity of the mass centre, ground axes) or rx, ry, rz (angular velocity, body axes)
    by: str  # name of the seal that determines it
    on: tuple[str, ...]  # bodies on whose flows it depends
    text: str
    connection: str  # of the seal


@final
@dataclass(frozen=True)
class Conflict:
    """A prescribed flow that others already determine; with rigid bodies its effort is indeterminate."""

    seal: str
    depends_on: tuple[str, ...]  # names of the seals that determine it
    text: str
    connection: str
    bond: str
    held_by: tuple[str, ...]  # connections of the seals that determine it


@final
@dataclass(frozen=True)
class AlgebraicLoop:
    """Constraint efforts that must be solved simultaneously."""

    bodies: tuple[str, ...]
    seals: tuple[str, ...]
    size: int  # unknown efforts
    text: str


@final
@dataclass(frozen=True)
class Causality:
    """Result of the assignment of causality."""

    integral: int  # independent components of inertances: degrees of freedom
    derivative: tuple[Dependent, ...]
    conflicts: tuple[Conflict, ...]
    loops: tuple[AlgebraicLoop, ...]

    def counts(self) -> str:
        """One line of numbers."""
        return (
            f"Causality: {self.integral} integral, {len(self.derivative)} derivative, "
            f"{len(self.conflicts)} in conflict, {len(self.loops)} algebraic loop{'' if len(self.loops) == 1 else 's'}."
        )

    def report(self) -> str:
        """A report of all findings, grouped by connection and body."""
        lines = [self.counts()]
        held: dict[tuple[str, str], list[Dependent]] = {}
        for d in self.derivative:
            held.setdefault((d.connection, d.body), []).append(d)
        if held:
            lines.append("Derivative causality (the flow follows from others and is not a state):")
        for (connection, body), found in held.items():
            axes = sorted((d.axis for d in found), key=AXES.index)
            on = dict.fromkeys(b for d in found for b in d.on)
            lines.append(f"  {connection}: {components(axes)} of {body!r} {_depend(axes)} on {_bodies(on, body)}")
        spent: dict[str, list[Conflict]] = {}
        for c in self.conflicts:
            spent.setdefault(c.connection, []).append(c)
        if spent:
            lines.append("Causal conflicts (the flow is determined already, the effort by nothing):")
        for connection, several in spent.items():
            bonds = listed([c.bond for c in several])
            by = dict.fromkeys(name for c in several for name in c.held_by)
            verb = "follow" if len(several) > 1 else "follows"
            lines.append(f"  {connection}: {bonds} {verb} from what {listed(by) or 'the ground'} {_hold(by)}")
        if spent:
            lines.append("  Springs in their place, model.connect(..., compliance=...), make the efforts unique.")
        if self.loops:
            lines.append("Algebraic loops (efforts that are solved for together):")
        lines += [f"  {loop.text}" for loop in self.loops]
        return "\n".join(lines)


@final
@dataclass(frozen=True)
class FlowRow:
    """A prescribed flow between two bodies; its coefficients are in the matrices of `Flows`."""

    connection: str
    bond: str  # name for users
    first: str
    second: str
    outer: str  # the body farther from the ground
    turns: bool  # a relative rotation; otherwise a translation
    remedy: str  # what to do about a conflict

    @property
    def seal(self) -> str:
        return f"{self.connection}.{self.bond}"


@final
@dataclass(frozen=True)
class Flows:
    """All prescribed flows. Each body has six components, translations over a typical length."""

    bodies: tuple[str, ...]  # moving ones
    masses: tuple[Array, ...]  # 6 x 6 each
    rows: tuple[FlowRow, ...]  # the tree from the ground outwards, what closes loops, what is known to be redundant
    jacobians: tuple[Array, ...]  # at the assembled pose, then at poses that are not special


@final
@dataclass(frozen=True)
class Assignment:
    """Causality, and for every independent prescribed flow the body whose bond supplies its effort."""

    causality: Causality
    carrier: Mapping[str, str]  # seal -> body; conflicts are not in it


def assign(flows: Flows) -> Assignment:
    """Assign causality to all bonds."""
    bare = np.concatenate([np.zeros(0, bool), *(_without_inertia(M) for M in flows.masses)])
    found = [_eliminate(flows, J, bare) for J in flows.jacobians]
    rank = max(len(pivots) for pivots in found)
    best = [i for i, pivots in enumerate(found) if len(pivots) == rank]
    pivots, J, generic = found[best[0]], flows.jacobians[best[0]], flows.jacobians[best[-1]]
    kept = list(pivots)
    matched = _match(flows, J, kept, sorted(pivots.values()))
    taken = set(pivots.values())
    dependents = [_dependent(flows, generic, i, column, taken) for i, column in matched.items()]
    conflicts = _conflicts(flows, generic, kept, bare)
    loops = _algebraic_loops(flows, generic, kept)
    carrier = {flows.rows[i].seal: flows.bodies[column // 6] for i, column in matched.items()}
    integral = 6 * len(flows.bodies) - rank
    return Assignment(Causality(integral, tuple(dependents), tuple(conflicts), tuple(loops)), carrier)


def _without_inertia(M: Array) -> Array:
    """Components of a body without inertia."""
    diagonal = np.diag(M)
    return np.concatenate([part <= 1e-13 * np.max(part) for part in (diagonal[:3], diagonal[3:])])


def _eliminate(flows: Flows, J: Array, bare: Array) -> dict[int, int]:
    """Row -> component that it determines, for the independent rows in order.

    Components without inertia are preferred, then those of the outer body of the kind of the bond: so that rotations
    about hinges are states, not the displacements that they cause.
    """
    A = J.copy()
    body_of = np.repeat(np.arange(len(flows.bodies)), 6)
    turns = np.tile(np.arange(6) > 2, len(flows.bodies))
    pivots: dict[int, int] = {}
    for k, row in enumerate(flows.rows):
        size = np.abs(A[k])
        largest = float(np.max(size, initial=0.0))
        if is_spent(largest):
            continue
        outer = body_of == flows.bodies.index(row.outer)
        good, alike = size > 0.05 * largest, turns == row.turns
        tiers = (bare & (size > 1e-3 * largest), outer & alike & good, outer & good, size == largest)
        column = int(np.argmax(np.where(next(tier for tier in tiers if tier.any()), size, -1.0)))
        pivots[k] = column
        later = k + 1 + np.flatnonzero(A[k + 1 :, column])
        A[later] -= np.outer(A[later, column] / A[k, column], A[k])
    return pivots


def _match(flows: Flows, J: Array, kept: list[int], columns: list[int]) -> dict[int, int]:
    """Row -> component of an adjacent body that it determines. The square matrix of independent rows and dependent
    components has a nonzero term in its determinant, hence a perfect matching; the one with the largest entries is
    used.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    if not kept:
        return {}
    square = np.abs(J[np.ix_(kept, columns)])
    ratio = square / np.max(square, axis=1, keepdims=True)
    bodies, turning = np.array(columns) // 6, np.array(columns) % 6 > 2
    inner = bodies != np.array([[flows.bodies.index(flows.rows[i].outer)] for i in kept])
    unlike = turning != np.array([[flows.rows[i].turns] for i in kept])
    present = ratio > 1e-12
    cost = np.where(present, 1.0 - np.log(np.where(present, ratio, 1.0)) + 3.0 * inner + 3.0 * unlike, 0.0)
    left, right = min_weight_full_bipartite_matching(csr_array(cost))
    return {kept[i]: columns[j] for i, j in zip(left, right, strict=True)}


def _dependent(flows: Flows, J: Array, i: int, column: int, taken: set[int]) -> Dependent:
    row, body, axis = flows.rows[i], flows.bodies[column // 6], AXES[column % 6]
    other = row.first if body == row.second else row.second
    at = column - column % 6
    own = [AXES[c - at] for c in range(at, at + 6) if c not in taken and abs(J[i, c]) > NEGLIGIBLE_COEFFICIENT]
    on = (other, body) if own else (other,)
    text = f"{row.seal} makes {components([axis])} of {body!r} depend on {_bodies(on, body)} (derivative causality)"
    return Dependent(body, axis, row.seal, on, text, row.connection)


def _depend(axes: Sequence[str]) -> str:
    return "depends" if len({len(axis) for axis in axes}) == 1 else "depend"


def _hold(names: Iterable[str]) -> str:
    return "hold" if len(list(names)) > 1 else "holds"


def _bodies(on: Iterable[str], body: str) -> str:
    return listed(["the ground" if b == "ground" else "its own motion" if b == body else repr(b) for b in on])


def _conflicts(flows: Flows, J: Array, kept: list[int], bare: Array) -> list[Conflict]:
    """Rows that follow from others, with those others."""
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    spent = sorted(set(range(len(flows.rows))) - set(kept))
    if not spent:
        return []
    independent = replace(flows, rows=tuple(flows.rows[i] for i in kept))
    columns = list(_eliminate(independent, J[kept], bare).values())
    weights = splu(csc_array(J[np.ix_(kept, columns)].T)).solve(J[np.ix_(spent, columns)].T)
    out = []
    for i, weight in zip(spent, weights.T, strict=True):
        row = flows.rows[i]
        needed = [
            flows.rows[kept[k]]
            for k in np.flatnonzero(np.abs(weight) > NEGLIGIBLE_COEFFICIENT * np.max(np.abs(weight), initial=1.0))
        ]
        held_by = tuple(dict.fromkeys(one.connection for one in needed))
        around = list(dict.fromkeys([row.connection, *held_by]))
        by = f"by {_by_connection(needed)} (loop of {listed(around)})" if needed else "by the ground alone"
        text = f"{row.seal}: its flow is determined already {by}. {row.remedy}"
        seals = tuple(one.seal for one in needed)
        out.append(Conflict(row.seal, seals, text, row.connection, row.bond, held_by))
    return out


def _grouped(rows: Iterable[FlowRow]) -> dict[str, list[str]]:
    """Connection -> bonds."""
    grouped: dict[str, list[str]] = {}
    for row in rows:
        grouped.setdefault(row.connection, []).append(row.bond)
    return grouped


def _by_connection(rows: Iterable[FlowRow]) -> str:
    """Rows a.x and a.y as "a (x, y)"."""
    return ", ".join(f"{connection} ({', '.join(bonds)})" for connection, bonds in _grouped(rows).items())


def _of_connections(rows: Iterable[FlowRow]) -> str:
    """Rows a.x, a.y and b.x as "x and y of a; x of b"."""
    parts = [f"{listed(bonds)} of {connection}" for connection, bonds in _grouped(rows).items()]
    more = [f"and {len(parts) - SHOWN} more connections"] if len(parts) > SHOWN else []
    return "; ".join([*parts[:SHOWN], *more])


def _algebraic_loops(flows: Flows, J: Array, kept: list[int]) -> list[AlgebraicLoop]:
    """Groups of efforts that are coupled by the accelerations of bodies: blocks of J M^-1 J'."""
    from scipy.sparse import block_diag, csr_array
    from scipy.sparse.csgraph import connected_components

    if not kept:
        return []
    rows = csr_array(np.where(np.abs(J[kept]) > NEGLIGIBLE_COEFFICIENT, J[kept], 0.0))
    K = (rows @ csr_array(block_diag([_compliance(M) for M in flows.masses])) @ rows.T).toarray()
    root = np.sqrt(np.diag(K))
    count, group = connected_components(
        csr_array(np.abs(K) > NEGLIGIBLE_COEFFICIENT * np.outer(root, root)), directed=False
    )
    out = []
    moving = set(flows.bodies)
    massless = {b for b, M in zip(flows.bodies, flows.masses, strict=True) if not M.any()}
    for g in range(count):
        members = [flows.rows[kept[k]] for k in np.flatnonzero(group == g)]
        if len(members) < 2:
            continue
        bodies = tuple(dict.fromkeys(b for r in members for b in (r.first, r.second) if b in moving))
        text = f"{len(members)} efforts meet in {listed(map(repr, bodies))}"
        through = [b for b in bodies if b in massless]
        if through:
            text += f"; {listed(map(repr, through))} {'is' if len(through) == 1 else 'are'} massless and only pass"
            text += ("es" if len(through) == 1 else "") + " them on"
        text += f": {_of_connections(members)}"
        out.append(AlgebraicLoop(bodies, tuple(r.seal for r in members), len(members), text))
    return out


def _compliance(M: Array) -> Array:
    """Accelerations per effort of one body; missing inertia is replaced by 1, because only the pattern is used."""
    values, vectors = np.linalg.eigh(M)
    top = float(np.max(values, initial=0.0)) or 1.0
    return np.asarray((vectors / np.where(values > 1e-13 * top, values, top)) @ vectors.T)
