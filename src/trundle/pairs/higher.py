"""Higher pairs as chains of screws: two that sweep the first surface, a rotation about the common normal, two that
sweep the second one [Meijaard 2024]. For a sphere the last three are combined in a ball, which has no singular pose.

A pair with a surface that is not swept by screws (an ellipsoid) is never a joint of the tree: it always closes a loop.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.pairs.chart import Chart
from trundle.pairs.contact_quantities import contact_quantities, curvature_quantity
from trundle.pairs.equivalent import LowerPairAt, joints_of
from trundle.pairs.lower import Pair
from trundle.pairs.numeric import components
from trundle.pairs.surface import Surface
from trundle.pairs.sweep import MEET, Sweep
from trundle.quantity import Quantity
from trundle.space.chain import Ball, Chain, Named, Screw, Step
from trundle.space.pose import Pose
from trundle.space.rotation import axis_vector
from trundle.typing import Expr, ModelPart

CONTACT_BONDS = {"x": "slip_x", "y": "slip_y", "z": "normal", "rx": "roll_x", "ry": "roll_y", "rz": "spin"}
"""Bonds in the axes of a contact: along, across and out of the first surface."""


@dataclass(frozen=True)
class ContactPair(Pair):
    """Two bodies that touch in a point and act on each other along the normal. Its subclasses are abstract: contacts of
    surfaces, and meshes of teeth and belts.
    """

    is_contact: ClassVar[bool] = True
    held: ClassVar[tuple[str, ...]] = ("slip_x", "slip_y", "roll_x", "roll_y", "spin")

    @property
    def held_bonds(self) -> tuple[str, ...]:
        return ("z",)

    @property
    def locked(self) -> tuple[str, ...]:
        return ("normal",)

    @property
    def bond_names(self) -> dict[str, str]:
        return CONTACT_BONDS

    @property
    def coordinate_bonds(self) -> dict[str, str]:
        return {}  # coordinates of the chain are surface coordinates, not bonds of the contact

    @property
    def measured(self) -> bool:
        return False

    def quantities(self, owner: str) -> Iterator[Quantity]:
        yield from super().quantities(owner)
        yield from contact_quantities(owner)


@dataclass(frozen=True)
class SurfacePair(ContactPair):
    """Contact of a surface or curve of the first body with one of the second. Subclasses are final."""

    first: Surface
    second: Surface
    can_open: ClassVar[bool] = True

    @property
    def bounded(self) -> bool:
        return self.first.bounded or self.second.bounded

    @property
    def title(self) -> str:
        """Names of the two surfaces."""
        return f"{type(self.first).__name__} with {type(self.second).__name__}"

    @property
    def sizes(self) -> list[Expr]:
        """Radii of both surfaces and of their tubes (m)."""
        names = [(surface, field.name) for surface in (self.first, self.second) for field in fields(surface)]
        return [getattr(surface, name) for surface, name in names if name in ("radius", "tube")]

    @property
    def charts(self) -> tuple[Chart, Chart]:
        """Both surfaces as functions of their coordinates, which are those of the chain if there is one."""
        raise TypeError(f"{type(self).__name__} is abstract")

    @property
    def ball_first(self) -> bool:
        """Whether the chain begins with a ball, so that its coordinates locate the contact on the second surface."""
        return False

    @property
    def spins(self) -> bool:
        """Whether the chain has a rotation about the normal."""
        return False

    @property
    def curved(self) -> bool:
        """Whether the curvatures of both surfaces are known and change along the motion: not for two balls, nor for
        curves in a plane.
        """
        return False

    def quantities(self, owner: str) -> Iterator[Quantity]:
        yield from super().quantities(owner)
        if self.curved:
            yield curvature_quantity(owner)


@final
@dataclass(frozen=True)
class HigherPair(SurfacePair):
    """Contact of a surface of the first body with a surface of the second, in one point."""

    def __post_init__(self) -> None:
        for surface in (self.first, self.second):
            if not isinstance(surface, Surface):
                shape = " Shapes (tr.shape) are drawn; tr.Sphere, tr.Torus, ... are surfaces."
                raise ModelError(
                    f"HigherPair takes two surfaces, edges or vertices such as tr.Plane(), got {surface!r}."
                    f"{shape if hasattr(surface, 'at') else ''}"
                )
        reason = refusal(self.first, self.second)
        if reason:
            raise ModelError(f"{self.title} is not a point contact: {reason}")

    def __getstate__(self) -> dict[str, Surface]:
        """The surfaces only; everything else is derived from them again."""
        return {"first": self.first, "second": self.second}

    @property
    def can_lie_flat(self) -> bool:
        return self.first.flat and self.second.round

    @property
    def charts(self) -> tuple[Chart, Chart]:
        return self._charts

    @cached_property
    def _charts(self) -> tuple[Chart, Chart]:
        a, b = self.first.chart(), self.second.second_chart()
        names = [*([] if self.ball_first else a.names), *([] if self.second.ball is not None else b.names)]
        clash = {n for n in names if names.count(n) > 1}
        return a.renamed("first", clash), b.renamed("second", clash)

    @property
    def sweeps(self) -> tuple[Sweep, Sweep]:
        """Both surfaces as screws."""
        a, b = self.charts
        if not isinstance(a, Sweep) or not isinstance(b, Sweep):
            raise ModelError(
                f"{self.title} is not a chain of screws: it closes a loop and cannot be a joint of the tree."
            )
        return a, b

    @property
    def in_tree(self) -> bool:
        return self.first.swept and self.second.swept

    @property
    def coordinates(self) -> tuple[Named, ...]:
        if self.in_tree:
            return self.chain().steps
        a, b = self.charts
        if self.second.ball is not None:
            return a.coordinates
        if self.first.ball is not None:
            return b.coordinates
        yaw = () if self.supported else (Screw("z", name="yaw"),)
        return (*a.coordinates, *yaw, *b.coordinates)

    @property
    def supported(self) -> bool:
        """Whether one surface is a plane and the point of the other with a given normal is known in closed form."""
        return (self.first.flat and self.second.supports) or (self.second.flat and self.first.supports)

    def chain(self) -> Chain:
        return self._chain

    @cached_property
    def _chain(self) -> Chain:
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

    def five_screws(self) -> Chain:
        """The chain as five single screws; a sphere has three of them where `chain` has a ball."""
        a, b = self.sweeps
        end = a.contact @ Pose.at((0, 0, 0), MEET) @ b.contact.inverse()
        names = [step.name for step in (a.first, a.second, b.second, b.first)]
        spin = Screw(a.contact.R[:, 2], at=components(a.contact.p), name="yaw")
        steps = [a.first, a.second, spin, seen(b.second, end), seen(b.first, end)]
        if len(set(names)) < len(names):
            sides = ("first", "first", "", "second", "second")
            steps = [
                Screw(s.axis, s.pitch, s.at, f"{side}_{s.name}" if side else s.name)
                for s, side in zip(steps, sides, strict=True)
            ]
        return Chain(*steps, end=end)

    def lower_pairs(self) -> tuple[LowerPairAt, ...]:
        """The five joints of the equivalent chain: kind, axis, point and pitch of each, in order."""
        return joints_of(self.five_screws())

    def expand(
        self, model: ModelPart, first: ModelPart, second: ModelPart, name: str = "contact"
    ) -> tuple[ModelPart, ...]:
        """Connect two frames of a model by these joints with massless bodies in between, for software that supports
        lower pairs only; connections are called `name_coordinate`, links `name_link_1` and so on.

        Parameters
        ----------
        model : Model
            Model to which they are added.
        first, second : Body or Frame
            Bodies that are connected.
        name : str
            Prefix of the names of connections and links.

        Returns
        -------
        tuple of ConnectedPair
        """
        model.connect(self.five_screws(), first, second, name=name)
        return tuple(model.connections[f"{name}_{joint.name}"] for joint in self.lower_pairs())

    def offset(self, distance: float) -> "HigherPair":
        """The pair with the same chain whose point of contact is `distance` (m) farther out of the first surface: the
        central joint is shifted along its axis [Meijaard 2024, Sec. 2.2].

        Parameters
        ----------
        distance : float
            In m, out of the first surface.

        Returns
        -------
        HigherPair
        """
        return HigherPair(self.first.offset(distance).surface, self.second.offset(-distance).surface)

    def zero_pose(self) -> Pose:
        """The pose of the second frame in the first at zero coordinates; for a pair that is not a chain of screws, one
        in which the first surface is touched from above and the second from below.
        """
        if self.in_tree:
            return self.chain().end
        first, second = self.first.contact_frame(1.0), self.second.contact_frame(-1.0)
        return first @ Pose.at((0, 0, 0), MEET) @ second.inverse()

    @property
    def spins(self) -> bool:
        return self.first.ball is None and self.second.ball is None

    @property
    def measured(self) -> bool:
        return self.first.ball is None or self.second.ball is None

    @property
    def curved(self) -> bool:
        return self.first.carried and self.second.carried and self.measured

    @property
    def ball_first(self) -> bool:
        return self.first.ball is not None and self.second.ball is None

    @property
    def followers(self) -> tuple[str, ...]:
        a, b = self.charts
        if self.supported:
            return ()
        if self.first.ball is not None and self.second.ball is not None:
            return ()
        if self.first.flat and (self.second.round or self.second.ball is not None):
            return ()
        if self.second.flat and self.first.ball is not None:
            return ()
        names = () if self.first.ball is not None else a.names
        return names if self.second.ball is not None else (*names, *b.names)


def seen(screw: Screw, pose: Pose) -> Screw:
    """A screw of the second surface relative to the frame of the first; its coordinate is that of the body, not of the
    point.
    """
    return Screw(-(pose.R @ axis_vector(screw.axis)), screw.pitch, components(pose.point(screw.at)), screw.name)


def refusal(a: Surface, b: Surface) -> str:
    """Why two surfaces cannot touch in one point; empty if they can."""
    for one, other in ((a, b), (b, a)):
        if one.planar:
            return f"a {type(one).__name__} is a curve in a plane; use tr.PlanarPair, or a surface such as tr.Sphere."
        if not one.carried and other.dimension > 0:
            return (
                f"the screws of a {type(one).__name__} do not carry its normal, so only a tr.Vertex can touch it "
                "exactly; see trundle.pairs.classify."
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
    return contact_fault(a, b) or _interference(a, b)


def contact_fault(a: Surface, b: Surface) -> str:
    """Why a ball does not fit into a bowl; empty if it does."""
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
    """Hollow surfaces that are too narrow for the other surface, at the pose where all coordinates are zero."""
    if not (a.hollow or b.hollow) or min(a.dimension, b.dimension) < 2:
        return ""
    if a.symbols or b.symbols:
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
