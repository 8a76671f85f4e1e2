"""Coordinates of connections that are not states, measured from the relative motion: value, rate, and the wrench of a
unit effort on each.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, final

import casadi as ca

from trundle.constraints.closure import Relative, axes_around, connection_frame, nearest_turn
from trundle.errors import ModelError
from trundle.model.connection import ConnectedPair
from trundle.motion.motion import Motion
from trundle.pairs.lower import ROTATIONS
from trundle.space.rotation import cross, dot
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Measure:
    """A coordinate of a connection that is not a state: value and rate from the relative motion."""

    value: Expr
    rate: Expr
    force: Expr  # per unit effort, on the second body
    moment: Expr

    @property
    def is_angle(self) -> bool:
        """Whether it is an angle, known up to whole turns; else it is a displacement."""
        return bool(self.force.is_zero())

    def turned(self, turns: Expr) -> "Measure":
        """The same with so many whole turns more."""
        return replace(self, value=self.value + 2 * ca.pi * turns)


@final
class Followed:
    """A coordinate of a contact that closes a loop."""

    def __init__(self, owner: str, kind: str, value: Expr, derivative: Callable[[Expr], Expr]) -> None:
        self.name, self.kind, self.value = f"{owner}.{kind}", kind, value
        self._owner, self._derivative = owner, derivative

    @cached_property
    def rate(self) -> Expr:
        """Its time derivative, from the tape."""
        return self._derivative(self.value)

    @property
    def is_angle(self) -> bool:
        """Known up to whole turns; surface coordinates that follow the motion count them."""
        return not self.value.is_symbolic() and self.kind in ("yaw", "pitch")

    def turned(self, turns: Expr) -> "Followed":
        """The same with so many whole turns more, where it is known up to these."""
        if not self.is_angle:
            return self
        return Followed(self._owner, self.kind, self.value + 2 * ca.pi * turns, self._derivative)

    @property
    def force(self) -> Expr:
        """Raises ModelError: an effort needs a bond, and this coordinate has none."""
        raise ModelError(
            f"{self.name!r} is a coordinate of a contact that closes a loop: no effort can act on it. "
            "Let the force act on the bodies (tr.Wrench, tr.SpringDamper)."
        )

    moment = force


@final
@dataclass(frozen=True)
class LawState:
    """A coordinate without a speed: deflection of bristles, deviation from a prescribed rate, or state of the model."""

    name: str
    value: Expr
    rate: Expr = None  # known once its law has been evaluated
    is_angle: ClassVar[bool] = False

    def turned(self, turns: Expr) -> "LawState":
        """The state itself: it includes its whole turns."""
        return self

    @property
    def force(self) -> Expr:
        """Raises ModelError: an effort needs a bond, and this state has none."""
        raise ModelError(f"{self.name!r} is not a motion of a joint: no effort can act on it.")

    moment = force


def measured_coordinates(connection: ConnectedPair, motion: Motion) -> dict[str, Measure]:
    """Angles and displacements of a lower pair that is not a joint of the tree; angles lie in (-pi, pi]."""
    if connection.is_contact:
        return {}
    pair = connection.pair
    first, second = (connection_frame(f, connection) for f in (connection.first, connection.second))
    A, B = motion.frame(first), motion.frame(second)
    relative = Relative(A, B, {})
    zero = ca.SX.zeros(3)
    names = {bond: name for name, bond in pair.coordinate_bonds.items()}
    turns = [b for b in pair.free if b in names and b in ROTATIONS]
    out = {names[b]: measure for b, measure in zip(turns, _turns(relative, turns), strict=True)}
    for bond in pair.free:
        if bond in names and bond not in ROTATIONS:
            e = A.R[:, "xyz".index(bond)]
            out[names[bond]] = Measure(dot(e, B.p - A.p), dot(e, relative.v), e, zero)
    if pair.coupling is not None and "z" in names:  # deflection of a screw joint from its own advance
        z, turn = out[names["z"]], out[names["rz"]]
        pitch = pair.coupling
        out[names["z"]] = Measure(
            z.value - pitch * nearest_turn(turn.value, z.value, pitch),
            z.rate - pitch * turn.rate,
            z.force,
            -pitch * turn.moment,
        )
    return out


def _turns(relative: Relative, turns: list[str]) -> list[Measure]:
    """Angles of one, two or three turns that follow each other in the order of the chain."""
    A, B, w = relative.A.R, relative.B.R, relative.w
    zero = ca.SX.zeros(3)
    if not turns:
        return []
    i, j, k = axes_around(turns[0])
    if len(turns) == 1:
        return [Measure(relative.angle(k), dot(A[:, k], w), zero, A[:, k])]
    if len(turns) == 2:  # about k of the first, then about i of the second
        angles = relative.angle(k), ca.atan2(dot(A[:, k], B[:, j]), dot(A[:, k], B[:, k]))
        axes = A[:, k], B[:, i]
        return [Measure(angle, dot(e, w), zero, e) for angle, e in zip(angles, axes, strict=True)]
    side = 1
    if axes_around(turns[1])[2] != i:  # against the cyclic order of the axes
        i, j, side = j, i, -1
    sine = side * dot(A[:, k], B[:, j])
    first = ca.atan2(-side * dot(A[:, i], B[:, j]), dot(A[:, j], B[:, j]))
    second = ca.atan2(sine, ca.sqrt(dot(A[:, k], B[:, k]) ** 2 + dot(A[:, k], B[:, i]) ** 2))
    third = ca.atan2(-side * dot(A[:, k], B[:, i]), dot(A[:, k], B[:, k]))
    e1, e3 = A[:, k], B[:, j]
    e2 = side * cross(e3, e1) / ca.sqrt(1 - sine**2)
    duals = reciprocal(e1, e2, e3)
    return [Measure(x, dot(d, w), zero, d) for x, d in zip((first, second, third), duals, strict=True)]


def reciprocal(a: Expr, b: Expr, c: Expr) -> list[Expr]:
    """Vectors that pick the components along three axes out of an angular velocity."""
    volume = dot(a, cross(b, c))
    return [cross(b, c) / volume, cross(c, a) / volume, cross(a, b) / volume]
