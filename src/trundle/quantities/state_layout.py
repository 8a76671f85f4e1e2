"""Layout of x, the state vector: one for joint and one for absolute coordinates. Indices are defined here only.

    x = [coordinates, followers, bristles, own states | speeds | work in, work lost, turns]
         --------------------- q --------------------   -- u --

Coordinates belong to the joints of the tree or, in absolute coordinates, to the free bodies. Followers are surface
coordinates of contacts that close loops. Bristles, deviations from prescribed rates, and states of the model, of its
blocks and forces are first-order states: they have a rate but no speed. Work is integrated if anything drives or
brakes the model, whole turns (of angles that are not states) in absolute coordinates.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from trundle.errors import KernelError
from trundle.graph.topology import Topology
from trundle.model.connection import ConnectedPair
from trundle.model.connection_quantities import WAYS
from trundle.model.model import Model
from trundle.pairs.lower import ROTATIONS, Free
from trundle.quantities.coordinate import Coordinate
from trundle.space.chain import Step, unit
from trundle.typing import Array

WORKS = 2  # work done on the model, work lost in it


@final
class Entry(NamedTuple):
    """A state that is no coordinate of a joint or body: follower, bristle, deviation or own state."""

    owner: str  # connection, force or block; empty for a state of the model
    kind: str
    unit: str

    @property
    def name(self) -> str:
        return f"{self.owner}.{self.kind}" if self.owner else self.kind


@final
class Place(NamedTuple):
    """First index and size of a state, or a component of one, in x."""

    first: int
    size: int
    changes: bool = True  # events may change it: false for components of quaternions and for bristles

    @property
    def range(self) -> range:
        return range(self.first, self.first + self.size)


@final
@dataclass(frozen=True)
class StateLayout:
    """The order of the state vector in one formalism."""

    coordinates: tuple[Coordinate, ...]
    followers: tuple[Entry, ...] = ()
    bristles: tuple[Entry, ...] = ()  # and deviations from prescribed rates
    own: tuple[Entry, ...] = ()  # states of the model, of blocks and forces
    turns: tuple[str, ...] = ()  # angles of joints whose whole turns are integrated as well
    has_works: bool = False
    in_joints: bool = True  # joint coordinates; otherwise those of bodies, which have no names for users

    # -- sizes and slices ----------------------------------------------------------------------------------------------

    @cached_property
    def n_placed(self) -> int:
        """Number of coordinates that have speeds."""
        return sum(c.n_q for c in self.coordinates)

    @cached_property
    def n_q(self) -> int:
        return self.n_placed + len(self.followers) + len(self.first_order)

    @cached_property
    def n_u(self) -> int:
        return sum(c.n_u for c in self.coordinates)

    @property
    def n_x(self) -> int:
        return self.n_motion + (WORKS if self.has_works else 0) + len(self.turns)

    @property
    def n_motion(self) -> int:
        """Number of states that the motion depends on: q and u."""
        return self.n_q + self.n_u

    @property
    def q(self) -> slice:
        return slice(0, self.n_q)

    @property
    def u(self) -> slice:
        return slice(self.n_q, self.n_motion)

    @property
    def follower_slice(self) -> slice:
        """Slice of the surface coordinates."""
        return slice(self.n_placed, self.n_placed + len(self.followers))

    @property
    def first_order(self) -> tuple[Entry, ...]:
        """States that have a rate but no speed."""
        return (*self.bristles, *self.own)

    @property
    def first_order_slice(self) -> slice:
        """Slice of the first-order states."""
        return slice(self.n_placed + len(self.followers), self.n_q)

    @property
    def own_slice(self) -> slice:
        """Slice of the states of the model, of blocks and forces."""
        return slice(self.n_q - len(self.own), self.n_q)

    @property
    def works(self) -> slice:
        """Slice of work done and lost; empty if it is not integrated."""
        return slice(self.n_motion, self.n_motion + (WORKS if self.has_works else 0))

    def turn(self, name: str) -> int:
        """Index of the integrated angle of a joint, by its name."""
        return self.n_x - len(self.turns) + self.turns.index(name)

    @cached_property
    def quaternions(self) -> tuple[int, ...]:
        """First index of each unit quaternion."""
        return tuple(c.i_q for c in self.coordinates if c.n_q == 4)

    def of_size(self, n_x: int) -> "StateLayout":
        """This layout with or without work, so that it fits a state of this size."""
        for layout in (replace(self, has_works=has) for has in (False, True)):
            if layout.n_x == n_x:
                return layout
        raise KernelError(f"a state of {n_x} numbers does not belong to a model with {self.n_motion} states of motion.")

    # -- vectors -------------------------------------------------------------------------------------------------------

    def vector(self, q: Array, u: Array | None = None) -> Array:
        """x with these coordinates and speeds (zero unless given); work done is zero."""
        x = np.zeros(self.n_x)
        x[self.q] = q
        if u is not None:
            x[self.u] = u
        return x

    @property
    def error_weights(self) -> Array:
        """1 for states whose errors control the step size, 0 for by-products: work done and turns."""
        return np.where(np.arange(self.n_x) < self.n_motion, 1.0, 0.0)

    @cached_property
    def units(self) -> list[str]:
        """Unit of every entry of x."""
        units = [c.unit for c in self.coordinates for _ in range(c.n_q)]
        units += [e.unit for e in (*self.followers, *self.first_order)]
        units += [c.rate_unit for c in self.coordinates for _ in range(c.n_u)]
        return units + ["J"] * (self.works.stop - self.works.start) + ["rad"] * len(self.turns)

    # -- names ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _by_name(self) -> dict[str, Coordinate]:
        return {c.name: c for c in self.coordinates}

    def coordinate(self, name: str) -> Coordinate:
        """A coordinate of the tree by its name."""
        return self._by_name[name]

    @cached_property
    def first_order_places(self) -> dict[str, int]:
        """Index of each first-order state by name."""
        return {e.name: i for i, e in enumerate(self.first_order, start=self.first_order_slice.start)}

    @cached_property
    def places(self) -> dict[str, Place]:
        """Place in x of everything that can be given as a state by name, components of vectors too."""
        found: dict[str, Place] = {}
        for c in self.coordinates if self.in_joints else ():
            whole, single = c.n_q == 4, c.n_q == 1
            i, k = c.i_q, self.n_q + c.i_u
            found[c.name], found[c.rate_name] = Place(i, c.n_q, single), Place(k, c.n_u, single)
            if whole:
                found |= {name: Place(i + j, 1, False) for j, name in enumerate(c.names)}
                found |= {name: Place(k + j, 1) for j, name in enumerate(c.rate_names)}
        changes = self.own_slice.start
        return found | {name: Place(i, 1, i >= changes) for name, i in self.first_order_places.items()}

    @cached_property
    def changeable(self) -> dict[str, int]:
        """Index in x of scalar coordinates, speeds and own states, which events may change."""
        return {name: place.first for name, place in self.places.items() if place.changes}

    def speed_names(self) -> list[str]:
        """One name for each speed."""
        return [name for c in self.coordinates for name in c.rate_names]

    def turn_names(self) -> list[str]:
        """One name for each speed: that of the displacement or angle whose rate it is."""
        return [name for c in self.coordinates for name in c.turn_names]

    def values(self, x: Array) -> dict[str, Array]:
        """Coordinates, speeds and first-order states of x (times, n_x), by name, each (times, size)."""
        found: dict[str, Array] = {}
        for c in self.coordinates if self.in_joints else ():
            found[c.name], found[c.rate_name] = x[:, c.q], x[:, self.u][:, c.u]
        return found | {name: x[:, i : i + 1] for name, i in self.first_order_places.items()}


def lay_out_joints(model: Model, topology: Topology) -> StateLayout:
    """Tree joints from the ground outwards; within a joint the order of its chain."""
    tree = [joint.connection for joint in topology.tree]
    steps = [(c.name, step) for c in tree for step in c.pair.chain().steps]
    cut = topology.cut
    return StateLayout(_placed(steps), tuple(_followers(cut)), tuple(_bristles(cut, [*tree, *cut])), _own(model))


def lay_out_bodies(model: Model) -> StateLayout:
    """Mass centres and orientations of the free bodies."""
    steps = [(body.name, step) for body in model.free_bodies for step in Free().chain().steps]
    every = list(model.connections.values())
    bristles, turns = tuple(_bristles(every, every)), tuple(_turning(every))
    return StateLayout(_placed(steps), tuple(_followers(every)), bristles, _own(model), turns, in_joints=False)


def _own(model: Model) -> tuple[Entry, ...]:
    return tuple(Entry(state.owner, state.kind, state.unit) for state in model.every_state())


def _placed(steps: Iterable[tuple[str, Step]]) -> tuple[Coordinate, ...]:
    found, i_q, i_u = [], 0, 0
    for owner, step in steps:
        found.append(Coordinate(owner, step, i_q, i_u))
        i_q, i_u = i_q + step.n_q, i_u + step.n_u
    return tuple(found)


def _followers(cut: Sequence[ConnectedPair]) -> Iterator[Entry]:
    for c in cut:
        units = {step.name: unit(step) for step in c.pair.coordinates}
        yield from (Entry(c.name, name, units.get(name, "rad")) for name in c.pair.followers)


def _bristles(cut: Sequence[ConnectedPair], every: Sequence[ConnectedPair]) -> Iterator[Entry]:
    for c in cut:
        for name, bond in zip(c.bristles, c.bristle_bonds, strict=True):
            yield Entry(c.name, name, WAYS[bond][0])
    for c in every:
        units = {step.name: unit(step) for step in c.pair.coordinates} if c.deviations else {}
        yield from (Entry(c.name, f"{name}_deviation", units[name]) for name in c.deviations)


def _turning(connections: Iterable[ConnectedPair]) -> Iterator[str]:
    """Angles that absolute coordinates determine only up to whole turns, in the order in which they are measured."""
    for c in connections:
        names = {} if c.is_contact else {bond: name for name, bond in c.pair.coordinate_bonds.items()}
        yield from (f"{c.name}.{names[b]}" for b in c.pair.free if b in names and b in ROTATIONS)
