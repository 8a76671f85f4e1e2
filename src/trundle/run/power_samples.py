"""Numbers of the power audit: every measured power, effort and flow at every sample, and their time integrals."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.equations.outputs.ports import Measure, Ports, power_quantities
from trundle.errors import SolveError
from trundle.run.power_plan import Plan, make_plan
from trundle.run.quadrature import cumulative, gaps, increments
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.run.run import Run

BLOCK = 512  # samples whose sums stay in the cache


@final
@dataclass(frozen=True)
class Residual:
    """Largest sum of powers at a junction, which should be zero; relative to the largest power in the system."""

    absolute: float  # W
    relative: float
    junction: str
    time: float  # s


@final
class PowerSamples:
    """Powers, efforts and flows at the ports along a run; energies count from its start."""

    def __init__(self, run: "Run", ports: Ports) -> None:
        self.run, self.ports = run, ports

    @cached_property
    def plan(self) -> Plan:
        """Where each measured quantity stands in the table, and what adds up at which junction."""
        return make_plan(self.ports)

    @cached_property
    def table(self) -> Array:
        """Every measured quantity at every sample, side by side."""
        if self.run.formulation is not None and self.run._raw is not None:
            resisted = list(self.run.formulation.model.resistances)
            if resisted:
                raise SolveError(
                    f"what is resisted along {', '.join(map(repr, resisted))} is not an element on a bond: its power "
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

    def of(self, measure: Measure) -> Array:
        """A measured quantity: of shape (times,), or (times, 6) for bonds."""
        found = self.table[:, self.plan.at[measure]]
        return found[:, 0] if found.shape[1] == 1 else found

    @cached_property
    def steps(self) -> Array:
        """Energy through each port between neighbouring samples, as time integrals of the powers."""
        return increments(self.run.time, self.table[:, self.plan.power_columns], self.run.jump_times)

    @cached_property
    def changes(self) -> tuple[Array, Array]:
        """Changes of stored energies between samples: through ports, and by jumps at events."""
        change = np.diff(self.table[:, self.plan.store_columns], axis=0)
        jump = np.zeros_like(change)
        at = gaps(self.run.time, self.run.jump_times)
        if len(at):
            of = {name: i for i, name in enumerate(self.plan.powers)}
            for k, (node, _, power, sign) in enumerate(self.plan.stores):
                through = sign * self.steps[at, of[node.of, power]]
                jump[at, k], change[at, k] = change[at, k] - through, through
        return change, jump

    @cached_property
    def energies(self) -> dict[Measure, Array]:
        """Energy through every port and change of every store since the start."""
        names = [*self.plan.powers, *((node.of, energy) for node, energy, _, _ in self.plan.stores)]
        total = np.zeros((len(self.run.time), len(names)))
        np.cumsum(np.hstack([self.steps, self.changes[0]]), axis=0, out=total[1:])
        return dict(zip(names, total.T, strict=True))

    @cached_property
    def bond_powers(self) -> Array:
        """Power of every bond of every connection, of shape (times, 6 x connections)."""
        return self.table[:, self.plan.efforts] * self.table[:, self.plan.flows]

    @cached_property
    def bond_energies(self) -> Array:
        """Time integrals of these."""
        return cumulative(self.run.time, self.bond_powers, self.run.jump_times)

    @cached_property
    def residual(self) -> Residual:
        """1-junctions: all ports of a body add to zero. 0-junctions: both bodies receive what the bonds give."""
        plan, table = self.plan, self.table
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
