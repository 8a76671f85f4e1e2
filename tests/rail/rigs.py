"""Roller rigs that tests share."""

from dataclasses import replace
from functools import cache
from math import atan, inf

import pytest

from trundle.rail import RollerRig

CONE = RollerRig(half_gauge=0.75, wheel_radius=0.46, ring_radius=1.0, ring_profile_radius=0.3, cone_angle=atan(1 / 20))
HOLLOW = replace(CONE, wheel_profile_radius=0.5)
TRACK = replace(CONE, ring_radius=inf)
WORN = replace(CONE, wheel_profile_radius=3.0)
BOTH = pytest.mark.parametrize("rig", [CONE, HOLLOW], ids=["conical", "hollow"])
ROLLING = pytest.mark.parametrize("rig", [CONE, WORN], ids=["conical", "worn"])
MASS, INERTIA, DRUM = 1100.0, (650.0, 90.0, 650.0), 800.0
SPIN = 20.0  # rad/s of the wheelset


@cache
def rolling(rig: RollerRig, no_slip: bool = True):
    return rig.model(MASS, INERTIA, None if rig.straight else DRUM, no_slip=no_slip).build()
