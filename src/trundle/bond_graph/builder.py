"""Construction of the graph of a model."""

from collections.abc import Sequence
from typing import final

import casadi as ca

from trundle.bond_graph.bonds import Bond, BondGraph, Node
from trundle.bond_graph.causality import Causality
from trundle.bond_graph.chain import ChainSeal, chain_seals
from trundle.bond_graph.content import Content, Contents, Part
from trundle.bond_graph.states import default_values, poses_of, what_is_missing
from trundle.bond_graph.strokes import with_causality
from trundle.equations.formulation import Formulation
from trundle.model.body import Body, Frame
from trundle.model.check import massless
from trundle.model.connection import ConnectedPair
from trundle.model.electric_motor import ElectricMotor
from trundle.model.force import Force
from trundle.model.part_check import evaluate
from trundle.model.seal import Seal, find_seals
from trundle.pairs.lower import BONDS
from trundle.symbols.quick_symbols import with_quick_symbols


@with_quick_symbols
def build_graph(f: Formulation) -> BondGraph:
    """The multibond graph of a built model."""
    model = f.model
    by_connection = find_seals(model)
    contents = Contents(f)
    builder = _Builder(contents)
    light, heavy = massless(model), bool(evaluate(model, ca.vertcat(*model.gravity)).any())
    for body in model.bodies.values():
        builder.body(body, light.get(body.name, False))
        if heavy and body.is_free and evaluate(model, body.mass).any():
            builder.gravity(body)
    chain: list[ChainSeal] = []
    for c in model.connections.values():
        builder.connection(c, by_connection[c.name])
        found_here = chain_seals(model, c)
        for called in dict.fromkeys(each.seal.called for each in found_here):
            builder.chain_law(c, [each.seal for each in found_here if each.seal.called == called])
        chain += found_here
    for name, force in model.forces.items():
        builder.force(name, force)
    graph = BondGraph(
        model.name,
        tuple(builder.nodes.values()),
        tuple(builder.bonds),
        tuple(seal for seals in by_connection.values() for seal in seals),
        Causality(0, (), (), ()),
        tuple(chain),
        states=contents.states,
        measures=contents.measures,
        surfaces=contents.surfaces,
        values=default_values(f),
        poses=poses_of(f),
        missing=(*what_is_missing(f), *contents.hidden),
        length=f.length,
    )
    return with_causality(graph)


