"""Step control and growing tolerances (compiled), for one run and for lanes alike."""

import math

from trundle.integrate.record import StepRecord
from trundle.kernel.pointers import Pointer, inner

LEAST_ERROR, LEAST_LAST = 1e-10, 1e-4  # lower limits of the error, for the next step and for the one after


@inner
def growth(run: StepRecord, error: float, last_error: float, after_rejection: int) -> float:
    """Factor from a step with this error to the next."""
    factor = run.safety * max(error, LEAST_ERROR) ** -run.alpha * last_error**run.beta
    factor = min(run.grow, max(run.shrink, factor))
    return min(factor, 1.0) if after_rejection == 1 else factor


@inner
def shrinkage(run: StepRecord, error: float) -> float:
    """Factor from a step with too large an error to the next attempt."""
    return max(run.shrink, run.safety * error**-run.alpha)


@inner
def smallest_step(run: StepRecord, t: float) -> float:
    return max(run.h_min, 1e-15 * abs(t))


@inner
def learn_sizes(run: StepRecord, x: Pointer, atol: Pointer, largest: Pointer, width: int) -> None:
    """Let absolute tolerances grow with the largest state of their unit so far, up to a bound (see `Tolerance`);
    entries of the same run are `width` apart.
    """
    n_x, group, bound = run.n_x, run.group, run.bound
    for m in range(n_x):
        if group[m] >= 0:
            i = group[m] * width
            largest[i] = max(largest[i], abs(x[m * width]))
    length = bound[0]
    if length < math.inf:
        for kind in range(0, 4, 2):
            slide, turn = kind * width, (kind + 1) * width
            largest[slide] = max(largest[slide], length * largest[turn])
            largest[turn] = max(largest[turn], largest[slide] / length)
    for m in range(n_x):
        if group[m] >= 0:
            i = m * width
            atol[i] = max(atol[i], run.part * min(bound[group[m]], largest[group[m] * width]))
