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

SETTLE = 4.0  # s, after which a vehicle is near its steady motion


def steady_start(
    system: System, vehicle: Vehicle, line: Alignment, start: float, wheelsets: Sequence[str], parameters: Values | None
) -> State:
    """Start values of a vehicle at a distance (m) of a line; none where those of the model are right."""
    s = start + np.array([*vehicle.reach, 0.0])
    at = line.local(s)
    straight = np.max(np.abs([at.k, at.sin_b])) == 0
    if straight and all(contact.geometry.alike for contact in vehicle.contacts):
        return {}
    angles = {f"{name}_spin.angle": 0.0 for name in wheelsets}
    try:
        return _steady(system, angles, parameters)
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


def _steady(system: System, angles: Values, parameters: Values | None) -> State:
    """The steady motion near the start of the model, or near where the vehicle is after a while."""
    try:
        return system.steady(angles, parameters=parameters)
    except SolveError as error:
        try:
            later = system.simulate(SETTLE, parameters=parameters, method="stiff", rtol=1e-6, samples=2)
        except SolveError:
            raise error from None
        if not later.ok:
            raise
        names = [n for c in system.formulation.layout.coordinates for n in (c.name, c.rate_name)]
        near = {name: later.values(name)[-1] for name in names if name not in angles}
        return system.steady(angles, near, parameters)
