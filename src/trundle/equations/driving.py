"""Wrenches that frames with prescribed motion exert on the bodies that they carry and touch, and their power."""

from collections.abc import Iterable, Sequence
from typing import final

import casadi as ca

from trundle.constraints.row import Row
from trundle.equations.derive import Equations
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair
from trundle.motion.motion import FrameLoad, FrameMotion
from trundle.space.rotation import cross, dot
from trundle.typing import Expr

Wrench = tuple[Expr, Expr]  # force, moment


@final
class Driving:
    """Wrenches on moving frames.

    A free joint without any law transmits no wrench: bodies connected to a frame only by such joints are left out.
    """

    def __init__(self, equations: Equations) -> None:
        e = self.equations = equations
        driven = {e.signals.register.get(name).quantity.owner for name in e.coordinate_efforts}
        driven |= {row.owner for row in e.rows if row.driven is not None}
        self._loose = {j.connection.name for j in e.topology.tree
                       if len(j.connection.pair.free) == 6 and j.connection.name not in driven}  # fmt: skip
        self._holder: dict[Body, Body] = {frame: frame for frame in e.model.frames}
        for joint in e.topology.tree if e.formalism == "kane" else ():
            if joint.connection.name not in self._loose and joint.parent in self._holder:
                self._holder[joint.child] = self._holder[joint.parent]

    def wrenches(
        self, rows: Sequence[Row], udot: Expr, multipliers: Expr, drags: Iterable[tuple[ConnectedPair, Expr, Expr]] = ()
    ) -> dict[Body, Wrench]:
        """Force and moment about its origin that each frame exerts, ground axes; `drags` are forces and moments on
        second bodies at their frames.
        """
        e = self.equations
        out: dict[Body, Wrench] = {frame: (ca.SX.zeros(3), ca.SX.zeros(3)) for frame in e.model.frames}

        def add(body: Body, point: Expr, force: Expr, moment: Expr) -> None:
            frame = self._holder.get(body)
            if frame is not None:
                F, M = out[frame]
                out[frame] = F + force, M + moment + cross(point - e.motion.body(frame).p, force)

        for body, point, force, moment in e.motion.accelerating_wrenches(e.inertias, e.gravity, udot):
            add(body, point, force, moment)
        for body, loads in e.loads.items():
            for _, point, force, moment in loads:
                add(body, point, -force, -moment)
        acting = [(row.owner, multipliers[i] * row.force, multipliers[i] * row.moment) for i, row in enumerate(rows)]
        for name, force, moment in [*acting, *((c.name, F, M) for c, F, M in drags)]:
            c = e.model.connections[name]
            point = e.motion.frame(c.second).p
            add(c.touching, point, -force, -moment)
            add(c.first.body, point, force, moment)
        return out

    def without_rows(self, held: Iterable[FrameLoad]) -> dict[Body, Wrench]:
        """The wrenches for equations without rows, from the forces in joints and the loads on the frames."""
        e = self.equations
        out: dict[Body, Wrench] = {frame: (ca.SX.zeros(3), ca.SX.zeros(3)) for frame in e.model.frames}
        on_frames = [(frame, "", -load.force, -load.moment - cross(load.point - e.motion.body(frame).p, load.force))
                     for frame in out for load in e.loads.get(frame, ())]  # fmt: skip
        for frame, connection, force, moment in [*held, *on_frames]:
            if frame in out and connection not in self._loose:
                F, M = out[frame]
                out[frame] = F + force, M + moment
        return out

    def power(self, wrenches: dict[Body, Wrench]) -> Expr:
        """Power of the wrenches (W)."""
        total = ca.SX(0)
        for frame, wrench in wrenches.items():
            total += power_of(wrench, self.equations.motion.body(frame))
        return total


def power_of(wrench: Wrench, frame: FrameMotion) -> Expr:
    """Power of a wrench about the origin of a frame (W)."""
    return dot(wrench[0], frame.v) + dot(wrench[1], frame.w)
