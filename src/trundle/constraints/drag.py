"""Forces of constraints that are not ideal: friction beside relaxed slips, and resistances of the user's own."""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.constraints.closure import difference
from trundle.constraints.measure import measured_coordinates
from trundle.constraints.row import Row
from trundle.errors import ModelError, UnknownNameError
from trundle.model.connection import ConnectedPair
from trundle.motion.motion import Motion
from trundle.space.rotation import dot
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Drag:
    """Force C of constraints that are not ideal [Ikoki 2021, Eqs. 5, 17], from one connection: along all speeds, and as
    force and moment on the second body at its frame (ground axes).
    """

    connection: ConnectedPair
    push: Expr
    force: Expr
    moment: Expr

    @property
    def on_body(self) -> tuple[ConnectedPair, Expr, Expr]:
        """Connection, force and moment."""
        return self.connection, self.force, self.moment


def along_row(connection: ConnectedPair, row: Row, effort: Expr, n_u: int) -> Drag:
    """An effort along the motion that a row would constrain."""
    push = ca.SX.zeros(n_u)
    for i, entry in row.jacobian.items():
        push[i] += effort * entry
    return Drag(connection, push, effort * row.force, effort * row.moment)


def along_coordinate(connection: ConnectedPair, coordinate: str, effort: Expr, motion: Motion) -> Drag:
    """An effort along a coordinate of a lower pair."""
    measures = measured_coordinates(connection, motion)
    if coordinate not in measures:
        name = connection.name
        if coordinate in connection.holds:
            free = ", ".join(repr(f"{name}.{one}") for one in measures) or "none"
            raise ModelError(
                f"{f'{name}.{coordinate}'!r} cannot be resisted: the joint is part of the tree and holds it, so that "
                f"nothing moves there. Its coordinates are {free}; a joint that closes a loop can be resisted along "
                "all its bonds."
            )
        known = {f"{name}.{one}": one for one in measures}
        raise UnknownNameError(f"{name}.{coordinate}", known, "relative motion of a connection to resist")
    measure, push = measures[coordinate], ca.SX.zeros(motion.n_u)
    full = f"{connection.name}.{coordinate}"
    if full in motion.coordinates:
        push[motion.coordinates[full][1]] = effort
        return Drag(connection, push, effort * measure.force, effort * measure.moment)
    point = motion.frame(connection.second).p
    moving = difference(motion.partials(connection.second.body, point), motion.partials(connection.first.body, point))
    for i, (w, linear) in moving.items():
        push[i] += effort * (dot(measure.force, linear) + dot(measure.moment, w))
    return Drag(connection, push, effort * measure.force, effort * measure.moment)
