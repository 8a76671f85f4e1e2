"""A railway wheelset on a straight track."""

from collections.abc import Mapping
from math import inf

from trundle.examples.roller_rig import rolling_wheelset
from trundle.file.read import ModelFile


def wheelset_on_track(
    lateral: float = 0.004, profile: float = 0.3, parameters: Mapping[str, float] | None = None
) -> ModelFile:
    """A railway wheelset on a straight track with cylindrical rails runs in waves, nearly as Klingel found.

    `lateral` is where it starts and `profile` the radius of the rails (m).
    """
    return rolling_wheelset(inf, lateral, parameters, profile)
