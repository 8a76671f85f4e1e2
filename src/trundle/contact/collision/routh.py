"""Collision at one rough point: the velocities followed over the normal impulse [Routh 1905], [Keller 1986].

The pose does not change. With the inverse mass D at the point and the normal impulse p, a contact that slides along d
obeys dv/dp = D (-mu d, 1); one that sticks keeps its slip at zero with the tangential impulse f = -D_tt^-1 D_tn as long
as it lies in the cone. Compression ends where the normal velocity is zero. Restitution then lasts until
v_n = -e v_n(0) [Newton], p = (1 + e) p_c [Poisson], or the work given back is e^2 of that taken [Stronge 1990].

Numbers may be complex: decisions go by the real parts, so that a small imaginary part carries an exact derivative.
"""

import math
from typing import NamedTuple

import numpy as np

from trundle.contact.collision import layout as at
from trundle.kernel.pointers import inlined, strict

PHASES = 200
NEGLIGIBLE_SLIP = 1e-12  # of the speed of the collision: a negligible slip
STRAIGHT = 1e-10  # of the rate of a slip: a negligible part across
STEPS = 20000  # along a slip that turns
DIRECTIONS = 180
GOES_ON, OVER, LOST = 0, 1, 2  # what has become of a slip that turns


@strict
def long(x: float, y: float) -> float:
    """Length of a vector, analytic in its components."""
    return np.sqrt(x * x + y * y)


class Stage(NamedTuple):
    """Compression or restitution: what decides its end."""

    law: int
    e: float
    v0: float  # normal velocity before the collision
    compressing: bool
    p_c: float  # normal impulse of compression
    W_c: float  # its work, below 0


@strict
def across_and_along(D: tuple[float, ...], mu: float, angle: float) -> tuple[float, ...]:
    """Rate of a slip in the direction of the angle: across it and along it."""
    d_xx, d_xy, d_yy, a_x, a_y, _ = D
    x, y = np.cos(angle), np.sin(angle)
    g_x, g_y = a_x - mu * (d_xx * x + d_xy * y), a_y - mu * (d_xy * x + d_yy * y)
    return x * g_y - y * g_x, x * g_x + y * g_y


@strict
def turned_on(D: tuple[float, ...], mu: float, angle: float) -> tuple[float, ...]:
    """The direction where the rate has no part across, one step of Newton's method from an angle next to it."""
    d_xx, d_xy, d_yy, _, _, _ = D
    x, y = np.cos(angle), np.sin(angle)
    across, along = across_and_along(D, mu, angle)
    change_x, change_y = mu * (d_xx * y - d_xy * x), mu * (d_xy * y - d_yy * x)
    exact = angle - across / (x * change_y - y * change_x - along)
    return np.cos(exact), np.sin(exact)


@strict
def restart(D: tuple[float, ...], mu: float, f_x: float, f_y: float, planar: bool) -> tuple[float, ...]:
    """Direction in which a slip begins whose holding force lies outside the cone: the one that it keeps, nearest to
    that against the force.
    """
    zero = 0.0 * f_x
    begin = math.atan2(-f_y.real, -f_x.real)
    if planar:
        return math.copysign(1.0, -f_x.real) + zero, zero
    for i in range(1, DIRECTIONS + 1):
        for side in (1.0, -1.0):
            left, right = begin + side * math.pi * (i - 1) / DIRECTIONS, begin + side * math.pi * i / DIRECTIONS
            at_left, at_right = across_and_along(D, mu, left)[0].real, across_and_along(D, mu, right)[0].real
            if at_left * at_right > 0.0:
                continue
            for _ in range(60):
                middle = 0.5 * (left + right)
                at_middle = across_and_along(D, mu, middle)[0].real
                if at_middle * at_left > 0.0:
                    left, at_left = middle, at_middle
                else:
                    right = middle
            if across_and_along(D, mu, right)[1].real > 0.0:
                return turned_on(D, mu, right)
    return math.cos(begin) + zero, math.sin(begin) + zero


@strict
def slope(D: tuple[float, ...], mu: float, x: float, y: float) -> tuple[float, ...]:
    """d(v_x, v_y, v_n, p_x, p_y)/dp of a contact that slides with the velocity (x, y)."""
    d_xx, d_xy, d_yy, a_x, a_y, d_n = D
    size = long(x, y)
    x, y = x / size, y / size
    return (
        a_x - mu * (d_xx * x + d_xy * y),
        a_y - mu * (d_xy * x + d_yy * y),
        d_n - mu * (a_x * x + a_y * y),
        -mu * x,
        -mu * y,
    )


