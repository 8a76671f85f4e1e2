"""Tracking other common normals of the surfaces of a contact along the steps of a run (compiled).

A run begins with the normals found by a search at its start. Each remaining lane of a pack searches for one: two Newton
steps at every twelfth step of the run, from points spread evenly over the surfaces. Once found, it is tracked, the more
often the sooner its gap may vanish. If its gap falls below that of the contact, or below zero while they touch, the
surfaces touch in a second point or their closest points are elsewhere.

A single run has one pack for each contact. In lanes, where each lane is another run, a contact has several packs
(`lanes.other_normals`).
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.record import LoopRecord, StepRecord
from trundle.kernel.pointers import Pointer, call, copy, inner, part_of, shifted

WIDEST = 4  # surface coordinates of a contact
FOUND = 1e-3  # a shorter Newton step, relative to the reach, means that the normal is found
APART = 2e5  # required distance from the contact, relative to the smallest one and the Newton step
DEEP = 1e3  # overlap, relative to the smallest distance, of normals that may have touched since the last check
LOST = 0.1  # a longer Newton step of a known normal means that it is lost
PATIENCE = 12  # Newton steps before the search continues from another point
SEARCHES = 2  # Newton steps at a time, while the code is in the cache
EFFORT = 3  # Newton steps at each step if the contact may be open
SETTLING = 3  # most Newton steps at one step of the run for a known normal that has moved far
SINGULAR = 1e-7
NEAR_CONTACT = 0.2  # of the reach: every second starting point is near the contact
RATIOS = (0.8191725133961645, 0.6710436067037893, 0.5497004779019703, 0.4503005890210214)  # low-discrepancy sequence


@inner
def seed(run: StepRecord, pack: int, lane: int, own: Pointer) -> None:
    """Choose another starting point around the contact."""
    w, n, first = run.normal_lanes, run.normal_width[pack], run.normal_first[pack]
    run.normal_seeds[pack] += 1
    count = run.normal_seeds[pack] + 17 * pack
    scale = NEAR_CONTACT if count % 2 == 0 else 1.0
    for i in range(n):
        place = 0.5 + count * RATIOS[i]
        offset = 2.0 * (place - math.floor(place)) - 1.0
        run.normal_s[(first + i) * w + lane] = own[i * w + lane] + scale * offset * run.normal_reach[first + i]
    run.normal_held[pack * w + lane] = 0
    run.normal_age[pack * w + lane] = 0


@inner
def is_same(run: StepRecord, pack: int, lane: int, other_pack: int, other: int) -> bool:
    """Whether another lane, or the same lane of another pack of the contact, already tracks this normal."""
    w, n, first, second = run.normal_lanes, run.normal_width[pack], run.normal_first[pack], run.normal_first[other_pack]
    away = math.inf if run.normal_held[other_pack * w + other] == 0 else 0.0
    for i in range(n):
        s = run.normal_s[(first + i) * w + lane] - run.normal_s[(second + i) * w + other]
        away = max(away, abs(s) / run.normal_reach[first + i])
    return away < 2.0 * FOUND


@inner
def is_tracked_elsewhere(run: StepRecord, pack: int, lane: int) -> bool:
    """Whether this normal is already tracked: in a single run by another lane, in lanes by another pack."""
    packs, twin = run.normal_packs, False
    for other in range(run.normal_lanes if packs == 1 else 0):
        twin = twin or (other != lane and is_same(run, pack, lane, pack, other))
    first = pack - pack % packs
    for other in range(first, first + packs):
        twin = twin or (other != pack and is_same(run, pack, lane, other, lane))
    return twin


@inner
def holds_any(run: StepRecord, pack: int) -> bool:
    """Whether any lane of this pack tracks a common normal."""
    held, found = shifted(run.normal_held, pack * run.normal_lanes), 0
    for lane in range(run.normal_lanes):
        found |= held[lane]
    return found != 0


@inner
def all_search(run: StepRecord, pack: int, sizes: Pointer) -> bool:
    """Whether all lanes of this pack have yet to converge; each is then a Newton step older."""
    w, at_pack = run.normal_lanes, pack * run.normal_lanes
    held, age, searching = shifted(run.normal_held, at_pack), shifted(run.normal_age, at_pack), 0
    for lane in range(w):
        size = sizes[lane]
        searching += int((held[lane] == 0) & (size >= FOUND) & (size < math.inf) & (age[lane] < PATIENCE))
    for lane in range(w if searching == w else 0):
        age[lane] += 1
    return searching == w


@inner
def extrapolate(run: StepRecord, pack: int, clock: Pointer) -> None:
    """Extrapolate known normals, so that one Newton step finds them again."""
    if not holds_any(run, pack):
        return
    w, n, first = run.normal_lanes, run.normal_width[pack], run.normal_first[pack]
    since, held = shifted(run.normal_since, pack * w), shifted(run.normal_held, pack * w)
    s, rate = shifted(run.normal_s, first * w), shifted(run.normal_rate, first * w)
    reach = shifted(run.normal_reach, first)
    for lane in range(w):
        lapse = clock[lane] - since[lane]
        if held[lane] != 0 and lapse > 0.0:
            for i in range(n):
                move, most = rate[i * w + lane] * lapse, at.STRIDE * reach[i]
                s[i * w + lane] += min(max(move, -most), most)


@inner
def update_rate(run: StepRecord, pack: int, lane: int, lapse: float) -> None:
    """Correct the rate of a known normal by its Newton step after the extrapolation."""
    w, n, first = run.normal_lanes, run.normal_width[pack], run.normal_first[pack]
    per_time = 1.0 / lapse if lapse > 0.0 else 0.0
    for i in range(n):
        run.normal_rate[(first + i) * w + lane] += per_time * run.normal_out[i * w + lane]


@inner
def store_normal(run: StepRecord, pack: int, lane: int, value: float, lapse: float) -> None:
    """Store a normal with a gap larger than that of the contact."""
    w, n, first = run.normal_lanes, run.normal_width[pack], run.normal_first[pack]
    which = pack * w + lane
    if run.normal_held[which] == 0:
        run.normal_slope[which] = math.inf
        for i in range(n):
            run.normal_rate[(first + i) * w + lane] = 0.0
    elif lapse > 0.0:
        run.normal_slope[which] = abs(value - run.normal_value[which]) / lapse
    run.normal_held[which], run.normal_value[which] = 1, value


@inner
def newton_step(run: StepRecord, pack: int, clock: Pointer, p: Pointer) -> None:
    """Move all lanes of a pack to where one Newton step from their extrapolated places leads.

    The kernel returns the step (at most STRIDE of the reach), the gap minus that of the contact (or minus zero), the
    gap, the product of the normals, the quality of the step, the distance from the contact, the coordinates of the
    contact itself, the point, and the length of the full step relative to the reach (infinite if it is NaN).
    """
    w, n = run.normal_lanes, run.normal_width[pack]
    out, s = run.normal_out, shifted(run.normal_s, run.normal_first[pack] * w)
    x = shifted(run.normal_x, (WIDEST - n) * w)
    extrapolate(run, pack, clock)
    copy(s, x, n * w)
    call(run.normal_kernel[pack], clock, x, p, out, run.normal_work)
    for i in range(n * w):
        s[i] += out[i]


@inner
def track(run: StepRecord, pack: int, clock: Pointer, p: Pointer) -> bool:
    """One Newton step of all lanes of a pack, at the states in `normal_x`; sets `normal_hit` for normals that are
    reached, and returns whether a known normal needs another Newton step.
    """
    w, n, out = run.normal_lanes, run.normal_width[pack], run.normal_out
    since, held = shifted(run.normal_since, pack * w), shifted(run.normal_held, pack * w)
    age, last = shifted(run.normal_age, pack * w), shifted(run.normal_value, pack * w)
    slope, least = shifted(run.normal_slope, pack * w), run.normal_away
    own, sizes = shifted(out, (n + 5) * w), shifted(out, (2 * n + 8) * w)
    unsettled = False
    newton_step(run, pack, clock, p)
    if all_search(run, pack, sizes):
        return False
    for lane in range(w):
        before, size = held[lane], sizes[lane]
        if before == 0 and FOUND <= size < math.inf and age[lane] < PATIENCE:  # not converged yet
            age[lane] += 1
            continue
        lapse = clock[lane] - since[lane]
        since[lane] = clock[lane]
        value, gap = out[n * w + lane], out[(n + 1) * w + lane]
        facing, quality, away = out[(n + 2) * w + lane], out[(n + 3) * w + lane], out[(n + 4) * w + lane]
        if not size < math.inf:
            seed(run, pack, lane, own)
            continue
        if before != 0:
            update_rate(run, pack, lane, lapse)
        if size < FOUND and away > APART * size * least:  # otherwise it might converge to the contact itself
            twin = before == 0 and is_tracked_elsewhere(run, pack, lane)
            if facing >= 0.0 or abs(quality) < SINGULAR or away < least or twin:
                seed(run, pack, lane, own)
                continue
            if value > 0.0:
                store_normal(run, pack, lane, value, lapse)
            elif before == 1 or (run.normal_loose[pack] == 1 and gap > 0.0):
                run.normal_hit[lane] = 1
            elif run.normal_fresh > 0 and DEEP * least > -gap:  # it may have touched shortly before
                run.normal_fresh -= 1
                run.normal_hit[lane] = 1
            else:  # behind the contact from the beginning, such as that of the far sides
                seed(run, pack, lane, own)
        elif size > LOST or before == 0:
            held[lane] = 0
            age[lane] += 1
            if age[lane] > PATIENCE:
                seed(run, pack, lane, own)
        elif value < at.FAR * abs(value - last[lane]):
            unsettled = True
        else:  # the gap is accurate enough: its error is of second order in the step
            if lapse > 0.0:
                slope[lane] = abs(value - last[lane]) / lapse
            last[lane] = value
    return unsettled


@inner
def next_check_of_normals(run: LoopRecord) -> float:
    """The time at which the gap of a known normal may have shrunk by a third since the last check."""
    held, value, slope, soonest = run.normal_held, run.normal_value, run.normal_slope, math.inf
    for i in range(run.n_normal_packs * run.normal_lanes):
        if held[i] != 0:
            due = run.normal_since[i] + value[i] / (at.FAR * slope[i])
            soonest = due if due < soonest else soonest  # ignores NaN
    return soonest


@inner
def states_reached(run: LoopRecord) -> None:
    """Copy the state and the parameters of the run to all lanes."""
    w, x, p, states, parameters = (
        run.normal_lanes,
        run.x,
        run.p,
        shifted(run.normal_x, WIDEST * run.normal_lanes),
        run.normal_p,
    )
    for m in range(run.n_x):
        value = x[m]
        for lane in range(w):
            states[m * w + lane] = value
    for m in range(run.n_p):
        value = p[m]
        if parameters[m * w] != value:
            for lane in range(w):
                parameters[m * w + lane] = value


@part_of(LoopRecord)
def track_other_normals(run: LoopRecord) -> None:
    """Track the normals of all contacts at the present state, at every twelfth step while none is close; at the end of
    the run a search is made instead.
    """
    if run.t <= run.normal_due and (run.normal_rest > 0 or run.t >= run.t_last):
        run.normal_rest -= 1
        return
    at_once = False
    w, hit, clock, parameters = run.normal_lanes, run.normal_hit, run.normal_clock, run.normal_p
    states_reached(run)
    for lane in range(w):
        clock[lane] = run.t
        hit[lane] = 0
    for pack in range(run.n_normal_packs):
        eager, unsettled = run.normal_loose[pack] == 1, False
        for i in range(max(EFFORT, SETTLING)):
            if i < SEARCHES or (eager and i < EFFORT) or (unsettled and i < SETTLING):
                unsettled = track(run, pack, clock, parameters)
        at_once = at_once or eager or unsettled
        for lane in range(w):
            at_once = at_once or hit[lane] == 1
            if hit[lane] == 1 and run.status == at.RUNNING:  # others are found again at the next step
                run.normal_held[pack * w + lane] = 0
                run.status = at.OTHER_NORMAL
                run.normal_met = pack * w + lane
            hit[lane] = 0
    run.normal_rest, run.normal_due = at.NORMAL_STEPS - 1, -math.inf if at_once else next_check_of_normals(run)
