"""Higher pairs as chains of screws: two that sweep the first surface, a turn about the common normal, two that sweep
the second one [Meijaard 2024]. A sphere takes the last three together as a ball, which has no singular pose.
"""

from dataclasses import dataclass, fields
from typing import ClassVar, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.pairs.lower import Pair
from trundle.pairs.surface import Surface
from trundle.pairs.sweep import MEET, Sweep, components
from trundle.space.chain import Ball, Chain, Screw, Step
from trundle.space.pose import Pose
from trundle.space.rotation import axis_vector

CONTACT_BONDS = {"x": "slip_x", "y": "slip_y", "z": "normal", "rx": "roll_x", "ry": "roll_y", "rz": "spin"}
"""Bonds in the axes of a contact: along, across and out of the first surface."""


@dataclass(frozen=True)
class ContactPair(Pair):
    """Contact of a surface or curve of the first body with one of the second. Subclasses are final."""

    held: ClassVar[tuple[str, ...]] = (
        "slip_x",
        "slip_y",
        "roll_x",
        "roll_y",
        "spin",
    )  # relative motions that a law can hold

    first: Surface
    second: Surface

    @property
    def held_bonds(self) -> tuple[str, ...]:
        return ("z",)

    @property
    def bond_names(self) -> dict[str, str]:
        return CONTACT_BONDS

    @property
    def coordinate_bonds(self) -> dict[str, str]:
        return {}  # the chain moves over the surfaces; its coordinates are no bonds of the contact

    @property
    def title(self) -> str:
        """Names of the two surfaces."""
        return f"{type(self.first).__name__} with {type(self.second).__name__}"

    @property
    def sweeps(self) -> tuple[Sweep, Sweep]:
        """How the point of contact moves over each surface; coordinates are those of the chain."""
        raise TypeError(f"{type(self).__name__} is abstract")

    @property
    def ball_first(self) -> bool:
        """Whether the chain begins with a ball, so that its coordinates tell the contact on the second surface."""
        return False

    @property
    def spins(self) -> bool:
        """Whether the chain has a turn about the normal."""
        return False

    @property
    def measured(self) -> bool:
        """Whether the coordinates of the chain are known where the pair closes a loop."""
        return False


@final
@dataclass(frozen=True)
class HigherPair(ContactPair):
    """Contact of a surface of the first body with a surface of the second, in one point."""

    def __post_init__(self) -> None:
        for surface in (self.first, self.second):
            if not isinstance(surface, Surface):
                raise ModelError(
                    f"HigherPair takes two surfaces, edges or vertices such as tr.Plane(), got {surface!r}."
                )
        reason = refusal(self.first, self.second)
        if reason:
            raise ModelError(f"{self.title} is no point contact: {reason}")

    @property
    def sweeps(self) -> tuple[Sweep, Sweep]:
        a, b = self.first.sweep(), self.second.sweep().half_turn()
        names = [*([] if self.ball_first else [a.first.name, a.second.name])]
        names += [] if self.second.ball is not None else [b.first.name, b.second.name]
        clash = {n for n in names if names.count(n) > 1}
        return _renamed(a, "first", clash), _renamed(b, "second", clash)

    def chain(self) -> Chain:
        a, b = self.sweeps
        end = a.contact @ Pose.at((0, 0, 0), MEET) @ b.contact.inverse()
        swept_a: list[Step] = [a.first, a.second]
        swept_b: list[Step] = [seen(b.second, end), seen(b.first, end)]
        spin: Step = Screw(a.contact.R[:, 2], at=components(a.contact.p), name="yaw")
        if self.second.ball is not None:
            return Chain(*swept_a, Ball(at=components(end.p)), end=end)
        if self.ball_first:
            return Chain(Ball(), *swept_b, end=end)
        return Chain(*swept_a, spin, *swept_b, end=end)

    @property
    def spins(self) -> bool:
        return self.first.ball is None and self.second.ball is None

    @property
    def measured(self) -> bool:
        return self.first.ball is None or self.second.ball is None

    @property
    def ball_first(self) -> bool:
        return self.first.ball is not None and self.second.ball is None

    @property
    def followers(self) -> tuple[str, ...]:
        a, b = self.sweeps
        if self.first.ball is not None and self.second.ball is not None:
            return ()
        if self.first.flat and (self.second.round or self.second.ball is not None):
            return ()
        if self.second.flat and self.first.ball is not None:
            return ()
        names = () if self.first.ball is not None else (a.first.name, a.second.name)
        return names if self.second.ball is not None else (*names, b.first.name, b.second.name)

    @property
    def locked(self) -> tuple[str, ...]:
        return ("normal",)


