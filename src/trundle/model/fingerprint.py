"""A digest of everything that determines the equations, so that a known model needs no derivation.

Laws and forces are evaluated with symbols in place of the motion, and the resulting expressions are part of the digest:
two ways to write the same law agree, and a changed law never finds an old kernel.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.laws.friction_law import FrictionLaw
from trundle.laws.law import EffortLaw, FlowLaw
from trundle.laws.signals import Signals
from trundle.laws.tracking import RateTracking
from trundle.lookup.node import operations_of
from trundle.model.connection import ConnectedPair
from trundle.model.exact import exact, is_foreign
from trundle.model.force import Measure
from trundle.model.freeze import frozen
from trundle.model.law_probe import ForceAnswer, LawProbe
from trundle.model.model import Model
from trundle.typing import Expr


@final
class Examined(NamedTuple):
    """What follows from the functions of a model without deriving equations."""

    key: str  # digest of everything that shapes the equations
    measures: Mapping[str, tuple[Measure, ...]]  # of each force, by its name


def fingerprint(model: Model) -> str:
    """Digest of a checked model; ModelError with all faults when a law, force, output or event is not an expression.

    Parts contribute all their fields; forces, and laws of user-defined classes, the expressions that they return.
    """
    return examine(model if model.is_frozen else frozen(model)).key


def examine(model: Model, parts: Sequence[str] | None = None) -> Examined:
    """The digest of a frozen model, and the measures of its forces; ModelError as for `fingerprint`. `parts` is what
    its parts hold, where that is known.
    """
    probe = LawProbe(model)
    answers, measures = _answers(model, probe)
    if probe.faults:
        raise ModelError(probe.faults)
    text = "\n".join([*(held(model) if parts is None else parts), *answers])
    return Examined(hashlib.sha256(text.encode()).hexdigest(), measures)


def held(model: Model) -> list[str]:
    """The fields of the parts of a frozen model as text, without what must be evaluated."""
    parts: list[str] = [exact(v) for v in (model.name, model.gravity, model.start, model.aliases, model.impacts)]
    parts += [f"parameter {p.name!r}" for p in model.parameters.values()]
    parts += [exact(table) for table in model.tables.values()]
    parts += [f"input {name!r}" for name in model.inputs]
    parts += [f"break {exact(time)}" for time in model.breaks]
    for body in model.free_bodies:
        inertia = body.mass_properties()
        parts.append(f"{exact(body)} {exact([inertia.mass, inertia.com, inertia.matrix])}")
    parts += [f"frame {frame.name!r} {exact(frame.motion)}" for frame in model.frames]
    for c in model.connections.values():
        seals = sorted(f"{bond} {law.title}" for bond, law in c.given)  # the laws themselves stand by their bonds
        parts.append(f"connection {exact(replace(c, given=()))} {seals} {c.held} {c.touching.name!r}")
    parts += [f"force {f.title} {exact([f.places, f.coordinates])} {f.element}" for f in model.forces.values()]
    parts += [f"output {name!r} {exact(output.function)}" for name, output in model.outputs.items()]
    parts += [f"event {name!r} {exact(event)}" for name, event in model.events.items()]
    parts += [f"weight {name!r} {exact(weight)}" for name, weight in sorted(model.relaxations.items())]
    parts += [f"weights {rows!r} {exact(matrix)}" for rows, matrix in sorted(model.weight_matrices.items())]
    parts += [f"resistance {name!r} {exact(effort)}" for name, effort in sorted(model.resistances.items())]
    return parts


def function_faults(model: Model) -> list[str]:
    """Faults of the user's functions; empty if there are none."""
    probe = LawProbe(model)
    _answers(model, probe)
    return probe.faults


def _answers(model: Model, probe: LawProbe) -> tuple[list[str], dict[str, tuple[Measure, ...]]]:
    """Evaluates all laws, forces, outputs and events; returns what the fields of the parts do not show, as text, and
    the measures of forces.
    """
    parts: list[str] = []
    measures = {}
    s = probe.signals
    for c in model.connections.values():
        _probe_laws(probe, c)
        parts += _probe_frictions(probe, c)
    for state in model.every_state():
        answers = probe.evaluate(f"the rate of state {state.name!r}", partial(_one, state.rate, s))
        parts.append(f"state {exact([state.name, state.start, state.unit, answers])}")
    for block in model.blocks.values():
        for given in block.outputs():
            answers = probe.evaluate(f"{given.kind!r} of block {block.name!r}", partial(_one, given.function, s))
            parts.append(f"block {exact([block.name, given.kind, answers])}")
    for name, force in model.forces.items():
        answer = probe.evaluate_force(f"force {name!r}", partial(force.terms, s))
        if answer is not None:
            parts.append(f"force {name} {_contributed(answer)}")
            measures[name] = answer.terms.listed()
    for output in model.outputs.values():
        probe.evaluate(f"output {output.name!r}", partial(_one, output.function, s))
    for event in model.events.values():
        probe.evaluate(f"event {event.name!r}", partial(_one, event.function, s))
        for target, value in event.action.items() if not isinstance(event.action, str) else ():
            probe.evaluate(f"event {event.name!r}, new value of {target!r}", partial(_one, value, s))
    return parts, measures


