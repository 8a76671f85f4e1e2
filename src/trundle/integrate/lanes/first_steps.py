"""First steps of many runs at once, each the same as that of a single run."""

from typing import cast

import numpy as np

from trundle.integrate.case import Cases
from trundle.integrate.integrate import FirstStep
from trundle.integrate.methods.start_step import steps_at_start
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options
from trundle.integrate.problem import Problem
from trundle.kernel import Kernel, evaluate
from trundle.typing import Array


def find_first_steps(problem: Problem, method: Method, cases: Cases, options: Options) -> list[FirstStep]:
    """The first step of every case, with its tolerances."""
    if not len(cases):
        return []
    limits, tolerance = options.limits, options.tolerances.of_states(problem.rhs.n_x)
    t0, t1, x, p = float(cases.t0), float(cases.t1), cases.x0, cases.p
    rhs = cast(Kernel, problem.rhs)
    atol = expected_atol = np.tile(tolerance.atol, (len(cases), 1))

    def slopes_at(t: Array | float, x: Array) -> Array:
        return evaluate(rhs, rhs, t, x, p, threads=1)

    if tolerance.learns:
        slopes, span = tolerance.slopes_at_start(slopes_at, t0, t1, x), tolerance.foreseen(slopes_at, t0, t1, x)
        atol, expected_atol = tolerance.begin_each(x, slopes, span)
    given = limits.fixed or limits.first
    if given:
        return [FirstStep(given, a, b) for a, b in zip(atol, expected_atol, strict=True)]
    scale = expected_atol + options.tolerances.rtol * np.abs(x) + 1e-300
    weight = np.ones(x.shape[1]) if problem.error_weight is None else np.asarray(problem.error_weight, dtype=float)
    steps = steps_at_start(slopes_at, np.full(len(x), t0), x, scale, weight > 0.0, t1 - t0, method.order)
    steps = np.minimum(steps, limits.longest)
    return [FirstStep(float(h), a, b) for h, a, b in zip(steps, atol, expected_atol, strict=True)]
