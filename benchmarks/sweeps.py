"""Sweeps against batches: throughput of many cases of a chain to a store, and what a part costs on a cluster.

python -m benchmarks.sweeps [CASES]

Wall-clock times: run it on a quiet machine. The defaults, 100,000 cases and two rounds, take a few minutes.
"""

import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import trundle as tr
from benchmarks.interleave import machine_code_at_once

CASES = 100_000
ROUNDS = 2
DURATION = 2.0  # s
PARTS, SMALL, SHORT = 100, 16, 1e-3  # parts of a few cases that end at once: what is left is the work for a part


def chain(links: int = 5) -> tr.System:
    m = tr.Model("chain")
    last: Any = m.ground
    k = m.parameter("k", 5.0, "N m/rad", "stiffness of the joints")
    for i in range(links):
        link = m.body(f"link{i}", mass=1.0, inertia=0.1, com=(0, 0, -0.5))
        m.connect(tr.Revolute("y"), last, link, law=tr.Spring(k, 0.2))
        last = link.at(0, 0, -1.0)
    return m.build()


def some(count: int) -> tr.Cases:
    return tr.latin_hypercube(count, {"k": (1.0, 20.0), "link0.angle": (-1.0, 1.0)}, seed=1)


def local(system: tr.System, count: int, folder: Path) -> None:
    """A batch and a sweep to a store on all cores, turn by turn."""
    cases = some(count)
    times: dict[str, list[float]] = {"batch": [], "sweep": []}
    for i in range(ROUNDS):
        began = perf_counter()
        batch = system.batch(DURATION, {"link0.angle": cases.values["link0.angle"]}, {"k": cases.values["k"]})
        ends = batch.end("link0.angle").values
        middle = perf_counter()
        found = tr.sweep(system, cases, DURATION, keep=["link0.angle"], out=folder / f"{i}.zarr", progress=False)
        times["batch"].append(middle - began)
        times["sweep"].append(perf_counter() - middle)
        off = float(np.max(np.abs(found["link0.angle"].values - ends)))
    fastest = {name: min(values) for name, values in times.items()}
    print(f"{count:,} cases, all cores: batch {count / fastest['batch']:,.0f} cases/s, sweep to a store "
          f"{count / fastest['sweep']:,.0f} cases/s, {fastest['batch'] / fastest['sweep']:.0%}; largest difference of "
          f"ends {off:.1e} rad")  # fmt: skip


def on_workers(system: tr.System, workers: int, folder: Path) -> None:
    """What a part costs the process that holds client and scheduler, in processor time."""
    from distributed import Client, LocalCluster

    options: dict[str, Any] = {"keep": ["link0.angle"], "part": SMALL, "progress": False}
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        Client(cluster) as client,
    ):
        tr.sweep(system, some(SMALL * 2 * workers), SHORT, client=client, **options)  # workers compile or load
        began, cpu = perf_counter(), process_time()
        tr.sweep(system, some(SMALL * PARTS), SHORT, client=client, out=folder / f"w{workers}.zarr", **options)
        wall, cpu = perf_counter() - began, process_time() - cpu
    print(f"{workers} worker{'s' * (workers > 1)}: {1e3 * cpu / PARTS:.1f} ms of processor time and "
          f"{1e3 * wall / PARTS:.1f} ms of wall time for a part; at that rate a client keeps 1,000 workers busy whose "
          f"parts take {1000 * cpu / PARTS:.0f} s")  # fmt: skip


def main(count: int = CASES) -> None:
    warnings.simplefilter("ignore", ResourceWarning)
    system = chain()
    system.batch(0.1, {"link0.angle": [0.1] * 64})  # compiles
    with tempfile.TemporaryDirectory() as folder:
        local(system, count, Path(folder))
        for workers in (1, 2, 4):
            on_workers(system, workers, Path(folder))


if __name__ == "__main__":
    machine_code_at_once()
    main(*map(int, sys.argv[1:]))
