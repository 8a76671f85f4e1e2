"""Text of the progress bar of a trip: place and speed."""

from dataclasses import dataclass
from typing import final

from trundle.rail.vehicle.travel import SpeedOverTime, TravelLaw
from trundle.typing import Values


@final
@dataclass(frozen=True, eq=False)
class Place:
    """A function (t, state) for the `ProgressBar` of a run: "412 m, 29.7 m/s"."""

    law: TravelLaw
    start: float  # m
    parameters: Values

    def __call__(self, t: float, state: Values) -> str:
        """Text for a time (s) and a state."""
        at, v = state.get("track_distance"), state.get("track_speed")
        if isinstance(self.law, SpeedOverTime):
            v = self.law.at(t)
        if at is None or v is None:
            first = float(self.parameters.get("speed", self.law.speed_at_start()))
            gain = float(self.parameters.get("acceleration", getattr(self.law, "acceleration", 0.0)))
            at, v = self.start + first * t + gain * t**2 / 2, first + gain * t
        return f"{at:.0f} m, {v:.1f} m/s"
