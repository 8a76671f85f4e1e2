"""Degrees of freedom by generic rank: which rows are independent or redundant, and whether they are contradictory.

The rank is determined on the constraint manifold, at several poses reached from the assembled one by random moves along
it, so that an accidentally singular pose does not matter and an overconstrained linkage (Bricard) keeps its freedom.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol, final

import casadi as ca
import numpy as np

from trundle.constraints.row import Row
from trundle.contact.search import ContactSearch
from trundle.derivative import derivative
from trundle.equations.derive import Equations
from trundle.errors import AssemblyError, ModelError
from trundle.linear_algebra.in_place import InPlace
from trundle.linear_algebra.kkt import dense
from trundle.linear_algebra.one_thread import one_thread
from trundle.linear_algebra.pivot_order import pivot_order
from trundle.linear_algebra.rank import TOLERANCE, rank, tied_sets
from trundle.typing import AnyArray, Array, Json, Raw


@final
@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom of a model with rows."""

    freedoms: int  # independent speeds
    configuration: int  # independent coordinates: more than freedoms where velocities are held (rolling)
    kept: tuple[int, ...]  # indices of independent rows
    redundant: tuple[str, ...]
    independent: tuple[int, ...]  # speeds that can be chosen freely at the assembled pose
    q: tuple[float, ...]  # the assembled pose
    generic: tuple[float, ...] = ()  # a pose that can be reached from it and is not singular
    exchanged: tuple[tuple[str, ...], ...] = ()  # sets of rows whose linear dependence changes with the pose

    def to_dict(self) -> Json:
        """Contents for JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Raw]) -> "Mobility":
        lists = {k: tuple(data[k]) for k in ("kept", "redundant", "independent", "q", "generic")}
        exchanged = tuple(tuple(names) for names in data["exchanged"])
        return Mobility(data["freedoms"], data["configuration"], **lists, exchanged=exchanged)


def no_rows(n_u: int, q: Array) -> Mobility:
    """Mobility of a tree without rows."""
    return Mobility(n_u, n_u, (), (), tuple(range(n_u)), tuple(float(v) for v in q))


@final
class RowFunctions:
    """Numeric residuals and Jacobian, by CasADi's own evaluator (they are evaluated a few times only)."""

    def __init__(self, equations: Equations, length: float, reach: float) -> None:
        """`length` is a typical length, `reach` the largest one (m)."""
        e, rows = equations, equations.rows
        self.equations = equations
        self.names = [r.name for r in rows]
        self.holonomic = np.array([r.holonomic for r in rows], bool)
        self.on_speeds = np.array([r.level != "acceleration" for r in rows], bool)  # rows that hold speeds
        self.settle = ContactSearch(equations)
        self.sizes, self.largest_steps = speed_sizes(e, length), speed_sizes(e, reach)
        scale = ca.DM([1 / length if r.unit == "m" else 1.0 for r in rows])
        g = ca.vertcat(*[r.residual for r in rows])
        rate = ca.vertcat(*[r.rate for r in rows])
        J = ca.vertcat(*[dense(r.jacobian, e.n_u).T for r in rows])
        P = derivative(e.position_rates(), e.u)
        outputs = [ca.densify(v) for v in (scale * g, scale * rate, ca.mtimes(ca.diag(scale), J), P)]
        self._evaluate = InPlace(ca.Function("rows", [e.t, e.q, e.u, e.p], outputs))
        gamma = scale * ca.vertcat(*[r.gamma for r in rows])
        self.gamma = ca.Function("gamma", [e.t, e.q, e.u, e.p], [ca.densify(gamma)])

    def __call__(self, t: float, q: Array, u: Array, p: Array) -> tuple[Array, Array, Array, Array]:
        """g, rate, J, P."""
        g, rate, J, P = self._evaluate(t, q, u, p)
        return g.ravel(), rate.ravel(), J, P

    def together(self, t: float, q: Array, u: Array, p: Array) -> tuple[Array, Array, Array, Array]:
        """g, rate, J, P of many cases, of shape (cases, rows, columns)."""
        g, rate, J, P = self._evaluate.together(t, q, u, p)
        return g, rate, J, P

    def needs_of_parameters(self) -> AnyArray:
        """Mask of the entries of p on which they depend."""
        return self._evaluate.needs(3)

    def comparable(self, J: Array) -> Array:
        """Dimensionless rows, for rank decisions."""
        return np.asarray(J * self.sizes)


def speed_sizes(equations: Equations, length: float) -> Array:
    """Units of the speeds of the tree that make them dimensionless."""
    sizes = np.ones(equations.tree.n_u)
    for link in equations.tree.links:
        if link.kind == "slide":
            sizes[link.i_u] = length
    return sizes


