"""Manchester vehicle 1 into a curve: processor seconds of a build (from the cache where it was built before), steps,
microseconds a step, times real time.

python -m benchmarks.manchester [--rounds N]
"""

from __future__ import annotations

import argparse
import time

from trundle import rail

SPEED, DURATION, RTOL = 30.0, 20.0, 1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    line = rail.Alignment([rail.Straight(40), rail.Sine(80, 600, 0.15), rail.Arc(600, 800, 0.15)])
    vehicle = rail.manchester_vehicle()
    for _ in range(rounds):
        began = time.process_time()
        system = rail.Trip(vehicle, line, SPEED).system
        built = time.process_time()
        system.simulate(1e-3, method="stiff")
        ready = time.process_time()
        run = system.simulate(DURATION, method="stiff", rtol=RTOL)
        took = time.process_time() - ready
        counts = run.trajectory.counts
        steps = counts.steps + counts.rejected
        print(
            f"build {built - began:.2f} s, stiff kernels {ready - built:.2f} s; {DURATION:g} s of motion: "
            f"{steps} steps, {1e6 * took / steps:.0f} us a step, {DURATION / took:.0f} times real time"
        )


if __name__ == "__main__":
    main()
