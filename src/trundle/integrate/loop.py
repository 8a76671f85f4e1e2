"""The compiled control loop: step, error control, projection, events, samples. It can leave and come back at any step.

What stands in another file is called by its address, so that each part is compiled alone and only when it is needed.
"""

import math

from numba import njit

from trundle.integrate import layout as at
from trundle.integrate.bookkeeping import book, follow
from trundle.kernel.pointers import Pointer, call, call_table, copy, part, reals, shifted, wholes

FOLD = 1e-5  # monitor of a loop below which no step should end
NEAR = 0.1  # monitor of a loop at the start of a step that may meet a fold
CLOSE = 1e-2  # monitor below which no stiff step should end
CARRIED = 1.0  # tolerances by which the projection may move the end of a stiff step near a fold
RETRIES = 12  # attempts to step over a fold without touching it
ROUND_OFF_FELT = 1e-8  # tolerance below which magnified round-off can reject a step


@njit(error_model="numpy")
def finite(values: Pointer, count: int) -> bool:
    total = 0.0
    for m in range(count):
        total += 0.0 * values[m]
    return total == 0.0


@njit(error_model="numpy")
def record(n: Pointer, c: Pointer, out_t: Pointer, out_x: Pointer, out_events: Pointer, t: float, x: Pointer) -> None:
    """Write a row of output, and how many events came before it."""
    out_t[c[at.WRITTEN]] = t
    out_events[c[at.WRITTEN]] = c[at.LOGGED]
    copy(x, shifted(out_x, c[at.WRITTEN] * n[at.N_X]), n[at.N_X])
    c[at.WRITTEN] += 1


@njit(error_model="numpy")
def reject(n: Pointer, c: Pointer, r: Pointer, factor: float, answer: int) -> None:
    """Shorten the step; where it is below the smallest one (or fixed) the run ends with `answer`."""
    c[at.REJECTED] += 1
    c[at.LAST_REJECTED] = 1
    r[at.H] = r[at.STEP] * factor
    if n[at.FIXED] == 1 or r[at.H] < max(r[at.H_MIN], 1e-15 * abs(r[at.T])):
        c[at.ANSWER] = answer


@njit(error_model="numpy")
def at_fold(n: Pointer, corrected: Pointer) -> bool:
    """Whether a loop is close to a singular pose, as far as the projection tells."""
    lowest = 1.0
    if n[at.PROJECTION] != at.BY_KERNEL:
        return False
    for loop in range(n[at.MONITORS]):
        lowest = min(lowest, corrected[n[at.N_X] + 2 + loop])
    return lowest < FOLD


@njit(error_model="numpy")
def carried_off(table: Pointer) -> bool:
    """Whether a stiff step ends at a fold, or near one where the projection, from X_NEW to SAMPLE, moved it by more
    than the tolerance.

    Stages off the constraints have then met a nearly singular loop: the error estimate does not know by how much the
    state is wrong.
    """
    n, r, clock = wholes(table[at.M_N]), reals(table[at.M_R]), reals(table[at.M_CLOCK])
    x, x_new, sample = reals(table[at.M_X]), reals(table[at.M_X_NEW]), reals(table[at.M_SAMPLE])
    atol, weight, out = reals(table[at.M_ATOL]), reals(table[at.M_WEIGHT]), reals(table[at.M_JUMPED])
    total = 0.0
    for m in range(n[at.N_X]):
        scale = atol[m] + r[at.RTOL] * max(abs(x[m]), abs(sample[m])) + 1e-300
        total += weight[m] * ((sample[m] - x_new[m]) / scale) ** 2
    address, work = wholes(table[at.M_ADDRESS]), reals(table[at.M_WORK])
    call(address[at.A_PROJECT], clock, sample, reals(table[at.M_P]), out, work)
    lowest = 1.0
    for loop in range(n[at.MONITORS]):
        lowest = min(lowest, out[n[at.N_X] + 2 + loop])
    far = total > CARRIED**2 * max(n[at.WEIGHTED], 1)
    return lowest < (NEAR if far else CLOSE)


@njit(error_model="numpy")
def near_fold(n: Pointer, passage: Pointer, limit: float) -> bool:
    """Whether the monitor of a loop was below the limit at the end of the last step."""
    lowest = 1.0
    for loop in range(n[at.MONITORS]):
        lowest = min(lowest, passage[at.PASSAGE * loop + 3])
    return lowest < limit


