"""Trips of rail vehicles: steps, microseconds a step and how many times faster than real time they run.

Straight, sine curve and arc of 600 m at 30 m/s, S1002 on 60E1. Two-axle wagon: smooth, and with ERRI's low
irregularities at two tolerances. Manchester vehicle 1: smooth, and with ERRI. Medians of several runs, by the clock and
by the processor's time (which a loaded machine disturbs less), with the slowest and the quickest. Then many wagons in
one batch; first builds with an empty cache, and builds and first runs from it, each in a process of its own.

python -m benchmarks.rail_runs [--rounds N]       # all of it, some minutes
python -m benchmarks.rail_runs --only runs        # or batch, builds
python -m benchmarks.rail_runs --wagons 100       # a smaller batch
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from statistics import median

import numpy as np

from benchmarks.interleave import machine_code_at_once
from trundle import rail

SPEED, DURATION = 30.0, 20.0
LINE = rail.Alignment([rail.Straight(40), rail.Sine(80, 600, 0.15), rail.Arc(600, 600, 0.15)])


def wagon() -> rail.Wagon:
    """The wagon of docs/rail.md."""
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(1813, (1120, 112, 1120), contact)
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    return rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), axle, box, 8.0)


VEHICLES = {"wagon": wagon, "Manchester": rail.manchester_vehicle}


def trip(rough: bool, vehicle: str = "wagon") -> rail.Trip:
    """A trip of a vehicle in VEHICLES."""
    irregularity = rail.Irregularity.erri("low", seed=1) if rough else None
    return rail.Trip(VEHICLES[vehicle](), LINE, SPEED, irregularity=irregularity)


def measure(name: str, one: rail.Trip, rounds: int, bar: int, **options: float | str) -> None:
    """Several runs of the same trip; the first, which compiles, does not count."""
    one.simulate(DURATION, samples=2, **options)
    clock, worked = [], []
    for _ in range(rounds):
        began, busy = time.perf_counter(), time.process_time()
        run = one.simulate(DURATION, samples=2, **options)
        clock.append(time.perf_counter() - began)
        worked.append(time.process_time() - busy)
    counts, slow, quick = run.trajectory.counts, DURATION / max(clock), DURATION / min(clock)
    steps = counts.steps + counts.rejected
    print(
        f"{name:28} {run.outcome.split(':')[0]:9} {steps:6d} steps, {1e6 * median(worked) / steps:6.1f} us a step, "
        f"{DURATION / median(clock):5.0f} times real time ({slow:.0f} to {quick:.0f}); "
        f"by processor time {DURATION / median(worked):5.0f}; bar {bar}",
        flush=True,
    )


def runs(rounds: int) -> None:
    """One line for each kind of trip."""
    measure("wagon, smooth, 1e-6", trip(False), rounds, 300, rtol=1e-6)
    rough = trip(True)
    measure("wagon, ERRI low, 1e-6", rough, rounds, 50, rtol=1e-6)
    measure("wagon, ERRI low, 1e-4", rough, rounds, 100, rtol=1e-4)
    measure("Manchester, smooth, 1e-6", trip(False, "Manchester"), rounds, 25, rtol=1e-6)
    measure("Manchester, ERRI low, 1e-6", trip(True, "Manchester"), rounds, 25, rtol=1e-6)


def many(count: int) -> None:
    """Wagons at different speeds on rough track, in one batch."""
    one = trip(rough=True)
    speeds = np.linspace(20.0, 30.0, count)
    one.batch(0.1, parameters={"speed": speeds[:8]}, rtol=1e-4)
    began, worked = time.perf_counter(), time.process_time()
    found = one.batch(DURATION, parameters={"speed": speeds}, rtol=1e-4)
    took, worked = time.perf_counter() - began, time.process_time() - worked
    print(
        f"{count} wagons x {DURATION:g} s at 1e-4: {took:.1f} s ({worked:.1f} of processors), {found.counts}; "
        "bar 60 s for 1000 on two cores",
        flush=True,
    )


_BUILD = """
import time
from benchmarks.rail_runs import trip
began, worked = time.perf_counter(), time.process_time()
one = trip(False, {vehicle!r})
one.system
built = time.perf_counter()
one.simulate(0.1)
print(built - began, time.perf_counter() - built, time.process_time() - worked)
"""


def builds(rounds: int) -> None:
    """Seconds of a first build and of the first run, in processes of their own: empty cache, then from it."""
    for vehicle, bar in (("wagon", 20), ("Manchester", 60)):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TRUNDLE_CACHE_DIR": folder}

            def fresh(name: str, environment: dict[str, str] = environment) -> list[float]:
                command = [sys.executable, "-c", _BUILD.format(vehicle=name)]
                done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                return [float(number) for number in done.stdout.split()]

            _tell(f"{vehicle}, empty cache", [fresh(vehicle)], bar)
            _tell(f"{vehicle}, from the cache", [fresh(vehicle) for _ in range(rounds)], 1)


def _tell(name: str, found: list[list[float]], bar: int) -> None:
    built, first, worked = (median(numbers) for numbers in zip(*found, strict=True))
    print(
        f"{name:28} model and equations {built:5.2f} s, first run {first:5.2f} s, together {built + first:5.2f} s "
        f"({worked:.2f} of processors); bar {bar} s",
        flush=True,
    )


def main() -> None:
    """Print one line for each case."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--wagons", type=int, default=1000, help="in the batch")
    options.add_argument("--only", choices=("runs", "batch", "builds"))
    given = options.parse_args()
    if given.only in (None, "runs"):
        runs(given.rounds)
    if given.only in (None, "batch"):
        many(given.wagons)
    if given.only in (None, "builds"):
        builds(given.rounds)


if __name__ == "__main__":
    machine_code_at_once()
    main()
