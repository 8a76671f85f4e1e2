"""The first step of a method from a state."""

import numpy as np

from trundle.integrate import layout as at
from trundle.integrate.workspace import Memory


def step_at_start(memory: Memory, order: int) -> float:
    """A step for which an Euler step and its change of slope are small [Hairer 1993, section II.4]."""
    t, x, span = memory.time, memory.x, memory.r[at.T_END] - memory.r[at.T_START]
    counted = memory.weight > 0.0
    scale = (memory.foreseen + memory.r[at.RTOL] * np.abs(x) + 1e-300)[counted]
    slope = memory.slope(t, x)

    def norm(v: np.ndarray) -> float:
        return float(np.sqrt(np.mean((v[counted] / scale) ** 2))) if counted.any() else 0.0

    with np.errstate(all="ignore"):
        size, steepness = norm(x), norm(slope)
        h = 1e-6 if size < 1e-5 or steepness < 1e-5 else 0.01 * size / steepness
        h = min(h, span)
        bend = norm(memory.slope(t + h, x + h * slope) - slope) / max(h, 1e-300)
        largest = max(steepness, bend)
        longest = max(1e-6, 1e-3 * h) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / (order + 1))
    step = min(100.0 * h, longest)
    return step if np.isfinite(step) and step > 0.0 else 1e-6 * max(span, 1e-300)
