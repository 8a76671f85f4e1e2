"""Motions that repeat through events: Newton's method on the return map, with its derivative and multipliers.

The derivative of the map is the product of the solutions of the variational equations between events and of a saltation
matrix at each event [Leine 2004]:  S = H + (f_after - H f_before) (dg/dx) / (dg/dx f_before),  H = dx_after/dx_before.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import final

import numpy as np

from trundle.equations.formulation import Built
from trundle.errors import SolveError, UnknownNameError
from trundle.integrate.case import Case
from trundle.integrate.integrate import integrate
from trundle.integrate.interruption import part_of_study
from trundle.integrate.methods.explicit import DormandPrince8
from trundle.integrate.options import Options, Sampling, Supervision, Tolerances
from trundle.integrate.trajectory import EventLog, Trajectory
from trundle.messages.arguments import explain_module_calls
from trundle.study.first_modes import first_modes
from trundle.study.interruption import raise_lost_interruption
from trundle.study.linearise import allowed_changes
from trundle.study.problem import make_problem, multiplier_shift
from trundle.study.run_options import check_positive
from trundle.study.sensitivity.extended import Extended, depends_on_time
from trundle.study.sensitivity.jumps import EventJump, changed_by_events, event_jumps, jumps_of
from trundle.study.start_state import start_state
from trundle.typing import Array, Complexes, Values

RTOL, ATOL = 1e-12, 1e-14
HALVINGS = 8
FAMILY = 1e-9  # distance of a multiplier from one below which a periodic motion is one of a family
AT_ONCE = 1e-9  # of the longest time: a section met sooner is the one that the motion starts on
AT_REST = 1e-8  # largest rate of a state in which nothing moves
APART = 1e-8  # residual of the constraints, relative, that a state put back on the section may have


@final
@dataclass(frozen=True)
class Section:
    """Where a motion repeats: just after `event`. States in `reset` are set to a value there, and those in `shift` are
    changed by one, so that a machine that travels returns to its start. A motion that reaches an event of `unless`
    first does not repeat.
    """

    event: str
    reset: Mapping[str, float] = field(default_factory=dict)
    shift: Mapping[str, float] = field(default_factory=dict)
    unless: tuple[str, ...] = ()


@final
@dataclass(frozen=True, eq=False)
class Return:
    """One return to the section: state there, time it took, events on the way, derivative by the state before."""

    x: Array
    time: float
    events: tuple[tuple[str, float], ...]
    matrix: Array | None = None


@final
@dataclass(frozen=True, eq=False)
class Orbit:
    """A periodic motion: its state on the section, period (s), Floquet multipliers (largest first) and events."""

    x: Array
    values: Mapping[str, float]  # coordinates and rates by name
    period: float
    matrix: Array
    multipliers: Complexes
    events: tuple[tuple[str, float], ...]
    residual: float
    iterations: int

    def __repr__(self) -> str:
        largest = float(np.max(np.abs(self.multipliers), initial=0.0))
        kind = "stable" if self.stable else "not stable"
        return f"<Orbit: period {self.period:.6g} s, {kind} (largest multiplier {largest:.4g})>"

    @property
    def stable(self) -> bool:
        """Whether small disturbances die out."""
        return bool(np.max(np.abs(self.multipliers), initial=0.0) < 1.0)


@final
class ReturnMap:
    """The return map, from one passage of a section to the next, of an autonomous model."""

    def __init__(
        self, system: Built, section: Section, parameters: Mapping[str, float] | None = None, longest: float = 10.0
    ) -> None:
        f = system.formulation
        if not f.in_joints:
            raise SolveError("periodic motions are found in joint coordinates: build with formalism='kane'.")
        if not isinstance(section, Section):
            raise SolveError(f"a section is needed, such as Section('name of an event'), got {section!r}.")
        check_positive(longest=longest)
        self.formulation, self.section, self.parameters, self.longest = f, section, parameters, longest
        if depends_on_time(f):
            raise SolveError("the model depends on time: the map between events is for autonomous models only.")
        used = tuple(sorted(changed_by_events(f)))
        self.jumps, self.extended = jumps_of(f, used), Extended(f, used, f.states.n_motion)
        self.names = self.jumps.names
        for name in (section.event, *section.unless):
            if name not in self.names:
                raise UnknownNameError(name, self.names, "event")
        self._n = f.states.n_motion
        self._places = f.layout.changeable
        for name in f.resolved({**section.reset, **section.shift}):
            if name not in self._places:
                raise UnknownNameError(name, self._places, "coordinate or rate")

    def with_parameters(self, parameters: Mapping[str, float]) -> "ReturnMap":
        """The same map with other values of some parameters."""
        other = copy(self)
        other.parameters = {**(self.parameters or {}), **parameters}
        return other

    def first(self, start: Values | None = None) -> Array:
        """State vector of start values."""
        found = start_state(self.formulation, start, self.parameters)
        return np.concatenate([found.q, found.u])

    def index(self, name: str) -> int:
        """Where a coordinate or rate stands in the state."""
        return self._places[self.formulation.register.full(name)]

    def values(self, x: Array) -> dict[str, float]:
        """A state by names."""
        return {name: float(x[i]) for name, i in self._places.items()}

    def __call__(self, x: Array, derivative: bool = False) -> Return:
        """The next passage; SolveError if the motion does not come back."""
        f, n = self.formulation, self._n
        x = self._whole(x[:n])
        p = self._parameters_at(x[:n])
        problem = make_problem(f, stiff=False, returns=False, rtol=RTOL)
        ends_only, quiet = Sampling(np.array([0.0, self.longest])), Supervision(progress=False)
        options = Options(Tolerances(RTOL, ATOL), ends_only, supervision=quiet)
        with part_of_study():
            run = integrate(problem, DormandPrince8(), Case(0.0, self.longest, x, p), options)
        log, wanted = run.events, self.names.index(self.section.event)
        ends = [i for i, name in enumerate(self.names) if name in (self.section.event, *self.section.unless)]
        # The start lies on the section but for round-off: that is no return.
        passed = [
            self._only_recorded(int(i)) and t <= AT_ONCE * self.longest for i, t in zip(log.index, log.t, strict=True)
        ]
        end = next((k for k, i in enumerate(log.index) if i in ends and not passed[k]), None)
        if end is None:
            raise SolveError(
                f"the motion does not come to {self.section.event!r} within {self.longest:g} s "
                f"({run.outcome.name}). Start closer to the periodic motion, or wait longer (longest=...)."
            )
        if log.index[end] != wanted:
            raise SolveError(
                f"the motion does not return to {self.section.event!r}: {self.names[log.index[end]]!r} happens first. "
                "Start closer to a periodic motion; with these parameters there may be none."
            )
        last = self._last(log, end)
        came, back = self._bring_back(self.jumps.state_after(last)[:n])
        events = tuple((self.names[int(i)], float(t)) for i, t in zip(log.index, log.t, strict=True))[: end + 1]
        if not derivative:
            return Return(came, last.t, events)
        return Return(came, last.t, events, back @ self._derivative(Case(0.0, last.t, x, p), run, passed, last))

    @staticmethod
    def _last(log: EventLog, end: int) -> EventJump:
        """The event that ends the way, alone."""
        at = slice(end, end + 1)
        return EventJump(float(log.t[end]), (int(log.index[end]),), log.x[at], log.p[at], log.p[end])

    def _derivative(self, case: Case, run: Trajectory, passed: list[bool], last: EventJump) -> Array:
        """Of the state just after the last event by that at the start, each motion at its own time."""
        e, n = self.extended, self._n
        S, P = np.eye(e.n, n), np.zeros((len(e.used), n))
        t, x, p = case.t0, case.x0, case.p
        way = event_jumps(run.events, run.p_end, self.jumps)
        for first, _, event in way:
            if event.t >= last.t:
                break
            if passed[first]:
                continue
            S = self._flow(Case(t, event.t, e.state(x, S), e.parameters(p, P)), S)
            x, S, P, _ = self.jumps.after(event, S, P)
            t, p = event.t, event.p_after
        S = self._flow(Case(t, last.t, e.state(x, S), e.parameters(p, P)), S)
        return self.jumps.at_own_time(last, S, P)[1].x[:n]

    def _flow(self, case: Case, S: Array) -> Array:
        if case.t1 <= case.t0:
            return S
        return self.extended.integrate(case, np.zeros(0), RTOL, np.full(len(case.x0), ATOL))[2]

    def _only_recorded(self, i: int) -> bool:
        """Whether event i leaves the state as it is."""
        event = self.formulation.model.events.get(self.names[i])
        return event is not None and event.action == "record"

    def allowed_changes(self, x: Array) -> Array:
        """Columns: changes of the state that the constraints allow."""
        return allowed_changes(self.formulation.functions, 0.0, x, self._parameters_at(x))

    def _whole(self, x: Array) -> Array:
        """The state vector with no work done."""
        states = self.formulation.states
        return states.vector(x[states.q], x[states.u])

    def _parameters_at(self, x: Array) -> Array:
        """Parameters with the modes of the contacts at a state."""
        p = self.formulation.parameter_vector(self.parameters)
        p[self.formulation.parameters.shift] = multiplier_shift(RTOL)
        return first_modes(self.formulation, 0.0, self._whole(x), p)

    def speed(self, x: Array) -> float:
        """Largest rate of the state."""
        state = self._whole(x)
        rates = np.array(self.formulation.kernels("base")["rhs"](0.0, state, self._parameters_at(x)))
        return float(np.max(np.abs(rates[: self._n])))

    def consistent(self, x: Array) -> Array:
        """The state moved onto the constraints; SolveError if it is not near them."""
        project = self.formulation.kernels("base").get("project")
        if project is None:
            return x
        state, p = self._whole(x), self._parameters_at(x)
        for _ in range(5):
            out = np.array(project(0.0, state, p))
            state, apart = out[: len(state)], float(np.max(out[len(state) : len(state) + 2]))
        if not apart < APART:
            raise SolveError(
                f"the section leads to a state that the constraints do not allow (off by {apart:.3g}). Put or shift "
                "only coordinates that can be chosen freely, with those that must follow."
            )
        return state[: self._n]

    def _bring_back(self, x: Array) -> tuple[Array, Array]:
        """The state brought back to where it began, and the derivative of that."""
        x, back = x.copy(), np.eye(self._n)
        for name, value in self.formulation.resolved(self.section.reset).items():
            x[self._places[name]] = value
            back[self._places[name]] = 0.0
        for name, value in self.formulation.resolved(self.section.shift).items():
            x[self._places[name]] += value
        return self.consistent(x), back


@raise_lost_interruption
def find_orbit(
    system: Built,
    section: Section,
    start: Values | None = None,
    parameters: Mapping[str, float] | None = None,
    longest: float = 10.0,
    tolerance: float = 1e-11,
    iterations: int = 20,
) -> Orbit:
    """The periodic motion near the start: Newton's method on the return map, whose derivative is exact through events.

    Parameters
    ----------
    system : System
    section : Section
        Where the motion repeats.
    start, parameters : mapping, optional
        Values by name. Names that are not given have the values of the model. The start need not lie on the section.
    longest : float
        Time (s) within which the motion must return.
    tolerance : float
        Of the change from one return to the next, relative to the size of the state.
    iterations : int
        Most steps of Newton's method. Steps to a motion that does not return are halved.

    Returns
    -------
    Orbit
        Multipliers belong to changes of the state that the constraints allow. Where periodic motions come in families
        (energy is conserved, or nothing depends on a coordinate) the nearest one is found.

    Raises
    ------
    SolveError
        If none is found.
    """
    returns = ReturnMap(system, section, parameters, longest)
    x = returns(returns.first(start)).x
    came = returns(x, derivative=True)
    for done in range(iterations):
        assert came.matrix is not None
        error = came.x - x
        size = float(np.max(np.abs(error)))
        allowed = returns.allowed_changes(x)
        matrix = np.linalg.lstsq(allowed, came.matrix @ allowed, rcond=None)[0]
        if size <= tolerance * max(1.0, float(np.max(np.abs(x)))):
            if returns.speed(x) < AT_REST:
                raise SolveError(
                    "no periodic motion was found: the search ended at rest, where nothing moves. Start nearer to a "
                    "motion that repeats."
                )
            values = np.linalg.eigvals(matrix).astype(np.complex128)
            values = values[np.argsort(-np.abs(values), kind="stable")]
            return Orbit(x, returns.values(x), came.time, came.matrix, values, came.events, size, done)
        missed = np.linalg.lstsq(allowed, error, rcond=None)[0]
        step = allowed @ np.linalg.lstsq(np.eye(len(matrix)) - matrix, missed, rcond=FAMILY)[0]
        for halving in range(HALVINGS + 1):
            try:
                nearer = returns.consistent(x + step / 2**halving)
                came, x = returns(nearer, derivative=True), nearer
                break
            except SolveError:
                if halving == HALVINGS:
                    raise
    raise SolveError(
        f"no periodic motion was found in {iterations} steps: the last return missed its start by {size:.3g}. Start "
        f"closer to it, simulate until the motion is periodic, or, if the event occurs twice in a period, give it a "
        f"direction."
    )


explain_module_calls(globals(), ["find_orbit"])
