"""One impact of the front foot of a rimless wheel in closed form: plain functions of numbers, also compiled by numba.

Mass and length of spoke are one: impulses are per mass. While the kind of contact lasts, velocities change in
proportion to the normal impulse. [Barjau 2022, Eq. A.4] Rates here are those times lambda, and `sigma` is the
normal impulse over lambda, so that a wheel with all its mass in the centre is a case like the others.
"""

from math import atan, atan2, atanh, cosh, pi, sin, sinh, sqrt

DP, FORWARD, BACKWARD, STICK, FORWARD_STICK, BACKWARD_STICK, BACKWARD_FORWARD = range(7)
LABELS = ("DP", "forward", "backward", "stick", "forward+stick", "backward+stick", "backward+forward")
JAMB, REVERSAL, LANDS, DOUBLE_CONTACT = 1, 2, 4, 8  # flags

SNAP = 8 * 2.0**-52  # rates that are zero but for round-off are zero
LEAST = 1e-200  # stands for lambda = 0
NOTHING = 1e-150  # an impulse that is zero
NEVER = 1e300  # an impulse that is not reached
NAN = float("nan")

Rates = tuple[float, float, float]
Impact = tuple[int, int, float, float, float, float, float, float, float, float, float]


def slide_rates(lam: float, s: float, c: float, kappa: float) -> Rates:
    """Rates of v_t, v_nf, v_nb times lambda, for an impulse with the tangential part kappa."""
    arm = s + kappa * c  # of the impulse about G
    if abs(arm) <= SNAP * s:
        arm = 0.0
    tangential, front, back = c * arm + kappa * lam, lam + s * arm, lam - s * arm
    # A zero can only come from two terms of opposite sign: the others keep their sign for any small lambda.
    if arm < 0.0 and abs(front) <= SNAP * (lam + s * s):
        front = 0.0
    if arm > 0.0 and abs(back) <= SNAP * (lam + s * s):
        back = 0.0
    if arm > 0.0 and kappa < 0.0 and abs(tangential) <= SNAP * s * c:
        tangential = 0.0
    return tangential, front, back


def stick_rates(lam: float, s: float, c: float) -> Rates:
    """The same while the foot sticks: kappa = -mu_c."""
    grip = lam + c * c
    spread = lam + (c - s) * (c + s)
    if abs(spread) <= SNAP:
        spread = 0.0
    return 0.0, lam * (1.0 + lam) / grip, lam * spread / grip


def collide(
    lam: float, s: float, c: float, mu: float, v_t: float, v_nf: float, e: float, mu_static: float, energetic: int
) -> Impact:
    """Scenario, flags, normal impulses of both phases and of compression, and the velocities (v_t, v_nf, v_nb) between
    the phases and at the end.

    s and c are sine and cosine of the half angle; a foot at rest is held by mu_static >= mu. Compression ends where
    v_nf = 0; restitution has e times its impulse (Poisson), or gives back e^2 of its work (Stronge, `energetic` = 1).
    The impulse of a second phase is 0 if it is absent.
    """
    lam = max(lam, LEAST)
    forward, stick = slide_rates(lam, s, c, -mu), stick_rates(lam, s, c)
    held = forward if mu_static == mu else slide_rates(lam, s, c, -mu_static)
    second, then = (STICK, stick) if held[0] <= 0.0 else (FORWARD, forward)
    if v_t > 0.0:
        first, rates = FORWARD, forward
    elif v_t < 0.0:
        first, rates = BACKWARD, slide_rates(lam, s, c, mu)
    else:
        first, rates = second, then
    tangential, front, back = rates
    if back < 0.0:
        return DP, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN
    flags = JAMB if first == FORWARD and front < 0.0 else 0
    stop = -v_t / tangential if v_t * tangential < 0.0 else NEVER
    turn = -v_nf / front if front > 0.0 else NEVER
    if (1.0 + e) * turn <= stop:  # one phase, in which both laws of restitution are one
        sigma = (1.0 + e) * turn
        v_t, v_nf, v_nb = v_t + tangential * sigma, front * e * turn, back * sigma
        return first, flags, lam * sigma, 0.0, lam * turn, v_t, v_nf, v_nb, v_t, v_nf, v_nb
    v_nb1 = back * stop
    if turn <= stop:  # sliding stops in restitution
        v_nf1, rest = front * (stop - turn), (1.0 + e) * turn - stop
        if energetic == 1:  # v_nf1 rest + then[1] rest^2 / 2 is the work that is left
            work = 0.5 * (e * v_nf - v_nf1) * (e * v_nf + v_nf1) / front
            rest = 2.0 * work / (v_nf1 + sqrt(v_nf1 * v_nf1 + 2.0 * then[1] * work))
        back_again, v_nf2 = stop - turn + rest, v_nf1 + then[1] * rest
    else:
        v_nf1 = v_nf + front * stop
        ahead = -v_nf1 / then[1]
        turn = stop + ahead
        back_again = e * turn
        if energetic == 1:
            back_again = e * sqrt(ahead * -v_nf1 - stop * (v_nf + v_nf1)) / sqrt(then[1])  # 2 work / then[1]
        rest = ahead + back_again
        v_nf2 = then[1] * back_again
    v_t2, v_nb2 = then[0] * rest, v_nb1 + then[2] * rest
    if first == FORWARD:
        code = FORWARD_STICK
    elif second == STICK:
        code = BACKWARD_STICK
    else:
        code, flags = BACKWARD_FORWARD, flags | REVERSAL
    p1, p2, pc = lam * stop, lam * rest, lam * turn
    if p1 < NOTHING:
        p1 = 0.0
    if v_nb2 < 0.0:
        flags |= LANDS
        if lands_while_pressed(lam, rates, then, -v_nf, v_nf1, v_nb1, p1, pc, lam * back_again):
            flags |= DOUBLE_CONTACT
    return code, flags, p1, p2, pc, 0.0, v_nf1, v_nb1, v_t2, v_nf2, v_nb2


