"""Whole turns of angles that are measured between bodies and so known up to a turn."""

from typing import TYPE_CHECKING

import numpy as np

from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.run.dataset import Run

TURN = 2 * np.pi


def continuous(run: "Run", name: str, values: Array) -> Array:
    """The angle without jumps, from where it started.

    In absolute coordinates the run has integrated the rate of every joint, whatever the samples. Elsewhere (joints that
    close loops) the rates at the samples tell about how far the angle went from one to the next.
    """
    f = run.formulation
    assert f is not None and run._raw is not None
    t, x, _ = run._raw
    if name in f.turning:
        way = x[:, x.shape[1] - len(f.turning) + f.turning.index(name)]
        start = [run.initial.q[c.i_q] for c in f.layout.coordinates if c.name == name] if run.initial else []
        return _nearest(values, start[0] + way if start else values[0] + way - way[0])
    if f"{name}_rate" not in f.quantities:
        return np.unwrap(values)
    rate = run.values(f"{name}_rate")
    way = (rate[1:] + rate[:-1]) / 2 * np.diff(t)
    steps = _nearest(np.diff(values), np.where(np.isfinite(way), way, 0.0))
    result: Array = values[:1].repeat(len(values)) + np.concatenate([[0.0], np.cumsum(steps)])
    return result


def _nearest(angle: Array, about: Array) -> Array:
    """The angle in the turn that is nearest to what it should be about."""
    return angle + TURN * np.round((about - angle) / TURN)
