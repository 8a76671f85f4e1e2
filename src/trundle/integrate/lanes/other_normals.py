"""Tracking other common normals of contacts in lanes (compiled), each lane with those of its own run.

The first of the packs of a contact searches for common normals, the others track known ones: at first the nearest ones
found by a search at the start, later also those found by the first pack, in place of the farthest. At every twelfth
step the first pack of each contact makes two Newton steps and one of the others makes one, together, while their code
is in the cache. At every second step the times of the lanes are compared with those of their next checks: a pack in
which a gap may vanish is then processed. If a contact may be open, one of its packs is processed at every step.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.other_normals import SEARCHES, SETTLING, WIDEST, holds_any, track
from trundle.integrate.record import LaneRecord
from trundle.kernel.pointers import copy, inner, shifted


@inner
def begin_normals(run: LaneRecord, lane: int) -> None:
    """Set the common normals at the start of a new run."""
    w, known = run.normal_lanes, shifted(run.normal_start, run.job[lane] * run.normal_row)
    for pack in range(run.n_normal_packs):
        n, first, which = run.normal_width[pack], run.normal_first[pack], pack * w + lane
        for i in range(n):
            run.normal_s[(first + i) * w + lane] = known[i]  # nan: to be seeded
            run.normal_rate[(first + i) * w + lane] = 0.0
        run.normal_held[which] = 1 if known[n] < math.inf else 0
        run.normal_value[which], run.normal_slope[which] = known[n], math.inf
        run.normal_since[which], run.normal_age[which] = run.t[lane], 0
        run.normal_due[which] = run.t[lane] if run.normal_held[which] != 0 else math.inf
        known = shifted(known, n + 1)


@inner
def hand_over(run: LaneRecord, pack: int, lane: int) -> None:
    """Pass a normal found by the first pack of a contact on to another pack: one that is free in this lane, or that
    tracks the farthest normal of all.
    """
    w, n, held, value = run.normal_lanes, run.normal_width[pack], run.normal_held, run.normal_value
    farthest, to = value[pack * w + lane], -1
    for other in range(pack + 1, pack + run.normal_packs):
        i = other * w + lane
        far = value[i] if held[i] != 0 else math.inf
        if far > farthest:
            farthest, to = far, other
    held[pack * w + lane], run.normal_due[pack * w + lane] = 0, math.inf
    if to >= 0:
        for i in range(n):
            run.normal_s[(run.normal_first[to] + i) * w + lane] = run.normal_s[(run.normal_first[pack] + i) * w + lane]
            run.normal_rate[(run.normal_first[to] + i) * w + lane] = 0.0
        held[to * w + lane], value[to * w + lane] = 1, value[pack * w + lane]
        run.normal_slope[to * w + lane], run.normal_since[to * w + lane] = math.inf, run.clock[lane]
        run.normal_due[to * w + lane] = run.clock[lane]
    run.normal_s[run.normal_first[pack] * w + lane] = math.nan  # to be seeded


@inner
def may_vanish(run: LaneRecord, pack: int) -> bool:
    """Whether a gap in this pack may have shrunk by a third since the last check."""
    due, soon = shifted(run.normal_due, pack * run.normal_lanes), 0
    for lane in range(run.normal_lanes):
        soon |= int(run.clock[lane] > due[lane])
    return soon != 0


@inner
def plan_checks(run: LaneRecord, pack: int) -> None:
    """Times at which the gaps of a pack may have shrunk by a third since the last check."""
    w, at_pack = run.normal_lanes, pack * run.normal_lanes
    held, since, due = shifted(run.normal_held, at_pack), shifted(run.normal_since, at_pack), run.normal_due
    value, slope = shifted(run.normal_value, at_pack), shifted(run.normal_slope, at_pack)
    for lane in range(w):
        next_check = since[lane] + value[lane] / (at.FAR * slope[lane])
        due[at_pack + lane] = next_check if held[lane] != 0 and next_check < math.inf else math.inf


@inner
def plan_next_checks(run: LaneRecord) -> None:
    """The soonest of these times in each lane."""
    w, soonest, due = run.normal_lanes, run.normal_soonest, run.normal_due
    for lane in range(w):
        soonest[lane] = math.inf
    for pack in range(run.n_normal_packs):
        for lane in range(w):
            soonest[lane] = min(soonest[lane], due[pack * w + lane])


@inner
def steps_in_turn(run: LaneRecord, pack: int) -> int:
    """Newton steps of a pack at this step of the runs, whether or not one of its gaps may vanish."""
    packs, turn = run.normal_packs, run.normal_turn
    which = pack % packs
    if run.normal_loose[pack] == 1:
        return 1 if which == turn % packs else 0
    if turn % at.NORMAL_STEPS != 0:
        return 0
    if which == 0:
        return SEARCHES
    return 1 if which == 1 + turn // at.NORMAL_STEPS % (packs - 1) and holds_any(run, pack) else 0


@inner
def states_reached(run: LaneRecord) -> None:
    """Copy the states of all lanes: new ones for lanes with an accepted step."""
    w, states, accept = run.lanes, shifted(run.normal_x, WIDEST * run.lanes), run.accept
    copy(run.x_new, states, run.n_x * w)
    for lane in range(w):
        if accept[lane] != at.ACCEPTED:
            for m in range(run.n_x):
                states[m * w + lane] = run.x[m * w + lane]


@inner
def begin_new_jobs(run: LaneRecord) -> None:
    """Start the runs that are new in their lanes with the normals known at their start."""
    for lane in range(run.lanes):
        if run.normal_job[lane] != run.job[lane]:
            run.normal_job[lane] = run.job[lane]
            if run.job[lane] >= 0:
                begin_normals(run, lane)
    run.normal_news = 0


@inner
def track_pack(run: LaneRecord, pack: int, least: int) -> None:
    """At least so many Newton steps of a pack. Normals found by the first pack of a contact are handed over to the
    others; lanes that reach one are ALARMED.
    """
    unsettled, hit = False, run.normal_hit
    for i in range(SETTLING):
        if i < least or unsettled:
            unsettled = track(run, pack, run.clock, run.p)
    plan_checks(run, pack)
    for lane in range(run.lanes):
        if pack % run.normal_packs == 0 and run.normal_held[pack * run.normal_lanes + lane] != 0:
            hand_over(run, pack, lane)
        if hit[lane] == 1 and run.accept[lane] == at.ACCEPTED:
            run.accept[lane] = at.ALARMED
        hit[lane] = 0


@inner
def track_in_lanes(run: LaneRecord) -> None:
    """Track the normals of all lanes at the ends of accepted steps; a lane that reaches one is ALARMED."""
    w, t, h, clock, accept, due, soon = run.lanes, run.t, run.h, run.clock, run.accept, run.normal_soonest, 0
    if run.normal_news == 1:
        begin_new_jobs(run)
        plan_next_checks(run)
    run.normal_rest -= 1
    in_turn = run.normal_rest <= 0
    if run.normal_rest % 2 == 1:
        return
    for lane in range(w):
        clock[lane] = t[lane] + (h[lane] if accept[lane] == at.ACCEPTED else 0.0)
        soon |= int(clock[lane] > due[lane])
    if soon == 0 and not in_turn:
        return
    copied = False
    if in_turn:
        run.normal_rest = run.normal_stride
        run.normal_turn = (run.normal_turn + run.normal_stride) % (
            at.NORMAL_STEPS * run.normal_packs * (run.normal_packs - 1)
        )
    for pack in range(run.n_normal_packs):
        least = steps_in_turn(run, pack) if in_turn else 0
        if least == 0 and soon != 0 and may_vanish(run, pack):
            least = 1
        if least > 0 and not copied:
            states_reached(run)
            copied = True
        if least > 0:
            track_pack(run, pack, least)
    if copied:
        plan_next_checks(run)
