"""The closure of the bicycle's loop, f^2 + g^2 = 1, solved for the pitch: all real roots, in machine code.

f = c1 sin(pitch) + c2 cos(pitch) + c3 and g = c4 sin(pitch) + c5 cos(pitch) + c6 are sine and cosine of the front
wheel's roll [Meijaard 2024, Eq. 26]. In the tangent of half the pitch this is a quartic, whose formulas approximate
each root; Newton's method refines it to round-off. A point of the circle is (sine, cosine), so that no angle is
special. Two nearly equal roots are found from the extremum between them, which decides to round-off whether they exist.
"""

from functools import cache
from math import cos, inf, nan, pi, sin
from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from trundle.bicycle.quartic import Pair, choose, quartic_roots, sort_four
from trundle.typing import Expr

if TYPE_CHECKING:
    from trundle.kernel import Kernel

_SHIFTS = [(sin(2 * pi * k / 5), cos(2 * pi * k / 5)) for k in range(5)]
_CLOSE = 0.01  # rad: roots nearer than about twice this are found from the extremum between them
_STEPS = 4  # of Newton's method; one is enough for most
_ROUND_OFF = 4e-16  # of f^2 + g^2 - 1, relative to the size of its terms


class Roots(NamedTuple):
    """Solutions of many closures, one row each."""

    pitch: np.ndarray
    """(n, 4) real roots (rad), ascending, within half a turn of the centre; nan after the last"""
    stands: np.ndarray
    """(n, 4) whether the front wheel stands there on its lower half, and raising the nose lifts it off the road"""
    standing: np.ndarray
    """(n,) a root at which the front wheel stands, any one of several (rad); nan if there is none"""
    front_roll: np.ndarray
    """(n,) roll of the front wheel at that root (rad)"""
    how_many: np.ndarray
    """(n,) number of roots at which the front wheel stands"""


def solve_closure(c: np.ndarray, centre: float) -> Roots:
    """Roots for rows (n, 6) of coefficients c1 to c6."""
    from trundle.kernel import evaluate

    scalar, wide = _kernels()
    out = evaluate(scalar, wide, 0.0, c, [centre], threads=1)
    return Roots(out[:, :4], out[:, 4:8] > 0, out[:, 8], out[:, 9], out[:, 10])


@cache
def _kernels() -> "tuple[Kernel, Kernel]":
    from trundle.kernel import compile_kernels, host_lanes

    functions = {"closure": closure_function()}
    return compile_kernels(functions)["closure"], compile_kernels(functions, host_lanes())["closure"]


def closure_function() -> ca.Function:
    """The solution as a CasADi function of (time, six coefficients, centre)."""
    time, c, centre = ca.SX.sym("t"), ca.SX.sym("c", 6), ca.SX.sym("centre")
    from_centre = -ca.sin(centre), ca.cos(centre)
    pitch, how_many, roots = ca.SX(nan), ca.SX(0.0), []
    front_roll = (ca.SX(nan), ca.SX(nan))
    for point, exists, rises in _real_roots(c):
        *_, f, g = _residual(c, point)
        angle = centre + _angle(_turn(point, from_centre))
        stands = ca.logic_and(ca.logic_and(exists, rises), g > 0)
        pitch, front_roll = ca.if_else(stands, angle, pitch), choose(stands, (f, g), front_roll)
        how_many += stands
        roots.append((ca.if_else(exists, angle, inf), stands))
    roots = sort_four(roots)
    angles = [ca.if_else(angle < inf, angle, nan) for angle, _ in roots]
    marks = [mark for _, mark in roots]
    return ca.Function("closure", [time, c, centre], [ca.vertcat(*angles, *marks, pitch, _angle(front_roll), how_many)])


def _residual(c: Expr, point: Pair) -> tuple[Expr, Expr, Expr, Expr, Expr]:
    """F = f^2 + g^2 - 1, its first and second derivative by the angle, f and g."""
    s, k = point
    f_wave, g_wave = c[0] * s + c[1] * k, c[3] * s + c[4] * k
    f, g = f_wave + c[2], g_wave + c[5]
    f_slope, g_slope = c[0] * k - c[1] * s, c[3] * k - c[4] * s
    slope = 2 * (f * f_slope + g * g_slope)
    bend = 2 * (f_slope * f_slope + g_slope * g_slope - f * f_wave - g * g_wave)
    return f * f + g * g - 1, slope, bend, f, g


