"""Which contacts are slow enough to be stopped, each by itself (compiled)."""

import math

from trundle.contact.collision.layout import DATA, MASS
from trundle.kernel.pointers import Pointer, strict

ROUND_OFF = 1e-8  # of the slow speed: a negligible slip
FLAT = 1e-12  # of the product of two inverse masses: a determinant that is round-off
LEVERS = 10.0  # times the slow speed: so much a slip may change when others are stopped


@strict
def can_rest(b: Pointer, v: int, contacts: int, i: int, slow: float) -> bool:
    """Whether the slip at b[v + 3 i] is below `slow`, and stopping it takes no more energy than the lighter assembly
    has at some times that speed. A carriage on a lead screw creeps, and yet stopping it would stop the motor.
    """
    n = 3 * contacts
    x, y, j = b[v + 3 * i], b[v + 3 * i + 1], n + 3 * i
    if math.hypot(x, y) >= slow:
        return False
    most = b[n + n * n + DATA * i + MASS] * (LEVERS * slow) ** 2
    a, c, d = b[j + n * 3 * i], b[j + 1 + n * 3 * i], b[j + 1 + n * (3 * i + 1)]  # inverse masses along and across
    apart = a * d - c * c
    if apart > FLAT * a * d:
        return (d * x * x - 2.0 * c * x * y + a * y * y) / apart <= most
    if abs(x * d - y * c) + abs(y * a - x * c) > ROUND_OFF * slow * (a + d):
        return False  # along the direction in which nothing yields
    return a + d <= 0.0 or x * x + y * y <= most * (a + d)


@strict
def can_stay(b: Pointer, v: int, contacts: int, i: int, slow: float) -> bool:
    """The same for the speed along the normal."""
    n, j = 3 * contacts, 3 * i + 2
    most = b[n + n * n + DATA * i + MASS] * (LEVERS * slow) ** 2
    return abs(b[v + j]) < slow and b[v + j] ** 2 <= most * b[n + j + n * j]
