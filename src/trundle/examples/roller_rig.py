"""A railway wheelset on a roller rig."""

from collections.abc import Mapping
from math import atan

from trundle.file.read import ModelFile, RunSettings
from trundle.rail.rig.roller_rig import RollerRig


def roller_rig(
    ring_radius: float = 1.0, lateral: float = 0.004, parameters: Mapping[str, float] | None = None
) -> ModelFile:
    """A railway wheelset on a roller rig swings from side to side as it rolls without slip.

    Sizes of a wheelset with cones of 1 in 20 on rings with round profiles; `lateral` is where it starts (m). With
    ring_radius=inf it is the example wheelset-on-track.
    """
    return rolling_wheelset(ring_radius, lateral, parameters)


def rolling_wheelset(
    ring_radius: float, lateral: float, parameters: Mapping[str, float] | None, profile: float = 0.3
) -> ModelFile:
    """The wheelset on rings with a profile radius (m), or on straight rails where ring_radius is inf."""
    rig = RollerRig(0.75, 0.46, ring_radius, profile, atan(1 / 20))
    moments = (650.0, 90.0, 650.0)
    model = rig.model(1100.0, moments, None if rig.straight else 800.0, no_slip=True)
    along = "wheelset.forward" if rig.straight else "drum.angle"
    scale = 1.0 if rig.straight else -ring_radius
    length = model.parameter(
        "wavelength",
        (parameters or {}).get("wavelength", rig.wavelength),
        "m",
        "wavelength of small oscillations along the rail, from linear theory",
    )
    model.output("waves", lambda s: scale * s[along] / length, text="distance rolled, in wavelengths")
    pose = rig.pose(lateral)
    model.start = {
        "wheelset.lateral": lateral,
        "wheelset.roll": pose.roll,
        "wheelset.lift": pose.lift,
        "wheelset.pitch_rate": 20.0,
    }
    return ModelFile(model, run=RunSettings(duration=3.0, plot=("wheelset.lateral", "wheelset.yaw", "waves")))
