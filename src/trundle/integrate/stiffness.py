"""Whether the present method suits the motion (compiled): where an explicit one is held back by stability, as where a
contact begins to slide, a stiff one goes on, until stability would allow its steps.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.methods.difference_jacobian import scale_of
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import part_of, shifted, strict

NEAR = 0.5  # of the longest stable step: from there on what decays fastest makes the error
STIFF_STEPS = 5  # as long as stability allows, before another method takes over
CALM_STEPS = 6  # shorter than that, in a row, after which those before do not count
WORTH_IT = 2.0  # times the longest stable step of the explicit method: below, a stiff step costs more than it gains


@strict
def last_rate(run: LoopRecord) -> float:
    """The rate of the motion (1/s) by the last two slopes of an explicit step, at points that differ by little and are
    apart in the direction that decays fastest [Hairer 1996, section IV.2].
    """
    n_x, h, k, last, width = run.n_x, run.step, run.k, run.stages - 1, run.rows
    place, end, stage = run.scratch, shifted(k, run.end_row * n_x), shifted(k, last * n_x)
    for m in range(n_x):
        place[m] = run.x_new[m] - run.x[m]
    for j in range(last):
        factor = h * run.coefficients[last * width + j]
        if factor != 0.0:
            slope = shifted(k, j * n_x)
            for m in range(n_x):
                place[m] -= factor * slope[m]
    slopes, places = 0.0, 0.0
    for m in range(n_x):
        weight = run.weight[m] / scale_of(run, m) ** 2
        slopes += weight * (end[m] - stage[m]) ** 2
        places += weight * place[m] ** 2
    return math.sqrt(slopes / places) if places > 0.0 else 0.0


@part_of(LoopRecord)
def watch_stiffness(run: LoopRecord) -> None:
    """After a step that is to be accepted: `unsuited` becomes 1 where the other method should go on."""
    if run.stiffness == at.BY_STIFF:
        stiff = run.step * run.rate > WORTH_IT * run.reach
    else:
        run.rate = last_rate(run)
        stiff = run.step * run.rate > NEAR * run.stability
    run.unstable, run.stable = run.unstable + int(stiff), 0 if stiff else run.stable + 1
    if run.stiffness == at.BY_STIFF:
        run.unsuited = int(run.stable >= CALM_STEPS)
        return
    if run.stable >= CALM_STEPS:
        run.unstable = 0
    run.unsuited = int(run.unstable >= STIFF_STEPS)
    run.reach = min(run.step * run.rate, run.stability)
