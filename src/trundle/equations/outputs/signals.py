"""Quantities by name, as expressions: what laws, forces, outputs and events may ask for."""

from collections.abc import Mapping
from typing import Any, final

import casadi as ca

from trundle.constraints.measure import Followed, LawState, Measure
from trundle.contact.contact_motion import ContactMotion
from trundle.errors import UnknownNameError
from trundle.model.body import Body, Frame, as_frame
from trundle.model.law_probe import CONTACT_QUANTITIES
from trundle.model.model import Model
from trundle.motion.motion import Motion

BODY_QUANTITIES = {
    "position": ("m", "position of the body frame in the ground"),
    "velocity": ("m/s", "velocity of the body frame, ground axes"),
    "angular_velocity": ("rad/s", "angular velocity, ground axes"),
    "com_position": ("m", "position of the mass centre in the ground"),
    "com_velocity": ("m/s", "velocity of the mass centre, ground axes"),
    "rotation": ("", "rotation matrix from body to ground axes, by columns"),
}
"""Vector quantities that every body has, with unit and sentence."""


@final
class Signals:
    """Expressions by name: "crank.angle", "crank.angle_rate", "rod.position", "rod.position_x", parameters;
    time is `t`.
    """

    def __init__(
        self,
        model: Model,
        t: Any,
        motion: Motion,
        coordinates: Mapping[str, tuple[Any, Any]],
        measured: Mapping[str, Measure | Followed | LawState],
        touches: Mapping[str, ContactMotion] | None = None,
    ) -> None:
        self.model, self.t, self.motion = model, t, motion
        self.coordinates, self.measured, self.touches = coordinates, measured, touches or {}

    def __getitem__(self, name: str) -> Any:
        name = self.model.resolve(name)
        whole = self._whole(name)
        if whole is not None:
            return whole
        stem, _, axis = name.rpartition("_")
        whole = self._whole(stem) if axis in ("w", "x", "y", "z") else None
        axes = "" if whole is None else {3: "xyz", 4: "wxyz"}.get(whole.numel(), "")
        if whole is None or axis not in axes:
            raise UnknownNameError(name, self.names())
        return whole[axes.index(axis)]

    def _whole(self, name: str) -> Any:
        """A quantity with all its components; None when there is none of this name."""
        if name == "t":
            return self.t
        if name in self.model.parameters:
            return self.model.parameters[name].symbol
        owner, _, quantity = name.partition(".")
        stem = f"{owner}.quaternion" if quantity == "angular_rate" else name.removesuffix("_rate")
        if name in self.coordinates:
            return self.coordinates[name][0]
        if stem != name and stem in self.coordinates:
            return self.coordinates[stem][1]
        if name in self.measured:
            return self.measured[name].value
        if stem != name and stem in self.measured:
            return self.measured[stem].rate
        if owner in self.touches and quantity in CONTACT_QUANTITIES:
            return self._contact(self.touches[owner], quantity)
        if owner in self.model.bodies and quantity in BODY_QUANTITIES:
            return self._body(self.model.bodies[owner], quantity)
        return None

    def names(self) -> list[str]:
        """Every name that can be asked for."""
        joints = []
        for k in (*self.coordinates, *self.measured):
            stem = k.removesuffix(".quaternion")
            joints += [k, f"{k}_rate" if stem == k else f"{stem}.angular_rate"]
        bodies = [f"{b.name}.{quantity}" for b in self.model.moving_bodies for quantity in BODY_QUANTITIES]
        contacts = [f"{c}.{quantity}" for c in self.touches for quantity in CONTACT_QUANTITIES]
        return [*joints, *contacts, *bodies, *self.model.parameters, "t"]

    def _contact(self, touch: ContactMotion, quantity: str) -> Any:
        vectors = {"contact_point": touch.contact.point, "contact_normal": touch.contact.axes[2]}
        if quantity == "gap":
            return touch.contact.gap
        if quantity == "forward_velocity":
            under = touch.material(touch.connection.first.body)[0]
            return ca.dot(touch.contact.axes[0], touch.contact.point_rate - under)
        return vectors[quantity] if quantity in vectors else touch.rate(quantity)

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

    def position(self, place: Body | Frame) -> Any:
        return self.motion.frame(as_frame(place)).p

    def rotation(self, place: Body | Frame) -> Any:
        return self.motion.frame(as_frame(place)).R

    def velocity(self, place: Body | Frame) -> Any:
        return self.motion.frame(as_frame(place)).v

    def angular_velocity(self, place: Body | Frame) -> Any:
        return self.motion.frame(as_frame(place)).w
