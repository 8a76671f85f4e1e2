"""Linear equations of small motions on the constraint manifold, in independent coordinates and speeds.

With T = [1; G] the tangents of the manifold of positions and V those of the allowed velocities (rolling leaves fewer
speeds than coordinates), a small motion is dq = P T ds, du = V dv + W ds, where W keeps the velocity constraints; the
derivative of the exact equations along these directions gives the state matrix. Independent coordinates are chosen at
the state itself.

Steady motion (a vehicle that runs or turns, a rotor) is an equilibrium in axes that move with it (study/steady.py) and
up to the coordinates on which nothing depends, its place and heading: these are left out where the state moves, and
speeds that change in the steady motion are not independent.
"""

import warnings
from dataclasses import dataclass, replace
from typing import final

import casadi as ca
import numpy as np

from trundle.constraints.row import Row
from trundle.equations.formulation import Formulation
from trundle.equations.kernels import Functions
from trundle.equations.mobility import split_speeds
from trundle.errors import FrozenTimeWarning, SolveError
from trundle.quantities.state_layout import StateLayout
from trundle.study.first_modes import first_modes
from trundle.study.start_state import Parameters, Values, check_own_rates, refuse_relaxed, start_state, state_vector
from trundle.study.steady import MovingAxes, moving_axes, rate_tolerance
from trundle.typing import AnyArray

ROUND_OFF = 1e-13  # by which a state is changed to see which derivatives are more than that
SOON = (-1e-2, -1e-3, 1e-3, 1e-2)  # s: when the matrix is looked at again, to see whether it changes with time
SAME = 1e-7  # relative change of an entry that is none


FROZEN = (
    "the linear equations about this state change with time: a frame does not move steadily, or a law depends on "
    "time. The eigenvalues are those of the equations at t = {t:g} s, held as they are there; they do not say whether "
    "motions grow. Linearise where frames move steadily (give t or parameters), or simulate from slightly different "
    "starts."
)


@final
@dataclass(frozen=True, eq=False)
class Linearisation:
    """State matrix of (independent coordinates, independent speeds, first-order states), whose `names` it has."""

    matrix: AnyArray
    names: tuple[str, ...]
    tangents: AnyArray  # all speeds per unit of each state
    speed_names: tuple[str, ...]
    motion_names: tuple[str, ...]  # of the motions whose rates the speeds are
    cyclic: tuple[str, ...] = ()  # coordinates left out: nothing depends on them
    steady: bool = True  # whether the state is an equilibrium or a steady motion
    frozen: bool = False  # whether the matrix changes with time, and is that of one time only

    def __repr__(self) -> str:
        values = np.array2string(self.eigenvalues, precision=4, threshold=8)
        return f"<Linearisation: {len(self.names)} states, eigenvalues {values}>"

    def _repr_html_(self) -> str:
        from trundle.view.notebook import linearisation_html

        return linearisation_html(self)

    @property
    def eigenvalues(self) -> AnyArray:
        """Sorted by frequency, then by decay."""
        values: AnyArray = np.linalg.eigvals(self.matrix)
        return values[np.lexsort((values.imag, values.real.round(12), np.abs(values.imag).round(12)))]

    @property
    def modes(self) -> AnyArray:
        """Columns: shape of every speed of the tree in the mode of each eigenvalue, largest entry 1."""
        values, vectors = np.linalg.eig(self.matrix)
        order = np.lexsort((values.imag, values.real.round(12), np.abs(values.imag).round(12)))
        shapes = self.tangents @ vectors[:, order]
        largest = shapes[np.argmax(np.abs(shapes), axis=0), np.arange(shapes.shape[1])]
        scaled: AnyArray = shapes / np.where(largest == 0, 1, largest)
        return scaled

    def table(self) -> list[dict[str, float]]:
        """One line per eigenvalue: real, imaginary, frequency in Hz, damping ratio."""
        rows = []
        for value in self.eigenvalues:
            size = abs(value)
            rows.append(
                {
                    "real": float(value.real),
                    "imaginary": float(value.imag),
                    "frequency_hz": float(abs(value.imag) / (2 * np.pi)),
                    "damping_ratio": float(-value.real / size) if size > 0 else 0.0,
                }
            )
        return rows


