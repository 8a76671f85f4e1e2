"""Curves of periodic motions of smooth systems, stable or not, by collocation.

One period is cut into intervals; in each the motion is a polynomial that fulfils xdot = f(x) at the three points of
Radau IIA (order 5, for stiff systems) [Hairer 1996, Sect. IV.5]. The unknowns inside the intervals are eliminated, so
that Newton's method is left with the state at the start, the period and the parameter; the product of the intervals'
derivatives is the monodromy matrix, whose eigenvalues are the Floquet multipliers.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from trundle.errors import SolveError
from trundle.study.continuation.curve import Curve, Judgement, Linear
from trundle.study.continuation.flow import Flow
from trundle.typing import AnyArray, Array

_S6 = np.sqrt(6.0)
NODES = np.array([(4 - _S6) / 10, (4 + _S6) / 10, 1.0])
WEIGHTS = np.array(
    [
        [(88 - 7 * _S6) / 360, (296 - 169 * _S6) / 1800, (-2 + 3 * _S6) / 225],
        [(296 + 169 * _S6) / 1800, (88 + 7 * _S6) / 360, (-2 - 3 * _S6) / 225],
        [(16 - _S6) / 36, (16 + _S6) / 36, 1 / 9],
    ]
)
SURE = 1e-8  # logarithm of the size of a multiplier that is neither growth nor decay
LEAST_CHANGE = 1e-4  # of the unit of a state: the least that counts as a change of it
ALONG = 0.9  # cosine from which on a change of the start is one along the motion
KEPT = 3  # motions whose equations are remembered
SLOW = 0.05  # of the mean of a state, likewise


@final
@dataclass(frozen=True, eq=False)
class PeriodicMotion:
    """States (rows) at the times `mesh` (parts of the period, from 0 to 1) of a motion that repeats."""

    mesh: Array
    start: Array
    stages: Array  # intervals, three points in each, states
    period: float
    parameter: float
    phase: Array | None = None  # direction of the motion at the start, where that stands still

    @property
    def times(self) -> Array:
        """Of all states, parts of the period."""
        inner = self.mesh[:-1, None] + np.diff(self.mesh)[:, None] * NODES
        return np.concatenate([[0.0], inner.ravel()])

    @property
    def states(self) -> Array:
        """At all times, rows in their order."""
        return np.vstack([self.start[None, :], self.stages.reshape(-1, self.stages.shape[2])])


@final
@dataclass(frozen=True, eq=False)
class _Condensed:
    """Newton's equations of all intervals in terms of changes of the start, the period and the parameter."""

    inside: list[tuple[Array, Array, Array, Array]]  # of stages: by the interval's start, period, parameter; residual
    monodromy: Array
    by_period: Array
    by_parameter: Array
    rest: Array


