"""Forces of contacts within their friction cones, by projections in turn (compiled)."""

import math

from trundle.contact.decision.memory import FrictionProblem
from trundle.kernel.pointers import strict

SWEEPS = 5000
EXACT = 1e-13  # of the largest acceleration: change in a sweep where the projections have settled


@strict
def in_cones(problem: FrictionProblem, scale: float) -> bool:
    """Forces within the cones by projections in turn; `a` are the accelerations of the contacts with them. False where
    they do not settle.
    """
    b, D, a, f, mu, state = problem.b, problem.D, problem.a, problem.f, problem.mu, problem.state
    contacts, n = problem.contacts, 3 * problem.contacts
    for _ in range(SWEEPS):
        change = 0.0
        for i in range(contacts):
            if state[i] == 0:
                continue
            x, y, z = 3 * i, 3 * i + 1, 3 * i + 2
            if state[i] == 1:  # slides along a known direction
                d_x, d_y = f[n + 2 * i], f[n + 2 * i + 1]
                own = b[D + z + n * z] - mu[i] * (d_x * b[D + z + n * x] + d_y * b[D + z + n * y])
                step = -a[z] / own if own > 0.0 else -a[z] / b[D + z + n * z]
                step = max(step, -f[z])
                s_x, s_y = -mu[i] * d_x * step, -mu[i] * d_y * step
                change = max(change, abs(step) * b[D + z + n * z])
            else:
                step = max(-a[z] / b[D + z + n * z], -f[z])
                for j in range(n):
                    a[j] += b[D + j + n * z] * step
                f[z] += step
                change = max(change, abs(step) * b[D + z + n * z])
                r = max(b[D + x + n * x], b[D + y + n * y])
                if r <= 0.0 or mu[i] <= 0.0:
                    continue
                p_x, p_y, limit = f[x] - a[x] / r, f[y] - a[y] / r, mu[i] * f[z]
                size = math.hypot(p_x, p_y)
                if size > limit:
                    p_x, p_y = p_x * limit / size, p_y * limit / size
                s_x, s_y, step = p_x - f[x], p_y - f[y], 0.0
                change = max(change, r * (abs(s_x) + abs(s_y)))
            f[x] += s_x
            f[y] += s_y
            f[z] += step
            for j in range(n):
                a[j] += b[D + j + n * x] * s_x + b[D + j + n * y] * s_y + b[D + j + n * z] * step
        if change <= EXACT * scale:
            return True
    return False


@strict
def move_into_cones(problem: FrictionProblem) -> None:
    """Forces moved into their cones, and the accelerations with them."""
    b, D, a, f, mu, state = problem.b, problem.D, problem.a, problem.f, problem.mu, problem.state
    contacts, n = problem.contacts, 3 * problem.contacts
    for j in range(n):
        a[j] = problem.free[j]
    for i in range(contacts):
        x, y, z = 3 * i, 3 * i + 1, 3 * i + 2
        f[z] = max(f[z], 0.0) if state[i] > 0.0 else 0.0
        size, limit = math.hypot(f[x], f[y]), mu[i] * f[z]
        if state[i] == 1.0:
            f[x], f[y] = -limit * f[n + 2 * i], -limit * f[n + 2 * i + 1]
        elif size > limit:
            f[x], f[y] = f[x] * limit / size, f[y] * limit / size
        for j in range(n):
            a[j] += b[D + j + n * x] * f[x] + b[D + j + n * y] * f[y] + b[D + j + n * z] * f[z]
