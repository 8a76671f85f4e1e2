"""Search for user-defined events inside a step by bounds (compiled), so that no pair of crossings is missed.

The step is halved until in every part the bounds of each function, or those of its rate, exclude zero, so that the
signs at the ends of the part decide whether there is a root.
"""

import math

from trundle.integrate.codes import MOST_UNDECIDED, POLE, STEEP
from trundle.integrate.events.abrupt import kind_of_change
from trundle.integrate.events.locate import locate, values_at
from trundle.integrate.events.zero import NONE, POINTS, round_off, same_time, sign_of
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, inner, part_of, shifted, strict

FLOOR = 2.0**-30  # of the step: in shorter parts the signs at the ends decide
LARGEST_SEARCH = 4000  # parts that are examined in one step before the step is shortened


@strict
def least(w_lo: float, w_hi: float, lo: float) -> float:
    """Smallest product of a weight between w_lo >= 0 and w_hi with a value of at least lo."""
    return w_lo * lo if lo > 0.0 else w_hi * lo


@strict
def most(w_lo: float, w_hi: float, hi: float) -> float:
    return w_hi * hi if hi > 0.0 else w_lo * hi


@strict
def enclose(run: LoopRecord, a: float, b: float) -> None:
    """Bounds of the event functions and their rates between the fractions a and b of the step."""
    x, dense, box = run.x, run.dense, run.box
    n_x, last, h = run.n_x, run.dense_rows - 1, run.step
    upper = shifted(box, 1 + 2 * n_x)
    box[0], upper[0] = run.t + a * h, run.t + b * h
    for m in range(n_x):
        y_lo = y_hi = dense[last * n_x + m]
        d_lo, d_hi = 0.0, 0.0  # of the derivative of y
        for j in range(last - 1, -1, -1):
            if j % 2 == 0:
                w_lo, w_hi = 1.0 - b, 1.0 - a
                d_lo, d_hi = least(w_lo, w_hi, d_lo) - y_hi, most(w_lo, w_hi, d_hi) - y_lo
            else:
                w_lo, w_hi = a, b
                d_lo, d_hi = least(w_lo, w_hi, d_lo) + y_lo, most(w_lo, w_hi, d_hi) + y_hi
            y_lo, y_hi = dense[j * n_x + m] + least(w_lo, w_hi, y_lo), dense[j * n_x + m] + most(w_lo, w_hi, y_hi)
        box[1 + m], upper[1 + m] = x[m] + least(a, b, y_lo), x[m] + most(a, b, y_hi)
        box[1 + n_x + m] = (y_lo + least(a, b, d_lo)) / h
        upper[1 + n_x + m] = (y_hi + most(a, b, d_hi)) / h
    address = run.enclosure_kernel
    call(address, run.clock, box, run.p, run.bounds, run.work)


@strict
def is_decided(run: LoopRecord, e: int, width: float) -> bool:
    """Whether function e has at most one root in the last enclosed part, of this duration."""
    bounds = run.bounds
    count = run.watched
    lo, hi, slow, fast = bounds[e], bounds[count + e], bounds[2 * count + e], bounds[3 * count + e]
    if lo > 0.0 or hi < 0.0 or slow > 0.0 or fast < 0.0 or (lo == 0.0 and hi == 0.0):
        return True
    left = run.g_left[e]
    return left + width * min(slow, 0.0) > 0.0 or left + width * max(fast, 0.0) < 0.0


@strict
def passed(run: LoopRecord, e: int, a: float, b: float) -> float:
    """Root of function e in a part with at most one root; NOW becomes the sign after it."""
    watched = run.watched
    bounds = run.bounds
    now, direction = run.now[e], run.direction[e]
    right = run.g_right[e]
    after = sign_of(right)
    if now == 0:  # unknown until it has clearly left zero
        if abs(right) > 4.0 * abs(run.g_start[e]):
            run.now[e] = after
        return NONE
    if after != -now:
        return NONE
    if (after < 0 and bounds[2 * watched + e] > 0.0) or (after > 0 and bounds[3 * watched + e] < 0.0):
        return NONE  # contradicts its rate: round-off of an event that has just fired
    values_at(run, b, run.g_probe)  # sets state and time
    if abs(right) <= round_off(run, e, run.sample):
        return NONE  # not yet: its sign is round-off
    run.now[e] = after
    run.abrupt[e] = 0 if bounds[3 * watched + e] - bounds[2 * watched + e] < math.inf else STEEP
    if direction == -after:
        return NONE
    root = locate(run, e, a, b, now)
    if run.abrupt[e] == STEEP:
        run.abrupt[e] = kind_of_change(run, e, root)
        if run.abrupt[e] == POLE:
            run.pole[e] = root
            return NONE
    return root


