"""Traction and braking of wheelsets."""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.model.body import Body, Frame, as_frame
from trundle.model.force import Force, Signals, Terms
from trundle.space.rotation import dot
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class AxleMoment(Force):
    """Moment on a wheelset about its axle, forwards, with its reaction on the track.

    The direction is that of the axle itself: one from a joint's axes would change with the frame they belong to.
    """

    axle: Body
    force: Expr  # N at the rails, a number or a function of the signals
    radius: float  # m, of the wheels

    @property
    def places(self) -> tuple[Frame, ...]:
        return (as_frame(self.axle),)

    def terms(self, s: Signals) -> Terms:
        axle = as_frame(self.axle)
        moment = self.radius * (self.force(s) if callable(self.force) else self.force)
        M = moment * s.rotation(axle)[:, 1]
        return Terms(
            wrenches=[(axle, ca.SX.zeros(3), M)],
            supplied=dot(M, s.angular_velocity(axle)),
            measures={"moment": (ca.SX(moment), "N m", "moment about the axle, forwards")},
        )
