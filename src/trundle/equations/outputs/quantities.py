"""Catalogue of everything that can be asked by name, with unit, sentence and expression."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca

from trundle.contact.fit import fit_parts, has_curvature
from trundle.equations.kernels import Functions
from trundle.equations.outputs.ports import Ports, find_ports, quantity_table
from trundle.equations.outputs.power import PowerExpressions
from trundle.equations.outputs.reactions import accelerations, drive_efforts, reactions, with_compliance, yielding_bonds
from trundle.equations.outputs.signals import BODY_QUANTITIES
from trundle.errors import UnknownNameError
from trundle.graph.topology import Topology
from trundle.laws.law import FlowLaw
from trundle.model.connection import ConnectedPair
from trundle.model.law_probe import CONTACT_QUANTITIES
from trundle.model.model import Model
from trundle.pairs.higher import ContactPair
from trundle.quantities.layout import Layout


@final
@dataclass(frozen=True)
class Quantity:
    """Name, unit and sentence; `group` tells which quantities are evaluated together."""

    name: str
    unit: str
    text: str
    size: int = 1
    group: str = "state"
    components: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the components."""
        if self.components:
            return self.components
        if self.size == 9:
            return tuple(f"{row}{column}" for column in "xyz" for row in "xyz")
        return {1: (), 3: ("x", "y", "z"), 4: ("w", "x", "y", "z")}[self.size]


def catalogue(model: Model, topology: Topology, layout: Layout, formalism: str) -> dict[str, Quantity]:
    """All quantities of a model, known without deriving anything (measures of forces are added by
    `force_quantities`).
    """
    found: list[Quantity] = []
    states = formalism != "newton_euler"
    group = "state" if states else "joints"
    for c in layout.coordinates:
        if not states and c.n_u > 1:
            continue
        kind = "rotation of the second body against the first as a unit quaternion" if c.n_q == 4 else "coordinate"
        rate = (
            "angular velocity against the first body, in axes of the second" if c.n_q == 4 else "rate of the coordinate"
        )
        of = f" of connection {c.name.partition('.')[0]!r}"
        found.append(Quantity(c.name, c.unit, kind + of, c.n_q, group))
        found.append(Quantity(c.rate_name, c.rate_unit, rate + of, c.n_u, group))
        if states:
            unit = c.rate_unit.replace("/s", "/s^2")
            found.append(
                Quantity(c.acceleration_name, unit, "time derivative of the " + rate + of, c.n_u, "accelerations")
            )
        if formalism == "udwadia_kalaba":
            unit = "N" if c.unit == "m" else "N m"
            for kind, text in CONSTRAINT_FORCES.items():
                found.append(Quantity(f"{c.force_name}_{kind}_force", unit, text + of, c.n_u, "constraint forces"))
    for cut in topology.cut:
        for step in cut.pair.coordinates:
            if step.n_u == 1 and _is_measured(cut):
                unit = "m" if step.slides else "rad"
                of = f"of connection {cut.name!r}, which {'closes a loop' if cut.holds else 'acts beside the tree'}"
                found.append(Quantity(f"{cut.name}.{step.name}", unit, f"coordinate {of}", 1, "joints"))
                found.append(Quantity(f"{cut.name}.{step.name}_rate", f"{unit}/s", f"rate {of}", 1, "joints"))
    for body in model.moving_bodies:
        for name, (unit, text) in BODY_QUANTITIES.items():
            size = 9 if name == "rotation" else 3
            found.append(Quantity(f"{body.name}.{name}", unit, f"{text}: {body.name}", size, f"body {body.name}"))
        for name, unit, text in (
            ("acceleration", "m/s^2", "acceleration of the body frame, ground axes"),
            ("angular_acceleration", "rad/s^2", "angular acceleration, ground axes"),
        ):
            found.append(Quantity(f"{body.name}.{name}", unit, f"{text}: {body.name}", 3, "reactions"))
    for connection in model.connections.values():
        on = f"on {connection.second.body.name!r} in connection {connection.name!r}, ground axes"
        found.append(Quantity(f"{connection.name}.reaction_force", "N", f"constraint force {on}", 3, "reactions"))
        found.append(
            Quantity(
                f"{connection.name}.reaction_moment", "N m", f"constraint moment at the joint {on}", 3, "reactions"
            )
        )
        if isinstance(connection.pair, ContactPair):
            of = f"in contact {connection.name!r}"
            for name, (unit, text, size) in CONTACT_QUANTITIES.items():
                found.append(Quantity(f"{connection.name}.{name}", unit, f"{text}, {of}", size, "contacts"))
            if has_curvature(connection.pair):
                text = f"smallest relative curvature of the surfaces, below zero where they cut each other, {of}"
                found.append(Quantity(f"{connection.name}.relative_curvature", "1/m", text, 1, "curvatures"))
            for name, (unit, text) in _deflections(connection).items():
                found.append(Quantity(f"{connection.name}.{name}", unit, f"{text}, {of}", 1, "joints"))
            if connection.unilateral or connection.lets_go or connection.rubbing:
                text = f"0 open, 1 sliding, 2 sticking {of}"
                found.append(Quantity(f"{connection.name}.state", "", text, 1, "contacts"))
            if connection.rubbing:
                text = f"power lost by friction {of}"
                found.append(Quantity(f"{connection.name}.friction_power", "W", text, 1, "reactions"))
            if connection.relaxes:
                text = f"weight of the rolling constraint, 1 held and 0 lifted, {of}"
                found.append(Quantity(f"{connection.name}.stiction", "", text, 1, "reactions"))
            for name, text in CONTACT_FORCES.items():
                found.append(Quantity(f"{connection.name}.{name}", "N", f"{text}, {of}", 1, "reactions"))
        units = {s.name: "m" if s.n_u == 1 and s.slides else "rad" for s in connection.pair.coordinates}
        for name in connection.deviations:
            text = f"deviation of {connection.name}.{name} from where its prescribed rate leads"
            found.append(Quantity(f"{connection.name}.{name}_deviation", units[name], text, 1, "joints"))
        for name, law in connection.laws.items():
            if isinstance(law, FlowLaw):
                full = f"{connection.name}.{name}_drive"
                found.append(
                    Quantity(full, "N or N m", f"effort of the drive on {connection.name}.{name}", 1, "reactions")
                )
    found.append(Quantity("energy.kinetic", "J", "kinetic energy", 1, "energy"))
    found.append(Quantity("energy.potential", "J", "potential energy of gravity and forces", 1, "energy"))
    for output in model.outputs.values():
        found.append(Quantity(output.name, output.unit, output.text or "quantity defined by the user", 1, "outputs"))
    return {q.name: q for q in found}


