"""From a built system to a run: start state, method, events, time loop, ending."""

import os
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from trundle.contact.collision.layout import TREATMENTS
from trundle.contact.modes.find import decides_together, transitions
from trundle.contact.modes.mode import Transition
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.codes import DECIDE, JUMP, RECORD, RETURN, STOP, STRIKE
from trundle.integrate.integrate import integrate
from trundle.integrate.methods.explicit import DormandPrince5, DormandPrince8, ExplicitRungeKutta
from trundle.integrate.methods.rosenbrock import Rodas5P, Rosenbrock
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options, Sampling, StepLimits, Supervision, Tolerances
from trundle.integrate.problem import Problem
from trundle.integrate.tolerance import Given, check_tolerances, largest, read_units, tolerance_of
from trundle.integrate.trajectory import Trajectory
from trundle.laws.law import FlowLaw, Locked
from trundle.model.model import Model
from trundle.study.first_modes import first_modes, places_of_modes
from trundle.study.guards import check_lines, ended, first_look, looked_at
from trundle.study.start_state import changed_state, refuse_fixed, start_state, state_vector
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.run.dataset import Run

EventAction = Callable[[str, float, dict[str, Any]], Mapping[str, float] | None]

SAMPLES = 501
USUAL_ATOL = 1e-10  # of the sizes of the model
CLOCK = 1e-9  # of a duration, which the clock must be able to tell apart
NO_ROOM = "the samples, or the events of the run, do not fit into memory. Ask for fewer samples or a shorter duration."


def choose_method(method: Any, rtol: float) -> Method:
    """A method object from a word or from the tolerance."""
    if method == "auto":
        return DormandPrince8() if rtol < 1e-7 else DormandPrince5()
    if isinstance(method, ExplicitRungeKutta | Rosenbrock):
        return method
    words: dict[Any, type[DormandPrince8] | type[DormandPrince5] | type[Rodas5P]] = {
        "explicit": DormandPrince8,
        "order8": DormandPrince8,
        "order5": DormandPrince5,
        "stiff": Rodas5P,
    }
    if not isinstance(method, str) or method not in words:
        choices = ", ".join(map(repr, ("auto", *words)))
        raise SolveError(f"method {method!r} is not known; choose {choices} or give a method object.")
    return words[method]()


def check_positive(**values: Any) -> None:
    """Each of the named values must be a positive finite number."""
    for what, value in values.items():
        if not (isinstance(value, Real) and isfinite(value) and float(value) > 0):
            raise SolveError(f"{what} must be a positive number, got {value!r}.")


def check_clock(t0: float, duration: float, rtol: float) -> None:
    """Refuse a start time so large that the steps of the run would be lost in its last digits."""
    if not np.spacing(abs(t0) + duration) <= max(CLOCK, rtol) * duration:
        raise SolveError(
            f"t0 = {t0:g} s is too large for a duration of {duration:g} s: times there are {np.spacing(abs(t0)):.3g} s "
            "apart in double precision, too coarse for the steps of the run. Start at a smaller t0, and let laws add "
            "the rest to t as a parameter."
        )


def check_room(samples: int, width: int, what: str = "samples") -> None:
    """So many samples of so many numbers must fit into the memory of this machine."""
    need, have = 8 * samples * width, physical_memory()
    if need > have:
        raise SolveError(
            f"{what}={samples:,} would take {need / 2**30:,.1f} GiB for {width} numbers each; this machine has "
            f"{have / 2**30:,.1f} GiB. Ask for fewer, or run on from the end in several parts."
        )


