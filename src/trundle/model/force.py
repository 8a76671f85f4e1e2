"""Forces that act between frames or on named coordinates. Each owns its wrenches and its energy."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple, Self, final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.law import EffortLaw
from trundle.laws.signals import Signals as Signals
from trundle.model.body import Body, Frame, as_frame
from trundle.model.state import State
from trundle.typing import Expr

EFFORT = "N or N m"  # of a measure that is an effort along the coordinate of its force; which one follows from that
Coordinate = Annotated[str, "name of a coordinate"]
COMPONENTS = "components"  # in the metadata of a field: how many numbers it has


@final
class Measure(NamedTuple):
    """A quantity of a force."""

    name: str
    size: int
    unit: str
    text: str


@dataclass
class Terms:
    """What a force contributes: wrenches (frame, force, moment; ground axes), efforts on coordinates, energy and power.

    `stored` is for stiff parts whose energy is costly to differentiate, such as a contact: its rate counts as
    dissipated in the balance of a run, and `run.power` separates the two.
    """

    wrenches: list[tuple[Frame, Expr, Expr]] = field(default_factory=list)
    efforts: list[tuple[str, Expr]] = field(default_factory=list)
    potential: Expr = 0.0  # J
    dissipated: Expr = 0.0  # W
    supplied: Expr = 0.0  # W
    stored: Expr = 0.0  # J, beside the potential: `dissipated` includes its rate
    measures: Mapping[str, tuple[Expr, str, str]] = field(default_factory=dict)  # name -> (expression, unit, sentence)

    def expressions(self) -> list[Expr]:
        """All that it contributes, as dense columns: forces and moments, efforts, energies and powers, measures."""
        values = [part for _, force, moment in self.wrenches for part in (force, moment)]
        values += [effort for _, effort in self.efforts]
        values += [self.potential, self.dissipated, self.supplied, self.stored]
        values += [value for value, _, _ in self.measures.values()]
        return [ca.densify(ca.SX(value)) for value in values]

    def listed(self) -> tuple[Measure, ...]:
        """The measures without their expressions."""
        return tuple(Measure(n, ca.SX(value).numel(), unit, text) for n, (value, unit, text) in self.measures.items())


@dataclass(frozen=True, eq=False)
class Force:
    """Anything that acts on the model. Subclasses are final."""

    @property
    def title(self) -> str:
        """What the force is called in words."""
        return type(self).__name__

    def terms(self, s: Signals) -> Terms:
        """What the force contributes to the equations of motion and to the energy.

        Parameters
        ----------
        s : Signals
            Signals of the model: positions, velocities, coordinates, parameters, states and time.

        Returns
        -------
        Terms
        """
        raise TypeError(f"{type(self).__name__} is abstract")

    def named(self, name: str) -> "Force":
        """The same force under the name that it has in a model; one with states of its own must know it.

        Parameters
        ----------
        name : str
            Of the force in the model.

        Returns
        -------
        Force
        """
        return self

    def states(self) -> Iterator[State]:
        """Numbers that the force keeps, with their rates."""
        return iter(())

    def on(self, full: Callable[[str], str]) -> "Force":
        """The same force with the long names of its coordinates.

        Parameters
        ----------
        full : callable
            Gives the long name of a coordinate.

        Returns
        -------
        Force
        """
        return self

    @property
    def element(self) -> str:
        """Element of the bond graph: C for what stores energy, R for what loses it, Se for a given force."""
        return "Se"

    @property
    def elements(self) -> tuple[str, ...]:
        """All elements that it is made of; they have its flow in common."""
        return (self.element,)

    @property
    def places(self) -> tuple[Frame, ...]:
        """Frames the force acts on."""
        return ()

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of coordinates the force acts on."""
        return ()

    @property
    def acts_on(self) -> str:
        """Unit of the coordinates it is for, "m" or "rad"; empty where either will do."""
        return ""

    @property
    def effort_law(self) -> EffortLaw | None:
        """The law that it is on its coordinate, or on the distance of its two points; None for all others."""
        return None


@dataclass(frozen=True, eq=False)
class Between(Force):
    """A force between two places. Subclasses are final."""

    first: Body | Frame
    second: Body | Frame

    @property
    def places(self) -> tuple[Frame, Frame]:
        return as_frame(self.first), as_frame(self.second)


@dataclass(frozen=True, eq=False)
class BetweenWithStates(Between):
    """One with states of its own, which are called "name.kind". Subclasses are final and list them in `states`."""

    name: str = field(default="", kw_only=True)  # given by Model.apply

    def named(self, name: str) -> Self:
        return replace(self, name=name)

    def state(self, s: Signals, kind: str) -> Expr:
        """Value of a state.

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.
        kind : str
            Name of the state within the force.

        Returns
        -------
        expression
        """
        return s[f"{self.name}.{kind}"]


@dataclass(frozen=True, eq=False)
class OnCoordinate(Force):
    """Base: what acts on one coordinate."""

    coordinate: Coordinate

    def check_coordinate(self) -> None:
        """ModelError if the coordinate is not given by its name."""
        if not isinstance(self.coordinate, str):
            raise ModelError(
                f"{type(self).__name__}: the coordinate comes first, by its name, such as 'bob.angle', got "
                f"{self.coordinate!r}."
            )

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (self.coordinate,)

    def on(self, full: Callable[[str], str]) -> Force:
        return replace(self, coordinate=full(self.coordinate))