@strict
def at_the_end(run: LoopRecord, e: int) -> bool:
    """Whether function e reaches zero at the end of the run, within the resolution of time."""
    bounds = run.bounds
    now, direction = run.now[e], run.direction[e]
    left, rate = run.g_right[e], bounds[2 * run.watched + e]
    if now == 0 or now * left < 0.0 or not now * rate < 0.0 or direction == now:
        return False
    if abs(left) > abs(rate) * same_time(run, run.t_last):
        return False
    run.now[e] = -now
    return True


@inner
def undecided_in(run: LoopRecord, a: float, b: float) -> int:
    """An event that may have several roots between two fractions of the step; -1 if there is none."""
    enclose(run, a, b)
    found = -1
    for e in range(run.watched):
        if (run.given_up[e] == 0 or b - a > 1.0 / POINTS) and not is_decided(run, e, (b - a) * run.step):
            found = e
    return found


@inner
def roots_in(run: LoopRecord, a: float, b: float) -> bool:
    """Write the first root between two fractions of the step to ROOT and WHICH; return whether a pole comes before."""
    if b < 1.0:
        values_at(run, b, run.g_right)
    else:
        run.clock[0] = run.t + run.step
        call(run.events_kernel, run.clock, run.x_new, run.p, run.g_right, run.work)
    for e in range(run.watched):
        run.pole[e] = NONE
        root = passed(run, e, a, b)
        run.g_root[e] = root
        if root < run.root:
            run.root, run.which = root, e
    pole = False
    for e in range(run.watched):
        if run.pole[e] < run.root:
            run.turned[e] = -run.turned[e]
            pole = True
    return pole


@inner
def roots_at_the_end(run: LoopRecord) -> None:
    """Write a root at the end of the run to ROOT and WHICH."""
    enclose(run, 1.0, 1.0)
    for e in range(run.watched):
        if at_the_end(run, e):
            run.g_root[e], run.root, run.which = 1.0, 1.0, e


@part_of(LoopRecord)
def find_bounded(run: LoopRecord) -> None:
    """Find the first root of the user's events before the fraction LIMIT of the step.

    ROOT becomes its fraction (or NONE), WHICH its event. CLEARED is less than LIMIT if the search took too long and was
    ended there; up to there is no event.
    """
    ends = run.parts
    watched = run.watched
    last_step = run.t + run.step >= run.t_last - 0.5 * same_time(run, run.t_last)
    for e in range(watched):
        run.g_left[e] = run.g_start[e]
        run.given_up[e] = 0
    run.root, run.which, run.cleared = NONE, -1, run.limit
    a, top, looked, shortest = 0.0, 0, 0, 0
    ends[0] = run.limit
    while top >= 0:
        b = ends[top]
        undecided = undecided_in(run, a, b)
        looked += 1
        if undecided >= 0 and b - a > FLOOR:
            if looked < LARGEST_SEARCH or a < FLOOR * LARGEST_SEARCH:
                top += 1
                ends[top] = 0.5 * (a + b)
                continue
            run.cleared = a
            return
        if b - a <= 2.0 * FLOOR:
            shortest += 1
        if undecided >= 0 and shortest > MOST_UNDECIDED:
            run.unclear[undecided] += 1
            run.given_up[undecided], shortest = 1, 0
        if roots_in(run, a, b):
            shortest = 0
        if run.which < 0 and b == 1.0 and last_step:
            roots_at_the_end(run)
        if run.which >= 0:
            return
        for e in range(watched):
            run.g_left[e] = run.g_right[e]
        a = b
        top -= 1
