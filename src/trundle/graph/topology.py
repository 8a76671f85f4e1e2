"""Spanning tree of least depth, and the loops that its other connections close.

A shallow tree keeps the mass matrix sparse. Contacts are cut wherever joints hold the bodies together: a cut contact
costs one row, a cut hinge five. Connections with laws are taken into the tree first, so that their coordinates are
states; so are those of massless bodies, which must not end a branch.
"""

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from trundle.errors import ModelError
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair, may_part
from trundle.model.model import Model
from trundle.model.register import model_register


@final
@dataclass(frozen=True)
class TreeJoint:
    """A connection of the tree; `reverse` when the tree runs from its second to its first body."""

    connection: ConnectedPair
    parent: Body
    child: Body
    reverse: bool


@final
@dataclass(frozen=True)
class Loop:
    """A connection that closes a loop, and the bodies around the loop."""

    connection: ConnectedPair
    bodies: tuple[Body, ...]

    @property
    def name(self) -> str:
        return self.connection.name


@final
@dataclass(frozen=True)
class Topology:
    """Tree joints in order from the ground outwards, and loops."""

    tree: tuple[TreeJoint, ...]
    loops: tuple[Loop, ...]
    parallel: tuple[ConnectedPair, ...] = ()  # outside the tree without constraints: they close no loop

    @property
    def cut(self) -> tuple[ConnectedPair, ...]:
        """Connections that are not joints of the tree."""
        return (*(loop.connection for loop in self.loops), *self.parallel)

    def path_to_root(self, body: Body) -> list[Body]:
        """The body, its parent, ... up to the ground or another body with prescribed motion."""
        parents = {j.child: j.parent for j in self.tree}
        path = [body]
        while path[-1].is_free:
            path.append(parents[path[-1]])
        return path


def find_topology(model: Model, massless: Mapping[str, bool]) -> Topology:
    """Grow the tree from its roots (Dijkstra); `massless` says which bodies have neither mass nor inertia."""
    coordinates = [name for force in model.forces.values() for name in force.coordinates]
    register = model_register(model)
    wanted = {register.get(name).quantity.owner for name in coordinates}
    neighbours: dict[Body, list[tuple[ConnectedPair, Body]]] = {b: [] for b in model.bodies.values()}
    for connection in model.connections.values():
        a, b = connection.bodies
        neighbours[a].append((connection, b))
        neighbours[b].append((connection, a))

    def rank(connection: ConnectedPair) -> int:
        """Connections of ranks 0 to 2 add no depth to the tree, and the lowest rank is taken first; those of rank 3 may
        be cut.
        """
        if any(massless.get(b.name, False) for b in connection.bodies):
            return 0
        if connection.driven:
            return 1
        acting = [k for k in connection.laws if connection.pair.coordinate_bonds.get(k) not in connection.compliant]
        return 2 if acting or connection.name in wanted else 3

    def weight(connection: ConnectedPair) -> float:
        # of two connections at equal depth, the freer one is cut
        return 0.0 if rank(connection) < 3 else 1.0 + 1e-3 * connection.pair.chain().n_u

    reached: dict[Body, TreeJoint | None] = {}
    depth: dict[Body, float] = {}
    heap: list[tuple[float, int, int, Body, TreeJoint | None]] = [
        (0.0, 0, k, root, None) for k, root in enumerate(model.roots)
    ]
    contacts: list[tuple[float, int, int, Body, TreeJoint | None]] = []  # used only if no joint reaches another body
    count = len(heap)
    order: list[TreeJoint] = []
    while heap or contacts:
        distance, _, _, body, joint = heapq.heappop(heap or contacts)
        if body in reached:
            continue
        reached[body], depth[body] = joint, distance
        if joint is not None:
            order.append(joint)
        for connection, other in neighbours[body]:
            if other not in reached and not may_part(connection):
                count += 1
                step = TreeJoint(connection, body, other, reverse=connection.second.body is body)
                queue = contacts if "normal" in connection.pair.locked and rank(connection) == 3 else heap
                heapq.heappush(queue, (distance + weight(connection), rank(connection), count, other, step))
    lost = [b.name for b in model.bodies.values() if b not in reached]
    if lost:
        why = (
            " A contact whose normal is a spring does not count as a connection."
            if any(map(may_part, model.connections.values()))
            else ""
        )
        raise ModelError(
            f"no chain of connections leads from the ground to {', '.join(map(repr, lost))}.{why} "
            "A body that moves freely needs model.connect(tr.Free(), model.ground, body)."
        )
    topology = Topology(tuple(order), ())
    used = {j.connection for j in order}
    cut = [c for c in model.connections.values() if c not in used]
    loops = [Loop(c, _around(topology, *c.bodies)) for c in cut if c.holds and not c.unilateral]
    return Topology(tuple(order), tuple(loops), tuple(c for c in cut if not c.holds or c.unilateral))


def _around(tree: Topology, a: Body, b: Body) -> tuple[Body, ...]:
    """Bodies of the loop closed between a and b, from a over the common ancestor, or the roots of both, to b."""
    up, down = tree.path_to_root(a), tree.path_to_root(b)
    if up[-1] is not down[-1]:
        return (*up, *reversed(down))
    common = next(x for x in up if x in down)
    return (*up[: up.index(common) + 1], *reversed(down[: down.index(common)]))
