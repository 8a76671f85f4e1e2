"""Start states of many cases at once.

Cases that agree in all that a start depends on share it: a coefficient of friction or a stiffness does not move bodies.
Of the others the first attempt of `StartSolver`, in which everything that is given is held, is made for all together,
to round-off with the same result; where that fails, `StartSolver` solves the case alone.
"""

from collections.abc import Mapping
from typing import final

import numpy as np

from trundle.equations.assembly import pivots
from trundle.equations.formulation import Formulation
from trundle.linear_algebra.in_place import needs, together
from trundle.linear_algebra.rank import TOLERANCE, each_nearly_singular, rank_of_values
from trundle.model.start_values import start_values
from trundle.quantities.request import LARGEST, read_request, speeds_of
from trundle.study.off_surface import facing, surfaces_that_end
from trundle.study.start_state import FAR, completed, default_pose, known_targets, turn_places
from trundle.study.targets import Targets
from trundle.typing import AnyArray, Array, ModelPart, Values

LIMIT = 50  # steps of Newton's method; who needs more is left alone
OFF = 1e-12  # of rates, relative to the largest: as in StartSolver


def sharing(f: Formulation, names: tuple[str, ...], varied: Mapping[str, Array], p: Array) -> tuple[AnyArray, AnyArray]:
    """The cases that differ in what their start depends on, and for every case which of these is like it; `names` are
    all that have start values.
    """
    dependences = f.once(_parameters_of_start)
    if f.in_joints and names not in dependences:
        dependences[names] = _dependences(f, names)
    columns = p[:, dependences[names]] if f.in_joints else p
    whole = np.hstack([columns, *(values.reshape(len(p), -1) for values in varied.values())])
    if whole.shape[1] == 0:
        return np.zeros(1, int), np.zeros(len(p), int)
    _, first, like = np.unique(whole, axis=0, return_index=True, return_inverse=True)
    return first, np.ravel(like)


def _parameters_of_start(f: Formulation) -> dict[tuple[str, ...], AnyArray]:
    """Which entries of the parameters the start depends on, by the names that have start values."""
    return {}


def _dependences(f: Formulation, names: tuple[str, ...]) -> AnyArray:
    found = np.zeros(len(f.default_parameters), bool)
    searches = [f.contact_search] if f.layout.followers else []
    if f.has_rows and f.row_functions is not None:
        found |= f.row_functions.needs_of_parameters()
        searches.append(f.row_functions.settle)
    extra = tuple(name for name in names if name not in f.layout.places)
    if extra:
        found |= known_targets(f, extra).needs_of_parameters()
    for search in searches:
        found |= search.needs_of_parameters(len(found))
    if surfaces_that_end(f):
        found |= needs(f.once(facing), 2)
    return found


def starts_together(
    f: Formulation, fixed: Values, varied: Mapping[str, Array], p: Array
) -> tuple[Array, Array, AnyArray]:
    """Coordinates and speeds (cases, ...) at t = 0 from start values that are the same in all cases and such as have a
    row for each, with parameters p (cases, ...), and for which cases they hold.
    """
    layout, n = f.layout, len(p)
    none = np.zeros((n, layout.n_q)), np.zeros((n, layout.n_u)), np.zeros(n, bool)
    if n < 2 or layout.followers or f.derivation.deflections:
        return none
    register = f.derivation.register()
    usual = f.resolved(start_values(f.model, p[0][f.parameters.parameter_slice]))
    first = {**usual, **completed(register, {**fixed, **{k: v[0] for k, v in varied.items()}}, usual)}
    values = {name: np.tile(np.atleast_1d(np.asarray(v, float)), (n, 1)) for name, v in first.items()}
    for name, rows in varied.items():
        part = register.find(name)
        if name in values:
            values[name] = np.array(rows, float).reshape(n, -1)
        elif part is None or part.component is None or part.quantity.kind == "quaternion":
            return none
        else:
            values[part.quantity.name][:, part.component] = rows
    extra = {name: v for name, v in first.items() if name not in layout.places}
    request = read_request(layout, default_pose(f, 0.0), {name: v for name, v in first.items() if name not in extra})
    q, u = np.tile(request.q, (n, 1)), np.tile(request.u, (n, 1))
    for name in first.keys() - extra.keys():
        i, size, _ = layout.places[name]
        block = (q, i) if i < layout.u.start else (u, i - layout.u.start)
        block[0][:, block[1] : block[1] + size] = values[name]
    fine = np.all([np.max(np.abs(v), axis=1) <= LARGEST for v in values.values()], axis=0)
    turns = [i for i in f.once(turn_places) if request.given_q[i]]  # who is turned far is left alone
    fine &= np.all(np.abs(q[:, turns] - np.array(f.mobility.q)[turns]) <= FAR, axis=1)
    for i in layout.quaternions:
        length = np.linalg.norm(q[:, i : i + 4], axis=1)
        fine &= length > 1e-9
        q[:, i : i + 4] /= np.where(length > 1e-9, length, 1.0)[:, None]
    targets = known_targets(f, tuple(extra)) if extra else None
    wanted = np.hstack([values[name] for name in targets.sizes]) if targets is not None else np.zeros((n, 0))
    if targets is None and not f.has_rows:
        return q, u, fine
    together_ = _Together(f, targets, wanted, p)
    try:
        q, is_assembled = together_.pose(q, speeds_of(layout, request.given_q))
        u, fits = together_.speeds(q, u, request.given_u)
    except np.linalg.LinAlgError:
        return none
    good = fine & is_assembled & fits
    if surfaces_that_end(f):
        good &= np.all(together(f.once(facing), 0.0, q, p)[0][:, :, 0] >= 0.0, axis=1)
    return q, u, good


