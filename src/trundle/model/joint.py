"""Joints by their seals: a joint defines for each bond the law that seals it.

The joints on an axis are those of [Kosenko 2022, Sec. 3]. The four bonds across the axis are flow constraints of all
of them; they differ in what seals translation along and rotation about the axis, the pairs of variables (mu, F) and
(lambda, M). A joint of your own is `AxisJoint` or `Connection` with the laws you like, or a class like those below.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.efforts import Motor, Open, Spring
from trundle.laws.flows import Acceleration, Locked
from trundle.laws.law import EffortLaw, FlowLaw, Law
from trundle.pairs.higher import HigherPair
from trundle.pairs.lower import BONDS, ROTATIONS, BondPair, Cylindrical, Fixed, Pair, Prismatic, Revolute, cyclic
from trundle.pairs.surface import Surface
from trundle.space.rotation import Axis, align_z
from trundle.typing import Expr, Given


@dataclass(frozen=True)
class Joint:
    """What connects two bodies, given by the seals of its bonds. Subclasses are final or joints on an axis."""

    def pair(self) -> Pair:
        """The pair whose bonds move unless they are locked."""
        raise TypeError(f"{type(self).__name__} is abstract")

    def seals(self) -> list[tuple[str, Law]]:
        """(bond, law) for every seal that was given."""
        raise TypeError(f"{type(self).__name__} is abstract")


def _laws(given: Given, where: str) -> list[Law]:
    """Laws on one bond: none, one, or (which the check of the model refuses) several."""
    laws = [] if given is None else list(given) if isinstance(given, list | tuple) else [given]
    for law in laws:
        if not isinstance(law, EffortLaw | FlowLaw):
            raise ModelError(
                f"{where}: {law!r} cannot seal a bond. Give an effort law (tr.Open, tr.Spring, tr.Damper, tr.Motor) or "
                "a flow law (tr.Locked, tr.Servo, tr.Flow, tr.Acceleration)."
            )
    return laws


@dataclass(frozen=True)
class JointOnAxis(Joint):
    """Base joint: keeps an axis of the first body on an axis of the second, and leaves translation along and rotation
    about it to be sealed.
    """

    axis: Axis = "z"

    def sides(self) -> tuple[Given, Given]:
        """What seals translation and rotation."""
        raise TypeError(f"{type(self).__name__} is abstract")

    def seals(self) -> list[tuple[str, Law]]:
        kind = type(self).__name__
        across: list[tuple[str, Law]] = [(bond, Locked()) for bond in ("x", "y", "rx", "ry")]
        along, about = (
            [(bond, law) for law in _laws(side, f"{kind}, {word}")]
            for bond, word, side in zip(("z", "rz"), ("translation", "rotation"), self.sides(), strict=True)
        )
        return [*across, *along, *about]

    def pair(self) -> Pair:
        locked = {bond for bond, law in self.seals() if isinstance(law, Locked)}
        if "z" in locked:
            return Fixed() if "rz" in locked else Revolute(self.axis)
        return Prismatic(self.axis) if "rz" in locked else Cylindrical(self.axis)


@final
@dataclass(frozen=True)
class AxisJoint(JointOnAxis):
    """Joint on a common axis: `translation` seals (mu, F), `rotation` seals (lambda, M), each by a law of time,
    coordinate and rate. Coordinates are called displacement and angle.
    """

    translation: Given = None
    rotation: Given = None

    def sides(self) -> tuple[Given, Given]:
        return self.translation, self.rotation


@final
@dataclass(frozen=True)
class FixedIdealJoint(JointOnAxis):
    """mu = 0, M = 0: a hinge.

    Parameters
    ----------
    axis : str or three numbers
        Axis of the joint in the frame of the first body: "x", "-y", (0, 1, 0), ...
    """

    def sides(self) -> tuple[Given, Given]:
        return Locked(), Open()


@final
@dataclass(frozen=True)
class FreeIdealJoint(JointOnAxis):
    """F = 0, M = 0: slides along and turns about the axis."""

    def sides(self) -> tuple[Given, Given]:
        return Open(), Open()


@final
@dataclass(frozen=True)
class SpringIdealJoint(JointOnAxis):
    """F = c nu + d nu_rate on the first body, M = 0: turns freely and is elastic along the axis.

    Parameters
    ----------
    axis : str or three numbers
        Axis of the joint in the frame of the first body: "x", "-y", (0, 1, 0), ...
    stiffness : float or expression
        c (N/m).
    damping : float or expression
        d (N s/m).
    """

    stiffness: Expr = 0.0
    damping: Expr = 0.0

    def sides(self) -> tuple[Given, Given]:
        return Spring(self.stiffness, self.damping), Open()


@final
@dataclass(frozen=True)
class FixedControlledJoint(JointOnAxis):
    """mu = 0, M = f(t, angle, rate) on the first body; the second gets -f, so f = k angle + d rate restores.

    All power of a function counts as work in. A law, tr.Spring(k, d), is the same torque, stored and lost; laws give
    the effort on the second body.

    Parameters
    ----------
    axis : str or three numbers
        Axis of the joint in the frame of the first body: "x", "-y", (0, 1, 0), ...
    torque : law or function
        f(t, angle, rate) (N m).
    """

    torque: Callable[[Expr, Expr, Expr], Expr] | EffortLaw | Expr = 0.0

    def sides(self) -> tuple[Given, Given]:
        given = self.torque
        if isinstance(given, EffortLaw):
            return Locked(), given
        return Locked(), Motor(lambda t, q, u: -(given(t, q, u) if callable(given) else given))


@final
@dataclass(frozen=True)
class FreeSlideJoint(JointOnAxis):
    """F = 0, lambda = 0: a slider.

    Parameters
    ----------
    axis : str or three numbers
        Axis of the joint in the frame of the first body: "x", "-y", (0, 1, 0), ...
    """

    def sides(self) -> tuple[Given, Given]:
        return Open(), Locked()


@final
@dataclass(frozen=True)
class FixedServoJoint(JointOnAxis):
    """mu = 0, lambda = f(t, angle, rate): the relative angular acceleration is prescribed.

    Parameters
    ----------
    axis : str or three numbers
        Axis of the joint in the frame of the first body: "x", "-y", (0, 1, 0), ...
    acceleration : number or function
        f(t, angle, rate) (rad/s^2).
    """

    acceleration: Callable[[Expr, Expr, Expr], Expr] | Expr = 0.0

    def sides(self) -> tuple[Given, Given]:
        return Locked(), Acceleration(self.acceleration)


JOINTS: tuple[type[JointOnAxis], ...] = (
    FixedIdealJoint,
    FreeIdealJoint,
    SpringIdealJoint,
    FixedControlledJoint,
    FreeSlideJoint,
    FixedServoJoint,
)


@final
@dataclass(frozen=True)
class Connection(Joint):
    """A connection by its six seals: translations along x, y, z and rotations about them, in the frame of the first
    body. Coordinates are called after their bonds; three open rotations make one quaternion.

    surfaces: two surfaces that touch. The bonds are then those of the point of contact: x along, y across, z normal
    to the first surface, and z is sealed by tr.Locked() or a spring.

    Parameters
    ----------
    x, y, z : law
        What seals each translation: tr.Open(), tr.Locked(), tr.Spring(...), ...
    rx, ry, rz : law
        The same for the rotations.
    surfaces : tuple, optional
        Two surfaces that touch.
    """

    x: Given = None
    y: Given = None
    z: Given = None
    rx: Given = None
    ry: Given = None
    rz: Given = None
    surfaces: tuple[Surface, Surface] | None = None

    def seals(self) -> list[tuple[str, Law]]:
        return [(b, law) for b in BONDS for law in _laws(getattr(self, b), f"Connection, bond {b}")]

    def pair(self) -> Pair:
        if self.surfaces is not None:
            return HigherPair(*self.surfaces)
        seals = self.seals()
        moving = [b for b in BONDS if not any(bond == b and isinstance(law, Locked) for bond, law in seals)]
        acting = {bond: law for bond, law in seals if not isinstance(law, Open | Locked)}
        turns = [b for b in moving if b in ROTATIONS]
        if len(turns) == 3 and any(b in acting for b in turns):  # the second of three turns must stay small
            held = [b for b in turns if b in acting and _pulls_back(acting[b])] or [b for b in turns if b in acting]
            first = next(b for b in ROTATIONS if cyclic(b)[1] in held)
            moving = [b for b in moving if b not in turns] + cyclic(first)
            return BondPair(tuple((b, b) for b in moving), _plain())
        return BondPair(tuple((b, b) for b in moving), _plain(), ball=len(turns) == 3)


def _pulls_back(law: Law) -> bool:
    """Whether it stores energy, as a spring does."""
    return isinstance(law, EffortLaw) and not ca.SX(law.potential(ca.SX.sym("t"), ca.SX.sym("q"))).is_zero()


def _plain() -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(v) for v in row) for row in align_z("z"))
