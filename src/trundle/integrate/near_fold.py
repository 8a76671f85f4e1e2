"""Closeness of a loop to a singular pose, at which no step should end (compiled)."""

from trundle.integrate import codes as at
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, strict

FOLD = 1e-5  # monitor of a loop below which no step should end
NEAR_FOLD = 0.1  # monitor of a loop below which the next step may contain a fold
CLOSE = 1e-2  # monitor below which no stiff step should end
CARRIED = 1.0  # distance, in tolerances, by which the projection may move the end of a stiff step near a fold


@strict
def at_fold(run: LoopRecord) -> bool:
    """Whether a loop is close to a singular pose, by the monitors of the last projection."""
    lowest = 1.0
    if run.projection != at.BY_KERNEL:
        return False
    for loop in range(run.n_monitors):
        lowest = min(lowest, run.corrected[run.n_x + 2 + loop])
    return lowest < FOLD


@strict
def near_fold(run: LoopRecord, limit: float) -> bool:
    """Whether the monitor of a loop was below the limit at the end of the last step."""
    lowest = 1.0
    for loop in range(run.n_monitors):
        lowest = min(lowest, run.passage[at.PASSAGE * loop + 3])
    return lowest < limit


@strict
def carried_off(run: LoopRecord) -> bool:
    """Whether a stiff step ends at a fold, or near one and the projection from `x_new` to `sample` moved it by more
    than the tolerance.

    Stages off the constraints were then evaluated with a nearly singular loop, an error that the error estimate does
    not include.
    """
    x, x_new, sample, atol, weight, out = run.x, run.x_new, run.sample, run.atol, run.weight, run.jumped
    total = 0.0
    for m in range(run.n_x):
        scale = atol[m] + run.rtol * max(abs(x[m]), abs(sample[m])) + 1e-300
        total += weight[m] * ((sample[m] - x_new[m]) / scale) ** 2
    call(run.project_kernel, run.clock, sample, run.p, out, run.work)
    lowest = 1.0
    for loop in range(run.n_monitors):
        lowest = min(lowest, out[run.n_x + 2 + loop])
    far = total > CARRIED**2 * max(run.weighted, 1)
    return lowest < (NEAR_FOLD if far else CLOSE)
