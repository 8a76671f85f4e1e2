"""Positions of suspensions on a vehicle."""

from dataclasses import dataclass
from typing import NamedTuple, final

from trundle.errors import ModelError
from trundle.model.body import Body
from trundle.model.model import Model
from trundle.rail.suspension.suspension import Suspension
from trundle.rail.vehicle.running_gear import RunningGear

WIDEST = 5.0  # m


@final
@dataclass(frozen=True)
class Mount:
    """A suspension between bogie and car: at a height above the rails (m), on both sides at `half_width` (m) from the
    middle, or once in the middle where that is zero; `x` (m) before the centre of the bogie.

    Parameters
    ----------
    name : str
        Of the suspension.
    suspension : Suspension
        What connects the two.
    height : float
        Above the rails (m).
    half_width : float
        From the middle (m); zero for one in the middle.
    x : float
        Before the centre of the bogie (m).
    """

    name: str
    suspension: Suspension
    height: float
    half_width: float = 0.0
    x: float = 0.0

    def __post_init__(self) -> None:
        check_suspension("Mount", self.suspension)
        check_half_width(f"Mount {self.name!r}", self.half_width, zero=True)

    @property
    def sides(self) -> dict[str, float]:
        """Ends of its names, and y."""
        if self.half_width == 0.0:
            return {"": 0.0}
        return {"_left": self.half_width, "_right": -self.half_width}

    @property
    def vertical_stiffness(self) -> float:
        """Of both sides together, N/m."""
        return len(self.sides) * self.suspension.vertical_stiffness


@final
class Seat(NamedTuple):
    """Position of a wheelset under a body: x (m) from the centre of the body, whose height above the rails is given
    (m), and the load (N) on both boxes.
    """

    body: Body
    x: float
    height: float
    load: float


@final
@dataclass(frozen=True)
class AxleBox:
    """The suspension of each axle box, at `half_width` (m) from the middle; `height` (m) above the rails, that of the
    axle unless given.
    """

    suspension: Suspension
    half_width: float = 1.0
    height: float | None = None

    def __post_init__(self) -> None:
        check_suspension("AxleBox", self.suspension)
        check_half_width("AxleBox", self.half_width)
        if not self.suspension.vertical_stiffness > 0:
            raise ModelError("AxleBox: its suspension carries nothing; give it a vertical stiffness.")

    def add(self, m: Model, name: str, wheelset: RunningGear, hub: Body, seat: Seat) -> None:
        """Join the hub of a wheelset to the body above it.

        Parameters
        ----------
        m : Model
            To which it is added.
        name : str
            With which its names begin.
        wheelset : RunningGear
            Whose hub it holds.
        hub : Body
            The hub.
        seat : Seat
            Where it stands, and what it carries.
        """
        height = wheelset.radius if self.height is None else self.height
        for side, y in (("left", self.half_width), ("right", -self.half_width)):
            lower, upper = hub.at(0, y, height - wheelset.radius), seat.body.at(seat.x, y, height - seat.height)
            self.suspension.add(m, f"{name}_{side}", lower, upper, seat.load / 2)


def check_half_width(part: str, given: float, *, zero: bool = False) -> None:
    """Distance of a suspension from the middle of a vehicle, m."""
    if not (given > 0 or (zero and given == 0)):
        raise ModelError(
            f"{part}: half_width must {'not be negative' if zero else 'be greater than zero'}, got {given!r} m."
        )
    if given > WIDEST:
        raise ModelError(
            f"{part}: half_width is {given:g} m, wider than any track; is it given in mm? Lengths are in m."
        )


def check_suspension(part: str, given: object) -> None:
    """A slot for a suspension takes nothing else."""
    if not isinstance(given, Suspension):
        raise ModelError(f"{part}: suspension must be one such as rail.Bushing((kx, ky, kz)), got {given!r}.")
