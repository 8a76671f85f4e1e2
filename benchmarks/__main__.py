"""All benchmarks against the peers: `make bench`. Ratios are taken from runs that took turns on the same machine.

python -m benchmarks [--quick] [--out FILE]
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable

import numpy as np

from benchmarks import bicycle, impact, peers, stick_slip, trundle_
from benchmarks.interleave import interleave, machine_code_at_once
from benchmarks.reference import Result, chain_start

LINES: list[str] = []


def say(text: str = "") -> None:
    """Print a line and keep it for the report."""
    print(text, flush=True)
    LINES.append(text)


def forward_dynamics(rounds: int) -> None:
    """Time of one evaluation of the accelerations of a chain."""
    say("Forward dynamics of an n-body chain (microseconds; ratio = peer / Trundle)")
    lanes = trundle_.chain(3).formulation.kernels("lanes", wide=True)["rhs"].lanes
    say(f"  {'n':>4} {'1 lane':>8} {f'{lanes} lanes':>8}  " + "".join(f"{name:>30}" for name in peers.NAMES))
    for n in (3, 7, 20, 100):
        cases: dict[str, Callable[[], float]] = {
            "one": trundle_.forward_dynamics(n, lanes=False),
            "lane": trundle_.forward_dynamics(n, lanes=True),
        }
        for name in peers.NAMES:
            module = peers.load(name)
            if module is not None:
                cases[name] = lambda module=module, n=n: module.chain_forward_dynamics(n)
        found = {k: v.best for k, v in interleave(cases, rounds).items()}
        row = f"  {n:>4} {found['one'] * 1e6:8.3f} {found['lane'] * 1e6:8.3f}  "
        for name in peers.NAMES:
            if name in found:
                ratio, lane = found[name] / found["one"], found[name] / found["lane"]
                row += f"{found[name] * 1e6:10.2f} (x{ratio:5.1f}, x{lane:6.1f})"
        say(row)


def agreement() -> None:
    """Accelerations of all codes agree."""
    for n in (3, 7, 20):
        q, u = chain_start(n)
        ours = trundle_.chain_acceleration(n, q, u)
        for name in ("pinocchio", "mujoco"):
            module = peers.load(name)
            if module is not None:
                gap = np.max(np.abs(module.chain_acceleration(n, q, u) - ours)) / np.max(np.abs(ours))
                say(f"  n = {n:3d}: accelerations differ from {name} by {gap:.1e}")


def compare(title: str, ours: Callable[[], Result], theirs: dict[str, Callable[[], Result]], rounds: int) -> None:
    """Seconds, accuracy and ratio of whole runs."""
    last: dict[str, Result] = {}

    def timed(name: str, run: Callable[[], Result]) -> Callable[[], float]:
        def call() -> float:
            last[name] = run()
            return last[name].seconds

        return call

    ours()  # compiles
    times = interleave({"trundle": timed("trundle", ours), **{k: timed(k, v) for k, v in theirs.items()}}, rounds)
    say(f"{title}: Trundle {times['trundle'] * 1e3:.2f} ms, accuracy {last['trundle'].accuracy:.1e}")
    for name in theirs:
        ratio = times[name] / times["trundle"]
        say(f"    {name:<22} {times[name] * 1e3:10.1f} ms, accuracy {last[name].accuracy:.1e}   x{ratio:.0f}")


def whole_runs(rounds: int) -> None:
    """Simulations at equal or better accuracy."""
    for n in (5, 20):
        theirs = {}
        for name in peers.NAMES:
            module = peers.load(name)
            if module is not None:
                theirs[name] = lambda module=module, n=n: module.chain_simulation(n)
        compare(f"Chain n = {n}, 10 s, drift 1e-9", lambda n=n: trundle_.chain_simulation(n), theirs, rounds)
    for loops in (10, 40):
        theirs = {}
        for name in peers.NAMES:
            module = peers.load(name)
            if module is not None:
                theirs[name] = lambda module=module, loops=loops: module.four_bar(loops)
        compare(f"N-four-bar N = {loops}, 10 s, 1e-4 rad", lambda loops=loops: trundle_.four_bar(loops), theirs, rounds)


def bicycles(rounds: int) -> None:
    """The benchmark bicycle: the same motion in both codes, whole runs at two accuracies, and poses by closed form."""
    exudyn = peers.load("exudyn", "bicycle")
    theirs: dict[float, dict[str, Callable[[], Result]]] = {error: {} for error in bicycle.TOLERANCES}
    if exudyn is not None:
        coarse, fine, limit = exudyn.convergence()
        say(f"Bicycle: exudyn differs by {coarse:.1e}, with half the step {fine:.1e}, extrapolated {limit:.1e} rad")
        theirs = {error: {"exudyn": lambda error=error: exudyn.simulation(error)} for error in theirs}
    for error, runs in theirs.items():
        title = f"Bicycle, 10 s, {error:g} rad at the end"
        compare(title, lambda error=error: bicycle.simulation(error), runs, rounds)
    roll, steer = bicycle.random_poses(1_000_000)
    bicycle.pitch_seconds(roll[:1], steer[:1])  # compiles
    seconds = interleave({"pitch": lambda: bicycle.pitch_seconds(roll, steer)}, rounds)["pitch"]
    say(f"Pitch of {len(roll)} poses, one core: {seconds:.2f} s, {len(roll) / seconds:.2e} poses a second")


def impacts(rounds: int) -> None:
    """Scenarios of impacts, one thread and all cores."""
    given = impact.random_impacts(impact.COUNT)
    impact.prediction_seconds(given, 1)  # compiles
    threads = {"one thread": 1, "all cores": os.cpu_count() or 1}
    cases = {name: lambda n=n: impact.prediction_seconds(given, n) for name, n in threads.items()}
    for name, seconds in interleave(cases, rounds).items():
        say(f"Scenarios of {impact.COUNT} impacts, {name}: {impact.COUNT / seconds:.2e} a second")


def rollouts(rounds: int, count: int) -> None:
    """Many runs at once."""
    mujoco = peers.load("mujoco")
    theirs: dict[str, Callable[[], Result]] = {}
    if mujoco is not None:
        for integrator in ("RK4", "Euler"):
            theirs[f"mujoco {integrator} 2 ms"] = lambda i=integrator: mujoco.chain_rollouts(
                count, 5, 1.0, integrator=i
            )
    for tolerance in (1e-4, 1e-8):
        title = f"{count} rollouts of the n = 5 chain, 1 s, tolerance {tolerance:g}"
        compare(title, lambda t=tolerance: trundle_.chain_rollouts(count, 5, 1.0, t), theirs, rounds)


def start_up() -> None:
    """Import, build and first run in new processes."""
    say("Start-up in new processes (s): import, build, build and 1 s of motion")
    for n in (5, 100):
        for name, (a, b, c) in trundle_.start_up(n).items():
            say(f"    n = {n:3d}, {name:<24} {a:6.2f} {b:6.2f} {c:6.2f}")


def main() -> None:
    """Run all and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--out", default="", help="file for the report")
    options = parser.parse_args()
    rounds = 3 if options.quick else 7
    say(f"Trundle benchmarks: Python {platform.python_version()}, {platform.machine()}")
    agreement()
    forward_dynamics(rounds)
    whole_runs(rounds)
    bicycles(rounds)
    stick_slip.table(rounds, say)
    impacts(rounds)
    rollouts(min(rounds, 3), 1000)
    start_up()
    if options.out:
        with open(options.out, "w") as file:
            file.write("\n".join(LINES) + "\n")


if __name__ == "__main__":
    machine_code_at_once()
    main()
