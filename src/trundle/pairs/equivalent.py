"""The chain of lower pairs that is equivalent to a higher pair [Meijaard 2024, Sec. 2]; `from_chain` goes back."""

from typing import NamedTuple

import casadi as ca

from trundle.errors import ModelError
from trundle.pairs.lower import Helical, Pair, Prismatic, Revolute
from trundle.pairs.numeric import components
from trundle.space.chain import Chain, Screw
from trundle.space.rotation import axis_vector
from trundle.typing import Expr, ModelPart


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
