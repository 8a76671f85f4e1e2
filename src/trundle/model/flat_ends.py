"""Ends of cans, coins and tins: a circular rim on which a body rolls, and feet on which it stands or lies.

A sharp rim on a plane touches in its lowest point; where it lies flat there is none, and a rigid disc touches all
round. Here the rim is an ellipsoid as thin as a leaf, whose lowest point is known at every pose, and flat support comes
from feet (points) just inside, which stand out of it. Leaning by more than about `LEAF * 2 / INSET` the body rolls on
its rim, an exact circle but for 1e-10 of its radius; below, its feet strike and carry it, and there it comes to rest as
other bodies on points do. Three feet share any load in one way only.

What this changes of the flat end: it stands 2e-5 of the radius above its rim. Tipped between two feet, the rim carries
after 1e-4 rad at most, so overturning has the arm of the whole radius; straight over a foot, the arm is 0.2 % shorter
up to a lean of 0.01 rad.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.pairs.edge import CircleEdge, Vertex
from trundle.pairs.ellipsoid import Ellipsoid
from trundle.pairs.higher import HigherPair, SurfacePair
from trundle.pairs.surface import Plane
from trundle.real_array import is_integer
from trundle.space.rotation import Axis, axis_vector
from trundle.typing import Array, Given

LEAF = 1e-5  # of the radius: half of the thickness of a rim
INSET = 2e-3  # of the radius: feet within the rim

Part = tuple[str, SurfacePair, ArrayLike, Array]


def check_feet(name: str, feet: Given) -> None:
    """ModelError for an invalid number of feet."""
    if not is_integer(feet) or feet < 0 or feet in (1, 2):
        raise ModelError(
            f"contact {name!r}: feet is the number of points on which each flat end stands, at least 3, or 0 for sharp "
            f"rims that only roll; got {feet!r}."
        )


def flat_end(
    label: str, centre: ArrayLike, axis: Axis, sides: tuple[int, ...], radius: float, feet: int
) -> Iterator[Part]:
    """A rim about the axis through its centre, with feet on the sides that are outer ones: 1 along the axis, -1."""
    turn, centre = with_y_along(axis), np.array(centre, dtype=float)
    if feet == 0:
        yield label, HigherPair(Plane(), CircleEdge(radius)), centre, turn
        return
    raised = 2 * LEAF * radius * turn[:, 1]
    inner = centre - sides[0] * raised if len(sides) == 1 else centre
    yield label, HigherPair(Plane(), Ellipsoid(radius, LEAF * radius, radius)), inner, turn
    ring = [2 * np.pi * k / feet for k in range(feet)]
    around = (1 - INSET) * radius * np.array([np.cos(a) * turn[:, 0] + np.sin(a) * turn[:, 2] for a in ring])
    feet_on = {f"foot_{k + 1}": (side, way) for k, (side, way) in enumerate((s, w) for s in sides for w in around)}
    for foot, (side, way) in feet_on.items():
        yield f"{label}_{foot}", HigherPair(Plane(), Vertex()), inner + side * raised + way, np.eye(3)


def with_y_along(axis: Axis) -> Array:
    """Axes whose second one lies along the axis of a rim."""
    y = axis_vector(axis)
    helper = np.eye(3)[0] if abs(y[0]) < 0.9 else np.eye(3)[2]
    z = np.cross(helper, y)
    z /= np.linalg.norm(z)
    return np.column_stack([np.cross(y, z), y, z])
