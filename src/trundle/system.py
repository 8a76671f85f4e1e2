"""A built model and the questions an engineer asks of it: each is one call of a function in `study`."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.constraints.relaxation import weight_faults
from trundle.equations.derivation import Derivation
from trundle.equations.formulation import FORMALISMS, Formulation
from trundle.equations.mobility import Mobility
from trundle.equations.outputs.quantities import Quantity
from trundle.errors import InertiaWarning, ModelError
from trundle.model.check import check, measured_inertias
from trundle.model.fingerprint import function_faults
from trundle.model.floating import floating
from trundle.model.model import Model
from trundle.model.spec import Spec
from trundle.study.describe import describe
from trundle.study.start_state import check_start_names, start_state
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph
    from trundle.run.batch import BatchRun
    from trundle.run.dataset import Run
    from trundle.run.trace import Trace
    from trundle.study.linearise import Linearisation
    from trundle.study.start import InitialState

Values = Mapping[str, Any] | None
Parameters = Mapping[str, float] | None


def build(model: Model, formalism: str | None = None, relax: Mapping[str, Any] | None = None) -> "System":
    """Check the model, freeze it and make it ready; raises ModelError with all faults.

    formalism: "kane" unless given, or "udwadia_kalaba" where constraints are relaxed.
    relax: weights between 0 and 1 by the names of constraint rows ("connection.bond"), numbers or functions of the
    signals, for "udwadia_kalaba".
    """
    if formalism is None:
        formalism = "udwadia_kalaba" if relax or model.relaxed() else "kane"
    faults = check(model)
    if faults:
        told = {fault.partition(":")[0] for fault in faults}
        raise ModelError([*faults, *(f for f in function_faults(model) if f.partition(":")[0] not in told)])
    for words in measured_inertias(model):
        warnings.warn(words, InertiaWarning, stacklevel=3)
    model = floating(model)
    faults = weight_faults(model, {**model.relaxations, **(relax or {})})
    if faults:
        raise ModelError(faults)
    try:
        spec = Spec(model, relax)
    except ModelError as error:
        raise ModelError(function_faults(model) or error.faults) from None
    return System(Derivation(spec), formalism)


@final
class System:
    """Ready to run: a Spec, its equations and kernels in one formalism, and what can be asked of them."""

    def __init__(self, derivation: Derivation, formalism: str) -> None:
        if formalism not in FORMALISMS:
            raise ModelError(f"formalism {formalism!r} is not known; choose {' or '.join(map(repr, FORMALISMS))}.")
        self.formulation: Formulation = derivation.formulation(formalism)
        relaxed = self.formulation.relaxed
        if relaxed and formalism != "udwadia_kalaba":
            raise ModelError(
                f"the weights of {', '.join(map(repr, relaxed))} relax constraints: that needs the pseudo-inverse, "
                f"formalism='udwadia_kalaba', not {formalism!r}."
            )
        check_start_names(self.formulation)
        self.formulation.kernels("base")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.spec, self.formalism)  # the kernels come from the cache

    def __copy__(self) -> "System":
        return self  # nothing of it can be changed

    def __deepcopy__(self, memo: Any) -> "System":
        return self

    # -- what it is ----------------------------------------------------------------------------------------------------

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
        """Degrees of freedom, redundant rows, independent speeds."""
        return self.formulation.mobility

    @property
    def quantities(self) -> dict[str, Quantity]:
        """Everything that can be asked by name."""
        return self.formulation.quantities

    def quantity(self, name: str) -> Quantity:
        """Unit, sentence and size of a quantity."""
        return self.formulation.quantity(name)

    def describe(self) -> str:
        """Summary of the model in words."""
        f = self.formulation
        return describe(f.model, f.topology, f.layout, f.mobility)

    @cached_property
    def graph(self) -> "BondGraph":
        """The multibond graph of the model: junctions, seals, causality."""
        from trundle.bond_graph.bonds import build_graph

        return build_graph(self.formulation)

    def in_formalism(self, formalism: str) -> "System":
        """The same Spec in another formalism; what is derived and compiled is shared."""
        return self if formalism == self.formalism else System(self.formulation.derivation, formalism)

    # -- what can be asked of it ---------------------------------------------------------------------------------------

    def start(self, start: Values = None, parameters: Parameters = None, t: float = 0.0) -> "InitialState":
        """A consistent state in joint coordinates from named values; what is not given is found."""
        return start_state(self.formulation, start, parameters, t)

    def simulate(
        self, duration: float, start: Values = None, parameters: Parameters = None, *,
        formalism: str | None = None, method: Any = "auto", rtol: float = 1e-10,
        atol: float | Mapping[str, float] | None = None, samples: int | Sequence[float] | str | None = None,
        fixed_step: float | None = None, max_step: float = np.inf, progress: bool | None = None,
        on_event: Callable[[str, float, dict[str, Any]], Mapping[str, float] | None] | None = None,
        t0: float = 0.0, max_steps: int = 10_000_000, max_events: int = 1_000_000,
    ) -> "Run":  # fmt: skip
        """Integrate from a consistent start over `duration` seconds.

        samples: number of equally spaced times (default 501), times, or "steps" for every step of the integrator.
        method: "auto" (order 8 below a tolerance of 1e-7, else 5), "stiff", or a method object.
        atol: absolute tolerance, one number or by units and names of states, {"m": 1e-12, "bob.angle": 1e-9}. Unless
        given it is 1e-10 (rtol, if that is less) of the largest displacement, angle or rate that the run has met, at
        most of a typical length of the model or of 1 rad; `settings["atol"]` of the run tells what it came to.
        formalism: another one than that of the build.
        """
        from trundle.study.simulate import simulate

        system = self if formalism is None else self.in_formalism(formalism)
        return simulate(
            system.formulation, duration, start, parameters, method=method, rtol=rtol, atol=atol, samples=samples,
            fixed_step=fixed_step, max_step=max_step, progress=progress, on_event=on_event, t0=t0,
            max_steps=max_steps, max_events=max_events,
        )  # fmt: skip

    def batch(
        self, duration: float, start: Values = None, parameters: Mapping[str, Any] | None = None, *,
        rtol: float = 1e-8, atol: float | Mapping[str, float] | None = None,
        samples: int | Sequence[float] | None = None, threads: int | None = None, method: Any = "auto",
    ) -> "BatchRun":  # fmt: skip
        """Many runs: start values and parameters may be arrays of one common length.

        They go through SIMD lanes on all threads. Models with events, or with contacts that stick, slide or open, run
        one by one in the loop of `simulate`, on all threads too; `settings["way"]` of the result tells which.
        A case that `simulate` would refuse is told by its index, in `messages` and by a warning; the others run.
        """
        from trundle.study.batch import run_batch

        return run_batch(
            self.formulation, duration, start or {}, parameters or {}, rtol=rtol, atol=atol, samples=samples,
            threads=threads, method=method,
        )  # fmt: skip

    def accelerations(self, state: Values = None, parameters: Parameters = None, t: float = 0.0) -> dict[str, Any]:
        """All accelerations and reactions at a state given by coordinates and independent speeds, by name."""
        from trundle.study.at_state import accelerations

        return accelerations(self.formulation, state, parameters, t)

    def reactions(
        self, state: Values = None, parameters: Parameters = None, t: float = 0.0, on: str = "second",
        axes: str = "ground",
    ) -> dict[str, Array]:  # fmt: skip
        """Reaction force and moment of every connection at a state: on the first or second body, in axes of the
        ground or of any body.
        """
        from trundle.study.at_state import reactions

        return reactions(self.formulation, state, parameters, t, on, axes)

    def equilibrium(
        self, start: Values = None, parameters: Parameters = None, t: float = 0.0, stable: bool = True
    ) -> dict[str, Any]:
        """Coordinates of a static equilibrium near the given pose, by name: one in which the system can stay at rest.

        It is checked with what the contacts do there, and that no small motion about it grows; stable=False takes the
        nearest one that Newton's method finds, be it stable or not.
        """
        from trundle.study.rest import equilibrium

        return equilibrium(self.formulation, start, parameters, t, stable)

    def trace(
        self, coordinate: str, to: float | Sequence[float], start: Values = None, parameters: Parameters = None, *,
        hold: Mapping[str, Any] | Sequence[str] = (), step: float | None = None, through_folds: bool = False,
        double_contacts: bool = True, limit: int = 20_000,
    ) -> "Trace":  # fmt: skip
        """Poses of the mechanism while a coordinate is driven from its start over the values `to`, without time.

        hold: other independent coordinates, with values or as names (at their start values). step: largest step along
        the curve (rad, or typical lengths; default 0.1). through_folds=True goes on where the coordinate turns back.
        """
        from trundle.study.trace.trace import trace

        return trace(
            self.formulation, coordinate, to, start, parameters, hold=hold, step=step, through_folds=through_folds,
            double_contacts=double_contacts, limit=limit,
        )  # fmt: skip

    def linearise(self, state: Values = None, parameters: Parameters = None, t: float = 0.0) -> "Linearisation":
        """State matrix on the constraint manifold about a state, with eigenvalues and modes."""
        from trundle.study.linearise import linearise_at

        return linearise_at(self.formulation, state, parameters, t)


def _restored(spec: Spec, formalism: str) -> System:
    return System(Derivation(spec), formalism)
