"""Forces and moments on frames: a bushing between two, and a given wrench on one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.laws.law import check_numbers
from trundle.laws.signals import Signals as Signals
from trundle.model.body import Body, Frame, as_frame
from trundle.model.force import COMPONENTS, Between, Force, Terms
from trundle.space.rotation import cross, dot
from trundle.typing import Expr, Given

Components = Sequence[Expr] | Callable[[Signals], Sequence[Expr]]  # constant, or a function of the signals


@final
@dataclass(frozen=True, eq=False)
class Bushing(Between):
    """Six springs and dampers between two frames, along and about the axes of the first.

    The rotation is measured by the axial vector of the rotation matrix (the rotation vector for small angles), and the
    moment is derived from its energy, so the bushing stays conservative at large angles.

    Parameters
    ----------
    first : Body or Frame
        In whose axes it acts.
    second : Body or Frame
        The other end.
    stiffness : six numbers
        Along x, y, z (N/m) and about them (N m/rad).
    damping : six numbers
        Along x, y, z (N s/m) and about them (N m s/rad).
    """

    stiffness: Sequence[Expr] = field(metadata={COMPONENTS: 6})
    damping: Sequence[Expr] = field(default=(0.0,) * 6, metadata={COMPONENTS: 6})

    def __post_init__(self) -> None:
        _check_components("Bushing", "stiffness", self.stiffness, 6)
        _check_components("Bushing", "damping", self.damping, 6)

    @property
    def element(self) -> str:
        return "C"

    def terms(self, s: Signals) -> Terms:
        a, b = self.places
        k, c = _numbers(self.stiffness, 6, "stiffness"), _numbers(self.damping, 6, "damping")
        R_A, w_A = s.rotation(a), s.angular_velocity(a)
        arm = s.position(b) - s.position(a)
        d = ca.mtimes(R_A.T, arm)
        d_rate = ca.mtimes(R_A.T, s.velocity(b) - s.velocity(a) - cross(w_A, arm))
        R = ca.mtimes(R_A.T, s.rotation(b))
        w = ca.mtimes(R_A.T, s.angular_velocity(b) - w_A)
        turn = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2
        E = ((R[0, 0] + R[1, 1] + R[2, 2]) * ca.SX.eye(3) - R) / 2  # rate of `turn` is E w for dR/dt = skew(w) R
        turn_rate = ca.mtimes(E, w)
        F = -ca.mtimes(R_A, k[:3] * d + c[:3] * d_rate)
        M = -ca.mtimes(R_A, ca.mtimes(E.T, k[3:] * turn + c[3:] * turn_rate))
        return Terms(
            wrenches=[(a, -F, -M - cross(arm, F)), (b, F, M)],
            potential=(ca.dot(k[:3] * d, d) + ca.dot(k[3:] * turn, turn)) / 2,
            dissipated=ca.dot(c[:3] * d_rate, d_rate) + ca.dot(c[3:] * turn_rate, turn_rate),
            measures={
                "displacement": (d, "m", "displacement of the second frame, in axes of the first"),
                "turn": (turn, "rad", "turn of the second frame, in axes of the first"),
            },
        )


@final
@dataclass(frozen=True, eq=False)
class Wrench(Force):
    """Force and moment on a frame, constant or given as functions of the signals `s`; axes "ground" or "body".

    Parameters
    ----------
    place : Body or Frame
        Where it acts.
    force : three numbers, or function of the signals
        In N.
    moment : three numbers, or function of the signals
        In N m.
    axes : {"ground", "body"}
        Along which the components are.
    """

    place: Body | Frame
    force: Components = field(default=(0.0, 0.0, 0.0), metadata={COMPONENTS: 3})
    moment: Components = field(default=(0.0, 0.0, 0.0), metadata={COMPONENTS: 3})
    axes: Literal["ground", "body"] = "ground"

    def __post_init__(self) -> None:
        for name, given in (("force", self.force), ("moment", self.moment)):
            if not callable(given):
                _check_components("Wrench", name, given, 3)
        if self.axes not in ("ground", "body"):
            raise ModelError(f"Wrench: axes={self.axes!r}: its components are along axes of 'ground' or 'body'.")

    @property
    def places(self) -> tuple[Frame, ...]:
        return (as_frame(self.place),)

    def terms(self, s: Signals) -> Terms:
        (frame,) = self.places
        F, M = (_numbers(v(s) if callable(v) else v, 3, k) for v, k in ((self.force, "force"), (self.moment, "moment")))
        if self.axes == "body":
            F, M = ca.mtimes(s.rotation(frame), F), ca.mtimes(s.rotation(frame), M)
        power = dot(F, s.velocity(frame)) + dot(M, s.angular_velocity(frame))
        return Terms(wrenches=[(frame, F, M)], supplied=power)


def _check_components(force: str, name: str, given: object, n: int) -> None:
    """So many numbers or expressions of parameters."""
    numbers: list[Given] = []
    if isinstance(given, ca.SX | ca.DM):
        numbers = [given[i] for i in range(given.numel())]
    elif isinstance(given, Sequence | np.ndarray) and not isinstance(given, str):
        numbers = list(given)
    if len(numbers) != n:
        raise ModelError(f"{force}: the {name} has {n} components, got {given!r}.")
    check_numbers(force, **{f"component {i} of {name}": one for i, one in enumerate(numbers, start=1)})


def _numbers(values: object, n: int, what: str) -> Expr:
    """Column of n expressions from what the user gave."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    column = ca.vertcat(*values) if isinstance(values, Sequence) else values
    if not isinstance(column, ca.SX | ca.DM) or column.numel() != n:
        raise ModelError(f"the {what} has {n} components, got {values!r}.")
    return ca.SX(column)
