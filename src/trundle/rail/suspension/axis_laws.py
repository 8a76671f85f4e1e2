"""The force of laws along and about the axes of a frame, and laws for it."""

from dataclasses import dataclass
from typing import NamedTuple, final
from weakref import WeakKeyDictionary

import casadi as ca

from trundle.laws.efforts import Open
from trundle.laws.law import EffortLaw
from trundle.model.body import Frame, as_frame
from trundle.model.force import Between, Signals, Terms
from trundle.space.rotation import cross, dot
from trundle.typing import Expr

Laws = tuple[EffortLaw, EffortLaw, EffortLaw]  # of x, y, z
FREE: Laws = (Open(), Open(), Open())
_known: "WeakKeyDictionary[Signals, dict[tuple[Frame, Frame], RelativeMotion]]" = WeakKeyDictionary()
"""Relative motions in the expressions of one set of signals; the parts of friction elements ask for them often."""


@final
@dataclass(frozen=True, eq=False)
class AxisLaws(Between):
    """Between two frames: laws of the displacement of the second along the axes of the first, and of its turn about
    them (the axial vector of the rotation matrix, as in `tr.Bushing`). Forces act at the origin of the second frame.
    """

    along: Laws = FREE  # efforts are N
    about: Laws = FREE  # efforts are N m

    @property
    def element(self) -> str:
        kinds = {law.element for law in (*self.along, *self.about)} - {"EC"}
        return kinds.pop() if len(kinds) == 1 else "C"

    def terms(self, s: Signals) -> Terms:
        at = relative_motion(s, *self.places)
        push = _act(self.along, s.t, at.displacement, at.rate)
        F, M, acting = ca.mtimes(at.R, push.efforts), 0, [push]
        measures = {
            "displacement": (at.displacement, "m", "displacement of the second frame, in axes of the first"),
            "force": (push.efforts, "N", "force on the second body, same axes"),
        }
        if self.about != FREE:
            R = ca.mtimes(at.R.T, s.rotation(at.second))
            w = ca.mtimes(at.R.T, s.angular_velocity(at.second) - at.w)
            turn = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2
            E = ((R[0, 0] + R[1, 1] + R[2, 2]) * ca.SX.eye(3) - R) / 2  # rate of `turn` is E w
            twist = _act(self.about, s.t, turn, ca.mtimes(E, w))
            M = ca.mtimes(at.R, ca.mtimes(E.T, twist.efforts))
            acting.append(twist)
            measures["turn"] = (turn, "rad", "turn of the second frame, in axes of the first")
            measures["moment"] = (twist.efforts, "N m", "moment on the second body, same axes")
        stored, lost, given = (sum(of[1:], of[0]) for of in zip(*(one[1:] for one in acting), strict=True))
        wrenches = at.wrenches(F, M)
        return Terms(wrenches=wrenches, potential=stored, dissipated=lost, supplied=given, measures=measures)


@final
@dataclass(frozen=True)
class RelativeMotion:
    """Of one frame against another, in the axes of the first."""

    first: Frame
    second: Frame
    R: Expr  # from these axes to those of the ground
    w: Expr  # of these axes, rad/s
    arm: Expr  # m, in the ground
    displacement: Expr  # m
    rate: Expr  # m/s
    axle: Expr = None  # direction of the axle about which they pitch with the second body; its rate of pitch is
    pitch: Expr = None  # the product of this with the difference of the angular velocities

    def wrenches(self, F: Expr, M: Expr = 0) -> list[tuple[Frame, Expr, Expr]]:
        """Of a force and a moment on the second body, in the ground: they act at the origin of the second frame."""
        M = ca.SX.zeros(3) + M
        back = M + cross(self.arm, F)
        if self.pitch is not None:
            kept = dot(self.axle, back) * self.pitch
            back, M = back - kept, M - kept
        return [(self.first, -F, -back), (self.second, F, M)]


def relative_motion(s: Signals, a: Frame, b: Frame) -> RelativeMotion:
    """How the origin of frame b moves in the axes of frame a.

    A body without mass, the hub of a wheelset, has no pitch of its own: the axes take the pitch of the other body
    instead, with x normal to the axle and to the z axis of frame b. So no moment acts on the hub about the axle,
    whatever it is connected to.
    """
    known = _known.setdefault(s, {})
    if (a, b) not in known:
        known[a, b] = _relative_motion(s, a, b)
    return known[a, b]


def _relative_motion(s: Signals, a: Frame, b: Frame) -> RelativeMotion:
    if a.body.is_free and isinstance(a.body.mass, float | int) and a.body.mass == 0.0:
        return _on_axle(s, a, b)
    R, w, arm = s.rotation(a), s.angular_velocity(a), s.position(b) - s.position(a)
    rate = s.velocity(b) - s.velocity(a) - cross(w, arm)
    return RelativeMotion(a, b, R, w, arm, ca.mtimes(R.T, arm), ca.mtimes(R.T, rate))


def _on_axle(s: Signals, a: Frame, b: Frame) -> RelativeMotion:
    centre = as_frame(a.body)
    y, up = s.rotation(centre)[:, 1], s.rotation(b)[:, 2]
    x = cross(y, up)
    length = ca.sqrt(dot(x, x))
    x = x / length
    z, pitch, hub = cross(x, y), cross(up, x) / length, s.angular_velocity(centre)
    w = hub + dot(pitch, s.angular_velocity(b) - hub) * y
    R, place = ca.mtimes(ca.horzcat(x, y, z), a.rotation), ca.mtimes(a.rotation.T, ca.vertcat(*a.position))
    arm = s.position(b) - s.position(centre)
    rate = s.velocity(b) - s.velocity(centre) - cross(w, arm)
    return RelativeMotion(centre, b, R, w, arm, ca.mtimes(R.T, arm) - place, ca.mtimes(R.T, rate), y, pitch)


@final
class _Action(NamedTuple):
    """Of three laws: efforts, stored energy, power lost and supplied."""

    efforts: Expr
    stored: Expr
    lost: Expr
    given: Expr


def _act(laws: Laws, t: Expr, q: Expr, u: Expr) -> _Action:
    axes = list(zip(laws, ca.vertsplit(q), ca.vertsplit(u), strict=True))
    return _Action(
        ca.vertcat(*[law.effort(t, x, v) for law, x, v in axes]),
        sum((ca.SX(law.potential(t, x)) for law, x, _ in axes), ca.SX(0)),
        sum((ca.SX(law.dissipated(t, x, v)) for law, x, v in axes), ca.SX(0)),
        sum((ca.SX(law.supplied(t, x, v)) for law, x, v in axes), ca.SX(0)),
    )


def on_axis(axis: int, law: EffortLaw) -> Laws:
    """One law, on the axis with this number."""
    x, y, z = (law if i == axis else Open() for i in range(3))
    return x, y, z


@final
@dataclass(frozen=True)
class LoadedSpring(EffortLaw):
    """Linear spring and damper that pushes with `load` where the displacement is zero."""

    stiffness: float  # N/m
    damping: float = 0.0  # N s/m
    load: float = 0.0  # N

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.load - self.stiffness * q - self.damping * u

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.stiffness * q**2 / 2 - self.load * q

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.damping * u**2


@final
@dataclass(frozen=True)
class Shifted(EffortLaw):
    """Another law, whose coordinate is q - by."""

    law: EffortLaw
    by: float  # m

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.law.effort(t, q - self.by, u)

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.law.potential(t, q - self.by)

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.law.dissipated(t, q - self.by, u)

    def supplied(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.law.supplied(t, q - self.by, u)
