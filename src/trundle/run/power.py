"""Power audit of a run: power and energy through every bond, sums at the junctions, and where energy went."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.equations.outputs.ports import EFFORTS, FLOWS, Element, Junction, Measure, Ports, power_quantities
from trundle.errors import SolveError, StoreError, UnknownNameError
from trundle.model.check import finite_number
from trundle.run.energy_table import COARSE, LEAK, STEPS, EnergyJunction, EnergyTable, Share, make_table
from trundle.run.power_plan import Plan, make_plan
from trundle.run.quadrature import cumulative, gaps, increments
from trundle.typing import Array

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from trundle.run.run import Run

BLOCK = 512  # samples whose sums stay in the cache
ROUND = 1e-12  # of the largest effort: less energy than this over 1 m or 1 rad is round-off
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
    flows through no bond: only the table has it.
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
        if self.run.formulation is not None:
            return self.run.formulation.ports
        stored = self.run.stored_attrs.get(STORED)
        if stored is None:
            raise StoreError(
                "this file has no power audit, and it cannot be computed without the model. Call run.power.keep() "
                "before run.save(path), or run the model again."
            )
        return Ports.read(json.loads(stored))

    def keep(self) -> "Power":
        """Let run.save write the audit into the file, so that it can be read without the model."""
        if self.run.formulation is not None:
            for quantity in self.run.formulation.members("power"):
                self.run[quantity.name]
        self.kept = True
        return self

    @property
    def attributes(self) -> dict[str, str]:
        """What a file must know to read the audit again."""
        return {STORED: json.dumps(asdict(self.ports), ensure_ascii=False)}

    @cached_property
    def _plan(self) -> Plan:
        return make_plan(self.ports)

    @cached_property
    def _table(self) -> Array:
        """Every measured quantity at every sample, side by side."""
        if self.run.formulation is not None and self.run._raw is not None:
            resisted = list(self.run.formulation.model.resistances)
            if resisted:
                raise SolveError(
                    f"what is resisted along {', '.join(map(repr, resisted))} is no element on a bond: its power "
                    "cannot be followed. run.energy still balances."
                )
            for c in self.run.formulation.model.connections.values():
                if c.friction is not None and c.friction.at_centre:
                    raise SolveError(
                        f"the friction of contact {c.name!r} acts at a mass centre (as_printed=True), not on a bond "
                        "of the contact: its power cannot be followed. run.energy still balances."
                    )
            return self.run.formulation.evaluate_group("power", *self.run._raw)
        return np.column_stack([self.run.values(q.name) for q in power_quantities(self.ports)])

    def _of(self, measure: Measure) -> Array:
        """A measured quantity: of shape (times,), or (times, 6) for bonds."""
        found = self._table[:, self._plan.at[measure]]
        return found[:, 0] if found.shape[1] == 1 else found

    @cached_property
    def _powers(self) -> Array:
        return self._table[:, self._plan.power_columns]

    @cached_property
    def _steps(self) -> Array:
        """Energy through each port between neighbouring samples, as time integrals of the powers."""
        return increments(self.run.time, self._powers, self.run.jump_times)

    @cached_property
    def _changes(self) -> tuple[Array, Array]:
        """Changes of stored energies between samples: through ports, and by jumps at events."""
        change = np.diff(self._table[:, self._plan.store_columns], axis=0)
        jump = np.zeros_like(change)
        at = gaps(self.run.time, self.run.jump_times)
        if len(at):
            of = {name: i for i, name in enumerate(self._plan.powers)}
            for k, (node, _, power, sign) in enumerate(self._plan.stores):
                through = sign * self._steps[at, of[node.of, power]]
                jump[at, k], change[at, k] = change[at, k] - through, through
        return change, jump

    @cached_property
    def _energies(self) -> dict[Measure, Array]:
        """Energy through every port and change of every store since the start."""
        names = [*self._plan.powers, *((node.of, energy) for node, energy, _, _ in self._plan.stores)]
        total = np.zeros((len(self.run.time), len(names)))
        np.cumsum(np.hstack([self._steps, self._changes[0]]), axis=0, out=total[1:])
        return dict(zip(names, total.T, strict=True))

    @cached_property
    def _bond_powers(self) -> Array:
        """Power of every bond of every connection, of shape (times, 6 x connections)."""
        return self._table[:, self._plan.efforts] * self._table[:, self._plan.flows]

    @cached_property
    def _bond_energies(self) -> Array:
        return cumulative(self.run.time, self._bond_powers, self.run.jump_times)

    # -- sums at junctions ---------------------------------------------------------------------------------------------

    @cached_property
    def residual(self) -> Residual:
        """1-junctions: all ports of a body add to zero. 0-junctions: both bodies receive what the bonds give."""
        plan, table = self._plan, self._table
        absolute, scale, at, where = 0.0, 0.0, 0, 0
        for start in range(0, len(table), BLOCK):
            part = table[start : start + BLOCK]
            powers, bonds = part[:, plan.power_columns], part[:, plan.efforts] * part[:, plan.flows]
            if plan.matrix.size:
                sums = powers @ plan.matrix
            else:
                sums = np.add.reduceat(np.take(powers, plan.summed, axis=1) * plan.signs, plan.starts, axis=1)
            sums[:, plan.given] -= np.add.reduceat(bonds, range(0, bonds.shape[1], 6), axis=1) if plan.bonded else 0.0
            np.abs(sums, out=sums)
            k, i = divmod(int(np.argmax(sums)), sums.shape[1])
            if not sums[k, i] <= absolute:  # nan too
                absolute, at, where = float(sums[k, i]), start + k, i
            sizes = (powers, bonds, part[:, plan.sizes])
            scale = max(scale, *(max(float(v.max(initial=0.0)), -float(v.min(initial=0.0))) for v in sizes))
        relative = absolute / scale if scale > 0 else 0.0
        return Residual(absolute, relative, plan.junctions[where], float(self.run.time[at]))

    # -- where energy went ---------------------------------------------------------------------------------------------

    def _window(self, start: float | None, end: float | None) -> tuple[int, int]:
        t = self.run.time
        low, high = (
            float(default) if given is None else finite_number(given, f"the {word} of the energy table")
            for given, default, word in ((start, t[0], "start"), (end, t[-1], "end"))
        )
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
        """Net energy (J) that went from where to where between two times.

        Parameters
        ----------
        start, end : float, optional
            Times (s), of which the nearest samples are used; the whole run unless given.

        Returns
        -------
        EnergyTable
        """
        a, b = self._window(start, end)
        plan, (change, jump) = self._plan, self._changes
        flowed = dict(zip(plan.powers, self._steps[a:b].sum(axis=0).tolist(), strict=True))
        stored = [(node.of, energy) for node, energy, _, _ in plan.stores]
        flowed |= dict(zip(stored, change[a:b].sum(axis=0).tolist(), strict=True))
        junctions = {
            name: [Share(entry.node, entry.sign * flowed[entry.energy]) for entry in entries]
            for name, entries in plan.shares.items()
        }
        jumps = [Share(node, -x) for (node, *_), x in zip(plan.stores, jump[a:b].sum(axis=0).tolist(), strict=True)]
        table = make_table(float(self.run.time[a]), float(self.run.time[b]), junctions, jumps)
        return replace(table, doubt=self._cause(table, a, b)) if table.doubt else table

    def _cause(self, table: EnergyTable, a: int, b: int) -> str:
        """Why the closing error is not small, with what to do; empty where it is round-off."""
        efforts, stores = (
            self._table[a : b + 1, columns] for columns in (self._plan.efforts, self._plan.store_columns)
        )
        noise = (float(np.max(np.abs(v), initial=0.0)) for v in (efforts, 1e-3 * stores))
        if table.closing <= ROUND * max(noise):
            return ""
        entries = self._plan.shares.get(EnergyJunction(table.closing_at), ())
        lost = sum((entry.power_sign * self._of(entry.power) for entry in entries), np.zeros(len(self.run.time)))
        leak = abs(float(increments(self.run.time, lost[:, None], self.run.jump_times)[a:b].sum()))
        if leak > table.closing / 2:
            return LEAK.format(table.closing_at)
        return STEPS.format(self.run.energy.drift) if self.run.energy.drift > COARSE else table.doubt

    def sankey(
        self, path: Path | str | None = None, start: float | None = None, end: float | None = None, **options: Any
    ) -> "Figure":
        """Draw the table as a Sankey diagram: ribbons as wide as the energy.

        Parameters
        ----------
        path : str or Path, optional
            File to write.
        start, end : float, optional
            Times (s), as for `table`.
        **options
            As of `trundle.view.sankey.draw_sankey`.

        Returns
        -------
        matplotlib.figure.Figure
        """
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
        for body in order.copy() | dict.fromkeys(self.bodies):  # bodies that no connection reaches come last
            reached = [body]
            for name in reached:
                order.setdefault(name)
                reached += [b for b in beside.get(name, []) if b not in order and b not in reached]
        return [b for b in order if b != "ground"]

    @cached_property
    def flows(self) -> "xr.Dataset":
        """Power and energy over time that every node gives to every junction; each junction adds to zero."""
        rows, powers, energies = [], [], []
        for junction, entries in self._plan.shares.items():
            for entry in entries:
                rows.append((f"{entry.node} to {junction}", str(entry.node), entry.node.kind, str(junction)))
                powers.append(entry.power_sign * self._of(entry.power))
                energies.append(entry.sign * self._energies[entry.energy])
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
        body (`body(name)` has that, and so do the attributes). A bond ("hinge.rz") stands for the law on it;
        where it has none, its flow, effort, power and energy are listed.
        """
        asked = {
            "connection": (self.connections, self.connection),
            "force": (self.forces, self.force),
            "body": (self.bodies, self.body),
        }
        kinds = [kind for kind, (known, _) in asked.items() if name in known]
        if kinds:
            others = "; ".join(f"power.{kind}({name!r}) is the {kind}" for kind in kinds[1:])
            note = {"same_name": f"this is the {kinds[0]}; {others}"} if others else {}
            return asked[kinds[0]][1](name).assign_attrs(note)
        for j in self.ports.junctions:
            for bond, coordinate in zip(j.bonds, j.coordinates or j.bonds, strict=True):
                if name in (f"{j.name}.{bond}", f"{j.name}.{coordinate}"):
                    law = f"{j.name}.{coordinate}"
                    return self.force(law) if law in self.forces else self._bond(j, bond)
        choices = [*self.connections, *self.forces, *self.bodies]
        choices += [f"{j.name}.{bond}" for j in self.ports.junctions for bond in j.bonds]
        raise UnknownNameError(str(name), choices, "body, connection, bond, force or law")

    def _bond(self, j: Junction, bond: str) -> "xr.Dataset":
        """One bond of a connection that no effort law acts on."""
        of_bond = self.connection(j.name)[["flow", "effort", "power", "energy"]].sel(bond=bond)
        return of_bond.assign_attrs(title=f"bond {j.name}.{bond}")

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies and moving frames."""
        return [*self.ports.bodies, *self.ports.frames]

    @property
    def connections(self) -> list[str]:
        """Names of the connections, and of the chains of contacts on which laws act."""
        return [j.name for j in self.ports.junctions]

    @property
    def forces(self) -> list[str]:
        """Names of the forces and laws."""
        return [e.name for e in self.ports.elements]

    def connection(self, name: str) -> "xr.Dataset":
        """Flow, effort, power (W) and energy (J) of each bond of a connection, and what the two bodies receive.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        xarray.Dataset
            Over time.
        """
        j: Junction = _named(self.ports.junctions, name, "connection")
        data: dict[str, Any] = {}
        coords: dict[str, Any] = {}
        if j.bonds:
            k, dims = 6 * self._plan.bonded.index(name), ("time", "bond")
            power, energy = (v[:, k : k + 6] for v in (self._bond_powers, self._bond_energies))
            text = f"motion of {j.second!r} against {j.first!r}"
            data["flow"] = (dims, self._of((name, "flow")), _about(FLOWS, text))
            text = f"force and moment on {j.second!r}"
            data["effort"] = (dims, self._of((name, "effort")), _about(EFFORTS, text))
            data["power"] = (dims, power, _about("W", "power that the element of the bond gives to the two bodies"))
            data["energy"] = (dims, energy, _about("J", "energy given since the start"))
            coords = {"bond": list(j.bonds), "element": ("bond", list(j.elements))}
            sealed = self._sealed(name, j)
            if sealed is not None:
                coords["sealed"] = (dims, sealed, {"long_name": "element that the bond ends in at the time"})
        for word, body in (("first", j.first), ("second", j.second)):
            at = (name, f"power_to_{word}")
            data[f"power_to_{word}"] = ("time", self._of(at), _about("W", f"power that {body!r} receives"))
            data[f"energy_to_{word}"] = ("time", self._energies[at], _about("J", f"energy that {body!r} has received"))
        return self._dataset(data, coords, f"connection {name}", first=j.first, second=j.second)

    def _sealed(self, name: str, junction: Junction) -> Any:
        """What the bonds of a contact end in over time, where it opens, sticks or slides: friction that sticks is a
        flow constraint, friction that slides a resistance, an open contact has no efforts. None for others.
        """
        f = self.run.formulation
        c = None if f is None else f.model.connections.get(name)
        if c is None or not (c.unilateral or (c.friction is not None and c.friction.sticks)):
            return None
        state = np.rint(self.run.values(f"{name}.state")).astype(int).reshape(-1, 1)  # 0 open, 1 sliding, 2 sticking
        rubs = np.isin(junction.bonds, c.sliding)
        usual = np.array(junction.elements, dtype="<U5")
        return np.where(state == 0, "EC", np.where((state == 2) & rubs, "FC", usual))

    def body(self, name: str) -> "xr.Dataset":
        """Power (W) and energy (J) into a body by ports; they add to zero. The inertance brings minus the rate of
        kinetic energy: positive while the body slows down.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        xarray.Dataset
            Over time.
        """
        if name not in self.bodies:
            raise UnknownNameError(name, self.bodies, "body")
        ports = self._plan.ports[name]
        power = np.column_stack([sign * self._of(at) for at, sign in ports.values()])
        energy = np.column_stack([sign * self._energies[at] for at, sign in ports.values()])
        data = {
            "power": (("time", "port"), power, _about("W", "power into the body")),
            "energy": (("time", "port"), energy, _about("J", "energy into the body since the start")),
        }
        return self._dataset(data, {"port": list(ports)}, f"body {name}")

    def force(self, name: str) -> "xr.Dataset":
        """What a force or law gives to each body or connection, stores, loses and brings in.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        xarray.Dataset
            Over time.
        """
        e: Element = _named(self.ports.elements, name, "force or law")
        receivers = [*e.junctions, *e.bodies]
        power = np.column_stack([self._of((name, f"power_to_{r}")) for r in receivers])
        energy = np.column_stack([self._energies[name, f"power_to_{r}"] for r in receivers])
        data: dict[str, Any] = {
            "power": (("time", "receiver"), power, _about("W", "power that the receiver gets")),
            "energy": (("time", "receiver"), energy, _about("J", "energy that the receiver has got")),
        }
        for what, text in (("stored", "stored"), ("lost", "lost"), ("supplied", "brought in from outside")):
            at = (name, what)
            data[what] = ("time", self._of(at), _about("W", f"power {text}"))
            data[f"{what}_energy"] = ("time", self._energies[at], _about("J", f"energy {text} since the start"))
        return self._dataset(data, {"receiver": receivers}, f"force {name}")

    def _dataset(self, data: dict[str, Any], coords: dict[str, Any], title: str, **attrs: str) -> "xr.Dataset":
        import xarray as xr

        time = ("time", self.run.time, {"units": "s", "long_name": "time"})
        return xr.Dataset(data, {"time": time, **coords}, {"title": title, **attrs})


def _about(unit: str, text: str) -> dict[str, str]:
    return {"units": unit, "long_name": text}


def _named(known: Iterable[Any], name: str, what: str) -> Any:
    names = {each.name: each for each in known}
    if name not in names:
        raise UnknownNameError(name, names, what)
    return names[name]
