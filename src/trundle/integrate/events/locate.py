"""Roots of event functions on the dense output of a step (compiled)."""

from trundle.integrate import codes as at
from trundle.integrate.dense import interpolate
from trundle.integrate.events.zero import NO_GAP, NONE, POINTS, at_limit, sign_of
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, inner, strict


@inner
def values_at(run: LoopRecord, s: float, out: Pointer) -> None:
    """Event functions at the fraction `s` of the step by dense output."""
    interpolate(run, s, run.sample)
    run.clock[0] = run.t + s * run.step
    call(run.events_kernel, run.clock, run.sample, run.p, out, run.work)


@strict
def value_at(run: LoopRecord, e: int, s: float) -> float:
    values_at(run, s, run.g_probe)
    return run.g_probe[e]


@strict
def relative_gap(run: LoopRecord, e: int, s: float) -> float:
    """Gap of a contact at the fraction s of the step relative to the largest coordinate, which determines its
    round-off. The event function is the gap over the typical length; angles count as multiples of that length.
    """
    size = 0.0
    for m in range(run.n_q):
        size = max(size, abs(run.x[m]) / (run.length_scale if run.in_metres[m] == 1 else 1.0))
    return value_at(run, e, s) / max(size, 1e-300)


@strict
def locate(run: LoopRecord, e: int, a: float, b: float, before: int) -> float:
    """Root of event function e between the fractions a and b; its sign is `before` just after a and opposite at b."""
    g_a, g_b = value_at(run, e, a), value_at(run, e, b)
    no_gap = run.kind[e] == at.STRIKE and abs(g_a) < NO_GAP
    if sign_of(g_a) != before or no_gap:
        # At a the function is zero up to round-off (an event has just fired): find its true sign close to a.
        width, found = b - a, False
        for _ in range(60):
            width *= 0.5
            g_s = value_at(run, e, a + width)
            if sign_of(g_s) == before:
                a, g_a, found = a + width, g_s, True
                break
            b, g_b = a + width, g_s
        if not found:
            return a
    side = 0
    for _ in range(80):
        if b - a <= 1e-14 * b:
            break
        s = (a * g_b - b * g_a) / (g_b - g_a)  # Illinois method: the value at the retained end is halved
        if not a < s < b:
            s = 0.5 * (a + b)
        g_s = value_at(run, e, s)
        if g_s == 0.0:
            return s
        if sign_of(g_s) == before:
            a, g_a = s, g_s
            if side == 1:
                g_b *= 0.5
            side = 1
        else:
            b, g_b = s, g_s
            if side == -1:
                g_a *= 0.5
            side = -1
    return b


@strict
def overlap(run: LoopRecord, e: int, a: float, b: float, deepest: float) -> float:
    """Fraction at which a value falls below `deepest`; it is below at b."""
    for _ in range(60):
        s = 0.5 * (a + b)
        if value_at(run, e, s) < deepest:
            b = s
        else:
            a = s
    return b


@strict
def crossing(run: LoopRecord, e: int, i: int) -> float:
    """Root of event function e in the cell that ends at point i, or near it if the function crosses zero twice.

    NOW becomes the sign after the root.
    """
    now, direction = run.now[e], run.direction[e]
    left, right = run.g_left[e], run.g_right[e]
    after = sign_of(right)
    if now == 0:
        # Unknown until it has clearly left zero; functions that must not be negative fire when they are.
        if run.kind[e] == at.STRIKE or run.due[e] == 1 or at_limit(run, e):
            least = -at.OVERDUE if run.due[e] == 1 else NO_GAP
            if abs(right) > least:
                run.now[e] = after
            deepest = -least
            if run.due[e] == 0:
                # An open contact may overlap slightly after another one has closed: it strikes if the overlap grows.
                deepest += min(run.g_start[e], 0.0)
                run.now[e] = int(right > NO_GAP)
            return overlap(run, e, (i - 1.0) / POINTS, float(i) / POINTS, deepest) if right < deepest else NONE
        if abs(right) > 4.0 * abs(run.g_start[e]):
            run.now[e] = after
        return NONE
    if run.kind[e] == at.STRIKE and max(abs(left), abs(right)) < NO_GAP:
        return NONE  # round-off: a contact that has just opened separates, or is going to overlap clearly
    if after == -now:
        run.now[e] = after
        if direction == 0 or direction == after:
            return locate(run, e, (i - 1.0) / POINTS, float(i) / POINTS, now)
        return NONE
    before = run.g_before[e]
    # At the start of the step the value may be round-off: there the stored sign is used.
    sign_before = run.sign[e] if i == 2 else sign_of(before)
    if i < 2 or after != now or sign_before != now:
        return NONE
    # All three values have the same sign: does the parabola through them come close to zero in between?
    bend = 0.5 * (before - 2.0 * left + right)
    slope = 0.5 * (right - before)
    if now * bend <= 0.0 or abs(slope) >= 2.0 * abs(bend):
        return NONE
    lowest = left - slope * slope / (4.0 * bend)
    if now * lowest > 0.3 * min(abs(before), abs(left), abs(right)):
        return NONE
    bottom = (i - 1.0 - slope / (2.0 * bend)) / POINTS
    if sign_of(value_at(run, e, bottom)) != -now:
        return NONE
    if direction == now:
        return locate(run, e, bottom, float(i) / POINTS, -now)
    run.now[e] = -now
    return locate(run, e, (i - 2.0) / POINTS, bottom, now)
