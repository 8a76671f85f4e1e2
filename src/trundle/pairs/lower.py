"""The lower pairs. A pair defines only which of its six bonds are free; chain, constraint rows and names follow.

The six bonds are x, y, z (translations) and rx, ry, rz (rotations) in the frame of the connection, whose z axis is
`axis`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.messages.arguments import advised_class
from trundle.pairs.step_quantities import step_quantities
from trundle.quantity import Quantity
from trundle.space.chain import SLIDE, Ball, Chain, Named, Screw
from trundle.space.pose import Pose
from trundle.space.rotation import Axis, align_z, axis_vector, clean
from trundle.typing import Array, Expr

BONDS = ("x", "y", "z", "rx", "ry", "rz")
AXES, ROTATIONS = BONDS[:3], BONDS[3:]


@dataclass(frozen=True)
class Pair:
    """A connection of two bodies. Subclasses are final."""

    bonds: ClassVar[tuple[str, ...]] = ()  # those that can move, in the order of the chain
    by_name: ClassVar[bool] = True  # whether models and files use the name of its class
    letter: ClassVar[str] = ""  # symbol in a structure diagram; a pair without one is shown by its screws
    is_contact: ClassVar[bool] = False  # the bodies touch in a point, and laws act there
    can_open: ClassVar[bool] = False
    held: ClassVar[tuple[str, ...]] = ()  # relative motions at the point of contact that a law can hold

    def chain(self) -> Chain:
        """The motion as screws, in the frame of the connection (z along the axis)."""
        raise TypeError(f"{type(self).__name__} is abstract")

    def zero_pose(self) -> Pose:
        """The pose of the second frame in the first at zero coordinates."""
        return self.chain().end

    def frame(self) -> Array:
        """Orientation of the connection frame in the frames the user gave."""
        return align_z("z")

    def slide_axis(self, coordinate: str) -> str:
        """The axis of the first frame along which a coordinate called x, y or z slides; empty if it is that axis.

        Parameters
        ----------
        coordinate : str
            Its name within the connection.

        Returns
        -------
        str
            An axis, such as "z", or three numbers.
        """
        if coordinate not in AXES:
            return ""
        way = self.frame()[:, AXES.index(coordinate)]
        found = next((letter for letter, one in zip(AXES, way, strict=True) if one == 1.0), "")
        return "" if found == coordinate else found or f"({', '.join(f'{float(one):.3g}' for one in way)})"

    @property
    def in_tree(self) -> bool:
        """Whether it can be a joint of the tree: its motion is a chain of screws."""
        return True

    @property
    def can_lie_flat(self) -> bool:
        """Whether all points of a rim can be equally far from a plane."""
        return False

    @property
    def bounded(self) -> bool:
        """Whether one of two surfaces in contact is a face with ends."""
        return False

    @property
    def title(self) -> str:
        """What it joins, in messages."""
        return type(self).__name__

    @property
    def coordinates(self) -> tuple[Named, ...]:
        """Names and sizes of its coordinates, in the order of the chain."""
        return self.chain().steps

    @property
    def free(self) -> tuple[str, ...]:
        """Bonds that can move, in the order of the chain."""
        return self.bonds

    @property
    def locked(self) -> tuple[str, ...]:
        """Bonds that are constrained: no relative motion."""
        return tuple(b for b in BONDS if b not in self.free)

    @property
    def held_bonds(self) -> tuple[str, ...]:
        """Those of the six bonds that the pair itself constrains."""
        return self.locked

    @property
    def bond_names(self) -> dict[str, str]:
        """Special names of bonds (at a point of contact)."""
        return {}

    @property
    def coordinate_bonds(self) -> dict[str, str]:
        """Bond of each scalar coordinate."""
        names = [s.name for s in self.chain().steps if s.n_u == 1]
        return dict(zip(names, self.free, strict=False))

    def freed(self, bonds: Sequence[str]) -> "Pair":
        """The pair with additional free bonds; their coordinates have the names of the bonds.

        Of three turns of which two were free already, the additional one is the second: it stays small, and the
        others may be of any size.

        Parameters
        ----------
        bonds : sequence of str
            Such as "rx" or "z".

        Returns
        -------
        Pair
        """
        named = {bond: name for name, bond in self.coordinate_bonds.items()}
        turns = [b for b in self.free if b in ROTATIONS]
        more = [b for b in bonds if b in ROTATIONS and b not in turns]
        order = [*turns[:1], *more, *turns[1:]]
        if len(order) == 3 and len(turns) < 2:
            order = cyclic(order[0])
        named = {b: named.get(b, b) for b in [*(b for b in (*named, *bonds) if b in AXES), *order]}
        whole = len(turns) == 3 and not set(turns) & set(self.coordinate_bonds.values())  # a quaternion stays one
        frame = tuple(tuple(float(v) for v in row) for row in self.frame())
        return BondPair(tuple(named.items()), frame, whole, self.coupling)

    @property
    def coupling(self) -> Expr:
        """Pitch that couples z to rz (m/rad); None if they are not coupled."""
        return None

    @property
    def followers(self) -> tuple[str, ...]:
        """Coordinates that follow the motion if the pair closes a loop; none for a lower pair."""
        return ()

    @property
    def measured(self) -> bool:
        """Whether its coordinates can be measured if the pair closes a loop."""
        return True

    def quantities(self, owner: str) -> Iterator[Quantity]:
        """Quantities of the pair in the connection `owner`.

        Parameters
        ----------
        owner : str
            Name of the connection.

        Returns
        -------
        iterator of Quantity
        """
        for step in self.coordinates:
            yield from step_quantities(owner, step, self.slide_axis(step.name))


_LAW = "a joint only defines motion; forces in it are laws of the connection, m.connect(pair, first, second, law="
_FORCES = {
    "damping": f"{_LAW}tr.Damper(0.1))",
    "stiffness": f"{_LAW}tr.Spring(20.0, 0.1))",
    "friction": f"{_LAW}tr.Damper(0.1)), or a contact with tr.Coulomb",
    "limits": f"{_LAW}tr.Backlash(stiffness, clearance)), which has elastic ends",
    **dict.fromkeys(("angle", "q0", "initial"), "start values go to the model by name, m.start = {'bob.angle': 0.3}"),
    "at": "the position is that of the frames on the bodies, m.connect(pair, m.ground.at(0, 0, 1), bob)",
}


@dataclass(frozen=True)
class AxisPair(Pair):
    """A pair with a distinguished axis."""

    axis: Axis = "z"

    def __post_init__(self) -> None:
        try:
            self.frame()
        except ModelError as error:  # so that the message names the line that makes the joint
            raise ModelError(f"{type(self).__name__}: {error}") from None

    def frame(self) -> Array:
        return align_z(self.axis)


@final
@advised_class("the axis is one argument, 'y' or (0, 1, 0)", **_FORCES)
@dataclass(frozen=True)
class Revolute(AxisPair):
    """Hinge: the second body rotates about the axis."""

    letter: ClassVar[str] = "R"
    bonds: ClassVar[tuple[str, ...]] = ("rz",)

    def chain(self) -> Chain:
        return Chain(Screw("z", name="angle"))


@final
@advised_class("the axis is one argument, 'y' or (0, 1, 0)", **_FORCES)
@dataclass(frozen=True)
class Prismatic(AxisPair):
    """Slider: the second body moves along the axis without rotating."""

    letter: ClassVar[str] = "P"
    bonds: ClassVar[tuple[str, ...]] = ("z",)

    def chain(self) -> Chain:
        return Chain(Screw("z", pitch=SLIDE, name="displacement"))


@final
@dataclass(frozen=True)
class Helical(AxisPair):
    """Screw joint: turning by the angle moves the second body by pitch * angle along the axis."""

    letter: ClassVar[str] = "H"
    bonds: ClassVar[tuple[str, ...]] = ("rz",)

    pitch: Expr = 0.0  # m/rad

    def __post_init__(self) -> None:
        if not isinstance(self.pitch, ca.SX) and not (isinstance(self.pitch, float | int) and isfinite(self.pitch)):
            raise ModelError(f"the pitch of a Helical joint is a finite number of metres a radian, got {self.pitch!r}.")

    def chain(self) -> Chain:
        return Chain(Screw("z", pitch=self.pitch, name="angle"))

    @property
    def coupling(self) -> Expr:
        return self.pitch


@final
@dataclass(frozen=True)
class Cylindrical(AxisPair):
    """The second body rotates about the axis and slides along it."""

    letter: ClassVar[str] = "C"
    bonds: ClassVar[tuple[str, ...]] = ("rz", "z")

    def chain(self) -> Chain:
        return Chain(Screw("z", name="angle"), Screw("z", pitch=SLIDE, name="displacement"))


@final
@dataclass(frozen=True)
class Planar(AxisPair):
    """The second body slides in the plane normal to the axis and rotates about it.

    Its coordinates `x` and `y` are along x and y of the first frame for axis z, y and z for axis x, z and x for axis y.
    """

    letter: ClassVar[str] = "E"
    bonds: ClassVar[tuple[str, ...]] = ("x", "y", "rz")

    def chain(self) -> Chain:
        return Chain(Screw("x", SLIDE, name="x"), Screw("y", SLIDE, name="y"), Screw("z", name="angle"))


@final
@dataclass(frozen=True)
class Universal(AxisPair):
    """Cardan joint: a turn about the axis of the first body, then about the x axis of the connection frame on the
    second body.

    Parameters
    ----------
    axis : str or three numbers
        Axis of the joint in the frame of the first body: "x", "-y", (0, 1, 0), ...
    cross : str or three numbers
        Second axis at zero angles; normal to `axis`.
    """

    letter: ClassVar[str] = "U"
    bonds: ClassVar[tuple[str, ...]] = ("rz", "rx")

    cross: Axis | None = None

    def frame(self) -> Array:
        if self.cross is None:
            return align_z(self.axis)
        z, x = axis_vector(self.axis), axis_vector(self.cross)
        if abs(float(z @ x)) > 1e-9:
            raise ModelError(
                f"the two axes of a Universal joint must be at right angles, got {self.axis!r} and {self.cross!r}."
            )
        return clean(np.column_stack([x, np.cross(z, x), z]))

    def chain(self) -> Chain:
        return Chain(Screw("z", name="angle"), Screw("x", name="cross_angle"))


@final
@dataclass(frozen=True)
class Spherical(Pair):
    """Ball joint, described by a unit quaternion without singular poses."""

    letter: ClassVar[str] = "S"
    bonds: ClassVar[tuple[str, ...]] = ("rx", "ry", "rz")

    def chain(self) -> Chain:
        return Chain(Ball("quaternion"))


@final
@dataclass(frozen=True)
class Fixed(Pair):
    """Weld."""

    letter: ClassVar[str] = "W"
    bonds: ClassVar[tuple[str, ...]] = ()

    def chain(self) -> Chain:
        return Chain()


@final
@dataclass(frozen=True)
class Free(Pair):
    """No constraint: position and unit quaternion of the second body in the frame of the first."""

    letter: ClassVar[str] = "F"
    bonds: ClassVar[tuple[str, ...]] = BONDS

    def chain(self) -> Chain:
        slides = [Screw(a, SLIDE, name=a) for a in ("x", "y", "z")]
        return Chain(*slides, Ball("quaternion"))


@final
@dataclass(frozen=True)
class BondPair(Pair):
    """A pair defined by its free bonds, {bond: coordinate}; any of the six may be free.

    Displacements are along the axes of the first frame. Of two rotations the first is the one whose next axis is also
    free, in cyclic order; three are in the order in which they are named, and the second of them must stay below 90
    degrees. With `ball` the three rotations are one quaternion.
    """

    by_name: ClassVar[bool] = False

    moves: tuple[tuple[str, str], ...]
    orientation: tuple[tuple[float, ...], ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    ball: bool = False
    pitch: Expr = None  # of a screw joint: turning about z also moves along z (m/rad)

    def frame(self) -> Array:
        return np.array(self.orientation)

    @property
    def free(self) -> tuple[str, ...]:
        named = [bond for bond, _ in self.moves]
        slides = [b for b in "xyz" if b in named]
        turns = [b for b in named if b in ROTATIONS]
        if len(turns) == 2 and cyclic(turns[0])[1] != turns[1]:
            turns.reverse()
        return (*slides, *turns)

    @property
    def coupling(self) -> Expr:
        return self.pitch

    def chain(self) -> Chain:
        names = dict(self.moves)
        steps: list[Screw | Ball] = []
        for bond in self.free:
            if bond in "xyz":
                steps.append(Screw(bond, SLIDE, name=names[bond]))
            elif not self.ball:
                pitch = self.pitch if bond == "rz" and self.pitch is not None else 0.0
                steps.append(Screw(bond[1], pitch, name=names[bond]))
        return Chain(*steps, *([Ball("quaternion")] if self.ball else []))


def cyclic(first: str) -> list[str]:
    """The three rotations in the cyclic order of the axes, from this one on."""
    k = ROTATIONS.index(first)
    return [ROTATIONS[(k + n) % 3] for n in range(3)]
