"""How a vehicle travels along a line: the distance of its track frames over time, with speed and acceleration."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

from trundle.model.model import Model


@final
class Travel(NamedTuple):
    """Motion along the track as functions of the signals, and the speed at the start as an expression of parameters."""

    distance: Callable[[Any], Any]  # m
    speed: Callable[[Any], Any]  # m/s
    acceleration: Callable[[Any], Any]  # m/s^2
    first_speed: Any  # m/s


class TravelLaw(ABC):
    """A law of travel: adds its parameters and states to a model."""

    held = True  # whether vehicles keep their place in the frames; else these follow the vehicle
    speed: float  # at the start, m/s

    @abstractmethod
    def add(self, model: Model, start: float) -> Travel:
        """Put it into a model; the reference point starts at a distance (m)."""


@final
@dataclass(frozen=True)
class UniformTravel(TravelLaw):
    """A speed (m/s) and a constant acceleration (m/s^2); both are parameters of a run."""

    speed: float
    acceleration: float = 0.0

    def add(self, model: Model, start: float) -> Travel:
        v = model.parameter("speed", self.speed, "m/s", "speed along the track at the start")
        model.parameter("acceleration", self.acceleration, "m/s^2", "acceleration along the track")
        return Travel(
            lambda s: start + s["speed"] * s.t + s["acceleration"] * s.t**2 / 2,
            lambda s: s["speed"] + s["acceleration"] * s.t,
            lambda s: s["acceleration"],
            v,
        )
