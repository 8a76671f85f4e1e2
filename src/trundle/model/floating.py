"""Bodies that are connected only by contacts with friction or contacts that may open: they get a free joint, and the
contacts act on them.
"""

import copy
from collections.abc import Sequence

from trundle.model.body import Body, as_frame
from trundle.model.connect import connect
from trundle.model.connection import ConnectedPair, may_part
from trundle.model.model import Model
from trundle.pairs.lower import Free


def floating(model: Model) -> Model:
    """The model with a free joint for one body of every group that no joint connects to the ground or a moving frame;
    the model itself if there is none.
    """
    joints = [c for c in model.connections.values() if not may_part(c)]
    reached: set[Body] = set()
    for root in model.roots:
        _spread(root, reached, joints)
    touched = {b for c in model.connections.values() if may_part(c) for b in c.bodies}
    free = {}
    for body in model.bodies.values():
        if body in reached:
            continue
        group: set[Body] = set()
        _spread(body, group, joints)
        reached |= group
        if group & touched:
            name = f"{body.name} free" if body.name in model.connections else body.name
            free[name] = connect(name, Free(), as_frame(model.ground), as_frame(body))
    if not free:
        return model
    out = copy.copy(model)
    out.connections = {**model.connections, **free}
    return out


def _spread(body: Body, group: set[Body], joints: Sequence[ConnectedPair]) -> None:
    """Bodies that joints lead to."""
    waiting = [body]
    while waiting:
        here = waiting.pop()
        if here not in group:
            group.add(here)
            waiting += [other for c in joints if here in c.bodies for other in c.bodies]
