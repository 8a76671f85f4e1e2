"""Bonds at a point of contact: constraint rows of the normal and of rolling, and efforts of laws."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import final

import casadi as ca

from trundle.constraints.closure import difference
from trundle.constraints.drag import Drag
from trundle.constraints.row import Row
from trundle.contact.contact_motion import AXES, TURNS, ContactMotion
from trundle.contact.modes.find import modes_of
from trundle.contact.modes.signals import ContactSignals
from trundle.contact.modes.stick_slip import sliding_direction
from trundle.laws.law import EffortLaw
from trundle.laws.signals import Signals
from trundle.model.body import Frame
from trundle.model.force import Terms
from trundle.pairs.higher import ContactPair
from trundle.quantities.parameters import RunScales
from trundle.space.rotation import cross, dot
from trundle.typing import Expr


@final
class ContactBonds:
    """A contact with its laws and modes: friction over the normal force along each slip and about each turn, constraint
    rows, and efforts.
    """

    def __init__(self, at: ContactMotion, all_signals: Signals, modes: Mapping[str, Expr], scales: RunScales) -> None:
        self.at, self.connection, self.contact, self.motion = at, at.connection, at.contact, at.motion
        c = self.connection
        self.modes = {state: modes[f"{c.name}.{state}"] for mode in modes_of(c) for state in mode.states}
        signals = self.signals = ContactSignals(all_signals, self.modes)  # what its laws may ask
        self.friction: dict[str, Expr] = {}  # force along each slip, or moment about each turn, over the normal force
        self.weight: Expr = None  # of the slips, where a law relaxes them
        self.dragged: dict[str, Expr] = {}  # friction along each slip beside a relaxed constraint
        bending: list[Expr] = []
        side = self.modes.get("side", 1)
        for law in c.friction_laws:
            names = c.friction_motions(law)
            motion = [self.rate(name) for name in names]
            rolling = signals[f"{c.name}.forward_velocity"]
            if law.sticks:
                mu = law.coefficient(signals, ca.SX(0), rolling) * (1 - self.modes["stick"])
                along = [self.modes["ahead_x"], self.modes["ahead_y"]]
                efforts = [mu * d for d in sliding_direction(motion, along, self.modes["slow"], scales)]
            elif law.relaxes:
                grip, load = [signals.multiplier(f"{c.name}.{n}") for n in names], self._load_if_held(signals)
                self.weight, efforts = law.weighed(signals, motion, grip, load)
                self.dragged = {n: -ca.fabs(load) * effort for n, effort in zip(names, efforts, strict=True)}
                continue
            else:
                deflections = [self.at.bristles[i] for i in range(len(names))] if law.has_bristles else []
                efforts, rates = law.resist(signals, motion, rolling, deflections)
                if law.has_bristles:
                    bending = list(rates) if law.turns_along else self._carried(deflections, rates)
            self.friction |= {name: -side * effort for name, effort in zip(names, efforts, strict=True)}
        for name in c.elastic:  # the deflection turns with the axes of the contact, as the carcass of a tyre does
            bending.append(self.at.effort_law(name).deflection_rate(signals.t, ca.SX(0), self.rate(name)))
        self.bristle_rates = ca.vertcat(ca.SX(0, 1), *bending)

    def rate(self, name: str) -> Expr:
        """Relative velocity along, across or normal to the contact, or spin."""
        return self.at.rate(name)

    def row(self, name: str, t: Expr) -> Row:
        """Constraint that keeps this relative motion at zero, or at what its law prescribes."""
        return self.at.row(name, t)

    def _load_if_held(self, signals: ContactSignals) -> Expr:
        """Normal force if no slip were allowed: the multiplier of its row, or the force of a compliant normal."""
        law = self.connection.bond_laws.get("normal")
        if isinstance(law, EffortLaw):
            return law.effort(signals["t"], self.contact.gap, self.rate("normal"))
        return signals.multiplier(f"{self.connection.name}.normal")

    def _carried(self, bristles: Sequence[Expr], rates: Sequence[Expr]) -> list[Expr]:
        """Rates of the components of a vector that stays with the first body, in axes that turn about the normal."""
        if len(bristles) == 1:
            return list(rates)
        c, w = self.contact, self.motion.body(self.connection.first.body).w
        turning = dot(c.axes_rates[0] - cross(w, c.axes[0]), c.axes[1])
        return [rates[0] + turning * bristles[1], rates[1] - turning * bristles[0]]

    @property
    def lost(self) -> Expr:
        """Power lost by friction per unit of normal force."""
        return -sum((share * self.rate(name) for name, share in self.friction.items()), ca.SX(0))

    @property
    def taken(self) -> Expr:
        """Power that friction takes per unit of normal force, whatever its sign; zero while the contact is open."""
        return self.lost * self.modes.get("side", 1) * self.modes.get("closed", 1)

    def _with_friction(self, row: Row, t: Expr) -> Row:
        """The row of the normal with the friction that is proportional to its multiplier."""
        column, force, moment = dict(row.jacobian), row.force, row.moment
        for name, share in self.friction.items():
            against = self.row(name, t)
            force, moment = force + share * against.force, moment + share * against.moment
            for i, value in against.jacobian.items():
                column[i] = column.get(i, ca.SX(0)) + share * value
        return replace(row, column=column, force=force, moment=moment, lost=self.lost)

    def drag(self, n_u: int) -> Drag | None:
        """Friction of a law that relaxes the slips."""
        c, law = self.connection, self.connection.friction
        push, force = ca.SX.zeros(n_u), ca.SX.zeros(3)
        if law is None or not self.dragged:
            return None
        point = self.contact.point
        if law.at_centre:
            point = self.motion.frame(Frame(c.touching, c.touching.com)).p
        moving = difference(self.motion.partials(c.touching, point), self.motion.partials(c.first.body, point))
        for name, effort in self.dragged.items():
            force += effort * self.contact.axes[AXES[name]]
        for i, (_, linear) in moving.items():
            push[i] += dot(force, linear)
        return Drag(c, push, force, cross(point - self.motion.frame(c.second).p, force))

    def rows(self, t: Expr) -> list[Row]:
        """Rows of the plane and of the normal if the pair closes a loop, then those of its laws."""
        pair = self.connection.pair
        assert isinstance(pair, ContactPair)
        closed = self.modes.get("closed")
        found = [replace(self.row(n, t), active=closed) for n in self.connection.held if n in pair.held]
        if self.at.closes and "z" in self.connection.holds:
            normal = self._with_friction(self.row("normal", t), t) if self.friction else self.row("normal", t)
            found.insert(0, replace(normal, active=closed))
        if "stick" in self.modes:
            found += [replace(self.row(n, t), active=self.modes["stick"]) for n in self.connection.sliding]
        if self.weight is not None:
            weight = self.weight * self.modes.get("closed", 1)
            found += [replace(self.row(n, t), weight=weight) for n in self.connection.sliding]
        return found if self.at.plane is None else [*self.at.plane.rows(), *found]

    def slip_if_closed(self) -> Expr:
        """Largest rate among the motions that laws constrain while the contact is closed; zero while it is open."""
        largest = ca.SX(0)
        for row in self.rows(ca.SX(0)):
            if row.bond in self.connection.held:
                largest = ca.fmax(largest, ca.fabs(row.rate))
        return largest * self.modes.get("closed", 1)

    def efforts(self, t: Expr) -> tuple[dict[str, Terms], dict[str, Expr]]:
        """Contributions of the effort laws at the point of contact, by "contact.bond", and their efforts by bond."""
        c, connection = self.contact, self.connection
        terms: dict[str, Terms] = {}
        efforts: dict[str, Expr] = {}
        for name, law in connection.bond_laws.items():
            if not isinstance(law, EffortLaw):
                continue
            law, value, rate = self.at.effort_law(name), self.at.deflection(name), self.at.flow(name)
            effort = efforts[name] = law.effort(t, value, rate)
            F, M = (effort * e for e in self.at.along(name))
            wrenches, lost = [], law.dissipated(t, value, rate)
            for body, sign in ((connection.touching, 1), (connection.first.body, -1)):
                arm = c.point - self.motion.body(body).p
                wrenches.append((Frame(body), sign * F, sign * (M + cross(arm, F))))
            if name == "normal":  # friction of a spring's force
                for against, share in self.friction.items():
                    efforts[against] = effort * share
                    push, turn = (effort * share * e for e in self.at.along(against))
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
