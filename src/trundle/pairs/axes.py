"""Contact axes of a surface whose normal is not carried by screws: from its tangents, with their rotation from
CasADi."""

import casadi as ca

from trundle.derivative import derivative
from trundle.space.rotation import cross
from trundle.typing import Expr


def contact_axes(q: Expr, point: Expr, outward: Expr) -> tuple[Expr, list[Expr], list[Expr]]:
    """Axes (x along the first tangent, z along `outward`) of a point given by two symbols q, the tangents, and the
    rotation of the axes per unit of each symbol.
    """
    moves = [derivative(point, q[k]) for k in range(2)]
    x, z = moves[0] / ca.norm_2(moves[0]), outward / ca.norm_2(outward)
    axes = [x, cross(z, x), z]
    turns = [sum((cross(e, derivative(e, q[k])) for e in axes), ca.SX.zeros(3)) / 2 for k in range(2)]
    return ca.horzcat(*axes), moves, turns


def put(q: Expr, value: tuple[Expr, Expr], outputs: list[Expr]) -> list[Expr]:
    """Expressions with values substituted for the symbols q."""
    own = {x.element_hash() for x in ca.symvar(q)}
    others = [x for x in ca.symvar(ca.veccat(*outputs)) if x.element_hash() not in own]
    f = ca.Function("put", [q, *others], [ca.densify(ca.SX(v)) for v in outputs])
    found = f(ca.vertcat(*value), *others)
    return list(found) if isinstance(found, tuple | list) else [found]
