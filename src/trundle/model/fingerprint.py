"""A digest of everything that shapes the equations, so that a model met before needs no derivation.

Laws and forces are asked with symbols in place of the motion; their answers are part of the digest, so two ways to
write the same law agree and a changed law never hits an old kernel.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from typing import Any

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.model.ask import Asker
from trundle.model.body import Body, Frame
from trundle.model.law import EffortLaw, FlowLaw, FrictionLaw
from trundle.model.model import Model
from trundle.model.tracking import RateTracking
from trundle.pairs.surface import Surface


def fingerprint(model: Model) -> str:
    """Digest of a checked model; ModelError with all faults when a law, force, output or event is no expression."""
    asker = Asker(model)
    parts: list[str] = [model.name, _text(model.gravity), _text(model.start), _text(model.aliases)]
    parts += [f"parameter {p.name}" for p in model.parameters.values()]
    parts += [f"break {_text(time)}" for time in model.breaks]
    for body in model.bodies.values():
        if not body.is_ground:
            inertia = body.mass_properties()
            parts.append(f"body {body.name} {_text(inertia.mass)} {_text(inertia.com)} {_text(inertia.matrix)}")
    for c in model.connections.values():
        settings = [_text(getattr(c.pair, f.name)) for f in fields(c.pair)]
        parts.append(f"connect {c.name} {type(c.pair).__name__} {settings} {_text(c.first)} {_text(c.second)}")
        parts.append(f"contact {c.held} {c.touching.name} {c.compliant} {c.modes}")
        bounce = c.restitution
        parts.append(f"restitution {type(bounce).__name__} {_text(bounce.e)} {bounce.rest_speed} {c.unilateral}")
    parts += _answers(model, asker)
    if asker.faults:
        raise ModelError(asker.faults)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def function_faults(model: Model) -> list[str]:
    """What is wrong with the functions of the user; empty when nothing is."""
    asker = Asker(model)
    _answers(model, asker)
    return asker.faults


def _answers(model: Model, asker: Asker) -> list[str]:
    """Answers of all laws, forces, outputs and events as text."""
    parts = []
    t, q, u, s = asker.t, asker.q, asker.u, asker.signals

    def energies(law: EffortLaw) -> Iterator[Any]:
        yield law.effort(t, q, u)  # checked before the rest, which may be made from it
        yield from (law.potential(t, q), law.dissipated(t, q, u), law.supplied(t, q, u))

    for c in model.connections.values():
        for name, law in (*c.laws.items(), *c.touch_laws.items()):
            where = f"the {type(law).__name__} on {c.name}.{name}"
            answers: list[Any] = []
            if isinstance(law, EffortLaw):
                answers = asker.ask(where, partial(energies, law))
                _check_energy(asker, where, law, answers)
            elif isinstance(law, FlowLaw):
                answers = asker.ask(where, partial(_motion, law, t, q, u))
                _check_motion(asker, where, law, answers)
            parts.append(f"{type(law).__name__} {c.name}.{name} {_text(answers)}")
            if name in c.touch_laws and _uses_place(law, t, q):
                asker.faults.append(
                    f"{where} prescribes a rate that depends on the coordinate, but slip, roll and spin at a contact "
                    "have rates only. Give tr.Flow(function of t)."
                )
        for friction in c.rubbing:
            where = f"the {type(friction).__name__} of contact {c.name!r}"
            bristles = [s[f"{c.name}.{name}"] for name in c.bristles[:1] if friction is c.friction]
            answers = asker.ask(where, partial(_coefficients, friction, s, u, q, bristles))
            parts.append(f"friction {c.name} {c.rubbed(friction)} {c.bristles} {_text(answers)}")
    for name, force in model.forces.items():
        terms = asker.ask_force(f"force {name!r}", partial(force.terms, s))
        if terms is not None:
            energies_of = [terms.potential, terms.dissipated, terms.supplied]
            measures = {k: v[0] for k, v in terms.measures.items()}
            parts.append(f"force {name} {_text([terms.wrenches, terms.efforts, energies_of, measures])}")
    for output in model.outputs.values():
        answers = asker.ask(f"output {output.name!r}", partial(_one, output.function, s))
        parts.append(f"output {output.name} {_text(answers)}")
    for event in model.events.values():
        answers = asker.ask(f"event {event.name!r}", partial(_one, event.function, s))
        parts.append(f"event {event.name} {event.direction} {_text(answers)}")
        if isinstance(event.action, str):
            parts.append(event.action)
            continue
        for target, value in event.action.items():
            where = f"event {event.name!r}, new value of {target!r}"
            answers = asker.ask(where, partial(_one, value, s))
            parts.append(f"{target} {_text(answers)}")
    return parts


def _coefficients(law: FrictionLaw, s: Any, speed: Any, rolling: Any, bristles: list[Any]) -> list[Any]:
    if law.relaxes:
        weight, efforts = law.weighed(s, [speed], [rolling], rolling)
        return [weight, *efforts, float(law.at_centre)]
    efforts, rates = law.resist(s, [speed], rolling, bristles)
    return [law.coefficient(s, speed, rolling), law.limit(s), *efforts, *rates]


def _check_motion(asker: Asker, where: str, law: FlowLaw, answers: list[Any]) -> None:
    """A flow law may only use what it does not prescribe itself."""
    free = {"position": (), "velocity": (asker.q,), "acceleration": (asker.q, asker.u)}
    if law.level not in free:
        asker.faults.append(f"{where}: its level is {law.level!r}; there are {', '.join(map(repr, free))}.")
        return
    for symbol, word in ((asker.q, "coordinate"), (asker.u, "rate")):
        if any(ca.depends_on(ca.SX(a), symbol) for a in answers) and all(symbol is not s for s in free[law.level]):
            asker.faults.append(
                f"{where} prescribes the {law.level} and must not depend on the {word}. tr.Flow takes functions of t "
                "and q, tr.Acceleration of t, q, u."
            )


def _check_energy(asker: Asker, where: str, law: EffortLaw, answers: list[Any]) -> None:
    """effort u = - dV/dt + supplied - dissipated, at some random values of everything."""
    if len(answers) != 4:
        return
    effort, stored, lost, given = (ca.SX(a) for a in answers)
    t, q, u = asker.t, asker.q, asker.u
    rate = ca.jacobian(stored, q) * law.deflection_rate(t, q, u) + ca.jacobian(stored, t)
    terms = ca.vertcat(effort * u, rate, lost, given)
    symbols = ca.symvar(terms)
    f = ca.Function("power", [ca.vertcat(ca.SX(0, 1), *symbols)], [terms])
    rng = np.random.default_rng(1)
    for _ in range(3):
        values = np.array(ca.DM(f(rng.uniform(0.3, 1.2, len(symbols))))).ravel()
        if not np.all(np.isfinite(values)):
            return
        if abs(values[0] + values[1] + values[2] - values[3]) > 1e-7 * (1e-9 + float(np.max(np.abs(values)))):
            asker.faults.append(
                f"{where} does not account for its energy: effort * u is not -dV/dt + supplied - dissipated. Give the "
                "law potential, dissipated or supplied (for a source: supplied = effort * u)."
            )
            return


def _uses_place(law: Any, t: Any, q: Any) -> bool:
    """Whether a prescribed rate, held or drawn to by a spring, depends on the coordinate."""
    flow = law.flow if isinstance(law, RateTracking) else law
    return isinstance(flow, FlowLaw) and bool(ca.depends_on(ca.SX(flow.motion(t, q, 0.0)), q))


def _motion(law: FlowLaw, t: Any, q: Any, u: Any) -> list[Any]:
    return [law.motion(t, q, u)]


def _one(function: Any, argument: Any) -> list[Any]:
    return [function(argument) if callable(function) else function]


def _text(value: Any) -> str:
    if isinstance(value, ca.SX):
        if value.is_constant():
            return _text(np.array(ca.DM(value)).tolist())
        symbols = ca.symvar(value)
        function = ca.Function("f", symbols, [value])
        return f"{[s.name() for s in symbols]} {function.serialize()}"
    if isinstance(value, Frame):
        return f"frame {value.body.name} {_text(value.position)} {_text(value.rotation)}"
    if isinstance(value, Body):
        return f"body {value.name}"
    if isinstance(value, np.ndarray):
        return _text(value.tolist())
    if isinstance(value, dict):
        return "{" + ",".join(f"{k}:{_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_text(v) for v in value) + "]"
    if isinstance(value, Surface):
        return f"{type(value).__name__} {_text([getattr(value, f.name) for f in fields(value)])}"
    return repr(value)
