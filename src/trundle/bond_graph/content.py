"""Contents of the nodes of a graph: flows of junctions, inertances, arms and axes of transformers, efforts and
prescribed flows of elements, each as a program of the state.

A state names, for each moving body, com_position (m), orientation (unit quaternion), com_velocity (m/s) and
angular_velocity (rad/s, ground axes); angles of joints with whole turns; surface coordinates of contacts; states of
laws, blocks and forces; and modes of contacts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import final

import casadi as ca
import numpy as np

from trundle.bond_graph.chain import chain_row
from trundle.bond_graph.program import Program, ProgramWriter
from trundle.bond_graph.split import parts_of
from trundle.constraints.closure import connection_frame
from trundle.constraints.measure import Followed, LawState, Measure
from trundle.contact.bonds import ContactBonds
from trundle.contact.plane import PlaneMap
from trundle.derivative import derivative
from trundle.equations.formulation import Formulation
from trundle.equations.outputs.signals import Signals
from trundle.equations.stage import Outline, Stage
from trundle.laws.law import EffortLaw, FlowLaw
from trundle.model.body import Body, Frame
from trundle.model.connection import ConnectedPair
from trundle.model.electric_motor import ElectricMotor
from trundle.model.force import Force
from trundle.model.law_probe import MultiplierSignals
from trundle.model.seal import Seal
from trundle.motion.roots import FrameRates
from trundle.pairs.lower import BONDS, ROTATIONS
from trundle.space.rotation import cross, dot
from trundle.typing import Expr, ModelPart

Content = Mapping[str, Program]
Part = tuple[str, Content]  # kind of an element, and its content


@final
class Contents:
    """Programs of all nodes of a model, from absolute motion: every body moves independently, connections are bonds."""

    def __init__(self, f: Formulation) -> None:
        model = self.model = f.model
        layout, register = f.derivation.layout_in("absolute"), f.derivation.register("newton_euler")
        t = self.t = ca.SX.sym("t")
        p, modes, scales = f.parameters.symbols(model)
        own = {state.name: ca.SX.sym(state.name) for state in model.every_state()}
        roots = FrameRates(model, t, own).roots()
        stage = Stage(Outline(model, f.topology, "newton_euler", layout, register), t, roots, own)
        self.motion = stage.motion
        self.bodies = model.free_bodies
        turns = {name: m for name, m in stage.measured.items() if m.is_angle}
        counted = {name: ca.SX.sym(name) for name in turns}  # angles with whole turns
        measured = stage.measured | {name: _counted(m, counted[name]) for name, m in turns.items()}
        law_states = {name: LawState(name, value) for name, value in stage.values.items()}
        signals = self.signals = Signals(model, register, t, self.motion, {}, measured | law_states, stage.contacts)
        laws = MultiplierSignals(signals, {})
        self.contacts = {name: ContactBonds(at, laws, modes, scales) for name, at in stage.contacts.items()}
        self._write_inputs(stage, counted, p, f.parameters.names)
        self.measures = {name: self.write(measure.value) for name, measure in turns.items()}
        self.states = {name: self.write(rate) for name, rate in self._rates(stage).items()}
        self.hidden: list[str] = []  # effects that no node can represent
        self.surfaces = {
            name: (tuple(f"{name}.{one}" for one in bonds.contact.followers), self.write(bonds.contact.residual))
            for name, bonds in self.contacts.items()
            if bonds.contact.followers
        }

    def _write_inputs(self, stage: Stage, counted: Mapping[str, Expr], p: Expr, parameters: tuple[str, ...]) -> None:
        """Names of all symbols; angular velocities are in ground axes."""
        names: list[str] = []
        turning, rates = [], []
        for i, body in enumerate(self.bodies):
            names += [f"{body.name}.com_position[{k}]" for k in range(3)]
            names += [f"{body.name}.orientation[{k}]" for k in range(4)]
            turning.append(w := ca.SX.sym("w", 3))
            R = self.motion.body(body).R
            rates += [stage.motion.u[6 * i : 6 * i + 3], ca.mtimes(R.T, w)]
        symbols, speeds = [stage.motion.q], []
        for i, body in enumerate(self.bodies):
            speeds += [stage.motion.u[6 * i : 6 * i + 3], turning[i]]
            names += [f"{body.name}.com_velocity[{k}]" for k in range(3)]
            names += [f"{body.name}.angular_velocity[{k}]" for k in range(3)]
        symbols += speeds
        for name, follower in stage.followers.items():
            symbols.append(follower)
            names += [f"{name}.{one}" for one in self.model.connections[name].pair.followers]
        for others in (stage.values, counted):
            symbols += others.values()
            names += others
        symbols.append(p)
        names += parameters
        self.names = tuple(names)
        self._u, self._rates_of_u = stage.motion.u, ca.vertcat(ca.SX(0, 1), *rates)
        self._twists = {body: ca.vertcat(*speeds[2 * i : 2 * i + 2]) for i, body in enumerate(self.bodies)}
        self._writer = ProgramWriter(self.t, ca.vertcat(*symbols), names)

    def write(self, expression: Expr, *shape: int) -> Program:
        """An expression as a program."""
        return self._writer.program(ca.substitute(ca.SX(expression), self._u, self._rates_of_u), *shape)

    def _rates(self, stage: Stage) -> dict[str, Expr]:
        """Rates of the states of laws, blocks and forces."""
        found = {name: self.contacts[contact].bristle_rates[i] for name, (contact, i) in stage.bent.items()}
        for name, law in stage.tracking.items():
            placed, deviation, rate = law.acting(self.signals, name)
            found[f"{name}_deviation"] = placed.deflection_rate(self.t, deviation, rate)
        return found | {state.name: ca.SX(state.rate(self.signals)) for state in self.model.every_state()}

    # -- bodies --------------------------------------------------------------------------------------------------------

    def _reference(self, body: Body) -> Expr:
        """The point whose velocity is the flow of a body: its mass centre, or the origin of a given motion."""
        if not body.is_free:
            return self.motion.body(body).p
        at = 7 * self.bodies.index(body)
        return self.motion.q[at : at + 3]

    def flow(self, body: Body) -> Content:
        """Twist of a body, ground axes."""
        at = self.motion.body(body)
        return {"flow": self.write(self._twists[body] if body.is_free else ca.vertcat(at.v, at.w))}

    def inertance(self, body: Body) -> Content:
        """Momentum over twist, ground axes."""
        inertia, R = body.mass_properties(), self.motion.body(body).R
        turning = ca.mtimes(ca.mtimes(R, inertia.matrix), R.T)
        return {"inertance": self.write(ca.diagcat(inertia.mass * ca.SX.eye(3), turning), 6, 6)}

    def weight(self, body: Body) -> Content:
        """Force of gravity."""
        return {"effort": self.write(body.mass_properties().mass * ca.SX(ca.vertcat(*self.model.gravity)))}

    # -- transformers --------------------------------------------------------------------------------------------------

    def arm(self, body: Body, point: Expr) -> Content:
        """Arm from the reference point of a body to a point, by which twists are shifted there and wrenches back."""
        return {"arm": self.write(point - self._reference(body))}

    def point(self, c: ConnectedPair) -> Expr:
        """Where a connection acts: the point of contact, or the origin of its second frame."""
        return self.contacts[c.name].contact.point if c.is_contact else self.motion.frame(c.second).p

    def axes(self, c: ConnectedPair) -> Content:
        """Flows of the six bonds from a relative twist."""
        return {"modulus": self.write(ca.vertcat(*[row.T for row in self._rows(c)]), 6, 6)}

    def _rows(self, c: ConnectedPair) -> list[Expr]:
        zero = ca.SX.zeros(3)
        if c.is_contact:
            bonds = self.contacts[c.name]
            if bonds.at.plane is None:
                axes = bonds.contact.axes
                return [ca.vertcat(e, zero) for e in axes] + [ca.vertcat(zero, e) for e in axes]
            plane = PlaneMap(bonds.contact, bonds.at.plane)
            levers = (zero, plane.lever, zero)
            slides = [ca.vertcat(e, lever) for e, lever in zip(plane.slides, levers, strict=True)]
            return slides + [ca.vertcat(zero, e) for e in plane.turns]
        A, B = (self.motion.frame(connection_frame(frame, c)).R for frame in (c.first, c.second))
        rows = {bond: ca.vertcat(A[:, i], zero) for i, bond in enumerate("xyz")}
        rows |= {bond: ca.vertcat(zero, A[:, i]) for i, bond in enumerate(ROTATIONS)}
        free = [ROTATIONS.index(b) for b in c.pair.free if b in ROTATIONS]
        if len(free) == 2:  # the first axis on the first body, the second on the second, the third normal to both
            i, j = free
            rows[ROTATIONS[3 - i - j]] = ca.vertcat(zero, cross(A[:, i], B[:, j]))
            rows[ROTATIONS[j]] = ca.vertcat(zero, B[:, j])
        if c.pair.coupling is not None:  # the advance minus that of the screw
            rows["z"] = ca.vertcat(A[:, 2], -c.pair.coupling * A[:, 2])
        for coordinate, bond in c.pair.coordinate_bonds.items():
            measure = self.signals.measured.get(f"{c.name}.{coordinate}")
            if isinstance(measure, Measure):
                rows[bond] = ca.vertcat(measure.force, measure.moment)
        return [rows[bond] for bond in BONDS]

    def chain(self, c: ConnectedPair, called: str) -> list[Content]:
        """Moduli from both bodies to a coordinate of the chain over two surfaces."""
        contact = self.contacts[c.name].contact
        row = chain_row(c, self.motion, contact.coordinates, contact.point, called)
        if row is None:
            self.hidden.append(f"what acts on {c.name}.{called}, which a ball hides")
            row = ca.SX.zeros(6)
        bodies = (c.first.body, c.second.body)
        return [self._seen(body, contact.point, row[:3], row[3:]) for body in bodies]

    def _seen(self, body: Body, point: Expr, force: Expr, moment: Expr) -> Content:
        """The modulus that maps the twist of a body to force . v + moment . w at a point."""
        arm = point - self._reference(body)
        return {"modulus": self.write(ca.vertcat(force, moment + cross(arm, force)).T, 1, 6)}

    # -- elements ------------------------------------------------------------------------------------------------------

    def seal(self, c: ConnectedPair, seal: Seal) -> list[Part]:
        """Elements of a seal with their contents: an effort, a prescribed flow or its rate (of the second body relative
        to the first), the effort relative to that of the normal, whether the flow is held now.
        """
        if c.is_contact:
            return list(self._at_contact(c, seal))
        if seal.law is None or seal.element == "EC":
            return [(seal.element, {})]
        return self.on_coordinate(seal)

    def on_coordinate(self, seal: Seal) -> list[Part]:
        """Elements of laws and forces on a coordinate."""
        if isinstance(seal.law, ElectricMotor):
            return [("GY", self.circuit(seal.law)["GY"])]
        if isinstance(seal.law, FlowLaw):
            return [(seal.element, self._prescribed(seal.law, seal.coordinate))]
        return [(kind, {"effort": self.write(e)}) for kind, e in self._on_coordinate(seal.law, seal.coordinate)]

    def _on_coordinate(self, acting: ModelPart, coordinate: str) -> list[tuple[str, Expr]]:
        """A law or a force on a coordinate, split into its parts."""
        law = acting if isinstance(acting, EffortLaw) else acting.effort_law
        if law is None:
            efforts = [effort for name, effort in acting.terms(self.signals).efforts if name == coordinate]
            return [(acting.element, sum(efforts, ca.SX(0)))]
        law, q, u = law.acting(self.signals, coordinate)
        return parts_of(law, self.t, q, u)

    def _prescribed(self, law: FlowLaw, coordinate: str, at_contact: bool = False) -> Content:
        """The rate that a flow law prescribes, or the acceleration."""
        s = self.signals
        q, u = (ca.SX(0), ca.SX(0)) if at_contact else (s[coordinate], s[f"{coordinate}_rate"])
        if law.level == "position":
            at = ca.SX.sym("t")
            rate = derivative(ca.SX(law.motion(at, q, u)), at)
            return {"flow": self.write(ca.substitute(rate, at, self.t))}
        key = "flow" if law.level == "velocity" else "acceleration"
        return {key: self.write(law.motion(self.t, q, u))}

    def _at_contact(self, c: ConnectedPair, seal: Seal) -> Iterator[Part]:
        bonds, name = self.contacts[c.name], seal.called
        law = c.bond_laws.get(name)
        closed = bonds.modes.get("closed")
        holds: Content = {} if closed is None else {"active": self.write(closed)}
        if isinstance(law, EffortLaw):
            law = bonds.at.effort_law(name)
            for kind, effort in parts_of(law, self.t, bonds.at.deflection(name), bonds.at.flow(name)):
                yield kind, {"effort": self.write(effort)}
        elif name in c.held:
            given = self._prescribed(law, "", True) if isinstance(law, FlowLaw) else {}
            yield "FC" if not given or given["flow"].is_zero else "Sf", {**given, **holds}
        elif name in bonds.friction:
            ratio = {"ratio": self.write(bonds.friction[name])}
            sticks = name in c.sliding and "stick" in bonds.modes
            yield "R", ratio | ({"active": self.write(bonds.modes["stick"])} if sticks else {})
        elif seal.imposes_flow:
            yield seal.element, holds
        else:
            yield seal.element, {}

    def circuit(self, motor: ElectricMotor) -> dict[str, Content]:
        """Contents of the nodes of a circuit, by their kind."""
        s, one = self.signals, ca.SX(1)
        current = motor.current(s)
        return {
            "1": {"flow": self.write(current)},
            "GY": {"modulus": self.write(one * motor.constant)},
            "I": {"inertance": self.write(one * motor.inductance, 1, 1)},
            "R": {"effort": self.write(motor.resistance * current)},
            "Se": {"effort": self.write(motor.source(s))},
        }

    # -- forces between places -----------------------------------------------------------------------------------------

    def line(self, force: Force) -> tuple[list[Content], list[Part]] | None:
        """A force along the line between two points: moduli on both sides, and its elements; None for other forces."""
        if force.effort_law is None or force.coordinates:
            return None
        s, (a, b) = self.signals, force.places
        d = s.position(b) - s.position(a)
        length = ca.sqrt(dot(d, d) + 1e-300)
        e = d / length
        rate = dot(e, s.velocity(b) - s.velocity(a))
        moduli = [self._seen(frame.body, s.position(frame), e, ca.SX.zeros(3)) for frame in (a, b)]
        return moduli, [
            (kind, {"effort": self.write(x)}) for kind, x in parts_of(force.effort_law, self.t, length, rate)
        ]

    def wrenches(self, force: Force) -> list[tuple[Frame, Expr, Expr]]:
        """Forces and moments of a force on places."""
        return force.terms(self.signals).wrenches

    def balanced(self, force: Force) -> bool:
        """Whether a force acts between two frames with opposite wrenches."""
        found = self.wrenches(force)
        if len(found) != 2:
            return False
        s, ((a, F_A, M_A), (b, F_B, M_B)) = self.signals, found
        rest = ca.vertcat(F_A + F_B, M_A + M_B + cross(s.position(b) - s.position(a), F_B))
        program = self.write(rest)
        spread = {name: (0.3 + 0.37 * ((7 * i) % 11)) for i, name in enumerate(program.inputs)}
        value, _ = program.evaluate(lambda name: (spread[name], np.zeros(1)))
        size, _ = self.write(ca.vertcat(F_B, M_B)).evaluate(lambda name: (spread.get(name, 0.5), np.zeros(1)))
        return bool(np.all(np.abs(value) <= 1e-9 * (1 + np.max(np.abs(size)))))


def _counted(measure: Measure | Followed | LawState, value: Expr) -> Measure | LawState:
    """An angle with another value, which includes whole turns."""
    if isinstance(measure, Measure):
        return replace(measure, value=value)
    return LawState("", value, measure.rate)
