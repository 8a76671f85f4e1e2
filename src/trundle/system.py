"""A built model, frozen. `Runs` integrate it and `Analyses` do everything else, by functions in `study`."""

from functools import cached_property
from typing import TYPE_CHECKING, final

from trundle.equations.derivation import Derivation
from trundle.equations.mobility import Mobility
from trundle.garbage_collection import paused_garbage_collection
from trundle.messages.arguments import advised_class, explain_calls
from trundle.messages.preparing import preparing
from trundle.model.model import Model
from trundle.model.spec import Spec
from trundle.quantity import Quantity
from trundle.study.analyses import Analyses
from trundle.study.describe import describe
from trundle.study.freeze import formulate, freeze
from trundle.study.runs import Runs
from trundle.symbols.quick_symbols import quick_symbols
from trundle.typing import Given, Value, Values

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph


def build(model: Model, formalism: str | None = None, relax: Values | None = None, omit: Given = None) -> "System":
    """Check the model, freeze it and derive its equations; machine code is made when it is first needed.

    Parameters
    ----------
    formalism : {"kane", "newton_euler", "udwadia_kalaba"}, optional
        "kane" unless given, or "udwadia_kalaba" where constraints are relaxed.
    relax : mapping, optional
        Weights between 0 and 1 by names of constraint rows ("connection.bond"): numbers or functions of the signals.
    omit : mapping, optional
        Inertial (fictitious) forces of bodies in moving frames that are left out, to see their effect:
        {"car": "rotation"}, {"car": ("rotation", "gyroscopic")}, {"car": {"rotation": "moment_z"}} in the axes of the
        frame, {"car": "all"}.

    Raises
    ------
    ModelError
        With all faults of the model.
    """
    usual = "udwadia_kalaba" if relax or model.relaxed() else "kane"
    with preparing(f"the model {model.name!r}"), quick_symbols(), paused_garbage_collection():
        return System(Derivation(freeze(model, relax, omit)), usual if formalism is None else formalism)


@explain_calls
@final
@advised_class("a system is built from a model, system = m.build()")
class System(Runs, Analyses):
    """A built model: frozen, with its equations and machine code in one formalism, ready to simulate and analyse.

    In its methods, `start` and `state` are values by name; names that are not given take the values of `model.start`,
    and a consistent state near them is computed. `parameters` are values of declared parameters by name, `t` is the
    time (s). Every method may raise SolveError, AssemblyError (no consistent state) or UnknownNameError.
    """

    def __init__(self, derivation: Derivation, formalism: str) -> None:
        self.formulation = formulate(derivation, formalism)

    def __reduce__(self) -> tuple[object, ...]:
        self.formulation.kernels("base")  # made once here; processes that receive the pickle find them in the cache
        return _restored, (self.spec, self.formalism)

    def __repr__(self) -> str:
        freedoms = self.mobility.freedoms
        words = f"{freedoms} degree{'' if freedoms == 1 else 's'} of freedom"
        return f"<System of {self.model.name!r}: {self.formalism}, {words}>"

    @preparing("the description of the system")
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
            If there is no such quantity; the message has similar names.
        """
        return self.formulation.quantity(name)

    def __getitem__(self, name: str) -> Value:
        raise TypeError(f"a System has no results: first run = system.simulate(10.0), then run[{name!r}].")

    def describe(self) -> str:
        """Summary of the model, as text."""
        return describe(self.model, self.formulation.topology, self.formulation.layout, self.mobility)

    @cached_property
    def graph(self) -> "BondGraph":
        """The multibond graph of the model: junctions, seals, causality."""
        from trundle.bond_graph.builder import build_graph

        return build_graph(self.formulation)

    def compile(self) -> "System":
        """Generate machine code now.

        A run begins in threaded code and changes to machine code, with bit-identical results, once that pays (after
        some ten thousand evaluations). Call this before runs that must be fast from the beginning, as in a control
        loop or a benchmark: it compiles what every run needs, and everything else that was used of this system so far.

        Returns
        -------
        System
            Itself.
        """
        self.formulation.kernels("base")
        self.formulation.kernels.compile()
        return self

    def in_formalism(self, formalism: str | None) -> "System":
        """The same Spec in another formalism; derived equations and compiled code are shared.

        Parameters
        ----------
        formalism : {"kane", "newton_euler", "udwadia_kalaba"} or None
            None stands for its own.

        Returns
        -------
        System
        """
        return self if formalism in (None, self.formalism) else System(self.formulation.derivation, str(formalism))


def _restored(spec: Spec, formalism: str) -> System:
    return System(Derivation(spec), formalism)