def seen(screw: Screw, pose: Pose) -> Screw:
    """A screw of the second surface in the frame of the first; its coordinate moves the body, not the point."""
    return Screw(-(pose.R @ axis_vector(screw.axis)), screw.pitch, components(pose.point(screw.at)), screw.name)


def _renamed(sweep: Sweep, which: str, clash: set[str]) -> Sweep:
    """Names that both surfaces use get the prefix "first" or "second"."""
    first, second = (
        Screw(s.axis, s.pitch, s.at, f"{which}_{s.name}" if s.name in clash else s.name)
        for s in (sweep.first, sweep.second)
    )
    return Sweep(first, second, sweep.contact, sweep.carried)


def refusal(a: Surface, b: Surface) -> str:
    """Why two surfaces cannot touch in one point; empty when they can."""
    for one, other in ((a, b), (b, a)):
        if one.planar:
            return f"a {type(one).__name__} is a curve in a plane; use tr.PlanarPair, or a surface such as tr.Sphere."
        if not one.carried and other.dimension > 0:
            return (
                f"the screws of a {type(one).__name__} do not carry its normal, so only a tr.Vertex can touch it "
                "exactly; trundle.pairs.classify tells why."
            )
    if a.flat and b.flat:
        return "two planes lie on each other; use tr.Planar()."
    if (a.flat and b.ruled) or (b.flat and a.ruled):
        ruled = type(b if a.flat else a).__name__
        return (
            f"a {ruled} touches a plane along a straight line, not in a point. Give it a round profile (tr.Torus, "
            "tr.Sphere), or use tr.PlanarPair for motion in a plane."
        )
    if (a.flat and b.hollow) or (b.flat and a.hollow):
        return f"a hollow {type(b if a.flat else a).__name__} (inside=True) cannot touch a plane."
    if a.dimension + b.dimension < 2:
        if a.dimension + b.dimension == 0:
            return "two vertices that stay together are a ball joint; use tr.Spherical()."
        return "a vertex on an edge is held in two directions and has no normal; only a surface can carry a vertex."
    return misfit(a, b) or _interference(a, b)


def misfit(a: Surface, b: Surface) -> str:
    """A ball that does not fit into a bowl."""
    if a.ball is None or b.ball is None or isinstance(a.ball, ca.SX) or isinstance(b.ball, ca.SX):
        return ""
    if a.ball < 0 and b.ball < 0:
        return "two hollow spheres cannot touch."
    if a.ball + b.ball == 0:
        return "a ball that fills its bowl is a ball joint; use tr.Spherical()."
    if min(a.ball, b.ball) < 0 < a.ball + b.ball:
        return f"a ball of radius {max(a.ball, b.ball):g} does not fit into a bowl of radius {-min(a.ball, b.ball):g}."
    return ""


def _interference(a: Surface, b: Surface) -> str:
    """Hollow surfaces too narrow for what shall touch them, at the pose where all coordinates are zero."""
    if not (a.hollow or b.hollow) or min(a.dimension, b.dimension) < 2:
        return ""
    if any(isinstance(getattr(s, f.name), ca.SX) for s in (a, b) for f in fields(s)):
        return ""
    (k_a, _), (k_b, _) = a.curvatures(0.0, 0.0), b.curvatures(0.0, 0.0)
    narrow = float(np.sum(k_a) + np.sum(k_b)) <= 0
    if a.ball is not None or b.ball is not None:
        narrow = narrow or float(np.min(k_a) + np.min(k_b)) <= 0
    return (
        "the hollow one is too narrow, so the surfaces would cut each other next to the point of contact."
        if narrow
        else ""
    )
