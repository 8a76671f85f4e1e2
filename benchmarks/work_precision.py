"""Work against precision on stiff problems: Rodas5P and scipy's Radau on the same compiled rhs and Jacobian.

    python benchmarks/work_precision.py --out work_precision.png

A case is built by a function that returns a `Case`; add one to CASES to measure another problem.
"""

import argparse
import math
import time
from collections.abc import Callable
from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import cfunc, types

from benchmarks.interleave import machine_code_at_once
from trundle.integrate import Case, Compiled, Options, Problem, Rodas5P, Sampling, Tolerances, integrate

_real = types.CPointer(types.float64)
compiled = cfunc(types.void(_real, _real, _real, _real, _real), error_model="numpy", fastmath={"contract"})

TOLERANCES = 10.0 ** -np.arange(3.0, 10.0)
ROUNDS = 3


@dataclass(frozen=True)
class Plain:
    """A numba function that looks like a kernel."""

    function: Any = field(repr=False)
    n_x: int
    n_out: int
    n_p: int = 0
    work_size: int = 0

    @property
    def address(self) -> int:
        return int(self.function.address)


@dataclass(frozen=True, eq=False)
class StiffProblem:
    """A stiff problem with its start and end."""

    name: str
    problem: Problem
    start: np.ndarray
    p: np.ndarray
    end: float


@dataclass(frozen=True)
class Point:
    """One run: relative error at the end, work and time."""

    tolerance: float
    error: float
    seconds: float
    steps: int
    rhs: int
    jacobians: int
    factorisations: int


@compiled
def _van_der_pol(t, x, p, out, work):
    out[0] = x[1]
    out[1] = p[0] * (1.0 - x[0] * x[0]) * x[1] - x[0]


@compiled
def _van_der_pol_jacobian(t, x, p, out, work):
    out[0], out[1] = 0.0, -2.0 * p[0] * x[0] * x[1] - 1.0
    out[2], out[3], out[4], out[5] = 1.0, p[0] * (1.0 - x[0] * x[0]), 0.0, 0.0


def van_der_pol() -> StiffProblem:
    """Relaxation oscillation with mu = 1000 [Hairer 1996, section IV.10]."""
    problem = Problem(rhs=Plain(_van_der_pol, 2, 2, 1), jacobian=Plain(_van_der_pol_jacobian, 2, 6, 1))
    return StiffProblem("van der Pol, mu = 1000", problem, np.array([2.0, 0.0]), np.array([1e3]), 2000.0)


# Bob on a stiff damped spring instead of a rod: [angle, length, rates of both], p = [stiffness, damping].
@compiled
def _polar(t, x, p, out, work):
    angle, length, turn, stretch = x[0], x[1], x[2], x[3]
    out[0], out[1] = turn, stretch
    out[2] = -(2.0 * stretch * turn + 9.81 * math.sin(angle)) / length
    out[3] = length * turn * turn + 9.81 * math.cos(angle) - p[0] * (length - 1.0) - p[1] * stretch


@compiled
def _polar_jacobian(t, x, p, out, work):
    angle, length, turn, stretch = x[0], x[1], x[2], x[3]
    for i in range(20):
        out[i] = 0.0
    out[2], out[3] = -9.81 * math.cos(angle) / length, -9.81 * math.sin(angle)
    out[6] = (2.0 * stretch * turn + 9.81 * math.sin(angle)) / (length * length)
    out[7] = turn * turn - p[0]
    out[8], out[10], out[11] = 1.0, -2.0 * stretch / length, 2.0 * length * turn
    out[13], out[14], out[15] = 1.0, -2.0 * turn / length, -p[1]


def spring_pendulum() -> StiffProblem:
    """Pendulum whose rod is a damped spring of 1e8 N/m, in joint coordinates: the slow motion is that of a rod."""
    problem = Problem(rhs=Plain(_polar, 4, 4, 2), jacobian=Plain(_polar_jacobian, 4, 20, 2))
    start = np.array([math.pi / 2, 1.0, 0.0, 0.0])
    return StiffProblem("pendulum on a stiff spring, joint coordinates", problem, start, np.array([1e8, 1e4]), 5.0)


# The same pendulum in Cartesian coordinates [x, y, vx, vy].
@compiled
def _cartesian(t, x, p, out, work):
    length = math.sqrt(x[0] * x[0] + x[1] * x[1])
    nx, ny = x[0] / length, x[1] / length
    pull = p[0] * (length - 1.0) + p[1] * (nx * x[2] + ny * x[3])
    out[0], out[1], out[2], out[3] = x[2], x[3], -pull * nx, -pull * ny - 9.81


@compiled
def _cartesian_jacobian(t, x, p, out, work):
    length = math.sqrt(x[0] * x[0] + x[1] * x[1])
    nx, ny = x[0] / length, x[1] / length
    pull = p[0] * (length - 1.0) + p[1] * (nx * x[2] + ny * x[3])
    for i in range(20):
        out[i] = 0.0
    for j in range(2):
        along = nx if j == 0 else ny
        # Derivatives of the unit vector and of the pull by the j-th coordinate.
        by_nx = ny * ny / length if j == 0 else -nx * ny / length
        by_ny = -nx * ny / length if j == 0 else nx * nx / length
        by_pull = p[0] * along + p[1] * (by_nx * x[2] + by_ny * x[3])
        out[4 * j + 2] = -by_pull * nx - pull * by_nx
        out[4 * j + 3] = -by_pull * ny - pull * by_ny
        out[4 * (j + 2) + j] = 1.0
        out[4 * (j + 2) + 2] = -p[1] * along * nx
        out[4 * (j + 2) + 3] = -p[1] * along * ny