class Residuals(Protocol):
    """Equations to be solved: residuals, rates, rows J and the map P from speeds to coordinate rates."""

    @property
    def equations(self) -> Equations: ...
    @property
    def settle(self) -> ContactSearch: ...
    @property
    def holonomic(self) -> Array: ...
    @property
    def largest_steps(self) -> Array: ...  # largest change of each coordinate in one step
    def comparable(self, J: Array) -> Array: ...
    def __call__(self, t: float, q: Array, u: Array, p: Array) -> tuple[Array, Array, Array, Array]: ...


def close(
    rows: Residuals,
    q: Array,
    t: float,
    p: Array,
    freedom: Array | None = None,
    tolerance: float = 1e-14,
    limit: int = 200,
    search: bool = True,
    far: bool = False,
) -> tuple[Array, float]:
    """Move q onto the manifold (damped Gauss-Newton); returns pose and residual. Entries with freedom 0 are fixed,
    those with a larger one move more; by default each moves in proportion to its stride.

    far: whether sliding coordinates may move far in one step, for distant targets. search: whether contacts that closed
    loops and were lost are searched for all over their surfaces at the start.
    """
    e = rows.equations
    u = np.zeros(e.n_u)
    F = rows.largest_steps**2 if freedom is None else freedom
    held = rows.holonomic
    turns = np.ones(e.n_u, bool)
    for link in e.tree.links:
        turns[link.i_u : link.i_u + link.n_u] = not far or link.kind != "slide"

    def evaluate(q: Array, search: bool) -> tuple[Array, Array, Array, Array]:
        q = rows.settle(t, q, p, search)
        g, _, J, P = rows(t, q, u, p)
        return q, g[held], J[held], rows.settle.without_loose(P)

    q, g, J, P = evaluate(q, search)
    if not np.all(np.isfinite(g)) or not np.all(np.isfinite(J)):
        return q, np.inf
    error, damping = float(np.linalg.norm(g)), 1e-3
    for _ in range(limit):
        if np.max(np.abs(g), initial=0.0) < tolerance or not np.any(F):
            break
        A = (J * F) @ J.T
        shift = damping * max(float(np.trace(A)) / len(g), TOLERANCE**2)  # round-off must not move anything
        step = -F * (J.T @ np.linalg.solve(A + shift * np.eye(len(g)), g))
        if not np.all(np.isfinite(P)):
            return q, np.inf
        # A step is at most a radian or the largest length; sliding coordinates may move farther if that reduces the
        # error.
        for moving in (turns, np.ones(e.n_u, bool)) if far else (turns,):
            largest = float(np.max(np.abs(step / rows.largest_steps)[moving], initial=0.0))
            trial = evaluate(q + P @ (step * min(1.0, 1.0 / max(largest, 1e-300))), search=False)
            norm = float(np.linalg.norm(trial[1])) if np.all(np.isfinite(trial[2])) else np.inf
            if norm < error:
                break
        if norm < error:
            (q, g, J, P), error, damping = trial, norm, max(damping / 10, 1e-15)
        else:
            damping *= 8
            if damping > 1e8:
                break
    return q, float(np.max(np.abs(g), initial=0.0))


def assemble(
    rows: RowFunctions, start: Array, freedom: Array | None, p: Array, bodies_of: Callable[[Row], str]
) -> Array:
    """A pose that satisfies all rows at t = 0: from the given start, or else from random ones nearby.

    First only dependent coordinates move, then all that were not given (freedom 1), then all: so the given values
    select the branch, and coordinates do not change unnecessarily.
    """
    rng = np.random.default_rng(20240)
    best, q_best = np.inf, start
    e = rows.equations
    sizes = np.ones(len(start))
    for link in e.tree.links:
        if link.kind == "slide":
            sizes[link.i_q] = rows.largest_steps[link.i_u]
    places = len(start) - len(e.law_states)  # states of springs and friction are not varied
    settled = rows.settle(0.0, start, p)
    _, _, J, _ = rows(0.0, settled, np.zeros(rows.equations.n_u), p)
    J = J[rows.holonomic]
    if np.all(np.isfinite(J)):
        given = np.zeros(J.shape[1], bool) if freedom is None else freedom == 0
        movable = pivots(rows.comparable(J), given, np.linspace(1.0, 4.0, J.shape[1]))
        q, error = close(rows, start, 0.0, p, rows.largest_steps**2 * movable)
        if error < 1e-11:
            return q
    for trial in range(25):
        spread = 0.2 * max(trial - 1, 0)
        guess = start + spread * sizes * rng.normal(size=len(start))
        guess[places:] = start[places:]
        if trial == 0 and freedom is not None:
            guess, _ = close(rows, guess, 0.0, p, rows.largest_steps**2 * freedom)
        q, error = close(rows, guess, 0.0, p)
        if error < best:
            best, q_best = error, q
        if error < 1e-10:
            return q
    g = np.abs(rows(0.0, q_best, np.zeros(rows.equations.n_u), p)[0] * rows.holonomic)
    worst = worst_rows(g, 6)
    named = ", ".join(f"{rows.names[i]} ({bodies_of(rows.equations.rows[i])}; off by {g[i]:.3g})" for i in worst)
    raise AssemblyError(
        "the loops cannot be closed: no configuration satisfies all constraints. Violated constraints: "
        f"{named}. Check the lengths and the positions of the joints, or give a start pose closer to the assembled one."
    )


