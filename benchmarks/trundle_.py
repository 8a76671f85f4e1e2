"""Trundle's side of the benchmarks: the same models, the same measures."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache

import numpy as np

import trundle as tr
from benchmarks import reference
from benchmarks.reference import DURATION, SAMPLES, Result
from trundle.kernel import Kernel, aligned
from trundle.study.start_state import state_vector
from trundle.system import System

FOUR_BAR_TOLERANCE = {10: 1e-7, 40: 1e-7}  # coarsest of 1e-6, 3e-7, 1e-7 within 1e-4 at all whole seconds


def chain_model(n: int) -> tr.Model:
    """The chain of `reference` through the public interface."""
    model = tr.Model(f"chain {n}")
    q, u = reference.chain_start(n)
    place: tr.Body | tr.Frame = model.ground
    for i, axis in enumerate(reference.chain_axes(n)):
        half = (0.0, 0.0, -reference.LINK_LENGTH / 2)
        link = model.body(f"link{i}", reference.LINK_MASS, reference.LINK_INERTIA, com=half)
        model.connect(tr.Revolute(axis), place, link)
        model.start |= {f"link{i}.angle": q[i], f"link{i}.angle_rate": u[i]}
        place = link.at(0.0, 0.0, -reference.LINK_LENGTH)
    return model


@cache
def chain(n: int) -> System:
    """The system, built once; building is measured separately."""
    return chain_model(n).build()


@cache
def four_bars(n_loops: int) -> System:
    """The N-four-bar of the examples."""
    return tr.examples.model("n-four-bar", N=n_loops).build()


def forward_dynamics(n: int, lanes: bool) -> Callable[[], float]:
    """A measurement of seconds per evaluation, per lane when there are several."""
    system = chain(n)
    kernel = system.formulation.kernels("lanes" if lanes else "base", wide=lanes)["rhs"]
    x = state_vector(system.formulation, system.start(), system.formulation.default_parameters)
    call = _many(kernel, x, system.formulation.default_parameters, groups=200)
    return lambda: min(_seconds(call) for _ in range(20)) / (200 * kernel.lanes)


def _many(kernel: Kernel, x: np.ndarray, p: np.ndarray, groups: int) -> Callable[[], None]:
    """One call of the compiled loop over groups of lanes: no Python between the evaluations."""

    def spread(values: np.ndarray) -> np.ndarray:
        out = aligned(groups, max(len(values), 1), kernel.lanes)
        out[:] = 0.0
        if len(values):
            out[:] = values[None, :, None]
        return out

    arrays = [spread(np.zeros(1)), spread(x), spread(p), aligned(groups, kernel.n_out, kernel.lanes), kernel.new_work()]
    addresses = [a.ctypes.data for a in arrays]

    def call(keep: list[np.ndarray] = arrays) -> None:
        kernel.many(groups, *addresses)

    return call


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def chain_acceleration(n: int, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """udot, to be compared with the other codes."""
    system = chain(n)
    return system.formulation.kernels("base")["rhs"](
        0.0, np.concatenate([q, u]), system.formulation.default_parameters
    )[n:]


def chain_simulation(n: int, tolerance: float = 3e-10) -> Result:
    """10 s with everything a user gets: start state, samples, ending."""
    system = chain(n)
    start = time.perf_counter()
    run = system.simulate(DURATION, samples=SAMPLES, rtol=tolerance, atol=tolerance)
    seconds = time.perf_counter() - start
    x = run.trajectory.x if run.trajectory is not None else np.zeros((1, 2 * n))
    return Result(seconds, reference.energy_drift(x[:, :n], x[:, n:]), {"rtol": tolerance})


def four_bar(n_loops: int) -> Result:
    """10 s through ten folds of the linkage; the error is that of the worst whole second."""
    system = four_bars(n_loops)
    times = np.arange(1.0, DURATION + 1)
    tolerance = FOUR_BAR_TOLERANCE[n_loops]
    start = time.perf_counter()
    run = system.simulate(DURATION, samples=times, rtol=tolerance, atol=tolerance, method="order8")
    seconds = time.perf_counter() - start
    angles = run.values("rod0.angle")
    error = max(reference.angle_error(n_loops, a, t) for a, t in zip(angles, times, strict=True))
    return Result(seconds, error, {"rtol": tolerance})


def chain_rollouts(count: int, n: int, duration: float, tolerance: float, threads: int = 2) -> Result:
    """Many chains at once in lanes and threads."""
    system = chain(n)
    q, u = reference.chain_scatter(count, n)
    scattered = {f"link{i}.angle": q[:, i] for i in range(n)} | {f"link{i}.angle_rate": u[:, i] for i in range(n)}
    start = time.perf_counter()
    batch = system.batch(duration, scattered, rtol=tolerance, atol=tolerance, threads=threads)
    seconds = time.perf_counter() - start
    first, last = np.hstack([q, u]), batch.batch.x_end
    drift = max(
        reference.energy_drift(np.stack([a[:n], b[:n]]), np.stack([a[n:], b[n:]]))
        for a, b in zip(first, last, strict=True)
    )
    return Result(seconds, drift, {"rtol": tolerance, "threads": threads})


START_UP = """
import time
a = time.perf_counter()
import trundle
b = time.perf_counter()
from benchmarks.trundle_ import chain_model
model = chain_model({n})
c = time.perf_counter()
system = model.build()
d = time.perf_counter()
run = system.simulate(1.0)
e = time.perf_counter()
print(b - a, d - c, e - c)
"""


def start_up(n: int) -> dict[str, tuple[float, float, float]]:
    """(import, build, build and 1 s of motion) in new processes: nothing kept; loops kept, model new; all kept."""
    out = {}
    with tempfile.TemporaryDirectory() as kept:
        environment = {**os.environ, "TRUNDLE_CACHE_DIR": kept}
        for name, size in (("first run on a machine", n + 1), ("new model", n), ("model met before", n)):
            text = START_UP.format(n=size)
            done = subprocess.run(
                [sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=True
            )
            a, b, c = (float(v) for v in done.stdout.split())
            out[name] = (a, b, c)
    return out