def _real_roots(c: Expr) -> list[tuple[Pair, Expr, Expr]]:
    """Four points of the circle, each with two flags: whether it is a real root, and whether F rises there."""
    # Where t is infinite |F| should be large: then the quartic keeps its degree, and no root is near. F has at most
    # four zeros: it cannot vanish at all five shifts. [Meijaard 2024, after Eq. 29: a shift in the angle]
    far, far_value = _SHIFTS[0], _residual(c, _SHIFTS[0])[0]
    for shift in _SHIFTS[1:]:
        value = _residual(c, shift)[0]
        larger = ca.fabs(value) > ca.fabs(far_value)
        far, far_value = choose(larger, shift, far), ca.if_else(larger, value, far_value)
    s, k = origin = -far[0], -far[1]
    c1, c2, c3 = c[0] * k - c[1] * s, c[0] * s + c[1] * k, c[2]
    c4, c5, c6 = c[3] * k - c[4] * s, c[3] * s + c[4] * k, c[5]
    candidates = quartic_roots(  # [Meijaard 2024, Eqs. 28, 29]
        (c3 - c2) ** 2 + (c6 - c5) ** 2 - 1,
        4 * c1 * (c3 - c2) + 4 * c4 * (c6 - c5),
        4 * (c1**2 + c4**2) + 2 * (c3**2 - c2**2 + c6**2 - c5**2 - 1),
        4 * c1 * (c2 + c3) + 4 * c4 * (c5 + c6),
        (c2 + c3) ** 2 + (c5 + c6) ** 2 - 1,
    )
    found = []
    for place, (t, imaginary) in enumerate(candidates):
        # F changes its sign at every root: it falls and rises alternately, beginning with its sign at the far point.
        rises = far_value < 0 if place % 2 == 0 else far_value > 0
        start = _turn(_from_half_tangent(t), origin)
        nearly_real = imaginary < 2 * _CLOSE * (1 + t * t)
        point, exists = _polish(c, start, rises, imaginary == 0, nearly_real)
        found.append((point, exists, rises))
    return found


def _polish(c: Expr, start: Pair, rises: Expr, is_real: Expr, nearly_real: Expr) -> tuple[Pair, Expr]:
    """The root next to `start` at which F rises or falls as requested, and whether there is one."""
    _, slope, bend, _, _ = _residual(c, start)
    close = ca.fabs(slope) < _CLOSE * ca.fabs(bend)

    extremum = start
    for _ in range(_STEPS - 1):  # F is flat there: half the digits are enough
        _, slope, bend, _, _ = _residual(c, extremum)
        extremum = _step(extremum, -slope / bend)
    value, _, bend, _, _ = _residual(c, extremum)
    size = 1 + sum(ca.fabs(c[i]) for i in range(3)) ** 2 + sum(ca.fabs(c[i]) for i in range(3, 6)) ** 2
    meets = value * ca.sign(bend) <= _ROUND_OFF * size
    half_gap = ca.sqrt(ca.fmax(-2 * value / bend, 0.0))
    side = ca.if_else(rises, 1.0, -1.0) * ca.sign(bend)

    point = choose(close, _step(extremum, side * half_gap), start)
    longest = ca.if_else(close, half_gap / 2, 1.0)  # a root of a close pair must not jump to the other one
    for _ in range(_STEPS):
        value, slope, _, _, _ = _residual(c, point)
        correction = ca.if_else(slope == 0, 0.0, -value / slope)
        point = _step(point, ca.fmax(ca.fmin(correction, longest), -longest))
    return point, ca.if_else(close, ca.logic_and(nearly_real, meets), is_real)


def _turn(point: Pair, by: Pair) -> Pair:
    """Sine and cosine of the sum of two angles."""
    (s, k), (s_by, k_by) = point, by
    return s * k_by + k * s_by, k * k_by - s * s_by


def _from_half_tangent(t: Expr) -> Pair:
    """Sine and cosine of the angle whose half has the tangent t [Meijaard 2024, Eq. 27]."""
    scale = 1 / (1 + t * t)
    return 2 * t * scale, (1 - t * t) * scale


def _step(point: Pair, angle: Expr) -> Pair:
    """Turned by a small angle, true to its second power; the point stays on the circle."""
    return _turn(point, _from_half_tangent(angle / 2))


def _angle(point: Pair) -> Expr:
    """The angle of a point in (-pi, pi]; faster in lanes than the library's function of four quadrants."""
    s, k = ca.fabs(point[0]), ca.fabs(point[1])
    ratio = ca.fmin(s, k) / ca.fmax(s, k)
    rough: Expr = ratio * (pi / 4 + 0.273 * (1 - ratio))  # the arc tangent to 4e-3
    rough = ca.if_else(s > k, pi / 2 - rough, rough)
    rough = ca.if_else(point[1] < 0, pi - rough, rough)
    rough = ca.if_else(point[0] < 0, -rough, rough)
    rest, _ = _turn(point, (-ca.sin(rough), ca.cos(rough)))
    square = rest * rest
    return rough + rest * (1 + square * (1 / 6 + square * (3 / 40)))  # the arc sine of a small number
