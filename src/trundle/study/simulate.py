"""From a built system to a run: start state, method, events, time loop, ending."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.case import Case
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options, Sampling, Supervision
from trundle.integrate.problem import Problem
from trundle.integrate.tolerance import largest, read_units
from trundle.messages.preparing import preparing
from trundle.quantities.initial_state import InitialState
from trundle.run.turns import start_angles
from trundle.study.assigned_parameters import with_possible_parameters
from trundle.study.first_modes import first_modes
from trundle.study.frame_jumps import refuse_jumps
from trundle.study.guarded_run import GuardedRun, integrate_guarded
from trundle.study.guards import check_lines, watched_by_guards
from trundle.study.half_turn import within_half_turn
from trundle.study.problem import make_problem, multiplier_shift
from trundle.study.run_options import EventAction, ProgressText, RunOptions, refuse_stiff_switches, sample_times
from trundle.study.second_contacts import normals_at_start, normals_until
from trundle.study.sensitivity.at_start import StartOf
from trundle.study.start_state import changed_state, check_rates, refuse_fixed, start_state, state_vector
from trundle.typing import Array, Json, State, Values

if TYPE_CHECKING:
    from trundle.run.run import Run

USUAL_ATOL = 1e-10  # of the sizes of the model
ROUND_OFF = 1e-9  # by which a start at a limit may lie beyond it
COPIES = 5  # numbers that a sample takes beside two copies of the state: times, and what stores them
NO_ROOM = "the samples, or the events of the run, do not fit into memory. Use fewer samples or a shorter duration."


@final
@dataclass(frozen=True, eq=False)
class RunSetup:
    """A run that is ready to start: problem, start, method, and how it is monitored."""

    problem: Problem
    method: Method
    case: Case
    options: Options
    initial: InitialState
    run_options: RunOptions

    def settings(self, f: Formulation, atol: Array) -> State:
        """Method and tolerances for the results; `atol` are those at the end of the run."""
        given = self.run_options.accuracy.atol
        found: Json = {"method": type(self.method).__name__, "rtol": self.run_options.accuracy.rtol}
        found |= {"formalism": f.formalism}
        found["atol"] = float(given) if isinstance(given, Real) else largest(atol, f.once(read_units).names)
        return found | {"answers": self.run_options.on_event is not None}


def prepare(
    f: Formulation, duration: float, start: Values | None, parameters: Values | None,
    options: RunOptions,
) -> RunSetup:  # fmt: skip
    """Check the arguments, and find the start state."""
    with preparing(f"a run of the model {f.model.name!r}"):
        return _prepared(f, duration, start, parameters, options)


def _prepared(
    f: Formulation, duration: float, start: Values | None, parameters: Values | None, options: RunOptions
) -> RunSetup:
    refuse_fixed(f)
    options.check_times(duration)
    method, accuracy, t0 = options.chosen_method(), options.accuracy, options.t0
    refuse_stiff_switches(f, method)
    t1 = t0 + duration
    times = sample_times(options.samples, t0, t1, 2 * f.n_x + COPIES)
    p = f.parameter_vector(parameters)
    refuse_jumps(f, p, t0, t1)
    initial = start_state(f, start, parameters, t0)
    x0 = state_vector(f, initial, p, t0)
    p[f.parameters.shift] = multiplier_shift(accuracy.rtol)
    p = first_modes(f, t0, x0, p)
    on_event = options.on_event
    problem = watched_by_guards(f, make_problem(f, method.needs_jacobian, on_event is not None, accuracy.rtol))
    check_lines(f, t0, x0, p)
    normals = normals_at_start(f, initial.q, t0, x0, p)
    check_events(f, t0, x0, p)
    check_rates(f, t0, x0, p)
    caller = _event_caller(f, on_event) if on_event is not None else None
    bar, report = options.watched()
    supervision = Supervision(bar.shown, caller, between_chunks=report, tell=_teller(f, bar.text))
    how = Options(accuracy.tolerances(f, p, USUAL_ATOL), Sampling(times), options.steps, supervision)
    return RunSetup(
        problem, method, Case(t0, t1, x0, p, normals, normals_until(f, t0, x0, p, normals)), how, initial, options
    )


def simulate(
    f: Formulation,
    duration: float,
    start: Values | None,
    parameters: Values | None,
    options: RunOptions,
) -> "Run":
    """Integrate from a consistent start over `duration` seconds, as `System.simulate` does."""
    from trundle.run.ending import at_limit
    from trundle.run.run import Run

    ready = prepare(f, duration, start, parameters, options)
    case, initial = ready.case, ready.initial
    try:
        trajectory = integrate_guarded(f, GuardedRun(ready.problem, ready.method, case, ready.options))
    except MemoryError:
        raise SolveError(NO_ROOM) from None
    trajectory = within_half_turn(f, at_limit(f, trajectory, trajectory.p_end), start_angles(f, initial))
    trajectory = with_possible_parameters(f, trajectory)
    tables = f.parameters.tables_of(f.model, parameters)
    run = Run.of(f, trajectory, case.p, initial, ready.settings(f, trajectory.atol), tables)
    if options.sensitivity:
        from trundle.study.sensitivity.along import differentiate

        plain = replace(options, sensitivity=(), progress=False)
        begun = StartOf(f, start, parameters, options.t0)
        differentiate(run, case, begun, options, lambda s, p: simulate(f, duration, s, p, plain))
    return run


def check_events(f: Formulation, t: float, x: Array, p: Array) -> None:
    """An event whose function is not a number at the start would never fire, nor would a limit that is passed."""
    if not f.model.events:
        return
    values = np.array(f.kernels("events")["events"](t, x, p))
    for (name, event), value in zip(f.model.events.items(), values, strict=False):
        if event.limit and value * event.direction > ROUND_OFF:
            raise SolveError(
                f"{name}: the start lies beyond it, by {abs(float(value)):.4g} (rad or m of a joint). Give a start "
                "value on the near side, or leave the limit out."
            )
        if np.isnan(value):
            raise SolveError(
                f"the function of event {name!r} is not a number at the start: check it for a root or logarithm of "
                f"a negative number, or a division by zero."
            )


def _teller(f: Formulation, given: ProgressText | None) -> Callable[[float, Array], str] | None:
    """Text of the progress bar at a time and a state."""
    return None if given is None else lambda t, x: given(t, _by_name(f, x))


def _by_name(f: Formulation, x: Array) -> State:
    """Values of a state by name."""
    return {k: v[0] if v.shape[1] > 1 else float(v[0, 0]) for k, v in f.state_quantities(x[None, :]).items()}


def _event_caller(
    f: Formulation, action: EventAction
) -> Callable[[int, float, Array, Array], tuple[Array, Array] | None]:
    names = list(f.model.events)

    def call(index: int, t: float, x: Array, p: Array) -> tuple[Array, Array] | None:
        answer = action(names[index], t, _by_name(f, x))
        if answer is not None and not isinstance(answer, Mapping):
            raise SolveError(f"on_event must return {{'name': value}} or None, got {answer!r}.")
        return None if not answer else changed_state(f, t, x, p, answer, f.model.events[names[index]].keeps)

    return call