def worst_rows(g: Array, most: int) -> list[int]:
    """Indices of the rows with the largest residuals and of those of similar size; NaN comes first."""
    size = np.where(np.isnan(g), np.inf, np.abs(g))
    order = [int(i) for i in np.argsort(-size, kind="stable")[:most]]
    return [i for i in order if size[i] >= 1e-3 * size[order[0]]]


@one_thread()
def find_mobility(
    equations: Equations,
    rows: RowFunctions,
    start: Array,
    p: Array,
    bodies_of: Callable[[Row], str],
    freedom: Array | None = None,
) -> Mobility:
    """Rank of the rows at generic poses of the manifold."""
    e = equations
    q = assemble(rows, start, freedom, p, bodies_of)
    acting = [i for i, row in enumerate(e.rows) if row.jacobian]  # others hold by the tree structure
    poses, jacobians = _with_jacobians(rows, _generic_poses(rows, q, p), acting, p, bodies_of)
    ranks = [rank(J) for J in jacobians]
    count = max(ranks)
    far = next(pose for pose, r in zip(reversed(poses), reversed(ranks), strict=True) if r == count)
    if len(acting) > count:  # rows must be selected: examine distant poses for rows that stay well conditioned
        poses, more = _with_jacobians(rows, _generic_poses(rows, q, p, walks=2, length=48), acting, p, bodies_of)
        jacobians += more
        ranks = [rank(J) for J in jacobians]
    generic = [J for J, r in zip(jacobians, ranks, strict=True) if r == count]
    chosen = _best_rows(generic, count)
    kept = [acting[i] for i in chosen]
    _check_consistent(rows, poses, kept, p, bodies_of)
    redundant = tuple(rows.names[i] for i in range(len(e.rows)) if i not in kept)
    in_position = rows.holonomic[acting]
    configuration = e.n_u - max(rank(J[in_position]) for J in jacobians)
    independent = tuple(split_speeds(generic[0][chosen])[0])
    sets = [[acting[i] for i in members] for members in _exchanged(generic, count)]
    exchanged = tuple(tuple(rows.names[i] for i in members) for members in sets if all(_plain(e, i) for i in members))
    return Mobility(e.n_u - count, configuration, tuple(kept), redundant, independent, tuple(q), tuple(far), exchanged)


def _plain(equations: Equations, i: int) -> bool:
    """Whether a row only closes a joint."""
    row = equations.rows[i]
    return row.holonomic and row.driven is None and row.owner not in equations.contact_bonds


def _exchanged(jacobians: Sequence[Array], count: int) -> list[list[int]]:
    """Sets of rows whose linear dependence changes with the pose, so no selection of rows is good for all poses."""
    m = len(jacobians[0])
    if m == count or len(jacobians) < 2:
        return []
    nulls = [np.linalg.svd(J)[0][:, count:] for J in jacobians]
    projectors = [N @ N.T for N in nulls]
    tied = np.max(np.abs(projectors), axis=0) > 1e-6
    changes = np.max([np.abs(P - projectors[0]) for P in projectors], axis=0) > 1e-6
    return [members for members in tied_sets(tied | tied.T) if np.any(changes[np.ix_(members, members)])]


def _generic_poses(rows: RowFunctions, q: Array, p: Array, walks: int = 4, length: int = 6) -> list[Array]:
    """The pose and others reached by random walks along the manifold, every sixth step of 0.08."""
    rng = np.random.default_rng(7)
    e = rows.equations
    zero = np.zeros(e.n_u)
    poses = [q]
    for _ in range(walks):
        pose = q
        direction = rng.normal(size=e.n_u)
        for count in range(1, length + 1):
            J, P = rows(0.0, pose, zero, p)[2:]
            step = _tangent(J[rows.holonomic] * rows.sizes, direction)
            if not step.any():
                break
            step *= 0.08 / float(np.max(np.abs(step)))
            trial, error = close(rows, pose + P @ (rows.sizes * step), 0.0, p, search=False)
            if error > 1e-11:
                break
            pose, direction = trial, step
            if count % 6 == 0:
                poses.append(pose)
    return poses


