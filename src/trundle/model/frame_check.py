"""What can be wrong with moving frames: their expressions, their rotation, what they are joined to, or that nobody
uses them.
"""

from functools import partial
from typing import Any

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.model.body import Body
from trundle.model.frame import FrameSignals, GivenMotion
from trundle.model.law_probe import Asker
from trundle.model.model import Model
from trundle.typing import Array

TIMES = (0.0, 0.37, 1.21, 5.03)  # s, at which a rotation is looked at
ROTATION = 1e-9  # by which a rotation matrix may be off
LOOKED_AT, CELLS = 20.0, 400  # s and parts of it in which jumps are looked for
NARROW = 1e-7  # s: what changes within less has jumped
JUMP = 1e-5  # m, m/s or of a rotation matrix, over its size: a smaller change is none


def frame_faults(model: Model) -> list[str]:
    """Faults of all moving frames in words."""
    faults = _joined(model)
    for frame in model.frames:
        found = _motion_faults(model, frame)
        faults += found
        if not found and not _is_used(model, frame):
            faults.append(
                f"frame {frame.name!r} is used by nobody: no connection, force, output or event knows it. Connect a "
                f"body to it, model.connect(tr.Free(), model.bodies[{frame.name!r}], body), or leave it out."
            )
    return faults


def first_pose(model: Model, frame: Body) -> tuple[Array, Array]:
    """Numbers: position and rotation of a frame at t = 0, with the default parameters."""
    assert frame.motion is not None
    signals = _signals(model, ca.SX(0.0))
    symbols, values = _start(model, signals)
    found = ca.Function("pose", [symbols], list(frame.motion.pose(signals)))(values)
    return np.array(ca.DM(found[0])).ravel(), np.array(ca.DM(found[1]))


def _signals(model: Model, t: Any) -> FrameSignals:
    """Parameters, states and their rates as symbols."""
    states = model.every_state()
    known = {name: x.symbol for name, x in model.parameters.items()}
    known |= {state.name: ca.SX.sym(state.name) for state in states}
    return FrameSignals(t, known, {state.name: ca.SX.sym(f"rate of {state.name}") for state in states})


def _start(model: Model, signals: FrameSignals) -> tuple[Any, list[float]]:
    """Symbols that a frame may depend on beside time, and their values at the start; rates count as zero."""
    states, tables = model.every_state(), model.tables.values()
    starts = [float(model.start.get(state.name, state.start)) for state in states]
    handles = [table.table.block.handle for table in tables]
    values = [*model.parameter_values().values(), *starts, *[0.0] * len(states), *handles]
    return ca.vertcat(ca.SX(0, 1), *signals.symbols, *[table.symbol for table in tables]), values


def _joined(model: Model) -> list[str]:
    """Connections and forces between bodies whose motion is given."""
    faults = []
    for c in model.connections.values():
        a, b = c.bodies
        if a is not b and not a.is_free and not b.is_free:
            faults.append(
                f"connection {c.name!r} joins {a.name!r} and {b.name!r}, whose motions are both given: it could only "
                "agree with them or contradict. Leave it out, or give one of them a mass (model.body)."
            )
    for name, force in model.forces.items():
        bodies = {place.body for place in force.places}
        if len(bodies) == 2 and not any(body.is_free for body in bodies):
            ends = " and ".join(sorted(repr(body.name) for body in bodies))
            faults.append(f"force {name!r} acts between {ends}, whose motions are given: it can move nothing.")
    return faults


def _motion_faults(model: Model, frame: Body) -> list[str]:
    motion = frame.motion
    assert motion is not None
    asker, where = Asker(model), f"frame {frame.name!r}"
    signals = _signals(model, asker.t)
    asker.known |= {x.element_hash() for x in ca.symvar(ca.vertcat(ca.SX(0, 1), *signals.symbols))}
    place = asker.ask(f"{where}: its position", lambda: [motion.position.at(signals)], 3)
    turn = asker.ask(f"{where}: its rotation", lambda: [motion.turn.at(signals)], motion.turn.size)
    for rates in () if motion.rates is None else (motion.rates,):
        asker.ask(f"{where}: its rates", partial(_answer, rates.at, signals), rates.size)
    if asker.faults or not place or not turn:
        return asker.faults
    return _number_faults(model, motion, signals, where)


