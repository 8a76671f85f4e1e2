"""Where each coordinate and speed of the tree stands in the state vector."""

from dataclasses import dataclass
from typing import final

from trundle.graph.topology import Topology


@final
@dataclass(frozen=True)
class Coordinate:
    """A coordinate of a tree joint: one number, or a quaternion with three speeds."""

    name: str  # "connection.coordinate"
    i_q: int
    n_q: int
    i_u: int
    n_u: int
    unit: str

    @property
    def rate_name(self) -> str:
        """Name of the speeds that belong to it."""
        return f"{self.name}_rate" if self.n_u == 1 else f"{self.name.partition('.')[0]}.angular_rate"

    @property
    def acceleration_name(self) -> str:
        """Name of the time derivative of the speeds; not that of the body's angular acceleration, which is in
        ground axes.
        """
        return f"{self.name}_acceleration" if self.n_u == 1 else f"{self.rate_name}_acceleration"

    @property
    def force_name(self) -> str:
        """Stem of the names of generalised forces along its speeds."""
        return self.name if self.n_u == 1 else f"{self.name.partition('.')[0]}.turn"

    @property
    def rate_unit(self) -> str:
        return "m/s" if self.unit == "m" else "rad/s"


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

    @property
    def bristle_places(self) -> dict[str, int]:
        """Where each bristle stands in q."""
        first = self.n_q - len(self.bristles)
        return {name: first + i for i, name in enumerate(self.bristles)}

    @property
    def quaternions(self) -> tuple[int, ...]:
        return tuple(c.i_q for c in self.coordinates if c.n_q == 4)

    def state_names(self) -> set[str]:
        """Names under which coordinates and speeds can be given, components of vectors too."""
        names = {n for c in self.coordinates for n in (c.name, c.rate_name)}
        for c in self.coordinates:
            if c.n_u > 1:
                names |= {f"{c.name}_{a}" for a in "wxyz"} | {f"{c.rate_name}_{a}" for a in "xyz"}
        return names | set(self.bristles)

    def speed_names(self) -> list[str]:
        """One name for each speed."""
        out = []
        for c in self.coordinates:
            out += [c.rate_name] if c.n_u == 1 else [f"{c.rate_name}_{a}" for a in "xyz"]
        return out


def lay_out(topology: Topology) -> Layout:
    """Tree joints from the ground outwards; within a joint the order of its chain."""
    coordinates = []
    i_q = i_u = 0
    for joint in topology.tree:
        for step in joint.connection.pair.chain().steps:
            unit = "m" if step.n_u == 1 and step.slides else "rad" if step.n_u == 1 else ""
            name = f"{joint.connection.name}.{step.name}"
            coordinates.append(Coordinate(name, i_q, step.n_q, i_u, step.n_u, unit))
            i_q, i_u = i_q + step.n_q, i_u + step.n_u
    followers = [f"{c.name}.{name}" for c in topology.cut for name in c.pair.followers]
    every = [*(joint.connection for joint in topology.tree), *topology.cut]
    bristles = [f"{c.name}.{name}" for c in topology.cut for name in c.bristles]
    bristles += [f"{c.name}.{name}_deviation" for c in every for name in c.deviations]
    return Layout(tuple(coordinates), i_q + len(followers) + len(bristles), i_u, tuple(followers), tuple(bristles))