def _with_jacobians(
    rows: RowFunctions, poses: Sequence[Array], acting: Sequence[int], p: Array, bodies_of: Callable[[Row], str]
) -> tuple[list[Array], list[Array]]:
    """The poses that have rows, and these, free of units: a ball at the centre of another has no point of contact."""
    zero = np.zeros(rows.equations.n_u)
    found = [(pose, rows(0.0, pose, zero, p)[2][acting] * rows.sizes) for pose in poses]
    usable = [(pose, J) for pose, J in found if np.all(np.isfinite(J))]
    if not usable:
        bad = [i for i, row in zip(acting, found[0][1], strict=True) if not np.all(np.isfinite(row))]
        named = ", ".join(f"{rows.names[i]} ({bodies_of(rows.equations.rows[i])})" for i in bad)
        raise AssemblyError(
            f"the constraints {named} are not numbers in any pose near the start: a ball may be held at the centre of "
            "a round surface, where its point of contact is not unique. Check where the surfaces are on their bodies."
        )
    return [pose for pose, _ in usable], [J for _, J in usable]


def _tangent(J: Array, direction: Array) -> Array:
    """Component of a direction along the manifold; zero if no freedom is left."""
    A = J @ J.T
    shift = 1e-12 * max(float(np.trace(A)), 1.0) * np.eye(len(A))
    step = direction
    for _ in range(2):
        step = step - J.T @ np.linalg.solve(A + shift, J @ step)
    return step if np.linalg.norm(step) > 1e-6 * np.linalg.norm(direction) else np.zeros_like(step)


def _best_rows(jacobians: Sequence[Array], rank: int) -> list[int]:
    """The set of independent rows whose worst conditioning over all poses is best."""
    if rank == 0:
        return []
    candidates = {tuple(sorted(int(i) for i in pivot_order(J.T)[:rank])) for J in jacobians}

    def quality(kept: Iterable[int]) -> float:
        return min(float(np.linalg.svd(J[list(kept)], compute_uv=False)[-1]) for J in jacobians)

    return list(max(sorted(candidates), key=quality))


def pivots(J: Array, given: Array, ease: Array, count: int | None = None) -> Array:
    """1 for the speeds used to satisfy the (dimensionless) rows, otherwise 0: of those not given, the best by pivot
    times ease. `count` is their number, if known.
    """
    out = np.zeros(J.shape[1])
    if J.size == 0:
        return out
    movable = J * np.where(given, 0.0, 1.0)
    order = pivot_order(movable * ease)
    out[order[: rank(movable) if count is None else count]] = 1.0
    return out


def split_speeds(J: Array, avoid: Array | None = None) -> tuple[list[int], list[int]]:
    """Independent and dependent speeds: those with the best pivots are dependent; speeds near the ground are preferably
    independent, speeds to avoid preferably dependent.
    """
    if J.shape[0] == 0:
        return list(range(J.shape[1])), []
    preference = np.linspace(1.0, 4.0, J.shape[1])
    if avoid is not None:
        preference[avoid] *= 1e6
    pivots = sorted(int(i) for i in pivot_order(J * preference)[: J.shape[0]])
    return [i for i in range(J.shape[1]) if i not in pivots], pivots


def _check_consistent(
    rows: RowFunctions, poses: Sequence[Array], kept: Sequence[int], p: Array, bodies_of: Callable[[Row], str]
) -> None:
    """ModelError if redundant rows do not follow from the kept ones at all times, in position and velocity."""
    e = rows.equations
    others = [i for i in range(len(e.rows)) if i not in kept]
    if not others:
        return
    of_speeds = [i for i in kept if rows.on_speeds[i]]
    for t in (0.0, 0.37, 1.21):
        pose, _ = close(rows, np.array(poses[0]), t, p)
        g, rate, J, _ = rows(t, pose, np.zeros(e.n_u), p)
        u = np.linalg.lstsq(J[of_speeds], -rate[of_speeds], rcond=None)[0]
        left = np.abs(rate + J @ u) / (1 + np.abs(rate)) * rows.on_speeds
        gamma = np.array(ca.DM(rows.gamma(t, pose, u, p))).ravel()
        udot = np.linalg.lstsq(J[list(kept)], -gamma[list(kept)], rcond=None)[0]
        pulled = np.abs(gamma + J @ udot) / (1 + np.abs(gamma)) * ~rows.on_speeds
        bad = [i for i in others if left[i] > 1e-6 or abs(g[i]) > 1e-6 or pulled[i] > 1e-6]
        if bad:
            named = ", ".join(f"{rows.names[i]} ({bodies_of(rows.equations.rows[i])})" for i in bad)
            raise ModelError(
                f"the constraints contradict each other at t = {t:g} s: {named} cannot be satisfied together with "
                f"the others. Two drives may prescribe the same motion, or a loop may have no degree of freedom "
                f"left for a drive."
            )
