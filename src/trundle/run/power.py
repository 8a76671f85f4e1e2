"""Power audit of a run: power and energy through every bond, sums at the junctions, and where energy went."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.equations.ports import Element, Junction, Ports, measure, quantity_table
from trundle.errors import SolveError, StoreError, UnknownNameError
from trundle.run.energy_table import EnergyNode, EnergyTable, Share, make_table
from trundle.run.quadrature import gaps, increments

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from trundle.run.dataset import Run

Array = np.ndarray[Any, np.dtype[np.float64]]
STORED = "power_ports"  # attribute of a file that holds the audit


@final
@dataclass(frozen=True)
class Residual:
    """Largest sum of powers at a junction, which should be zero; relative to the largest power in the system."""

    absolute: float  # W
    relative: float
    junction: str
    time: float  # s


@final
class Power:
    """Audit of a run: run.power["hinge"] for a connection, body, force or law; residual, table, flows, sankey.

    Powers are those that bodies receive; energies count from the start of the run. What an event changes by a jump
    flows through no bond: only the table tells it.
    """

    def __init__(self, run: "Run") -> None:
        self.run = run
        self.kept = False  # whether the audit goes into the file of the run

    def __repr__(self) -> str:
        p = self.ports
        return f"<Power of {self.run.model_name!r}: {len(p.bodies)} bodies, {len(p.junctions)} connections>"

    # -- numbers -------------------------------------------------------------------------------------------------------

    @cached_property
    def ports(self) -> Ports:
        """Which bodies, connections, laws and forces there are."""
        if self.run.system is not None:
            return self.run.system.ports
        told = self.run.dataset.attrs.get(STORED)
        if told is None:
            raise StoreError(
                "this file holds no power audit, and without its model none can be made. Call run.power.keep() "
                "before run.save(path), or run the model again."
            )
        return Ports.read(json.loads(told))

    def keep(self) -> "Power":
        """Let run.save write the audit into the file, so that it can be read without the model."""
        if self.run.system is not None:
            for name in self.run.system.power_quantities:
                self.run[name]
        self.kept = True
        return self

    @property
    def attributes(self) -> dict[str, str]:
        """What a file must know to read the audit again."""
        return {STORED: json.dumps(asdict(self.ports), ensure_ascii=False)}

    @cached_property
    def _columns(self) -> dict[str, Array]:
        """Every measured quantity: scalars of shape (times,), bonds of shape (times, 6)."""
        if self.run.system is None or self.run._raw is None:
            return {name: self.run.values(name) for name, *_ in quantity_table(self.ports)}
        table = self.run.system.evaluate_power(*self.run._raw)
        columns, at = {}, 0
        for q in self.run.system.power_quantities.values():
            columns[q.name] = table[:, at] if q.size == 1 else table[:, at : at + q.size]
            at += q.size
        return columns

    def _of(self, owner: str, what: str) -> Array:
        return self._columns[measure(owner, what)]

    @cached_property
    def _gaps(self) -> Any:
        return gaps(self.run.time, self.run.jump_times)

    @cached_property
    def _steps(self) -> dict[str, Array]:
        """Energy through each port between neighbouring samples; stored energies as they are, not as integrals."""
        powers = {name: v for name, v in self._columns.items() if v.ndim == 1 and not name.endswith("_energy")}
        steps = increments(self.run.time, np.column_stack([*powers.values()]), self.run.jump_times)
        found = dict(zip(powers, steps.T, strict=True))
        for node, energy, power, sign in self._stores:
            change = np.diff(self._of(node.of, energy))
            change[self._gaps] = sign * found[measure(node.of, power)][self._gaps]
            found[measure(node.of, energy)] = change
        return found

    @cached_property
    def _stores(self) -> list[tuple[EnergyNode, str, str, float]]:
        """Stores of energy: node, its energy, the power it takes, and the sign of this."""
        found = [(EnergyNode("kinetic", b), "kinetic_energy", "inertance_power", 1.0) for b in self.ports.bodies]
        found += [(EnergyNode("gravity", b), "gravity_energy", "gravity_power", -1.0) for b in self.ports.bodies]
        return found + [(EnergyNode("store", e.name), "stored_energy", "stored", 1.0) for e in self.ports.elements]

    def _jumps(self, a: int, b: int) -> list[Share]:
        """What stores lost by the jumps of events between two samples."""
        at = self._gaps[(self._gaps >= a) & (self._gaps < b)]
        if not len(at):
            return []
        lost = []
        for node, energy, _, _ in self._stores:
            change = np.diff(self._of(node.of, energy))[at] - self._steps[measure(node.of, energy)][at]
            lost.append(Share(node, -float(np.sum(change))))
        return lost

    def _energy(self, owner: str, what: str) -> Array:
        """Energy through a port since the start."""
        return np.concatenate([[0.0], np.cumsum(self._steps[measure(owner, what)])])

    @cached_property
    def _bonds(self) -> dict[str, tuple[Array, Array]]:
        """Power and energy of the bonds by connection."""
        found = [j.name for j in self.ports.junctions if j.bonds]
        if not found:
            return {}
        powers = np.hstack([self._of(name, "effort") * self._of(name, "flow") for name in found])
        energies = np.zeros_like(powers)
        np.cumsum(increments(self.run.time, powers, self.run.jump_times), axis=0, out=energies[1:])
        at = {name: slice(6 * i, 6 * i + 6) for i, name in enumerate(found)}
        return {name: (powers[:, s], energies[:, s]) for name, s in at.items()}

    # -- sums at junctions ---------------------------------------------------------------------------------------------

    def _body_ports(self, body: str) -> dict[str, tuple[str, str, float]]:
        """Port of a body -> owner, quantity and sign of the power that it brings to the body."""
        found = {"inertance": (body, "inertance_power", -1.0), "gravity": (body, "gravity_power", 1.0)}
        for j in self.ports.junctions:
            for word, end in (("first", j.first), ("second", j.second)):
                if end == body:
                    found[j.name] = (j.name, f"power_to_{word}", 1.0)
        for e in self.ports.elements:
            if body in e.bodies:
                found[e.name] = (e.name, f"power_to_{body}", 1.0)
        return found

    def _given(self, j: Junction) -> dict[EnergyNode, tuple[str, str]]:
        """What laws, forces and drives give to the bodies of a connection: owner and quantity."""
        found = {EnergyNode("drive", d): (d, "drive_power") for d in j.drives}
        return found | {EnergyNode("store", t): (t, f"power_to_{j.name}") for t in j.terms}

    def _sums(self) -> Iterable[tuple[str, Array]]:
        for body in self.ports.bodies:
            ports = [sign * self._of(owner, what) for owner, what, sign in self._body_ports(body).values()]
            yield f"1 {body}", np.sum(ports, axis=0)
        for j in self.ports.junctions:
            received = self._of(j.name, "power_to_first") + self._of(j.name, "power_to_second")
            if j.bonds:
                given = np.einsum("ij,ij->i", self._of(j.name, "effort"), self._of(j.name, "flow"))
            else:
                given = sum((self._of(*at) for at in self._given(j).values()), np.zeros(len(self.run.time)))
            yield f"0 {j.name}", received - given

    @cached_property
    def residual(self) -> Residual:
        """1-junctions: all ports of a body add to zero. 0-junctions: both bodies receive what the bonds give."""
        names, sums = zip(*self._sums(), strict=True)
        table = np.abs(np.array(sums))
        i, k = np.unravel_index(int(np.argmax(table)), table.shape)
        powers = [float(np.max(np.abs(v))) for name, v in self._columns.items() if _is_power(name, v)]
        absolute, scale = float(table[i, k]), max(powers, default=0.0)
        return Residual(absolute, absolute / scale if scale > 0 else 0.0, names[i], float(self.run.time[k]))

    # -- where energy went ---------------------------------------------------------------------------------------------

    @cached_property
    def _shares(self) -> dict[str, list[tuple[EnergyNode, str, str, float]]]:
        """Junction -> (node, owner, quantity, sign): what each node gives to it. Connections, laws and forces that
        act on each other are one junction.
        """
        found: dict[str, list[tuple[EnergyNode, str, str, float]]] = {}
        for body in self.ports.bodies:
            own = found[f"1 {body}"] = [
                (EnergyNode("kinetic", body), body, "kinetic_energy", -1.0),
                (EnergyNode("gravity", body), body, "gravity_energy", -1.0),
            ]
            for port, (owner, what, sign) in self._body_ports(body).items():
                if owner != body or port not in ("inertance", "gravity"):
                    own.append((EnergyNode("body", port), owner, what, sign))
        group = {j.name: j.name for j in self.ports.junctions}
        for e in self.ports.elements:  # a force on several connections joins them
            for other in e.junctions[1:]:
                old, new = group[other], group[e.junctions[0]]
                group = {k: new if v == old else v for k, v in group.items()}
        for j in self.ports.junctions:
            at = found.setdefault(group[j.name], [])
            for word, end in (("first", j.first), ("second", j.second)):
                if end in self.ports.bodies:
                    at.append((EnergyNode("body", end), j.name, f"power_to_{word}", -1.0))
            at += [(EnergyNode("drive", d), d, "drive_power", 1.0) for d in j.drives]
        for e in self.ports.elements:
            at = found.setdefault(group[e.junctions[0]] if e.junctions else e.name, [])
            at += [(EnergyNode("body", b), e.name, f"power_to_{b}", -1.0) for b in e.bodies]
            at.append((EnergyNode("source", e.name), e.name, "supplied", 1.0))
            at.append((EnergyNode("loss", e.name), e.name, "lost", -1.0))
            at.append((EnergyNode("store", e.name), e.name, "stored_energy", -1.0))
        return found

    def _window(self, start: float | None, end: float | None) -> tuple[int, int]:
        t = self.run.time
        low, high = t[0] if start is None else start, t[-1] if end is None else end
        slack = 1e-9 * (t[-1] - t[0])
        if not t[0] - slack <= low < high <= t[-1] + slack:
            raise SolveError(
                f"from {low:g} s to {high:g} s: give two times within the run, which has samples from {t[0]:g} s to "
                f"{t[-1]:g} s, the earlier one first."
            )
        a, b = (int(np.argmin(np.abs(t - x))) for x in (low, high))
        if a == b:
            raise SolveError(f"no two samples lie between {low:g} s and {high:g} s: simulate with more samples.")
        return a, b

    def table(self, start: float | None = None, end: float | None = None) -> EnergyTable:
        """Net energy that went from where to where between two times (the samples nearest to them)."""
        a, b = self._window(start, end)
        steps = {name: float(np.sum(v[a:b])) for name, v in self._steps.items()}
        junctions = {
            name: [Share(node, sign * steps[measure(owner, what)]) for node, owner, what, sign in shares]
            for name, shares in self._shares.items()
        }
        return make_table(float(self.run.time[a]), float(self.run.time[b]), junctions, self._jumps(a, b))

    def sankey(
        self, path: Path | str | None = None, start: float | None = None, end: float | None = None, **options: Any
    ) -> "Figure":
        """Picture of the table with ribbons as wide as the energy; returns the matplotlib figure."""
        from trundle.view.sankey import draw_sankey

        return draw_sankey(self.table(start, end), self.run.model_name, self.chain, path, **options)

    @cached_property
    def chain(self) -> list[str]:
        """Bodies in the order in which connections lead to them from the ground."""
        beside: dict[str, list[str]] = {}
        for j in self.ports.junctions:
            beside.setdefault(j.first, []).append(j.second)
            beside.setdefault(j.second, []).append(j.first)
        order = {"ground": None}
        for body in order.copy() | dict.fromkeys(self.ports.bodies):  # bodies that no connection reaches come last
            reached = [body]
            for name in reached:
                order.setdefault(name)
                reached += [b for b in beside.get(name, []) if b not in order and b not in reached]
        return [b for b in order if b != "ground"]

    @cached_property
    def flows(self) -> "xr.Dataset":
        """Power and energy over time that every node gives to every junction; each junction adds to zero."""
        rate = {energy: (power, sign) for _, energy, power, sign in self._stores}
        rows, powers, energies = [], [], []
        for junction, shares in self._shares.items():
            for node, owner, what, sign in shares:
                of, turn = rate.get(what, (what, 1.0))
                rows.append((f"{node} to {junction}", str(node), node.kind, junction))
                powers.append(sign * turn * self._of(owner, of))
                energies.append(sign * self._energy(owner, what))
        ports, nodes, kinds, junctions = ([row[k] for row in rows] for k in range(4))
        data = {
            "power": (("time", "port"), np.column_stack(powers), _about("W", "power that the node gives")),
            "energy": (("time", "port"), np.column_stack(energies), _about("J", "energy given since the start")),
        }
        coords = {"port": ports, "node": ("port", nodes), "kind": ("port", kinds), "junction": ("port", junctions)}
        return self._dataset(data, coords, "energy flows")

    # -- by name -------------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> "xr.Dataset":
        """Audit of a connection, force, law ("hinge.angle") or body; of a connection when it shares its name with a
        body (`body(name)` tells of that).
        """
        for known, ask in ((self.connections, self.connection), (self.forces, self.force), (self.bodies, self.body)):
            if name in known:
                return ask(name)
        raise UnknownNameError(str(name), [*self.connections, *self.forces, *self.bodies], "body, connection or force")

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return list(self.ports.bodies)

    @property
    def connections(self) -> list[str]:
        """Names of the connections, and of the chains of contacts on which laws act."""
        return [j.name for j in self.ports.junctions]

    @property
    def forces(self) -> list[str]:
        """Names of the forces and laws."""
        return [e.name for e in self.ports.elements]

    def connection(self, name: str) -> "xr.Dataset":
        """Flow, effort, power and energy of each bond, and what the two bodies receive."""
        j: Junction = _named(self.ports.junctions, name, "connection")
        data: dict[str, Any] = {}
        coords: dict[str, Any] = {}
        if j.bonds:
            (power, energy), dims = self._bonds[name], ("time", "bond")
            text = f"motion of {j.second!r} against {j.first!r}"
            data["flow"] = (dims, self._of(name, "flow"), _about("m/s or rad/s", text))
            data["effort"] = (dims, self._of(name, "effort"), _about("N or N m", f"force and moment on {j.second!r}"))
            data["power"] = (dims, power, _about("W", "power that the element of the bond gives to the two bodies"))
            data["energy"] = (dims, energy, _about("J", "energy given since the start"))
            coords = {"bond": list(j.bonds), "element": ("bond", list(j.elements))}
        for word, body in (("first", j.first), ("second", j.second)):
            received = self._of(name, f"power_to_{word}"), self._energy(name, f"power_to_{word}")
            data[f"power_to_{word}"] = ("time", received[0], _about("W", f"power that {body!r} receives"))
            data[f"energy_to_{word}"] = ("time", received[1], _about("J", f"energy that {body!r} has received"))
        return self._dataset(data, coords, f"connection {name}", first=j.first, second=j.second)

    def body(self, name: str) -> "xr.Dataset":
        """Power and energy into the body by ports; they add to zero. The inertance brings minus the rate of kinetic
        energy: positive while the body slows down.
        """
        if name not in self.ports.bodies:
            raise UnknownNameError(name, self.ports.bodies, "body")
        ports = self._body_ports(name)
        power = np.column_stack([sign * self._of(owner, what) for owner, what, sign in ports.values()])
        energy = np.column_stack([sign * self._energy(owner, what) for owner, what, sign in ports.values()])
        data = {
            "power": (("time", "port"), power, _about("W", "power into the body")),
            "energy": (("time", "port"), energy, _about("J", "energy into the body since the start")),
        }
        return self._dataset(data, {"port": list(ports)}, f"body {name}")

    def force(self, name: str) -> "xr.Dataset":
        """What a force or law gives to each body or connection, stores, loses and brings in."""
        e: Element = _named(self.ports.elements, name, "force or law")
        receivers = [*e.junctions, *e.bodies]
        power = np.column_stack([self._of(name, f"power_to_{r}") for r in receivers])
        energy = np.column_stack([self._energy(name, f"power_to_{r}") for r in receivers])
        data: dict[str, Any] = {
            "power": (("time", "receiver"), power, _about("W", "power that the receiver gets")),
            "energy": (("time", "receiver"), energy, _about("J", "energy that the receiver has got")),
        }
        for what, text in (("stored", "stored"), ("lost", "lost"), ("supplied", "brought in from outside")):
            data[what] = ("time", self._of(name, what), _about("W", f"power {text}"))
            data[f"{what}_energy"] = ("time", self._energy(name, what), _about("J", f"energy {text} since the start"))
        return self._dataset(data, {"receiver": receivers}, f"force {name}")

    def _dataset(self, data: dict[str, Any], coords: dict[str, Any], title: str, **attrs: str) -> "xr.Dataset":
        import xarray as xr

        time = ("time", self.run.time, {"units": "s", "long_name": "time"})
        return xr.Dataset(data, {"time": time, **coords}, {"title": title, **attrs})


def _about(unit: str, text: str) -> dict[str, str]:
    return {"units": unit, "long_name": text}


def _is_power(name: str, values: Array) -> bool:
    return values.ndim == 1 and not name.endswith("_energy")


def _named(known: Iterable[Any], name: str, what: str) -> Any:
    names = {each.name: each for each in known}
    if name not in names:
        raise UnknownNameError(name, names, what)
    return names[name]