@njit(error_model="numpy")
def only_recorded(n: Pointer, flags: Pointer) -> bool:
    """Whether all events that fired are of the kind that changes nothing."""
    for e in range(n[at.EVENTS]):
        if flags[at.FIRED * n[at.EVENTS] + e] == 1 and flags[at.KIND * n[at.EVENTS] + e] != at.RECORD:
            return False
    return True


@njit(error_model="numpy")
def learn_sizes(table: Pointer) -> None:
    """Absolute tolerances grow with the largest state of their unit that was met, up to a bound (see Tolerance)."""
    n_x, part_of = wholes(table[at.M_N])[at.N_X], reals(table[at.M_R])[at.PART]
    x, atol, group = reals(table[at.M_X]), reals(table[at.M_ATOL]), wholes(table[at.M_GROUP])
    bound, met = reals(table[at.M_BOUND]), reals(table[at.M_MET])
    for m in range(n_x):
        if group[m] >= 0:
            met[group[m]] = max(met[group[m]], abs(x[m]))
    length = bound[0]
    if length < math.inf:
        for kind in range(0, 4, 2):
            met[kind] = max(met[kind], length * met[kind + 1])
            met[kind + 1] = max(met[kind + 1], met[kind] / length)
    for m in range(n_x):
        if group[m] >= 0:
            atol[m] = max(atol[m], part_of * min(bound[group[m]], met[group[m]]))


