"""A built model and the questions an engineer asks of it: each is one call of a function in `study`."""

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
from trundle.study.describe import describe
from trundle.study.freeze import formulate, freeze
from trundle.study.run_options import Accuracy, EventAction, MethodGiven, ProgressText, RunOptions, listed
from trundle.study.start_state import start_state
from trundle.study.unchangeable import ARGUMENTS, Unchangeable
from trundle.typing import Array, State, Values

if TYPE_CHECKING:
    import xarray as xr

    from trundle.bond_graph.bonds import BondGraph
    from trundle.quantities.initial_state import InitialState
    from trundle.run.batch import BatchRun
    from trundle.run.run import Run
    from trundle.run.trace import Trace
    from trundle.study.linearise import Linearisation
    from trundle.study.stepper import Stepper


def build(model: Model, formalism: str | None = None, relax: Values | None = None, omit: Any = None) -> "System":
    """Check the model, freeze it, derive and compile its equations.

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
class System(Unchangeable):
    """A built model: frozen, with its equations and machine code in one formalism, ready to simulate and analyse.

    `start` and `state` are values by name; those of `model.start` hold for names that are not given, and a consistent
    state is found. `parameters` are values of declared parameters by name, `t` is the time (s). Every question raises
    SolveError, AssemblyError (no consistent state) or UnknownNameError, with what to do.
    """

    def __init__(self, derivation: Derivation, formalism: str) -> None:
        self.formulation = formulate(derivation, formalism)

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.spec, self.formalism)  # the kernels come from the cache

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

    def graph_state(self, state: Values | None = None, parameters: Values | None = None, t: float = 0.0) -> State:
        """The state of the bond graph at a state given by coordinates and independent speeds.

        Parameters
        ----------
        state, parameters : mapping, optional
            Values by name; those of the model hold for names that are not given, and the rest is found.
        t : float
            Time (s).

        Returns
        -------
        dict
            Poses and twists of the bodies, coordinates of contacts, what laws keep and what contacts do: for
            `graph.accelerations`.
        """
        from trundle.study.at_state import state_of_graph

        return state_of_graph(self.formulation, state, parameters, t)

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

    def start(self, start: Values | None = None, parameters: Values | None = None, t: float = 0.0) -> "InitialState":
        """A consistent state in joint coordinates from some given values; the others are solved for.

        Parameters
        ----------
        start, parameters : mapping, optional
            Values by name; those of the model hold for names that are not given, and the rest is found.
        t : float
            Time (s).

        Returns
        -------
        InitialState
            Coordinates, speeds, and which values were changed or found.

        Raises
        ------
        AssemblyError
            If there is none; names the constraints that cannot be satisfied.
        """
        return start_state(self.formulation, start, parameters, t)

    @advised(**ARGUMENTS)
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

    def accelerations(self, state: Values | None = None, parameters: Values | None = None, t: float = 0.0) -> State:
        """All accelerations and reactions at a state given by coordinates and independent speeds.

        Parameters
        ----------
        state, parameters : mapping, optional
            Values by name; those of the model hold for names that are not given, and the rest is found.
        t : float
            Time (s).

        Returns
        -------
        dict
            Numbers and vectors by name.
        """
        from trundle.study.at_state import accelerations

        return accelerations(self.formulation, state, parameters, t)

    def reactions(
        self, state: Values | None = None, parameters: Values | None = None, t: float = 0.0, on: str = "second",
        axes: str = "ground",
    ) -> dict[str, Array]:  # fmt: skip
        """Force (N) and moment (N m) of every connection.

        Parameters
        ----------
        state, parameters : mapping, optional
            Values by name; those of the model hold for names that are not given, and the rest is found.
        t : float
            Time (s).
        on : {"first", "second"}
            The body of the connection on which they act.
        axes : str
            Name of the body whose axes they are given in.

        Returns
        -------
        dict
            Vectors by name, such as "pin.reaction_force".
        """
        from trundle.study.at_state import reactions

        return reactions(self.formulation, state, parameters, t, on, axes)

    def equilibrium(
        self, start: Values | None = None, parameters: Values | None = None, t: float = 0.0, stable: bool = True
    ) -> State:
        """A static equilibrium near the given pose, in which the system can stay at rest.

        Parameters
        ----------
        start, parameters : mapping, optional
            Values by name; those of the model hold for names that are not given, and the rest is found.
        t : float
            Time (s).
        stable : bool
            Whether no small motion about it may grow; False takes the nearest one that Newton's method finds.

        Returns
        -------
        dict
            Coordinates by name.

        Raises
        ------
        SolveError
            Where none is found.
        """
        from trundle.study.rest import equilibrium

        return equilibrium(self.formulation, start, parameters, t, stable)

    def steady(
        self, given: Values, start: Values | None = None, parameters: Values | None = None, t: float = 0.0
    ) -> State:
        """A steady motion with given values, such as a bicycle in a turn or a governor at speed: in axes that move
        with it all accelerations are zero, and so are the rates of states on which something depends.

        Parameters
        ----------
        given : mapping
            Values by name that the motion has: speeds, coordinates, states; {} where it finds its own.
        start, parameters : mapping, optional
            Values by name near which the motion is looked for; those of the model hold for names that are not given.
        t : float
            Time (s).

        Returns
        -------
        dict
            Coordinates, rates and states by name, for `simulate` and `linearise`.

        Raises
        ------
        SolveError
            Where none is found, with what would still change.
        """
        from trundle.study.steady_motion import steady

        return steady(self.formulation, given, start, parameters, t)

    def trace(
        self, coordinate: str, to: float | Sequence[float], start: Values | None = None,
        parameters: Values | None = None, *, hold: Values | Sequence[str] = (), step: float | None = None,
        through_folds: bool = False, double_contacts: bool = True, limit: int = 20_000,
    ) -> "Trace":  # fmt: skip
        """Poses along a driven coordinate: kinematics without dynamics.

        Parameters
        ----------
        coordinate : str
            What is driven.
        to : float or sequence of float
            Where to, one value after the other (m or rad).
        start, parameters : mapping, optional
            Values by name at the first pose; the rest is found.
        hold : mapping or sequence of str
            Coordinates that stay as they are at the start, or at the values given.
        step : float, optional
            Longest step along the way; chosen by the curvature unless given.
        through_folds : bool
            Go on where the coordinate turns round; else the trace ends there.
        double_contacts : bool
            Look for second points of contact.
        limit : int
            Most points.

        Returns
        -------
        Trace
            Quantities over the way, and findings: singular poses, loss of contact, double contacts.
        """
        from trundle.study.trace.trace import trace

        return trace(
            self.formulation, coordinate, to, start, parameters, hold=hold, step=step, through_folds=through_folds,
            double_contacts=double_contacts, limit=limit,
        )  # fmt: skip

    def imaginary_forces(self, run: "Run", on: str = "speeds") -> "xr.DataArray":
        """Generalised imaginary forces along a run.

        Parameters
        ----------
        run : Run
            Of this system.
        on : {"speeds", "independent"}
            All speeds, or the independent ones with constraints eliminated.

        Returns
        -------
        xarray.DataArray
            By body, kind, speed and time.
        """
        return self.relative_dynamics(run, on)["imaginary"]

    def relative_dynamics(self, run: "Run", on: str = "speeds") -> "xr.Dataset":
        """Generalised forces of inertia, external and imaginary ones along a run, which add to zero.

        Parameters
        ----------
        run : Run
            Of this system.
        on : {"speeds", "independent"}
            All speeds, or the independent ones with constraints eliminated.

        Returns
        -------
        xarray.Dataset
        """
        from trundle.study.relative import relative_dynamics

        return relative_dynamics(self.formulation, run, on)

    def inertial_residual(self, run: "Run") -> "xr.DataArray":
        """Residual of Newton's and Euler's equations in the ground.

        Parameters
        ----------
        run : Run
            Of this system.

        Returns
        -------
        xarray.DataArray
            By speed and time, over what cancels.
        """
        from trundle.study.relative import inertial_residual

        return inertial_residual(self.formulation, run)

    def linearise(
        self, state: Values | None = None, parameters: Values | None = None, t: float = 0.0
    ) -> "Linearisation":
        """State matrix on the constraint manifold about a state, with eigenvalues and modes.

        Parameters
        ----------
        state, parameters : mapping, optional
            Values by name; those of the model hold for names that are not given, and the rest is found.
        t : float
            Time (s).

        Returns
        -------
        Linearisation
            About an equilibrium or a steady motion; `steady` says whether the state is one, and an UnsteadyWarning
            that it is not. Where the matrix changes with time (a frame that does not move steadily) it is `frozen` at
            t, and a FrozenTimeWarning says so.

        Raises
        ------
        SolveError
            Where contacts slide or are open.
        """
        from trundle.study.linearise import linearise_asked

        return linearise_asked(self.formulation, state, parameters, t)


def _restored(spec: Spec, formalism: str) -> System:
    return System(Derivation(spec), formalism)
