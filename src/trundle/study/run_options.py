"""Options of a run as the user gives them, with their checks."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from typing import final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.methods.explicit import DormandPrince5, DormandPrince8
from trundle.integrate.methods.rosenbrock import Rodas5P
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Steps, Tolerances
from trundle.integrate.tolerance import Given, check_tolerances, tolerance_of
from trundle.real_array import is_number, not_numbers, real_array
from trundle.typing import Array, State

EventAction = Callable[[str, float, State], Mapping[str, float] | None]
ProgressText = Callable[[float, State], str]
ReachedTime = Callable[[float], None]
Samples = int | Sequence[float] | str | None
MethodGiven = str | Method  # "auto", "order8", "order5", "stiff", or an object

SAMPLES = 501
CLOCK = 1e-9  # of a duration, that the clock must be able to resolve


@final
@dataclass(frozen=True)
class Accuracy:
    """Relative tolerance of a step, and absolute tolerances: one number, by units and names of states, or None for such
    as follow from the sizes of the model.
    """

    rtol: float
    atol: Given = None

    def __post_init__(self) -> None:
        check_tolerances(self.rtol, self.atol)

    def tolerances(self, f: Formulation, p: Array, usual: float) -> Tolerances:
        """Tolerances of the states of a system; `usual`: part of the sizes of the model, for atol not given."""
        return Tolerances(self.rtol, tolerance_of(f, self.atol, self.rtol, usual, p))


@final
@dataclass(frozen=True, eq=False)
class ProgressBar:
    """The bar of a run: `text(t, state)` returns the text before it, and `shown` says whether it is shown; None: in a
    terminal and for long runs only.
    """

    text: ProgressText | None = None
    shown: bool | None = None

    def __post_init__(self) -> None:
        if self.text is not None and not callable(self.text):
            raise SolveError(f"the text of a ProgressBar is a function, called as text(t, state), not {self.text!r}.")


@final
@dataclass(frozen=True)
class RunOptions:
    """How a run is made: method (word or object), accuracy, samples (number, times, "steps" or None), its steps, time
    at the start (s), a progress bar (or what is called with the time that was reached), what is called at events, and
    by which parameters and start values the run is differentiated.
    """

    accuracy: Accuracy
    method: MethodGiven = "auto"
    samples: Samples = None
    steps: Steps = field(default_factory=Steps)
    t0: float = 0.0
    progress: bool | ReachedTime | ProgressBar | None = None
    on_event: EventAction | None = None
    sensitivity: tuple[str, ...] = ()

    def chosen_method(self) -> Method:
        """The method as an object."""
        return choose_method(self.method, self.accuracy.rtol)

    def watched(self) -> tuple[ProgressBar, ReachedTime | None]:
        """The progress bar, and what is called with the time that was reached."""
        if isinstance(self.progress, ProgressBar):
            return self.progress, None
        if self.progress is not None and not isinstance(self.progress, bool) and not callable(self.progress):
            raise SolveError(
                f"progress={self.progress!r}: give True, False, a function of time or tr.ProgressBar(...)."
            )
        if callable(self.progress):
            return ProgressBar(shown=False), self.progress
        return ProgressBar(shown=self.progress), None

    def check_times(self, duration: float) -> None:
        """SolveError where times or lengths of steps do not fit a run of this duration (s)."""
        check_positive(duration=duration)
        if self.on_event is not None and not callable(self.on_event):
            raise SolveError(f"on_event is a function, called as on_event(name, t, state), not {self.on_event!r}.")
        if not isinstance(self.t0, Real) or not_numbers(self.t0) or not np.isfinite(self.t0):
            raise SolveError(f"t0 must be a finite time in seconds, got {self.t0!r}.")
        if not isinstance(self.steps, Steps):
            raise SolveError(f"steps={self.steps!r}: write steps=tr.Steps(longest=0.01), or fixed=0.01, most=1000.")
        if self.steps.fixed is not None and self.steps.fixed > duration:
            raise SolveError(f"a fixed step must not be longer than the duration, got {self.steps.fixed!r} s.")
        check_clock(self.t0, duration, self.accuracy.rtol)


def listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name, or several."""
    return (names,) if isinstance(names, str) else tuple(names)