@part
def advance(table: Pointer) -> None:
    """March at most BUDGET attempted steps; ANSWER tells why the loop came back."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    address, clock, work = wholes(table[at.M_ADDRESS]), reals(table[at.M_CLOCK]), reals(table[at.M_WORK])
    x, x_new, p, k = reals(table[at.M_X]), reals(table[at.M_X_NEW]), reals(table[at.M_P]), reals(table[at.M_K])
    sample, dense = reals(table[at.M_SAMPLE]), reals(table[at.M_DENSE])
    sample_t, out_t, out_x = reals(table[at.M_SAMPLE_T]), reals(table[at.M_OUT_T]), reals(table[at.M_OUT_X])
    corrected, flags, g = reals(table[at.M_CORRECTED]), wholes(table[at.M_FLAGS]), reals(table[at.M_G])
    passage, out_events = reals(table[at.M_PASSAGE]), wholes(table[at.M_OUT_EVENTS])
    n_x, n_events = n[at.N_X], n[at.EVENTS]
    end_slope = shifted(k, n[at.END_ROW] * n_x)
    projecting = n[at.PROJECTION] != at.NO_PROJECTION
    adaptive = n[at.FIXED] == 0
    every_step = n[at.EVERY_STEP] == 1
    c[at.ANSWER] = at.RUNNING
    for _ in range(n[at.BUDGET]):
        if c[at.ANSWER] != at.RUNNING:
            return
        t = r[at.T]

        # Start, or restart after a jump: the state is projected, the slope and the event signs are made anew.
        if c[at.PENDING] == 1:
            if n[at.BREAKS] > 0:
                call_table(address[at.A_NEXT_BREAK], table)
            clock[0] = r[at.T]
            r[at.STEP] = r[at.H]
            if projecting:
                copy(x, sample, n_x)
                call_table(address[at.A_BRING], table)
                if c[at.PROJECTED] == 0:
                    c[at.ANSWER] = at.CONSTRAINT
                    return
                copy(sample, x, n_x)
                call_table(address[at.A_WATCH], table)
            call(address[at.A_RHS], clock, x, p, k, work)
            c[at.RHS] += 1
            c[at.FRESH] = 0
            c[at.PENDING] = 0
            book(table)
            follow(table)
            if n_events > 0:
                call_table(address[at.A_SIGNS], table)
            if every_step:
                record(n, c, out_t, out_x, out_events, t, x)
            c[at.STARTED] = 1
            if not finite(k, n_x):
                c[at.ANSWER] = at.NOT_FINITE
                return
        elif n[at.BREAKS] > 0 and t >= r[at.T_BREAK]:
            # A law changes here: the next step begins on the far side, with the slope that holds there. In the little
            # time between each of the two slopes holds for a half.
            call_table(address[at.A_NEXT_BREAK], table)
            for m in range(n_x):
                x[m] += 0.5 * (r[at.T] - t) * k[m]
            clock[0] = r[at.T]
            call(address[at.A_RHS], clock, x, p, k, work)
            for m in range(n_x):
                x[m] += 0.5 * (r[at.T] - t) * k[m]
            c[at.RHS] += 1
            c[at.FRESH] = 0
        t = r[at.T]
        while c[at.WRITTEN] < n[at.SAMPLES] and sample_t[c[at.WRITTEN]] <= t:  # at the start, or at a break
            record(n, c, out_t, out_x, out_events, sample_t[c[at.WRITTEN]], x)
        remaining = r[at.T_END] - t

        if remaining <= 0.0:
            c[at.ANSWER] = at.FINISHED
            return
        if c[at.STEPS] + c[at.REJECTED] >= n[at.MAX_STEPS]:
            c[at.ANSWER] = at.TOO_MANY_STEPS
            return
        if (
            (every_step and c[at.WRITTEN] + 2 > n[at.OUT_ROOM])
            or c[at.LOGGED] + n_events > n[at.EVENT_ROOM]
            or c[at.NEAR] + 2 * n[at.MONITORS] > n[at.NEAR_ROOM]
        ):
            c[at.ANSWER] = at.BUFFER_FULL
            return
        if c[at.HIT] > 0:  # an event that the start or a jump has made due
            call_table(address[at.A_FIRE], table)
            c[at.HIT] = 0
            continue

        # A step that would leave a sliver before the end is stretched to it.
        h = min(r[at.H], r[at.H_MAX])
        sliver = 0.01
        if not adaptive:
            sliver = 1e-8
            h = r[at.T_START] + (c[at.GRID] + 1) * r[at.H_FIXED] - t
            while h <= 0.0:
                c[at.GRID] += 1
                h = r[at.T_START] + (c[at.GRID] + 1) * r[at.H_FIXED] - t
        t_new, t_stop = t + h, r[at.T_END]
        if n[at.BREAKS] > 0:
            t_stop = min(t_stop, r[at.T_BREAK])
        whole = h * (1.0 + sliver) < t_stop - t
        if not whole:
            h = t_stop - t
            t_new = t_stop
        r[at.STEP] = h
        call_table(address[at.A_STEP], table)
        error = r[at.ERROR]
        if error == math.inf:
            reject(n, c, r, 0.25, at.NOT_FINITE)
            continue
        if adaptive and error > 1.0:
            factor = max(r[at.SHRINK], r[at.SAFETY] * error ** -r[at.ALPHA])
            # Near a fold the error is round-off of a stage that came too close: a little shorter is better than much.
            if c[at.AVOIDED] < RETRIES and r[at.RTOL] < ROUND_OFF_FELT and near_fold(n, passage, NEAR):
                c[at.AVOIDED] += 1
                factor = max(factor, 0.85)
            reject(n, c, r, factor, at.STEP_TOO_SMALL)
            continue

        clock[0] = t_new
        if projecting:
            copy(x_new, sample, n_x)
            call_table(address[at.A_BRING], table)
            if c[at.PROJECTED] == 0:
                reject(n, c, r, 0.5, at.CONSTRAINT)
                continue
            if n[at.FOLDS] == at.STOP_BEFORE and carried_off(table):
                c[at.REJECTED] += 1
                c[at.ANSWER] = at.FOLD_AHEAD
                return
            copy(sample, x_new, n_x)
            # A state at a fold carries round-off magnified: the step is made to end elsewhere. From a state that is at
            # a fold already, where steps are short for another reason, a shorter one would not.
            stays = near_fold(n, passage, FOLD)
            if adaptive and c[at.AVOIDED] < RETRIES and at_fold(n, corrected) and not stays:
                c[at.AVOIDED] += 1
                c[at.REJECTED] += 1
                r[at.H] = 0.85 * h
                continue
        if projecting or n[at.END_IN_STEP] == 0:
            call(address[at.A_RHS], clock, x_new, p, end_slope, work)
            c[at.RHS] += 1
        if not finite(end_slope, n_x):
            reject(n, c, r, 0.25, at.NOT_FINITE)
            continue

        # An event shortens the step: x_new and the slopes then belong to the step that ends at it.
        dense_ready = False
        c[at.HIT] = 0
        if n_events > 0:
            call_table(address[at.A_DENSE], table)
            call_table(address[at.A_SEARCH], table)
            dense_ready = c[at.HIT] == 0 and r[at.STEP] == h
            if c[at.HIT] == -2:
                c[at.ANSWER] = at.ZENO
                return
            if c[at.HIT] < 0:
                r[at.STEP] = h
                reject(n, c, r, 0.5, at.CONSTRAINT)
                continue
            if r[at.STEP] != h:
                t_new = t + r[at.STEP]
            # An event at a fold is logged, but the step is taken whole: no state at a fold is a good place to go on.
            if c[at.HIT] > 0 and projecting and adaptive and at_fold(n, corrected) and only_recorded(n, flags):
                held = reals(table[at.M_JUMPED])
                copy(x, held, n_x)
                copy(x_new, x, n_x)
                r[at.T] = t_new
                call_table(address[at.A_FIRE], table)
                copy(held, x, n_x)
                r[at.T] = t
                r[at.STEP] = h
                t_new = t + h if whole else t_stop
                call_table(address[at.A_STEP], table)
                clock[0] = t_new
                copy(x_new, sample, n_x)
                call_table(address[at.A_BRING], table)
                copy(sample, x_new, n_x)
                call(address[at.A_RHS], clock, x_new, p, end_slope, work)
                call(address[at.A_EVENTS], clock, x_new, p, shifted(g, at.G_START * n_events), work)
                for e in range(n_events):
                    value = g[at.G_START * n_events + e]
                    flags[at.SIGN * n_events + e] = 1 if value > 0.0 else -1 if value < 0.0 else 0
                c[at.HIT] = 0
        if projecting:
            clock[0] = t_new
            call_table(address[at.A_WATCH], table)

        # Samples inside the step come from the dense output, one at its end from the state itself.
        while not every_step and c[at.WRITTEN] < n[at.SAMPLES] and sample_t[c[at.WRITTEN]] <= t_new:
            wanted = sample_t[c[at.WRITTEN]]
            if wanted == t_new:
                record(n, c, out_t, out_x, out_events, wanted, x_new)
                continue
            if not dense_ready:
                call_table(address[at.A_DENSE], table)
                dense_ready = True
            s = (wanted - t) / r[at.STEP]
            last = n[at.DENSE] - 1
            for m in range(n_x):
                y = dense[last * n_x + m]
                for j in range(last - 1, -1, -1):
                    y = dense[j * n_x + m] + (1.0 - s if j % 2 == 0 else s) * y
                sample[m] = x[m] + s * y
            if projecting:
                # A sample that cannot be projected is kept as interpolated: its step was accepted.
                clock[0] = wanted
                call_table(address[at.A_BRING], table)
            record(n, c, out_t, out_x, out_events, wanted, sample)

        # The step is taken; the next one is proposed from the full step, also where an event has cut it.
        copy(x_new, x, n_x)
        copy(end_slope, k, n_x)
        r[at.T] = t_new
        if n[at.LEARNING] == 1:
            learn_sizes(table)
        if adaptive:
            factor = r[at.SAFETY] * max(error, 1e-10) ** -r[at.ALPHA] * r[at.LAST_ERROR] ** r[at.BETA]
            factor = min(r[at.GROW], max(r[at.SHRINK], factor))
            if c[at.LAST_REJECTED] == 1:
                factor = min(factor, 1.0)
            r[at.H] = h * factor
            r[at.LAST_ERROR] = max(error, 1e-4)
        c[at.STEPS] += 1
        r[at.WORK_ERRORS] += r[at.WORK_ERROR]
        follow(table)
        c[at.AVOIDED] = 0
        c[at.LAST_REJECTED] = 0
        c[at.FRESH] = 0
        if every_step and t_new > t:
            record(n, c, out_t, out_x, out_events, t_new, x)
        if c[at.HIT] > 0:
            call_table(address[at.A_FIRE], table)
            c[at.HIT] = 0
        elif whole and r[at.STEP] == h:
            c[at.GRID] += 1
        passed = c[at.STEPS] >= n[at.PASSAGE_END] or not near_fold(n, passage, NEAR)
        if n[at.FOLDS] == at.PASSING and c[at.ANSWER] == at.RUNNING and passed:
            c[at.ANSWER] = at.FOLD_PASSED
