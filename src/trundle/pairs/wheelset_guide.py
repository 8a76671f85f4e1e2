"""Guides of a wheelset in a roller rig or above a track: joints 1 to 5 of [Meijaard 2024, Fig. 13] as one pair."""

from dataclasses import dataclass
from typing import ClassVar, final

from trundle.pairs.lower import Pair
from trundle.space.chain import SLIDE, Chain, Screw


@final
@dataclass(frozen=True)
class WheelsetGuide(Pair):
    """Prevents motion of the centre of a wheelset along x; everything else is free: lift along z, lateral along y, then
    roll about x, yaw about z and pitch about the axle, each about its axis as rotated by those before.
    """

    bonds: ClassVar[tuple[str, ...]] = ("z", "y", "rx", "rz", "ry")

    def chain(self) -> Chain:
        return Chain(
            Screw("z", SLIDE, name="lift"),
            Screw("y", SLIDE, name="lateral"),
            Screw("x", name="roll"),
            Screw("z", name="yaw"),
            Screw("y", name="pitch"),
        )


@final
@dataclass(frozen=True)
class TrackGuide(Pair):
    """A wheelset with all six freedoms, in the coordinates of a straight track along x: forward, then those of
    WheelsetGuide.
    """

    bonds: ClassVar[tuple[str, ...]] = ("x", "z", "y", "rx", "rz", "ry")

    def chain(self) -> Chain:
        return Chain(Screw("x", SLIDE, name="forward"), *WheelsetGuide().chain().steps)
