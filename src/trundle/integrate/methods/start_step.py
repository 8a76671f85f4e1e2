"""The first step of a method from a state."""

from collections.abc import Callable

import numpy as np

from trundle.integrate.workspace import Workspace
from trundle.typing import AnyArray, Array

Slopes = Callable[[Array, Array], Array]
"""Slopes (runs, n_x) at times (runs,) and states (runs, n_x)."""


def step_at_start(workspace: Workspace, order: int) -> float:
    """A first step from the present state of the run."""
    record = workspace.record
    scale = (workspace.expected_atol + record.rtol * np.abs(workspace.x) + 1e-300)[None, :]

    def slopes(t: Array, x: Array) -> Array:
        return workspace.slope(float(t[0]), x[0])[None, :]

    span, t = record.t_last - record.t_start, np.array([workspace.time])
    return float(steps_at_start(slopes, t, workspace.x[None, :], scale, workspace.weight > 0.0, span, order)[0])


def steps_at_start(
    slopes: Slopes, t: Array, x: Array, scale: Array, counted: AnyArray, span: float, order: int
) -> Array:
    """Steps for which an Euler step and its change of slope are small [Hairer 1993, section II.4], one for each run;
    `scale` are the units of the states (runs, n_x), `counted` the states that are taken into account.
    """

    def norm(v: Array) -> Array:
        if not counted.any():
            return np.zeros(len(v))
        parts = np.ascontiguousarray((v / scale)[:, counted])
        return np.asarray(np.sqrt(np.mean(parts**2, axis=1)))

    slope = slopes(t, x)
    with np.errstate(all="ignore"):
        size, steepness = norm(x), norm(slope)
        h = np.where((size < 1e-5) | (steepness < 1e-5), 1e-6, 0.01 * size / steepness)
        h = np.minimum(h, span)
        bend = norm(slopes(t + h, x + h[:, None] * slope) - slope) / np.maximum(h, 1e-300)
        largest = np.maximum(steepness, bend)
        longest = np.where(largest <= 1e-15, np.maximum(1e-6, 1e-3 * h), (0.01 / largest) ** (1.0 / (order + 1)))
    step = np.minimum(100.0 * h, longest)
    return np.where(np.isfinite(step) & (step > 0.0), step, 1e-6 * max(span, 1e-300))