def linearise_at(
    f: Formulation, state: Values | None, parameters: Parameters, t: float, usual: Values | None = None,
    stacklevel: int = 3,
) -> "Linearisation":  # fmt: skip
    """Linearise about the state that belongs to named values; SolveError where contacts slide or are open there,
    FrozenTimeWarning (shown `stacklevel` calls up) where the matrix changes with time.
    """
    refuse_relaxed(f, "a linearisation")
    p = f.parameter_vector(parameters)
    at = start_state(f, state, parameters, t, usual)
    if f.parameters.modes:
        p = first_modes(f, t, state_vector(f, at, p, t), p)
        loose = [m for m, value in f.parameters.modes_at(p).items() if m.is_switch and value != 1]
        if loose:
            raise SolveError(
                f"contact {loose[0].contact!r} slides or is open at this state: small motions about it are not linear. "
                "Give a state in which contacts stick, or a smooth law."
            )
    found = linearise(f.by_kane.functions, t, np.concatenate([at.q, at.u]), p)
    if found.frozen:
        warnings.warn(FROZEN.format(t=t), FrozenTimeWarning, stacklevel=stacklevel)
    return found


def linearise(functions: Functions, t: float, x: AnyArray, p: AnyArray) -> Linearisation:
    """Linearise about a consistent state x = [q, u, ...]."""
    layout = functions.layout
    n_q, n_u = layout.n_q, layout.n_u
    x = np.asarray(x[: layout.n_motion], dtype=float)
    rates, A, J, _, _ = _evaluate(functions, t, x, p)
    check_own_rates(layout, rates)
    qdot, udot = rates[:n_q], rates[n_q:]
    own = layout.own_slice
    moving = bool(np.max(np.abs(qdot[: own.start]), initial=0.0) > 1e-9)
    axes = moving_axes(functions, t, x, p) if moving else None
    size = np.maximum(1.0, np.abs(x[n_q:]))
    later = A[n_q:] @ rates  # a speed that turns with the heading may rest for a moment
    changing = (np.abs(udot) > 1e-7 * size**2) | (np.abs(later) > 1e-7 * size**3)
    holonomic = np.array([row.holonomic for row in _held_rows(functions, p)], bool)
    coordinates, _ = _tangents(J[holonomic], np.zeros(n_u, bool))
    speeds, _ = _tangents(J, changing)
    chart = _Chart(functions, coordinates, speeds, axes)
    matrix, T, V = chart(t, x, p)
    every, motions = layout.speed_names(), layout.turn_names()
    names = (
        [motions[i] for i in coordinates] + [every[i] for i in speeds] + [entry.name for entry in layout.first_order]
    )
    none = np.zeros((n_u, len(layout.first_order)))
    shapes = np.hstack([T, np.zeros_like(V), none])
    cyclic: list[int] = []
    if moving:
        known = chart.known(t, x, p, matrix)
        matrix = np.where(known, matrix, 0.0)
        fixed = matrix if axes is None else np.where(known, chart.in_fixed_axes(t, x, p), 0.0)
        growing = np.flatnonzero(np.abs(qdot[own]) > rate_tolerance(A, x)[own])  # a distance travelled
        cyclic = _cyclic(fixed, [*range(len(coordinates)), *(len(names) - len(layout.own) + growing)])
        shapes = np.hstack([np.zeros_like(T), V, none])  # places left out: modes are described by their speeds
    keep = [i for i in range(len(names)) if i not in cyclic]
    kept = [i for k, i in enumerate(coordinates) if k not in cyclic]
    steady = axes is not None or _at_rest(functions, t, x, p, kept, speeds)
    return Linearisation(
        matrix[np.ix_(keep, keep)], tuple(names[i] for i in keep), shapes[:, keep], tuple(every), tuple(motions),
        tuple(names[i] for i in cyclic), steady, chart.frozen(t, x, p, matrix)[np.ix_(keep, keep)].any().item(),
    )  # fmt: skip