def power_quantities(ports: Ports) -> dict[str, Quantity]:
    """What the power audit measures; evaluated together."""
    return {
        name: Quantity(name, unit, text, max(len(components), 1), "power", components)
        for name, unit, text, components in quantity_table(ports)
    }


def _is_measured(connection: ConnectedPair) -> bool:
    """Whether the coordinates of a connection that is not a joint of the tree are known."""
    pair = connection.pair
    return pair.measured if isinstance(pair, ContactPair) else True


def _deflections(connection: ConnectedPair) -> dict[str, tuple[str, str]]:
    """Unit and sentence of what yields at a contact, by name."""
    ways = {"x": "along", "y": "across", "roll_x": "about the axis along", "roll_y": "about the axis across"}
    ways["spin"] = "about the normal"
    kinds = {"deflection of the surfaces": connection.bristles}
    kinds["deflection out of the plane"] = tuple(connection.leaning.values())
    out = {}
    for text, names in kinds.items():
        for name in names:
            way = name.partition("_")[2]
            out[name] = ("m" if way in "xy" else "rad", f"{text} {ways[way]}")
    return out


CONTACT_FORCES = {
    "normal_force": "force of the first body on the second along the normal",
    "slip_force_x": "force of the first body on the second along",
    "slip_force_y": "force of the first body on the second across",
}
"""Components of the reaction of a higher pair in the axes of the contact."""


CONSTRAINT_FORCES = {
    "ideal": "generalised force that the ideal constraints exert along the rate",
    "nonideal": "generalised force that constraints which are not ideal exert along the rate",
}
"""Kinds of constraint forces by coordinate, known to the pseudo-inverse [Ikoki 2021, Eqs. 4, 5]."""


