"""Branches of equilibria, steady motions and periodic motions of a system over a parameter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.equations.formulation import Built, Formulation
from trundle.errors import SolveError, UnknownNameError
from trundle.integrate.interruption import part_of_study
from trundle.linear_algebra.one_thread import one_thread
from trundle.linear_algebra.repeatable import first_largest
from trundle.study.continuation.branch import Branch, PointValues, Steps, follow
from trundle.study.continuation.curve import AnyCurve, AnyNode, Follower, Node
from trundle.study.continuation.flow import Flow
from trundle.study.continuation.periodic_curve import PeriodicCurve, PeriodicMotion
from trundle.study.continuation.returning_curve import Passage, ReturningCurve
from trundle.study.continuation.special import AnySpecial, Special
from trundle.study.continuation.steady_curve import Motion, SteadyCurve, loose_contacts
from trundle.study.first_modes import first_modes
from trundle.study.periodic import ReturnMap, Section, find_orbit
from trundle.study.rest import equilibrium
from trundle.study.run_options import Accuracy, RunOptions
from trundle.study.start_state import start_state
from trundle.study.steady_motion import steady
from trundle.typing import AnyArray, Array, State, Values

AMPLITUDE = 1e-3  # rad or typical lengths, of the first periodic motion beside a Hopf point
KINDS = ("equilibria", "steady", "periodic")


def continuation(
    system: Built,
    over: str,
    between: Sequence[float],
    of: str = "equilibria",
    *,
    start: Values | AnySpecial | None = None,
    parameters: Values | None = None,
    given: Values | None = None,
    section: Section | None = None,
    settle: float = 0.0,
    longest: float = 10.0,
    intervals: int = 60,
    amplitude: float = AMPLITUDE,
    step: float | None = None,
    limit: int = 300,
) -> Branch:
    """A branch of motions over a parameter, by pseudo-arclength, with folds, Hopf and branch points and stability.

    Parameters
    ----------
    system : System
    over : str
        A parameter of the model; for steady motions also one of the quantities in `given`, such as a speed.
    between : two floats
        The branch begins at the first value and goes towards the second; it ends where it leaves the range.
    of : {"equilibria", "steady", "periodic"}
        What is continued.
    start : mapping or special point, optional
        Values by name near the first motion. For periodic motions a Hopf point of a branch, or a state from which the
        motion comes (after `settle` seconds) to a stable one.
    parameters : mapping, optional
        Other parameters and tables.
    given : mapping, optional
        Values that steady motions have.
    section : Section, optional
        For periodic motions with events, contacts or constraints: where they repeat. They are then followed by their
        return map; without it by collocation.
    settle, longest : float
        Time of the run before a periodic motion is taken from it, and the longest period (s).
    intervals : int
        Of collocation, in one period.
    amplitude : float
        Of the first periodic motion beside a Hopf point, rad or parts of a typical length.
    step : float, optional
        Longest step in parts of the range, or of the size of a motion; 0.1, for periodic motions 0.25 unless given.
    limit : int
        The most points.

    Returns
    -------
    Branch

    Raises
    ------
    SolveError
        If the first motion is not found.
    """
    f = system.formulation.by_kane
    first, last = _range(between)
    if of not in KINDS:
        raise SolveError(f"continuation of {of!r}: choose one of {', '.join(KINDS)}.")
    longest_step = (0.25 if of == "periodic" else 0.1) if step is None else step
    steps = Steps(0.2 * longest_step, longest_step, limit)
    if of == "periodic":
        _check_parameter(f, over, ())
        periodic = _Periodic(f, system, over, (first, last), dict(parameters or {}), longest, intervals)
        curve, point_values, node = periodic.begin(start, section, settle, amplitude)
    else:
        if isinstance(start, Special):
            raise SolveError(f"a special point begins periodic motions; branch.switch(point) follows other {of}.")
        if section is not None:
            raise SolveError("a section belongs to periodic motions: of='periodic'.")
        curve, point_values, node = _still(f, over, (first, last), of, start, dict(parameters or {}), dict(given or {}))
    unit = f.quantity(over).unit if over not in f.parameters.parameters else ""
    return follow(Follower(curve), node, point_values, over, unit, of, (first, last), steps)


def _range(between: Sequence[float]) -> tuple[float, float]:
    values = [float(v) for v in between]
    if len(values) != 2 or not all(np.isfinite(values)) or values[0] == values[1]:
        raise SolveError(f"continuation needs a range of two different values of the parameter, got {between!r}.")
    return values[0], values[1]


def _check_parameter(f: Formulation, over: str, given: Sequence[str]) -> None:
    known = f.parameters.parameters
    if over not in known and over not in given:
        remedy = ""
        if f.register.find(over) is not None:
            remedy = f"Motions that differ in this quantity are steady ones: of='steady', given={{{over!r}: value}}."
        raise UnknownNameError(over, [*known, *given], "parameter (m.parameter) or given value", remedy)


# -- equilibria and steady motions -------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, eq=False)
class _StillValues(PointValues):
    formulation: Formulation
    units: Mapping[str, str]

    def at(self, place: Motion) -> State:
        return place.values(self.formulation)

    def start(self, place: Motion) -> State:
        return place.values(self.formulation)


def _still(
    f: Formulation, over: str, between: tuple[float, float], of: str, start: Values | None,
    parameters: State, given: State,
) -> tuple[AnyCurve, PointValues, AnyNode]:  # fmt: skip
    first, last = between
    if given and of == "equilibria":
        raise SolveError("given values belong to steady motions: of='steady'. An equilibrium has a start.")
    register = f.derivation.register()
    given = {register.full(name): value for name, value in given.items()}
    full = over
    if over not in f.parameters.parameters:
        full = register.full(over) if register.find(over) is not None else over
        if of == "steady" and register.find(over) is not None:
            given[full] = first
    _check_parameter(f, full, list(given))
    if full not in given:
        parameters[over] = first
    if of == "steady":
        values = steady(f, given, start, parameters, 0.0)
    else:
        values = equilibrium(f, start, parameters, 0.0, stable=False)
    at = start_state(f, values, parameters, 0.0)
    u = at.u if of == "steady" else np.zeros_like(at.u)
    x, p = f.states.vector(at.q, u), f.parameter_vector(parameters)
    p = first_modes(f, 0.0, x, p)
    loose = loose_contacts(f, p)
    if loose:
        raise SolveError(
            f"contact {loose[0]!r} slides or is open at the start: continuation needs contacts that stick."
        )
    curve = SteadyCurve(f, full, x, p, given, of == "steady", abs(last - first))
    units = {name: f.quantity(name).unit for name in f.states.values(x[None, :])}
    node = Follower(curve).first(curve.start, np.sign(last - first))
    return curve, _StillValues(f, units), node


# -- periodic motions --------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, eq=False)
class FlowValues(PointValues):
    """Least and largest values of the states of a flow."""

    flow: Flow
    units: Mapping[str, str]

    @staticmethod
    def of(flow: Flow) -> "FlowValues":
        units = {name: flow.formulation.states.units[i] for name, i in zip(flow.names, flow.kept, strict=True)}
        return FlowValues(flow, units | {"period": "s"})

    def at(self, place: PeriodicMotion) -> State:
        states = place.states
        ends = np.stack([states.min(axis=0), states.max(axis=0)], axis=1)
        return dict(zip(self.flow.names, ends, strict=True)) | {"period": place.period}

    def start(self, place: PeriodicMotion) -> State:
        return self.flow.start_values(place.start)


@final
@dataclass(frozen=True, eq=False)
class _ReturnValues(PointValues):
    curve: ReturningCurve
    units: Mapping[str, str]

    def at(self, place: Passage) -> State:
        values = self.curve.returns.values(place.x)
        return {name: [v, v] for name, v in values.items()} | {"period": self.curve.period(place)}

    def start(self, place: Passage) -> State:
        return self.curve.returns.values(place.x)


@final
@dataclass(frozen=True, eq=False)
class _Periodic:
    """The first of a branch of periodic motions."""

    formulation: Formulation
    system: Built
    over: str
    between: tuple[float, float]
    parameters: State
    longest: float
    intervals: int

    def begin(
        self, start: Values | AnySpecial | None, section: Section | None, settle: float, amplitude: float
    ) -> tuple[AnyCurve, PointValues, AnyNode]:
        if section is not None:
            if isinstance(start, Special):
                raise SolveError("from a Hopf point periodic motions are followed without a section.")
            return self._returning(start, section)
        if isinstance(start, Special):
            return self._from_hopf(start, amplitude)
        return self._from_run(start, settle)

    @property
    def _width(self) -> float:
        return abs(self.between[1] - self.between[0])

    @property
    def _sign(self) -> float:
        return float(np.sign(self.between[1] - self.between[0]))

    def _from_hopf(self, point: AnySpecial, amplitude: float) -> tuple[AnyCurve, PointValues, AnyNode]:
        if point.kind != "Hopf" or not isinstance(point.node.place, Motion):
            raise SolveError(f"periodic motions begin at Hopf points, this is a {point.kind}.")
        f, motion = self.formulation, point.node.place
        x = f.states.vector(motion.x[f.states.q], motion.x[f.states.u])
        flow = Flow(f, self.over, x, point.parameter, self.parameters)
        values, vectors = flow.eigen(flow.first, point.parameter)
        k = int(np.argmin(np.abs(values - complex(point.value.real, abs(point.value.imag)))))
        curve = PeriodicCurve(flow, self._width, self.intervals)
        node = hopf_start(curve, flow.first, point.parameter, vectors[:, k], float(values[k].imag), amplitude)
        return curve, FlowValues.of(flow), node

    @part_of_study()
    def _from_run(self, start: Values | None, settle: float) -> tuple[AnyCurve, PointValues, AnyNode]:
        from trundle.study.simulate import simulate

        f, given = self.formulation, {**self.parameters, self.over: self.between[0]}
        options = RunOptions(Accuracy(1e-9, None), "auto", 4001)
        at: Values | None = start
        if settle > 0:
            run = simulate(f, settle, at, given, RunOptions(Accuracy(1e-9, None), "auto", 2))
            assert run.raw is not None
            values = f.states.values(run.raw[1][-1:])
            at = {name: float(v[0, 0]) if v.shape[1] == 1 else v[0] for name, v in values.items()}
        run = simulate(f, self.longest, at, given, options)
        assert run.raw is not None
        times, whole = np.asarray(run.time), run.raw[1]
        flow = Flow(f, self.over, whole[0], self.between[0], self.parameters)
        states = whole[:, flow.kept]
        end = _one_period(states)
        if end is None:
            raise SolveError(
                f"the motion is not periodic within {self.longest:g} s: let it settle longer (settle=...), wait longer "
                "(longest=...), or begin at a Hopf point of a branch of equilibria."
            )
        curve = PeriodicCurve(flow, self._width, self.intervals)
        guess = curve.sampled(times[: end + 1], states[: end + 1], self.between[0])
        return curve, FlowValues.of(flow), Follower(curve).first(guess, self._sign)

    def _returning(self, start: Values | None, section: Section) -> tuple[AnyCurve, PointValues, AnyNode]:
        given = {**self.parameters, self.over: self.between[0]}
        orbit = find_orbit(self.system, section, start, given, self.longest)
        returns = ReturnMap(self.system, section, given, self.longest)
        curve = ReturningCurve(returns, self.over, self._width)
        units = {name: self.formulation.states.units[i] for name, i in self.formulation.layout.changeable.items()}
        node = Follower(curve).first(Passage(orbit.x, self.between[0]), self._sign)
        return curve, _ReturnValues(curve, units | {"period": "s"}), node


@one_thread()
def hopf_start(
    curve: PeriodicCurve, x: Array, value: float, mode: AnyArray, frequency: float, amplitude: float
) -> Node[PeriodicMotion]:
    """A small periodic motion beside a Hopf point, with its tangent towards larger ones."""
    largest = first_largest(mode / curve.flow.sizes(x))
    mode = mode / mode[largest] * curve.flow.sizes(x)[largest]
    resting = curve.resting(x, value, mode, frequency)
    along = np.concatenate([np.real(mode), [0.0, 0.0]]) / curve.sizes(resting)
    length = amplitude * float(np.linalg.norm(along))
    node = Node(resting, value, along / np.linalg.norm(along), np.zeros((len(along), 0)))
    return Follower(curve).step(node, length)


def _one_period(states: Array) -> int | None:
    """Index of the sample at which the motion comes back to its first state."""
    size = np.maximum(np.ptp(states, axis=0), 1e-300)
    away = np.linalg.norm((states - states[0]) / size, axis=1)
    far = np.flatnonzero(away > 0.5 * away.max())
    if not len(far) or not away.max() > 0:
        return None
    left = int(far[0])
    inner = np.flatnonzero((away[left + 1 : -1] < away[left:-2]) & (away[left + 1 : -1] <= away[left + 2 :])) + left + 1
    near = [int(i) for i in inner if away[i] < 0.1 * away.max()]
    return near[0] if near else None