def refuse_stiff_switches(f: Formulation, method: Method) -> None:
    """Refuse stiff methods for contacts that stick or open."""
    if method.needs_jacobian and any(mode.is_switch for mode in f.parameters.modes):
        raise SolveError(
            "the stiff method does not support contacts that stick or open. Use an explicit method, or a smooth law "
            "(tr.RegularisedCoulomb, tr.LuGre), and for contacts that open a compliant normal "
            "(compliance=tr.Hertz(...))."
        )


def choose_method(method: MethodGiven, rtol: float) -> Method:
    """A method object from a word or from the tolerance."""
    if method == "auto":
        return DormandPrince8() if rtol < 1e-7 else DormandPrince5()
    if isinstance(method, Method):
        return method
    words: dict[object, type[Method]] = {
        "explicit": DormandPrince8,
        "order8": DormandPrince8,
        "order5": DormandPrince5,
        "stiff": Rodas5P,
    }
    if not isinstance(method, str) or method not in words:
        if isinstance(method, type) and issubclass(method, Method):
            raise SolveError(f"method: {method.__name__} is a class; give an object of it, {method.__name__}().")
        choices = ", ".join(map(repr, ("auto", *words)))
        raise SolveError(f"method {method!r} is not known; choose {choices} or give a method object.")
    return words[method]()


def check_positive(**values: Given) -> None:
    """Each of the named values must be a positive finite number."""
    for what, value in values.items():
        if not (is_number(value) and isfinite(value) and float(value) > 0):
            remedy = " Give the length of the run in s; t0= is the time at its start." if what == "duration" else ""
            raise SolveError(f"{what} must be a positive number, got {value!r}.{remedy}")


def check_clock(t0: float, duration: float, rtol: float) -> None:
    """Refuse a start time so large that the steps of the run would be lost in its last digits."""
    if not np.spacing(abs(t0) + duration) <= max(CLOCK, rtol) * duration:
        raise SolveError(
            f"t0 = {t0:g} s is too large for a duration of {duration:g} s: times there are {np.spacing(abs(t0)):.3g} s "
            "apart in double precision, too coarse for the steps of the run. Start at a smaller t0, and let laws add "
            "the rest to t as a parameter."
        )


def check_room(samples: int, width: int, what: str = "samples") -> None:
    """SolveError if the samples do not fit into the memory of this machine."""
    need, have = 8 * samples * width, physical_memory()
    if need > have:
        raise SolveError(
            f"{what}={samples:,} would take {need / 2**30:,.1f} GiB for {width} numbers each; this machine has "
            f"{have / 2**30:,.1f} GiB. Use fewer samples, or several runs that continue from each other."
        )


def physical_memory() -> int:
    """Bytes of this machine; 2^40 where that is not known."""
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
    if isinstance(samples, float | np.floating):
        raise SolveError(
            f"samples={samples!r}: give their number, samples=501, or their times (s), "
            f"samples=np.linspace({t0:g}, {t1:g}, 501)."
        )
    if samples is None or isinstance(samples, int | np.integer):
        if samples is not None and samples < 2:
            raise SolveError(f"samples={samples!r}: at least 2 are needed, the two ends.")
        check_room(SAMPLES if samples is None else int(samples), width)
        return np.linspace(t0, t1, SAMPLES if samples is None else int(samples))
    try:
        times = real_array(samples)
    except (TypeError, ValueError) as error:
        raise SolveError(f"samples={samples!r}: the times must be numbers.") from error
    inside = times.ndim == 1 and len(times) > 0 and bool(np.all((times >= t0) & (times <= t1 + 1e-12 * abs(t1))))
    if not inside or np.any(np.diff(times) <= 0):
        raise SolveError(f"sample times must increase, none given twice, and lie between {t0:g} and {t1:g} s.")
    result: Array = np.minimum(times, t1)
    return result
