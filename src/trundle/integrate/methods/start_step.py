"""The first step of a method from a state."""

import numpy as np

from trundle.integrate.workspace import Workspace


def step_at_start(workspace: Workspace, order: int) -> float:
    """A step for which an Euler step and its change of slope are small [Hairer 1993, section II.4]."""
    t, x, span = workspace.time, workspace.x, workspace.record.t_last - workspace.record.t_start
    counted = workspace.weight > 0.0
    scale = (workspace.foreseen + workspace.record.rtol * np.abs(x) + 1e-300)[counted]
    slope = workspace.slope(t, x)

    def norm(v: np.ndarray) -> float:
        return float(np.sqrt(np.mean((v[counted] / scale) ** 2))) if counted.any() else 0.0

    with np.errstate(all="ignore"):
        size, steepness = norm(x), norm(slope)
        h = 1e-6 if size < 1e-5 or steepness < 1e-5 else 0.01 * size / steepness
        h = min(h, span)
        bend = norm(workspace.slope(t + h, x + h * slope) - slope) / max(h, 1e-300)
        largest = max(steepness, bend)
        longest = max(1e-6, 1e-3 * h) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / (order + 1))
    step = min(100.0 * h, longest)
    return step if np.isfinite(step) and step > 0.0 else 1e-6 * max(span, 1e-300)
