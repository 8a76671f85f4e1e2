"""Interface of wheelsets."""

from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

from trundle.model.model import Model
from trundle.pairs.lower import Fixed
from trundle.rail.vehicle.ride import TrackPlace
from trundle.rail.vehicle.wheelset import Contact, PlacedWheelset
from trundle.typing import Expr, State


@runtime_checkable
class RunningGear(Protocol):
    """A wheelset, or a part in place of one."""

    @property
    def radius(self) -> float:
        """Of the running circles, m."""

    @property
    def mass(self) -> float:
        """kg."""

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Its contacts with the rails."""

    def add(self, m: Model, name: str, place: TrackPlace, load: float | None = None) -> PlacedWheelset:
        """Put it into a model at a place of a ride, under a load (N) in addition to its own weight, if it is known."""

    def start(self, name: str, speed: Expr, load: float) -> State:
        """Start values, at a speed (m/s) and under a load (N) in addition to its own weight."""

    def static_sag(self, load: float) -> float:
        """Lowering of the axle (m) at rest under a load (N), from the height of the radius."""


@final
@dataclass(frozen=True)
class FixedWheelset:
    """A wheelset fixed in its place, for the modes of bogies and car alone: no contact, no motion.

    Parameters
    ----------
    radius : float
        Of the wheels (m).
    mass : float
        In kg.
    """

    radius: float
    mass: float

    @property
    def contacts(self) -> tuple[Contact, ...]:
        return ()

    def add(self, m: Model, name: str, place: TrackPlace, load: float | None = None) -> PlacedWheelset:
        """Its hub, fixed to the frame of the place.

        Parameters
        ----------
        m : Model
            To which it is added.
        name : str
            Of the wheelset.
        place : TrackPlace
            Where it stands on the track.
        load : float, optional
            In addition to its own weight (N).

        Returns
        -------
        PlacedWheelset
        """
        hub = m.body(f"{name}_hub", mass=self.mass, inertia=self.mass * self.radius**2)
        frame = place.track.at(0.0, 0.0, self.radius)
        m.connect(Fixed(), frame, hub, name=name)
        return PlacedWheelset(hub, hub, place.track)

    def start(self, name: str, speed: Expr, load: float) -> State:
        """Start values: none, as it is fixed.

        Parameters
        ----------
        name : str
            Of the wheelset.
        speed : float or expression
            In m/s.
        load : float
            In addition to its own weight (N).

        Returns
        -------
        dict
            Empty.
        """
        return {}

    def static_sag(self, load: float) -> float:
        """Lowering of the axle at rest: zero, as it is fixed.

        Parameters
        ----------
        load : float
            In addition to its own weight (N).

        Returns
        -------
        float
        """
        return 0.0