@strict
def turning_step(D: tuple[float, ...], mu: float, s: float, state: tuple[float, ...]) -> tuple[float, ...]:
    """A step of order 4 in s, dp = |slip| ds, in which the end of a slip is smooth; the slope is homogeneous."""
    zero = 0.0 * state[0]
    k = (zero, zero, zero, zero, zero, zero, zero)
    total = k
    for stage in range(4):
        w = 0.0 if stage == 0 else (s if stage == 3 else 0.5 * s)
        x, y, v = state[0] + w * k[0], state[1] + w * k[1], state[2] + w * k[2]
        size = long(x, y)
        g = slope(D, mu, x, y) if size.real > 0.0 else (zero, zero, zero, zero, zero)
        k = (size * g[0], size * g[1], size * g[2], size * g[3], size * g[4], size, size * v)
        b = s / 6.0 if stage == 0 or stage == 3 else s / 3.0
        total = (
            total[0] + b * k[0],
            total[1] + b * k[1],
            total[2] + b * k[2],
            total[3] + b * k[3],
            total[4] + b * k[4],
            total[5] + b * k[5],
            total[6] + b * k[6],
        )
    return (
        state[0] + total[0],
        state[1] + total[1],
        state[2] + total[2],
        state[3] + total[3],
        state[4] + total[4],
        state[5] + total[5],
        state[6] + total[6],
    )


@strict
def remaining(stage: Stage, state: tuple[float, ...]) -> float:
    """Below zero once the stage of the collision is over: a function to look for the zero of."""
    if stage.compressing:
        return -state[2]
    if stage.law == at.POISSON:
        return (1.0 + stage.e) * stage.p_c - state[5]
    if stage.law == at.NEWTON:
        return -stage.e * stage.v0 - state[2]
    return (1.0 - stage.e * stage.e) * stage.W_c - state[6]


@strict
def rate_of_remaining(stage: Stage, v_n: float, c: float) -> float:
    """Its derivative by the normal impulse, where the normal velocity changes at the rate c."""
    if stage.compressing or stage.law == at.NEWTON:
        return -c
    if stage.law == at.POISSON:
        return -1.0 + 0.0 * c
    return -v_n


@strict
def holding(D: tuple[float, ...], x: float, y: float, planar: bool, zero: float) -> tuple[float, ...]:
    """Tangential impulses that take away a slip (x, y), -D_tt^-1 (x, y); zero where nothing moves along."""
    d_xx, d_xy, d_yy, _, _, _ = D
    f_x, f_y = zero, zero
    if planar and d_xx.real > 0.0:
        f_x = zero - x / d_xx
    if not planar:
        det = d_xx * d_yy - d_xy * d_xy
        if det.real > 0.0:
            f_x, f_y = zero - (d_yy * x - d_xy * y) / det, zero - (d_xx * y - d_xy * x) / det
    return f_x, f_y


@strict
def stuck(D: tuple[float, ...], state: tuple[float, ...], planar: bool, zero: float) -> tuple[float, ...]:
    """The state once the rest of a slip has been stopped."""
    c_x, c_y = holding(D, state[0], state[1], planar, zero)
    v_left = state[2] + D[3] * c_x + D[4] * c_y
    return zero, zero, v_left, state[3] + c_x, state[4] + c_y, state[5], state[6]


@strict
def end_of_turn(
    D: tuple[float, ...], mu: float, stage: Stage, per: float, state: tuple[float, ...], zero: float
) -> tuple[float, ...]:
    """The state where the stage of the collision is over, within the step `per` of a slip that turns."""
    low, high = zero, per
    for _half in range(80):
        middle = 0.5 * (low + high)
        new = turning_step(D, mu, middle, state)
        if remaining(stage, new).real > 0.0:
            low = middle
        else:
            high = middle
    new = turning_step(D, mu, high, state)
    left = remaining(stage, new)
    ahead = slope(D, mu, new[0], new[1])
    falls = rate_of_remaining(stage, new[2], ahead[2]) * long(new[0], new[1])
    return turning_step(D, mu, high - left / falls, state)  # carries the derivative of the end


@inlined
def turn(
    D: tuple[float, ...], mu: float, stage: Stage, negligible: float, state: tuple[float, ...], zero: float
) -> tuple[tuple[float, ...], int]:
    """A slip that turns, in small steps: until it stops or keeps its direction, or the stage of the collision is
    OVER, or it is LOST.
    """
    d_xx, _, d_yy, a_x, a_y, _ = D
    per = 0.05 / (mu.real * (d_xx.real + d_yy.real) + math.hypot(a_x.real, a_y.real)) + zero
    for _step in range(STEPS):
        new = turning_step(D, mu, per, state)
        if remaining(stage, new).real <= 0.0:
            return end_of_turn(D, mu, stage, per, state, zero), OVER
        state = new
        if long(state[0], state[1]).real <= negligible:
            return state, GOES_ON
        turns, runs = across_and_along(D, mu, math.atan2(state[1].real, state[0].real))
        if abs(turns.real) <= STRAIGHT * abs(runs.real):
            return state, GOES_ON
    return state, LOST


