"""A consistent state from the values that the user gives.

What is given is held and the rest is moved onto the constraints; only when that cannot work may given values change as
well, and every change is reported.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.constraints.row import Role
from trundle.equations.assembly import Residuals, close, pivots, worst_rows
from trundle.equations.mobility import Mobility
from trundle.equations.row_functions import RowFunctions
from trundle.errors import AssemblyError
from trundle.linear_algebra.one_thread import one_thread
from trundle.linear_algebra.rank import nearly_singular, rank
from trundle.quantities.initial_state import InitialState
from trundle.quantities.request import StartRequest, speeds_of
from trundle.quantities.state_layout import StateLayout
from trundle.study.targets import Targets
from trundle.typing import Array

NO_WAY = 1e-4  # rad or typical lengths, between the start and what walks along the manifold have found
ROUNDED = 100.0
"""Times the resolution of a pose: so far may places that are given with some nine digits contradict a constraint, which
is then met exactly."""


@final
@dataclass(frozen=True, eq=False)
class StartConditions:
    """What a start state has to meet: the constraints (None: there are none) and values of quantities that are not
    states. Of the speeds that are not given, the independent ones of `mobility` move last; at its generic pose, which
    is not singular, the start is measured.
    """

    rows: RowFunctions | None
    targets: Targets | None
    mobility: Mobility


@final
@dataclass(frozen=True, eq=False)
class StartSolver:
    """Projects the given values at time t (s) with parameters p onto the conditions. If not all given values can be
    kept, those in `firm` (given for this run) have priority over those of the model.
    """

    layout: StateLayout
    conditions: StartConditions
    given: StartRequest
    firm: StartRequest | None
    t: float
    p: Array

    @one_thread()
    def solve(self) -> InitialState:
        """The state nearest to what is given; AssemblyError if there is none."""
        wanted = self.conditions.targets or self.conditions.rows
        if wanted is None:
            return InitialState(self.given.q, self.given.u)
        q = self._pose(wanted)
        u = self._speeds(q)
        return InitialState(q, u, *self._changes(q, u))

    def _pose(self, wanted: Residuals) -> Array:
        """The nearest pose that meets the conditions on positions."""
        rows, targets, firm, t, p = self.conditions.rows, self.conditions.targets, self.firm, self.t, self.p
        given, start = speeds_of(self.layout, self.given.given_q), self.given.q
        far, size = targets is not None, targets.size if targets is not None else 1.0
        fine, open_ = 1e-14 * min(1.0, size), max(1e-11, 1e-13 * size)  # round-off of far places is no gap

        def closed(freedom: Array) -> tuple[Array, float]:
            return close(wanted, start, t, p, freedom, fine, far=far)

        q, error = closed(self._dependent(wanted, given))
        if error > open_ and far:  # what slides can go anywhere; what turns would only be carried round
            slides = np.zeros(self.layout.n_u, bool)
            for link in wanted.equations.tree.links:
                slides[link.i_u : link.i_u + link.n_u] = link.kind == "slide"
            q, error = closed(np.where(slides & (given == 0), 1.0, 0.0))
        if error > open_:  # others must move as well
            q, error = closed(np.where(given, 0.0, 1.0))
        if error > open_ and firm is not None:
            held = speeds_of(self.layout, firm.given_q)
            q, error = closed(np.where(held, 0.0, np.where(given, 1e-2, 1.0)))
        if error > open_:  # what was given cannot be held
            tried = q
            q, error = closed(np.where(given, 1e-2, 1.0))
            if firm is not None:
                _refuse_lost_contact(rows, t, tried, q, p, firm)
        if error > ROUNDED * open_:
            g = wanted(t, q, np.zeros(self.layout.n_u), p)[0]
            names = (rows.names if rows is not None else []) + (targets.names if targets is not None else [])
            worst = ", ".join(names[i] for i in worst_rows(g, 4))
            raise AssemblyError(
                f"the model cannot be assembled with these start values: the constraints {worst} are violated by "
                f"{error:.3g}. "
                "Give fewer coordinates, or values closer to a possible pose."
            )
        if error > open_ and rows is not None and targets is not None:
            return close(rows, q, t, p)[0]
        return q

    def _dependent(self, wanted: Residuals, given: Array) -> Array:
        """Which coordinates move onto the constraints; the others stay where they are."""
        q = wanted.settle(self.t, self.given.q, self.p)
        _, _, J, _ = wanted(self.t, q, np.zeros(len(given)), self.p)
        if not np.all(np.isfinite(J)):
            return np.where(given, 0.0, 1.0)
        return pivots(wanted.comparable(J)[wanted.holonomic], given, self._ease())

    def _speeds(self, q: Array) -> Array:
        """The nearest speeds in this pose that meet the conditions on rates."""
        rows, targets, request, firm = self.conditions.rows, self.conditions.targets, self.given, self.firm
        kept = list(self.conditions.mobility.kept)
        J, rate = np.zeros((0, self.layout.n_u)), np.zeros(0)
        if rows is not None:
            _, rate, J, _ = rows(self.t, q, request.u, self.p)
            J = J * rows.on_speeds[:, None]
            kept = [i for i in kept if rows.on_speeds[i]]
            self._refuse_singular(rows, q, J, len(kept))
        needed, used = rate[kept], J[kept]  # the others are redundant at generic poses
        alike = used if rows is None else rows.comparable(used)
        if targets is not None:
            rate_wanted, J_wanted = targets.rates(self.t, q, request.u, self.p)
            needed, used = np.concatenate([needed, rate_wanted]), np.vstack([used, J_wanted])
            alike = np.vstack([alike, targets.comparable_rates(J_wanted)])
            rate, J = np.concatenate([rate, rate_wanted]), np.vstack([J, J_wanted])

        def off(rest: Array, u: Array, part: float = 1e-12) -> bool:
            return bool(np.max(np.abs(rest), initial=0.0) > part * (1 + np.max(np.abs(u), initial=0.0)))

        step = _least_change(used, -needed, pivots(alike, request.given_u, self._ease()))
        u, rest = request.u + step, rate + J @ step
        if off(rest, u):  # others must move as well
            step = _least_change(used, -needed, np.where(request.given_u, 0.0, 1.0))
            u, rest = request.u + step, rate + J @ step
        if firm is not None and off(rest, u):
            step = _least_change(used, -needed, np.where(firm.given_u, 0.0, np.where(request.given_u, 1e-2, 1.0)))
            if np.linalg.norm(rate + J @ step) < np.linalg.norm(rest):
                u, rest = request.u + step, rate + J @ step
        if off(rest, u):  # what was given cannot be held
            u = u + _least_change(J, -rest, np.where(request.given_u, 1.0, 1e4))
            rest = rate + J @ (u - request.u)
            if targets is not None and off(rest, u, 1e-9):
                raise AssemblyError(
                    "the start rates contradict each other or the constraints: they cannot all be satisfied "
                    f"(residual {np.max(np.abs(rest)):.3g}). Give fewer of them."
                )
            u = u + _least_change(J, -rest, np.ones(self.layout.n_u))
        return u

    def _refuse_singular(self, rows: RowFunctions, q: Array, J: Array, kept: int) -> None:
        """A pose in which fewer constraints act than elsewhere is refused, and one that is both singular and the only
        one: a linkage that is just long enough to close.
        """
        generic = self.conditions.mobility.generic
        if not generic:
            return
        usual = rows(0.0, np.array(generic), np.zeros(self.layout.n_u), self.p)[2] * rows.on_speeds[:, None]
        only = bool(np.max(np.abs(np.array(generic) - q)) < NO_WAY)
        if nearly_singular(rows.comparable(J), rows.comparable(usual), kept, only):
            local = min(rank(rows.comparable(J)), kept - 1)
            raise AssemblyError(
                f"the start pose is singular: only {local} of {kept} independent constraints act there, so the "
                f"motion could continue on several branches. Start slightly away from this pose (1e-3 rad is "
                f"enough); if there is no other pose, change the dimensions."
            )

    def _ease(self) -> Array:
        """Weights with which the speeds are changed to meet the constraints."""
        ease = np.ones(self.layout.n_u)
        ease[list(self.conditions.mobility.independent)] = 1e-3
        return ease

    def _changes(self, q: Array, u: Array) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
        """Given values that were changed, (before, after), and values that were found, by name."""
        names_q = [n for c in self.layout.coordinates for n in ([c.name] if c.n_q == 1 else [c.name] * 4)]
        changed: dict[str, tuple[float, float]] = {}
        found: dict[str, float] = {}
        request = self.given
        of_q, of_u = (
            (names_q, request.q, q, request.given_q),
            (self.layout.speed_names(), request.u, u, request.given_u),
        )
        for names, old, new, given in (of_q, of_u):
            for i, name in enumerate(names):
                if abs(new[i] - old[i]) > 1e-7 * (1 + abs(old[i])):
                    if given[i]:
                        changed[name] = (float(old[i]), float(new[i]))
                    else:
                        found[name] = float(new[i])
        return changed, found


def _least_change(J: Array, rhs: Array, freedom: Array) -> Array:
    """Smallest step with J step = rhs (in the least-squares sense); entries of freedom 0 stay, larger ones move more
    easily.
    """
    step: Array = freedom * np.linalg.lstsq(J * freedom, rhs, rcond=1e-12)[0]
    return step


def _refuse_lost_contact(
    rows: RowFunctions | None, t: float, tried: Array, q: Array, p: Array, request: StartRequest
) -> None:
    """A pose in which a contact cannot close is refused, unless what is given need change by a little only."""
    if rows is None or not np.all(np.isfinite(tried)):
        return
    g = rows(t, tried, np.zeros(len(request.u)), p)[0]
    lost = [
        row.owner
        for row, off in zip(rows.equations.rows, g, strict=True)
        if abs(off) > 1e-9 and row.role is Role.NORMAL
    ]
    moved = np.where(request.given_q, np.abs(q - request.q) / (1 + np.abs(request.q)), 0.0)
    if lost and np.max(moved, initial=0.0) > 0.02:
        contacts = ", ".join(map(repr, lost))
        raise AssemblyError(
            f"the surfaces of contact {contacts} cannot touch in the given pose: they stay "
            f"{np.max(np.abs(g)):.3g} (relative to the size of the model) apart. Give fewer coordinates, or a pose "
            f"closer to a possible one."
        )