@final
class PeriodicCurve(Curve[PeriodicMotion]):
    """Periodic motions of a flow over its parameter, in a number of intervals."""

    periodic: ClassVar[bool] = True
    definite: ClassVar[bool] = True

    def __init__(self, flow: Flow, width: float, intervals: int = 60) -> None:
        self.flow, self.width, self.intervals = flow, width, intervals
        self._last: list[tuple[PeriodicMotion, _Condensed]] = []

    def linear(self, place: PeriodicMotion, base: PeriodicMotion) -> Linear:
        n, c = len(place.start), self._condense(place)
        phase = self.flow.rates(base.start, base.parameter) if base.phase is None else base.phase
        phase = phase / self._state_sizes(base) ** 2
        slopes, values = np.zeros((n + 1, n + 2)), np.zeros(n + 1)
        slopes[:n, :n] = c.monodromy - np.eye(n)
        slopes[:n, n], slopes[:n, n + 1] = c.by_period, c.by_parameter
        values[:n] = c.rest + place.stages[-1, -1] - place.start
        slopes[n, :n], values[n] = phase, phase @ (place.start - base.start)
        return Linear(values, slopes, c)

    def moved(self, place: PeriodicMotion, at: Linear, step: Array) -> PeriodicMotion:
        n = len(place.start)
        stages, change = place.stages.copy(), step[:n]
        for i, (by_start, by_period, by_parameter, rest) in enumerate(at.kept.inside):
            moved = by_start @ change + by_period * step[n] + by_parameter * step[n + 1] + rest
            stages[i] += moved.reshape(-1, n)
            change = moved[-n:]
        period = place.period + float(step[n])
        if not period > 0:
            raise SolveError("the period would not be positive.")
        return PeriodicMotion(place.mesh, place.start + step[:n], stages, period, place.parameter + float(step[n + 1]))

    def unknowns(self, place: PeriodicMotion) -> Array:
        return np.concatenate([place.start, [place.period, place.parameter]])

    def sizes(self, place: PeriodicMotion) -> Array:
        return np.concatenate([self._state_sizes(place), [place.period, self.width]])

    def _state_sizes(self, place: PeriodicMotion) -> Array:
        states = place.states
        least = np.maximum(LEAST_CHANGE * self.flow.sizes(place.start), SLOW * np.abs(np.mean(states, axis=0)))
        return np.asarray(np.maximum(np.ptp(states, axis=0) / 2, least))

    def multipliers(self, place: PeriodicMotion) -> AnyArray:
        """Floquet multipliers, largest first; one of them is 1, of a shift in time."""
        return self._floquet(place)[0]

    def judge(self, place: PeriodicMotion) -> Judgement:
        """The error of the multiplier of a shift in time, which should be 1, is taken as the error of the others."""
        values, vectors = self._floquet(place)
        shift = self._of_a_shift(place, values, vectors)
        others = np.delete(values, shift)
        doubt = float(abs(np.log(max(abs(values[shift]), 1e-300))))
        growth = np.log(np.maximum(np.abs(others), 1e-300))
        growth = np.where(np.abs(growth) < max(SURE, doubt), 0.0, growth)
        return Judgement(values, growth, others, doubt)

    def _floquet(self, place: PeriodicMotion) -> tuple[AnyArray, AnyArray]:
        """Multipliers, largest first, and the changes of the start (columns) that they multiply."""
        values, vectors = np.linalg.eig(self._condense(place).monodromy)
        order = np.argsort(-np.abs(values), kind="stable")
        return values[order].astype(np.complex128), vectors[:, order]

    def _of_a_shift(self, place: PeriodicMotion, values: AnyArray, vectors: AnyArray) -> int:
        """Number of the multiplier of a shift in time: of those whose changes lie along the motion the nearest to 1."""
        sizes = self._state_sizes(place)
        along = self.flow.rates(place.start, place.parameter) / sizes
        changes = vectors / sizes[:, None]
        part = np.abs(along @ changes) / np.maximum(np.linalg.norm(along) * np.linalg.norm(changes, axis=0), 1e-300)
        off = np.abs(np.log(np.where(values == 0, 1e-300, values)))
        return int(np.argmin(np.where(part > ALONG, off, np.inf) if np.any(part > ALONG) else off))

    def refreshed(self, place: PeriodicMotion) -> PeriodicMotion:
        """On a mesh with more intervals where the motion bends most."""
        from scipy.interpolate import CubicHermiteSpline

        every, states = place.times, place.states
        f = self.flow.many_rates(states, place.parameter) * place.period
        bend = np.linalg.norm(np.diff(f, axis=0) / self._state_sizes(place), axis=1) / np.diff(every)
        weight = (bend + 0.1 * np.mean(bend)) ** (1 / 3)
        weight = np.convolve(np.concatenate([weight[-2:], weight, weight[:2]]), np.ones(5) / 5, "valid")
        total = np.concatenate([[0.0], np.cumsum(weight * np.diff(every))])
        mesh = np.interp(np.linspace(0, total[-1], self.intervals + 1), total, every)
        mesh[0], mesh[-1] = 0.0, 1.0
        inner = mesh[:-1, None] + np.diff(mesh)[:, None] * NODES
        return replace(place, mesh=mesh, stages=CubicHermiteSpline(every, states, f)(inner))

    def resting(self, x: Array, value: float, mode: AnyArray, frequency: float) -> PeriodicMotion:
        """The equilibrium at a Hopf point as a periodic motion of zero amplitude (frequency in rad/s)."""
        mesh = np.linspace(0.0, 1.0, self.intervals + 1)
        stages = np.tile(x, (self.intervals, len(NODES), 1))
        return PeriodicMotion(mesh, x.copy(), stages, 2 * np.pi / frequency, value, -np.imag(mode))

    def sampled(self, times: Array, states: Array, value: float) -> PeriodicMotion:
        """A guess from samples of about one period."""
        from scipy.interpolate import CubicHermiteSpline

        mesh = np.linspace(0.0, 1.0, self.intervals + 1)
        period = float(times[-1] - times[0])
        rates = self.flow.many_rates(states, value)
        curve = CubicHermiteSpline((times - times[0]) / period, states, rates * period)
        inner = mesh[:-1, None] + np.diff(mesh)[:, None] * NODES
        return PeriodicMotion(mesh, states[0], curve(inner), period, value)

    def _condense(self, place: PeriodicMotion) -> _Condensed:
        """Newton's equations about a motion; the last few are cached for tangent, stability and step."""
        for motion, known in self._last:
            if motion is place:
                return known
        found = self._eliminated(place)
        self._last = [*self._last[1 - KEPT :], (place, found)]
        return found

    def _eliminated(self, place: PeriodicMotion) -> _Condensed:
        n, flow, value, stages = len(place.start), self.flow, place.parameter, place.stages
        count, every = len(stages), stages.reshape(-1, n)
        f = flow.many_rates(every, value).reshape(count, 3, n)
        A = flow.many_slopes(every, value).reshape(count, 3, n, n)
        g = flow.many_parameter_slopes(every, value).reshape(count, 3, n)
        if not (np.all(np.isfinite(f)) and np.all(np.isfinite(A)) and np.all(np.isfinite(g))):
            raise SolveError("the equations have no finite value along the motion.")
        part = np.diff(place.mesh)[:, None, None]
        step = part * place.period
        A *= -step[..., None]
        blocks = np.empty((count, 3, n, 3, n))
        for j, k in np.ndindex(3, 3):
            np.multiply(WEIGHTS[j, k], A[:, k], out=blocks[:, j, :, k])
        K = blocks.reshape(count, 3 * n, 3 * n)
        K[:, np.arange(3 * n), np.arange(3 * n)] += 1.0
        before = np.concatenate([place.start[None, :], stages[:-1, -1]])
        moved = np.einsum("jk,ika->ija", WEIGHTS, f)
        by = part * moved, step * np.einsum("jk,ika->ija", WEIGHTS, g), before[:, None, :] + step * moved - stages
        columns = [np.broadcast_to(np.tile(np.eye(n), (3, 1)), (count, 3 * n, n))]
        columns += [one.reshape(count, 3 * n, 1) for one in by]
        found = np.linalg.solve(K, np.concatenate(columns, axis=2))
        inside = [(one[:, :n], one[:, n], one[:, n + 1], one[:, n + 2]) for one in found]
        total, ends = np.eye(n), np.zeros((n, 3))
        for one in found[:, 2 * n :]:
            total, ends = one[:, :n] @ total, one[:, :n] @ ends + one[:, n:]
        return _Condensed(inside, total, *ends.T)