@strict
def stage_end(stage: Stage, c: float, state: tuple[float, ...], zero: float) -> float:
    """Normal impulse until the stage of the collision is over, at the rate c of the normal velocity; else infinite."""
    v, never = state[2], zero + math.inf
    if stage.compressing:
        return -v / c if c.real > 0.0 else never
    left = remaining(stage, state)
    if stage.law == at.NEWTON:
        if c.real <= 0.0:
            return never
        left = left / c
        return left if left.real > 0.0 else zero
    if stage.law == at.STRONGE:  # what is left is work of the normal impulse
        if left.real <= 0.0:
            return zero
        under = v * v + 2.0 * c * left
        if under.real < 0.0:
            return never
        left = 2.0 * left / (v + np.sqrt(under))
    return left if left.real >= 0.0 else never


@strict
def moved_on(state: tuple[float, ...], rate: tuple[float, ...], dp: float) -> tuple[float, ...]:
    """The state after a phase of constant rates."""
    return (
        state[0] + dp * rate[0],
        state[1] + dp * rate[1],
        state[2] + dp * rate[2],
        state[3] + dp * rate[3],
        state[4] + dp * rate[4],
        state[5] + dp,
        state[6] + dp * (state[2] + 0.5 * dp * rate[2]),
    )


@strict
def routh(
    D: tuple[float, ...], velocity: tuple[float, ...], mu_s: float, mu_k: float, e: float, law: int, planar: bool
) -> tuple[float, ...]:
    """(impulse along, across, normal, 1.0) of a collision with v_n < 0; the last number is 0.0 where none is found.

    D: inverse mass (xx, xy, yy, xn, yn, nn) at the point; planar contacts have no motion across.
    """
    d_xx, _, _, a_x, a_y, d_n = D
    v_x, v_y, v_n = velocity
    zero = 0.0 * (v_n + d_n + mu_k + e)
    negligible = NEGLIGIBLE_SLIP * (abs(v_n.real) + math.hypot(v_x.real, v_y.real))
    # state: slip x, slip y, normal velocity, impulses x, y, n, work of the normal impulse
    state = (v_x + zero, v_y + zero, v_n + zero, zero, zero, zero, zero)
    stage = Stage(law, e, v_n + zero, True, zero, zero)
    f_x, f_y = holding(D, a_x, a_y, planar, zero)
    holds = math.hypot(f_x.real, f_y.real) <= mu_s.real * (1.0 + 1e-12)
    smooth = mu_s.real <= 0.0 or (planar and d_xx.real <= 0.0)  # no friction, or nothing moves along
    for _ in range(PHASES):
        slip = long(state[0], state[1])
        sliding = slip.real > negligible
        stops = zero + math.inf
        if smooth:
            rate = (a_x + zero, a_y + zero, d_n + zero, zero, zero)
        elif not sliding and holds:
            rate = (zero, zero, d_n + a_x * f_x + a_y * f_y, f_x, f_y)
            state = stuck(D, state, planar, zero)
        else:
            x, y = zero, zero
            if sliding:
                x, y = state[0] / slip, state[1] / slip
            else:
                x, y = restart(D, mu_k, f_x, f_y, planar)
            rate = slope(D, mu_k, x, y)
            along, across = rate[0] * x + rate[1] * y, rate[1] * x - rate[0] * y
            if along.real < 0.0 and sliding:
                stops = -slip / along
            if sliding and not planar and abs(across.real) > STRAIGHT * abs(along.real):
                state, how = turn(D, mu_k, stage, negligible, state, zero)
                if how == LOST:
                    return zero, zero, zero, 0.0
                if how == OVER:
                    if not stage.compressing or e.real <= 0.0:
                        return state[3], state[4], state[5], 1.0
                    stage = Stage(law, e, stage.v0, False, state[5], state[6])
                continue
        # A phase of constant rates, until the slip stops or the stage of the collision is over.
        ends = stage_end(stage, rate[2], state, zero)
        dp = ends if ends.real <= stops.real else stops
        if dp.real == math.inf:
            return zero, zero, zero, 0.0
        state = moved_on(state, rate, dp)
        if stops.real <= ends.real:
            state = (zero, zero, state[2], state[3], state[4], state[5], state[6])
        if ends.real <= stops.real:
            if not stage.compressing or e.real <= 0.0:
                return state[3], state[4], state[5], 1.0
            stage = Stage(law, e, stage.v0, False, state[5], state[6])
    return zero, zero, zero, 0.0
