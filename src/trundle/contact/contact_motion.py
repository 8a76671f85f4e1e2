"""The relative motion of two bodies at their point of contact: rates along its bonds, and constraint rows."""

from collections.abc import Callable
from dataclasses import replace
from typing import final

import casadi as ca

from trundle.constraints.closure import difference
from trundle.constraints.flow import BondMotion, flow_row
from trundle.constraints.measure import Measure
from trundle.constraints.row import Place, Role, Row
from trundle.contact.geometry import Contact, chain_contact, loop_contact
from trundle.contact.plane import plane_bonds
from trundle.laws.flows import Flow, Locked
from trundle.laws.law import EffortLaw, FlowLaw
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair
from trundle.motion.motion import FrameMotion, Motion
from trundle.pairs.cam import Cam
from trundle.space.rotation import cross, dot
from trundle.typing import Expr

AXES = {"slip_x": 0, "slip_y": 1, "normal": 2, "roll_x": 0, "roll_y": 1, "spin": 2}
TURNS = ("roll_x", "roll_y", "spin")


@final
class ContactMotion:
    """A higher pair in motion: its contact, and the relative motion of the two bodies there."""

    def __init__(
        self,
        connection: ConnectedPair,
        contact: Contact,
        motion: Motion,
        closes: bool,
        constant: dict[int, Expr] | None = None,  # coefficients of the row of the normal, where they are constant
        level: str = "position",  # of what the normal holds
    ) -> None:
        self.connection, self.contact, self.motion, self.closes = connection, contact, motion, closes
        self.constant, self.level = constant, level
        self.bristles: Expr = ca.SX.sym(f"{connection.name} bristles", len(connection.bristles))
        self.plane = plane_bonds(connection, motion) if closes else None

    def material(self, body: Body) -> tuple[Expr, Expr, Expr, Expr]:
        """Velocity of the body's material at the point of contact, angular velocity, and their changes along the
        moving point without udot.
        """
        at, c = self.motion.body(body), self.contact
        r = c.point - at.p
        v = at.v + cross(at.w, r)
        a = at.a + cross(at.alpha, r) + cross(at.w, c.point_rate - at.v)
        return v, at.w, a, at.alpha

    def rate(self, name: str) -> Expr:
        """Relative velocity along, across or normal to the contact, or spin [Meijaard 2024, Eqs. 24, 25]."""
        first, second = self.material(self.connection.first.body), self.material(self.connection.touching)
        kind = 1 if name in TURNS else 0
        return dot(self.contact.axes[AXES[name]], second[kind] - first[kind])

    @property
    def forward_velocity(self) -> Expr:
        """Velocity of the point of contact over the first surface, along."""
        under = self.material(self.connection.first.body)[0]
        return ca.dot(self.contact.axes[0], self.contact.point_rate - under)

    def row(self, name: str, t: Expr) -> Row:
        """Constraint that keeps this relative motion at zero, or at what its law prescribes."""
        c, connection = self.contact, self.connection
        body = connection.second.body if name == "normal" else connection.touching
        first, second = self.material(connection.first.body), self.material(body)
        kind = 1 if name in TURNS else 0
        e, e_rate = c.axes[AXES[name]], c.axes_rates[AXES[name]]
        moving = difference(self.motion.partials(body, c.point), self.motion.partials(connection.first.body, c.point))
        jacobian = {}
        for i, (angular, linear) in moving.items():
            value = dot(e, angular if name in TURNS else linear)
            if not value.is_zero():
                jacobian[i] = value
        rate = dot(e, second[kind] - first[kind])
        gamma = dot(e, second[kind + 2] - first[kind + 2]) + dot(e_rate, second[kind] - first[kind])
        arm = c.point - self.motion.frame(connection.second).p
        force, moment = (0 * e, e) if name in TURNS else (e, cross(arm, e))
        unit = "rad" if name in TURNS else "m"
        place = Place(connection.name, name, Role.NORMAL if name == "normal" else Role.TANGENT)
        if name == "normal":
            if self.constant is not None:
                jacobian, gamma = self.constant, ca.SX(0)
                rate = sum((entry * self.motion.u[i] for i, entry in jacobian.items()), ca.SX(0))
            return Row(place, c.gap, rate, gamma, jacobian, force, moment, unit, self.level)
        law = connection.bond_laws.get(name)
        if isinstance(law, FlowLaw):
            given = Flow(0.0) if isinstance(law, Locked) else law
            row = flow_row(place, given, t, BondMotion(ca.SX(0), rate, gamma, jacobian, force, moment))
            return replace(row, unit=unit)
        return Row(place, 0 * rate, rate, gamma, jacobian, force, moment, unit, "velocity")

    def lean(self, name: str) -> Measure:
        """A deflection out of the plane."""
        assert self.plane is not None
        bond = self.plane.bonds[name]
        return Measure(bond.value, self.plane.rate(name), bond.force, bond.moment)

    def flow(self, name: str) -> Expr:
        """Rate of the bond: of a deflection out of the plane, else the relative motion at the point of contact."""
        if self.plane is not None and name in self.connection.out_of_plane:
            return self.plane.rate(name)
        return self.rate(name)

    def effort_law(self, name: str) -> EffortLaw:
        """The effort law on a bond."""
        law = self.connection.bond_laws[name]
        assert isinstance(law, EffortLaw)
        return law.at_contact()

    def deflection(self, name: str) -> Expr:
        """The coordinate of a bond: the gap, a deflection out of the plane, an elastic slip or turn, or none."""
        c = self.connection
        if name == "normal":
            return self.contact.gap
        if self.plane is not None and name in c.out_of_plane:
            return self.plane.bonds[name].value
        bent = len(c.bristles) - len(c.elastic)
        return self.bristles[bent + c.elastic.index(name)] if name in c.elastic else ca.SX(0)

    def along(self, name: str) -> tuple[Expr, Expr]:
        """Force and moment at the point of contact of a unit effort on a bond."""
        if self.plane is not None and name in self.connection.out_of_plane:
            bond = self.plane.bonds[name]
            return bond.force, bond.moment + cross(self.plane.point - self.contact.point, bond.force)
        e = self.contact.axes[AXES[name]]
        return (0 * e, e) if name in TURNS else (e, 0 * e)


