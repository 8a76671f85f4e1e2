"""Whether the present method suits the motion (compiled). If the steps of an explicit method are limited by stability,
as when a contact begins to slide, a stiff one continues until stability would allow its steps.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.methods.difference_jacobian import scale_of
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import part_of, shifted, strict

NEAR_LIMIT = 0.5  # of the longest stable step, from which on the fastest decaying component determines the error
STIFF_STEPS = 5  # steps limited by stability before the stiff method takes over
CALM_STEPS = 6  # successive shorter steps after which the count begins anew
WORTH_IT = 2.0  # length of a stiff step, relative to the longest stable explicit one, below which it does not pay


@strict
def last_rate(run: LoopRecord) -> float:
    """The fastest rate of the motion (1/s), from the last two slopes of an explicit step, whose points are close and
    differ in the direction that decays fastest [Hairer 1996, section IV.2].
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
    """After a step that will be accepted: set `unsuited` to 1 if the other method should continue."""
    if run.stiffness == at.BY_STIFF:
        stiff = run.step * run.rate > WORTH_IT * run.reach
    else:
        run.rate = last_rate(run)
        stiff = run.step * run.rate > NEAR_LIMIT * run.stability
    run.unstable, run.stable = run.unstable + int(stiff), 0 if stiff else run.stable + 1
    if run.stiffness == at.BY_STIFF:
        run.unsuited = int(run.stable >= CALM_STEPS)
        return
    if run.stable >= CALM_STEPS:
        run.unstable = 0
    run.unsuited = int(run.unstable >= STIFF_STEPS)
    run.reach = min(run.step * run.rate, run.stability)
