"""The steady motion in which a trip begins."""

from collections.abc import Sequence

import numpy as np

from trundle.errors import SolveError
from trundle.messages.warn import warn
from trundle.rail.track.alignment import Alignment
from trundle.rail.trip.fit import TripWarning
from trundle.rail.vehicle.vehicle import Vehicle
from trundle.system import System
from trundle.typing import State, Values


def steady_start(
    system: System, vehicle: Vehicle, line: Alignment, start: float, wheelsets: Sequence[str], parameters: Values | None
) -> State:
    """Start values of a vehicle at a distance (m) of a line; none where those of the model are right."""
    s = start + np.array([*vehicle.reach, 0.0])
    at = line.local(s)
    straight = np.max(np.abs([at.k, at.sin_b])) == 0
    if straight and all(contact.geometry.alike for contact in vehicle.contacts):
        return {}
    try:
        return system.steady({f"{name}_spin.angle": 0.0 for name in wheelsets}, parameters=parameters)
    except SolveError as error:
        if straight:
            warn(
                "Trip: the sides of the wheelsets differ, and no steady motion with them was found on the straight "
                "track at the start: the run begins with the wheelsets in its middle.",
                TripWarning,
            )
            return {}
        if np.ptp(at.k) == 0 and np.ptp(at.sin_b) == 0:
            raise
        raise SolveError(
            f"the vehicle starts between {s[0]:.4g} and {s[1]:.4g} m of {line.name}, where curvature or cant "
            "change along it, and no steady motion to start from was found there: begin the line with a straight "
            "or an arc that is longer than the vehicle, or give a start distance on one."
        ) from error
