"""Stiff against explicit integration of the four-bar with a coupler of spring, at equal accuracy.

python -m benchmarks.stiff

Each method climbs a ladder of tolerances; for every accuracy that is asked, the fastest rung that reaches it counts.
Accuracy is the largest error of the rod angles and rates at the rows of the reference, over ten seconds and five turns.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from benchmarks.interleave import machine_code_at_once
from trundle import examples
from trundle.system import System

REFERENCE = Path(__file__).parents[1] / "tests" / "examples" / "reference.yaml"
QUANTITIES = ("left.angle", "right.angle", "left.angle_rate", "right.angle_rate")
LADDERS = {
    "stiff": (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13),
    "order5": (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10),
    "order8": (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10),
}
ACCURACIES = (1e-2, 1e-4, 1e-6, 1e-8)
ROUNDS = 3


@dataclass(frozen=True)
class Rung:
    """One run: its tolerance, what it cost and how accurate it was."""

    method: str
    tolerance: float
    error: float
    evaluations: int
    jacobians: int
    seconds: float


def climb(system: System, case: dict[str, Any]) -> list[Rung]:
    """All methods at all their tolerances; the methods take turns on every round."""
    rows = np.array(case["rows"], dtype=float)
    halves = case["case"] == "c_halves_kick"
    start = {"right.angle_rate": -1.1 if halves else -1.0}
    parameters = {"k": case["k"], "c": case["c"], "split": 0.5 if halves else 0.3}
    found: dict[tuple[str, float], Rung] = {}
    for _ in range(ROUNDS):
        for method, ladder in LADDERS.items():
            for tolerance in ladder:
                tic = time.perf_counter()
                run = system.simulate(
                    10.0, start, parameters, method=method, rtol=tolerance, atol=tolerance, samples=list(rows[:, 0])
                )
                seconds = time.perf_counter() - tic
                key = (method, tolerance)
                if key in found:
                    seconds = min(seconds, found[key].seconds)
                errors = (
                    [np.max(np.abs(run.values(q) - rows[:, i + 1])) for i, q in enumerate(QUANTITIES)]
                    if run.ok
                    else [np.inf]
                )
                assert run.trajectory is not None
                counts = run.trajectory.counts
                found[key] = Rung(method, tolerance, float(max(errors)), counts.rhs, counts.jacobians, seconds)
    return list(found.values())


def cheapest(rungs: list[Rung], methods: tuple[str, ...], accuracy: float) -> Rung | None:
    """The fastest run of the methods that is accurate enough."""
    able = [r for r in rungs if r.method in methods and r.error <= accuracy]
    return min(able, key=lambda r: r.seconds) if able else None


def in_words(rung: Rung | None) -> str:
    """Columns of the table."""
    if rung is None:
        return f"{'not reached':^49}"
    cost = f"{rung.evaluations:8d} {rung.jacobians:7d} {1e3 * rung.seconds:8.1f}"
    return f"{rung.method:>6} {rung.tolerance:7.0e} {rung.error:8.1e} {cost}"


def stiff_table() -> None:
    """Print the comparison for all cases of the reference."""
    cases = yaml.safe_load(REFERENCE.read_text())["stiff-four-bar"]["cases"]
    system = examples.model("stiff-four-bar").build()
    for method in LADDERS:  # compiles
        system.simulate(0.01, method=method)
    columns = f"{'method':>6} {'tol':>7} {'error':>8} {'rhs':>8} {'Jacob.':>7} {'ms':>8}"
    for case in cases:
        rungs = climb(system, case)
        print(f"{case['case']}, k = {case['k']:.0e} N/m, c = {case['c']:.0e} N s/m")
        print(f"  {'asked':>7} | {columns} | {columns} | explicit / stiff (time)")
        for accuracy in ACCURACIES:
            stiff = cheapest(rungs, ("stiff",), accuracy)
            explicit = cheapest(rungs, ("order5", "order8"), accuracy)
            ratio = f"{explicit.seconds / stiff.seconds:8.1f}" if stiff and explicit else ""
            print(f"  {accuracy:7.0e} | {in_words(stiff)} | {in_words(explicit)} | {ratio}", flush=True)


if __name__ == "__main__":
    machine_code_at_once()
    stiff_table()