def contact_in_tree(
    connection: ConnectedPair, motion: Motion, value: Callable[[str], Expr], rate: Callable[[str], Expr]
) -> ContactMotion:
    """Contact of a higher pair whose chain is part of the tree."""
    pair = connection.surface_pair
    first, second = motion.frame(connection.first), motion.frame(connection.second)
    return ContactMotion(connection, chain_contact(pair, first, second, value, rate), motion, closes=False)


def contact_of_loop(connection: ConnectedPair, motion: Motion, followers: Expr) -> ContactMotion:
    """Contact of a higher pair that closes a loop."""
    pair = connection.surface_pair
    first, second = motion.frame(connection.first), motion.frame(connection.second)
    contact = loop_contact(pair, first, second, followers)
    flat = pair.first.flat or (pair.second.flat and not isinstance(pair.first, Cam))
    if flat and isinstance(connection.bond_laws.get("normal"), EffortLaw):
        press_in(contact, first if pair.first.flat else second)
    return ContactMotion(connection, contact, motion, closes=True)


def press_in(contact: Contact, plane: FrameMotion) -> None:
    """Put the contact of a compliant normal with a plane in the plane; other contacts are on the first surface anyhow.
    So all feet of a body on one plane can be at rest while it rocks on them. The lowest points of feet that are pressed
    in could not: they move apart with the tilt of the body times its rate.
    """
    n = plane.R[:, 2]
    n_rate = cross(plane.w, n)
    gap_rate = dot(n_rate, contact.point - plane.p) + dot(n, contact.point_rate - plane.v)
    contact.point = contact.point - contact.gap * n
    contact.point_rate = contact.point_rate - gap_rate * n - contact.gap * n_rate