@final
class _Together:
    """Conditions of many starts: rows of the constraints, wanted values (cases, ...) of quantities that are not states,
    and parameters p (cases, ...).
    """

    def __init__(self, f: Formulation, targets: Targets | None, wanted: Array, p: Array) -> None:
        self.f, self.targets, self.wanted, self.p = f, targets, wanted, p
        self.rows = f.row_functions if f.has_rows else None
        self._residuals: ModelPart = targets or self.rows
        self._ease = np.ones(f.layout.n_u)
        self._ease[list(f.mobility.independent)] = 1e-3
        self._pivots: dict[bytes, Array] = {}

    def _evaluate(self, q: Array, some: AnyArray) -> tuple[Array, Array, Array]:
        """Residuals of positions, their rows, and the map from speeds to rates of coordinates, of some cases."""
        u, p = np.zeros((len(q), self.f.layout.n_u)), self.p[some]
        found = []
        if self.rows is not None:
            g, _, J, P = self.rows.together(0.0, q, u, p)
            found.append((g[:, :, 0], J))
        if self.targets is not None:
            g, J, _, _, P = self.targets.together(0.0, q, u, p, self.wanted[some])
            found.append((g[:, :, 0], J))
        held = self._residuals.holonomic
        return np.hstack([g for g, _ in found])[:, held], np.concatenate([J for _, J in found], axis=1)[:, held], P

    def pose(self, q: Array, given: AnyArray) -> tuple[Array, AnyArray]:
        """Poses that meet the conditions on positions, what is given held (as `mobility.close` does), and where that
        was possible.
        """
        n, far, every = len(q), self.targets is not None, np.arange(len(q))
        size = self._sizes()
        fine, open_ = 1e-14 * np.minimum(1.0, size), np.maximum(1e-11, 1e-13 * size)
        g, J, P = self._evaluate(q, every)
        well = np.all(np.isfinite(g), axis=1) & np.all(np.isfinite(J), axis=(1, 2))
        free = np.zeros((n, self.f.layout.n_u))
        largest = np.max(np.abs(g), axis=1, initial=0.0)
        for i in np.flatnonzero(well & (largest >= fine)):
            alike = np.zeros((len(self._residuals.holonomic), J.shape[2]))
            alike[self._residuals.holonomic] = J[i]
            free[i] = self._chosen(self._residuals.comparable(alike)[self._residuals.holonomic], given)
        turns = np.ones(self.f.layout.n_u, bool)
        for link in self._residuals.equations.tree.links:
            turns[link.i_u : link.i_u + link.n_u] = not far or link.kind != "slide"
        damping = np.full(n, 1e-3)
        for _ in range(LIMIT):
            at = np.flatnonzero(well & (np.max(np.abs(g), axis=1, initial=0.0) >= fine) & np.any(free, axis=1))
            if not len(at):
                break
            F, A = free[at], (J[at] * free[at, None, :]) @ J[at].transpose(0, 2, 1)
            shift = damping[at] * np.maximum(np.trace(A, axis1=1, axis2=2) / g.shape[1], TOLERANCE**2)
            solved = np.linalg.solve(A + shift[:, None, None] * np.eye(g.shape[1]), g[at, :, None])
            step = -F * (J[at].transpose(0, 2, 1) @ solved)[:, :, 0]
            error, left = np.linalg.norm(g[at], axis=1), np.ones(len(at), bool)
            for moving in (turns, np.ones_like(turns)) if far else (turns,):
                k = np.flatnonzero(left)
                if not len(k):
                    break
                most = np.max(np.abs(step[k][:, moving]), axis=1, initial=0.0)
                change = P[at[k]] @ (step[k] * np.minimum(1.0, 1.0 / np.maximum(most, 1e-300))[:, None])[:, :, None]
                trial = self._unit(q[at[k]] + change[:, :, 0])
                of_trial = self._evaluate(trial, at[k])
                nearer = np.linalg.norm(of_trial[0], axis=1) < error[k]
                nearer &= np.all(np.isfinite(of_trial[1]), axis=(1, 2))
                done = at[k[nearer]]
                q[done], left[k[nearer]] = trial[nearer], False
                g[done], J[done], P[done] = (part[nearer] for part in of_trial)
            damping[at] = np.where(left, damping[at] * 8, np.maximum(damping[at] / 10, 1e-15))
            well[at] &= damping[at] <= 1e8
        return q, well & (np.max(np.abs(g), axis=1, initial=0.0) <= open_)

    def speeds(self, q: Array, u: Array, given: AnyArray) -> tuple[Array, AnyArray]:
        """Speeds that meet the conditions on rates, what is given held, and where that was possible."""
        n, n_u, rows, targets = len(q), self.f.layout.n_u, self.rows, self.targets
        rates, J, alike = [np.zeros((n, 0))], [np.zeros((n, 0, n_u))], [np.zeros((n, 0, n_u))]
        well, used = np.ones(n, bool), list[int]()
        if rows is not None:
            kept = [i for i in self.f.mobility.kept if rows.on_speeds[i]]
            _, rate, J_rows, _ = rows.together(0.0, q, u, self.p)
            J_rows = J_rows * rows.on_speeds[:, None]
            well &= self._regular(J_rows, len(kept))
            rates, J, alike, used = [rate[:, :, 0]], [J_rows], [rows.comparable(J_rows)], kept
        if targets is not None:
            _, _, rate, J_rates, _ = targets.together(0.0, q, u, self.p, self.wanted)
            before = rates[0].shape[1]
            used = [*used, *range(before, before + rate.shape[1])]
            own = np.array([targets.comparable_rates(one) for one in J_rates]).reshape(J_rates.shape)
            rates, J, alike = [*rates, rate[:, :, 0]], [*J, J_rates], [*alike, own]
        rate, whole, comparable = np.hstack(rates), np.concatenate(J, axis=1), np.concatenate(alike, axis=1)
        well &= np.all(np.isfinite(rate), axis=1) & np.all(np.isfinite(whole), axis=(1, 2))
        step = np.zeros((n, n_u))
        moving = np.flatnonzero(well & np.any(rate[:, used] != 0.0, axis=1))
        values = np.linalg.svd(comparable[moving][:, used] * np.where(given, 0.0, 1.0), compute_uv=False)
        for i, of_case in zip(moving, values, strict=True):
            free = self._chosen(comparable[i, used], given, rank_of_values(of_case))
            step[i] = free * np.linalg.lstsq(whole[i, used] * free, -rate[i, used], rcond=1e-12)[0]
        u = u + step
        rest = np.max(np.abs(rate + (whole @ step[:, :, None])[:, :, 0]), axis=1, initial=0.0)
        return u, well & (rest <= OFF * (1 + np.max(np.abs(u), axis=1, initial=0.0)))

    def _regular(self, J: Array, kept: int) -> AnyArray:
        """Poses in which as many constraints act as elsewhere; those that could be the only ones are left out."""
        rows, generic = self.rows, self.f.mobility.generic
        assert rows is not None
        if not generic:
            return np.ones(len(J), bool)
        u = np.zeros((len(J), self.f.layout.n_u))
        usual = rows.together(0.0, np.tile(generic, (len(J), 1)), u, self.p)[2] * rows.on_speeds[:, None]
        finite = np.all(np.isfinite(J), axis=(1, 2))
        found = np.zeros(len(J), bool)
        found[finite] = ~each_nearly_singular(
            rows.comparable(J[finite]), rows.comparable(usual[finite]), kept, only=True
        )
        return found

    def _chosen(self, J: Array, given: AnyArray, count: int | None = None) -> Array:
        """`pivots` of rows that are free of units; rows that were met before are not sorted again."""
        key = J.tobytes() + given.tobytes()
        if key not in self._pivots:
            self._pivots[key] = pivots(J, given, self._ease, count)
        return self._pivots[key]

    def _sizes(self) -> Array:
        """Largest coordinate of a place that is wanted in each case, or 1 where all are zero."""
        targets = self.targets
        if targets is None:
            return np.ones(len(self.p))
        places = np.repeat([name in targets.names for name in targets.sizes], list(targets.sizes.values())).astype(bool)
        largest = np.max(np.abs(self.wanted[:, places]), axis=1, initial=0.0)
        return np.where(largest > 0.0, largest, 1.0)

    def _unit(self, q: Array) -> Array:
        for i in self.f.layout.quaternions:
            q[:, i : i + 4] /= np.linalg.norm(q[:, i : i + 4], axis=1, keepdims=True)
        return q