def _number_faults(model: Model, motion: GivenMotion, signals: FrameSignals, where: str) -> list[str]:
    """Numbers at some times, with the default parameters."""
    p, R = motion.pose(signals)
    pose = ca.vertcat(p, ca.vec(R))
    v = derivative(pose, signals.t)
    a = derivative(v, signals.t)
    symbols, values = _start(model, signals)
    f = ca.Function("pose", [signals.t, symbols], [ca.densify(x) for x in (p, R, v, a)])
    for t in TIMES:
        x, turn, *rates = (np.array(ca.DM(out)) for out in f(t, values))
        if t == 0.0 and not all(np.all(np.isfinite(part)) for part in (x, turn)):
            return [f"{where}: its position or rotation is not a finite number at the start, t = 0."]
        if t == 0.0 and not all(np.all(np.isfinite(part)) for part in rates):
            return [
                f"{where}: its velocity or acceleration is not a finite number at the start, t = 0; the motion must "
                "have two derivatives (t**1.5 has one)."
            ]
        if not np.all(np.isfinite(turn)):
            continue
        off = float(np.max(np.abs(turn.T @ turn - np.eye(3))))
        if off > ROTATION or np.linalg.det(turn) < 0:
            why = f"R' R differs from 1 by {off:.2g}" if off > ROTATION else "its determinant is -1: it mirrors"
            return [
                f"{where}: its rotation is none at t = {t:g} s: {why}. Give (axis, angle), a quaternion, or a matrix "
                "with orthonormal columns."
            ]
    return _jump_faults(f, values, where)


def _jump_faults(pose: Any, values: list[float], where: str) -> list[str]:
    """A pose or velocity that jumps: a part of time in which it changes by what its rate does not explain, however
    narrow the part is made.
    """

    def at(times: Array) -> tuple[Array, Array]:
        """Pose and velocity below each other, and their rates, a column for each time."""
        x, turn, v, a = (np.array(ca.DM(out)) for out in pose(ca.DM(times).T, ca.repmat(ca.DM(values), 1, len(times))))
        flat = turn.reshape(3, len(times), 3).transpose(2, 0, 1).reshape(9, len(times))
        return np.vstack([x, flat, v]), np.vstack([v, a])

    t = np.linspace(0.0, LOOKED_AT, CELLS + 1)
    begin, end = t[:-1], t[1:]
    while len(begin) and end[0] - begin[0] > NARROW:
        middle = (begin + end) / 2
        begin, end = np.concatenate([begin, middle]), np.concatenate([middle, end])
        (x0, r0), (x1, r1) = at(begin), at(end)
        gap = np.abs(x1 - x0 - (r0 + r1) / 2 * (end - begin)) / (1.0 + np.abs(x0) + np.abs(x1))
        worst = np.max(np.where(np.isfinite(gap), gap, 0.0), axis=0)
        chosen = np.argsort(-worst, kind="stable")[:8]
        chosen = chosen[worst[chosen] > JUMP]
        begin, end = begin[chosen], end[chosen]
    if not len(begin):
        return []
    return [
        f"{where}: its pose or its velocity jumps at t = {np.min(end):g} s; bodies in it would be struck. Give a "
        "smooth motion, or let an event change a parameter of it: bodies then keep their velocities in the ground."
    ]


def _is_used(model: Model, frame: Body) -> bool:
    places = [place.body for c in model.connections.values() for place in (c.first, c.second)]
    places += [place.body for force in model.forces.values() for place in force.places]
    return frame in places or frame.name in _asked(model)


def _asked(model: Model) -> set[str]:
    """Bodies that outputs, events and forces ask for."""
    asker = Asker(model)
    functions: list[Any] = [output.function for output in model.outputs.values()]
    functions += [event.function for event in model.events.values()]
    for function in functions:
        asker.ask("", partial(_answer, function, asker.signals))
    for force in model.forces.values():
        asker.ask_force("", partial(force.terms, asker.signals))
    found = set()
    for question, _ in asker.signals.questions.values():
        place = getattr(question.of, "body", None)
        found.add(place.name if place is not None else str(question.of).rpartition(".")[0])
    return found


def _answer(function: Any, signals: Any) -> list[Any]:
    return [function(signals)]
