"""Predictions of impacts: random cases and the time they take."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from trundle.walker import predict

Array = NDArray[np.float64]
COUNT = 1_000_000


def random_impacts(count: int) -> tuple[Array, ...]:
    """Inertia ratio, half angle, friction, slip, approach, restitution: all of them differ in every impact."""
    random = np.random.default_rng(2)
    return (
        random.uniform(0.0, 2.0, count),
        random.uniform(0.1, 1.5, count),
        random.uniform(0.0, 4.0, count),
        random.uniform(-1.0, 1.0, count),
        random.uniform(-2.0, -0.1, count),
        random.uniform(0.0, 1.0, count),
    )


def prediction_seconds(impacts: tuple[Array, ...], threads: int) -> float:
    """Seconds for the scenarios of all impacts, with their phases, impulses and velocities."""
    start = time.perf_counter()
    predict(*impacts, threads=threads)
    return time.perf_counter() - start
