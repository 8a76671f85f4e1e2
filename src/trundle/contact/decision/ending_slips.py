"""Which slow slips end within a moment (compiled), for contacts in a plane: those that friction stops together.

The moment is so short that gravity changes speeds by what counts as slow. A step of this length, with impulses in the
cones, tells it for all contacts at once [Moreau 1988]: a box that creeps is stopped, and the first of a row of dominoes
is not, however slowly it slips, as long as it is geared to a faster motion, which its friction cannot stop in a moment.
"""

import math

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.layout import STICK, WIDTH
from trundle.contact.decision.memory import Contacts, FrictionProblem
from trundle.contact.decision.pivots import pivoted
from trundle.kernel.pointers import shifted, strict

FAST = 100.0  # times the slow speed: a slip that does not end in a moment
LEFT = 0.01  # least remaining fraction of a slip that continues after the moment
ROUND_OFF = 1e-7  # of the slow speed: a negligible slip


@strict
def in_a_plane(at: Contacts) -> bool:
    """Whether every contact that rubs slides along a line."""
    for i in range(at.contacts):
        rubs = at.state[i] > 0.0 and at.mu[i] > 0.0
        if rubs and at.b[at.data + numbers.DATA * i + numbers.PLANAR] != 1.0:
            return False
    return True


@strict
def find_ending_slips(at: Contacts, scale: float, slow: float) -> bool:
    """Set `state` of contacts that touch to 1 where they slide on after the moment, else to 2, and `stick` with it.
    False if no impulses are found; nothing is changed then but places to work in.
    """
    b, free, mode, g, a, f, mu, state = at.b, at.free, at.mode, at.g, at.a, at.f, at.mu, at.state
    contacts, n = at.contacts, 3 * at.contacts
    moment, last, friction = slow / scale, at.work, shifted(at.work, contacts)
    more = shifted(at.work, 2 * contacts)
    for i in range(contacts):
        slip = abs(b[3 * i])
        last[i], friction[i] = state[i], mu[i]
        g[3 * i], g[3 * i + 1], g[3 * i + 2] = free[3 * i], free[3 * i + 1], free[3 * i + 2]
        f[n + 2 * i], f[n + 2 * i + 1] = math.copysign(1.0, b[3 * i]), 0.0
        if slip > ROUND_OFF * slow:
            mu[i] = at.mu_k[i]
        if state[i] > 0.0 and friction[i] > 0.0:
            state[i] = 1.0 if slip > FAST * slow else 2.0
            if slip <= FAST * slow:
                g[3 * i] += b[3 * i] / moment
    found = pivoted(FrictionProblem(b, at.D, g, a, f, mu, state, contacts), more)
    for i in range(contacts):
        mu[i] = friction[i]
        if not found:
            state[i] = last[i]
        elif state[i] == 2.0 and friction[i] > 0.0:
            goes_on = f[n + 2 * i] != 0.0 and a[3 * i] * moment * math.copysign(1.0, b[3 * i]) > LEFT * abs(b[3 * i])
            state[i] = 1.0 if goes_on and abs(b[3 * i]) > ROUND_OFF * slow else 2.0
        if found and last[i] > 0.0 and friction[i] > 0.0:
            mode[WIDTH * i + STICK] = 1.0 if state[i] == 2.0 else 0.0
    return found
