"""Trips of a two-axle wagon: steps, microseconds a step and how many times faster than real time they run.

Straight, sine curve and arc of 600 m at 30 m/s, S1002 on 60E1: smooth, and with ERRI's low irregularities at two
tolerances; many wagons in one batch; the first build with an empty cache, and one from the cache.

python -m benchmarks.rail_runs [--rounds N] [--batch N] [--builds]
python -m benchmarks.rail_runs --only-batch 1000    # the batch alone, with processor seconds
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from trundle import rail

SPEED, DURATION = 30.0, 20.0
LINE = rail.Alignment([rail.Straight(40), rail.Sine(80, 600, 0.15), rail.Arc(600, 600, 0.15)])


def wagon() -> rail.Wagon:
    """The wagon of docs/rail.md."""
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(1813, (1120, 112, 1120), contact)
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    return rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), axle, box, 8.0)


def trip(rough: bool) -> rail.Trip:
    irregularity = rail.Irregularity.erri("low", seed=1) if rough else None
    return rail.Trip(wagon(), LINE, SPEED, irregularity=irregularity)


def measure(name: str, one: rail.Trip, rounds: int, **options: float | str) -> None:
    """The best of several runs; the first, which compiles, does not count."""
    run = one.simulate(DURATION, samples=2, **options)
    best = np.inf
    for _ in range(rounds):
        began = time.perf_counter()
        run = one.simulate(DURATION, samples=2, **options)
        best = min(best, time.perf_counter() - began)
    work = next(line for line in run.summary().splitlines() if line.startswith("work")).split()
    steps = int(work[1]) + int(work[3])
    print(
        f"{name:34} {run.outcome.split(':')[0]:10} {steps:6d} steps, {1e6 * best / steps:6.1f} us a step, "
        f"{DURATION / best:6.0f} times real time",
        flush=True,
    )


def many(count: int) -> None:
    """Wagons at different speeds on rough track, in one batch."""
    one = trip(rough=True)
    speeds = np.linspace(20.0, 30.0, count)
    one.batch(0.1, parameters={"speed": speeds[:8]}, rtol=1e-4)
    began, worked = time.perf_counter(), time.process_time()
    found = one.batch(DURATION, parameters={"speed": speeds}, rtol=1e-4)
    took, worked = time.perf_counter() - began, time.process_time() - worked
    print(
        f"{count} wagons x {DURATION:g} s at 1e-4: {took:.1f} s ({worked:.1f} of processors), {found.counts}",
        flush=True,
    )


def builds() -> None:
    """Seconds of a first build and of the first run, in processes of their own: empty cache, then from it."""
    script = (
        "from benchmarks.rail_runs import trip; import time; t = time.perf_counter(); one = trip(False); one.system; "
    )
    script += "u = time.perf_counter(); one.simulate(0.1); print(u - t, time.perf_counter() - u)"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("empty cache", "from the cache"):
            environment = {**os.environ, "TRUNDLE_CACHE_DIR": folder}
            done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
            build, first = map(float, done.stdout.split())
            print(f"{name}: model and equations {build:.1f} s, first run {first:.1f} s", flush=True)


def main() -> None:
    """Print one line for each case."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--batch", type=int, default=0, help="wagons in one batch (1000 for the table)")
    options.add_argument("--only-batch", type=int, default=0, help="wagons in one batch, and nothing else")
    options.add_argument("--builds", action="store_true")
    given = options.parse_args()
    if given.only_batch:
        many(given.only_batch)
        return
    measure("smooth, 1e-6", trip(rough=False), given.rounds, rtol=1e-6)
    rough = trip(rough=True)
    measure("ERRI low, 1e-6", rough, given.rounds, rtol=1e-6)
    measure("ERRI low, 1e-6, stiff", rough, given.rounds, rtol=1e-6, method="stiff")
    measure("ERRI low, 1e-4", rough, given.rounds, rtol=1e-4)
    measure("ERRI low, 1e-4, stiff", rough, given.rounds, rtol=1e-4, method="stiff")
    if given.batch:
        many(given.batch)
    if given.builds:
        builds()


if __name__ == "__main__":
    main()
