"""Other common normals of contacts in lanes (compiled), each lane with those of its own run.

The first of the packs of a contact looks for common normals, the others follow what is known: at first the nearest ones
that a search at the start has found, later also what the first pack has found, in place of the farthest. At every
third step one pack has its turn: the first one twice as often as the others, and instead of one that has nothing to
follow. A pack in which a gap may vanish is looked at at once, and one pack at every step where a contact may be open.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.record import LaneRecord
from trundle.integrate.rivals import SETTLING, WIDEST, pursue
from trundle.kernel.pointers import inner, shifted

EVERY = 3  # steps between two turns


@inner
def begin_rivals(run: LaneRecord, lane: int) -> None:
    """A run that is new in its lane begins with the common normals at its start."""
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
    """What the first pack of a contact has found goes to another one: to one that is free in this lane, or that follows
    the farthest normal of all.
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
def may_vanish_in(run: LaneRecord, pack: int) -> bool:
    """Whether a gap in this pack may have shrunk by a third since the last look."""
    w = run.rival_lanes
    held, value, slope = shifted(run.rival_held, pack * w), shifted(run.rival_value, pack * w), run.rival_slope
    since, soon = shifted(run.rival_since, pack * w), 0
    for lane in range(w):
        lapse = run.clock[lane] - since[lane]
        soon |= (held[lane] != 0) & (value[lane] < at.FAR * slope[pack * w + lane] * lapse)
    return soon != 0


@inner
def follows_any(run: LaneRecord, pack: int) -> bool:
    """Whether this pack has a common normal to follow in any lane."""
    w, held = run.rival_lanes, 0
    for lane in range(w):
        held |= run.rival_held[pack * w + lane]
    return held != 0


@inner
def pack_in_turn(run: LaneRecord, contact: int) -> int:
    """Which pack of a contact is looked at after this step; -1 where none is."""
    packs, first = run.rival_packs, contact * run.rival_packs
    if run.rival_loose[first] == 1:
        return first + run.rival_turn % packs
    turn = run.rival_turn // EVERY
    if run.rival_turn % EVERY != 0:
        return -1
    pack = first + 1 + (turn // 2) % (packs - 1) if turn % 2 == 1 else first
    return pack if follows_any(run, pack) else first


@inner
def states_reached(run: LaneRecord) -> None:
    """States and times at which all lanes are: those without an accepted step stay."""
    w, states, accept = run.lanes, shifted(run.rival_x, WIDEST * run.lanes), run.accept
    for m in range(run.n_x):
        for lane in range(w):
            i = m * w + lane
            states[i] = run.x_new[i] if accept[lane] == at.ACCEPTED else run.x[i]


@inner
def pursue_in_lanes(run: LaneRecord) -> None:
    """Pursue those of the runs in all lanes, at the ends of the accepted steps; a lane that meets one is ALARMED."""
    w, job, known, hit, accept, packs = run.lanes, run.job, run.rival_job, run.rival_hit, run.accept, run.rival_packs
    for lane in range(w):
        run.clock[lane] = run.t[lane] + (run.h[lane] if accept[lane] == at.ACCEPTED else 0.0)
        if known[lane] != job[lane]:
            known[lane] = job[lane]
            if job[lane] >= 0:
                begin_rivals(run, lane)
    run.rival_turn = (run.rival_turn + 1) % (2 * EVERY * packs * (packs - 1))
    copied, turn = False, -1
    for pack in range(run.n_rivals):
        which = pack % packs
        turn = pack_in_turn(run, pack // packs) if which == 0 else turn
        if pack == turn or may_vanish_in(run, pack):
            if not copied:
                states_reached(run)
                copied = True
            unsettled = True
            for _ in range(SETTLING):
                if unsettled:
                    unsettled = pursue(run, pack, run.clock, run.p)
            for lane in range(w):
                if which == 0 and run.rival_held[pack * w + lane] != 0:
                    hand_over(run, pack, lane)
                if hit[lane] == 1 and accept[lane] == at.ACCEPTED:
                    accept[lane] = at.ALARMED
                hit[lane] = 0
