"""The next break (compiled): the first root of functions of time, found by bounds."""

import math

from trundle.integrate.codes import MOST_UNDECIDED
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, part_of, strict

MARGIN = 1.8e-15  # relative: on either side of a break laws may still be undecided by round-off
FLOOR = 2.0**-50  # shortest part, relative to the searched interval
POINTS = 7  # examined for a function that is given up
LARGEST_SEARCH = 20000  # parts that are examined before a step is tried


@strict
def enclose_times(run: LoopRecord, a: float, b: float) -> None:
    """Bounds of the functions of time and of their rates between two times."""
    span, address = run.box, run.breaks_kernel
    span[0], span[1] = a, b
    call(address, run.clock, span, run.p, run.bounds, run.work)


@strict
def side(run: LoopRecord, e: int, t: float) -> int:
    """Sign of one function at one time."""
    enclose_times(run, t, t)
    value = run.bounds[e]
    return int(value > 0.0) - int(value < 0.0)


@strict
def switch(run: LoopRecord, e: int, a: float, b: float) -> float:
    """The last time between a and b at which function e has the sign that it has at a."""
    before = side(run, e, a)
    for _ in range(2000):  # to neighbouring numbers; near zero these are close
        middle = 0.5 * (a + b)
        if not a < middle < b:
            break
        if side(run, e, middle) == before:
            a = middle
        else:
            b = middle
    return a


@strict
def first_switch(run: LoopRecord, start: float, end: float) -> float:
    """First time between two times at which a function of time changes its sign; infinite if none does."""
    count, bounds, ends = run.n_breaks, run.bounds, run.parts
    a, top, looked, shortest = start, 0, 0, 0
    floor, wide = FLOOR * (end - start), (end - start) / POINTS
    ends[0] = end
    for e in range(count):
        run.given_up[e] = 0
    while top >= 0:
        b = ends[top]
        enclose_times(run, a, b)
        looked += 1
        unclear = -1
        for e in range(count):
            lo, hi, slow, fast = bounds[e], bounds[count + e], bounds[2 * count + e], bounds[3 * count + e]
            decided = lo > 0.0 or hi < 0.0 or slow > 0.0 or fast < 0.0 or (lo == 0.0 and hi == 0.0)
            if not decided and (run.given_up[e] == 0 or b - a > wide):
                unclear = e
        if unclear >= 0 and b - a > floor:
            if looked >= LARGEST_SEARCH and a > start:
                return a  # a step up to here, then the search continues
            middle = 0.5 * (a + b)
            if a < middle < b:
                top += 1
                ends[top] = middle
                continue
        if b - a <= 2.0 * FLOOR * (end - start):
            shortest += 1
        if unclear >= 0 and shortest > MOST_UNDECIDED:
            run.given_up[unclear], shortest = 1, 0
        first = math.inf
        for e in range(count):
            if side(run, e, a) != side(run, e, b):
                first = min(first, switch(run, e, a, b))
        if first < math.inf:
            return first
        a = b
        top -= 1
    return math.inf


@part_of(LoopRecord)
def next_break(run: LoopRecord) -> None:
    """Set T_BREAK to the time just before the next break; if T itself is at one, set T to the time just after it."""
    scale = 1e-3 * (run.t_last - run.t_start)
    start = run.t - MARGIN * max(abs(run.t), scale)
    found = math.inf
    while start < run.t_last:
        margin = MARGIN * max(abs(run.t), scale)
        found = first_switch(run, start, run.t_last + margin)
        if found > run.t + 2.0 * margin:
            break
        run.t = start = min(found + margin, run.t_last)
        found = math.inf
    run.t_break = found - MARGIN * max(abs(found), scale) if found < math.inf else math.inf