@final
class _Builder:
    """Nodes and bonds as they are added."""

    def __init__(self, contents: Contents) -> None:
        self.nodes: dict[str, Node] = {}
        self.bonds: list[Bond] = []
        self._contents = contents

    def node(
        self, name: str, kind: str, label: str, of: str, size: int = 6, content: Content | None = None, bond: str = ""
    ) -> str:
        """Add a node; a star is appended to an ambiguous name."""
        while name in self.nodes:
            name += "*"
        self.nodes[name] = Node(name, kind, label, of, size, content or {}, bond)
        return name

    def bond(self, tail: str, head: str, size: int) -> None:
        self.bonds.append(Bond(tail, head, size, 0))  # strokes are assigned to the whole graph

    def body(self, body: Body, massless: bool) -> None:
        flow = self._contents.flow(body)
        junction = self.node(f"1 {body.name}", "1", body.name, body.name, content=flow if body.is_free else None)
        if not body.is_free:
            source = self.node(f"Sf {body.name}", "Sf", _motion(body), body.name, content=flow)
            self.bond(source, junction, 6)
        elif not massless:
            inertance = self._contents.inertance(body)
            self.bond(junction, self.node(f"I {body.name}", "I", "inertia", body.name, 6, inertance), 6)

    def gravity(self, body: Body) -> None:
        weight = self._contents.weight(body)
        self.bond(self.node(f"Se gravity {body.name}", "Se", "gravity", body.name, 3, weight), f"1 {body.name}", 3)

    def connection(self, c: ConnectedPair, seals: tuple[Seal, ...]) -> None:
        """Two transformers shift to the point of connection, the central one rotates into its axes; then six bonds."""
        groups = {bond: [s for s in seals if s.bond == bond] for bond in BONDS}
        bodies, point = (c.first.body, c.touching), self._contents.point(c)
        middle = self.node(f"0 {c.name}", "0", c.kind or type(c.pair).__name__, c.name)
        arms = [self._contents.arm(body, point) for body in bodies]
        self.sides(c.name, c.name, middle, (bodies[0].name, bodies[1].name), 6, arms)
        axes = self._contents.axes(c)
        centre = self.node(f"TF {c.name}", "TF", "into the axes of the connection", c.name, 6, axes)
        self.bond(middle, centre, 6)
        for found in groups.values():
            self.seal(centre, found, [(part, s.by) for s in found for part in self._contents.seal(c, s)], c.name)

    def seal(self, above: str, seals: list[Seal], parts: list[tuple[Part, str]], of: str) -> None:
        """The end of one scalar bond: an element, or a 1-junction with several elements, which have the same flow."""
        name, bond = seals[0].name, seals[0].called or seals[0].bond
        if len(parts) > 1:
            parts = [each for each in parts if each[0][0] != "EC"] or parts[:1]
        label = " + ".join(s.by for s in seals)
        motors = [s.law for s in seals if isinstance(s.law, ElectricMotor)]
        if len(parts) == 1:
            ((kind, content), _) = parts[0]
            self.bond(above, self.node(name, kind, label, of, 1, content, bond), 1)
            for motor in motors:
                self.circuit(name, motor)
            return
        junction = self.node(name, "1", label, of, 1, bond=bond)
        self.bond(above, junction, 1)
        for (kind, content), by in parts:
            end = self.node(f"{kind} {name}", kind, by, of, 1, content)
            self.bond(junction, end, 1)
            if kind == "GY":
                self.circuit(end, motors.pop(0))

    def circuit(self, gyrator: str, motor: ElectricMotor) -> None:
        """The circuit of an electric motor: one current through source, resistance, coil and gyrator."""
        name, held = motor.name, self._contents.circuit(motor)
        junction = self.node(f"1 {name}", "1", f"current of {name}", name, 1, held["1"])
        self.bond(gyrator, junction, 1)
        self.bond(self.node(f"Se {name}", "Se", "voltage", name, 1, held["Se"]), junction, 1)
        for kind, label in (("R", "resistance"), ("I", "coil")):
            self.bond(junction, self.node(f"{kind} {name}", kind, label, name, 1, held[kind]), 1)

    def chain_law(self, c: ConnectedPair, seals: list[Seal]) -> None:
        """Laws and forces on one coordinate of the chain over two surfaces."""
        seal = seals[0]
        middle = self.node(f"0 {seal.name}", "0", seal.called, c.name, 1)
        moduli = self._contents.chain(c, seal.called)
        self.sides(seal.name, c.name, middle, (c.first.body.name, c.second.body.name), 1, moduli)
        parts = [(part, s.by) for s in seals for part in self._contents.on_coordinate(s)]
        self.seal(middle, seals, parts, c.name)

    def force(self, name: str, force: Force) -> None:
        """A force on places; forces on coordinates are seals."""
        places, kind = force.places, force.title
        line = self._contents.line(force)
        if line is not None:
            moduli, parts = line
            middle = self.node(f"0 {name}", "0", kind, name, 1)
            self.sides(name, name, middle, _names(places), 1, moduli)
            above = middle
            if len(parts) > 1:
                above = self.node(f"1 on {name}", "1", kind, name, 1)
                self.bond(middle, above, 1)
            for one, content in parts:
                self.bond(above, self.node(f"{one} {name}", one, kind, name, 1, content), 1)
        elif len(places) == 2 and self._contents.balanced(force):
            middle = self.node(f"0 {name}", "0", kind, name, 6)
            (_, _, _), (b, F, M) = self._contents.wrenches(force)
            point = self._contents.motion.frame(b).p
            arms = [self._contents.arm(frame.body, point) for frame in places]
            self.sides(name, name, middle, _names(places), 6, arms)
            effort = {"effort": self._contents.write(ca.vertcat(F, M))}
            self.bond(middle, self.node(f"{force.element} {name}", force.element, kind, name, 6, effort), 6)
        elif places:
            for frame, F, M in self._contents.wrenches(force):
                self.wrench(name, kind, force.element, frame, ca.vertcat(F, M))

    def wrench(self, name: str, kind: str, element: str, frame: Frame, effort: ca.SX) -> None:
        """A force and a moment on one body."""
        content = {"effort": self._contents.write(effort)}
        source = self.node(f"{element} {name}", element, kind, name, 6, content)
        arm = self._contents.arm(frame.body, self._contents.motion.frame(frame).p)
        shift = self.node(f"TF {name}", "TF", f"shift to {frame.body.name}", name, 6, arm)
        self.bond(source, shift, 6)
        self.bond(shift, f"1 {frame.body.name}", 6)

    def sides(
        self, name: str, of: str, middle: str, bodies: tuple[str, str], size: int, contents: Sequence[Content]
    ) -> None:
        """First body -> TF -> junction -> TF -> second body."""
        first, second = bodies
        near = self.node(f"TF {name} first", "TF", f"shift from {first}", of, 6, contents[0])
        far = self.node(f"TF {name} second", "TF", f"shift to {second}", of, 6, contents[1])
        self.bond(f"1 {first}", near, 6)
        self.bond(near, middle, size)
        self.bond(middle, far, size)
        self.bond(far, f"1 {second}", 6)


def _names(places: Sequence[Frame]) -> tuple[str, str]:
    first, second = places
    return first.body.name, second.body.name


def _motion(body: Body) -> str:
    """Words for the motion of a body that is a source of flow."""
    return str(body.moves) if body.is_at_rest else "given motion"
