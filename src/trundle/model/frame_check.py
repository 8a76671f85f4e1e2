"""Checks of moving frames: their expressions, their rotation, their connections, and whether they are used."""

from collections.abc import Callable, Sequence
from functools import partial

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.laws.signals import NamedSignals
from trundle.model.body import Body
from trundle.model.frame import FrameSignals, GivenMotion
from trundle.model.law_probe import LawProbe
from trundle.model.model import Model
from trundle.model.register import model_register
from trundle.model.start_values import start_values
from trundle.typing import Expr, TapeFunction

TIMES = (0.0, 0.37, 1.21, 5.03)  # s, at which a rotation is checked
ROTATION = 1e-9  # by which a rotation matrix may be off


def frame_faults(model: Model) -> list[str]:
    """Faults of all moving frames in words."""
    faults = _joined(model)
    for frame in model.frames:
        found = _motion_faults(model, frame)
        faults += found
        if not found and not _is_used(model, frame):
            faults.append(
                f"frame {frame.name!r} is not used: no connection, force, output or event refers to it. Connect a "
                f"body to it, model.connect(tr.Free(), model.bodies[{frame.name!r}], body), or leave it out."
            )
    return faults


def frame_signals(model: Model, t: Expr) -> FrameSignals:
    """Parameters, states and their rates as symbols."""
    states = model.every_state()
    known = {name: x.symbol for name, x in model.parameters.items()}
    known |= {state.name: ca.SX.sym(state.name) for state in states}
    return FrameSignals(t, known, {state.name: ca.SX.sym(f"rate of {state.name}") for state in states})


def _start(model: Model, signals: FrameSignals) -> tuple[TapeFunction, list[float]]:
    """Symbols that a frame may depend on beside time, and their values at the start; rates count as zero."""
    states, tables = model.every_state(), model.tables.values()
    given = start_values(model)
    starts = [float(given.get(state.name, state.start)) for state in states]
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
                f"connection {c.name!r} joins {a.name!r} and {b.name!r}, whose motions are both prescribed: it "
                f"would be redundant or contradict them. Leave it out, or give one of them a mass (model.body)."
            )
    for name, force in model.forces.items():
        bodies = {place.body for place in force.places}
        if len(bodies) == 2 and not any(body.is_free for body in bodies):
            ends = " and ".join(sorted(repr(body.name) for body in bodies))
            faults.append(f"force {name!r} acts between {ends}, whose motions are prescribed: it has no effect.")
    return faults


def _motion_faults(model: Model, frame: Body) -> list[str]:
    motion = frame.motion
    assert motion is not None
    probe, where = LawProbe(model), f"frame {frame.name!r}"
    signals = frame_signals(model, probe.t)
    probe.known |= {x.element_hash() for x in ca.symvar(ca.vertcat(ca.SX(0, 1), *signals.symbols))}
    parts = [("position", motion.position, 3), ("rotation", motion.turn, motion.turn.size)]
    parts += [] if motion.rates is None else [("rates", motion.rates, motion.rates.size)]

    def evaluate(checked: bool) -> list[Expr]:
        answers: list[Expr] = []
        for name, part, size in parts:
            answers += probe.evaluate(f"{where}: its {name}", partial(_answer, part.at, signals), size, checked)
        return answers

    answers = evaluate(checked=False)
    if not probe.faults and not probe.is_sound(ca.veccat(*answers)):  # all at once, as they share most operations
        evaluate(checked=True)
    if probe.faults:
        return probe.faults
    return _number_faults(*_numbers_of(model, motion, signals, answers), where)


def pose_function(model: Model, motion: GivenMotion, signals: FrameSignals) -> tuple[TapeFunction, list[float]]:
    """Position, rotation, and two derivatives of both by time as a function of time and [parameters, states, their
    rates, tables]; and the values of these at the start.
    """
    p, R = motion.pose(signals)
    v = derivative(ca.vertcat(p, ca.vec(R)), signals.t)
    symbols, values = _start(model, signals)
    outputs = [ca.densify(x) for x in (p, R, v, derivative(v, signals.t))]
    return ca.Function("pose", [signals.t, symbols], outputs), values


def _numbers_of(
    model: Model, motion: GivenMotion, signals: FrameSignals, answers: Sequence[Expr]
) -> tuple[TapeFunction, list[float]]:
    """The same; where the motion gives its rates itself, these in place of derivatives, which take long. `answers` are
    position, turn and rates.
    """
    if motion.rates is None:
        return pose_function(model, motion, signals)
    place, turn, rates = answers
    symbols, values = _start(model, signals)
    outputs = [ca.densify(x) for x in (place, motion.matrix(turn), rates)]
    return ca.Function("pose", [signals.t, symbols], outputs), values


def _number_faults(f: TapeFunction, values: Sequence[float], where: str) -> list[str]:
    """Numbers at some times, with the default parameters."""
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
        with np.errstate(over="ignore", invalid="ignore"):  # of huge entries
            off = float(np.nan_to_num(np.max(np.abs(turn.T @ turn - np.eye(3))), nan=np.inf, posinf=np.inf))
        if off > ROTATION or np.linalg.det(turn) < 0:
            why = f"R' R differs from 1 by {off:.2g}" if off > ROTATION else "its determinant is -1: it mirrors"
            return [
                f"{where}: it gives no rotation at t = {t:g} s: {why}. Give (axis, angle), a quaternion, or a matrix "
                "with orthonormal columns."
            ]
    return []


def _is_used(model: Model, frame: Body) -> bool:
    places = [place.body for c in model.connections.values() for place in (c.first, c.second)]
    places += [place.body for force in model.forces.values() for place in force.places]
    return frame in places or frame.name in _referenced_bodies(model)


def _referenced_bodies(model: Model) -> set[str]:
    """Bodies to which outputs, events and forces refer."""
    probe = LawProbe(model)
    functions: list[Expr] = [output.function for output in model.outputs.values()]
    functions += [event.function for event in model.events.values()]
    for function in functions:
        probe.evaluate("", partial(_answer, function, probe.signals))
    for force in model.forces.values():
        probe.evaluate_force("", partial(force.terms, probe.signals))
    found, register = set(), model_register(model)
    for question, _ in probe.signals.questions.values():
        place = getattr(question.of, "body", None)
        entry = None if place is not None else register.find(str(question.of))
        found |= {place.name} if place is not None else {entry.quantity.owner} if entry is not None else set()
    return found


def _answer(function: Callable[[NamedSignals], Expr], signals: NamedSignals) -> list[Expr]:
    return [function(signals)]
