"""Distance and speed of a body along the track, from its position in a track frame from which it may move away a
little.
"""

from collections.abc import Callable
from typing import final

import casadi as ca

from trundle.derivative import derivative_along
from trundle.laws.signals import NamedSignals
from trundle.rail.track.line import TrackFrame
from trundle.rail.vehicle.nearby import nearby
from trundle.typing import Expr


@final
class AlongTrack:
    """Distance and speed along the track of a body with the coordinates `name.x`, `name.y`, `name.z` in a frame that
    moves along it at a speed of its own.
    """

    def __init__(self, course: TrackFrame, frame_speed: Callable[[NamedSignals], Expr], name: str) -> None:
        self._course, self._frame_speed, self._name = course, frame_speed, name

    def distance(self, s: NamedSignals) -> Expr:
        """Distance along the track (m)."""
        at, bends = ca.vertsplit(self._course.bend_to_third_order(s), [0, 1, 10])
        return at + nearby(bends, self._coordinates(s, "")).ahead

    def speed(self, s: NamedSignals) -> Expr:
        """Speed along the track (m/s)."""
        v, bends = self._frame_speed(s), self._course.bend_to_third_order(s)[1:]
        symbols = ca.SX.sym("bends", 9), ca.SX.sym("centre", 3)
        changes = ca.vertcat(v * bends[3:], ca.SX.zeros(3)), self._coordinates(s, "_rate")
        rate = derivative_along(nearby(*symbols).ahead, ca.vertcat(*symbols), ca.vertcat(*changes))
        (found,) = ca.substitute([rate], list(symbols), [bends, self._coordinates(s, "")])
        return v + found

    def _coordinates(self, s: NamedSignals, end: str) -> Expr:
        return ca.vertcat(*(s[f"{self._name}.{axis}{end}"] for axis in "xyz"))
