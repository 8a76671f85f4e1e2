"""Which measured columns make up which junction, found once for a model: an audit is then a few array operations."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np

from trundle.equations.outputs.ports import Measure, Ports, measured
from trundle.run.energy_table import EnergyJunction, EnergyNode
from trundle.typing import AnyArray

DENSE = 20_000  # entries of a matrix that is multiplied with sooner than its few terms are picked


@final
@dataclass(frozen=True)
class Entry:
    """The contribution of a node to a junction: sign times the energy or power in a column."""

    node: EnergyNode
    energy: Measure  # quantity whose change or integral is the energy
    power: Measure
    sign: float
    power_sign: float


@final
@dataclass(frozen=True)
class Plan:
    """Columns of the table of measured quantities."""

    at: dict[Measure, slice]  # quantity -> columns
    powers: tuple[Measure, ...]  # quantities that are integrated
    power_columns: slice
    sizes: slice  # columns of apparent powers
    flows: slice  # six for each connection, one connection after the other
    efforts: slice
    bonded: tuple[str, ...]  # connections with bonds
    stores: tuple[tuple[EnergyNode, str, str, float], ...]  # node, its energy, the power it takes, sign of this
    store_columns: slice
    junctions: tuple[str, ...]
    summed: AnyArray  # powers that add to zero at the junctions, one junction after the other, bonds left out
    signs: AnyArray
    starts: AnyArray  # where each junction begins in these
    matrix: AnyArray  # the same sums as a product powers @ matrix; empty for large models
    given: AnyArray  # places of the connections with bonds among the junctions
    ports: dict[str, dict[str, tuple[Measure, float]]]  # body -> port -> power and sign
    shares: dict[EnergyJunction, tuple[Entry, ...]]  # junction -> what nodes give to it


@lru_cache(maxsize=16)
def make_plan(ports: Ports) -> Plan:
    """Arrange the columns of a model."""
    at: dict[Measure, slice] = {}
    end = 0
    for measure, q in measured(ports).items():
        at[measure] = slice(end, end + q.size)
        end = at[measure].stop
    bonded = tuple(j.name for j in ports.junctions if j.bonds)
    vectors = {(j, what) for j in bonded for what in ("flow", "effort")}
    sizes = [(b, "apparent_power") for b in ports.bodies]
    stores = tuple(sorted(_stores(ports), key=lambda s: at[s[0].of, s[1]].start))
    other = {*vectors, *sizes, *((node.of, energy) for node, energy, _, _ in stores)}
    powers = tuple(n for n in at if n not in other)
    by_body = {body: _body_ports(ports, body) for body in (*ports.bodies, *ports.frames)}
    sums = _sums(ports, by_body)
    row = {name: i for i, name in enumerate(powers)}
    summed = [(row[name], sign) for terms in sums.values() for name, sign in terms]
    return Plan(
        at=at,
        powers=powers,
        power_columns=_columns(at, powers),
        sizes=_columns(at, sizes),
        flows=_columns(at, [(j, "flow") for j in bonded]),
        efforts=_columns(at, [(j, "effort") for j in bonded]),
        bonded=bonded,
        stores=stores,
        store_columns=_columns(at, [(node.of, energy) for node, energy, _, _ in stores]),
        junctions=tuple(sums),
        summed=np.array([i for i, _ in summed], dtype=np.int64),
        signs=np.array([sign for _, sign in summed]),
        starts=np.cumsum([0, *map(len, sums.values())])[:-1],
        matrix=_matrix(sums, row),
        given=np.array([list(sums).index(f"0 {name}") for name in bonded], dtype=np.int64),
        ports=by_body,
        shares=_shares(ports, by_body, stores),
    )


def _matrix(sums: dict[str, list[tuple[Measure, float]]], row: dict[Measure, int]) -> AnyArray:
    """Which powers add up at which junction."""
    if len(row) * len(sums) > DENSE:
        return np.zeros((0, 0))
    matrix = np.zeros((len(row), len(sums)))
    for k, terms in enumerate(sums.values()):
        for name, sign in terms:
            matrix[row[name], k] += sign
    return matrix


def _columns(at: dict[Measure, slice], names: Sequence[Measure]) -> slice:
    """Columns of neighbours in the table."""
    found = [i for name in names for i in range(at[name].start, at[name].stop)]
    columns = slice(found[0], found[-1] + 1) if found else slice(0, 0)
    assert found == list(range(columns.start, columns.stop))
    return columns


def _stores(ports: Ports) -> tuple[tuple[EnergyNode, str, str, float], ...]:
    found = [(EnergyNode("kinetic", b), "kinetic_energy", "inertance_power", 1.0) for b in ports.bodies]
    found += [(EnergyNode("gravity", b), "gravity_energy", "gravity_power", -1.0) for b in ports.bodies]
    return (*found, *((EnergyNode("store", e.name), "stored_energy", "stored", 1.0) for e in ports.elements))


def _body_ports(ports: Ports, body: str) -> dict[str, tuple[Measure, float]]:
    """Port of a body -> quantity and sign of the power that it brings to the body."""
    found: dict[str, tuple[Measure, float]] = {
        "inertance": ((body, "inertance_power"), -1.0),
        "gravity": ((body, "gravity_power"), 1.0),
    }
    if body in ports.frames:
        found = {"motion": ((body, "source_power"), 1.0)}
    for j in ports.junctions:
        for word, end in (("first", j.first), ("second", j.second)):
            if end == body:
                found[j.name] = ((j.name, f"power_to_{word}"), 1.0)
    for e in ports.elements:
        if body in e.bodies:
            found[e.name] = ((e.name, f"power_to_{body}"), 1.0)
    return found


def _sums(ports: Ports, by_body: dict[str, dict[str, tuple[Measure, float]]]) -> dict[str, list[tuple[Measure, float]]]:
    """Powers with signs that add to zero: at bodies, and at connections with what their bonds give subtracted."""
    sums = {f"1 {body}": list(found.values()) for body, found in by_body.items()}
    for j in ports.junctions:
        own: list[tuple[Measure, float]] = [((j.name, f"power_to_{word}"), 1.0) for word in ("first", "second")]
        sums[f"0 {j.name}"] = own
        if not j.bonds:
            own += [((d, "drive_power"), -1.0) for d in j.drives]
            own += [((t, f"power_to_{j.name}"), -1.0) for t in j.terms]
    return sums


def _shares(
    ports: Ports,
    by_body: dict[str, dict[str, tuple[Measure, float]]],
    stores: tuple[tuple[EnergyNode, str, str, float], ...],
) -> dict[EnergyJunction, tuple[Entry, ...]]:
    """Contributions of every node to every junction. Connections, laws and forces that act on each other form one
    junction.
    """
    at = {body: EnergyJunction(body, is_body=True) for body in by_body}
    found: dict[EnergyJunction, list[Entry]] = {junction: [] for junction in at.values()}
    group = {j.name: EnergyJunction(j.name) for j in ports.junctions}
    for e in ports.elements:  # a force on several connections joins them
        for other in e.junctions[1:]:
            old, new = group[other], group[e.junctions[0]]
            group = {k: new if v == old else v for k, v in group.items()}
    home = {e.name: group[e.junctions[0]] if e.junctions else EnergyJunction(e.name) for e in ports.elements}

    def add(junction: EnergyJunction, node: EnergyNode, name: Measure, sign: float) -> None:
        found.setdefault(junction, []).append(Entry(node, name, name, sign, sign))

    for node, energy, power, sign in stores:
        junction = home[node.of] if node.kind == "store" else at[node.of]
        entry = Entry(node, (node.of, energy), (node.of, power), -1.0, -sign)
        found.setdefault(junction, []).append(entry)
    for body, own in by_body.items():
        for port, (name, sign) in own.items():
            if port == "motion":
                add(at[body], EnergyNode("motion", body), name, sign)
            elif port not in ("inertance", "gravity"):
                add(at[body], EnergyNode("body", port), name, sign)
    for j in ports.junctions:
        for word, end in (("first", j.first), ("second", j.second)):
            if end in by_body:
                add(group[j.name], EnergyNode("body", end), (j.name, f"power_to_{word}"), -1.0)
        for drive in j.drives:
            add(group[j.name], EnergyNode("drive", drive), (drive, "drive_power"), 1.0)
    for e in ports.elements:
        for body in e.bodies:
            add(home[e.name], EnergyNode("body", body), (e.name, f"power_to_{body}"), -1.0)
        add(home[e.name], EnergyNode("source", e.name), (e.name, "supplied"), 1.0)
        add(home[e.name], EnergyNode("loss", e.name), (e.name, "lost"), -1.0)
    return {junction: tuple(entries) for junction, entries in found.items()}
