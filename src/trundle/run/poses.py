"""Poses of a body over a run."""

from typing import TYPE_CHECKING

import numpy as np

from trundle.model.body import Body
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.run.run import Run


def pose(run: "Run", body: Body) -> tuple[Array, Array]:
    """Positions (times, 3) and rotations (times, 3, 3)."""
    if body.is_at_rest:
        return np.zeros((len(run.time), 3)), np.tile(np.eye(3), (len(run.time), 1, 1))
    R = run.values(f"{body.name}.rotation").reshape(-1, 3, 3).transpose(0, 2, 1)  # stored by columns
    return run.values(f"{body.name}.position"), R
