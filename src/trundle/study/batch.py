"""Many runs of one system: start values and parameters as arrays, on threads.

Where nothing switches, several runs go through SIMD lanes at once. Models with events, or with contacts that stick,
slide or open, run one by one in the same compiled loop as a single run.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, TrundleError, UnknownNameError
from trundle.integrate.audit import doubtful
from trundle.integrate.integrate import integrate
from trundle.integrate.lanes.batch_events import NO_EVENTS, BatchEvents, integrate_each
from trundle.integrate.lanes.integrate import Batch, LaneProblem, integrate_lanes
from trundle.integrate.methods.explicit import ExplicitRungeKutta
from trundle.integrate.options import Options, Sampling, StepLimits, Tolerances
from trundle.integrate.outcome import CONSTRAINT, REFUSED, STEP_TOO_SMALL
from trundle.integrate.tolerance import LOOKS, Given, Tolerance, check_tolerances, read_units, tolerance_of
from trundle.kernel import evaluate
from trundle.quantities.request import read_request
from trundle.study.batch_guards import integrate_guarded
from trundle.study.cases import parameter_faults, refusal_text, spread
from trundle.study.first_modes import first_modes
from trundle.study.guards import check_lines, find_guards
from trundle.study.simulate import (
    NO_ROOM,
    check_positive,
    check_room,
    choose_method,
    make_problem,
    multiplier_shift,
    sample_times,
)
from trundle.study.start_state import refuse_fixed, start_state, state_vector
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.run.batch import BatchRun


USUAL_ATOL = 1e-8  # of the sizes of the model
ONE_BY_ONE, IN_LANES = "one by one", "in lanes"


class BatchWarning(UserWarning):
    """Some cases of a batch cannot start; the others were run."""


def run_batch(
    f: Formulation,
    duration: float,
    start: Mapping[str, Any],
    parameters: Mapping[str, Any],
    *,
    rtol: float,
    atol: Given,
    samples: int | Sequence[float] | None,
    threads: int | None,
    method: Any,
) -> "BatchRun":
    """Many runs at once; start values and parameters may be arrays of one common length.

    They go through SIMD lanes on all threads. Models with events, or with contacts that stick, slide or open, run one
    by one in the loop of `simulate`, on all threads too; `settings["way"]` of the result says which.

    Parameters
    ----------
    start, parameters : mapping
        Numbers, or arrays with one entry per case.
    rtol, atol
        As for `simulate`.
    samples : int or sequence of float, optional
        Times that all cases share (s) or their number; unless given, only the ends are kept.
    threads : int, optional
        All cores unless given.
    method : str or method object
        An explicit one.

    Returns
    -------
    BatchRun
        A case that `simulate` would refuse is named by its index, in `messages` and by a warning; the others run.

    Raises
    ------
    SolveError
        Where an option is not valid or arrays differ in length.
    """
    from trundle.run.batch import BatchRun

    if not f.in_joints:
        raise SolveError("a batch runs in joint coordinates; build the model with formalism='kane'.")
    refuse_fixed(f)
    check_positive(duration=duration)
    check_tolerances(rtol, atol)
    if isinstance(samples, str):
        raise SolveError(f"samples={samples!r}: a batch keeps samples at times that all cases share; give those.")
    if threads is not None and not (isinstance(threads, int | np.integer) and threads > 0):
        raise SolveError(f"threads={threads!r}: give a positive number of threads, or None for all cores.")
    chosen = choose_method(method, rtol)
    if not isinstance(chosen, ExplicitRungeKutta):
        raise SolveError("a batch runs with an explicit method; stiff models are run one by one with simulate.")
    for what, given in (("start", start), ("parameters", parameters)):
        if not isinstance(given, Mapping):
            raise SolveError(f"{what} of a batch goes by name, {{'name': values}}, not as {type(given).__name__}.")
    start = f.resolved(start)
    count = _count(f, {**start, **parameters})
    switches = bool(f.model.events or f.parameters.modes or "breaks" in f.kernels("base"))
    width = count * (f.n_x + (len(f.default_parameters) if switches else 0))
    times = None if samples is None else sample_times(samples, 0.0, duration, width)
    if times is not None:
        check_room(len(times), width)
    cases = _Cases(f, start, parameters, count, rtol)
    tolerance = tolerance_of(f, atol, rtol, USUAL_ATOL, cases.p[0])
    settings: dict[str, Any] = {"method": type(chosen).__name__, "rtol": rtol, "formalism": f.formalism}
    settings["atol"] = float(atol) if isinstance(atol, Real) else tolerance.most(f.once(read_units).names)
    settings["way"] = ONE_BY_ONE if switches else IN_LANES
    if cases.refused:
        warnings.warn(refusal_text(cases.refused, count), BatchWarning, stacklevel=3)
    try:
        batch, log = _integrate(f, chosen, duration, cases, rtol, tolerance, times, threads, switches)
    except MemoryError:
        raise SolveError(NO_ROOM) from None
    return BatchRun(f, batch, cases.p, settings, log, cases.refused)


def _integrate(
    f: Formulation, chosen: ExplicitRungeKutta, duration: float, cases: "_Cases", rtol: float, tolerance: Tolerance,
    times: Array | None, threads: int | None, switches: bool,
) -> tuple[Batch, BatchEvents | None]:  # fmt: skip
    """Integrate the cases that can start; the others stay as they are."""
    log, good = None, cases.good
    x0, p = cases.x0[good], cases.p[good]
    single = make_problem(f, stiff=False, returns=False, rtol=rtol)
    if switches:

        def each(x0: Array, p: Array, at: Array, most: int) -> tuple[Batch, BatchEvents]:
            tolerances, limits = Tolerances(rtol, tolerance), StepLimits(most=most)
            return integrate_each(single, chosen, 0.0, duration, x0, p, tolerances, Sampling(at), threads, limits)

        tolerances = Tolerances(rtol, tolerance)
        batch, log = integrate_guarded(f, each, single, chosen, duration, x0, p, times, tolerances)
    else:
        kernels = f.kernels("lanes")
        problem = LaneProblem(kernels["rhs"], kernels.get("project"), f.states.steers)
        if tolerance.learns and len(good):
            rhs, looks = f.kernels("base")["rhs"], np.linspace(0.0, duration, LOOKS + 1)[:-1]
            first, _ = tolerance.begin(x0, np.array([evaluate(rhs, rhs, t, x0, p) for t in looks]), duration)
            tolerance = replace(tolerance, atol=first)

        def lanes(x0: Array, p: Array, at: Array, most: int) -> tuple[Batch, None]:
            found = integrate_lanes(
                problem, chosen, 0.0, duration, x0, p, rtol=rtol, atol=tolerance, samples=at, threads=threads,
                max_steps=most,
            )  # fmt: skip
            return found, None

        tolerances = Tolerances(rtol, tolerance)
        batch, _ = integrate_guarded(f, lanes, single, chosen, duration, x0, p, times, tolerances)
        largest = float(np.max(tolerance.atol, initial=0.0))
        for i in doubtful(single, batch, x0, p, rtol, largest):  # lanes do not keep what the check needs: run it again
            options = Options(Tolerances(rtol, tolerance), Sampling(np.zeros(0)))
            found = integrate(single, chosen, 0.0, duration, x0[i], p[i], options)
            if found.audit is not None and batch.outcome(i).ok:
                batch.code[i] = found.audit.outcome.code
    _name_limits(f, batch, p if log is None else log.p_end)
    if len(good) == cases.count:
        return batch, log
    code, steps, rejected = np.full(cases.count, REFUSED.code), *(np.zeros(cases.count, np.int64) for _ in range(2))
    code[good], steps[good], rejected[good] = batch.code, batch.steps, batch.rejected
    t_end, ends = np.zeros(cases.count), spread(batch.x_end, good, cases.count)
    t_end[good] = batch.t_end
    told_of = {good[i]: outcome for i, outcome in batch.told.items()}
    whole = Batch(batch.t, spread(batch.x, good, cases.count), t_end, ends, code, steps, rejected, told_of)
    if log is not None:
        events = [NO_EVENTS] * cases.count
        for i, of_case in zip(good, log.events, strict=True):
            events[i] = of_case
        before = np.zeros((cases.count, log.events_before.shape[1]), np.int64)
        before[good] = log.events_before
        log = BatchEvents(events, spread(log.p, good, cases.count), spread(log.p_end, good, cases.count), before)
    return whole, log


@final
class _Cases:
    """Start states and parameters of all cases; `refused` tells by index what cannot start, and why."""

    def __init__(
        self, f: Formulation, start: Mapping[str, Any], parameters: Mapping[str, Any], count: int, rtol: float
    ) -> None:
        self.formulation, self.count = f, count
        layout = f.parameters
        self.p = np.tile(f.default_parameters, (count, 1))
        for name, value in parameters.items():
            if name not in layout.parameters:
                raise UnknownNameError(name, layout.parameters, "parameter")
            self.p[:, layout.parameter(name)] = _numbers(name, value, count)
        given = {k: v for k, v in start.items() if np.ndim(v) > 0 and not _is_vector(f, k, v)}
        self.varied = {k: _numbers(k, v) for k, v in given.items()}
        self.fixed = {k: v for k, v in start.items() if k not in self.varied}
        self.refused = parameter_faults(f.model, self.p[:, layout.parameter_slice]) if parameters else {}
        for name, values in self.varied.items():
            rows = values.reshape(count, -1)
            for i in map(int, np.flatnonzero(~np.all(np.isfinite(rows), axis=1))):
                self.refused.setdefault(i, f"start value of {name!r} must be finite, got {values[i]}.")
        self.p[:, layout.shift] = multiplier_shift(rtol)
        self.x0 = self._start_states(parameters)
        if f.parameters.modes or any(c.relaxes for c in f.model.connections.values()):
            for i in self.good:
                self._try(i, self._set_modes)
        if f.once(find_guards):
            for i in self.good:
                self._try(i, lambda case: check_lines(f, 0.0, self.x0[case], self.p[case]))
        self.refused = dict(sorted(self.refused.items()))

    @property
    def good(self) -> list[int]:
        """Cases that can start."""
        return [i for i in range(self.count) if i not in self.refused]

    def _try(self, case: int, act: Callable[[int], None]) -> None:
        """What `simulate` would raise of this case is told of this case alone."""
        try:
            act(case)
        except UnknownNameError:  # the same in all cases
            raise
        except TrundleError as error:
            self.refused[case] = str(error)

    def _set_modes(self, case: int) -> None:
        self.p[case] = first_modes(self.formulation, 0.0, self.x0[case], self.p[case])

    def _start_states(self, parameters: Mapping[str, Any]) -> Array:
        """Start states of all cases: what simulate would start from."""
        f, x0 = self.formulation, np.full((self.count, self.formulation.n_x), np.nan)
        names = {*f.resolved(f.model.start), *self.fixed, *self.varied}
        follows = bool(f.layout.followers)  # surface coordinates belong to each pose
        if f.has_rows or follows or not names <= f.layout.places.keys():

            def assemble(case: int) -> None:
                values = {k: v if np.ndim(v) == 0 else np.asarray(v)[case] for k, v in parameters.items()}
                start = {**self.fixed, **{k: v[case] for k, v in self.varied.items()}}
                x0[case] = state_vector(f, start_state(f, start, values), self.p[case])

            for i in self.good:
                self._try(i, assemble)
            return x0
        common = start_state(f, self.fixed)
        x0[:] = state_vector(f, common, self.p[0])
        for name, values in self.varied.items():
            first = values[self.good[0]] if self.good else np.ones(values.shape[1:])
            request = read_request(f.layout, common.q, {name: first})
            given = np.concatenate([request.given_q, request.given_u, np.zeros(f.n_x - f.states.n_motion, bool)])
            x0[:, given] = values.reshape(self.count, -1)
        for i in f.layout.quaternions:
            length = np.linalg.norm(x0[:, i : i + 4], axis=1, keepdims=True)
            for case in np.flatnonzero(length < 1e-9):
                self.refused.setdefault(
                    int(case), "a start quaternion has length zero; (1, 0, 0, 0) is not a rotation."
                )
            x0[:, i : i + 4] /= np.where(length < 1e-9, 1.0, length)
        return x0


def _name_limits(f: Formulation, batch: Batch, p: Array) -> None:
    """Cases that ended at a limit of the mechanism are called so, as single runs are."""
    from trundle.run.ending import driven_past_limit

    for case in np.flatnonzero(batch.code == STEP_TOO_SMALL.code):
        if driven_past_limit(f, float(batch.t_end[case]), batch.x_end[case], p[case]):
            batch.code[case] = CONSTRAINT.code


def _count(f: Formulation, values: Mapping[str, Any]) -> int:
    sizes = {name: np.shape(v)[0] for name, v in values.items() if np.ndim(v) > 0 and not _is_vector(f, name, v)}
    if not any(sizes.values()):
        raise SolveError("a batch needs at least one start value or parameter given as an array, one entry per case.")
    if len(set(sizes.values())) > 1:
        raise SolveError(f"the arrays of a batch have different lengths: {sizes}.")
    return int(next(iter(sizes.values())))


def _numbers(name: str, value: Any, count: int | None = None) -> Array:
    """The values of all cases; with `count`, one number for each or one for all."""
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or (count is not None and numbers.shape not in ((), (count,))):
        raise SolveError(f"{name!r} of a batch must be numbers, one for each case, got {value!r}.")
    return numbers


def _is_vector(f: Formulation, name: str, value: Any) -> bool:
    """Whether it is one start value of several components: for all cases; a table of them has one row for each."""
    if np.ndim(value) != 1 or name in f.model.parameters:
        return False
    part = f.register.find(name)
    return part is not None and part.size > 1
