"""Rows of flow laws: a coordinate, its rate or its acceleration is prescribed, and the multiplier is the effort of the
drive.
"""

from collections.abc import Callable

import casadi as ca

from trundle.constraints.row import Place, Row
from trundle.derivative import derivative
from trundle.laws.law import FlowLaw
from trundle.typing import Expr


def flow_row(
    place: Place,
    law: FlowLaw,
    t: Expr,
    value: Expr,
    rate: Expr,
    bias: Expr,
    jacobian: dict[int, Expr],
    force: Expr = None,
    moment: Expr = None,
    wrap: Callable[[Expr], Expr] | None = None,
) -> Row:
    """Row of a law on a bond with this value and rate = J u; bias is what the rate changes by without udot.

    wrap: brings the difference of two angles into half a turn either way.
    """
    zero = ca.SX.zeros(3)
    at, q, u = ca.SX.sym("t"), ca.SX.sym("q"), ca.SX.sym("u")
    f = ca.SX(law.motion(at, q, u))
    f_t, f_q = derivative(f, at), derivative(f, q)
    f_tt = derivative(f_t, at)
    f, f_t, f_q, f_tt = ca.substitute([f, f_t, f_q, f_tt], [at, q, u], [t, ca.SX(value), ca.SX(rate)])
    residual = velocity = ca.SX(0)
    driven = rate
    if law.level == "position":
        residual = value - f if wrap is None else wrap(value - f)
        velocity, gamma, driven = rate - f_t, bias - f_tt, f_t
    elif law.level == "velocity":
        velocity, gamma, driven = rate - f, bias - f_t - f_q * rate, f
    else:
        gamma = bias - f
    force, moment = (zero if given is None else given for given in (force, moment))
    return Row(place, residual, velocity, gamma, jacobian, force, moment, "m or rad", law.level, driven)


def half_turn(difference: Expr) -> Expr:
    """The difference of two angles, which are known up to whole turns."""
    return ca.atan2(ca.sin(difference), ca.cos(difference))
