"""Kinematic structure: links and joints, each higher pair as the equivalent chain of lower pairs [Meijaard 2024, Figs.
6, 9, 11, 13].
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.graph.topology import Topology
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.pairs.lower import Pair
from trundle.space.chain import Ball, Screw, Step
from trundle.space.rotation import axis_vector

FREEDOMS = {"R": 1, "P": 1, "H": 1, "C": 2, "U": 2, "E": 3, "S": 3, "F": 6, "W": 0, "K": 5}
KINDS = {
    "R": "revolute",
    "P": "prismatic",
    "H": "screw",
    "C": "cylindrical",
    "U": "universal",
    "E": "planar",
    "S": "spherical",
    "F": "free body",
    "W": "fixed",
    "K": "higher pair that is not a chain of screws",
}


@final
@dataclass(frozen=True)
class StructureJoint:
    """A joint between two links, which are numbered from the ground (0)."""

    letter: str
    coordinates: tuple[str, ...]  # names as in results
    first: int
    second: int
    connection: str
    closes: bool  # whether its connection closes a loop of the tree

    @property
    def freedoms(self) -> int:
        """Degrees of freedom of the joint alone."""
        return FREEDOMS[self.letter]


@final
@dataclass(frozen=True)
class Structure:
    """Links by name (those inside an equivalent chain have no name) and joints."""

    links: tuple[str, ...]
    joints: tuple[StructureJoint, ...]

    @property
    def loops(self) -> int:
        """Number of independent loops."""
        return len(self.joints) - len(self.links) + 1

    @property
    def joint_freedoms(self) -> int:
        """Sum of the degrees of freedom of all joints."""
        return sum(joint.freedoms for joint in self.joints)

    @property
    def count(self) -> int:
        """Degrees of freedom by counting alone: those of the joints less six for each loop. There may be more because
        of redundant constraints.
        """
        return self.joint_freedoms - 6 * self.loops

    def sentence(self, configuration: int, freedoms: int) -> str:
        """The degrees of freedom by count and by the rank of the equations."""
        return (
            f"{len(self.links)} links, {len(self.joints)} joints, {_counted(self.loops, 'loop')}: "
            f"{self.joint_freedoms} - 6 x {self.loops} = {self.count} by count, "
            f"{_counted(configuration, 'coordinate')} by rank, {_counted(freedoms, 'freedom')} with rolling constraints"
        )


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def find_structure(model: Model, topology: Topology) -> Structure:
    """The structure of a model; rolling constraints do not change it."""
    links = {root.name: 0 for root in model.roots}
    names = ["ground"] if len(links) == 1 else [", ".join(links)]
    for body in model.free_bodies:
        links[body.name] = len(names)
        names.append(body.name)
    cut = {c.name for c in topology.cut}
    apart = {c.name for c in topology.parallel}  # they constrain nothing, always or while open: not joints
    joints: list[StructureJoint] = []
    for connection in model.connections.values():
        if connection.name in apart:
            continue
        steps = list(_joints_of(connection))
        ends = [links[body.name] for body in connection.bodies]
        inner = list(range(len(names), len(names) + len(steps) - 1))
        names += [""] * len(inner)
        along = [ends[0], *inner, ends[1]]
        for i, (letter, coordinates) in enumerate(steps):
            full = tuple(f"{connection.name}.{name}" for name in coordinates)
            joints.append(StructureJoint(letter, full, along[i], along[i + 1], connection.name, connection.name in cut))
    return Structure(tuple(names), tuple(joints))


def _joints_of(connection: ConnectedPair) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Letter and names of coordinates of each joint that a connection consists of."""
    pair: Pair = connection.pair
    if not pair.in_tree:
        yield "K", tuple(c.name for c in pair.coordinates)
        return
    steps = pair.chain().steps
    if pair.letter or not steps:
        yield pair.letter or "W", tuple(step.name for step in steps)
        return
    i = 0
    while i < len(steps):
        if connection.is_contact and _planar(steps[i : i + 3]):
            yield "E", tuple(step.name for step in steps[i : i + 3])
            i += 3
            continue
        yield _letter(steps[i]), (steps[i].name,)
        i += 1


def _letter(step: Step) -> str:
    if isinstance(step, Ball):
        return "S"
    assert isinstance(step, Screw)
    return "P" if step.slides else "R" if step.closed else "H"


def _planar(steps: Sequence[Step]) -> bool:
    """Whether the steps are two slides and a rotation about their normal: a planar joint."""
    if len(steps) < 3 or [_letter(step) for step in steps] != ["P", "P", "R"]:
        return False
    x, y, z = (axis_vector(step.axis) for step in steps if isinstance(step, Screw))
    return bool(np.linalg.norm(np.cross(x, y)) > 1e-9 and max(abs(x @ z), abs(y @ z)) < 1e-12)
