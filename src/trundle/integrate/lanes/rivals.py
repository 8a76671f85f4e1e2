"""Tracking other common normals of contacts in lanes (compiled), each lane with those of its own run.

The first of the packs of a contact searches for common normals, the others track known ones: at first the nearest ones
found by a search at the start, later also those found by the first pack, in place of the farthest. At every twelfth
step the first pack of each contact makes two Newton steps and one of the others makes one, together, while their code
is in the cache. At every second step the times of the lanes are compared with those of their next checks: a pack in
which a gap may vanish is then processed. If a contact may be open, one of its packs is processed at every step.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.record import LaneRecord
from trundle.integrate.rivals import SEARCHES, SETTLING, WIDEST, holds_any, pursue
from trundle.kernel.pointers import copy, inner, shifted


@inner
def begin_rivals(run: LaneRecord, lane: int) -> None:
    """Set the common normals at the start of a new run."""
    w, known = run.rival_lanes, shifted(run.rival_start, run.job[lane] * run.rival_row)
    for pack in range(run.n_rivals):
        n, first, which = run.rival_width[pack], run.rival_first[pack], pack * w + lane
        for i in range(n):
            run.rival_s[(first + i) * w + lane] = known[i]  # nan: to be seeded
            run.rival_rate[(first + i) * w + lane] = 0.0
        run.rival_held[which] = 1 if known[n] < math.inf else 0
        run.rival_value[which], run.rival_slope[which] = known[n], math.inf
        run.rival_since[which], run.rival_age[which] = run.t[lane], 0
        run.rival_due[which] = run.t[lane] if run.rival_held[which] != 0 else math.inf
        known = shifted(known, n + 1)


@inner
def hand_over(run: LaneRecord, pack: int, lane: int) -> None:
    """Pass a normal found by the first pack of a contact on to another pack: one that is free in this lane, or that
    tracks the farthest normal of all.
    """
    w, n, held, value = run.rival_lanes, run.rival_width[pack], run.rival_held, run.rival_value
    farthest, to = value[pack * w + lane], -1
    for other in range(pack + 1, pack + run.rival_packs):
        i = other * w + lane
        far = value[i] if held[i] != 0 else math.inf
        if far > farthest:
            farthest, to = far, other
    held[pack * w + lane], run.rival_due[pack * w + lane] = 0, math.inf
    if to >= 0:
        for i in range(n):
            run.rival_s[(run.rival_first[to] + i) * w + lane] = run.rival_s[(run.rival_first[pack] + i) * w + lane]
            run.rival_rate[(run.rival_first[to] + i) * w + lane] = 0.0
        held[to * w + lane], value[to * w + lane] = 1, value[pack * w + lane]
        run.rival_slope[to * w + lane], run.rival_since[to * w + lane] = math.inf, run.clock[lane]
        run.rival_due[to * w + lane] = run.clock[lane]
    run.rival_s[run.rival_first[pack] * w + lane] = math.nan  # to be seeded


@inner
def may_vanish(run: LaneRecord, pack: int) -> bool:
    """Whether a gap in this pack may have shrunk by a third since the last check."""
    due, soon = shifted(run.rival_due, pack * run.rival_lanes), 0
    for lane in range(run.rival_lanes):
        soon |= int(run.clock[lane] > due[lane])
    return soon != 0


@inner
def plan_checks(run: LaneRecord, pack: int) -> None:
    """Times at which the gaps of a pack may have shrunk by a third since the last check."""
    w, at_pack = run.rival_lanes, pack * run.rival_lanes
    held, since, due = shifted(run.rival_held, at_pack), shifted(run.rival_since, at_pack), run.rival_due
    value, slope = shifted(run.rival_value, at_pack), shifted(run.rival_slope, at_pack)
    for lane in range(w):
        next_check = since[lane] + value[lane] / (at.FAR * slope[lane])
        due[at_pack + lane] = next_check if held[lane] != 0 and next_check < math.inf else math.inf


@inner
def plan_next_checks(run: LaneRecord) -> None:
    """The soonest of these times in each lane."""
    w, soonest, due = run.rival_lanes, run.rival_soonest, run.rival_due
    for lane in range(w):
        soonest[lane] = math.inf
    for pack in range(run.n_rivals):
        for lane in range(w):
            soonest[lane] = min(soonest[lane], due[pack * w + lane])


@inner
def steps_in_turn(run: LaneRecord, pack: int) -> int:
    """Newton steps of a pack at this step of the runs, whether or not one of its gaps may vanish."""
    packs, turn = run.rival_packs, run.rival_turn
    which = pack % packs
    if run.rival_loose[pack] == 1:
        return 1 if which == turn % packs else 0
    if turn % at.RIVAL_STEPS != 0:
        return 0
    if which == 0:
        return SEARCHES
    return 1 if which == 1 + turn // at.RIVAL_STEPS % (packs - 1) and holds_any(run, pack) else 0


@inner
def states_reached(run: LaneRecord) -> None:
    """Copy the states of all lanes: new ones for lanes with an accepted step."""
    w, states, accept = run.lanes, shifted(run.rival_x, WIDEST * run.lanes), run.accept
    copy(run.x_new, states, run.n_x * w)
    for lane in range(w):
        if accept[lane] != at.ACCEPTED:
            for m in range(run.n_x):
                states[m * w + lane] = run.x[m * w + lane]


@inner
def begin_new_jobs(run: LaneRecord) -> None:
    """Start the runs that are new in their lanes with the normals known at their start."""
    for lane in range(run.lanes):
        if run.rival_job[lane] != run.job[lane]:
            run.rival_job[lane] = run.job[lane]
            if run.job[lane] >= 0:
                begin_rivals(run, lane)
    run.rival_news = 0


@inner
def pursue_pack(run: LaneRecord, pack: int, least: int) -> None:
    """At least so many Newton steps of a pack. Normals found by the first pack of a contact are handed over to the
    others; lanes that reach one are ALARMED.
    """
    unsettled, hit = False, run.rival_hit
    for i in range(SETTLING):
        if i < least or unsettled:
            unsettled = pursue(run, pack, run.clock, run.p)
    plan_checks(run, pack)
    for lane in range(run.lanes):
        if pack % run.rival_packs == 0 and run.rival_held[pack * run.rival_lanes + lane] != 0:
            hand_over(run, pack, lane)
        if hit[lane] == 1 and run.accept[lane] == at.ACCEPTED:
            run.accept[lane] = at.ALARMED
        hit[lane] = 0


@inner
def pursue_in_lanes(run: LaneRecord) -> None:
    """Track the normals of all lanes at the ends of accepted steps; a lane that reaches one is ALARMED."""
    w, t, h, clock, accept, due, soon = run.lanes, run.t, run.h, run.clock, run.accept, run.rival_soonest, 0
    if run.rival_news == 1:
        begin_new_jobs(run)
        plan_next_checks(run)
    run.rival_rest -= 1
    in_turn = run.rival_rest <= 0
    if run.rival_rest % 2 == 1:
        return
    for lane in range(w):
        clock[lane] = t[lane] + (h[lane] if accept[lane] == at.ACCEPTED else 0.0)
        soon |= int(clock[lane] > due[lane])
    if soon == 0 and not in_turn:
        return
    copied = False
    if in_turn:
        run.rival_rest = run.rival_stride
        run.rival_turn = (run.rival_turn + run.rival_stride) % (
            at.RIVAL_STEPS * run.rival_packs * (run.rival_packs - 1)
        )
    for pack in range(run.n_rivals):
        least = steps_in_turn(run, pack) if in_turn else 0
        if least == 0 and soon != 0 and may_vanish(run, pack):
            least = 1
        if least > 0 and not copied:
            states_reached(run)
            copied = True
        if least > 0:
            pursue_pack(run, pack, least)
    if copied:
        plan_next_checks(run)