def allowed_changes(functions: Functions, t: float, x: AnyArray, p: AnyArray) -> AnyArray:
    """Columns: independent changes of the state x = [q, u] that keep the constraints."""
    _, _, J, _, _ = _evaluate(functions, t, x, p)
    holonomic = np.array([row.holonomic for row in _held_rows(functions, p)], bool)
    none = np.zeros(functions.equations.n_u, bool)
    chart = _Chart(functions, _tangents(J[holonomic], none)[0], _tangents(J, none)[0], None)
    return chart.basis(t, x, p)[0]


def _evaluate(functions: Functions, t: float, x: AnyArray, p: AnyArray) -> tuple[AnyArray, ...]:
    """Rates, their derivatives, rows on speeds, derivatives of their rates, and coordinate rates over speeds."""
    n_q = functions.equations.n_q
    rates, A, J, Jq, P = (np.array(ca.DM(v)) for v in functions.linear(t, x[:n_q], x[n_q:], p))
    held = acting(functions, p)
    return rates.ravel(), A, J[held], Jq[held], P


def acting(functions: Functions, p: AnyArray) -> AnyArray:
    """Which of the independent rows hold speeds, with the modes of the contacts in p."""
    held = np.array([row.level != "acceleration" for row in functions.independent], bool)
    switched = [1 if row.active is None else row.active for row in functions.independent]
    modes = ca.Function("modes", [functions.equations.p], [ca.vertcat(ca.SX(0, 1), *switched)])
    found: AnyArray = held & (np.array(ca.DM(modes(p))).ravel() != 0)
    return found


def _held_rows(functions: Functions, p: AnyArray) -> list[Row]:
    return [row for row, held in zip(functions.independent, acting(functions, p), strict=True) if held]


def _at_rest(
    functions: Functions, t: float, x: AnyArray, p: AnyArray, coordinates: list[int], speeds: list[int]
) -> bool:
    """Whether no coordinate and no speed of those that are kept changes, each in its own measure."""
    n_q = functions.equations.n_q
    rates, A, _, _, _ = _evaluate(functions, t, x, p)
    limit = rate_tolerance(A, x)
    still = np.all(np.abs(x[n_q:][coordinates]) < 1e-7)
    bending = np.any((np.abs(rates) > limit)[functions.layout.first_order_slice])
    resting = np.abs(rates[n_q:]) < limit[n_q:]
    return bool(still and np.all(resting[speeds]) and not bending)


