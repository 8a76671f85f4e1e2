"""A consistent state from whatever the user gives.

What is given is held and the rest is moved onto the constraints; only when that cannot work may given values change
as well, and
every change is reported.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from trundle.constraints.row import Role
from trundle.equations.mobility import RowFunctions, close, pivots, worst_rows
from trundle.errors import AssemblyError
from trundle.linear_algebra.rank import nearly_singular, rank
from trundle.quantities.initial_state import InitialState
from trundle.quantities.request import StartRequest, speeds_of
from trundle.quantities.state_layout import StateLayout
from trundle.study.targets import Targets
from trundle.typing import Array


def consistent(
    layout: StateLayout,
    request: StartRequest,
    rows: RowFunctions | None,
    p: Array,
    t: float,
    kept: Sequence[int],
    names_q: list[str],
    names_u: list[str],
    targets: Targets | None = None,
    firm: StartRequest | None = None,
    resting: Sequence[int] = (),
    generic: Array | None = None,
) -> InitialState:
    """Project the request onto position and velocity constraints; AssemblyError when that cannot be done.

    At `generic`, a pose that is not singular, the start is measured.
    What is not given and need not move stays: of the speeds, those in `resting` (independent ones) move last.
    Where not all that is given can be held, what is in `firm` too (said for this run) goes before what the model says.
    """
    wanted = targets or rows
    if wanted is None:
        return InitialState(request.q, request.u)
    speed_given = speeds_of(layout, request.given_q)
    far, size = targets is not None, targets.size if targets is not None else 1.0
    fine, open_ = 1e-14 * min(1.0, size), max(1e-11, 1e-13 * size)  # round-off of far places is no gap
    q, error = close(wanted, request.q, t, p, _dependent(wanted, request.q, t, p, speed_given, resting), fine, far=far)
    if error > open_ and far:  # what slides can go anywhere; what turns would only be carried round
        slides = np.zeros(layout.n_u, bool)
        for link in wanted.equations.tree.links:
            slides[link.i_u : link.i_u + link.n_u] = link.kind == "slide"
        q, error = close(wanted, request.q, t, p, np.where(slides & (speed_given == 0), 1.0, 0.0), fine, far=True)
    if error > open_:  # others must move as well
        q, error = close(wanted, request.q, t, p, np.where(speed_given, 0.0, 1.0), fine, far=far)
    if error > open_ and firm is not None:
        held = speeds_of(layout, firm.given_q)
        q, error = close(wanted, request.q, t, p, np.where(held, 0.0, np.where(speed_given, 1e-2, 1.0)), fine, far=far)
    if error > open_:  # what was given cannot be held
        tried = q
        q, error = close(wanted, request.q, t, p, np.where(speed_given, 1e-2, 1.0), fine, far=far)
        if firm is not None:
            _refuse_lost_contact(rows, t, tried, q, p, firm)
    if error > 10 * open_:
        g = wanted(t, q, np.zeros(layout.n_u), p)[0]
        names = (rows.names if rows is not None else []) + (targets.names if targets is not None else [])
        worst = ", ".join(names[i] for i in worst_rows(g, 4))
        raise AssemblyError(
            f"the start values cannot be assembled: the constraints {worst} stay open by {error:.3g}. "
            "Give fewer coordinates, or values nearer to a possible pose."
        )
    J, rate = np.zeros((0, layout.n_u)), np.zeros(0)
    if rows is not None:
        _, rate, J, _ = rows(t, q, request.u, p)
        J = J * rows.on_speeds[:, None]
        kept = [i for i in kept if rows.on_speeds[i]]
    acting = J[list(kept)]  # the others are redundant at generic poses
    if rows is not None and generic is not None:
        usual = rows(0.0, generic, np.zeros(layout.n_u), p)[2] * rows.on_speeds[:, None]
        if nearly_singular(rows.comparable(J), rows.comparable(usual), len(kept)):
            local = min(rank(rows.comparable(J)), len(kept) - 1)
            raise AssemblyError(
                f"the start pose is singular: only {local} of {len(kept)} independent constraints act there, so the "
                "motion could go on along several branches. Start a little away from this pose (1e-3 rad is enough)."
            )
    needed, used = rate[list(kept)], acting
    alike = used if rows is None else rows.comparable(used)
    if targets is not None:
        rate_wanted, J_wanted = targets.rates(t, q, request.u, p)
        needed, used = np.concatenate([needed, rate_wanted]), np.vstack([used, J_wanted])
        alike = np.vstack([alike, targets.comparable_rates(J_wanted)])
        rate, J = np.concatenate([rate, rate_wanted]), np.vstack([J, J_wanted])
    step = _least_change(used, -needed, pivots(alike, request.given_u, _ease(resting, layout.n_u)))
    u, rest = request.u + step, rate + J @ step
    if np.max(np.abs(rest), initial=0.0) > 1e-12 * (1 + np.max(np.abs(u), initial=0.0)):  # others must move as well
        step = _least_change(used, -needed, np.where(request.given_u, 0.0, 1.0))
        u, rest = request.u + step, rate + J @ step
    if firm is not None and np.max(np.abs(rest), initial=0.0) > 1e-12 * (1 + np.max(np.abs(u), initial=0.0)):
        step = _least_change(used, -needed, np.where(firm.given_u, 0.0, np.where(request.given_u, 1e-2, 1.0)))
        if np.linalg.norm(rate + J @ step) < np.linalg.norm(rest):
            u, rest = request.u + step, rate + J @ step
    if np.max(np.abs(rest), initial=0.0) > 1e-12 * (
        1 + np.max(np.abs(u), initial=0.0)
    ):  # what was given cannot be held
        u = u + _least_change(J, -rest, np.where(request.given_u, 1.0, 1e4))
        rest = rate + J @ (u - request.u)
        if targets is not None and np.max(np.abs(rest)) > 1e-9 * (1 + np.max(np.abs(u), initial=0.0)):
            raise AssemblyError(
                "the rates given at the start contradict each other or the constraints: "
                f"they cannot all be met (off by {np.max(np.abs(rest)):.3g}). Give fewer of them."
            )
        u = u + _least_change(J, -rest, np.ones(layout.n_u))
    return InitialState(q, u, *_changes(request, q, u, names_q, names_u))


def _least_change(J: Array, rhs: Array, freedom: Array) -> Array:
    """Smallest step with J step = rhs (in the least-squares sense); entries of freedom 0 stay, larger ones move
    more easily.
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
            f"the surfaces of contact {contacts} cannot touch in the pose that is given: they stay "
            f"{np.max(np.abs(g)):.3g} (relative to the size of the model) apart. Give fewer coordinates, or a pose "
            "nearer to a possible one."
        )


