"""Monte Carlo of models that roll, stick and bounce: a batch against the same runs one after the other, turn by turn.

python -m benchmarks.monte_carlo
"""

import sys
from time import process_time
from typing import Any

import numpy as np

import trundle as tr
from benchmarks.interleave import machine_code_at_once

COUNT = 200


def models() -> dict[str, tuple[tr.Model, dict[str, Any], dict[str, Any], float]]:
    """Model, start values and parameters of all cases, and duration (s), by name."""
    rng = np.random.default_rng(3)
    rolling = tr.Model("disc that wobbles")
    edge = tr.HigherPair(tr.Plane(), tr.CircleEdge(radius=0.5))
    disc = rolling.body("disc", mass=1.0, inertia=(0.125, 0.25, 0.125))
    rolling.connect(edge, rolling.ground, disc, law=tr.Coulomb(rolling.parameter("mu", 0.4)))
    rolling.start = {"disc.roll": 0.2, "disc.pitch_rate": 4.0}

    sticking = tr.Model("block on a plate that shakes")
    plate, block = sticking.body("plate", 1.0, 0.1), sticking.body("block", 1.0, 0.1)
    sticking.connect(tr.Prismatic("x"), sticking.ground, plate, law=tr.Servo(lambda t: 0.2 * tr.sin(6.0 * t)))
    foot = tr.HigherPair(tr.Plane(), tr.Vertex())
    sticking.connect(foot, plate, block, name="foot", law=tr.Coulomb(sticking.parameter("mu", 0.3)))
    sticking.start |= {"block.position": (0, 0, 0), "block.velocity": (0, 0, 0)}

    bouncing = tr.Model("ball")
    law, bounce = tr.Coulomb(bouncing.parameter("mu", 0.2)), tr.Poisson(bouncing.parameter("e", 0.7))
    round_ = tr.HigherPair(tr.Plane(), tr.Sphere(0.1))
    ball = bouncing.body("ball", 1.0, 0.004)
    bouncing.connect(round_, bouncing.ground, ball, name="floor", law=law, restitution=bounce)
    bouncing.start = {"ball.position": (0, 0, 0.6), "ball.velocity": (1.0, 0, 0)}
    throws = np.column_stack([rng.uniform(0.5, 2, COUNT), rng.uniform(-1, 1, (COUNT, 2))])
    return {
        "rolls": (rolling, {"disc.roll": rng.uniform(0.05, 0.5, COUNT)}, {"mu": rng.uniform(0.3, 0.6, COUNT)}, 5.0),
        "sticks": (sticking, {}, {"mu": rng.uniform(0.2, 0.6, COUNT)}, 10.0),
        "bounces": (bouncing, {"ball.velocity": throws}, {"e": rng.uniform(0.4, 0.8, COUNT)}, 3.0),
    }


def main(rounds: int = 5) -> None:
    """Processor time of a case, on one thread."""
    for name, (model, start, parameters, duration) in models().items():
        system = model.build()
        ratios, times = [], []
        for _ in range(rounds):
            began = process_time()
            system.batch(duration, start, parameters, samples=51, threads=1)
            middle = process_time()
            for i in range(COUNT):
                chosen, values = ({k: v[i] for k, v in given.items()} for given in (start, parameters))
                system.simulate(duration, chosen, values, samples=51)
            ratios.append((process_time() - middle) / (middle - began))
            times.append((middle - began) / COUNT * 1e6)
        print(f"{name}: {np.median(times):.0f} us a case, runs alone take {np.median(ratios):.1f} times as long")


if __name__ == "__main__":
    machine_code_at_once()
    main(*map(int, sys.argv[1:]))