@final
@dataclass(frozen=True, eq=False)
class _Chart:
    """Independent coordinates, speeds and first-order states, and the state matrix in them."""

    functions: Functions
    coordinates: list[int]
    speeds: list[int]
    axes: MovingAxes | None

    def __call__(self, t: float, x: AnyArray, p: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
        """The matrix, and all speeds per unit of each coordinate and of each speed."""
        n_q = self.functions.equations.n_q
        rates, A, _, _, _ = _evaluate(self.functions, t, x, p)
        B, T, V = self.basis(t, x, p)
        own = self.functions.layout.first_order_slice
        full = A @ B
        back, back_rate = _back(self.functions.layout, x[:n_q], rates[:n_q])  # speeds-like increments of coordinates
        ds_rate = back @ full[:n_q] + back_rate @ B[:n_q]
        du_rate = full[n_q:]
        if self.axes is not None:
            ds_rate = ds_rate - self.axes.on_coordinates @ back @ B[:n_q]
            du_rate = du_rate - self.axes.on_speeds @ B[n_q:]
        return np.vstack([ds_rate[self.coordinates], du_rate[self.speeds], full[own]]), T, V

    def basis(self, t: float, x: AnyArray, p: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Changes of (q, u) that the constraints allow, per unit of each state; all speeds per unit of each coordinate
        and of each speed.
        """
        n_q, n_u = self.functions.equations.n_q, self.functions.equations.n_u
        _, _, J, Jq, P = _evaluate(self.functions, t, x, p)
        holonomic = np.array([row.holonomic for row in _held_rows(self.functions, p)], bool)
        T, V = _in_terms_of(J[holonomic], self.coordinates), _in_terms_of(J, self.speeds)
        W = np.zeros((n_u, len(self.coordinates)))
        if len(J):
            dependent = [i for i in range(n_u) if i not in self.speeds]
            W[dependent] = -np.linalg.solve(J[:, dependent], Jq @ P @ T)
        B = np.block([[P @ T, np.zeros((n_q, len(self.speeds)))], [W, V]])
        return np.hstack([B, np.eye(n_q + n_u)[:, self.functions.layout.first_order_slice]]), T, V

    def in_fixed_axes(self, t: float, x: AnyArray, p: AnyArray) -> AnyArray:
        return replace(self, axes=None)(t, x, p)[0]

    def frozen(self, t: float, x: AnyArray, p: AnyArray, matrix: AnyArray) -> AnyArray:
        """Which entries change with time itself: more than round-off does, and soon."""
        e = self.functions.equations
        if not e.model.frames and not ca.depends_on(self.functions.dynamics[0], e.t):
            return np.zeros(matrix.shape, bool)
        change = np.max([np.abs(self(t + later, x, p)[0] - matrix) for later in SOON], axis=0)
        least = np.maximum(10 * self._round_off(t, x, p, matrix), 1e-10 * np.max(np.abs(matrix), axis=1, keepdims=True))
        frozen: AnyArray = change > np.maximum(SAME * np.abs(matrix), least)
        return frozen

    def known(self, t: float, x: AnyArray, p: AnyArray, matrix: AnyArray) -> AnyArray:
        """Which entries are more than round-off: those that a change of the state by round-off leaves as they are."""
        known: AnyArray = np.abs(matrix) > 10 * self._round_off(t, x, p, matrix)
        return known

    def _round_off(self, t: float, x: AnyArray, p: AnyArray, matrix: AnyArray) -> AnyArray:
        rng = np.random.default_rng(2)
        nearby = [x + ROUND_OFF * (1 + np.abs(x)) * rng.uniform(-1, 1, size=len(x)) for _ in range(3)]
        change: AnyArray = np.max([np.abs(self(t, other, p)[0] - matrix) for other in nearby], axis=0)
        return change


def _tangents(J: AnyArray, avoid: AnyArray) -> tuple[list[int], AnyArray]:
    """Independent speeds, not of those to avoid where it can be helped, and all speeds per unit of them."""
    independent, _ = split_speeds(J, avoid)
    return independent, _in_terms_of(J, independent)


def _in_terms_of(J: AnyArray, independent: list[int]) -> AnyArray:
    """All speeds per unit of the independent ones."""
    T = np.zeros((J.shape[1], len(independent)))
    T[independent, range(len(independent))] = 1.0
    dependent = [i for i in range(J.shape[1]) if i not in independent]
    if dependent:
        T[dependent] = -np.linalg.solve(J[:, dependent], J[:, independent])
    return T


def _cyclic(matrix: AnyArray, candidates: list[int]) -> list[int]:
    """States of the candidates on which nothing depends, their own rates included, but the rates of others that
    nothing depends on: x and y, then the heading, which turns only the velocity over the ground.
    """
    chosen: list[int] = []
    while True:
        others = [i for i in range(len(matrix)) if i not in chosen]
        more = [k for k in candidates if k not in chosen and not np.any(matrix[others, k])]
        if not more:
            return sorted(chosen)
        chosen += more


def _back(layout: StateLayout, q: AnyArray, qdot: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Matrices from changes of q to increments in the sense of the speeds, and the rate of that matrix."""
    back, rate = np.zeros((layout.n_u, layout.n_q)), np.zeros((layout.n_u, layout.n_q))
    for c in layout.coordinates:
        if c.n_u == 1:
            back[c.i_u, c.i_q] = 1.0
            continue
        block = np.s_[c.i_u : c.i_u + 3, c.i_q : c.i_q + 4]
        back[block] = 4 * _quaternion_map(q[c.i_q : c.i_q + 4]).T
        rate[block] = 4 * _quaternion_map(qdot[c.i_q : c.i_q + 4]).T
    return back, rate


def _quaternion_map(q: AnyArray) -> AnyArray:
    """The matrix of quaternion_rate."""
    w, x, y, z = q
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) / 2
