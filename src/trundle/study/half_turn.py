"""Laws, events and outputs on measured angles that pass half a turn.

The angle of a joint that is not a coordinate of the tree (every one in absolute coordinates, those that close loops) is
measured in (-pi, pi]: a spring or an event on it jumps where it passes half a turn, and the run is that of another
machine. Its whole turns are counted along the run, and what depends on them is evaluated with and without them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace

import casadi as ca
import numpy as np

from trundle.equations.formulation import Formulation
from trundle.integrate.outcome import HALF_TURN, Outcome
from trundle.integrate.trajectory import Trajectory
from trundle.model.body import Body, Frame
from trundle.run.turns import TURN, added_turns, measured_angles
from trundle.typing import AnyArray, Array, ModelPart, TapeFunction

CHANGE = 1e-6  # of the accelerations, rates and event functions: less than that by a whole turn is none


def within_half_turn(f: Formulation, trajectory: Trajectory, start: Mapping[str, float]) -> Trajectory:
    """The trajectory, with HALF_TURN as its outcome where something depends on turns that a measured angle lacks;
    `start` has angles at the start, as far as these are known.
    """
    trail = trajectory.trail
    came_to_its_end = trajectory.outcome.ok or trajectory.audit is not None  # a jump may be why energy is off
    if trail is None or not came_to_its_end or not f.once(used_measured_angles):
        return trajectory
    table = np.vstack([trajectory.events.p, trajectory.p_end[None, :]])
    t, x, p = trail.t, trail.x, table[trail.events_before]
    if trajectory.t_end > t[-1]:  # an event may have stopped it right behind a jump
        t, x, p = (np.concatenate([a, [b]]) for a, b in ((t, trajectory.t_end), (x, trajectory.x_end), (p, table[-1])))
    names = f.once(used_measured_angles)
    turns, unclear = _turns_lacking(f, names, t, x, p, start)
    for k in np.flatnonzero(np.any((turns != 0) | unclear, axis=1)):
        for i in np.flatnonzero((turns[k] != 0) | unclear[k]):
            if _depends(f, f.once(measured_angles).index(names[i]), turns[k, i] or 1.0, float(t[k]), x[k], p[k]):
                return replace(trajectory, outcome=ended_at(names[i], float(t[k])), audit=None)
    return trajectory


def ended_at(name: str, time: float) -> Outcome:
    """HALF_TURN of this angle at this time."""
    return replace(HALF_TURN, sentence=HALF_TURN.sentence.format(angle=repr(name), time=f"{time:.6g}"))


def counts_turns(f: Formulation, t: float, x: Array, p: Array) -> bool:
    """Whether something depends on the whole turns of a measured angle, as far as one state shows."""
    names = f.once(measured_angles)
    return any(_depends(f, names.index(name), 1.0, t, x, p) for name in f.once(used_measured_angles))


def used_measured_angles(f: Formulation) -> list[str]:
    """Measured angles that laws, forces, states or events may use, known without deriving anything."""
    m = f.model
    measured = set(f.once(measured_angles))
    if not measured:
        return []
    parts: list[ModelPart] = [
        m.forces,
        m.events,
        m.every_state(),
        m.blocks,
        m.resistances,
        m.relaxations,
        m.weight_matrices,
    ]
    for c in m.connections.values():
        parts += [[f"{c.name}.{name}" for name in c.laws], list(c.laws.values()), list(c.friction_laws), c.given]
    names = {full for name in _words(parts, set()) if (full := f.register.full(name)) in measured}
    return [name for name in f.once(measured_angles) if name in names]


def _words(part: object, seen: set[int]) -> Iterator[str]:
    """All names that occur in a part of a model, including the signals that its functions use."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        yield from _words([*part.keys(), *part.values()], seen)
    elif isinstance(part, list | tuple):
        for one in part:
            yield from _words(one, seen)
    elif is_dataclass(part) and not isinstance(part, Body | Frame | type) and id(part) not in seen:
        seen.add(id(part))
        yield from _words([getattr(part, field.name) for field in fields(part)], seen)


def _turns_lacking(
    f: Formulation, names: list[str], t: Array, x: Array, p: Array, start: Mapping[str, float]
) -> tuple[Array, AnyArray]:
    """Whole turns that each measured angle lacks at each state, and where it is not clear how many."""
    turns, unclear = np.zeros((len(t), len(names))), np.zeros((len(t), len(names)), bool)
    if names:
        found = f.evaluate(names[0], t, x, p)
        for i, name in enumerate(names):
            rate = found.get(f"{name}_rate")
            more, doubt = added_turns(f, name, t, x, found[name][:, 0], None if rate is None else rate[:, 0], start)
            turns[:, i], unclear[1:, i] = np.round(more / TURN), doubt
    return turns, unclear


def _depends(f: Formulation, i: int, turns: float, t: float, x: Array, p: Array) -> bool:
    """Whether accelerations, rates of states or events change with whole turns of angle i."""
    whole = np.zeros(len(f.once(measured_angles)))
    before = np.array(f.once(_dependent)(t, x, p, whole)).ravel()
    whole[i] = turns
    after = np.array(f.once(_dependent)(t, x, p, whole)).ravel()
    change = np.abs(after - before)
    return bool(np.any(change[np.isfinite(change)] > CHANGE * (1.0 + np.max(np.abs(before[np.isfinite(before)])))))


def _dependent(f: Formulation) -> TapeFunction:
    """What shapes the run, as a function of (t, x, p) and of whole turns of the measured angles."""
    names = f.once(measured_angles)
    whole = ca.SX.sym("turns", len(names))
    by_name = dict(zip(names, ca.vertsplit(whole), strict=True))
    functions = f.functions_of(f.derivation.turned_equations(f.in_joints, by_name))
    e = functions.equations
    callables = [event.function for event in f.model.events.values()]
    for event in f.model.events.values():
        if not isinstance(event.action, str):
            callables += [value for value in event.action.values() if callable(value)]
    values = [functions.dynamics[0], e.coordinate_rates(), *(ca.SX(function(e.signals)) for function in callables)]
    return ca.Function("dependent", [*functions.inputs, whole], [ca.densify(ca.vertcat(*values))])
