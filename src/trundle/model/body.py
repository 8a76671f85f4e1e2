"""Bodies and frames fixed to them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.messages.arguments import explain_calls, unchangeable, unknown_attribute
from trundle.model.frame import GivenMotion
from trundle.model.shape import Shape
from trundle.quantity import Of, Quantity
from trundle.space.inertia import Inertia
from trundle.space.rotation import as_matrix
from trundle.typing import Array, Expr, Given, ModelPart


@final
class Moves(StrEnum):
    """How the motion of a body is determined."""

    AT_REST = "at rest"  # as the ground
    GIVEN = "given"  # prescribed; nothing that acts on the body changes it
    FREE = "free"  # found from what acts on the body


ELSEWHERE = {
    "connect": "a model connects its bodies, m.connect(tr.Revolute('y'), m.ground, bob)",
    "masscenter": "use .com",
    "position": "use a run, run['bob.position']; where a body stands follows from its joints and start values",
    "velocity": "use a run, run['bob.velocity']",
    "rotation": "use a run, run['bob.rotation']; where a body stands follows from its joints and start values",
    "angle": "use a run, run['bob.angle']: it is a coordinate of the joint that is named after the body",
    "rotate": "a turned frame on the body is bob.frame((0, 0, 0), ('y', tr.degrees(30))); how the body itself stands "
    "follows from its joints and start values",
    "translate": "a frame at another point is bob.at(x, y, z); where the body stands follows from its joints and start "
    "values",
    "apply_force": "write m.apply(tr.Wrench(bob, force=(0, 0, 1)))",
}
"""What new users look for, and where it is."""


def _refuse_change(body: "Body", name: str, value: object) -> NoReturn:
    raise ModelError(
        f"body {body.name!r} cannot be changed: give {name}={value!r} to m.body(...), or a parameter, "
        f"m.parameter({name!r}, ...), whose value can be given to every run."
    )


@explain_calls
@final
@unchangeable(_refuse_change)
@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body. Its frame is where you put it; the centre of mass is at `com` in that frame."""

    name: str
    mass: Expr = 0.0  # kg
    inertia: Given = (0.0, 0.0, 0.0)  # kg m^2, body axes
    com: tuple[Expr, Expr, Expr] = (0.0, 0.0, 0.0)  # m
    about: Given = "com"  # the point the inertia is taken about: "com" or (x, y, z) in m
    shape: tuple[Shape, ...] = ()
    moves: Moves = Moves.FREE
    check_inertia: bool = True  # whether moments far from the triangle inequality are refused
    motion: GivenMotion | None = None  # of a body that moves as given: a moving frame
    mass_source: str = ""  # shapes and density from which mass and inertia were computed

    def __post_init__(self) -> None:
        for name in ("mass", "inertia", "com", "about"):
            object.__setattr__(self, name, _own(getattr(self, name)))

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> object:
            raise unknown_attribute(self, name, ELSEWHERE)

    def __repr__(self) -> str:
        mass = f", mass {self.mass}" if self.is_free else ""
        return f"<Body {self.name!r}{mass}>"

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_properties"}  # computed from the others

    @property
    def is_free(self) -> bool:
        """Whether its motion is unknown: it has an inertia, states and reactions. A body that is not free is a root of
        the tree.
        """
        return self.moves is Moves.FREE

    @property
    def is_at_rest(self) -> bool:
        """Whether it never moves, so that it takes no power and its axes are those of the ground."""
        return self.moves is Moves.AT_REST

    def at(self, x: Expr, y: Expr = None, z: Expr = 0.0) -> "Frame":
        """Frame at a point of the body, axes parallel to the body's.

        Parameters
        ----------
        x, y, z : float or expression
            Coordinates of the point in the body frame (m): at(x, y, z), at(x, y) or at((x, y, z)).

        Returns
        -------
        Frame
        """
        if y is not None:
            return Frame(self, (x, y, z))
        point = components(x) if isinstance(x, list | tuple | np.ndarray) else ()
        if len(point) != 3:
            raise ModelError(f"a point of {self.name!r} is at(x, y, z) or at((x, y, z)) in m, got at({x!r}).")
        return Frame(self, point)

    def frame(self, position: object = (0.0, 0.0, 0.0), rotation: object = None) -> "Frame":
        """Frame on the body.

        Parameters
        ----------
        position : tuple
            Origin in the body frame (m).
        rotation : matrix, quaternion or (axis, angle), optional
            From the axes of the frame to those of the body: a 3x3 matrix, (w, x, y, z), or an axis such as "y" or a
            vector with the angle (rad). Parallel axes unless given.

        Returns
        -------
        Frame
        """
        return Frame(self, components(position), np.eye(3) if rotation is None else as_matrix(rotation))

    def quantities(self) -> Iterator[Quantity]:
        """The quantities of the body: its motion."""

        def known(kind: str, unit: str, text: str, of: Of | None, order: int = 0, size: int = 3) -> Quantity:
            return Quantity(
                self.name, kind, unit, f"{text}: {self.name}", size, of, f"body {self.name}", "body", order,
                signal=True, start=self.is_free, listed=not self.is_at_rest,
            )  # fmt: skip

        yield known("position", "m", "position of the body frame in the ground", lambda s: s.motion.body(self).p)
        yield known("velocity", "m/s", "velocity of the body frame, ground axes", lambda s: s.motion.body(self).v, 1)
        yield known("angular_velocity", "rad/s", "angular velocity, ground axes", lambda s: s.motion.body(self).w, 1)
        yield known(
            "com_position", "m", "position of the mass centre in the ground",
            lambda s: s.motion.frame(Frame(self, self.com)).p,
        )  # fmt: skip
        yield known(
            "com_velocity", "m/s", "velocity of the mass centre, ground axes",
            lambda s: s.motion.frame(Frame(self, self.com)).v, 1,
        )  # fmt: skip
        yield known(
            "rotation", "", "rotation matrix from body to ground axes, by columns",
            lambda s: ca.vec(s.motion.body(self).R), size=9,
        )  # fmt: skip
        if not self.is_free:
            yield from () if self.is_at_rest else self._given_quantities(known)
            return
        for kind, unit, text, of in (
            ("acceleration", "m/s^2", "acceleration of the body frame", lambda e: e.acceleration(self).a),
            ("angular_acceleration", "rad/s^2", "angular acceleration", lambda e: e.acceleration(self).alpha),
        ):
            text = f"{text}, ground axes: {self.name}"
            yield Quantity(self.name, kind, unit, text, 3, of, "reactions", "body", 2)
        text = f"unit quaternion from body to ground axes: {self.name}"
        yield Quantity(self.name, "orientation", "", text, 4, None, "orientations", "body")

    def _given_quantities(self, known: Callable[..., Quantity]) -> Iterator[Quantity]:
        """Quantities of a body with prescribed motion, and the force and moment that move it."""
        of_frame, about = "acceleration of the frame, ground axes", "angular acceleration, ground axes"
        yield known("acceleration", "m/s^2", of_frame, lambda s: s.motion.body(self).a, 2)
        yield known("angular_acceleration", "rad/s^2", about, lambda s: s.motion.body(self).alpha, 2)
        for kind, unit, text, of in (
            ("driving_force", "N", "force that moves it as given, ground axes", lambda e: e.driving(self)[0]),
            ("driving_moment", "N m", "moment about its origin that moves it, ground axes",
             lambda e: e.driving(self)[1]),
        ):  # fmt: skip
            yield Quantity(self.name, kind, unit, f"{text}: {self.name}", 3, of, "reactions", "body", 2)
        text = f"power that the given motion brings in: {self.name}"
        yield Quantity(
            self.name, "driving_power", "W", text, 1, lambda e: e.driving_power(self), "reactions", "body", 2
        )

    def mass_properties(self) -> Inertia:
        """Mass, centre and inertia about it as expressions."""
        return self._properties

    @cached_property
    def _properties(self) -> Inertia:
        return Inertia.of(self.mass, self.inertia, self.com, self.about)


