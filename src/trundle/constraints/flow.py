"""Rows of flow laws: a coordinate, its rate or its acceleration is prescribed, and the multiplier is the effort of the
drive.
"""

from dataclasses import dataclass, field
from typing import final

import casadi as ca

from trundle.constraints.row import Place, Row
from trundle.derivative import derivative
from trundle.laws.law import FlowLaw
from trundle.space.rotation import wrap_angle
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class BondMotion:
    """Motion along a bond: its value, its rate J u, and the wrench of a unit effort on the second body."""

    value: Expr
    rate: Expr
    bias: Expr  # time derivative of the rate at udot = 0
    jacobian: dict[int, Expr]
    force: Expr = field(default_factory=lambda: ca.SX.zeros(3))
    moment: Expr = field(default_factory=lambda: ca.SX.zeros(3))
    is_angle: bool = False  # known up to whole turns


def flow_row(place: Place, law: FlowLaw, t: Expr, bond: BondMotion) -> Row:
    """Row of a law on a bond."""
    value, rate, bias = bond.value, bond.rate, bond.bias
    at, q, u = ca.SX.sym("t"), ca.SX.sym("q"), ca.SX.sym("u")
    f = ca.SX(law.motion(at, q, u))
    f_t, f_q = derivative(f, at), derivative(f, q)
    f_tt = derivative(f_t, at)
    f, f_t, f_q, f_tt = ca.substitute([f, f_t, f_q, f_tt], [at, q, u], [t, ca.SX(value), ca.SX(rate)])
    residual = velocity = ca.SX(0)
    driven = rate
    if law.level == "position":
        residual = wrap_angle(value - f) if bond.is_angle else value - f
        velocity, gamma, driven = rate - f_t, bias - f_tt, f_t
    elif law.level == "velocity":
        velocity, gamma, driven = rate - f, bias - f_t - f_q * rate, f
    else:
        gamma = bias - f
    return Row(
        place, residual, velocity, gamma, bond.jacobian, bond.force, bond.moment, "m or rad", law.level, driven
    )  # fmt: skip
