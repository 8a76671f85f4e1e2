"""Checks that the contacts of a start pose lie on their surfaces, not beyond an apex, a cusp or a fold."""

from typing import final

import casadi as ca
import numpy as np

from trundle.contact.geometry import Side
from trundle.equations.derive import Equations
from trundle.equations.formulation import Formulation
from trundle.errors import AssemblyError
from trundle.integrate.outcome import SURFACE_LEFT
from trundle.space.rotation import cross, dot
from trundle.study.guards import Guard, find_guards
from trundle.typing import Array, Expr, TapeFunction


@final
class OffSurface(AssemblyError):
    """A start pose in which a contact lies beyond the end of a surface."""


def check_on_surfaces(f: Formulation, q: Array, t: float, p: Array) -> None:
    """OffSurface where a contact lies beyond the end of one of its surfaces."""
    watched = surfaces_that_end(f)
    if not watched:
        return
    values = np.array(f.once(facing)(t, q, p)).ravel()
    for guard, value in zip(watched, values, strict=True):
        if value < 0:
            raise OffSurface(
                f"contact {guard.contact!r} would lie beyond the end (an apex, a cusp or a fold) of its "
                f"{guard.surface}, where there is no such surface. Start nearer to the pose in which its coordinates "
                "are zero, or give other coordinates; trace() continues beyond the end and locates it."
            )


def surfaces_that_end(f: Formulation) -> list[Guard]:
    """Guards of surfaces that a contact can leave."""
    return [guard for guard in f.once(find_guards) if guard.outcome is SURFACE_LEFT]


def facing(f: Formulation) -> TapeFunction:
    """For every surface that ends: above zero on the side of its end on which its coordinates are zero."""
    rows = f.row_functions if f.has_rows else None
    e = rows.equations if rows is not None else f.joint_functions.equations
    values = [_side(e, guard) for guard in find_guards(f) if guard.outcome is SURFACE_LEFT]
    return ca.Function("facing", [e.t, e.q, e.p], [ca.densify(ca.vertcat(*values))])


def _side(e: Equations, guard: Guard) -> Expr:
    connection = e.contact_bonds[guard.contact].connection
    pair = connection.surface_pair
    chart = pair.charts[guard.side]
    frame = e.motion.frame((connection.first, connection.second)[guard.side])
    here = [e.signals[f"{connection.name}.{name}"] for name in chart.names]
    areas = []
    for a, b in (here, chart.middle):
        side = Side(frame, chart, a, b)
        areas.append(dot(cross(*side.moves), side.normal))
    return areas[0] * areas[1] * chart.margin(*here)