@explain_calls
@final
@dataclass(frozen=True, eq=False)
class Frame:
    """A point and axes fixed to a body."""

    body: Body
    position: tuple[Expr, ...] = (0.0, 0.0, 0.0)
    rotation: Array = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", _own(self.position))
        object.__setattr__(self, "rotation", _own(self.rotation))

    def __repr__(self) -> str:
        turned = "" if np.array_equal(self.rotation, np.eye(3)) else ", turned"
        return f"<Frame on {self.body.name!r} at {self.position}{turned}>"


def _own(value: object) -> ModelPart:
    """A copy of the value, so that later changes of the user's array or list have no effect."""
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flags.writeable = False
    elif isinstance(value, ca.SX | ca.DM):
        value = type(value)(value)
    elif isinstance(value, list | tuple):
        value = tuple(_own(v) for v in value)
    return value


def components(vector: object) -> tuple[Expr, ...]:
    """Components of a vector as the user gave it; anything else becomes one component, which a later check refuses."""
    if isinstance(vector, ca.SX | ca.DM):
        return tuple(vector[i] for i in range(vector.numel()))
    return tuple(vector) if isinstance(vector, tuple | list | np.ndarray) else (vector,)


def as_frame(place: Body | Frame) -> Frame:
    """A body stands for its own frame."""
    if isinstance(place, Body):
        return Frame(place)
    if not isinstance(place, Frame):
        raise ModelError(f"a body or a frame on one is needed, got {place!r}; model.bodies[name] gives a body by name.")
    return place
