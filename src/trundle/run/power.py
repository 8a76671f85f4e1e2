"""Power audit of a run: power and energy through every bond, sums at the junctions, and where energy went."""

import json
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, final

from trundle.equations.outputs.ports import Ports
from trundle.errors import StoreError, UnknownNameError
from trundle.messages.arguments import explain_calls
from trundle.messages.preparing import preparing
from trundle.run.energy_table import EnergyTable
from trundle.run.power_datasets import body_audit, bond_audit, connection_audit, energy_flows, force_audit
from trundle.run.power_samples import PowerSamples, Residual
from trundle.run.tabulate_energy import tabulate
from trundle.typing import Option

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from trundle.run.run import Run

STORED = "power_ports"  # attribute of a file that holds the audit


@explain_calls
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
    def samples(self) -> PowerSamples:
        """The numbers: every measured power, effort and flow at every sample, and their time integrals."""
        return PowerSamples(self.run, self.ports)

    @property
    def residual(self) -> Residual:
        """Largest sum of powers at a junction, which should be zero."""
        return self.samples.residual

    # -- where energy went ---------------------------------------------------------------------------------------------

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
        return tabulate(self.samples, start, end)

    @preparing("the picture")
    def sankey(
        self, path: Path | str | None = None, start: float | None = None, end: float | None = None, **options: Option
    ) -> "Figure":
        """Draw the table as a Sankey diagram: ribbons as wide as the energy.

        Parameters
        ----------
        path : str or Path, optional
            File to write.
        start, end : float, optional
            Times (s), as for `table`.
        **options
            Options of `trundle.view.sankey.draw_sankey`.

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
        return energy_flows(self.samples)

    # -- by name -------------------------------------------------------------------------------------------------------

    def __call__(self, *names: object) -> NoReturn:
        raise TypeError("run.power is not a function: an audit is run.power['hinge'], with square brackets.")

    def __getitem__(self, name: str) -> "xr.Dataset":
        """Audit of a connection, force, law ("hinge.angle") or body; of a connection when it shares its name with a
        body (`body(name)` has that, and so do the attributes). A bond ("hinge.rz") stands for the law on it;
        where it has none, its flow, effort, power and energy are listed.
        """
        audits = {
            "connection": (self.connections, self.connection),
            "force": (self.forces, self.force),
            "body": (self.bodies, self.body),
        }
        kinds = [kind for kind, (known, _) in audits.items() if name in known]
        if kinds:
            others = "; ".join(f"power.{kind}({name!r}) is the {kind}" for kind in kinds[1:])
            note = {"same_name": f"this is the {kinds[0]}; {others}"} if others else {}
            return audits[kinds[0]][1](name).assign_attrs(note)
        for j in self.ports.junctions:
            for bond, coordinate in zip(j.bonds, j.coordinates or j.bonds, strict=True):
                if name in (f"{j.name}.{bond}", f"{j.name}.{coordinate}"):
                    law = f"{j.name}.{coordinate}"
                    return self.force(law) if law in self.forces else bond_audit(self.samples, j, bond)
        choices = [*self.connections, *self.forces, *self.bodies]
        choices += [f"{j.name}.{bond}" for j in self.ports.junctions for bond in j.bonds]
        raise UnknownNameError(str(name), choices, "body, connection, bond, force or law")

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
        return connection_audit(self.samples, name)

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
        return body_audit(self.samples, name)

    def force(self, name: str) -> "xr.Dataset":
        """Power that a force or law delivers to each body or connection, stores, dissipates and supplies.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        xarray.Dataset
            Over time.
        """
        return force_audit(self.samples, name)
