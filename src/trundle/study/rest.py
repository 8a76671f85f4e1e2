"""Poses in which a system can stay at rest: found in several ways, and each checked before it is returned.

A pose is an equilibrium when its accelerations vanish with what the contacts really do there (stick, slide, open), and
a stable one when in addition no small motion about it grows. Statics (study/equilibrium.py) finds most of them; where
friction is proportional to the normal force, or a contact opens, Newton's method on the accelerations does; the
remaining ones are found by releasing the system and stopping it at every peak of its kinetic energy (kinetic damping).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import FrozenTimeWarning, SolveError
from trundle.linear_algebra.in_place import InPlace
from trundle.messages.warn import warn
from trundle.motion.kinematics import normalised
from trundle.quantities.state_layout import StateLayout
from trundle.study.equilibrium import find_equilibrium, refuse_yielding_rates, settle
from trundle.study.first_modes import first_modes
from trundle.study.linearise import Linearisation, linearise
from trundle.study.momentary import MOMENTARY, is_momentary
from trundle.study.small_motions import acting
from trundle.study.stability import sure_growth
from trundle.study.start_state import Parameters, check_rates, refuse_relaxed, start_state
from trundle.study.steady import rate_tolerance
from trundle.typing import Array, State, Values

PUSH = 1e-3  # rad or typical lengths, by which an unstable pose is left before the system is let go
STEPS = 60  # of Newton's method on accelerations
NO_RATE = 1e-9  # rad/s or typical lengths per second, below which a prescribed rate is zero


def equilibrium(f: Formulation, start: Values | None, parameters: Parameters, t: float, stable: bool) -> State:
    """Coordinates of a static equilibrium near the given pose, by name: one in which the system can stay at rest.

    It is checked with the state of its contacts, and that no small motion about it grows; stable=False takes the
    nearest one that Newton's method finds, stable or not. Raises SolveError if none is found.
    """
    refuse_relaxed(f, "an equilibrium")
    found = Rest(f.by_kane, t, f.parameter_vector(parameters))
    first = start_state(f, start, parameters, t).q
    check_rates(f.by_kane, t, f.by_kane.states.vector(first), found.p)
    q = found.find(first, stable)
    if is_momentary(f.by_kane, t, np.concatenate([q, np.zeros(f.by_kane.n_u)]), found.p):
        warn(MOMENTARY.format(t=t), FrozenTimeWarning)
    pose = {c.name: float(q[c.i_q]) if c.n_q == 1 else q[c.i_q : c.i_q + 4] for c in f.layout.coordinates}
    return pose | {name: float(q[i]) for name, i in f.layout.first_order_places.items()}


@final
@dataclass(frozen=True, eq=False)
class Rest:
    """The search for a pose of rest of a system in joint coordinates."""

    formulation: Formulation
    t: float
    p: Array

    def find(self, first: Array, stable: bool) -> Array:
        """An equilibrium near the first pose, on request a stable one; SolveError if there is none."""
        refuse_yielding_rates(self.formulation.model)
        if self.formulation.functions.equations.switched and self._rests(first, stable):
            return first
        reasons: list[str] = []
        unstable: float | None = None
        for way in self._ways(first, stable):
            try:
                q = way()
                moving = self._what_moves(q)
            except SolveError as error:
                reasons.append(str(error))
                continue
            if moving:
                reasons.append(moving)
                continue
            growth = self._growth(q) if stable else 0.0
            if growth <= 0:
                return q
            unstable = growth
        if unstable is not None:
            raise SolveError(
                f"no stable equilibrium was found near the given pose: there is one, but it is unstable: small "
                f"motions about it grow "
                f"(by exp({unstable:.3g} t)), and the system did not settle anywhere else. stable=False gives it; "
                "other start values may lead to a stable one."
            )
        raise SolveError(reasons[0] if reasons else "no equilibrium was found near the given pose.")

    def _rests(self, q: Array, stable: bool) -> bool:
        """Whether the first pose is one already, as every pose of a box that stands on the floor is."""
        try:
            return not self._what_moves(q) and (not stable or self._growth(q) <= 0)
        except SolveError:
            return False

    def _ways(self, first: Array, stable: bool) -> Iterator[Callable[[], Array]]:
        functions = self.formulation.functions
        yield lambda: find_equilibrium(functions, first, self.t, self.p)
        yield lambda: self._by_accelerations(first)
        if not stable:
            return
        settled: list[Array] = []

        def solve_after_settling() -> Array:
            settled.append(settle(self.formulation, self._pushed(first), self.t, self.p))
            return find_equilibrium(functions, settled[0], self.t, self.p)

        yield solve_after_settling
        yield lambda: self._by_accelerations(settled[0] if settled else self._pushed(first))

    # -- checks --------------------------------------------------------------------------------------------------------

    def _state(self, q: Array) -> Array:
        return self.formulation.states.vector(q)

    def _modes(self, q: Array) -> Array:
        return first_modes(self.formulation, self.t, self._state(q), self.p)

    def _driven(self, q: Array) -> bool:
        """Whether a prescribed rate that does not depend on time moves the system in this pose."""
        f, x = self.formulation, self._state(q)
        project = f.kernels("base").get("project")
        if project is None or is_momentary(f, self.t, np.concatenate([q, np.zeros(f.n_u)]), self.p):
            return False
        return not project(self.t, x, self._modes(q))[project.n_x + 1] < NO_RATE

    def _what_moves(self, q: Array) -> str:
        """What would accelerate from rest in this pose, as a phrase; empty if nothing does."""
        states = self.formulation.states
        u = np.zeros(states.n_u)
        if self._driven(q):
            return (
                "no equilibrium was found near the given pose: where the forces balance, a prescribed rate moves the "
                "system. Start nearer to a pose in which that rate is zero."
            )
        rates, A, *_ = InPlace(self.formulation.functions.linear)(self.t, q, u, self._modes(q))
        udot = rates.ravel()[_that_rest(states)]
        excess = np.abs(udot) - rate_tolerance(A, np.concatenate([q, u]))[_that_rest(states)]
        if not np.all(np.isfinite(udot)):
            return "the accelerations in the pose that balances the forces are not finite."
        if np.all(excess <= 0):
            return ""
        worst = int(np.argmax(excess))
        rate = udot[worst]
        if worst >= states.n_u:
            name = states.own[worst - states.n_u].name
            return f"no equilibrium was found near the given pose: the state {name!r} changes at {rate:.3g} per second."
        name = states.speed_names()[worst]
        return (
            "no equilibrium was found near the given pose: where the forces of the constraints could balance, contacts "
            f"slide or open, and {name!r} would change at {rate:.3g} per second. "
            "Start nearer to a pose of rest, or check that friction can hold the load."
        )

    def _linear(self, q: Array) -> Linearisation:
        state = np.concatenate([q, np.zeros(self.formulation.n_u)])
        return linearise(self.formulation.functions, self.t, state, self._modes(q))

    def _growth(self, q: Array) -> float:
        """Growth rate of small motions; zero or negative if none grows."""
        return sure_growth(self._linear(q).matrix)

    def _pushed(self, q: Array) -> Array:
        """The pose a little away along the motion that grows fastest: at rest in it the system would never leave."""
        try:
            linear = self._linear(q)
        except SolveError:
            return q
        values, vectors = np.linalg.eig(linear.matrix)
        if not len(values) or np.max(values.real) <= 0:
            return q
        shape = np.real(linear.tangents @ vectors[:, int(np.argmax(values.real))])
        largest = float(np.max(np.abs(shape), initial=0.0))
        return self._moved(q, PUSH * shape / largest) if largest > 0 else q

    # -- Newton's method on accelerations ------------------------------------------------------------------------------

    def _moved(self, q: Array, step: Array, p: Array | None = None) -> Array:
        """The pose moved by a step in the sense of the speeds, back on the constraints that act."""
        n_q = self.formulation.n_q
        P = InPlace(self.formulation.functions.linear)(self.t, q, 0.0, self.p)[4]
        moved = normalised(q + P @ step, self.formulation.layout.quaternions)
        project = self.formulation.kernels("base").get("project")
        if project is not None:
            for _ in range(4):
                moved = np.array(project(self.t, self._state(moved), self.p if p is None else p))[:n_q]
        return moved

    def _by_accelerations(self, q: Array) -> Array:
        """Where the accelerations from rest vanish, with the contacts as they are on the way."""
        f = self.formulation
        n_q, resting, own = f.n_q, _that_rest(f.states), f.states.first_order_slice
        damping, last = 1e-3, np.inf
        best = q
        for _ in range(STEPS):
            p = self._modes(q)
            rates, A, J, _, P = InPlace(f.functions.linear)(self.t, q, 0.0, p)
            udot = rates.ravel()[resting]
            if not np.all(np.isfinite(udot)):
                break
            holonomic = acting(f.functions, p) & np.array([r.holonomic for r in f.functions.independent], bool)
            T = _null(J[holonomic])
            K = np.hstack([A[resting, :n_q] @ P @ T, A[resting, own]])
            size = 1.0 / (1.0 + np.max(np.abs(K), axis=1, initial=0.0))
            error = float(np.linalg.norm(size * udot))
            if error < last:
                best, last, damping = q, error, max(damping / 10, 1e-15)
            else:
                damping *= 100
            if error < 1e-15 or damping > 1e3:
                break
            S = size[:, None] * K
            grid = S.T @ S
            ridge = damping * np.diag(np.diag(grid) + 1e-12 * np.max(np.diag(grid), initial=1e-12))
            step = -np.linalg.lstsq(grid + ridge, S.T @ (size * udot), rcond=1e-15)[0]
            step *= min(1.0, 0.3 / max(float(np.max(np.abs(step), initial=0.0)), 1e-300))
            q = self._moved(q, T @ step[: T.shape[1]], p)
            q[own] += step[T.shape[1] :]
        return best


def _that_rest(states: StateLayout) -> list[int]:
    """Speeds and own states: their rates vanish at rest."""
    return [*range(states.u.start, states.u.stop), *range(states.own_slice.start, states.own_slice.stop)]


def _null(J: Array) -> Array:
    """Orthogonal columns that J maps to zero."""
    if not len(J):
        return np.eye(J.shape[1])
    _, values, V = np.linalg.svd(J, full_matrices=True)
    return np.asarray(V[int(np.sum(values > 1e-10 * values[0])) :].T)
