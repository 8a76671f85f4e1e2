"""Relative position of two screws and a point, by the six numbers of [Meijaard 2024, Eq. 1]."""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from trundle.errors import ModelError
from trundle.pairs.numeric import NumericScrew, common_perpendicular, read_screw, typical_length
from trundle.space.chain import Screw
from trundle.typing import Array


class ScrewPosition(NamedTuple):
    """The first axis along z, the second at the distance a along x and turned about x by alpha; the point at the
    distance r from the second axis, and s along it from the common perpendicular. The pitch of a slide is inf.
    """

    a: float
    """Distance of the axes (m); for a slide, whose axis is arbitrary, that of a parallel through the point."""
    alpha: float
    """Angle between the axes (rad), in (-pi, pi]."""
    r: float
    s: float
    p_1: float
    p_2: float


def screw_position(
    first: Screw, second: Screw, point: Sequence[float] | Array, tolerance: float = 1e-12
) -> ScrewPosition:
    """The six numbers for two screws in series and the point that they move.

    Parameters
    ----------
    first, second : Screw
        The axis of a slide is taken through the point.
    point : array
        Position of the point (m).
    tolerance : float
        Limit below which axes count as parallel; then the common perpendicular is not unique, and s is zero.

    Returns
    -------
    ScrewPosition
    """
    one, two = read_screw(first, "the first screw"), read_screw(second, "the second screw")
    x = np.asarray(point, dtype=float)
    if x.shape != (3,) or not np.all(np.isfinite(x)):
        raise ModelError(f"the swept point must be three finite numbers, got {point!r}.")
    line_1, line_2 = (NumericScrew(k.axis, k.at if k.spin else x, k.spin, k.advance) for k in (one, two))
    foot, way = common_perpendicular(line_1, line_2)
    size = typical_length(one, two, x)
    distance, turning = float(np.linalg.norm(way)), np.cross(one.axis, two.axis)
    sine, cosine = float(np.linalg.norm(turning)), float(one.axis @ two.axis)
    across = way / distance if distance > tolerance * size else turning / max(sine, 1e-300)
    alpha = float(np.arctan2(sine if turning @ across >= 0 else -sine, cosine))
    along = float(two.axis @ (x - line_2.at))
    off = x - line_2.at - along * two.axis
    s = float(two.axis @ (x - foot)) if sine > tolerance else 0.0
    pitches = (k.advance if k.spin else inf for k in (one, two))
    return ScrewPosition(
        distance if distance > tolerance * size else 0.0, alpha, float(np.linalg.norm(off)), s, *pitches
    )