def cartesian_spring_pendulum() -> StiffProblem:
    """A stiff direction that turns with the motion is hard for both solvers: a reason for joint coordinates."""
    problem = Problem(rhs=Plain(_cartesian, 4, 4, 2), jacobian=Plain(_cartesian_jacobian, 4, 20, 2))
    start, p = np.array([1.0, 0.0, 0.0, 0.0]), np.array([1e6, 1e3])
    return StiffProblem("pendulum on a stiff spring, Cartesian", problem, start, p, 2.0)


CASES: tuple[Callable[[], StiffProblem], ...] = (van_der_pol, spring_pendulum, cartesian_spring_pendulum)


def python_function(kernel: Compiled, p: np.ndarray) -> Callable[[float, np.ndarray], np.ndarray]:
    """The compiled function as scipy wants it."""
    function = CFUNCTYPE(None, *[c_void_p] * 5)(kernel.address)
    clock, work = np.zeros(1), np.zeros(kernel.work_size + 8)
    parameters = np.array(p)

    def evaluate(t: float, x: np.ndarray) -> np.ndarray:
        clock[0], out = t, np.empty(kernel.n_out)
        x = np.ascontiguousarray(x)
        function(clock.ctypes.data, x.ctypes.data, parameters.ctypes.data, out.ctypes.data, work.ctypes.data)
        return out

    return evaluate


def relative(x: np.ndarray, reference: np.ndarray) -> float:
    """Largest error over the largest component."""
    return float(np.abs(x - reference).max() / np.abs(reference).max())


def with_rodas(case: StiffProblem, tolerance: float, reference: np.ndarray) -> Point:
    """Run Rodas5P and count."""
    options = Options(Tolerances(tolerance, tolerance), Sampling(np.array([case.end])))
    seconds = []
    for _ in range(ROUNDS):
        tic = time.perf_counter()
        run = integrate(case.problem, Rodas5P(), Case(0.0, case.end, case.start, case.p), options)
        seconds.append(time.perf_counter() - tic)
    c = run.counts
    error = relative(run.x_end, reference)
    return Point(tolerance, error, min(seconds), c.steps, c.rhs, c.jacobians, c.factorisations)


def with_radau(case: StiffProblem, tolerance: float, reference: np.ndarray) -> Point:
    """Run scipy's Radau on the same compiled functions and count."""
    from scipy.integrate import solve_ivp

    n_x = case.problem.rhs.n_x
    assert case.problem.jacobian is not None
    rhs, both = python_function(case.problem.rhs, case.p), python_function(case.problem.jacobian, case.p)

    def jacobian(t: float, x: np.ndarray) -> np.ndarray:
        return both(t, x)[: n_x * n_x].reshape(n_x, n_x).T

    seconds = []
    for _ in range(ROUNDS):
        tic = time.perf_counter()
        run = solve_ivp(rhs, (0.0, case.end), case.start, "Radau", jac=jacobian, rtol=tolerance, atol=tolerance)
        seconds.append(time.perf_counter() - tic)
    error = relative(run.y[:, -1], reference)
    return Point(tolerance, error, min(seconds), len(run.t) - 1, run.nfev, run.njev, run.nlu)


def measure(case: StiffProblem) -> dict[str, list[Point]]:
    """All tolerances with both solvers, in turn so that both see the same machine; the reference is a run at 1e-12."""
    options = Options(Tolerances(1e-12, 1e-13), Sampling(np.array([case.end])))
    reference = integrate(case.problem, Rodas5P(), Case(0.0, case.end, case.start, case.p), options).x_end
    points: dict[str, list[Point]] = {"Rodas5P (Trundle)": [], "Radau (scipy)": []}
    for tolerance in TOLERANCES:
        points["Rodas5P (Trundle)"].append(with_rodas(case, float(tolerance), reference))
        points["Radau (scipy)"].append(with_radau(case, float(tolerance), reference))
    return points


def plot(results: dict[str, dict[str, list[Point]]], path: str) -> None:
    """Error against time and against evaluations of the rhs, one row for each case."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(results), 3, figsize=(13, 3.8 * len(results)), squeeze=False)
    works: tuple[tuple[str, Callable[[Point], float]], ...] = (
        ("time [ms]", lambda point: 1e3 * point.seconds),
        ("evaluations of the rhs", lambda point: point.rhs),
        ("factorisations", lambda point: point.factorisations),
    )
    for row, (case, points) in zip(axes, results.items(), strict=True):
        for axis, (label, work) in zip(row, works, strict=True):
            for (solver, curve), style in zip(points.items(), ("o-", "s--"), strict=True):
                axis.loglog([point.error for point in curve], [work(point) for point in curve], style, label=solver)
            axis.set(xlabel="relative error at the end", ylabel=label)
            axis.invert_xaxis()
            axis.grid(alpha=0.3)
        row[0].set_title(case)
        row[0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    """Measure all cases, print a table and save the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="work_precision.png", help="file of the plot")
    path = parser.parse_args().out
    results = {}
    for build in CASES:
        case = build()
        results[case.name] = measure(case)
        print(f"{case.name}\n  {'solver':18} {'tol':>7} {'error':>9} {'ms':>9}  steps     rhs    jac     lu")
        for solver, curve in results[case.name].items():
            for q in curve:
                work = f"{q.steps:6d} {q.rhs:7d} {q.jacobians:6d} {q.factorisations:6d}"
                print(f"  {solver:18} {q.tolerance:7.0e} {q.error:9.1e} {1e3 * q.seconds:9.3f} {work}")
    plot(results, path)


if __name__ == "__main__":
    machine_code_at_once()
    main()
