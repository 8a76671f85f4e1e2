"""Collision at one rough point: the velocities followed over the normal impulse [Routh 1905], [Keller 1986].

The pose does not change. With the inverse mass D at the point and the normal impulse p, a contact that slides along d
obeys dv/dp = D (-mu d, 1); one that sticks keeps its slip at zero with the tangential impulse f = -D_tt^-1 D_tn as long
as it lies in the cone. Compression ends where the normal velocity is zero. Restitution then lasts until
v_n = -e v_n(0) [Newton], p = (1 + e) p_c [Poisson], or the work given back is e^2 of that taken [Stronge 1990].
"""

import math

from numba import njit

from trundle.impact import numbers as at

PHASES = 200
STILL = 1e-12  # of the speed of the collision: a slip that is none
STRAIGHT = 1e-10  # of the rate of a slip: a part across that is none
STEPS = 20000  # along a slip that turns
DIRECTIONS = 180


@njit(error_model="numpy")
def left_to_go(law: int, e: float, v0: float, v: float, c: float, p: float, p_c: float, W: float, W_c: float) -> float:
    """Normal impulse until the end of restitution at the rate c of the normal velocity; below 0 where there is none."""
    if law == at.POISSON:
        return (1.0 + e) * p_c - p
    if law == at.NEWTON:
        if c <= 0.0:
            return -1.0
        return max((-e * v0 - v) / c, 0.0)
    missing = (1.0 - e * e) * W_c - W  # of the work of the normal impulse, W_c < 0
    if missing <= 0.0:
        return 0.0
    under = v * v + 2.0 * c * missing
    if under < 0.0:
        return -1.0
    return 2.0 * missing / (v + math.sqrt(under))


@njit(error_model="numpy")
def across_and_along(D: tuple, mu: float, angle: float) -> tuple:
    """Rate of a slip in the direction of the angle: across it and along it."""
    d_xx, d_xy, d_yy, a_x, a_y, _ = D
    x, y = math.cos(angle), math.sin(angle)
    g_x, g_y = a_x - mu * (d_xx * x + d_xy * y), a_y - mu * (d_xy * x + d_yy * y)
    return x * g_y - y * g_x, x * g_x + y * g_y


@njit(error_model="numpy")
def restart(D: tuple, mu: float, f_x: float, f_y: float, planar: bool) -> tuple:
    """Direction in which a slip begins whose holding force lies outside the cone: the one that it keeps, nearest to
    that against the force.
    """
    begin = math.atan2(-f_y, -f_x)
    if planar:
        return math.copysign(1.0, -f_x), 0.0
    for i in range(1, DIRECTIONS + 1):
        for side in (1.0, -1.0):
            left, right = begin + side * math.pi * (i - 1) / DIRECTIONS, begin + side * math.pi * i / DIRECTIONS
            at_left, at_right = across_and_along(D, mu, left)[0], across_and_along(D, mu, right)[0]
            if at_left * at_right > 0.0:
                continue
            for _ in range(60):
                middle = 0.5 * (left + right)
                at_middle = across_and_along(D, mu, middle)[0]
                if at_middle * at_left > 0.0:
                    left, at_left = middle, at_middle
                else:
                    right = middle
            if across_and_along(D, mu, right)[1] > 0.0:
                return math.cos(right), math.sin(right)
    return math.cos(begin), math.sin(begin)


@njit(error_model="numpy")
def slope(D: tuple, mu: float, x: float, y: float) -> tuple:
    """d(v_x, v_y, v_n, p_x, p_y)/dp of a contact that slides with the velocity (x, y)."""
    d_xx, d_xy, d_yy, a_x, a_y, d_n = D
    size = math.hypot(x, y)
    x, y = x / size, y / size
    return (
        a_x - mu * (d_xx * x + d_xy * y),
        a_y - mu * (d_xy * x + d_yy * y),
        d_n - mu * (a_x * x + a_y * y),
        -mu * x,
        -mu * y,
    )


@njit(error_model="numpy")
def turning_step(D: tuple, mu: float, s: float, state: tuple) -> tuple:
    """A step of order 4 in s, dp = |slip| ds, in which the end of a slip is smooth; the slope is homogeneous."""
    k = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for stage in range(4):
        w = 0.0 if stage == 0 else (s if stage == 3 else 0.5 * s)
        x, y, v = state[0] + w * k[0], state[1] + w * k[1], state[2] + w * k[2]
        size = math.hypot(x, y)
        g = slope(D, mu, x, y) if size > 0.0 else (0.0, 0.0, 0.0, 0.0, 0.0)
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


@njit(error_model="numpy")
def remaining(law: int, e: float, v0: float, compressing: bool, p_c: float, W_c: float, state: tuple) -> float:
    """Below zero once the stage of the collision is over: a function to look for the zero of."""
    if compressing:
        return -state[2]
    if law == at.POISSON:
        return (1.0 + e) * p_c - state[5]
    if law == at.NEWTON:
        return -e * v0 - state[2]
    return (1.0 - e * e) * W_c - state[6]


