"""Roots of a quartic by Ferrari's formulas, without branches: expressions that compile to lanes."""

import casadi as ca

from trundle.typing import Expr

Pair = tuple[Expr, Expr]


def quartic_roots(a0: Expr, a1: Expr, a2: Expr, a3: Expr, a4: Expr) -> list[Pair]:
    """Real and imaginary parts (>= 0) of the four roots of a0 t^4 + ... + a4, by ascending real part.

    Accurate to half the digits, near double roots to a quarter, which is sufficient to start Newton's method. a0 must
    not vanish.
    """
    b1, b2, b3, b4 = a1 / a0, a2 / a0, a3 / a0, a4 / a0
    shift = b1 / 4  # t = y - shift makes y^4 + p y^2 + q y + r
    p = b2 - 6 * shift**2
    q = b3 - 2 * b2 * shift + 8 * shift**3
    r = b4 - b3 * shift + b2 * shift**2 - 3 * shift**4
    # The quartic is (y^2 + m y + half_sum - half_difference) (y^2 - m y + half_sum + half_difference), where z = m^2
    # is a root of the resolvent cubic; the largest is the one that is never negative.
    z = ca.fmax(largest_cubic_root(2 * p, p * p - 4 * r, -q * q), 0.0)
    m = ca.sqrt(z)
    half_sum = (p + z) / 2
    # Two forms of one number: the quotient is exact but fails when m vanishes.
    from_product = ca.if_else(q < 0, -1.0, 1.0) * ca.sqrt(ca.fmax(half_sum**2 - r, 0.0))
    half_difference = ca.if_else(z > 1e-3 * (ca.fabs(p) + ca.sqrt(ca.fabs(r))), q / (2 * m), from_product)
    roots = []
    for middle, product in ((-m / 2, half_sum - half_difference), (m / 2, half_sum + half_difference)):
        discriminant = z / 4 - product
        width = ca.sqrt(ca.fabs(discriminant))
        real, imaginary = ca.if_else(discriminant >= 0, width, 0.0), ca.if_else(discriminant < 0, width, 0.0)
        roots += [(middle - real - shift, imaginary), (middle + real - shift, imaginary)]
    return sort_four(roots)


def largest_cubic_root(a: Expr, b: Expr, c: Expr) -> Expr:
    """Largest real root of z^3 + a z^2 + b z + c."""
    third = a / 3
    p = b / 3 - third**2  # z = v - third makes v^3 + 3 p v + 2 q
    q = third**3 - third * b / 2 + c / 2
    discriminant = q * q + p * p * p
    radius = ca.sqrt(ca.fmax(-p, 0.0))
    cosine = ca.fmax(ca.fmin(-q / (radius * radius * radius), 1.0), -1.0)
    of_three = 2 * radius * _cosine_of_third(cosine)
    # u - p / u, written as a quotient so that nothing cancels
    u = ca.exp(ca.log(ca.fabs(q) + ca.sqrt(ca.fmax(discriminant, 0.0))) / 3)
    of_one = ca.if_else(u > 0, -2 * q / (u * u + p + (p / u) ** 2), 0.0)
    return ca.if_else(discriminant < 0, of_three, of_one) - third


def _cosine_of_third(cosine: Expr) -> Expr:
    """cos(a / 3) of an angle from 0 to pi given by cos(a).

    By Newton's method on cos(a / 2) = (2 y - 1) sqrt((1 + y) / 2), which is well conditioned everywhere.
    """
    half = ca.sqrt((1 + cosine) / 2)
    y = 0.5 + half * (0.58 - 0.08 * half)
    for _ in range(2):
        root = ca.sqrt((1 + y) / 2)
        y -= ((2 * y - 1) * root - half) / (2 * root + (2 * y - 1) / (4 * root))
    return y


def sort_four(pairs: list[Pair]) -> list[Pair]:
    """Four pairs by their first members; equal ones stay neighbours."""
    out = list(pairs)
    for i, j in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        swap = out[i][0] > out[j][0]
        out[i], out[j] = choose(swap, out[j], out[i]), choose(swap, out[i], out[j])
    return out


def choose(condition: Expr, yes: Pair, no: Pair) -> Pair:
    """One pair or the other; the one not chosen may be undefined."""
    return ca.if_else(condition, yes[0], no[0]), ca.if_else(condition, yes[1], no[1])
