"""The track at a wheelset, from the track at a frame a little behind it or ahead of it."""

from typing import NamedTuple, final

import casadi as ca

from trundle.space.rotation import cross
from trundle.typing import Expr


@final
class Nearby(NamedTuple):
    """The track at the place next to a point."""

    turn: Expr  # matrix from its axes to those at the frame
    centre: Expr  # the point, from the middle of the track in the axes there, m
    ahead: Expr  # distance from the frame along the line, m
    bend: Expr  # turn of the axes per metre, rad/m


def nearby(bends: Expr, centre: Expr) -> Nearby:
    """The track next to a point in the axes of a frame, from the turn of the frame per metre and its derivatives: one
    where the point stays within centimetres of the frame, two where it may be decimetres away.
    """
    d, d1, *more = ca.vertsplit(bends, 3)
    return _third_order(d, d1, more[0], centre) if more else _second_order(d, d1, centre)


def _second_order(d: Expr, d1: Expr, centre: Expr) -> Nearby:
    here = d + centre[0] * d1
    ahead = centre[0] / (1.0 + here[1] * centre[2] - here[2] * centre[1])
    half = ahead / 2
    turn = ca.SX.eye(3) + ahead * ca.skew(d + half * d1)  # second order in `ahead` is 1e-10 for 1 cm
    along = ca.SX([1.0, 0.0, 0.0])
    beside = ca.mtimes(turn.T, centre - ahead * along) - half * ahead * cross(d, along)
    return Nearby(turn, beside, ahead, here)


def _third_order(d: Expr, d1: Expr, d2: Expr, centre: Expr) -> Nearby:
    """Third order in `ahead`: 10 cm leave 1e-11 m and rad in a sine curve of 60 m to a radius of 600 m."""
    half_way = d + centre[0] / 2 * d1
    ahead = centre[0] / (1.0 + half_way[1] * centre[2] - half_way[2] * centre[1])
    half = ahead / 2
    angle = ca.skew(ahead * (d + half * (d1 + ahead / 3 * d2)))
    turn = ca.SX.eye(3) + angle + ca.mtimes(angle, angle) / 2
    along = ca.SX([1.0, 0.0, 0.0])
    bent = cross(d, along)
    way = ahead * (along + half * (bent + ahead / 3 * (cross(d1, along) + cross(d, bent))))
    return Nearby(turn, ca.mtimes(turn.T, centre - way), ahead, d + ahead * (d1 + half * d2))
