"""One attempted step (compiled): its length, the step itself, the projection of its end, or the reason of a
rejection."""

import math

from trundle.integrate import codes as at
from trundle.integrate.begin import finite
from trundle.integrate.near_fold import FOLD, NEAR_FOLD, at_fold, carried_off, near_fold
from trundle.integrate.record import LoopRecord
from trundle.integrate.step_control import shrinkage
from trundle.kernel.pointers import call, call_table, copy, inner, shifted

RETRIES = 12  # attempts to step over a fold without ending at it
ROUND_OFF_FELT = 1e-8  # tolerance below which magnified round-off can reject a step


@inner
def reject(run: LoopRecord, factor: float, status: int) -> None:
    """Shorten the step; if it is below the smallest one (or fixed), the run ends with this status."""
    run.rejected += 1
    run.last_rejected = 1
    run.h = run.step * factor
    if run.fixed == 1 or run.h < run.h_min:
        run.status = status


@inner
def choose_step(run: LoopRecord) -> None:
    """Choose the step as proposed or on the grid; it is extended to the end if only a tiny interval would be left."""
    t, h, sliver = run.t, min(run.h, run.h_max), 0.01
    if run.fixed == 1:
        sliver = 1e-8
        h = run.t_start + (run.grid + 1) * run.h_fixed - t
        while h <= 0.0:
            run.grid += 1
            h = run.t_start + (run.grid + 1) * run.h_fixed - t
    run.t_new, run.t_stop = t + (h + run.t_left), run.t_end
    if run.n_breaks > 0:
        run.t_stop = min(run.t_end, run.t_break)
    run.whole = int(h * (1.0 + sliver) < run.t_stop - t)
    if run.whole == 0:
        h = run.t_stop - t
        run.t_new = run.t_stop
    run.step = run.full_step = h


@inner
def try_step(run: LoopRecord) -> bool:
    """From `x` to `x_new` on the constraints, with the slope there; False if the step is rejected."""
    call_table(run.step_part, run)
    run.full_error = run.error
    if run.error == math.inf:
        reject(run, 0.25, at.NOT_FINITE)
        return False
    if run.fixed == 0 and run.error > 1.0:
        factor = shrinkage(run, run.error)
        # Near a fold the error is round-off of a stage close to it: the step is shortened only slightly.
        if run.avoided < RETRIES and run.rtol < ROUND_OFF_FELT and near_fold(run, NEAR_FOLD):
            run.avoided += 1
            factor = max(factor, 0.85)
        reject(run, factor, at.STEP_TOO_SMALL)
        return False
    run.clock[0] = run.t_new
    projecting = run.projection != at.NO_PROJECTION
    if projecting and not project_end(run):
        return False
    slope = shifted(run.k, run.end_row * run.n_x)
    if projecting or run.end_in_step == 0:
        call(run.rhs_kernel, run.clock, run.x_new, run.p, slope, run.work)
        run.rhs_calls += 1
    if not finite(slope, run.n_x):
        reject(run, 0.25, at.NOT_FINITE)
        return False
    return True


@inner
def project_end(run: LoopRecord) -> bool:
    """Project the end of the step onto the constraints; False if that fails, or if it is at a fold."""
    copy(run.x_new, run.sample, run.n_x)
    call_table(run.project_part, run)
    if run.projected == 0:
        reject(run, 0.5, at.CONSTRAINT)
        return False
    if run.folds == at.STOP_BEFORE and carried_off(run):
        run.rejected += 1
        run.status = at.FOLD_AHEAD
        return False
    copy(run.sample, run.x_new, run.n_x)
    # Round-off is magnified at a fold, so the step should end elsewhere. If the step starts at a fold already (steps
    # are short for another reason), a shorter one would not help.
    if run.fixed == 0 and run.avoided < RETRIES and at_fold(run) and not near_fold(run, FOLD):
        run.avoided += 1
        run.rejected += 1
        run.h = 0.85 * run.full_step
        return False
    return True
