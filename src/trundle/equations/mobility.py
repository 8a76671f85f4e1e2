"""Degrees of freedom by generic rank: which rows are independent or redundant, and whether they are contradictory.

The rank is determined on the constraint manifold, at several poses reached from the assembled one by random moves along
it, so that an accidentally singular pose does not matter and an overconstrained linkage (Bricard) keeps its freedom.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.constraints.row import Row
from trundle.equations.assembly import assemble, close
from trundle.equations.derive import Equations
from trundle.equations.row_functions import RowFunctions
from trundle.errors import AssemblyError, ModelError
from trundle.linear_algebra.one_thread import one_thread
from trundle.linear_algebra.pivot_order import pivot_order
from trundle.linear_algebra.rank import rank, tied_sets
from trundle.typing import Array, Json, Raw


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
