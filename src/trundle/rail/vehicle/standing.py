"""Which bodies of a model are cars, and which wheelsets carry each body: found from the connections and forces."""

from collections import defaultdict
from typing import NamedTuple, final

from trundle.model.model import Model
from trundle.rail.vehicle.wheel_on_rail import WheelOnRail


@final
class Standing(NamedTuple):
    """Which wheelsets carry a body."""

    wheelsets: frozenset[str]  # bodies on rails that carry it, also through others
    is_car: bool  # nothing stands on it


def wheelset_bodies(model: Model) -> set[str]:
    """Names of the bodies with wheels on rails."""
    return {force.wheel.name for force in model.forces.values() if isinstance(force, WheelOnRail)}


def standing(model: Model) -> dict[str, Standing]:
    """Free bodies above wheelsets by name. A body is one level above those on which it hangs by suspensions; bodies
    joined to a wheelset belong to it.
    """
    wheels = wheelset_bodies(model)
    beside: dict[str, set[str]] = defaultdict(set)
    axles: dict[str, set[str]] = {name: {name} for name in wheels}  # level by level, from the wheelsets up
    for c in model.connections.values():
        first, second = c.first.body, c.second.body
        if first.is_free and second.is_free and len({first.name, second.name} & wheels) == 1:
            hub, axle = (first, second) if second.name in wheels else (second, first)
            axles.setdefault(hub.name, set()).add(axle.name)
    for force in model.forces.values():
        ends = {place.body.name for place in force.places if place.body.is_free}
        for name in ends:
            beside[name] |= ends - {name}
    level, found = set(axles), {}
    while level:
        above: dict[str, set[str]] = defaultdict(set)
        for name in level:
            for other in beside[name] - set(axles):
                above[other] |= axles[name]
        axles.update(above)
        for name in level - wheels:
            found[name] = Standing(frozenset(axles[name]), not beside[name] & set(above))
        level = set(above)
    return found
