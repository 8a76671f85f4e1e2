"""Quantities by name, as expressions: what laws, forces, outputs and events may ask for."""

from collections.abc import Mapping
from typing import Any, Protocol, final

import casadi as ca

from trundle.equations.constraint import Measure
from trundle.equations.kinematics import Rigid
from trundle.errors import UnknownNameError
from trundle.model.body import Body, Frame
from trundle.model.model import Model

BODY_QUANTITIES = {
    "position": ("m", "position of the body frame in the ground"),
    "velocity": ("m/s", "velocity of the body frame, ground axes"),
    "angular_velocity": ("rad/s", "angular velocity, ground axes"),
    "com_position": ("m", "position of the mass centre in the ground"),
    "com_velocity": ("m/s", "velocity of the mass centre, ground axes"),
    "rotation": ("", "rotation matrix from body to ground axes, by columns"),
}
"""Vector quantities that every body has, with unit and sentence."""


class FrameMotion(Protocol):
    """Motion of bodies and frames in ground axes."""

    def frame(self, frame: Frame) -> Rigid: ...
    def body(self, body: Body) -> Rigid: ...


@final
class Signals:
    """Expressions by name: "crank.angle", "crank.angle_rate", "rod.position", "rod.position_x", parameters;
    time is `t`.
    """

    def __init__(
        self,
        model: Model,
        t: Any,
        motion: FrameMotion,
        coordinates: Mapping[str, tuple[Any, Any]],
        measured: Mapping[str, Measure],
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.model, self.t, self.motion = model, t, motion
        self.coordinates, self.measured = coordinates, measured
        self.extra = dict(extra or {})

    def __getitem__(self, name: str) -> Any:
        if name == "t":
            return self.t
        if name in self.extra:
            return self.extra[name]
        if name in self.model.parameters:
            return self.model.parameters[name].symbol
        stem = name.removesuffix("_rate")
        for table in (self.coordinates, {k: (m.value, m.rate) for k, m in self.measured.items()}):
            if name in table:
                return table[name][0]
            if stem != name and stem in table:
                return table[stem][1]
        body, _, quantity = name.partition(".")
        if body in self.model.bodies:
            axis = -1
            if quantity[-2:] in ("_x", "_y", "_z"):
                quantity, axis = quantity[:-2], "xyz".index(quantity[-1])
            if quantity in BODY_QUANTITIES:
                value = self._body(self.model.bodies[body], quantity)
                return value if axis < 0 else value[axis]
        raise UnknownNameError(name, self.names())

    def names(self) -> list[str]:
        """Every name that can be asked for."""
        joints = [n for k in (*self.coordinates, *self.measured) for n in (k, f"{k}_rate")]
        bodies = [f"{b}.{quantity}" for b in self.model.bodies if b != "ground" for quantity in BODY_QUANTITIES]
        return [*joints, *bodies, *self.model.parameters, *self.extra, "t"]

    def _body(self, body: Body, quantity: str) -> Any:
        rigid = self.motion.body(body)
        if quantity.startswith("com_"):
            rigid = self.motion.frame(Frame(body, body.com))
        return {
            "position": rigid.p,
            "com_position": rigid.p,
            "velocity": rigid.v,
            "com_velocity": rigid.v,
            "angular_velocity": rigid.w,
            "rotation": ca.vec(rigid.R),
        }[quantity]

    def position(self, frame: Frame) -> Any:
        return self.motion.frame(frame).p

    def rotation(self, frame: Frame) -> Any:
        return self.motion.frame(frame).R

    def velocity(self, frame: Frame) -> Any:
        return self.motion.frame(frame).v

    def angular_velocity(self, frame: Frame) -> Any:
        return self.motion.frame(frame).w
