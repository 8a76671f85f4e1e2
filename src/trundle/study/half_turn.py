"""Laws on measured angles that pass half a turn.

The angle of a joint that is no coordinate of the tree (every one in absolute coordinates, those that close loops) is
measured in (-pi, pi]: a spring on it jumps where it passes half a turn, and the run is that of another machine.
"""

from dataclasses import replace

import casadi as ca
import numpy as np

from trundle.constraints.measure import Measure
from trundle.equations.formulation import Formulation
from trundle.integrate.outcome import HALF_TURN
from trundle.integrate.trajectory import Trajectory
from trundle.typing import Array, TapeFunction

JUMP = 1e-6  # of the accelerations: less than that across half a turn is none
HALVINGS = 60


def within_half_turn(f: Formulation, trajectory: Trajectory) -> Trajectory:
    """The trajectory, with HALF_TURN as its outcome where a force jumped as a measured angle passed half a turn."""
    trail = trajectory.trail
    if trail is None or len(trail.t) < 2 or not trajectory.outcome.ok or not may_jump(f):
        return trajectory
    names, angles = f.once(_angles)
    if not names:
        return trajectory
    p = np.vstack([trajectory.events.p, trajectory.p_end[None, :]])
    values = np.array(angles(trail.t[None, :], trail.x.T, p[trail.events_before].T))
    passed = (np.abs(np.diff(values, axis=1)) > np.pi) & (np.diff(trail.events_before) == 0)
    for k in np.flatnonzero(np.any(passed, axis=0)):
        for i in np.flatnonzero(passed[:, k]):
            if _jumps(f, angles, int(i), float(trail.t[k]), trail.x[k : k + 2], p[trail.events_before[k]]):
                sentence = HALF_TURN.sentence.format(angle=repr(names[i]), time=f"{trail.t[k]:.6g}")
                return replace(trajectory, outcome=replace(HALF_TURN, sentence=sentence))
    return trajectory


def may_jump(f: Formulation) -> bool:
    """Whether there are forces, and joints that are measured, as far as is known without deriving anything."""
    measured = f.topology.cut if f.in_joints else f.model.connections.values()
    forces = bool(f.model.forces or f.model.coordinate_laws())
    return forces and any(not c.is_contact for c in measured)


def _angles(f: Formulation) -> tuple[list[str], TapeFunction]:
    """Names of the measured angles of a model, and these as a function of (t, x, p)."""
    measured = f.functions.equations.signals.measured
    found = {name: m.value for name, m in measured.items() if isinstance(m, Measure) and m.is_angle}
    if not found:
        return [], None
    return list(found), ca.Function("angles", f.functions.inputs, [ca.vertcat(*found.values())])


def _jumps(f: Formulation, angles: TapeFunction, i: int, t: float, x: Array, p: Array) -> bool:
    """Whether the accelerations jump between two states where angle i passes half a turn between them."""
    low, high = x[0], x[1]
    side = float(angles(t, low, p)[i]) > 0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if (float(angles(t, middle, p)[i]) > 0) == side:
            low = middle
        else:
            high = middle
    rhs = f.kernels("base")["rhs"]
    before, after = (np.array(rhs(t, state, p))[f.states.u] for state in (low, high))
    return bool(np.max(np.abs(after - before), initial=0.0) > JUMP * (1.0 + np.max(np.abs(before), initial=0.0)))
