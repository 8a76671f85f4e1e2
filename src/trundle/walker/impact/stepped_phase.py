"""Phases of a stepped impact, read from its steps as from a measurement."""

from dataclasses import dataclass
from itertools import groupby
from typing import final

import numpy as np

from trundle.typing import Array
from trundle.walker.impact.critical import centre_of_motion
from trundle.walker.impact.phase import Point, Velocities

NAMES = {1.0: "forward", -1.0: "backward", 0.0: "stick"}
Wheel = tuple[float, Array, float, bool]  # inertia ratio, rows of the feet, restitution, whether it is Stronge's


@final
@dataclass(frozen=True, eq=False)
class SteppedPhase:
    """The attributes of `Phase`, from changes of motion over the steps of the phase."""

    kind: str
    impulse: float
    start: Velocities
    end: Velocities
    kappa: float
    centre: Point
    tangential_impulse: float
    turn: float
    energy_lost: float
    transition: Array


def phases_of_steps(v: Array, p: Array, q: Array, wheel: Wheel) -> tuple[SteppedPhase, ...]:
    """From the velocities (v_t, v_nf, v_nb), the normal and the tangential impulse after each step."""
    lam, rows, *_ = wheel
    own = np.flatnonzero(np.diff(p) > 0)  # steps in which something happens
    sliding = np.sign(np.where(v[own, 0] != 0, v[own, 0], v[own + 1, 0]))
    motion = np.linalg.solve(rows, v.T).T  # (v_x, v_y, turning) of G
    energy = 0.5 * (motion[:, 0] ** 2 + motion[:, 1] ** 2 + lam * motion[:, 2] ** 2)
    ways = _transitions(v[[*own, own[-1] + 1]], p[[*own, own[-1] + 1]], wheel)
    found = []
    for kind, group in groupby(range(len(own)), key=lambda k: float(sliding[k])):
        steps = list(group)
        a, b = own[steps[0]], own[steps[-1]] + 1
        x, y = centre_of_motion(motion[a], motion[b])
        found.append(
            SteppedPhase(
                NAMES[kind], float(p[b] - p[a]), Velocities(*map(float, v[a])), Velocities(*map(float, v[b])),
                float((q[b] - q[a]) / (p[b] - p[a])), Point(float(x), float(y)), float(q[b] - q[a]),
                float(motion[b, 2] - motion[a, 2]), float(energy[a] - energy[b]), ways[steps[-1] + 1],
            )
        )  # fmt: skip
    return tuple(found)


def _transitions(v: Array, p: Array, wheel: Wheel) -> list[Array]:
    """Derivatives of the velocities after each step by those at the start.

    A step has a given impulse, unless it ends where a velocity becomes zero or restitution is over: then its impulse
    varies with the start.
    """
    *_, e, energetic = wheel
    now, by_p, by_work = np.eye(3), np.zeros(3), np.zeros(3)
    by_end = np.zeros(3)  # of the impulse, or the work, of compression
    found, expands = [now], False
    for k in range(len(p) - 1):
        dp, before, after = p[k + 1] - p[k], v[k], v[k + 1]
        rate = (after - before) / dp
        if before[0] != 0 and after[0] == 0:
            by_dp = -now[0] / rate[0]
        elif before[1] < 0 and after[1] == 0:
            by_dp = -now[1] / rate[1]
        elif k + 2 == len(p) and energetic:
            by_dp = (e**2 * by_end - by_work - dp * now[1]) / after[1]
        elif k + 2 == len(p):
            by_dp = (1 + e) * by_end - by_p
        else:
            by_dp = np.zeros(3)
        by_work = by_work + dp * now[1] + after[1] * by_dp
        now, by_p = now + np.outer(rate, by_dp), by_p + by_dp
        if not expands and after[1] >= 0:
            by_end, by_work, expands = (-by_work if energetic else by_p), np.zeros(3), True
        found.append(now)
    return found
