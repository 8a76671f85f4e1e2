"""Expressions from which quantities are built: reactions, accelerations, contacts, measures of forces."""

from functools import cached_property
from typing import final

import casadi as ca

from trundle.constraints.closure import Relative, connection_frame
from trundle.contact.fit import fit_parts
from trundle.equations.driving import power_of
from trundle.equations.kernels import Functions
from trundle.equations.outputs.ports import find_ports
from trundle.equations.outputs.power import PowerExpressions
from trundle.equations.outputs.reactions import (
    Wrench,
    accelerations,
    drive_efforts,
    reactions,
    with_compliance,
    yielding_bonds,
)
from trundle.equations.outputs.signals import Signals
from trundle.equations.relative import in_frame, wrenches_of
from trundle.model.body import Body
from trundle.motion.motion import FrameMotion
from trundle.quantity import Quantity
from trundle.space.rotation import cross
from trundle.typing import Expr


@final
class Expressions:
    """Expressions of quantities, built on first use; each quantity selects what it needs."""

    def __init__(self, functions: Functions) -> None:
        self.functions, self.layout = functions, functions.layout
        self.equations = functions.equations

    def of(self, quantity: Quantity) -> Expr:
        """Expression of a quantity (column)."""
        assert quantity.of is not None
        return quantity.of(self.signals if quantity.signal else self)

    @property
    def signals(self) -> Signals:
        return self.equations.signals

    @cached_property
    def power(self) -> PowerExpressions:
        """Expressions of the power audit."""
        return PowerExpressions(self.functions, find_ports(self.equations.model))

    # -- connections ---------------------------------------------------------------------------------------------------

    @cached_property
    def _reactions(self) -> dict[str, Wrench]:
        return with_compliance(self.functions, reactions(self.functions))

    def relative_acceleration(self, connection: str) -> Wrench:
        """Acceleration of the second frame relative to the first, in the axes of the connection: a_Br and eps_r, whose
        components are mu and lambda [Kosenko 2022, Eqs. 1 to 3].
        """
        e, c = self.equations, self.equations.model.connections[connection]
        A, B = (e.motion.frame(connection_frame(f, c)) for f in (c.first, c.second))
        relative = Relative(A, B, {})
        udot, _ = self.functions.dynamics
        seen = ca.vertcat(ca.mtimes(A.R.T, relative.v), ca.mtimes(A.R.T, relative.w))
        change = e.time_derivative(seen, udot)
        return change[:3], change[3:]

    def reaction(self, connection: str) -> Wrench:
        """Constraint force and moment on the second body."""
        return self._reactions[connection]

    def drive(self, coordinate: str) -> Expr:
        """Effort of the drive of a coordinate; zero for a redundant drive."""
        return drive_efforts(self.functions).get(coordinate, ca.SX(0))

    def acceleration_of(self, coordinate: str) -> Expr:
        """Time derivatives of the speeds of a coordinate of the tree."""
        c = self.layout.coordinate(coordinate)
        return self.functions.dynamics[0][c.u]

    def constraint_force(self, coordinate: str, kind: int) -> Expr:
        """Generalised force of the constraints along a coordinate of the tree: ideal (0) or non-ideal (1) part."""
        c = self.layout.coordinate(coordinate)
        return self.functions.constraint_forces[kind][c.u]

    def weight(self, row: str) -> Expr:
        """Weight of a relaxed row."""
        return self.functions.weights[row]

    def measure(self, force: str, name: str) -> Expr:
        """A measure of a force or law."""
        return ca.SX(self.equations.terms[force].measures[name][0])

    # -- bodies --------------------------------------------------------------------------------------------------------

    @cached_property
    def _accelerations(self) -> dict[Body, FrameMotion]:
        return accelerations(self.functions, list(self.equations.inertias))

    def acceleration(self, body: Body) -> FrameMotion:
        """Motion of a body frame with its accelerations."""
        return self._accelerations[body]

    def imaginary(self, body: Body, kind: str) -> Wrench:
        """Fictitious force and moment about the mass centre, in the axes of the frame that carries the body."""
        e = self.equations
        force, moment = wrenches_of(e, body)[kind]
        return in_frame(e, body, force), in_frame(e, body, moment)

    def driving(self, frame: Body) -> Wrench:
        """Force and moment about its origin that produce the prescribed motion of a frame."""
        return self.functions.driving_wrenches[frame]

    def driving_power(self, frame: Body) -> Expr:
        """Power of these."""
        return power_of(self.driving(frame), self.equations.motion.body(frame))

    # -- contacts ------------------------------------------------------------------------------------------------------

    def contact_force(self, contact: str, axis: int) -> Expr:
        """Force on the second body along an axis of the contact."""
        e, bonds = self.equations, self.equations.contact_bonds[contact]
        slip = f"slip_{'xy'[axis]}" if axis < 2 else ""
        at_contact = 0  # else in the reaction
        if slip and slip not in yielding_bonds(e, bonds.connection):
            at_contact = e.contact_efforts[contact].get(slip, 0)
        return ca.dot(bonds.contact.axes[axis], self._reactions[contact][0]) + at_contact

    def mesh_moment(self, mesh: str, side: int) -> Expr:
        """Moment of a mesh about the axis through the frame of the first (0) or second (1) body, on that body."""
        bonds = self.equations.contact_bonds[mesh]
        c = bonds.connection
        frame = self.equations.motion.frame((c.first, c.second)[side])
        axis = ca.mtimes(frame.R, c.pair.frame()[:, 2])
        force = (-1, 1)[side] * self.contact_force(mesh, 2) * bonds.contact.axes[2]
        return ca.dot(axis, cross(bonds.contact.point - frame.p, force))

    def mesh_power(self, mesh: str) -> Expr:
        """Power that the second body of a mesh receives."""
        bonds = self.equations.contact_bonds[mesh]
        velocity = bonds.at.material(bonds.connection.touching)[0]
        return self.contact_force(mesh, 2) * ca.dot(bonds.contact.axes[2], velocity)

    def contact_state(self, contact: str) -> Expr:
        """0 open, 1 sliding, 2 sticking."""
        bonds = self.equations.contact_bonds[contact]
        closed = bonds.contact.gap < 0 if bonds.connection.separates else bonds.modes.get("closed", 1)
        return closed * (1 + bonds.modes.get("stick", int("slip_x" in bonds.connection.held)))

    def curvature(self, contact: str) -> Expr:
        """Smallest relative curvature of the two surfaces."""
        return fit_parts(self.equations, self.equations.contact_bonds[contact]).curvature

    def friction_power(self, contact: str) -> Expr:
        """Power lost in friction, and in a slip that is held in part."""
        e, bonds = self.equations, self.equations.contact_bonds[contact]
        lost = self.contact_force(contact, 2) * bonds.lost
        for row in self.functions.relaxed:
            if row.owner == contact:
                lost -= self.functions.multiplier(row.name) * bonds.rate(row.bond)
        pushes = [drag.push for drag in e.drags if drag.connection.name == contact]
        (drag,) = self.functions.settled(sum(pushes, ca.SX.zeros(e.n_u)))
        return lost - ca.dot(drag, e.u)
