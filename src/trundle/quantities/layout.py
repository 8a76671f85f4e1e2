"""Where each coordinate and speed of the tree stands in the state vector."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, final

from trundle.graph.topology import Topology
from trundle.quantity import LABELS
from trundle.space.chain import Step, acceleration_name, rate_name, rate_unit, turn_name, unit


@final
@dataclass(frozen=True)
class Coordinate:
    """A coordinate of a tree joint: one number, or a quaternion with three speeds."""

    owner: str  # connection
    step: Step = field(compare=False)  # of its chain
    i_q: int
    i_u: int

    @cached_property
    def name(self) -> str:
        """The long name, "connection.coordinate"."""
        return f"{self.owner}.{self.step.name}"

    @cached_property
    def rate_name(self) -> str:
        """Name of the speeds that belong to it."""
        return f"{self.owner}.{rate_name(self.step)}"

    @property
    def acceleration_name(self) -> str:
        """Name of the time derivative of the speeds."""
        return f"{self.owner}.{acceleration_name(self.step)}"

    @property
    def force_name(self) -> str:
        """Stem of the names of generalised forces along its speeds."""
        return f"{self.owner}.{turn_name(self.step)}"

    @property
    def n_q(self) -> int:
        return self.step.n_q

    @property
    def n_u(self) -> int:
        return self.step.n_u

    @property
    def unit(self) -> str:
        return unit(self.step)

    @property
    def rate_unit(self) -> str:
        return rate_unit(self.step)

    @property
    def q(self) -> slice:
        """Where it stands among the coordinates."""
        return slice(self.i_q, self.i_q + self.n_q)

    @property
    def u(self) -> slice:
        """Where its speeds stand among the speeds."""
        return slice(self.i_u, self.i_u + self.n_u)


@final
class Place(NamedTuple):
    """Where a state, or a component of one, stands in x = [q, u, ...] of the joint coordinates."""

    first: int
    size: int
    changes: bool = True  # events may change it: a coordinate or speed, but not a part of a quaternion

    @property
    def range(self) -> range:
        return range(self.first, self.first + self.size)


@final
@dataclass(frozen=True)
class Layout:
    """All coordinates of the tree in the order of the state vector, then those that follow the contacts which close
    loops, then the bristles of contacts and deviations from prescribed rates; none of these have speeds.
    """

    coordinates: tuple[Coordinate, ...]
    n_q: int
    n_u: int
    followers: tuple[str, ...] = ()
    bristles: tuple[str, ...] = ()

    @cached_property
    def _by_name(self) -> dict[str, Coordinate]:
        return {c.name: c for c in self.coordinates}

    def coordinate(self, name: str) -> Coordinate:
        """A coordinate of the tree by its name."""
        return self._by_name[name]

    @property
    def follower_slice(self) -> slice:
        """Where the surface coordinates stand in q."""
        end = self.n_q - len(self.bristles)
        return slice(end - len(self.followers), end)

    @property
    def bristle_slice(self) -> slice:
        """Where bristles and deviations stand in q."""
        return slice(self.n_q - len(self.bristles), self.n_q)

    @property
    def bristle_places(self) -> dict[str, int]:
        """Where each bristle stands in q."""
        return {name: i for i, name in enumerate(self.bristles, start=self.bristle_slice.start)}

    @property
    def quaternions(self) -> tuple[int, ...]:
        return tuple(c.i_q for c in self.coordinates if c.n_q == 4)

    @cached_property
    def places(self) -> dict[str, Place]:
        """Where everything that can be given as a state stands, components of vectors too."""
        found: dict[str, Place] = {}
        for c in self.coordinates:
            whole, single = c.n_q == 4, c.n_q == 1
            i, k = c.i_q, self.n_q + c.i_u
            found[c.name], found[c.rate_name] = Place(i, c.n_q, single), Place(k, c.n_u, single)
            if whole:
                found |= {f"{c.name}_{a}": Place(i + j, 1, False) for j, a in enumerate(LABELS[4])}
                found |= {f"{c.rate_name}_{a}": Place(k + j, 1) for j, a in enumerate(LABELS[3])}
        return found | {name: Place(i, 1, False) for name, i in self.bristle_places.items()}

    @cached_property
    def changeable(self) -> dict[str, int]:
        """Where coordinates and speeds that are one number stand in x; events may change them."""
        return {name: place.first for name, place in self.places.items() if place.changes}

    def speed_names(self) -> list[str]:
        """One name for each speed."""
        out = []
        for c in self.coordinates:
            out += [c.rate_name] if c.n_u == 1 else [f"{c.rate_name}_{a}" for a in LABELS[c.n_u]]
        return out


def lay_out(topology: Topology) -> Layout:
    """Tree joints from the ground outwards; within a joint the order of its chain."""
    coordinates = []
    i_q = i_u = 0
    for joint in topology.tree:
        owner = joint.connection.name
        for step in joint.connection.pair.chain().steps:
            coordinates.append(Coordinate(owner, step, i_q, i_u))
            i_q, i_u = i_q + step.n_q, i_u + step.n_u
    followers = [f"{c.name}.{name}" for c in topology.cut for name in c.pair.followers]
    every = [*(joint.connection for joint in topology.tree), *topology.cut]
    bristles = [f"{c.name}.{name}" for c in topology.cut for name in c.bristles]
    bristles += [f"{c.name}.{name}_deviation" for c in every for name in c.deviations]
    return Layout(tuple(coordinates), i_q + len(followers) + len(bristles), i_u, tuple(followers), tuple(bristles))
