"""The benchmark bicycle as all codes run it: case, exact solution, Trundle's side; and the closed form of its pitch.

Forward at 4.6 m/s from upright with a roll rate of 0.5 rad/s: the bicycle weaves, steers itself and comes upright again
while it runs on for ten seconds. Accuracy is the larger error of roll and steer at the end.
"""

from __future__ import annotations

import time
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.reference import DURATION, SAMPLES, Result
from trundle.bicycle import Geometry, benchmark, benchmark_parts, pitch
from trundle.system import System

Array = NDArray[np.float64]

SPEED = 4.6  # m/s
ROLL_RATE = 0.5  # rad/s
START = {"speed": SPEED, "roll_rate": ROLL_RATE}
FINE, COARSE = 2e-7, 1e-4  # rad: errors that the other codes are asked to keep
TOLERANCES = {FINE: 1e-10, COARSE: 1e-4}  # the first is far more accurate than it must be
EXACT_TOLERANCE = 1e-13
EXACT_GAP = 1e-11  # rad: by which the formalisms may differ


@cache
def system(formalism: str = "kane") -> System:
    """Built once."""
    return benchmark().build(formalism)


def roll_and_steer(formalism: str, tolerance: float) -> Array:
    """Roll and steer, z up, at equally spaced instants: (SAMPLES, 2)."""
    run = system(formalism).simulate(DURATION, START, rtol=tolerance, atol=tolerance, samples=SAMPLES)
    return np.column_stack([np.ravel(run.values("roll")), np.ravel(run.values("steer"))])


@cache
def exact() -> Array:
    """The motion by two formalisms with different coordinates; they must agree far beyond what is asked of any code."""
    first, second = (roll_and_steer(formalism, EXACT_TOLERANCE) for formalism in ("kane", "newton_euler"))
    gap = np.abs(first - second).max()
    if gap > EXACT_GAP:
        raise RuntimeError(f"kane and newton_euler differ by {gap:.1e} rad on the bicycle: there is no exact solution")
    return first


def end_error(roll: float, steer: float) -> float:
    """The larger error of the two angles at the end."""
    return float(np.abs(np.array([roll, steer]) - exact()[-1]).max())


def simulation(error: float = FINE) -> Result:
    """Ten seconds with everything a user gets by default: start state, 501 samples, ending."""
    tolerance = TOLERANCES[error]
    start = time.perf_counter()
    run = system().simulate(DURATION, START, rtol=tolerance, atol=tolerance)
    seconds = time.perf_counter() - start
    ends = (float(np.ravel(run.values(name))[-1]) for name in ("roll", "steer"))
    return Result(seconds, end_error(*ends), {"rtol": tolerance})


def random_poses(count: int) -> tuple[Array, Array]:
    """Roll and steer up to 1.5 rad to either side, with a fixed seed; in 7 of 100 the front wheel cannot touch."""
    random = np.random.default_rng(1)
    return random.uniform(-1.5, 1.5, count), random.uniform(-1.5, 1.5, count)


def pitch_seconds(roll: Array, steer: Array) -> float:
    """Seconds for the pitch of all poses of the benchmark bicycle; it uses one core."""
    parts = benchmark_parts()
    geometry = Geometry(parts.wheelbase, parts.trail, parts.tilt, parts.rear_wheel.radius, parts.front_wheel.radius)
    start = time.perf_counter()
    pitch(geometry, roll, steer)
    return time.perf_counter() - start