def lands_while_pressed(
    lam: float, first: Rates, then: Rates, v: float, v_nf1: float, v_nb1: float, p1: float, pc: float, pr: float
) -> bool:
    """Whether the back foot comes down before the front foot is released, the contact being a linear spring.

    The spring is softer in unloading, so that restitution has the impulse pr. Its stiffness is one: it sets the scale
    of time and not the answer. The height of the back foot is a concave function of time once the foot sticks, so the
    height at the release decides.
    """
    if pr <= 0.0:
        return True  # the front foot is not released, and the back foot moves down
    a2, slope = then[1] / lam, then[2] / then[1]
    if v_nf1 <= 0.0:  # sliding stops in compression
        v1 = -v_nf1
        x1 = sqrt(p1 * (v + v1))
        t1, h1 = rise(x1, v, v1, v_nb1)
        w = sqrt(a2)
        deepest = sqrt(x1 * x1 + v1 * v1 / a2)
        left = atan2(v1, w * x1) / w + 0.5 * pi * deepest / (a2 * pr)
    else:
        a1, pa = first[1] / lam, p1 - pc
        pb = pr - pa
        deepest = v / sqrt(a1)
        soft = (a1 * pa * pa + 2 * a1 * pa * pb + a2 * pb * pb) / (deepest * deepest)
        x1 = sqrt(max(deepest * deepest - a1 * pa * pa / soft, 0.0))
        wa, w = sqrt(a1 * soft), sqrt(a2 * soft)
        t1 = 0.5 * pi / sqrt(a1) + atan2(v_nf1, wa * x1) / wa
        h1 = first[2] / first[1] * (v * t1 - x1)
        left = atan2(w * x1, v_nf1) / w
    return h1 + (v_nb1 - slope * v_nf1) * left + slope * x1 < 0.0


def rise(x1: float, v: float, v1: float, v_nb1: float) -> tuple[float, float]:
    """Time until the front foot is pressed in by x1 and its velocity has gone from v to v1, and how high the back foot,
    whose velocity grows from zero in proportion to the impulse, has come by then.
    """
    if v1 <= 0.0:  # just at the end of compression
        angle, t1 = 0.5 * pi, 0.5 * pi * x1 / v
        return t1, v_nb1 * t1 * (1.0 - 1.0 / angle)
    squared = (v - v1) * (v + v1) / (v1 * v1)  # of the tangent of the phase angle; negative in jamb
    if abs(squared) < 1e-4:
        return x1 / v1 * (1.0 - squared / 3), v_nb1 * x1 / v1 * (1.0 - squared / 3) * (1.0 + squared / 30) / 3
    root = sqrt(abs(squared))
    if squared > 0.0:
        angle = atan(root)
        share = (1.0 - sin(angle) / angle) * v / (v - v1)
    else:
        angle = atanh(min(root, 1.0 - 1e-16))
        share = (sinh(angle) / angle - 1.0) / (cosh(angle) - 1.0)
    t1 = x1 / v1 * angle / root
    return t1, v_nb1 * t1 * share