def physical_memory() -> int:
    """Bytes of this machine; 2^40 where it does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 2**40


def sample_times(samples: int | Sequence[float] | str | None, t0: float, t1: float, width: int = 1) -> Array | None:
    """Times at which the state of `width` numbers is kept; None for every step."""
    if isinstance(samples, str):
        if samples != "steps":
            raise SolveError(f"samples={samples!r}: give a number, a sequence of times, or 'steps'.")
        return None
    if samples is None or isinstance(samples, int | np.integer):
        if samples is not None and samples < 2:
            raise SolveError(f"samples={samples!r}: at least the two ends are kept.")
        check_room(SAMPLES if samples is None else int(samples), width)
        return np.linspace(t0, t1, SAMPLES if samples is None else int(samples))
    try:
        times = np.asarray(samples, dtype=float)
    except (TypeError, ValueError) as error:
        raise SolveError(f"samples={samples!r}: the times must be numbers.") from error
    inside = times.ndim == 1 and len(times) > 0 and bool(np.all((times >= t0) & (times <= t1 + 1e-12 * abs(t1))))
    if not inside or np.any(np.diff(times) < 0):
        raise SolveError(f"sample times must rise and lie between {t0:g} and {t1:g} s.")
    result: Array = np.minimum(times, t1)
    return result


def simulate(
    f: Formulation,
    duration: float,
    start: Mapping[str, Any] | None,
    parameters: Mapping[str, float] | None,
    *,
    method: Any,
    rtol: float,
    atol: Given,
    samples: int | Sequence[float] | str | None,
    fixed_step: float | None,
    max_step: float,
    progress: bool | None,
    on_event: EventAction | None,
    t0: float,
    max_steps: int,
    max_events: int,
) -> "Run":
    """Integrate from a consistent start over `duration` seconds.

    Parameters
    ----------
    start, parameters : mapping, optional
        Values by name; those of the model hold for names that are not given.
    method : str or method object
        "auto" (order 8 below a tolerance of 1e-7, else order 5), "order8", "order5", "stiff", or a method object.
    rtol : float
        Relative tolerance of a step.
    atol : float or mapping, optional
        Absolute tolerance, one number or by units and names of states, {"m": 1e-12, "bob.angle": 1e-9}. Unless given
        it is 1e-10 (rtol, if that is less) of the largest displacement, angle or rate that the run has met, at most of
        a typical length of the model or of 1 rad; `settings["atol"]` of the run has the numbers.
    samples : int, sequence of float or "steps", optional
        Number of equally spaced times (default 501), times (s), or "steps" for every step of the integrator.
    fixed_step, max_step : float, optional
        Length of every step, or of the longest one (s).
    progress : bool, optional
        Whether to show a progress bar; unless given, in a terminal and for long runs only.
    on_event : callable, optional
        on_event(name, t, state) is called at events with action "record"; it may answer with new values by name.
    t0 : float
        Time at the start (s).
    max_steps, max_events : int
        The run ends with TOO_MANY_STEPS or TOO_MANY_EVENTS after so many.

    Returns
    -------
    Run
        Results by name. A run that ends early says why in `outcome` and `message`.

    Raises
    ------
    SolveError
        Where an option is not valid, or the start cannot be made consistent (AssemblyError).
    """
    from trundle.run.dataset import Run
    from trundle.run.ending import at_limit

    refuse_fixed(f)
    check_positive(duration=duration)
    check_tolerances(rtol, atol)
    if not (isinstance(max_step, Real) and max_step > 0):
        raise SolveError(f"max_step must be a positive number, got {max_step!r}.")
    if not (isinstance(t0, Real) and np.isfinite(t0)):
        raise SolveError(f"t0 must be a finite time in seconds, got {t0!r}.")
    if fixed_step is not None and not (isinstance(fixed_step, Real) and 0 < fixed_step <= duration):
        raise SolveError(f"fixed_step must be positive and not longer than the duration, got {fixed_step!r}.")
    check_clock(t0, duration, rtol)
    for what, most in (("max_steps", max_steps), ("max_events", max_events)):
        if not (isinstance(most, int | np.integer) and most >= 0):
            raise SolveError(f"{what} must be a whole number that is not negative, got {most!r}.")
    chosen = choose_method(method, rtol)
    stiff = chosen.needs_jacobian
    if stiff and any(mode.is_switch for mode in f.parameters.modes):
        raise SolveError(
            "the stiff method does not know contacts that stick or open. Use an explicit one, or a smooth law "
            "(tr.RegularisedCoulomb, tr.LuGre), and for what opens a normal that lets go (compliance=tr.Hertz(...))."
        )
    times = sample_times(samples, t0, t0 + duration, f.n_x)
    p = f.parameter_vector(parameters)
    initial = start_state(f, start, parameters, t0)
    x0 = state_vector(f, initial, p, t0)
    p[f.parameters.shift] = multiplier_shift(rtol)
    p = first_modes(f, t0, x0, p)
    problem = make_problem(f, stiff, on_event is not None, rtol)
    check_lines(f, t0, x0, p)
    _check_events(f, t0, x0, p)
    tolerance = tolerance_of(f, atol, rtol, USUAL_ATOL, p)

    supervision = Supervision(progress, _event_caller(f, on_event) if on_event is not None else None)

    def again(guarded: Problem, at: Array | None, t1: float, most: int = max_steps) -> Trajectory:
        limits = StepLimits(longest=max_step, fixed=fixed_step, most=most, most_events=max_events)
        options = Options(Tolerances(rtol, tolerance), Sampling(at), limits, supervision)
        return integrate(guarded, chosen, t0, t1, x0, p, options)

    t1 = t0 + duration
    try:
        trajectory = again(problem, looked_at(f, times, t0, t1), t1, first_look(f, max_steps))
        trajectory = ended(f, trajectory, problem, p, times, again, max_steps, t0, t1)
    except MemoryError:
        raise SolveError(NO_ROOM) from None
    trajectory = at_limit(f, trajectory, trajectory.p_end)
    settings: dict[str, Any] = {"method": type(chosen).__name__, "rtol": rtol, "formalism": f.formalism}
    settings["atol"] = float(atol) if isinstance(atol, Real) else largest(trajectory.atol, f.once(read_units).names)
    settings["answers"] = on_event is not None
    return Run.of(f, trajectory, p, initial, settings)


def _check_events(f: Formulation, t: float, x: Array, p: Array) -> None:
    """An event whose function is not a number at the start would never fire."""
    if not f.model.events:
        return
    values = np.array(f.kernels("events")["events"](t, x, p))
    for name, value in zip(f.model.events, values, strict=False):
        if np.isnan(value):
            raise SolveError(
                f"the function of event {name!r} is not a number at the start: look for a root or logarithm of a "
                "negative number, or a division of zero by zero."
            )


def multiplier_shift(rtol: float) -> float:
    """Relative shift of the multiplier block: it keeps a fold passable, and its effect stays below the tolerance."""
    return float(np.clip(1e-2 * rtol, 1e-12, 1e-8))


def make_problem(f: Formulation, stiff: bool, returns: bool, rtol: float) -> Problem:
    """Kernels of the system arranged for the time loop."""
    base = f.kernels("base")
    extra = f.kernels("stiff") if stiff else {}
    model, states = f.model, f.states
    changes = transitions(model)
    kernels = f.kernels("events") if model.events or changes else {}
    kinds = [_kind(event.action, returns) for event in model.events.values()]
    kinds += [_kind_of_transition(c) for c in changes]
    striking = STRIKE in kinds
    contacts = [c for c in model.connections.values() if c.unilateral]
    directions = [event.direction for event in model.events.values()] + [c.direction for c in changes]
    return Problem(
        rhs=extra.get("rhs", base["rhs"]),
        project=base.get("project"),
        jacobian=extra.get("jacobian"),
        metric=extra.get("metric"),
        near_folds=base["rhs"] if stiff else None,
        events=kernels.get("events"),
        enclosure=kernels.get("enclosure"),
        round_off=kernels.get("round_off"),
        breaks=base.get("breaks"),
        jumps=tuple(kernels.get(f"jump{i}") for i in range(len(kinds))),
        impact=kernels.get("impact") if striking else None,
        modes=kernels.get("start") if striking else None,
        energy=base["energy"],
        given_events=len(model.events),
        works=states.works.stop - states.works.start,
        driven=_driven(model),
        free=kernels.get("free"),
        places=places_of_modes(f) if decides_together(model) else (),
        contacts=len(contacts) if striking else 0,
        treatment=TREATMENTS[model.impacts],
        n_q=states.n_q,
        n_u=states.n_u,
        quaternions=states.quaternions,
        event_directions=directions,
        event_kinds=kinds,
        event_due=[False] * len(model.events) + [c.due for c in changes],
        error_weight=states.steers,
        singular_limit=max(1e-10, 1e-2 * rtol),  # a coarse path passes a fold at some distance
    )


def _driven(model: Model) -> bool:
    """Whether laws move parts of the model."""
    laws = [law for c in model.connections.values() for law in (*c.laws.values(), *c.touch_laws.values())]
    return any(isinstance(law, FlowLaw) and not isinstance(law, Locked) for law in laws)


def _kind_of_transition(transition: Transition) -> int:
    if transition.ends:
        return STOP
    if transition.together:
        return DECIDE
    return STRIKE if transition.strikes else JUMP


def _kind(action: Any, returns: bool) -> int:
    if action == "stop":
        return STOP
    if action == "record":
        return RETURN if returns else RECORD
    return JUMP


def _event_caller(f: Formulation, action: EventAction) -> Callable[[int, float, Array, Array], Any]:
    names = list(f.model.events)

    def call(index: int, t: float, x: Array, p: Array) -> tuple[Array, Array] | None:
        state = {k: v[0] if v.shape[1] > 1 else float(v[0, 0]) for k, v in f.state_quantities(x[None, :]).items()}
        answer = action(names[index], t, state)
        if answer is not None and not isinstance(answer, Mapping):
            raise SolveError(f"on_event answers with {{'name': value}} or None, not with {answer!r}.")
        return None if not answer else changed_state(f, x, p, answer)

    return call
