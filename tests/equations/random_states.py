"""Random states of mechanisms near their assembled pose, and the largest differences of results there."""

from typing import Any

import numpy as np

from trundle.system import System


def random_state(system: System, rng: np.random.Generator, size: float = 0.2, speed: float = 1.0) -> dict[str, Any]:
    """Random values of independent coordinates and speeds near the assembled pose; the others are found."""
    state: dict[str, Any] = {}
    free = set(system.mobility.independent)
    for c in system.formulation.layout.coordinates:
        if any(i not in free for i in range(c.i_u, c.i_u + c.n_u)):
            continue
        if c.n_q == 1:
            state[c.name] = system.mobility.q[c.i_q] + size * rng.normal()
            state[c.rate_name] = speed * rng.normal()
        else:
            state[c.name] = np.array(system.mobility.q[c.i_q : c.i_q + 4]) + size * rng.normal(size=4)
            state[c.rate_name] = speed * rng.normal(size=3)
    return state


def largest(values: dict[str, Any], ending: str) -> float:
    return max((float(np.max(np.abs(v))) for k, v in values.items() if k.endswith(ending)), default=0.0)
