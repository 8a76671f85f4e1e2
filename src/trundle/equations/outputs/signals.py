"""Quantities by name, as expressions, for use in laws, forces, outputs and events."""

from collections.abc import Mapping
from typing import final

from trundle.constraints.measure import Followed, LawState, Measure
from trundle.contact.contact_motion import ContactMotion
from trundle.errors import ModelError
from trundle.model.body import Body, Frame, as_frame
from trundle.model.model import Model
from trundle.model.register import Register, given_signal, is_signal
from trundle.motion.motion import FrameMotion, Motion
from trundle.typing import Expr


@final
class Signals:
    """Expressions by name: "crank.angle", "crank.angle_rate", "rod.position", "rod.position_x", parameters;
    time is `t`.
    """

    def __init__(
        self,
        model: Model,
        register: Register,
        t: Expr,
        motion: Motion,
        coordinates: Mapping[str, tuple[Expr, Expr]],
        measured: Mapping[str, Measure | Followed | LawState],
        contact_motions: Mapping[str, ContactMotion],
    ) -> None:
        self.model, self.register, self.t, self.motion = model, register, t, motion
        self.coordinates, self.measured, self.contact_motions = coordinates, measured, contact_motions
        self._in_progress: list[str] = []  # outputs of blocks that are being evaluated

    def __getitem__(self, name: str) -> Expr:
        given = given_signal(self.model, name, self.t)
        if given is not None:
            return given
        part = self.register.get(name, is_signal)
        assert part.quantity.of is not None
        if part.quantity.part != "block":
            return part.pick(part.quantity.of(self))
        if part.name in self._in_progress:
            way = " -> ".join([*self._in_progress[self._in_progress.index(part.name) :], part.name])
            raise ModelError(
                f"the outputs of blocks depend on each other in a circle: {way}. Put a state between them, such as a "
                "tr.FirstOrderLag."
            )
        self._in_progress.append(part.name)
        try:
            return part.quantity.of(self)
        finally:
            self._in_progress.pop()

    # -- values from which expressions of quantities are built ---------------------------------------------------------

    def value(self, coordinate: str) -> Expr:
        """Value of a coordinate, which is a state or is measured."""
        known = self.coordinates.get(coordinate)
        return self.measured[coordinate].value if known is None else known[0]

    def rate(self, coordinate: str) -> Expr:
        """Speeds of a coordinate."""
        known = self.coordinates.get(coordinate)
        return self.measured[coordinate].rate if known is None else known[1]

    def contact_motion(self, contact: str) -> ContactMotion:
        """The point of contact of a higher pair."""
        return self.contact_motions[contact]

    def _at(self, place: Body | Frame) -> FrameMotion:
        return self.motion.body(place) if isinstance(place, Body) else self.motion.frame(as_frame(place))

    def position(self, place: Body | Frame) -> Expr:
        return self._at(place).p

    def rotation(self, place: Body | Frame) -> Expr:
        return self._at(place).R

    def velocity(self, place: Body | Frame) -> Expr:
        return self._at(place).v

    def angular_velocity(self, place: Body | Frame) -> Expr:
        return self._at(place).w
