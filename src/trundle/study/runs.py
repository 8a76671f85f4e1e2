"""Runs of a System: one, one in steps, or many at once; each method is one call of a function in `study`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trundle.equations.formulation import Formulation
from trundle.integrate.options import Steps
from trundle.lookup.table import Table
from trundle.messages.arguments import advised, explain_calls, method
from trundle.model.inputs_given import with_inputs
from trundle.study.advice import ARGUMENTS, STEPS, Unchangeable
from trundle.study.freeze import in_formalism
from trundle.study.run_options import Accuracy, EventAction, MethodGiven, ProgressBar, ReachedTime, RunOptions, listed
from trundle.symbols.quick_symbols import with_quick_symbols
from trundle.typing import Values

if TYPE_CHECKING:
    from trundle.run.batch import BatchRun
    from trundle.run.run import Run
    from trundle.study.stepper import Stepper


@explain_calls
class Runs(Unchangeable):
    """The part of `System` that integrates motions."""

    formulation: Formulation

    @method("system.simulate")
    @advised("write the duration in s, system.simulate(5.0)", **ARGUMENTS)
    @with_quick_symbols
    def simulate(
        self, duration: float, start: Values | None = None, parameters: Values | None = None, *,
        formalism: str | None = None, method: MethodGiven = "auto", rtol: float = 1e-10,
        atol: float | Mapping[str, float] | None = None, samples: int | Sequence[float] | str | None = None,
        steps: Steps | None = None, progress: bool | ReachedTime | ProgressBar | None = None,
        on_event: EventAction | None = None, t0: float = 0.0, tables: Mapping[str, Table] | None = None,
        sensitivity: Sequence[str] = (), inputs: Values | None = None,
    ) -> "Run":  # fmt: skip
        """Integrate from a consistent start over `duration` seconds.

        Parameters
        ----------
        duration : float
            Time over which it runs (s).
        start, parameters : mapping, optional
            Values by name. Names that are not given have the values of the model.
        formalism : str, optional
            By default that of this system.
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
        steps : Steps, optional
            tr.Steps(longest=0.01), the longest step (s); also the first, one fixed length for all, and the most steps
            and events, after which the run ends with TOO_MANY_STEPS or TOO_MANY_EVENTS.
        progress : bool, callable or ProgressBar, optional
            Whether to show a progress bar; unless given, in a terminal and for long runs only. A function is called
            with the time that was reached, about ten times a second; KeyboardInterrupt raised there ends the run.
            tr.ProgressBar(text) shows text(t, state) before the bar.
        on_event : callable, optional
            on_event(name, t, state) is called at events with action "record"; it may return new values by name.
        t0 : float
            Time at the start (s).
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
            Results by name. `outcome` says how it ended, and what to do if it ended early.

        Raises
        ------
        SolveError
            If an option is not valid, or the start cannot be made consistent (AssemblyError).
        """
        from trundle.study.simulate import simulate

        accuracy, named = Accuracy(rtol, atol), listed(sensitivity)
        options = RunOptions(accuracy, method, samples, steps or Steps(), t0, progress, on_event, named)
        given = with_inputs(self.formulation.model, parameters, tables, inputs, (t0, duration))
        formulation = in_formalism(self.formulation, formalism)
        return simulate(formulation, duration, start, given, options)

    @advised("write the duration in s, system.stepper(5.0)", **STEPS)
    @with_quick_symbols
    def stepper(
        self, duration: float, start: Values | None = None, parameters: Values | None = None, *,
        method: MethodGiven = "auto", rtol: float = 1e-10, atol: float | Mapping[str, float] | None = None,
        samples: int | Sequence[float] | str | None = None, steps: Steps | None = None, t0: float = 0.0,
        inputs: Values | None = None,
    ) -> "Stepper":  # fmt: skip
        """A run that is advanced in steps, with inputs set from Python: for controllers outside the model.

        Parameters
        ----------
        duration : float
            Time over which it can go (s).
        start, parameters : mapping, optional
            Values by name. Names that are not given have the values of the model.
        method : str or method object
        rtol : float
        atol : float or mapping, optional
        samples : int, sequence of float or "steps", optional
        steps : Steps, optional
        t0 : float
            As for `simulate`.
        inputs : mapping, optional
            Numbers that inputs have at first; an input that is given a signal keeps it.

        Returns
        -------
        Stepper
            With `advance(to)`, `set({...})`, `save()`, `restore(saved)` and `run()`.

        Raises
        ------
        SolveError
            As for `simulate`, and where an input prescribes a motion.
        """
        from trundle.study.stepper import Stepper

        options = RunOptions(Accuracy(rtol, atol), method, samples, steps or Steps(), t0, progress=False)
        given = with_inputs(self.formulation.model, parameters, None, inputs, (t0, duration))
        return Stepper(self.formulation, duration, start, given, options)

    @advised("write the duration in s, system.batch(5.0, {'bob.angle': [0.1, 0.2]})")
    @with_quick_symbols
    def batch(
        self, duration: float, start: Values | None = None, parameters: Values | None = None, *,
        rtol: float = 1e-8, atol: float | Mapping[str, float] | None = None,
        samples: int | Sequence[float] | None = None, threads: int | None = None, method: MethodGiven = "auto",
        tables: Mapping[str, Table | Sequence[Table]] | None = None, inputs: Values | None = None,
        refused: Mapping[int, str] | None = None,
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
        refused : mapping, optional
            Cases that are not to be run, by index, with the reason, which their message gives.

        Returns
        -------
        BatchRun
            A case that `simulate` would refuse is named by its index, in `messages` and by a warning; the others run.

        Raises
        ------
        SolveError
            If an option is not valid or arrays differ in length.
        """
        from trundle.study.batch import run_batch

        options = RunOptions(Accuracy(rtol, atol), method, samples)
        given = with_inputs(self.formulation.model, parameters, tables, inputs, (0.0, duration), several=True)
        return run_batch(self.formulation, duration, start or {}, given or {}, options, threads, refused or {})
