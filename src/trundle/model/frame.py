"""Moving frames: roots of the tree beside the ground, whose motion is given by expressions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Protocol, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.laws.signals import NamedSignals
from trundle.space.rotation import axis_vector, rotation_from_quaternion
from trundle.typing import Array, Expr, Given

ALLOWED = (
    "A frame moves as time, parameters and states (m.state) say, whatever the bodies do. To let it follow a body, give "
    "it a state whose rate depends on the body."
)


class FrameState(Protocol):
    """Pose of a frame in the ground, and its rates in its own axes."""

    @property
    def R(self) -> Expr: ...
    @property
    def p(self) -> Expr: ...

    @property
    def w(self) -> Expr:
        """Angular velocity (rad/s), axes of the frame."""

    @property
    def eps(self) -> Expr:
        """Angular acceleration (rad/s^2), axes of the frame."""

    @property
    def v(self) -> Expr:
        """Velocity of the origin (m/s), axes of the frame."""

    @property
    def a(self) -> Expr:
        """Acceleration of the origin (m/s^2), axes of the frame."""


class FrameCourse(Protocol):
    """An object that defines the complete motion of a frame, such as a track, as a function of the signals."""

    def frame_state(self, s: NamedSignals) -> FrameState: ...


@final
class FrameSignals:
    """What the motion of frames may depend on: time, parameters, and states with rates of their own."""

    def __init__(self, t: Expr, known: Mapping[str, Expr], rates: Mapping[str, Expr] | None = None) -> None:
        self.t, self._known, self._rates = t, known, rates or {}

    def __repr__(self) -> str:
        return "the signals as a whole"

    @property
    def symbols(self) -> list[Expr]:
        """All signals other than time."""
        return [*self._known.values(), *self._rates.values()]

    def rate(self, state: str) -> Expr:
        """Rate of a state, for frames that give their accelerations themselves."""
        if state not in self._rates:
            raise ModelError(f"it uses the rate of {state!r}, which is not a state. {ALLOWED}")
        return self._rates[state]

    def __getitem__(self, name: str) -> Expr:
        if name == "t":
            return self.t
        if name not in self._known:
            raise ModelError(f"it uses {name!r}. {ALLOWED}")
        return self._known[name]

    def __getattr__(self, name: str) -> Expr:
        if name in ("position", "velocity", "angular_velocity", "rotation", "multiplier", "mode"):
            raise ModelError(f"it uses a {name.replace('_', ' ')}. {ALLOWED}")
        raise AttributeError(name)


@final
@dataclass(frozen=True, eq=False)
class MotionPart:
    """`size` numbers of the motion of a frame, as a function of the signals."""

    function: Callable[[NamedSignals], Expr]
    size: int

    def at(self, s: NamedSignals) -> Expr:
        """The numbers at signals."""
        return ca.densify(ca.SX(self.function(s)))


@final
@dataclass(frozen=True, eq=False)
class GivenMotion:
    """Motion of a frame: position and rotation, and their rates where these are not left to the tape.

    A turn about a fixed axis is one angle, any other rotation a matrix by its columns.
    """

    position: MotionPart  # three coordinates in the ground (m)
    turn: MotionPart  # angle (rad), or nine entries
    axis: tuple[float, float, float] | None = None  # of the angle, in the ground and in the frame
    rates: MotionPart | None = None  # v, w, a, eps in the axes of the frame

    def pose(self, s: NamedSignals) -> tuple[Expr, Expr]:
        """Position and rotation matrix at signals."""
        return self.position.at(s), self.matrix(self.turn.at(s))

    def matrix(self, turn: Expr) -> Expr:
        """The rotation matrix of a turn."""
        return ca.densify(ca.reshape(turn, 3, 3) if self.axis is None else about(np.array(self.axis), turn))


def given_motion(position: Given, rotation: Given) -> GivenMotion:
    """The motion of a frame as the user gives it: three coordinates and (axis, angle), a rotation matrix or a
    quaternion (w, x, y, z), each an expression or a function of the signals.
    """
    forms = {
        "position": "(x, y, z) in m",
        "rotation": "(axis, angle in rad), a 3x3 matrix or a quaternion (w, x, y, z)",
    }
    for (what, form), value in zip(forms.items(), (position, rotation), strict=True):
        if isinstance(value, str | Real):
            raise ModelError(f"the {what} of a moving frame is {form}, or a function of the signals, got {value!r}.")
    if isinstance(position, tuple | list) and (len(position) != 3 or any(isinstance(one, str) for one in position)):
        raise ModelError(f"the position of a moving frame is three coordinates (x, y, z) in m, got {position!r}.")
    place = MotionPart(_Answer(position, _coordinates), 3)
    axis = _fixed_axis(rotation)
    if axis is not None:
        return GivenMotion(place, MotionPart(_Answer(rotation, _angle), 1), axis)
    return GivenMotion(place, MotionPart(_Answer(rotation, _matrix), 9))


def course_motion(course: FrameCourse) -> GivenMotion:
    """The motion of a frame by an object that knows all of it."""
    if not callable(getattr(course, "frame_state", None)):
        raise ModelError(
            f"motion of a frame is an object that knows all of it, such as a rail.TrackFrame, got {course!r}. Give "
            "position=lambda s: (x, y, z) and rotation=('z', lambda s: angle) for a motion of your own."
        )
    last: list[tuple[NamedSignals, FrameState]] = []  # position, rotation and rates are evaluated one after the other

    def state(s: NamedSignals) -> FrameState:
        if not last or last[0][0] is not s:
            last[:] = [(s, course.frame_state(s))]
        return last[0][1]

    def rates(s: NamedSignals) -> Expr:
        at = state(s)
        return ca.vertcat(*map(_coordinates, (at.v, at.w, at.a, at.eps)))

    return GivenMotion(
        MotionPart(lambda s: _coordinates(state(s).p), 3),
        MotionPart(lambda s: _matrix(state(s).R), 9),
        rates=MotionPart(rates, 12),
    )


def about(axis: Array, angle: Expr) -> Expr:
    """Rotation matrix about a fixed axis by an expression, by Rodrigues' formula; exact zeros stay zeros."""
    x, y, z = (float(v) for v in axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    c = ca.cos(angle)
    rows = []
    for i in range(3):
        row = []
        for j in range(3):
            same = axis[i] * axis[j]
            row.append((1.0 if i == j else 0.0) if same == 1.0 else same * (1 - c) + K[i, j] * ca.sin(angle))
            if i == j and same != 1.0:
                row[-1] = row[-1] + c
        rows.append(ca.horzcat(*[ca.SX(v) for v in row]))
    return ca.vertcat(*rows)


@final
class _Answer:
    """A value or function of the signals as the user gave it; evaluated as one column."""

    def __init__(self, given: Given, read: Callable[[Given], Expr]) -> None:
        self.given, self.read = given, read

    def __call__(self, s: NamedSignals) -> Expr:
        return self.read(self.given(s) if callable(self.given) else self.given)


def _coordinates(value: Given) -> Expr:
    try:
        found = ca.SX(ca.vertcat(*value)) if isinstance(value, tuple | list | np.ndarray) else ca.SX(value)
    except (TypeError, NotImplementedError):
        raise ModelError(f"the position of a frame is three coordinates (x, y, z) in m, got {value!r}.") from None
    if found.numel() != 3:
        raise ModelError(f"the position of a frame is three coordinates (x, y, z) in m, got {value!r}.")
    return ca.vec(found)


def _turn(value: Given) -> tuple[Expr, Expr] | None:
    """(axis, angle), where that is what was given."""
    if isinstance(value, tuple | list) and len(value) == 2 and not isinstance(value[1], tuple | list | str):
        return value[0], value[1]
    return None


def _angle(value: Given) -> Expr:
    turn = _turn(value)
    assert turn is not None
    return ca.SX(turn[1])


def _fixed_axis(rotation: Given) -> tuple[float, float, float] | None:
    """The axis of a rotation that is given as (axis, angle), where its axis is numbers."""
    turn = _turn(_probed(rotation))
    if turn is None:
        return None
    x, y, z = axis_vector(turn[0])
    return float(x), float(y), float(z)


def _probed(rotation: Given) -> Expr:
    """The result of a function for arbitrary signals; None if it cannot be evaluated that way."""
    if not callable(rotation):
        return rotation
    try:
        return rotation(_AnySignal())
    except Exception:  # a function of the user may raise anything; it is called again with all signals
        return None


@final
class _AnySignal:
    """Signals with a symbol for every name."""

    t = ca.SX.sym("t")

    def __getitem__(self, name: str) -> Expr:
        return ca.SX.sym(name)


def _matrix(value: Given) -> Expr:
    """Nine entries, by columns."""
    wrong = ModelError(
        f"the rotation of a frame is (axis, angle), a 3x3 matrix or a quaternion (w, x, y, z), got {value!r}."
    )
    turn = _turn(value)
    try:
        if turn is not None:
            return ca.vec(about(axis_vector(turn[0]), ca.SX(turn[1])))
        if isinstance(value, ca.SX | ca.DM):
            found = ca.SX(value)
        elif isinstance(value, tuple | list | np.ndarray) and len(value) == 4:
            found = ca.SX(ca.vertcat(*value))
        elif isinstance(value, tuple | list | np.ndarray) and len(value) == 3:
            found = ca.vertcat(*[ca.horzcat(*[ca.SX(v) for v in row]) for row in value])
        else:
            raise wrong
    except (TypeError, NotImplementedError):
        raise wrong from None
    if found.numel() == 4:
        return ca.vec(rotation_from_quaternion(ca.vec(found)))
    if found.shape != (3, 3):
        raise wrong
    return ca.vec(found)
