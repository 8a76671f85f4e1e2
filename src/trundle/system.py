"""A built model: runs of it, and (by `Analyses`) everything else an engineer asks; each is a function in `study`."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.arguments import advised
from trundle.equations.derivation import Derivation
from trundle.equations.mobility import Mobility
from trundle.integrate.options import StepLimits
from trundle.lookup.table import Table
from trundle.model.inputs_given import with_inputs
from trundle.model.model import Model
from trundle.model.spec import Spec
from trundle.quantity import Quantity
from trundle.quick_symbols import quick_symbols
from trundle.study.analyses import Analyses
from trundle.study.describe import describe
from trundle.study.freeze import formulate, freeze
from trundle.study.run_options import Accuracy, EventAction, MethodGiven, ProgressText, RunOptions, listed
from trundle.study.unchangeable import ARGUMENTS
from trundle.typing import Values

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph
    from trundle.run.batch import BatchRun
    from trundle.run.run import Run
    from trundle.study.stepper import Stepper


def build(model: Model, formalism: str | None = None, relax: Values | None = None, omit: Any = None) -> "System":
    """Check the model, freeze it and derive its equations; machine code is made when it is first needed.

    Parameters
    ----------
    formalism : {"kane", "newton_euler", "udwadia_kalaba"}, optional
        "kane" unless given, or "udwadia_kalaba" where constraints are relaxed.
    relax : mapping, optional
        Weights between 0 and 1 by names of constraint rows ("connection.bond"): numbers or functions of the signals.
    omit : mapping, optional
        Imaginary forces of bodies in moving frames that are left out, to see what they do: {"car": "rotation"},
        {"car": ("rotation", "gyroscopic")}, {"car": {"rotation": "moment_z"}} in the axes of the frame, {"car": "all"}.

    Raises
    ------
    ModelError
        With all faults of the model.
    """
    usual = "udwadia_kalaba" if relax or model.relaxed() else "kane"
    with quick_symbols():
        return System(Derivation(freeze(model, relax, omit)), usual if formalism is None else formalism)


@final
class System(Analyses):
    """A built model: frozen, with its equations and machine code in one formalism, ready to simulate and analyse.

    `start` and `state` are values by name; those of `model.start` hold for names that are not given, and a consistent
    state is found. `parameters` are values of declared parameters by name, `t` is the time (s). Every question raises
    SolveError, AssemblyError (no consistent state) or UnknownNameError, with what to do.
    """

    def __init__(self, derivation: Derivation, formalism: str) -> None:
        self.formulation = formulate(derivation, formalism)

    def __reduce__(self) -> tuple[object, ...]:
        self.formulation.kernels("base")  # made once here, and found in the cache by all who are sent this
        return _restored, (self.spec, self.formalism)

    def __repr__(self) -> str:
        return f"<System of {self.model.name!r}: {self.formalism}, {self.mobility.freedoms} degrees of freedom>"

    def _repr_html_(self) -> str:
        from trundle.view.notebook import system_html

        return system_html(self)

    @property
    def spec(self) -> Spec:
        """The model as it was built, frozen, with its key."""
        return self.formulation.spec

    @property
    def model(self) -> Model:
        """The frozen copy of the model."""
        return self.formulation.model

    @property
    def formalism(self) -> str:
        return self.formulation.formalism

    @property
    def mobility(self) -> Mobility:
        """Degrees of freedom, redundant constraints, independent speeds."""
        return self.formulation.mobility

    @property
    def quantities(self) -> dict[str, Quantity]:
        """Names of all available quantities."""
        return self.formulation.quantities

    def quantity(self, name: str) -> Quantity:
        """Unit, description and size of a quantity.

        Parameters
        ----------
        name : str
            Long or short name, or that of a component.

        Returns
        -------
        Quantity

        Raises
        ------
        UnknownNameError
            With near names, where there is none.
        """
        return self.formulation.quantity(name)

    def __getitem__(self, name: str) -> Any:
        raise TypeError(f"a System has no results: first run = system.simulate(10.0), then run[{name!r}].")

    def describe(self) -> str:
        """Summary of the model, as text."""
        return describe(self.model, self.formulation.topology, self.formulation.layout, self.mobility)

    @cached_property
    def graph(self) -> "BondGraph":
        """The multibond graph of the model: junctions, seals, causality."""
        from trundle.bond_graph.builder import build_graph

        return build_graph(self.formulation)

    def in_formalism(self, formalism: str | None) -> "System":
        """The same Spec in another formalism; what is derived and compiled is shared.

        Parameters
        ----------
        formalism : {"kane", "newton_euler", "udwadia_kalaba"} or None
            None stands for its own.

        Returns
        -------
        System
        """
        return self if formalism in (None, self.formalism) else System(self.formulation.derivation, str(formalism))

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
        given = with_inputs(self.model, parameters, tables, inputs, (t0, duration))
        return simulate(self.in_formalism(formalism).formulation, duration, start, given, RunOptions(*how))

    def stepper(
        self, duration: float, start: Values | None = None, parameters: Values | None = None, **options: Any
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
        rtol, atol : float
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
        given = with_inputs(self.model, parameters, tables, inputs, (0.0, duration), several=True)
        return run_batch(self.formulation, duration, start or {}, given or {}, options, threads)


def _restored(spec: Spec, formalism: str) -> System:
    return System(Derivation(spec), formalism)
