"""The multibond graph of a model: bodies are 1-junctions, connections are 0-junctions with six sealed bonds
[Kosenko 2022, Figs. 1, 2]. Nodes contain their inertances, moduli and laws, so the graph has all equations of motion.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, final

from trundle.bond_graph.causality import Causality
from trundle.bond_graph.chain import ChainSeal
from trundle.bond_graph.phrasing import counted
from trundle.bond_graph.program import Program
from trundle.messages.arguments import explain_calls
from trundle.model.seal import Seal
from trundle.typing import State, Values

if TYPE_CHECKING:
    import networkx

    from trundle.bond_graph.dual import DualGraph


@final
@dataclass(frozen=True)
class Node:
    """A junction, a transformer or an element."""

    name: str  # unique
    kind: str  # "1", "0", "TF", "I", or one of trundle.model.seal.ELEMENTS
    label: str  # text: a body's name, the pair of a connection, the seal of a bond
    of: str  # name of the body, connection or force that it belongs to
    size: int  # number of scalar flows or efforts
    content: Mapping[str, Program] = field(default_factory=dict)  # its equations, as programs of the state
    bond: str = ""  # the bond of a connection that ends here: x, ..., rz, slip_x, normal; empty for all other nodes

    @property
    def is_body(self) -> bool:
        """A 1-junction of six flows; one with a single flow is a bond with several elements."""
        return self.kind == "1" and self.size == 6


@final
@dataclass(frozen=True)
class Bond:
    """`size` parallel scalar bonds. Power is positive from tail to head.

    at_head: number of them with the causal stroke at the head, which receives the effort and responds with the flow;
    the others have it at the tail.
    """

    tail: str  # name of a node
    head: str
    size: int
    at_head: int


@explain_calls
@final
@dataclass(frozen=True, eq=False)
class BondGraph:
    """Nodes and bonds of a model, the seals of its connections, and the causality of the whole."""

    name: str
    nodes: tuple[Node, ...]
    bonds: tuple[Bond, ...]
    seals: tuple[Seal, ...]
    causality: Causality
    chain: tuple[ChainSeal, ...] = ()  # laws and forces on coordinates of contacts that are not bonds
    states: Mapping[str, Program] = field(default_factory=dict)  # rates of the states of laws, blocks and forces
    measures: Mapping[str, Program] = field(default_factory=dict)  # angles of joints, up to whole turns
    surfaces: Mapping[str, tuple[tuple[str, ...], Program]] = field(default_factory=dict)  # contact -> see `Point`
    values: Values = field(default_factory=dict)  # parameters, tables, modes of contacts
    poses: tuple[Values, ...] = ()  # states: the assembled pose, and one that is not special
    length: float = 1.0  # typical length (m), which makes rows of lengths and of angles comparable
    missing: tuple[str, ...] = ()  # effects in the model that no node can represent

    def __repr__(self) -> str:
        moving, links, freedoms = self.counts
        return (
            f"<BondGraph of {self.name!r}: {moving} {'body' if moving == 1 else 'bodies'}, "
            f"{counted(links, 'connection')}, {counted(freedoms, 'degree')} of freedom>"
        )

    def __call__(self, *args: object) -> NoReturn:
        raise TypeError("system.graph is not a function: leave the brackets out, as in system.graph.save('graph.svg').")

    @property
    def counts(self) -> tuple[int, int, int]:
        """Moving bodies, connections, degrees of freedom."""
        moving = sum(node.is_body for node in self.nodes) - 1
        return moving, len({seal.connection for seal in self.seals}), self.causality.integral

    @property
    def network(self) -> "networkx.MultiGraph[str]":
        """Bodies as vertices and connections as edges, undirected."""
        from trundle.bond_graph.export import network

        return network(self)

    def to_networkx(self) -> "networkx.MultiDiGraph[str]":
        """All nodes and bonds, from tail to head, with texts and numbers as attributes."""
        from trundle.bond_graph.export import to_networkx

        return to_networkx(self)

    def to_dict(self) -> State:
        """All contents, for JSON."""
        from trundle.bond_graph.export import to_dict

        return to_dict(self)

    @staticmethod
    def from_json(text: str) -> "BondGraph":
        """The graph that `to_json` wrote, with all its equations.

        Parameters
        ----------
        text : str
            JSON.

        Returns
        -------
        BondGraph

        Raises
        ------
        StoreError
            For any other text.
        """
        from trundle.bond_graph.reload import from_json

        return from_json(text)

    def accelerations(
        self, state: Values | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> State:
        """Accelerations and efforts from the nodes and bonds alone, without the equations of the system.

        Parameters
        ----------
        state : mapping, optional
            The state of the graph, as returned by `system.graph_state`; by default at rest in the assembled pose.
        parameters : mapping, optional
            Values by name. Names that are not given have the values of the model.
        t : float
            Time (s).

        Returns
        -------
        dict
            "body.com_acceleration" (m/s^2), "body.angular_acceleration" (rad/s^2), both along ground axes; rates of
            states, "name_rate"; efforts of the elements by the names of their nodes, on the second body (N, N m).
        """
        from trundle.bond_graph.solve import accelerations

        return accelerations(self, state, parameters, t)

    def in_state(
        self, state: Values | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> "BondGraph":
        """The graph at a state: friction that sticks is FC, friction that slides is R, an open contact is EC.

        Parameters
        ----------
        state, parameters : mapping, optional
            Values by name. Names that are not given have the values of the model; the rest is computed.
        t : float
            Time (s).

        Returns
        -------
        BondGraph
        """
        from trundle.bond_graph.in_state import in_state

        return in_state(self, state, parameters, t)

    def dual(self) -> "DualGraph":
        """The other reading of the same graph: wrenches are the flows, twists the efforts."""
        from trundle.bond_graph.dual import DualGraph

        return DualGraph(self)

    def to_json(self) -> str:
        """Everything as JSON text."""
        from trundle.bond_graph.export import to_json

        return to_json(self)

    def save(self, path: Path | str) -> Path:
        """Write a picture (.svg), the data (.json, .graphml) or a Modelica package (.mo).

        Parameters
        ----------
        path : str or Path
            The file; its ending chooses the format.

        Returns
        -------
        Path
            The written file.
        """
        from trundle.bond_graph.export import save

        return save(self, path)

    def _repr_svg_(self) -> str:
        """Picture in a notebook."""
        from trundle.view.bond_graph import to_svg

        return to_svg(self)