def _probe_laws(probe: LawProbe, c: ConnectedPair) -> None:
    """Evaluates the laws on the coordinates and bonds of a connection."""
    t, q, u = probe.t, probe.q, probe.u

    def energies(law: EffortLaw) -> Iterator[Expr]:
        yield law.effort(t, q, u)  # checked before the rest, which may be made from it
        yield from (law.potential(t, q), law.dissipated(t, q, u), law.supplied(t, q, u))

    for name, law in (*c.laws.items(), *c.bond_laws.items()):
        where = f"the {law.title} on {c.name}.{name}"
        if isinstance(law, EffortLaw):
            _check_energy(probe, where, law, probe.evaluate(where, partial(energies, law)))
        elif isinstance(law, FlowLaw):
            _check_motion(probe, where, law, probe.evaluate(where, partial(_motion, law, t, q, u)))
        if name in c.bond_laws and _uses_place(law, t, q):
            probe.faults.append(
                f"{where} prescribes a rate that depends on the coordinate, but slip, roll and spin at a contact "
                "have rates only. Give tr.Flow(function of t)."
            )


def _probe_frictions(probe: LawProbe, c: ConnectedPair) -> Iterator[str]:
    """Evaluates the friction laws of a contact; results of user-defined classes as text."""
    s = probe.signals
    for friction in c.friction_laws:
        motions = c.friction_motions(friction)
        bristles = [s[f"{c.name}.{name}"] for name in c.bristles[: len(motions)] if friction is c.friction]
        ask = partial(_coefficients, friction, s, [probe.u] * len(motions), probe.q, bristles)
        answers = probe.evaluate(f"the {friction.title} of contact {c.name!r}", ask)
        if is_foreign(friction):
            yield f"friction {c.name} {motions} {c.bristles} {exact(answers)}"


def _contributed(force: ForceAnswer) -> str:
    """The contributions of a force as text: names, and all expressions on one tape, as they share most operations."""
    terms = force.terms
    names = [frame for frame, _, _ in terms.wrenches], [name for name, _ in terms.efforts], list(terms.measures)
    symbols = [symbol.name() for symbol in force.symbols]
    return f"{exact([*names, force.sizes])} {symbols} {operations_of(force.function)}"


def _coefficients(law: FrictionLaw, s: Signals, motion: list[Expr], rolling: Expr, bristles: list[Expr]) -> list[Expr]:
    speed = motion[0]
    if law.relaxes:
        weight, efforts = law.weighed(s, [speed], [rolling], rolling)
        return [weight, *efforts, float(law.at_centre)]
    efforts, rates = law.resist(s, motion, rolling, bristles if law.has_bristles else [])
    return [law.coefficient(s, speed, rolling), law.limit(s), *efforts, *rates]


def _check_motion(probe: LawProbe, where: str, law: FlowLaw, answers: list[Expr]) -> None:
    """A flow law may only use what it does not prescribe itself."""
    free = {"position": (), "velocity": (probe.q,), "acceleration": (probe.q, probe.u)}
    if law.level not in free:
        probe.faults.append(f"{where}: its level is {law.level!r}; there are {', '.join(map(repr, free))}.")
        return
    for symbol, word in ((probe.q, "coordinate"), (probe.u, "rate")):
        if any(ca.depends_on(ca.SX(a), symbol) for a in answers) and all(symbol is not s for s in free[law.level]):
            probe.faults.append(
                f"{where} prescribes the {law.level} and must not depend on the {word}. tr.Flow takes functions of t "
                "and q, tr.Acceleration of t, q, u."
            )


def _check_energy(probe: LawProbe, where: str, law: EffortLaw, answers: list[Expr]) -> None:
    """effort u = - dV/dt + supplied - dissipated, at some random values of everything."""
    if len(answers) != 4:
        return
    effort, stored, lost, given = (ca.SX(a) for a in answers)
    t, q, u = probe.t, probe.q, probe.u
    rate = derivative(stored, q) * law.deflection_rate(t, q, u) + derivative(stored, t)
    terms = ca.vertcat(effort * u, rate, lost, given)
    symbols = ca.symvar(terms)
    f = ca.Function("power", [ca.vertcat(ca.SX(0, 1), *symbols)], [terms])
    rng = np.random.default_rng(1)
    hashes = [s.element_hash() for s in symbols]
    handles = {i: probe.tables[h].block.handle for i, h in enumerate(hashes) if h in probe.tables}
    for _ in range(3):
        at = rng.uniform(0.3, 1.2, len(symbols))
        at[list(handles)] = list(handles.values())
        values = np.array(ca.DM(f(at))).ravel()
        if not np.all(np.isfinite(values)):
            return
        if abs(values[0] + values[1] + values[2] - values[3]) > 1e-7 * (1e-9 + float(np.max(np.abs(values)))):
            if probe.compare(where, lambda: [law.effort(t, q, u)], effort, 1):
                return
            probe.faults.append(
                f"{where} does not account for its energy: effort * u is not -dV/dt + supplied - dissipated. Give the "
                "law potential, dissipated or supplied (for a source: supplied = effort * u)."
            )
            return


def _uses_place(law: object, t: Expr, q: Expr) -> bool:
    """Whether a prescribed rate, held or drawn to by a spring, depends on the coordinate."""
    flow = law.flow if isinstance(law, RateTracking) else law
    return isinstance(flow, FlowLaw) and bool(ca.depends_on(ca.SX(flow.motion(t, q, 0.0)), q))


def _motion(law: FlowLaw, t: Expr, q: Expr, u: Expr) -> list[Expr]:
    return [law.motion(t, q, u)]


def _one(function: object, argument: object) -> list[Expr]:
    return [function(argument) if callable(function) else function]
