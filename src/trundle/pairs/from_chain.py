"""The higher pair that is equivalent to a given chain of lower pairs [Meijaard 2024, Sec. 2]."""

from dataclasses import replace

import numpy as np

from trundle.errors import ModelError
from trundle.pairs.classification import classify
from trundle.pairs.equivalent import joints_of
from trundle.pairs.higher import HigherPair
from trundle.pairs.surface import Surface
from trundle.space.chain import Chain, Screw
from trundle.typing import Expr


def recognise(chain: Chain, tolerance: float = 1e-9) -> HigherPair:
    """The higher pair that is equivalent to a chain of five screws.

    Parameters
    ----------
    chain : Chain
        Two screws that sweep the first surface, a rotation about the common normal with the point of contact as its
        `at`, and two that sweep the second surface.
    tolerance : float
        For lengths and directions.

    Returns
    -------
    HigherPair
    """
    joints = joints_of(chain)
    kinds = [joint.kind for joint in joints]
    if len(joints) != 5 or kinds[2] != "Revolute":
        raise ModelError(
            "a point contact is five screws in series, of which the third is a turn about the common normal through "
            f"the point of contact; got {', '.join(kinds) or 'none'}."
        )
    a, b, spin, d, c = (Screw(j.axis, j.pitch, j.point, j.name) for j in joints)
    normal = np.array(joints[2].axis)
    sides = (_side(a, b, spin.at, normal, "first", tolerance), _side(c, d, spin.at, -normal, "second", tolerance))
    return HigherPair(*sides)


def _side(near: Screw, far: Screw, point: Expr, normal: Expr, which: str, tolerance: float) -> Surface:
    """The surface swept by the screw next to the body and the one next to the contact, on the side of its normal."""
    found = classify(near, far, point, tolerance)
    if found.surface is None or found.pose is None:
        raise ModelError(f"the screws of the {which} surface make no point contact. {found.reason}")
    if found.surface.dimension < 2 or found.surface.flat:
        return found.surface
    outward = found.pose.R @ found.surface.sweep().contact.R[:, 2]
    if abs(float(outward @ normal)) < 1 - 1e-6:
        raise ModelError(f"the third screw is not along the normal of the {which} surface, {found.reason}")
    return found.surface if float(outward @ normal) > 0 else replace(found.surface, inside=True)  # type: ignore[call-arg]
