"""A graph as a Modelica package: its classes, and one model of components whose arms, axes and laws are equations
written from the programs of the nodes.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, final

from trundle.bond_graph.flows import Link, links
from trundle.bond_graph.modelica_library import LIBRARY
from trundle.bond_graph.modelica_text import expressions
from trundle.bond_graph.program import Program
from trundle.errors import StoreError

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph, Node

BONDS = ("x", "y", "z", "rx", "ry", "rz")
FAMILY = {("FC", "EC"): "FixedIdealJoint", ("EC", "EC"): "FreeIdealJoint", ("EC", "FC"): "FreeSlideJoint"}
KINDS = {"com_position": "r", "orientation": "Q", "com_velocity": "v", "angular_velocity": "w"}


def to_modelica(graph: "BondGraph") -> str:
    """The text of a package; StoreError if the graph cannot be expressed in Modelica."""
    return _Writer(graph).text()


@final
class _Writer:
    """Declarations and equations as they are added."""

    def __init__(self, graph: "BondGraph") -> None:
        self.graph, self.declared, self.hidden, self.equations = graph, list[str](), list[str](), list[str]()
        self._refuse()
        self.names: dict[str, str] = {}
        self.count = 0
        self.bodies = {n.of: self.name(n.of, "body") for n in graph.nodes if n.is_body}
        self.links = links(graph)
        self.nodes = {node.name: node for node in graph.nodes}
        for name in (*graph.measures, *graph.states, *(n for names, _ in graph.surfaces.values() for n in names)):
            self.name(name)

    def _refuse(self) -> None:
        """StoreError for effects that a continuous Modelica model cannot represent."""
        graph = self.graph
        why = [f"{name} is held by no node" for name in graph.missing]
        why += [f"what {n.of!r} does changes at events" for n in graph.nodes if "active" in n.content]
        why += [f"{n.name!r} belongs to a circuit" for n in graph.nodes if n.kind == "GY"]
        why += [f"{name!r} is a table" for name, value in graph.values.items() if isinstance(value, Mapping)]
        if why:
            raise StoreError(f"{graph.name!r} cannot be written as Modelica: {'; '.join(dict.fromkeys(why))}.")

    def name(self, of: str, kind: str = "value") -> str:
        """An identifier of Modelica for a name of the graph; bodies, connections and values may have the same names."""
        key = f"{kind} {of}"
        if key not in self.names:
            plain = re.sub(r"\W+", "_", of, flags=re.ASCII).strip("_") or "part"
            taken = RESERVED | set(self.names.values())
            plain = f"n{plain}" if plain[0].isdigit() else plain
            while plain in taken or re.fullmatch(r"s\d+", plain):
                plain += f"_{kind}"
            self.names[key] = plain
        return self.names[key]

    # -- programs ------------------------------------------------------------------------------------------------------

    def value(self, program: Program) -> list[str]:
        """Expressions of the outputs of a program; what is used several times gets a variable."""

        def variable(text: str) -> str:
            self.count += 1
            self.hidden.append(f"Real s{self.count};")
            self.equations.append(f"s{self.count} = {text};")
            return f"s{self.count}"

        return expressions(program, self._input, variable)

    def _input(self, name: str) -> str:
        whole, _, place = name.partition("[")
        if place:
            body, _, kind = whole.rpartition(".")
            return f"{self.bodies[body]}.{KINDS[kind]}[{int(place[:-1]) + 1}]"
        return "time" if name == "t" else self.name(name)

    def vector(self, program: Program) -> str:
        return f"{{{', '.join(self.value(program))}}}"

    def matrix(self, program: Program) -> str:
        values, columns = self.value(program), program.shape[1]
        rows = [", ".join(values[i : i + columns]) for i in range(0, len(values), columns)]
        return f"{{{', '.join(f'{{{row}}}' for row in rows)}}}"

    # -- parts ---------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        graph = self.graph
        used = {name for program in self._programs() for name in program.inputs}
        for name, value in graph.values.items():
            if name in used:
                self.declared.append(f"parameter Real {self.name(name)} = {float(value)!r};")
        for node in graph.nodes:
            if node.is_body:
                self.body(node)
        for link in self.links:
            self.link(link)
        self.wrenches()
        for name, program in graph.states.items():
            self.declared.append(f"Real {self.name(name)}(start = {float(graph.poses[0][name])!r});")
            self.equations.append(f"der({self.name(name)}) = {self.value(program)[0]};")
        for names, residual in graph.surfaces.values():
            self.declared += [f"Real {self.name(n)}(start = {float(graph.poses[0][n])!r});" for n in names]
            self.equations += [f"{value} = 0;" for value in self.value(residual)]
        self.measures(used)
        package = self.name(graph.name + " graph", "package")
        public = "\n".join(f"    {line}" for line in self.declared)
        hidden = "\n".join(f"    {line}" for line in self.hidden)
        equations = "\n".join(f"    {line}" for line in self.equations)
        inner = f"  protected\n{hidden}\n" if hidden else ""
        model = f'  model System "{_quoted(graph.name)}"\n{public}\n{inner}  equation\n{equations}\n  end System;\n'
        return f'package {package} "multibond graph of {_quoted(graph.name)}"\n{LIBRARY}\n{model}end {package};\n'

    def _programs(self) -> Iterator[Program]:
        yield from (program for node in self.graph.nodes for program in node.content.values())
        yield from (*self.graph.states.values(), *(residual for _, residual in self.graph.surfaces.values()))
        yield from self.graph.measures.values()

    def body(self, node: "Node") -> None:
        own = self.bodies[node.of]
        source = self.nodes.get(f"Sf {node.of}")
        if source is not None and source.size == 6:
            self.declared.append(f"Source {own};")
            self.equations.append(f"{own}.flow_ = {self.vector(source.content['flow'])};")
            return
        pose = self.graph.poses[0]
        r, Q = (
            ", ".join(repr(float(v)) for v in pose[f"{node.of}.{kind}"]) for kind in ("com_position", "orientation")
        )
        self.declared.append(f"RigidBody {own}(r(start = {{{r}}}), Q(start = {{{Q}}}));")
        inertia, weight = self.nodes.get(f"I {node.of}"), self.nodes.get(f"Se gravity {node.of}")
        self.equations.append(
            f"{own}.I = {'zeros(6, 6)' if inertia is None else self.matrix(inertia.content['inertance'])};"
        )
        self.equations.append(
            f"{own}.weight = {'{0, 0, 0}' if weight is None else self.vector(weight.content['effort'])};"
        )

    def link(self, link: Link) -> None:
        own = self.name(link.junction[2:], "connection")
        first, second = self.bodies[link.first], self.bodies[link.second]
        near, far = self.nodes[link.near].content, self.nodes[link.far].content
        if "modulus" in near:
            kind = "Line"
            self.equations += [
                f"{own}.row_a = {self.vector(near['modulus'])};",
                f"{own}.row_b = {self.vector(far['modulus'])};",
            ]
        elif len(link.ends) == 1 and link.ends[0].size == 6:
            kind = "Bushing"
            self.equations.append(f"{own}.effort = {self.vector(link.ends[0].content['effort'])};")
        else:
            kind = self.seals(own, link)
            centre = next(
                self.nodes[b.head] for b in self.graph.bonds if b.tail == link.junction and b.head != link.far
            )
            self.equations.append(f"{own}.T = {self.matrix(centre.content['modulus'])};")
        if "arm" in near:
            self.equations += [
                f"{own}.arm_a = {self.vector(near['arm'])};",
                f"{own}.arm_b = {self.vector(far['arm'])};",
            ]
        if kind == "Line":
            for node in link.ends:
                self.element(node, f"{own}.bond")
        self.declared.append(f"{kind} {own};")
        self.equations += [f"connect({first}.frame, {own}.a);", f"connect({second}.frame, {own}.b);"]

    def seals(self, own: str, link: Link) -> str:
        """Elements on the six bonds; of a joint on an axis the class seals what it can."""
        by_bond = self.by_bond(link)
        kinds = [[node.kind for node in ends] for ends in by_bond]
        simple = all(kinds[i] == ["FC"] and not by_bond[i][0].content for i in (0, 1, 3, 4))
        left, kind = list(range(6)), "Connection"
        if simple:
            z, rz = ("+".join(kinds[i]) for i in (2, 5))
            kind, left = FAMILY.get((z, rz), ""), []
            if not kind and z == "FC":
                kind, left = "FixedControlledJoint", [5]
                if "acceleration" in by_bond[5][0].content:
                    kind, left = "FixedServoJoint", []
                    self.equations.append(
                        f"{own}.acceleration = {self.value(by_bond[5][0].content['acceleration'])[0]};"
                    )
            elif not kind and rz == "EC":
                kind, left = "SpringIdealJoint", [2]
            elif not kind:
                kind, left = "Connection", list(range(6))
        for i in left:
            for node in by_bond[i]:
                self.element(node, f"{own}.bond[{i + 1}]" if kind == "Connection" else f"{own}.bond")
        return kind

    def centre(self, link: Link) -> str:
        """The transformer into the axes of a connection."""
        return next(b.head for b in self.graph.bonds if b.tail == link.junction and b.head != link.far)

    def by_bond(self, link: Link) -> list[list["Node"]]:
        """Elements of each of the six bonds of a connection, in their order."""
        centre = self.centre(link)
        found = []
        for bond in self.graph.bonds:
            if bond.tail == centre:
                below = [self.nodes[b.head] for b in self.graph.bonds if b.tail == bond.head]
                found.append(below or [self.nodes[bond.head]])
        return found

    def element(self, node: "Node", bond: str) -> None:
        own, content = self.name(f"{node.name} {node.kind}", "element"), node.content
        if "effort" in content:
            kind = "Effort"
            self.equations.append(f"{own}.effort = {self.value(content['effort'])[0]};")
        elif "ratio" in content:
            kind = "Effort"
            normal = f"{self.name(node.of, 'connection')}.e[3]"
            self.equations.append(f"{own}.effort = {self.value(content['ratio'])[0]} * {normal};")
        elif "acceleration" in content:
            kind = "Servo"
            self.equations.append(f"{own}.acceleration = {self.value(content['acceleration'])[0]};")
        elif "flow" in content:
            kind = "Sf"
            self.equations.append(f"{own}.rate = {self.value(content['flow'])[0]};")
        else:
            kind = "FC" if node.kind in ("FC", "Sf") else "EC"
        self.declared.append(f"{kind} {own};")
        self.equations.append(f"connect({bond}, {own}.bond);")

    def wrenches(self) -> None:
        """Sources on single bodies."""
        for node in self.graph.nodes:
            if node.kind in ("Se", "C", "R") and node.size == 6 and "effort" in node.content:
                shifts = [b.head for b in self.graph.bonds if b.tail == node.name]
                if not shifts:
                    continue
                own = self.name(f"{node.name} wrench", "element")
                body = next(self.nodes[b.head].of for b in self.graph.bonds if b.tail == shifts[0])
                self.declared.append(f"Wrench {own};")
                self.equations += [
                    f"{own}.arm = {self.vector(self.nodes[shifts[0]].content['arm'])};",
                    f"{own}.effort = {self.vector(node.content['effort'])};",
                    f"connect({self.bodies[body]}.frame, {own}.frame);",
                ]

    def measures(self, used: set[str]) -> None:
        """Angles with whole turns: integrals of the flows of their bonds."""
        bond_of = {seal.coordinate: seal for seal in self.graph.seals if seal.coordinate}
        for name, program in self.graph.measures.items():
            if name not in used:
                continue
            own = self.name(name)
            start = self.graph.poses[0].get(name)
            if name in bond_of and start is not None:
                seal = bond_of[name]
                self.declared.append(f"Real {own}(start = {float(start)!r}, fixed = true);")
                self.equations.append(
                    f"der({own}) = {self.name(seal.connection, 'connection')}.f[{BONDS.index(seal.bond) + 1}];"
                )
            else:
                self.declared.append(f"Real {own};")
                self.equations.append(f"{own} = {self.value(program)[0]};")


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


RESERVED = frozenset(
    re.findall(
        r"\w+",
        """algorithm and annotation block break class connect connector constant constrainedby der discrete each else
        elseif elsewhen encapsulated end enumeration equation expandable extends external false final flow for function
        if import impure in initial inner input loop model not operator or outer output package parameter partial
        protected public pure record redeclare replaceable return stream then true type when while within time Real
        System Frame Bond Source RigidBody Wrench Line Bushing Junction Connection FC Sf Servo EC Effort Joint
        FixedIdealJoint FreeIdealJoint FreeSlideJoint SpringIdealJoint FixedControlledJoint FixedServoJoint
        cross transpose zeros""",
    )
)
