"""A line and a law of travel in a model, from which vehicles get their track frames."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, final

from trundle.errors import ModelError
from trundle.model.body import Body, Frame
from trundle.model.model import Model
from trundle.model.shape import Rails
from trundle.model.table import ModelTable
from trundle.rail.track.alignment import Alignment
from trundle.rail.track.line import TrackFrame, irregularities_along
from trundle.rail.vehicle.travel import START, Start, Travel, TravelLaw
from trundle.typing import Expr

if TYPE_CHECKING:
    from trundle.rail.track.irregularity import Irregularity

Frames = Literal["each", "one"]


@final
@dataclass(frozen=True, eq=False)
class TrackPlace:
    """A place that moves along the track, at a fixed distance from the reference point of a ride."""

    ride: "Ride"
    name: str
    offset: float  # m, from the reference point
    course: TrackFrame  # its motion

    @cached_property
    def track(self) -> Body:
        """The frame that moves along the track at this place; contacts find their rails relative to it."""
        return self.ride.model.moving_frame(f"{self.name}_track", motion=self.course, shape=Rails())

    @cached_property
    def frame(self) -> Body | Frame:
        """The frame in which bodies are described here: that of the track, or one fixed in the common frame of the
        ride, which lies there at the start.
        """
        common = self.ride.common
        if common is None:
            return self.track
        line, s = self.ride.line, self.ride.start
        here, there = line.motion(s), line.motion(s + self.offset)
        turn = here.rotation.T @ there.rotation
        return common.frame(tuple(here.rotation.T @ (there.position - here.position)), turn)


@final
@dataclass(frozen=True, eq=False)
class Ride:
    """A line and a law of travel in a model: gives track frames at a distance from the vehicle's reference point."""

    model: Model
    line: Alignment
    law: TravelLaw
    start: float  # m, distance of the reference point along the line at t = 0
    travel: Travel
    irregularity: "Irregularity | None" = None
    rough: ModelTable | None = None
    common: Body | None = None  # the one frame in which all bodies are described
    origin: float = 0.0  # m, where offsets count from
    places: list[TrackPlace] = field(default_factory=list)  # all places made so far

    @staticmethod
    def on(
        model: Model,
        line: Alignment,
        law: TravelLaw,
        start: float,
        irregularity: "Irregularity | None" = None,
        frames: Frames = "each",
    ) -> "Ride":
        """Put line and travel into a model.

        Parameters
        ----------
        model : Model
            Gets the parameter `start_distance` and, where vehicles keep their place in the frames, the output
            `distance` of the reference point.
        line : Alignment
        law : TravelLaw
        start : float
            Distance of the reference point at t = 0 (m).
        irregularity : Irregularity, optional
        frames : {"each", "one"}
            Whether bodies are described each in a track frame at its own place, or all in that of the reference point.
            The motion is the same.

        Returns
        -------
        Ride
        """
        first = model.parameter(START, start, "m", "distance of the reference point along the track at the start")
        travel = law.add(model, Start(start, first))
        if law.held:
            model.output("distance", travel.distance, "m", "distance of the reference point along the track")
        if frames not in ("each", "one"):
            raise ModelError(f"frames={frames!r}: bodies are described in 'each' their own frame, or all in 'one'.")
        rough = None
        if irregularity is not None:
            rough = model.table("irregularity", irregularities_along(irregularity, line.length))
        ride = Ride(model, line, law, start, travel, irregularity, rough)
        return ride if frames == "each" else replace(ride, common=ride.place("common", 0.0).track)

    @property
    def speed(self) -> float:
        """At t = 0, m/s."""
        return self.law.speed_at_start()

    @property
    def first_speed(self) -> Expr:
        """The same as an expression of parameters, for start values that follow the parameters of a run."""
        return self.travel.first_speed

    @property
    def held(self) -> bool:
        """Whether a vehicle keeps its place in its frame, as if pulled or braked there."""
        return self.law.held

    def moved(self, offset: float) -> "Ride":
        """The same ride, with offsets counted from a place ahead (m) of its reference point: for vehicles of a train.

        Parameters
        ----------
        offset : float
            Ahead of the reference point (m).

        Returns
        -------
        Ride
        """
        return replace(self, origin=self.origin + offset)

    def place(self, name: str, offset: float) -> TrackPlace:
        """A place at an offset (m) ahead of the reference point; its frame is called `name_track`.

        Parameters
        ----------
        name : str
            With which the name of the frame begins.
        offset : float
            Ahead of the reference point (m).

        Returns
        -------
        TrackPlace
        """
        at, travel = self.origin + offset, self.travel
        course = TrackFrame(
            self.model, self.line, lambda s: travel.distance(s) + at, travel.speed, travel.acceleration, name=name
        )
        found = TrackPlace(self, name, at, course)
        self.places.append(found)
        return found