def _dependent(wanted: Any, q: Array, t: float, p: Array, given: Array, resting: Sequence[int]) -> Array:
    """Which coordinates move onto the constraints; the others stay where they are."""
    q = wanted.settle(q, p)
    _, _, J, _ = wanted(t, q, np.zeros(len(given)), p)
    if not np.all(np.isfinite(J)):
        return np.where(given, 0.0, 1.0)
    return pivots(wanted.comparable(J)[wanted.holonomic], given, _ease(resting, len(given)))


def _ease(resting: Sequence[int], n: int) -> Array:
    """How readily each speed is taken to meet the constraints."""
    ease = np.ones(n)
    ease[list(resting)] = 1e-3
    return ease


def _changes(
    request: StartRequest, q: Array, u: Array, names_q: list[str], names_u: list[str]
) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
    changed: dict[str, tuple[float, float]] = {}
    found: dict[str, float] = {}
    for names, old, new, given in ((names_q, request.q, q, request.given_q), (names_u, request.u, u, request.given_u)):
        for i, name in enumerate(names):
            if abs(new[i] - old[i]) > 1e-7 * (1 + abs(old[i])):
                if given[i]:
                    changed[name] = (float(old[i]), float(new[i]))
                else:
                    found[name] = float(new[i])
    return changed, found
