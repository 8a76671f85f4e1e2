"""At a point of contact: constraint rows of the normal and of what laws hold, and efforts of laws on its bonds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import casadi as ca

from trundle.constraints.closure import difference
from trundle.constraints.flow import flow_row
from trundle.constraints.measure import Measure
from trundle.constraints.row import Place, Role, Row
from trundle.contact.geometry import Contact, chain_contact, loop_contact
from trundle.contact.modes.find import modes_of
from trundle.contact.modes.signals import ContactSignals
from trundle.contact.modes.stick_slip import sliding_direction
from trundle.contact.plane import plane_bonds
from trundle.errors import ModelError
from trundle.laws.law import EffortLaw, Flow, FlowLaw, Locked
from trundle.laws.tracking import RateTracking
from trundle.model.body import Body, Frame
from trundle.model.connection import ConnectedPair
from trundle.model.force import Terms
from trundle.motion.motion import Motion
from trundle.pairs.higher import ContactPair
from trundle.space.rotation import cross, dot

AXES = {"slip_x": 0, "slip_y": 1, "normal": 2, "roll_x": 0, "roll_y": 1, "spin": 2}
TURNS = ("roll_x", "roll_y", "spin")


@final
class Touch:
    """A higher pair in motion: its contact, and the relative motion of the two bodies there."""

    def __init__(self, connection: ConnectedPair, contact: Contact, motion: Motion, closes: bool) -> None:
        self.connection, self.contact, self.motion, self.closes = connection, contact, motion, closes
        self.friction: dict[str, Any] = {}  # force along each slip, or moment about each turn, over the normal force
        self.modes: dict[str, Any] = {}
        self.signals: Any = None  # what its laws may ask
        self.weight: Any = None  # of the slips, where a law relaxes them
        self.dragged: dict[str, Any] = {}  # friction along each slip beside a relaxed constraint
        self.bristles: Any = ca.SX.sym(f"{connection.name} bristles", len(connection.bristles))
        self.bristle_rates: Any = ca.SX(0, 1)
        self.plane = plane_bonds(connection, motion) if closes else None

    def material(self, body: Body) -> tuple[Any, Any, Any, Any]:
        """Velocity of the body's material at the point of contact, angular velocity, and their changes along the
        moving point without udot.
        """
        at, c = self.motion.body(body), self.contact
        r = c.point - at.p
        v = at.v + cross(at.w, r)
        a = at.a + cross(at.alpha, r) + cross(at.w, c.point_rate - at.v)
        return v, at.w, a, at.alpha

    def rate(self, name: str) -> Any:
        """Relative velocity along, across or normal to the contact, or spin [Meijaard 2024, Eqs. 24, 25]."""
        first, second = self.material(self.connection.first.body), self.material(self.connection.touching)
        kind = 1 if name in TURNS else 0
        return dot(self.contact.axes[AXES[name]], second[kind] - first[kind])

    def row(self, name: str, t: Any) -> Row:
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
            return Row(place, c.gap, rate, gamma, jacobian, force, moment, unit)
        law = connection.touch_laws.get(name)
        if isinstance(law, FlowLaw):
            given = Flow(0.0) if isinstance(law, Locked) else law
            row = flow_row(place, given, t, ca.SX(0), rate, gamma, jacobian, force, moment)
            return replace(row, unit=unit)
        return Row(place, 0 * rate, rate, gamma, jacobian, force, moment, unit, "velocity")

    def rub(self, signals: Any, modes: Mapping[str, Any], shift: Any) -> None:
        """Find what friction makes of the normal force along each slip and about each turn, and the modes of this
        contact.
        """
        c = self.connection
        self.modes = {state: modes[f"{c.name}.{state}"] for mode in modes_of(c) for state in mode.states}
        signals = self.signals = ContactSignals(signals, self.modes)
        bending: list[Any] = []
        side = self.modes.get("side", 1)
        for law in c.rubbing:
            names = c.rubbed(law)
            motion = [self.rate(name) for name in names]
            rolling = signals[f"{c.name}.forward_velocity"]
            if law.sticks:
                mu = law.coefficient(signals, ca.SX(0), rolling) * (1 - self.modes["stick"])
                along = [self.modes["ahead_x"], self.modes["ahead_y"]]
                efforts = [mu * d for d in sliding_direction(motion, along, shift)]
            elif law.relaxes:
                grip, load = [signals.multiplier(f"{c.name}.{n}") for n in names], self._load_if_held(signals)
                self.weight, efforts = law.weighed(signals, motion, grip, load)
                self.dragged = {n: -ca.fabs(load) * effort for n, effort in zip(names, efforts, strict=True)}
                continue
            else:
                deflections = [self.bristles[i] for i in range(len(names))] if law.has_bristles else []
                efforts, rates = law.resist(signals, motion, rolling, deflections)
                if law.has_bristles:
                    bending = self._carried(deflections, rates)
            self.friction |= {name: -side * effort for name, effort in zip(names, efforts, strict=True)}
        for name in c.elastic:  # the deflection turns with the axes of the contact, as the carcass of a tyre does
            bending.append(self._law(name).deflection_rate(signals.t, ca.SX(0), self.rate(name)))
        self.bristle_rates = ca.vertcat(ca.SX(0, 1), *bending)

    def _load_if_held(self, signals: Any) -> Any:
        """Normal force if all slips were held: of its row, or of the law that stands for it."""
        law = self.connection.touch_laws.get("normal")
        if isinstance(law, EffortLaw):
            return law.effort(signals["t"], self.contact.gap, self.rate("normal"))
        return signals.multiplier(f"{self.connection.name}.normal")

    def _carried(self, bristles: Sequence[Any], rates: Sequence[Any]) -> list[Any]:
        """Rates of the components of a vector that stays with the first body, in axes that turn about the normal."""
        if len(bristles) == 1:
            return list(rates)
        c, w = self.contact, self.motion.body(self.connection.first.body).w
        turning = dot(c.axes_rates[0] - cross(w, c.axes[0]), c.axes[1])
        return [rates[0] + turning * bristles[1], rates[1] - turning * bristles[0]]

    @property
    def lost(self) -> Any:
        """Power lost by friction per unit of normal force."""
        return -sum((share * self.rate(name) for name, share in self.friction.items()), ca.SX(0))

    @property
    def taken(self) -> Any:
        """Power that friction takes per unit of normal force, whichever way this presses; zero while it is open."""
        return self.lost * self.modes.get("side", 1) * self.modes.get("closed", 1)

    def _rubbing(self, row: Row, t: Any) -> Row:
        """The row of the normal with the friction that its multiplier brings."""
        column, force, moment = dict(row.jacobian), row.force, row.moment
        for name, share in self.friction.items():
            against = self.row(name, t)
            force, moment = force + share * against.force, moment + share * against.moment
            for i, value in against.jacobian.items():
                column[i] = column.get(i, ca.SX(0)) + share * value
        return replace(row, column=column, force=force, moment=moment, lost=self.lost)

    def drag(self, n_u: int) -> tuple[Any, Any, Any]:
        """Friction of a law that relaxes the slips: on all speeds, and as force and moment at the second frame."""
        c, law = self.connection, self.connection.friction
        push, force, moment = ca.SX.zeros(n_u), ca.SX.zeros(3), ca.SX.zeros(3)
        if law is None or not self.dragged:
            return push, force, moment
        point = self.contact.point
        if law.at_centre:
            point = self.motion.frame(Frame(c.touching, c.touching.com)).p
        moving = difference(self.motion.partials(c.touching, point), self.motion.partials(c.first.body, point))
        for name, effort in self.dragged.items():
            force += effort * self.contact.axes[AXES[name]]
        for i, (_, linear) in moving.items():
            push[i] += dot(force, linear)
        return push, force, cross(point - self.motion.frame(c.second).p, force)

    def rows(self, t: Any) -> list[Row]:
        """The plane and the normal where the pair closes a loop, then what its laws hold."""
        pair = self.connection.pair
        assert isinstance(pair, ContactPair)
        closed = self.modes.get("closed")
        found = [replace(self.row(n, t), active=closed) for n in self.connection.held if n in pair.held]
        if self.closes and "z" in self.connection.holds:
            normal = self._rubbing(self.row("normal", t), t) if self.friction else self.row("normal", t)
            found.insert(0, replace(normal, active=closed))
        if "stick" in self.modes:
            found += [replace(self.row(n, t), active=self.modes["stick"]) for n in self.connection.sliding]
        if self.weight is not None:
            weight = self.weight * self.modes.get("closed", 1)
            found += [replace(self.row(n, t), weight=weight) for n in self.connection.sliding]
        return found if self.plane is None else [*self.plane.rows(), *found]

    def lean(self, name: str) -> Measure:
        """A deflection out of the plane."""
        assert self.plane is not None
        bond = self.plane.bonds[name]
        return Measure(bond.value, self.plane.rate(name), bond.force, bond.moment)

    def flow(self, name: str) -> Any:
        """Rate of the bond: of a deflection out of the plane, else the relative motion at the point of contact."""
        if self.plane is not None and name in self.connection.leaning:
            return self.plane.rate(name)
        return self.rate(name)

    def _law(self, name: str) -> EffortLaw:
        """The effort law on a bond; where it draws the bond to a rate, this depends on time alone."""
        law = self.connection.touch_laws[name]
        assert isinstance(law, EffortLaw)
        return law.placed(ca.SX(0)) if isinstance(law, RateTracking) else law

    def slip_if_closed(self) -> Any:
        """Largest rate among the motions that laws hold while the contact is closed; zero while it is open."""
        largest = ca.SX(0)
        for row in self.rows(ca.SX(0)):
            if row.bond in self.connection.held:
                largest = ca.fmax(largest, ca.fabs(row.rate))
        return largest * self.modes.get("closed", 1)

    def _deflection(self, name: str) -> Any:
        """The coordinate of a bond: the gap, a deflection out of the plane, an elastic slip or turn, or none."""
        c = self.connection
        if name == "normal":
            return self.contact.gap
        if self.plane is not None and name in c.leaning:
            return self.plane.bonds[name].value
        bent = len(c.bristles) - len(c.elastic)
        return self.bristles[bent + c.elastic.index(name)] if name in c.elastic else ca.SX(0)

    def along(self, name: str) -> tuple[Any, Any]:
        """Force and moment at the point of contact of a unit effort on a bond."""
        if self.plane is not None and name in self.connection.leaning:
            bond = self.plane.bonds[name]
            return bond.force, bond.moment + cross(self.plane.point - self.contact.point, bond.force)
        e = self.contact.axes[AXES[name]]
        return (0 * e, e) if name in TURNS else (e, 0 * e)

    def efforts(self, t: Any) -> tuple[dict[str, Terms], dict[str, Any]]:
        """What the effort laws at the point of contact contribute, by "contact.bond", and their efforts by bond."""
        c, connection = self.contact, self.connection
        terms: dict[str, Terms] = {}
        efforts: dict[str, Any] = {}
        for name, law in connection.touch_laws.items():
            if not isinstance(law, EffortLaw):
                continue
            law, value, rate = self._law(name), self._deflection(name), self.flow(name)
            effort = efforts[name] = law.effort(t, value, rate)
            F, M = (effort * e for e in self.along(name))
            wrenches, lost = [], law.dissipated(t, value, rate)
            for body, sign in ((connection.touching, 1), (connection.first.body, -1)):
                arm = c.point - self.motion.body(body).p
                wrenches.append((Frame(body), sign * F, sign * (M + cross(arm, F))))
            if name == "normal":  # friction of a spring's force
                for against, share in self.friction.items():
                    efforts[against] = effort * share
                    push, turn = (effort * share * e for e in self.along(against))
                    for i, (body, sign) in enumerate(((connection.touching, 1), (connection.first.body, -1))):
                        arm = c.point - self.motion.body(body).p
                        frame, force, moment = wrenches[i]
                        wrenches[i] = (frame, force + sign * push, moment + sign * (turn + cross(arm, push)))
                lost = lost + effort * self.lost
            terms[f"{connection.name}.{name}"] = Terms(
                wrenches,
                potential=law.potential(t, value),
                dissipated=lost,
                supplied=law.supplied(t, value, rate),
                measures={
                    "effort": (effort, "N m" if name in TURNS else "N", "effort on the second body at the contact")
                },
            )
        return terms, efforts


@final
@dataclass(frozen=True)
class Bristle:
    """A deflection of the surfaces of a contact: a coordinate without speed."""

    touch: Touch
    i: int
    is_angle: ClassVar[bool] = False

    @property
    def value(self) -> Any:
        return self.touch.bristles[self.i]

    @property
    def rate(self) -> Any:
        return self.touch.bristle_rates[self.i]

    @property
    def force(self) -> Any:
        """Efforts need a bond."""
        name = f"{self.touch.connection.name}.{self.touch.connection.bristles[self.i]}"
        raise ModelError(f"{name!r} is a deflection that only its law of friction knows: no effort can act on it.")

    moment = force


def touch_in_tree(
    connection: ConnectedPair, motion: Motion, value: Callable[[str], Any], rate: Callable[[str], Any]
) -> Touch:
    """Contact of a higher pair whose chain is part of the tree."""
    pair = connection.pair
    assert isinstance(pair, ContactPair)
    first, second = motion.frame(connection.first), motion.frame(connection.second)
    return Touch(connection, chain_contact(pair, first, second, value, rate), motion, closes=False)


def touch_of_loop(connection: ConnectedPair, motion: Motion, followers: Any) -> Touch:
    """Contact of a higher pair that closes a loop."""
    pair = connection.pair
    assert isinstance(pair, ContactPair)
    first, second = motion.frame(connection.first), motion.frame(connection.second)
    return Touch(connection, loop_contact(pair, first, second, followers), motion, closes=True)
