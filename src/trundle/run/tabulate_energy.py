"""The table of energy flows between two times of a run, and why it may not close."""

from dataclasses import replace

import numpy as np

from trundle.errors import SolveError
from trundle.model.check import finite_number
from trundle.run.energy_table import COARSE, LEAK, STEPS, EnergyJunction, EnergyTable, Share, make_table
from trundle.run.power_samples import PowerSamples
from trundle.run.quadrature import increments
from trundle.typing import Array

ROUND = 1e-12  # of the largest effort: less energy than this over 1 m or 1 rad is round-off


def tabulate(samples: PowerSamples, start: float | None, end: float | None) -> EnergyTable:
    """Net energy (J) that went from where to where between the samples nearest to two times (s)."""
    a, b = _window(samples.run.time, start, end)
    plan, (change, jump) = samples.plan, samples.changes
    flowed = dict(zip(plan.powers, samples.steps[a:b].sum(axis=0).tolist(), strict=True))
    stored = [(node.of, energy) for node, energy, _, _ in plan.stores]
    flowed |= dict(zip(stored, change[a:b].sum(axis=0).tolist(), strict=True))
    junctions = {
        name: [Share(entry.node, entry.sign * flowed[entry.energy]) for entry in entries]
        for name, entries in plan.shares.items()
    }
    jumps = [Share(node, -x) for (node, *_), x in zip(plan.stores, jump[a:b].sum(axis=0).tolist(), strict=True)]
    table = make_table(float(samples.run.time[a]), float(samples.run.time[b]), junctions, jumps)
    return replace(table, doubt=_cause(samples, table, a, b)) if table.doubt else table


def _window(t: Array, start: float | None, end: float | None) -> tuple[int, int]:
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


def _cause(samples: PowerSamples, table: EnergyTable, a: int, b: int) -> str:
    """Why the closing error is not small, with what to do; empty where it is round-off."""
    efforts, stores = (
        samples.table[a : b + 1, columns] for columns in (samples.plan.efforts, samples.plan.store_columns)
    )
    noise = (float(np.max(np.abs(v), initial=0.0)) for v in (efforts, 1e-3 * stores))
    if table.closing <= ROUND * max(noise):
        return ""
    entries = samples.plan.shares.get(EnergyJunction(table.closing_at), ())
    lost = sum((entry.power_sign * samples.of(entry.power) for entry in entries), np.zeros(len(samples.run.time)))
    leak = abs(float(increments(samples.run.time, lost[:, None], samples.run.jump_times)[a:b].sum()))
    if leak > table.closing / 2:
        return LEAK.format(table.closing_at)
    return STEPS.format(samples.run.energy.drift) if samples.run.energy.drift > COARSE else table.doubt
