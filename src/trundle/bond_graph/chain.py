"""Laws and forces on coordinates of the chain over two surfaces, which do not act on the bonds of the contact."""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.constraints.closure import connection_frame
from trundle.laws.law import Law
from trundle.model.connection import ConnectedPair
from trundle.model.force import Force
from trundle.model.model import Model
from trundle.model.seal import VARIABLES, Seal
from trundle.motion.motion import Motion
from trundle.space.chain import Ball
from trundle.space.rotation import axis_vector, cross
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class ChainSeal:
    """The seal of a coordinate of the chain over two surfaces."""

    seal: Seal
    turns: bool  # the coordinate is an angle

    @property
    def variables(self) -> tuple[str, str]:
        """Names of flow and effort."""
        return VARIABLES["rz" if self.turns else "z"]


def chain_seals(model: Model, c: ConnectedPair) -> list[ChainSeal]:
    """Laws and forces on coordinates of a chain over surfaces: they act between the bodies, in parallel with the bonds
    of the contact.
    """
    if not c.is_contact:
        return []
    turns = {step.name: not (step.n_u == 1 and step.slides) for step in c.pair.coordinates}
    given: list[tuple[str, str, Law | Force]] = [(name, law.title, law) for name, law in c.laws.items()]
    names = {f"{c.name}.{name}": name for name in turns}
    for title, force in model.forces.items():
        acted_on = [names[full] for full in map(model.resolve, force.coordinates) if full in names]
        given += [(name, f"force {title!r}", force) for name in acted_on]
    return [
        ChainSeal(Seal(c.name, "", by, law, coordinate=f"{c.name}.{name}", called=name), turns[name])
        for name, by, law in sorted(given, key=lambda each: list(turns).index(each[0]))
    ]


def chain_row(c: ConnectedPair, motion: Motion, values: dict[str, Expr], point: Expr, called: str) -> Expr:
    """The row that maps the relative twist of the second body at a point to the rate of a coordinate; `values` are the
    coordinates. None for coordinates after a ball, for which there is no such row.
    """
    base = motion.frame(connection_frame(c.first, c))
    R, p = base.R, base.p
    columns: list[Expr] = []
    place = None
    for step in c.pair.chain().steps:
        arm = point - (p + ca.mtimes(R, ca.vertcat(*step.at)))
        if isinstance(step, Ball):
            columns += [ca.vertcat(cross(R[:, k], arm), R[:, k]) for k in range(3)]
            if step is not c.pair.chain().steps[-1]:
                return None
            continue
        e = ca.mtimes(R, ca.DM(axis_vector(step.axis)))
        place = len(columns) if step.name == called else place
        moves = e if step.slides else cross(e, arm) + step.pitch * e
        columns.append(ca.vertcat(moves, ca.SX.zeros(3) if step.slides else e))
        if step.name not in values:
            return None
        turn, way = step.pose(values[step.name])
        R, p = ca.mtimes(R, turn), p + ca.mtimes(R, way)
    if place is None:
        return None
    C = ca.horzcat(*columns)
    unit = ca.SX.zeros(len(columns))
    unit[place] = 1
    return ca.mtimes(C, ca.solve(ca.densify(ca.mtimes(C.T, C)), unit))
