"""Conversion between a higher pair and its equivalent chain of lower pairs, both ways [Meijaard 2024, Sec. 2]."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.pairs.lower import Helical, Pair, Prismatic, Revolute
from trundle.pairs.numeric import components
from trundle.pairs.surface import Surface
from trundle.space.chain import Chain, Screw
from trundle.space.rotation import axis_vector
from trundle.typing import Expr, ModelPart

if TYPE_CHECKING:
    from trundle.pairs.higher import HigherPair


class LowerPairAt(NamedTuple):
    """One joint of an equivalent chain, at zero coordinates in the frame of the first surface."""

    kind: str
    """Prismatic, Revolute or Helical."""
    axis: tuple[float, float, float]
    point: tuple[Expr, Expr, Expr]
    """A point of its axis (m)."""
    pitch: Expr
    """Advance per angle (m/rad); inf for a slide."""
    name: str
    """Name of its coordinate."""


def joints_of(chain: Chain) -> tuple[LowerPairAt, ...]:
    """The screws of a chain as joints."""
    found = []
    for step in chain.steps:
        if not isinstance(step, Screw):
            raise ModelError(f"{step!r} is three joints in one; give three screws through its point.")
        closed = not isinstance(step.pitch, ca.SX) and step.pitch == 0
        kind = "Prismatic" if step.slides else "Revolute" if closed else "Helical"
        x, y, z = (float(v) for v in axis_vector(step.axis))
        found.append(LowerPairAt(kind, (x, y, z), step.at, step.pitch, step.name))
    return tuple(found)


def expand_chain(
    chain: Chain, model: ModelPart, first: ModelPart, second: ModelPart, name: str
) -> tuple[ModelPart, ...]:
    """Connect two frames of a model by single joints with massless bodies in between; return the connections."""
    joints, before, made = joints_of(chain), first, []
    if not joints:
        raise ModelError(f"connection {name!r}: a chain needs at least one screw; tr.Fixed() holds everything.")
    back = chain.end.inverse()
    turned = second.rotation @ back.R
    for i, joint in enumerate(joints):
        made_here = _pair(joint)
        x, y, z = joint.point
        if i + 1 == len(joints):
            place = ca.mtimes(ca.DM(second.rotation), back.point((x, y, z))) + ca.vertcat(*second.position)
            after = second.body.frame(components(place), turned)
        else:
            after = model.body(f"{name}_link_{i + 1}", mass=0.0).at(x, y, z)
        start = before.body.frame(_moved(before, (x, y, z)), before.rotation) if i == 0 else before.body.at(x, y, z)
        made.append(model.connect(made_here, start, after, name=f"{name}_{joint.name}"))
        before = after
    return tuple(made)


def _moved(frame: ModelPart, point: tuple[Expr, Expr, Expr]) -> tuple[Expr, Expr, Expr]:
    """A point given in a frame, in the axes of its body."""
    x, y, z = components(ca.mtimes(ca.DM(frame.rotation), ca.vertcat(*point)) + ca.vertcat(*frame.position))
    return x, y, z


def _pair(joint: LowerPairAt) -> Pair:
    if joint.kind == "Helical":
        return Helical(joint.axis, joint.pitch)
    return (Prismatic if joint.kind == "Prismatic" else Revolute)(joint.axis)


def recognise(chain: Chain, tolerance: float = 1e-9) -> "HigherPair":
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
    from trundle.pairs.higher import HigherPair

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
    from trundle.pairs.classification import classify  # imported here because most models do not need it

    found = classify(near, far, point, tolerance)
    if found.surface is None or found.pose is None:
        raise ModelError(f"the screws of the {which} surface make no point contact. {found.reason}")
    if found.surface.dimension < 2 or found.surface.flat:
        return found.surface
    outward = found.pose.R @ found.surface.sweep().contact.R[:, 2]
    if abs(float(outward @ normal)) < 1 - 1e-6:
        raise ModelError(f"the third screw is not along the normal of the {which} surface, {found.reason}")
    return found.surface if float(outward @ normal) > 0 else replace(found.surface, inside=True)  # type: ignore[call-arg]
