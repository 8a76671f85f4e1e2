"""Tracking other common normals of contacts in lanes (compiled), each lane with those of its own run.

The first of the packs of a contact searches for common normals, the others track known ones: at first the nearest ones
found by a search at the start, later also those found by the first pack, in place of the farthest. At every fourth step
one pack is processed: the first one twice as often as the others, and instead of packs without known normals. A pack in
which a gap may vanish is processed at once; if a contact may be open, one pack is processed at every step. All other
steps only compare the times of the lanes with those of their next checks.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.record import LaneRecord
from trundle.integrate.rivals import SETTLING, WIDEST, pursue
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
    held[pack * w + lane] = 0
    if to >= 0:
        for i in range(n):
            run.rival_s[(run.rival_first[to] + i) * w + lane] = run.rival_s[(run.rival_first[pack] + i) * w + lane]
            run.rival_rate[(run.rival_first[to] + i) * w + lane] = 0.0
        held[to * w + lane], value[to * w + lane] = 1, value[pack * w + lane]
        run.rival_slope[to * w + lane], run.rival_since[to * w + lane] = math.inf, run.clock[lane]
    run.rival_s[run.rival_first[pack] * w + lane] = math.nan  # to be seeded


@inner
def may_vanish(run: LaneRecord, pack: int) -> bool:
    """Whether a gap in this pack may have shrunk by a third since the last check."""
    w = run.rival_lanes
    held, value, slope = shifted(run.rival_held, pack * w), shifted(run.rival_value, pack * w), run.rival_slope
    since, soon = shifted(run.rival_since, pack * w), 0
    for lane in range(w):
        lapse = run.clock[lane] - since[lane]
        soon |= (held[lane] != 0) & (value[lane] < at.FAR * slope[pack * w + lane] * lapse)
    return soon != 0


@inner
def follows_any(run: LaneRecord, pack: int) -> bool:
    """Whether this pack tracks a common normal in any lane."""
    w, held = run.rival_lanes, 0
    for lane in range(w):
        held |= run.rival_held[pack * w + lane]
    return held != 0


@inner
def plan_checks(run: LaneRecord) -> None:
    """Time at which a gap of each lane may have shrunk by a third since the last check."""
    w, held, value, slope, since = run.rival_lanes, run.rival_held, run.rival_value, run.rival_slope, run.rival_since
    for lane in range(w):
        run.rival_due[lane] = math.inf
    for pack in range(run.n_rivals):
        for lane in range(w if follows_any(run, pack) else 0):
            i = pack * w + lane
            due = since[i] + value[i] / (at.FAR * slope[i])
            if held[i] != 0 and due < run.rival_due[lane]:
                run.rival_due[lane] = due


@inner
def pack_in_turn(run: LaneRecord, contact: int) -> int:
    """The pack of a contact that is processed after this step; -1 for none."""
    packs, first = run.rival_packs, contact * run.rival_packs
    if run.rival_loose[first] == 1:
        return first + run.rival_turn % packs
    turn = run.rival_turn // at.LANE_RIVAL_STEPS
    if run.rival_turn % at.LANE_RIVAL_STEPS != 0:
        return -1
    pack = first + 1 + (turn // 2) % (packs - 1) if turn % 2 == 1 else first
    return pack if follows_any(run, pack) else first


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
def pursue_pack(run: LaneRecord, pack: int) -> None:
    """Newton steps of a pack. Normals found by the first pack of a contact are handed over to the others; lanes that
    reach one are ALARMED.
    """
    unsettled, hit = True, run.rival_hit
    for _ in range(SETTLING):
        if unsettled:
            unsettled = pursue(run, pack, run.clock, run.p)
    for lane in range(run.lanes):
        if pack % run.rival_packs == 0 and run.rival_held[pack * run.rival_lanes + lane] != 0:
            hand_over(run, pack, lane)
        if hit[lane] == 1 and run.accept[lane] == at.ACCEPTED:
            run.accept[lane] = at.ALARMED
        hit[lane] = 0


@inner
def pursue_in_lanes(run: LaneRecord) -> None:
    """Track the normals of all lanes at the ends of accepted steps; a lane that reaches one is ALARMED."""
    w, t, h, clock, accept, due, soon = run.lanes, run.t, run.h, run.clock, run.accept, run.rival_due, 0
    if run.rival_news == 1:
        begin_new_jobs(run)
        plan_checks(run)
    for lane in range(w):
        clock[lane] = t[lane] + (h[lane] if accept[lane] == at.ACCEPTED else 0.0)
        soon |= int(clock[lane] > due[lane])
    run.rival_rest -= 1
    in_turn = run.rival_rest <= 0
    if soon == 0 and not in_turn:
        return
    packs, copied, turn = run.rival_packs, False, -1
    if in_turn:
        run.rival_rest = run.rival_stride
        run.rival_turn = (run.rival_turn + run.rival_stride) % (2 * at.LANE_RIVAL_STEPS * packs * (packs - 1))
    for pack in range(run.n_rivals):
        if in_turn and pack % packs == 0:
            turn = pack_in_turn(run, pack // packs)
        if pack == turn or (soon != 0 and may_vanish(run, pack)):
            if not copied:
                states_reached(run)
                copied = True
            pursue_pack(run, pack)
    if copied:
        plan_checks(run)
