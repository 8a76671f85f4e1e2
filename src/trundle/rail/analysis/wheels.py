"""Which contacts a vehicle has, found from its model: wheels by wheelset and side."""

from typing import NamedTuple, final

from trundle.errors import ModelError
from trundle.model.body import Moves
from trundle.model.model import Model
from trundle.rail.vehicle.wheel_on_rail import WheelOnRail


@final
class Wheel(NamedTuple):
    """A contact of a wheel with its rail."""

    name: str  # of the force: its measures are name.Q, name.Y and so on
    wheelset: str  # name of the body
    out: float  # 1 on the left, -1 on the right
    static_load: float | None = None  # N, if it is known

    @property
    def side(self) -> str:
        return "left" if self.out > 0 else "right"


def wheels_of(model: Model) -> list[Wheel]:
    """All wheels on rails, in the order in which they were put into the model; ModelError if there are none."""
    found = [
        Wheel(name, force.wheel.name, force.place.out, force.static_load)
        for name, force in model.forces.items()
        if isinstance(force, WheelOnRail)
    ]
    if not found:
        raise ModelError(f"the model {model.name!r} has no wheels on rails (rail.WheelOnRail).")
    return found


def lateral_of(model: Model, wheel: Wheel) -> str:
    """The lateral coordinate of the wheelset of a wheel: that of the hub in which the axle spins, on its track."""
    before = {c.second.body.name: c for c in reversed(model.connections.values())}
    bearing = before[wheel.wheelset]
    return f"{before.get(bearing.first.body.name, bearing).name}.y"


def by_wheelset(wheels: list[Wheel]) -> dict[str, list[Wheel]]:
    """Wheels of each wheelset."""
    sets: dict[str, list[Wheel]] = {}
    for wheel in wheels:
        sets.setdefault(wheel.wheelset, []).append(wheel)
    return sets


def heaviest(model: Model) -> str:
    """The body with the largest mass: the car, where no other is named."""
    bodies = [body for body in model.bodies.values() if body.moves is Moves.FREE]
    return max(bodies, key=lambda body: float(body.mass)).name


def total_mass(model: Model) -> float:
    """Of all bodies, kg."""
    return sum(float(body.mass) for body in model.bodies.values() if body.moves is Moves.FREE)
