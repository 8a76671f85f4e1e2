"""How a System is run: once, in steps, or many times at once; each method is one call of a function in `study`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from trundle.arguments import advised, answering
from trundle.equations.formulation import Formulation
from trundle.integrate.options import StepLimits
from trundle.lookup.table import Table
from trundle.model.inputs_given import with_inputs
from trundle.study.freeze import in_formalism
from trundle.study.run_options import Accuracy, EventAction, MethodGiven, ProgressText, RunOptions, listed
from trundle.study.unchangeable import ARGUMENTS, Unchangeable
from trundle.typing import Option, Values

if TYPE_CHECKING:
    from trundle.run.batch import BatchRun
    from trundle.run.run import Run
    from trundle.study.stepper import Stepper


@answering
class Runs(Unchangeable):
    """The part of `System` that integrates motions."""

    formulation: Formulation

    @advised("write the duration in s, system.simulate(5.0)", **ARGUMENTS)
    def simulate(
        self, duration: float, start: Values | None = None, parameters: Values | None = None, *,
        formalism: str | None = None, method: MethodGiven = "auto", rtol: float = 1e-10,
        atol: float | Mapping[str, float] | None = None, samples: int | Sequence[float] | str | None = None,
        fixed_step: float | None = None, max_step: float = np.inf,
        progress: bool | Callable[[float], None] | None = None, progress_text: ProgressText | None = None,
        on_event: EventAction | None = None, t0: float = 0.0, max_steps: int = 10_000_000, max_events: int = 1_000_000,
        tables: Mapping[str, Table] | None = None, sensitivity: Sequence[str] = (), inputs: Values | None = None,
    ) -> "Run":  # fmt: skip
        """Integrate from a consistent start over `duration` seconds.

        Parameters
        ----------
        duration : float
            Time over which it runs (s).
        start, parameters : mapping, optional
            Values by name; those of the model hold for names that are not given.
        formalism : str, optional
            Another one than that of this system.
        method : str or method object
            "auto" (order 8 below a tolerance of 1e-7, else order 5), "order8", "order5", "stiff", or a method object.
        rtol : float
            Relative tolerance of a step.
        atol : float or mapping, optional
            Absolute tolerance, one number or by units and names of states, {"m": 1e-12, "bob.angle": 1e-9}. Unless
            given it is 1e-10 (rtol, if that is less) of the largest displacement, angle or rate that the run has met,
            at most of a typical length of the model or of 1 rad; `settings["atol"]` of the run has the numbers.
        samples : int, sequence of float or "steps", optional
            Number of equally spaced times (default 501), times (s), or "steps" for every step of the integrator.
        fixed_step, max_step : float, optional
            Length of every step, or of the longest one (s).
        progress : bool or callable, optional
            Whether to show a progress bar; unless given, in a terminal and for long runs only. A function is called
            with the time that was reached, about ten times a second; KeyboardInterrupt raised there ends the run.
        progress_text : callable, optional
            progress_text(t, state) returns a text that is shown before the progress bar.
        on_event : callable, optional
            on_event(name, t, state) is called at events with action "record"; it may answer with new values by name.
        t0 : float
            Time at the start (s).
        max_steps, max_events : int
            The run ends with TOO_MANY_STEPS or TOO_MANY_EVENTS after so many.
        tables : mapping, optional
            Tables by name in place of those of the model, of the same kind; nothing is compiled for that.
        sensitivity : sequence of str
            Parameters and start values by which the run is differentiated: `run.derivative("bob.angle", "k")`.
        inputs : mapping, optional
            Signals by the names of inputs: numbers, tr.Table(t, values, between="linear") or "previous" (each value is
            held until the next), functions of time, or xarray.DataArray over "time" (straight from value to value).

        Returns
        -------
        Run
            Results by name. A run that ends early says why in `outcome` and `message`.

        Raises
        ------
        SolveError
            Where an option is not valid, or the start cannot be made consistent (AssemblyError).
        """
        from trundle.study.simulate import simulate

        limits = StepLimits(longest=max_step, fixed=fixed_step, most=max_steps, most_events=max_events)
        how = Accuracy(rtol, atol), method, samples, limits, t0, progress, on_event, listed(sensitivity), progress_text
        given = with_inputs(self.formulation.model, parameters, tables, inputs, (t0, duration))
        formulation = in_formalism(self.formulation, formalism)
        return simulate(formulation, duration, start, given, RunOptions(*how))

    @advised("write the duration in s, system.stepper(5.0)")
    def stepper(
        self, duration: float, start: Values | None = None, parameters: Values | None = None, **options: Option
    ) -> "Stepper":
        """A run that is advanced in steps, with inputs set from Python: for controllers outside the model.

        Parameters
        ----------
        duration : float
            Time over which it can go (s).
        start, parameters : mapping, optional
            Values by name; those of the model hold for names that are not given.
        **options
            inputs: numbers that inputs have at first; an input that is given a signal keeps it. method, rtol, atol,
            samples, max_step, t0: as for `simulate`.

        Returns
        -------
        Stepper
            With `advance(to)`, `set({...})`, `save()`, `restore(saved)` and `run()`.

        Raises
        ------
        SolveError
            As for `simulate`, and where an input prescribes a motion.
        """
        from trundle.study.stepper import make_stepper

        return make_stepper(self.formulation, duration, start, parameters, **options)

    @advised("write the duration in s, system.batch(5.0, {'bob.angle': [0.1, 0.2]})")
    def batch(
        self, duration: float, start: Values | None = None, parameters: Values | None = None, *,
        rtol: float = 1e-8, atol: float | Mapping[str, float] | None = None,
        samples: int | Sequence[float] | None = None, threads: int | None = None, method: MethodGiven = "auto",
        tables: Mapping[str, Table | Sequence[Table]] | None = None, inputs: Values | None = None,
    ) -> "BatchRun":  # fmt: skip
        """Many runs at once; start values and parameters may be arrays of equal length.

        They go through SIMD lanes on all threads. Models with events, or with contacts that stick, slide or open, and
        stiff methods run one by one in the loop of `simulate`, on all threads too; `settings["way"]` says which.

        Parameters
        ----------
        duration : float
            Time over which each case runs (s).
        start, parameters : mapping, optional
            Numbers, or arrays with one entry per case.
        rtol : float
        atol : float or mapping, optional
            As for `simulate`.
        samples : int or sequence of float, optional
            Times that all cases share (s) or their number; unless given, only the ends are kept.
        threads : int, optional
            All cores unless given.
        method : str or method object
            As for `simulate`; stiff methods run one by one.
        tables : mapping, optional
            Tables by name, one for all cases or a list of one for each.
        inputs : mapping, optional
            Signals by the names of inputs, as for `simulate`: one for all cases or a list of one for each.

        Returns
        -------
        BatchRun
            A case that `simulate` would refuse is named by its index, in `messages` and by a warning; the others run.

        Raises
        ------
        SolveError
            Where an option is not valid or arrays differ in length.
        """
        from trundle.study.batch import run_batch

        options = RunOptions(Accuracy(rtol, atol), method, samples)
        given = with_inputs(self.formulation.model, parameters, tables, inputs, (0.0, duration), several=True)
        return run_batch(self.formulation, duration, start or {}, given or {}, options, threads)
