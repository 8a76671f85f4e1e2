"""Time of the multibond graph of large models, and of the power audit against the run that it looks at.

python -m benchmarks.connections
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter, process_time

import trundle as tr
from benchmarks.interleave import machine_code_at_once
from trundle import examples


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """On the clock, and of the processor: the second is what counts where others use the machine too."""
    begin, own = perf_counter(), process_time()
    work()
    return perf_counter() - begin, process_time() - own


def graphs() -> None:
    """Graph and causality after the model is built."""
    for name, size in (("chain", {"n": 100}), ("n-four-bar", {"N": 33})):
        system = examples.model(name, **size).build()
        clock, own = seconds(partial(getattr, system, "graph"))
        bodies = len(system.model.bodies) - 1
        print(f"{name}, {bodies} bodies: graph and causality {clock:.2f} s ({own:.2f} s of the processor)")


def audits(repeats: int = 40) -> None:
    """Runs and audits take turns; medians."""
    for name, start in (("benchmark-bicycle", {"speed": 4.6, "roll_rate": 0.5}), ("bricard", {}), ("four-bar", {})):
        system = examples.model(name).build()
        runs, looks = [], []
        for _ in range(repeats):
            begin = perf_counter()
            run: tr.Run = system.simulate(10.0, start)
            middle = perf_counter()
            run.power.residual, run.power.table()
            runs.append(middle - begin)
            looks.append(perf_counter() - middle)
        a, b = 1e3 * median(runs), 1e3 * median(looks)
        print(f"{name}: run {a:.2f} ms, audit {b:.2f} ms, ratio {b / a:.2f}")


if __name__ == "__main__":
    machine_code_at_once()
    graphs()
    audits()