@final
class Expressions:
    """Expressions of quantities, built when asked."""

    def __init__(self, functions: Functions, layout: Layout) -> None:
        self.functions, self.layout = functions, layout
        self.equations = functions.equations

    @cached_property
    def _reactions(self) -> dict[str, tuple[Any, Any]]:
        return with_compliance(self.functions, reactions(self.functions))

    @cached_property
    def _accelerations(self) -> dict[Any, Any]:
        return accelerations(self.functions, list(self.equations.inertias))

    @cached_property
    def power(self) -> PowerExpressions:
        """Expressions of the power audit."""
        return PowerExpressions(self.functions, find_ports(self.equations.model))

    def force_quantities(self) -> dict[str, Quantity]:
        """Measures of the forces, such as the length of a spring."""
        out = {}
        for force, terms in self.equations.terms.items():
            for name, (value, unit, text) in terms.measures.items():
                full = f"{force}_effort" if "." in force else f"{force}.{name}"
                size = ca.SX(value).numel()
                out[full] = Quantity(full, unit, f"{text}: {force}", size, "forces")
        return out

    def of(self, name: str) -> Any:
        """Expression of a quantity (column)."""
        owner, _, quantity = name.partition(".")
        e = self.equations
        special: dict[str, Callable[[], Any]] = {
            "reaction_force": lambda: self._reactions[owner][0],
            "reaction_moment": lambda: self._reactions[owner][1],
            "acceleration": lambda: self._accelerations[e.model.bodies[owner]].a,
            "angular_acceleration": lambda: self._accelerations[e.model.bodies[owner]].alpha,
        }
        for k, component in enumerate(("slip_force_x", "slip_force_y", "normal_force")):
            if quantity == component and owner in e.touches:
                bare = k < 2 and f"slip_{'xy'[k]}" not in yielding_bonds(e, e.model.connections[owner])
                at_contact = e.touch_efforts[owner].get(f"slip_{'xy'[k]}", 0) if bare else 0  # else in the reaction
                return ca.dot(e.touches[owner].contact.axes[k], self._reactions[owner][0]) + at_contact
        if quantity == "state" and owner in e.touches:
            touch = e.touches[owner]
            closed = touch.contact.gap < 0 if touch.connection.lets_go else touch.modes.get("closed", 1)
            return closed * (1 + touch.modes.get("stick", int("slip_x" in touch.connection.held)))
        if quantity == "friction_power" and owner in e.touches:
            return self._friction_power(owner)
        if quantity == "relative_curvature" and owner in e.touches:
            return fit_parts(e, e.touches[owner]).curvature
        if quantity == "stiction" and owner in e.touches:
            return self.functions.weights[f"{owner}.{e.touches[owner].connection.sliding[0]}"]
        if name == "energy.kinetic":
            return e.kinetic()
        if name == "energy.potential":
            return e.potential()
        for c in self.layout.coordinates:
            if name == c.acceleration_name and e.formalism == "kane":
                return self.functions.dynamics[0][c.i_u : c.i_u + c.n_u]
            if name == c.rate_name and e.formalism == "kane":
                return e.u[c.i_u : c.i_u + c.n_u]
            for k, kind in enumerate(CONSTRAINT_FORCES):
                if name == f"{c.force_name}_{kind}_force":
                    return self.functions.constraint_forces[k][c.i_u : c.i_u + c.n_u]
        if quantity in special and (owner in e.model.connections or owner in e.model.bodies):
            return special[quantity]()
        if quantity.endswith("_drive"):
            return drive_efforts(self.functions).get(name.removesuffix("_drive"), ca.SX(0))  # a redundant drive idles
        if name in e.model.outputs:
            return ca.SX(e.model.outputs[name].function(e.signals))
        for force, terms in e.terms.items():
            for measure, (value, _, _) in terms.measures.items():
                if name == (f"{force}_effort" if "." in force else f"{force}.{measure}"):
                    return ca.SX(value)
        return self._signal(name)

    def _friction_power(self, contact: str) -> Any:
        """What friction takes, and what a slip that is held in part does."""
        e, touch = self.equations, self.equations.touches[contact]
        lost = self.of(f"{contact}.normal_force") * touch.lost
        for row in self.functions.relaxed:
            owner, name = row.owner, row.bond
            if owner == contact:
                lost -= self.functions.multiplier(row.name) * touch.rate(name)
        (drag,) = self.functions.settled(touch.drag(e.n_u)[0]) if touch.dragged else (ca.SX.zeros(e.n_u),)
        return lost - ca.dot(drag, e.u)

    def _signal(self, name: str) -> Any:
        e = self.equations
        try:
            return e.signals[name]
        except UnknownNameError as error:
            raise UnknownNameError(name, e.signals.names()) from error
