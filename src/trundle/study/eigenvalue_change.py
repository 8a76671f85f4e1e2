"""Exact derivatives of the linear equations about a steady motion with respect to a parameter, including the shift of
the motion.

A motion is steady where R(x, c, a) = 0 (study/steady_motion.py): x is its state, c the symmetry along which it goes, a
the parameter. So (dx, dc)/da solves the linear equations of R, and with it

    dA/da = the derivative of the state matrix along (dx, dc, 1),    d lambda/da = l* (dA/da) r / (l* r)

with the left and right eigenvectors l and r [Lancaster 1964]. The terms of the state matrix are differentiated on the
tape; the linear algebra that combines them carries these derivatives as imaginary parts (complex-step differentiation).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative, derivative_along
from trundle.equations.formulation import Formulation
from trundle.errors import DerivativeWarning, SolveError
from trundle.messages.warn import warn
from trundle.study.continuation.steady_curve import SteadyCurve
from trundle.study.linearise import Linearisation, in_order
from trundle.study.small_motions import ROUND_OFF, Chart, acting, evaluate
from trundle.study.stability import uncertain_eigenvalues
from trundle.study.steady import MovingAxes, candidates, frames_then_bodies, kernel, least_turning
from trundle.typing import AnyArray, TapeFunction

IMAGINARY = 1e-40  # factor of the derivatives that go along as imaginary parts: its square is nothing
RANK = 1e-10  # of equations that are scaled
SOLVED = 1e-8  # by which scaled equations may be missed
NO_CHANGE = 1e-7  # change of an eigenvalue, over the largest one, within a family of motions that have the same
STEADY_RATE = 1e-6  # m/s or rad/s, in axes that move along
NEARBY = 1e-5  # part of a move, after which vanishing values are checked again
APART = 100  # times their uncertainty, by which eigenvalues must differ to be two


@final
@dataclass(frozen=True, eq=False)
class _Move:
    """Derivative of a steady motion: of its state, of the symmetry along which it moves, and of the parameters."""

    x: AnyArray
    c: AnyArray
    p: AnyArray


@final
@dataclass(frozen=True, eq=False)
class Change:
    """A state about which equations were linearised (in the coordinates of `chart`), and the names of the values that
    it was given.
    """

    formulation: Formulation  # by Kane's method
    t: float
    x: AnyArray
    p: AnyArray
    chart: Chart
    given: tuple[str, ...]

    def __reduce__(self) -> tuple[object, ...]:
        chart = self.chart
        parts = (self.t, self.x, self.p, chart.coordinates, chart.speeds, chart.axes, self.given)
        return _restored, (self.formulation, *parts)  # the equations are derived again

    def matrix(self, by: str, of: Linearisation, held: Sequence[str] | None) -> AnyArray:
        """Derivative of the matrix of a linearisation, which may have left states out."""
        return self._along(self._move(by, of, held), of)

    def eigenvalues(self, by: str, of: Linearisation, held: Sequence[str] | None) -> AnyArray:
        """Derivatives of its eigenvalues, in their order; nan if they coincide."""
        found = _of_eigenvalues(of.matrix, self.matrix(by, of, held))
        if np.any(np.isnan(found)):
            values = np.array2string(of.eigenvalues[np.isnan(found)], precision=4)
            warn(
                f"eigenvalues {values} coincide and have one mode between them: they have no derivative, and are nan.",
                DerivativeWarning
            )  # fmt: skip
        return found

    # -- the move of the motion ----------------------------------------------------------------------------------------

    def _move(self, by: str, of: Linearisation, held: Sequence[str] | None) -> _Move:
        f = self.formulation
        own = by in f.parameters.parameters
        by = by if own else self._full(by)
        names = [self._full(name) for name in held or ()]
        if by in names:
            raise SolveError(f"{by!r} cannot be held and varied at once.")
        motion = self._steady_equations(by, own)
        first = motion.solved(self._rows(names, by, own))
        family = [n for n in first.free if self._matters(n, of)]
        if family and held is None:
            names = [name for name in self.given if name != by]
            first = motion.solved(self._rows(names, by, own), "the values that the state was given")
            family = [n for n in first.free if self._matters(n, of)]
        if family:
            raise SolveError(
                f"the steady motion is one of a family with other eigenvalues, and {by!r} does not say which of them "
                "is followed (or they turn back there, in a fold). Name what does not change, such as held=['speed']."
            )
        return first.move

    def _full(self, name: str) -> str:
        f = self.formulation
        full, signals = f.derivation.register().full(name), f.functions.equations.signals
        if ca.SX(signals[full]).numel() != 1:
            raise SolveError(f"{name!r} is a vector: choose one coordinate or rate.")
        return full

    def _steady_equations(self, by: str, own: bool) -> "_SteadyEquations":
        f = self.formulation
        moving = self.chart.axes is not None
        curve = SteadyCurve(f, by, self.x, self.p, {} if own else {by: 0.0}, moving, 1.0, self.t)
        n_u = f.functions.layout.n_u
        if np.any(np.abs(curve.linear(curve.start, curve.start).values[:n_u]) > STEADY_RATE):
            raise SolveError("this motion is steady in no axes that are known: its derivatives are not either.")
        return _SteadyEquations(curve, f.parameters.parameter(by) if own else -1)

    def _rows(self, names: Sequence[str], by: str, own: bool) -> AnyArray:
        """Derivatives of the quantities that are held, by q, u and the parameter."""
        f, e = self.formulation, self.formulation.functions.equations
        values = ca.vertcat(ca.SX(0, 1), *[e.signals[name] for name in names])
        place = e.p[f.parameters.parameter(by)] if own else ca.SX.sym("none")
        slopes = ca.horzcat(*(derivative(values, v) for v in (e.q, e.u, place)))
        n_q = e.n_q
        function = ca.Function("held", [e.t, e.q, e.u, e.p], [ca.densify(slopes)])
        return np.array(ca.DM(function(self.t, self.x[:n_q], self.x[n_q:], self.p)))

    def _matters(self, move: _Move, of: Linearisation) -> bool:
        """Whether neighbouring motions of a family have different eigenvalues."""
        change = _of_eigenvalues(of.matrix, self._along(move, of))
        largest = float(np.max(np.abs(of.eigenvalues), initial=1e-300))
        return bool(np.nanmax(np.abs(change), initial=0.0) > NO_CHANGE * largest)

    # -- the change of the matrix --------------------------------------------------------------------------------------

    def _along(self, move: _Move, of: Linearisation) -> AnyArray:
        f, functions = self.formulation, self.formulation.functions
        n_q = functions.equations.n_q
        dz = np.concatenate([move.x, move.p])
        changes = [np.array(ca.DM(v)) for v in f.once(_linear_along)(self.t, self.x[:n_q], self.x[n_q:], self.p, dz)]
        rates, A, J, Jq, P = changes
        held = acting(functions, self.p)
        here = evaluate(functions, self.t, self.x, self.p)
        along = (rates.ravel(), A, J[held], Jq[held], P)
        both = [a + 1j * IMAGINARY * da for a, da in zip(here, along, strict=True)]
        chart = self.chart
        if chart.axes is not None:
            dS, dU = self._axes_along(move.c)
            S: AnyArray = chart.axes.on_coordinates + 1j * IMAGINARY * dS
            U: AnyArray = chart.axes.on_speeds + 1j * IMAGINARY * dU
            chart = replace(chart, axes=replace(chart.axes, on_coordinates=S, on_speeds=U))
        matrix = chart.compose(self.x + 1j * IMAGINARY * move.x, self.p, *both)[0]
        names = chart.names
        keep = [names.index(name) for name in of.names]
        found: AnyArray = matrix.imag[np.ix_(keep, keep)] / IMAGINARY
        return found

    def _axes_along(self, c: AnyArray) -> tuple[AnyArray, AnyArray]:
        layout = self.formulation.functions.layout
        none = np.zeros((layout.n_u, layout.n_u))
        parts = [turn.on_increments(layout.n_u) for turn in candidates(layout)]
        return (
            sum((k * s for k, (s, _) in zip(c, parts, strict=True)), none),
            sum((k * v for k, (_, v) in zip(c, parts, strict=True)), none),
        )


def _linear_along(f: Formulation) -> TapeFunction:
    """Derivatives of what the state matrix is made of, along changes of (q, u, p)."""
    e = f.functions.equations
    at = [e.t, e.q, e.u, e.p]
    z = ca.vertcat(e.q, e.u, e.p)
    dz = ca.SX.sym("dz", z.numel())
    parts = [ca.reshape(derivative_along(ca.vec(part), z, dz), part.shape) for part in f.functions.linear(*at)]
    return ca.Function("linear_along", [*at, dz], [ca.densify(part) for part in parts])


@final
@dataclass(frozen=True, eq=False)
class _Solved:
    """A move, and the moves within the family of steady motions that are free beside it."""

    move: _Move
    free: list[_Move]


@final
class _SteadyEquations:
    """The linear equations of the move, scaled."""

    def __init__(self, curve: SteadyCurve, place: int) -> None:
        self.curve, self.place = curve, place
        start = curve.start
        self.sizes, value = curve.sizes(start)[:-1], abs(curve.parameter(start)) or 1.0
        scale = np.append(self.sizes, value)
        self.slopes = _known_entries(curve, scale) * np.append(np.ones(len(self.sizes)), 1 / value)

    def solved(self, held: AnyArray, what: str = "") -> _Solved:
        """The shortest move with quantities (whose derivatives by q, u and the parameter are given) that do not
        change.
        """
        n, n_c = len(self.curve.start.x), len(self.curve.start.c)
        rows = np.hstack([held[:, :n], np.zeros((len(held), n_c)), held[:, n:]])
        every = np.vstack([self.slopes, rows * np.append(self.sizes, 1.0)])
        every = every / np.maximum(np.max(np.abs(every), axis=1, initial=0.0), 1e-300)[:, None]
        S, right = every[:, :-1], -every[:, -1]
        U, values, V = np.linalg.svd(S, full_matrices=True)
        rank = int(np.sum(values > RANK * max(values[0], 1e-300))) if len(values) else 0
        step = V[:rank].T @ ((U[:, :rank].T @ right) / values[:rank])
        if np.max(np.abs(S @ step - right), initial=0.0) > SOLVED * (1.0 + np.max(np.abs(right), initial=0.0)):
            if not len(held):
                raise SolveError(
                    "no steady motion near this one follows the parameter: the motions end or turn back there."
                )
            raise SolveError(
                f"no steady motion near this one has {what or 'the quantities that are held'} unchanged while the "
                "parameter changes. Name fewer, such as held=['speed']."
            )
        free = V[rank:].T
        turning, moving = kernel(free[:n]), kernel(kernel(free[:n]).T)
        same = (free @ turning * self.sizes[:, None])[n:]  # combinations of symmetries that do not move the state
        self._check_that_they_stay(step * self.sizes, same)
        return _Solved(self._move(step, same, 1.0), [self._move(one, same, 0.0) for one in (free @ moving).T])

    def _move(self, step: AnyArray, same: AnyArray, by: float) -> _Move:
        curve, n = self.curve, len(self.curve.start.x)
        step = step * self.sizes
        p = np.zeros(len(curve.start.p))
        if self.place >= 0:
            p[self.place] = by
        if not curve.turns:
            return _Move(step[:n], np.zeros(0), p)
        c = least_turning(curve.basis @ step[n:], curve.basis @ same, frames_then_bodies(curve.turns))
        return _Move(step[:n], c, p)

    def _check_that_they_stay(self, step: AnyArray, same: AnyArray) -> None:
        """Symmetries that do not move the state (turns of a body about itself) must not begin to do so."""
        curve, n = self.curve, len(self.curve.start.x)
        if not same.size:
            return
        near = replace(curve.start, x=curve.start.x + NEARBY * step[:n] / (1.0 + np.max(np.abs(step[:n]))))
        flow = curve.linear(near, near).slopes[:, n:-1] @ same
        if np.max(np.abs(flow)) > NEARBY * 1e-3 * np.max(np.abs(same)):
            raise SolveError(
                "the axes in which this motion is steady are not unique and do not follow the parameter; "
                "take differences of linearisations."
            )


def _known_entries(curve: SteadyCurve, sizes: AnyArray) -> AnyArray:
    """Derivatives of the equations of a steady motion, times the sizes of the columns, without entries that are
    round-off: those that a change of the state by round-off changes altogether, or that are less than what is lost
    beside the largest.
    """
    start, rng = curve.start, np.random.default_rng(2)
    slopes = curve.linear(start, start).slopes * sizes
    moves = [ROUND_OFF * (1 + np.abs(start.x)) * rng.uniform(-1, 1, size=len(start.x)) for _ in range(3)]
    others = [replace(start, x=start.x + move) for move in moves]
    error = np.max([np.abs(curve.linear(near, near).slopes * sizes - slopes) for near in others], axis=0)
    least = np.maximum(10 * error, 1e-15 * np.max(np.abs(slopes), initial=0.0))
    known: AnyArray = np.where(np.abs(slopes) > least, slopes, 0.0)
    return known


def _of_eigenvalues(matrix: AnyArray, change: AnyArray) -> AnyArray:
    """Derivatives of eigenvalues in their order, from that of the matrix; nan if they coincide without a full set
    of eigenvectors. Of those that coincide with one, the derivatives are sorted among themselves.
    """
    from scipy.linalg import eig, matrix_balance

    if not len(matrix):
        return np.zeros(0, complex)
    known, errors = uncertain_eigenvalues(matrix)
    with np.errstate(invalid="ignore"):  # SciPy rounds the scales to integers as well, which large ones do not fit
        matrix, (scale, _) = matrix_balance(matrix, permute=False, separate=True)
    change = (change * scale) / scale[:, None]
    values, left, right = eig(matrix, left=True)
    error = errors[np.argmin(np.abs(known[None, :] - values[:, None]), axis=1)]
    near = np.abs(values[:, None] - values[None, :]) < APART * (error[:, None] + error[None, :])
    found = np.full(len(values), complex(np.nan, np.nan))
    for k, others in enumerate(near):
        alike = np.flatnonzero(others)
        if len(alike) == 1:
            found[k] = (left[:, k].conj() @ change @ right[:, k]) / (left[:, k].conj() @ right[:, k])
        elif k == alike[0] and np.all(near[np.ix_(alike, alike)]):
            found[alike] = _of_alike(matrix, change, complex(np.mean(values[alike])), len(alike))
    ordered: AnyArray = found[in_order(values)]
    return ordered


def _of_alike(matrix: AnyArray, change: AnyArray, value: complex, count: int) -> AnyArray:
    """Derivatives of an eigenvalue of multiplicity `count`; nan if it has fewer modes [Lancaster 1964]."""
    U, sizes, V = np.linalg.svd(matrix - value * np.eye(len(matrix)))
    L, R = U[:, -count:].conj().T, V[-count:].conj().T
    if sizes[-count] > SOLVED * np.linalg.norm(matrix):
        return np.full(count, complex(np.nan, np.nan))
    found: AnyArray = np.linalg.eigvals(np.linalg.solve(L @ R, L @ change @ R))
    return found[in_order(found)]


def _restored(
    f: Formulation,
    t: float,
    x: AnyArray,
    p: AnyArray,
    coordinates: list[int],
    speeds: list[int],
    axes: MovingAxes | None,
    given: tuple[str, ...],
) -> Change:
    return Change(f, t, x, p, Chart(f.functions, coordinates, speeds, axes), given)
