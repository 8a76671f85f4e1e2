"""A law split into the efforts that store, dissipate and supply energy."""

import casadi as ca

from trundle.derivative import derivative
from trundle.laws.law import EffortLaw, Together
from trundle.typing import Expr


def parts_of(law: EffortLaw, t: Expr, q: Expr, u: Expr) -> list[tuple[str, Expr]]:
    """Kinds of elements and their efforts, in the order of `law.elements`."""
    if isinstance(law, Together):
        every = [part for one in law.laws for part in parts_of(one, t, q, u) if part[0] != "EC"]
        return every or [("EC", ca.SX(0))]
    at, x, v = ca.SX.sym("t"), ca.SX.sym("q"), ca.SX.sym("u")
    rest, kinds = ca.SX(law.effort(at, x, v)), law.elements
    efforts: list[Expr] = []
    for kind in kinds[:-1]:
        if kind == "C":
            own = -derivative(ca.SX(law.potential(at, x)), x)
        else:  # losses in addition to a source
            own = ca.if_else(v == 0, 0, -ca.SX(law.dissipated(at, x, v)) / v)
        efforts.append(own)
        rest = rest - own
    found = ca.substitute(ca.vertcat(*efforts, rest), ca.vertcat(at, x, v), ca.vertcat(t, q, u))
    return list(zip(kinds, ca.vertsplit(found), strict=True))
