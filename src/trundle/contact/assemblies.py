"""Bodies joined to each other by other connections than contacts that open: these share the loads of their contacts."""

from collections.abc import Mapping

import casadi as ca

from trundle.contact.modes.find import contacts_to_decide
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.motion.motion import Inertias
from trundle.typing import Expr


def assemblies(model: Model) -> dict[Body, int]:
    """The number of the assembly of each free body."""
    found = {body: i for i, body in enumerate(model.free_bodies)}
    opening = {c.name for c in contacts_to_decide(model)}
    for c in model.connections.values():
        ends = {found[body] for body in (*c.bodies, c.touching) if body in found}
        if c.name not in opening and len(ends) > 1:
            found = {body: min(ends) if i in ends else i for body, i in found.items()}
    return found


def sides(c: ConnectedPair, number: Mapping[Body, int]) -> list[int]:
    """Indices of the assemblies that meet at a contact, without the ground and bodies with prescribed motion."""
    return sorted({number[body] for body in (c.first.body, c.touching) if body in number})


def least_of_sides(c: ConnectedPair, loads: Mapping[ConnectedPair, Expr], number: Mapping[Body, int]) -> Expr:
    """Loads (N) of all contacts that carry the same assembly, the less loaded one of the two that meet at c."""
    found = ca.SX(ca.inf)
    for side in sides(c, number):
        carried = (load for other, load in loads.items() if side in sides(other, number))
        found = ca.fmin(found, sum((ca.fabs(load) for load in carried), ca.SX(0)))
    return found


def lighter_mass(c: ConnectedPair, number: Mapping[Body, int], inertias: Inertias) -> Expr:
    """Mass (kg) of the lighter assembly at a contact; 1 kg where neither has any."""
    found = ca.SX(ca.inf)
    for side in sides(c, number):
        mass = sum((inertia.mass for body, inertia in inertias.items() if number[body] == side), ca.SX(0))
        if not mass.is_zero():
            found = ca.fmin(found, mass)
    return ca.SX(1) if ca.is_equal(found, ca.SX(ca.inf)) else found
