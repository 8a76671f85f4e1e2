"""Many runs of one system: start values and parameters as arrays, on threads.

Where nothing switches but at times that are known beforehand, several runs go through SIMD lanes at once. Models with
events, or with contacts that stick, slide or open, and methods that are not made for lanes, run one by one in the same
compiled loop as a single run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, TrundleError, UnknownNameError
from trundle.integrate.audit import cases_to_check
from trundle.integrate.case import Cases, Normals
from trundle.integrate.integrate import integrate
from trundle.integrate.lanes.batch_events import NO_EVENTS, BatchEvents, integrate_each
from trundle.integrate.lanes.integrate import Batch, LaneProblem, integrate_lanes
from trundle.integrate.lanes.stretches import Stretches, find_stretches, integrate_stretches
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options, Sampling, Tolerances
from trundle.integrate.outcome import CONSTRAINT, EVENT_STOP, REFUSED, STEP_TOO_SMALL, TABLE_LEFT
from trundle.integrate.tolerance import read_units
from trundle.integrate.trajectory import Trajectory
from trundle.kernel import evaluate
from trundle.lookup.table import Table
from trundle.messages.warn import warn
from trundle.model.inputs_given import split_signals
from trundle.model.start_values import dependent_starts
from trundle.model.table import ModelTable
from trundle.quantities.initial_state import InitialState
from trundle.quantities.request import NO_LENGTH, read_request
from trundle.study.assigned_parameters import refuse_assignments
from trundle.study.batch_guards import integrate_cases, run_again
from trundle.study.cases import numbers_of_cases, parameter_faults, refusal_text, spread
from trundle.study.first_modes import first_modes, modes_together
from trundle.study.frame_jumps import jump_faults
from trundle.study.guards import check_lines, find_guards, lane_guards, watched_by_guards
from trundle.study.half_turn import counts_turns, within_half_turn
from trundle.study.large_angles import likely_degrees_of_cases
from trundle.study.problem import make_problem, multiplier_shift
from trundle.study.run_options import RunOptions, check_room, refuse_stiff_switches, sample_times
from trundle.study.second_contacts import normals_at_start, other_normals_of
from trundle.study.simulate import NO_ROOM, check_events
from trundle.study.start_cases import sharing, starts_together
from trundle.study.start_state import check_rates, refuse_fixed, refuse_other_names, start_state, state_vector
from trundle.typing import Array, Given, Json, State, Values

if TYPE_CHECKING:
    from trundle.run.batch import BatchRun


USUAL_ATOL = 1e-8  # of the sizes of the model
ONE_BY_ONE, IN_LANES = "one by one", "in lanes"


class BatchWarning(UserWarning):
    """Some cases of a batch cannot start, the others were run; or angles look like degrees."""


def run_batch(
    f: Formulation,
    duration: float,
    start: Values,
    parameters: Values,
    options: RunOptions,
    threads: int | None,
    refused: Mapping[int, str],
) -> "BatchRun":
    """Many runs at once, as `System.batch` does; start values and parameters may be arrays of one common length."""
    from trundle.run.batch import BatchRun, CaseData

    refuse_fixed(f)
    options.check_times(duration)
    samples, accuracy, method = options.samples, options.accuracy, options.chosen_method()
    if isinstance(samples, str):
        raise SolveError(
            f"samples={samples!r}: all cases of a batch share their sample times; give a number or a list of times."
        )
    if threads is not None and not (isinstance(threads, int | np.integer) and threads > 0):
        raise SolveError(f"threads={threads!r}: give a positive number of threads, or None for all cores.")
    refuse_stiff_switches(f, method)
    for what, given in (("start", start), ("parameters", parameters)):
        if not isinstance(given, Mapping):
            raise SolveError(f"{what} of a batch goes by name, {{'name': values}}, not as {type(given).__name__}.")
    refuse_other_names(f, start)
    start = f.resolved(start)
    count = _count(f, {**start, **parameters})
    breaks = f.kernels("base").get("breaks")
    one_by_one = not method.in_lanes or bool(f.model.events or f.parameters.modes)
    width = count * (f.n_x + (len(f.default_parameters) if one_by_one else 0))
    times = None if samples is None else sample_times(samples, 0.0, duration, width)
    check_room(count, 2 * f.n_x + len(f.default_parameters), "cases")  # each has a start, an end and parameters
    if times is not None:
        check_room(len(times), width)
    ready = _Cases(f, start, parameters, count, accuracy.rtol)
    ready.refuse({**jump_faults(f, ready.p, ready.good, 0.0, duration), **refused})
    turning = any(counts_turns(f, 0.0, ready.x0[i], ready.p[i]) for i in ready.good)  # a run knows its steps
    tolerances = accuracy.tolerances(f, ready.p[0], USUAL_ATOL)
    settings: Json = {"method": type(method).__name__, "rtol": accuracy.rtol, "formalism": f.formalism}
    most = tolerances.of_states(f.n_x).most(f.once(read_units).names)
    settings["atol"] = float(accuracy.atol) if isinstance(accuracy.atol, Real) else most
    for hint in likely_degrees_of_cases(f.derivation.register(), start):
        warn(hint, BatchWarning)
    if ready.refused:
        warn(refusal_text(ready.refused, count), BatchWarning)
    cases = Cases(0.0, duration, ready.x0[ready.good], ready.p[ready.good], [ready.normals[i] for i in ready.good])
    stretches = None if one_by_one or turning or breaks is None else find_stretches(breaks, cases)
    one_by_one = one_by_one or turning or (breaks is not None and stretches is None)
    settings["way"] = ONE_BY_ONE if one_by_one else IN_LANES
    how = Options(tolerances, Sampling(times), options.steps)
    try:
        if one_by_one:
            angles = {name: values[ready.good] for name, values in ready.angles.items()}
            batch, log = _one_by_one(f, method, cases, how, threads, angles if turning else None)
        else:
            batch, log = _in_lanes(f, method, cases, how, threads, stretches)
    except MemoryError:
        raise SolveError(NO_ROOM) from None
    _name_limits(f, batch, cases.p if log is None else log.p_end)
    refuse_assignments(f, batch, log)
    if ready.refused:
        batch, log = _among_all(batch, log, ready.good, count)
    given = {f"input({name})" if name in f.model.inputs else name: v for name, v in parameters.items()}
    labels = _labels({**{f"start({name})": v for name, v in start.items()}, **given}, count)
    data = CaseData(ready.p, ready.refused, ready.tables, ready.angles, labels, log)
    return BatchRun(f, batch, data, settings)


def _labels(given: Values, count: int) -> State:
    """Values in which the cases differ, except tables."""
    found = {}
    for name, values in given.items():
        if isinstance(values, str | Table) or np.ndim(values) == 0:
            continue
        numbers = isinstance(values, np.ndarray) and values.dtype.kind in "fiu"
        if len(values) == count and (numbers or not any(isinstance(v, Table) for v in values)):
            found[name] = np.asarray(values, dtype=float)
    return found


def _one_by_one(
    f: Formulation,
    method: Method,
    cases: Cases,
    options: Options,
    threads: int | None,
    angles: Mapping[str, Array] | None,
) -> tuple[Batch, BatchEvents | None]:
    """Each case in the loop for single runs; `angles` has those at the start where turns are counted by something."""
    problem = watched_by_guards(f, make_problem(f, method.needs_jacobian, False, options.tolerances.rtol))

    def by(some: Cases, how: Options) -> tuple[Batch, BatchEvents]:
        return integrate_each(problem, method, some, how, threads, None if angles is None else look)

    def look(case: int, found: Trajectory) -> Trajectory:
        return within_half_turn(f, found, {name: float(values[case]) for name, values in (angles or {}).items()})

    return integrate_cases(f, by, problem, method, cases, options, None if angles is None else look)


def _in_lanes(
    f: Formulation, method: Method, cases: Cases, options: Options, threads: int | None, stretches: Stretches | None
) -> tuple[Batch, BatchEvents | None]:
    """Several cases at once; those whose energy balance is in doubt are run again as single runs."""
    single = watched_by_guards(f, make_problem(f, False, False, options.tolerances.rtol))
    kernels, weights = f.kernels("lanes", wide=True), f.states.error_weights
    problem = LaneProblem(kernels["rhs"], kernels.get("project"), *lane_guards(f), other_normals_of(f), weights)
    tolerance = options.tolerances.of_states(f.n_x)
    if tolerance.learns and len(cases):
        rhs, t0, t1 = f.kernels("base")["rhs"], float(cases.t0), float(cases.t1)

        def slope(t: float, x: Array) -> Array:
            return evaluate(rhs, rhs, t, x, cases.p)

        slopes, span = (find(slope, t0, t1, cases.x0) for find in (tolerance.slopes_at_start, tolerance.foreseen))
        first = tolerance.begin(cases.x0, slopes, span)
        options = replace(options, tolerances=Tolerances(options.tolerances.rtol, replace(tolerance, atol=first)))

    def by(some: Cases, how: Options) -> tuple[Batch, None]:
        if stretches is None:
            return integrate_lanes(problem, method, some, how, threads), None
        return integrate_stretches(problem, f.kernels("base")["rhs"], method, some, stretches, how, threads), None

    batch, _ = integrate_cases(f, by, single, method, cases, options)

    def check(i: int) -> None:
        audit = integrate(single, method, cases[i], replace(options, samples=Sampling(np.zeros(0)))).audit
        if audit is not None and batch.outcome(i).ok:
            batch.code[i] = audit.outcome.code

    run_again(batch, cases_to_check(single, batch, cases, options.tolerances), check)
    return batch, None


def _among_all(batch: Batch, log: BatchEvents | None, good: list[int], count: int) -> tuple[Batch, BatchEvents | None]:
    """Results of the cases that could start, in their places among those of all cases."""
    code, steps, rejected = np.full(count, REFUSED.code), *(np.zeros(count, np.int64) for _ in range(2))
    code[good], steps[good], rejected[good] = batch.code, batch.steps, batch.rejected
    t_end, ends = np.zeros(count), spread(batch.x_end, good, count)
    t_end[good] = batch.t_end
    endings = {good[i]: outcome for i, outcome in batch.endings.items()}
    whole = Batch(batch.t, spread(batch.x, good, count), t_end, ends, code, steps, rejected, endings)
    if log is not None:
        events = [NO_EVENTS] * count
        for i, of_case in zip(good, log.events, strict=True):
            events[i] = of_case
        before = np.zeros((count, log.events_before.shape[1]), np.int64)
        before[good] = log.events_before
        log = BatchEvents(events, spread(log.p, good, count), spread(log.p_end, good, count), before)
    return whole, log


@final
class _Cases:
    """Start states and parameters of all cases; `refused` has, by index, the reasons of those that cannot start."""

    def __init__(self, f: Formulation, start: Values, parameters: Values, count: int, rtol: float) -> None:
        self.formulation, self.count = f, count
        layout = f.parameters
        self.p = np.tile(f.default_parameters, (count, 1))
        own = f.model.tables
        self.tables = [{name: table.table for name, table in own.items()} for _ in range(count)]
        for name, value in split_signals(f.model, parameters).items():
            if name in own:
                for case, table in enumerate(_tables(own[name], value, count)):
                    self.tables[case][name] = table
            elif name in layout.parameters:
                self.p[:, layout.parameter(name)] = numbers_of_cases(name, value, count)
            else:
                raise layout.unknown(f.model, name)
        for case, chosen in enumerate(self.tables if own else []):
            layout.put_tables(self.p[case], chosen.values())
        given = {k: v for k, v in start.items() if np.ndim(v) > 0 and not _is_vector(f, k, v)}
        follow = dependent_starts(f.model, self.p[:, layout.parameter_slice]) if parameters else {}
        self.varied = {k: v for k, v in f.resolved(follow).items() if k not in f.resolved(start)}
        self.varied |= {k: numbers_of_cases(k, v) for k, v in given.items()}
        self.fixed = {k: v for k, v in start.items() if k not in self.varied}
        self.refused = parameter_faults(f, self.p) if parameters else {}
        for name, values in self.varied.items():
            rows = values.reshape(count, -1)
            for i in map(int, np.flatnonzero(~np.all(np.isfinite(rows), axis=1))):
                self.refused.setdefault(i, f"start value of {name!r} must be finite, got {values[i]}.")
        self.angles = {name: np.zeros(count) for name in f.states.turns}  # at the start, where turns are counted
        self.normals: list[Normals] = [()] * count  # that contacts have at the start besides their own
        self.x0 = self._start_states()
        self.p[:, layout.shift] = multiplier_shift(rtol)
        if f.parameters.modes or any(c.relaxes for c in f.model.connections.values()):
            self._set_modes()
        if f.once(find_guards):
            for i in self.good:
                self._try(i, lambda case: check_lines(f, 0.0, self.x0[case], self.p[case]))
        if f.model.events:
            for i in self.good:
                self._try(i, lambda case: check_events(f, 0.0, self.x0[case], self.p[case]))
        if f.states.own:
            for i in self.good:
                self._try(i, lambda case: check_rates(f, 0.0, self.x0[case], self.p[case]))
        self.refused = dict(sorted(self.refused.items()))

    def refuse(self, faults: Mapping[int, str]) -> None:
        """Add what is wrong with some of the cases."""
        unknown = [i for i in faults if not 0 <= i < self.count]
        if unknown:
            raise SolveError(f"refused names case {unknown[0]!r}: this batch has the cases 0 to {self.count - 1}.")
        self.refused = dict(sorted({**faults, **self.refused}.items()))

    @property
    def good(self) -> list[int]:
        """Cases that can start."""
        return [i for i in range(self.count) if i not in self.refused]

    def _try(self, case: int, act: Callable[[int], None], refused: dict[int, str] | None = None) -> None:
        """An error that `simulate` would raise for this case is reported for this case alone."""
        try:
            act(case)
        except UnknownNameError:  # the same in all cases
            raise
        except TrundleError as error:
            (self.refused if refused is None else refused)[case] = str(error)

    def _set_modes(self) -> None:
        f, good = self.formulation, np.array(self.good, int)
        found, fine = modes_together(f, 0.0, self.x0[good], self.p[good])
        self.p[good[fine]] = found[fine]

        def set_alone(case: int) -> None:
            self.p[case] = first_modes(f, 0.0, self.x0[case], self.p[case])

        for case in good[~fine]:
            self._try(int(case), set_alone)

    def _assemble(self, x0: Array, names: tuple[str, ...]) -> None:
        """Start states by the solver: cases that share a start share its state, and most others are solved together."""
        f, good = self.formulation, np.array(self.good, int)
        if not len(good):
            return
        varied = {name: values[good] for name, values in self.varied.items()}
        first, like = sharing(f, names, varied, self.p[good])
        chosen = good[first]
        q, u, ready = starts_together(f, self.fixed, {k: v[chosen] for k, v in self.varied.items()}, self.p[chosen])

        def assemble(k: int) -> None:
            case = chosen[k]
            if ready[k]:
                found = InitialState(q[k], u[k])
            else:
                start = {**self.fixed, **{name: v[case] for name, v in self.varied.items()}}
                found = start_state(f, start, p=self.p[case])
            x0[case] = state_vector(f, found, self.p[case])
            normals[k] = normals_at_start(f, found.q, 0.0, x0[case], self.p[case])
            for c in f.layout.coordinates:
                if c.name in self.angles:
                    self.angles[c.name][case] = found.q[c.i_q]

        refused: dict[int, str] = {}
        normals: list[Normals] = [()] * len(chosen)
        for k in range(len(chosen)):
            self._try(k, assemble, refused)
        for case, k in zip(good, like, strict=True):
            if int(k) in refused:
                self.refused[int(case)] = refused[int(k)]
            self.normals[int(case)] = normals[int(k)]
        x0[good] = x0[chosen[like]]
        for values in self.angles.values():
            values[good] = values[chosen[like]]

    def _start_states(self) -> Array:
        """Start states of all cases, as `simulate` would find them."""
        f, x0 = self.formulation, np.full((self.count, self.formulation.n_x), np.nan)
        names = {*f.resolved(f.model.start), *self.fixed, *self.varied}
        follows = bool(f.layout.followers)  # surface coordinates belong to each pose
        apart = {name for c in f.layout.coordinates if c.n_q == 4 for name in c.names}  # the others follow from them
        if f.has_rows or follows or not f.in_joints or not names <= f.layout.places.keys() - apart:
            self._assemble(x0, tuple(sorted(names)))
            return x0
        common = start_state(f, self.fixed)
        x0[:] = state_vector(f, common, self.p[0])
        some = next((i for i in range(self.count) if i not in self.refused), None)
        for name, values in self.varied.items():
            first = np.ones(values.shape[1:]) if some is None else values[some]
            request = read_request(f.layout, common.q, {name: first})
            given = np.concatenate([request.given_q, request.given_u, np.zeros(f.n_x - f.states.n_motion, bool)])
            x0[:, given] = values.reshape(self.count, -1)
        for i in f.layout.quaternions:
            length = np.linalg.norm(x0[:, i : i + 4], axis=1, keepdims=True)
            for case in np.flatnonzero(length < 1e-9):
                self.refused.setdefault(int(case), NO_LENGTH)
            x0[:, i : i + 4] /= np.where(length < 1e-9, 1.0, length)
        return x0


def _name_limits(f: Formulation, batch: Batch, p: Array) -> None:
    """Give cases that ended at a limit of the mechanism or of a table, or jammed, the same outcomes as single runs."""
    from trundle.run.ending import driven_past_limit, jammed_at
    from trundle.run.table_limit import FAILED, refused_lookup

    if f.model.tables:
        for case in np.flatnonzero(np.isin(batch.code, [outcome.code for outcome in FAILED])):
            found = refused_lookup(f, float(batch.t_end[case]), batch.x_end[case], p[case])
            if found:
                batch.code[case] = TABLE_LEFT.code
                batch.endings[int(case)] = replace(TABLE_LEFT, remedy=f"{TABLE_LEFT.remedy} {found}")
    for case in np.flatnonzero(np.isin(batch.code, [o.code for o in (*FAILED, CONSTRAINT, EVENT_STOP)])):
        end, stopped = (float(batch.t_end[case]), batch.x_end[case], p[case]), batch.code[case] == EVENT_STOP.code
        if jammed := jammed_at(f, *end, stopped):
            batch.code[case], batch.endings[int(case)] = jammed.code, jammed
    for case in np.flatnonzero(batch.code == STEP_TOO_SMALL.code):
        if driven_past_limit(f, float(batch.t_end[case]), batch.x_end[case], p[case]):
            batch.code[case] = CONSTRAINT.code


def _count(f: Formulation, values: Values) -> int:
    sizes = {name: np.shape(v)[0] for name, v in values.items() if np.ndim(v) > 0 and not _is_vector(f, name, v)}
    if not any(sizes.values()):
        raise SolveError("a batch needs at least one start value or parameter given as an array, one entry per case.")
    if len(set(sizes.values())) > 1:
        raise SolveError(f"the arrays of a batch have different lengths: {sizes}.")
    return int(next(iter(sizes.values())))


def _tables(own: ModelTable, value: object, count: int) -> list[Table]:
    """The tables of all cases: one for each or one for all."""
    if not isinstance(value, Sequence | np.ndarray):
        return [own.fit(value)] * count
    return [own.fit(table) for table in value]


def _is_vector(f: Formulation, name: str, value: Given) -> bool:
    """Whether it is one start value of several components: for all cases; a table of them has one row for each."""
    if np.ndim(value) != 1 or name in f.model.parameters or name in f.model.tables:
        return False
    part = f.register.find(name)
    return part is not None and part.size > 1