@njit(error_model="numpy")
def routh(
    D: tuple, v_x: float, v_y: float, v_n: float, mu_s: float, mu_k: float, e: float, law: int, planar: bool
) -> tuple:
    """(impulse along, across, normal, 1.0) of a collision with v_n < 0; the last number is 0.0 where none is found.

    D: inverse mass (xx, xy, yy, xn, yn, nn) at the point; planar contacts have no motion across.
    """
    d_xx, d_xy, d_yy, a_x, a_y, d_n = D
    scale = abs(v_n) + math.hypot(v_x, v_y)
    # state: slip x, slip y, normal velocity, impulses x, y, n, work of the normal impulse
    state = (v_x, v_y, v_n, 0.0, 0.0, 0.0, 0.0)
    compressing, p_c, W_c, v0 = True, 0.0, 0.0, v_n
    if planar:
        f_x, f_y = (-a_x / d_xx if d_xx > 0.0 else 0.0), 0.0
    else:
        det = d_xx * d_yy - d_xy * d_xy
        f_x, f_y = (-(d_yy * a_x - d_xy * a_y) / det, -(d_xx * a_y - d_xy * a_x) / det) if det > 0.0 else (0.0, 0.0)
    holds = math.hypot(f_x, f_y) <= mu_s * (1.0 + 1e-12)
    smooth = planar and d_xx <= 0.0  # nothing moves along: no friction
    for _ in range(PHASES):
        slip = math.hypot(state[0], state[1])
        sliding = slip > STILL * scale
        x, y = 0.0, 0.0
        if sliding:
            x, y = state[0] / slip, state[1] / slip
        if smooth or mu_s <= 0.0:
            rate = (a_x, a_y, d_n, 0.0, 0.0)
            stops = math.inf
        elif not sliding and holds:
            rate = (0.0, 0.0, d_n + a_x * f_x + a_y * f_y, f_x, f_y)
            stops = math.inf
            state = (0.0, 0.0, state[2], state[3], state[4], state[5], state[6])
        else:
            if not sliding:
                x, y = restart(D, mu_k, f_x, f_y, planar)
            rate = slope(D, mu_k, x, y)
            along, across = rate[0] * x + rate[1] * y, rate[1] * x - rate[0] * y
            stops = -slip / along if along < 0.0 and sliding else math.inf
            if sliding and not planar and abs(across) > STRAIGHT * abs(along):
                # The slip turns: small steps until it stops or the stage of the collision is over.
                per = 0.05 / (mu_k * (d_xx + d_yy) + math.hypot(a_x, a_y))
                over, straight = False, False
                for _step in range(STEPS):
                    new = turning_step(D, mu_k, per, state)
                    if remaining(law, e, v0, compressing, p_c, W_c, new) <= 0.0:
                        low, high = 0.0, per
                        for _half in range(80):
                            middle = 0.5 * (low + high)
                            new = turning_step(D, mu_k, middle, state)
                            if remaining(law, e, v0, compressing, p_c, W_c, new) > 0.0:
                                low = middle
                            else:
                                high = middle
                        state = turning_step(D, mu_k, high, state)
                        over = True
                        break
                    state = new
                    if math.hypot(state[0], state[1]) <= STILL * scale:
                        break
                    turns, runs = across_and_along(D, mu_k, math.atan2(state[1], state[0]))
                    if abs(turns) <= STRAIGHT * abs(runs):
                        straight = True
                        break
                if over:
                    if compressing:
                        compressing, p_c, W_c = False, state[5], state[6]
                        if e <= 0.0:
                            return state[3], state[4], state[5], 1.0
                        continue
                    return state[3], state[4], state[5], 1.0
                if not straight and math.hypot(state[0], state[1]) > STILL * scale:
                    return 0.0, 0.0, 0.0, 0.0
                continue
        # A phase of constant rates, until the slip stops or the stage of the collision is over.
        if compressing:
            ends = -state[2] / rate[2] if rate[2] > 0.0 else math.inf
        else:
            ends = left_to_go(law, e, v0, state[2], rate[2], state[5], p_c, state[6], W_c)
            if ends < 0.0:
                ends = math.inf
        dp = min(ends, stops)
        if dp == math.inf:
            return 0.0, 0.0, 0.0, 0.0
        state = (
            state[0] + dp * rate[0],
            state[1] + dp * rate[1],
            state[2] + dp * rate[2],
            state[3] + dp * rate[3],
            state[4] + dp * rate[4],
            state[5] + dp,
            state[6] + dp * (state[2] + 0.5 * dp * rate[2]),
        )
        if stops <= ends:
            state = (0.0, 0.0, state[2], state[3], state[4], state[5], state[6])
        if ends <= stops:
            if not compressing or e <= 0.0:
                return state[3], state[4], state[5], 1.0
            compressing, p_c, W_c = False, state[5], state[6]
    return 0.0, 0.0, 0.0, 0.0
