"""A digest of everything that shapes the equations, so that a model met before needs no derivation.

Laws and forces are asked with symbols in place of the motion; their answers are part of the digest, so two ways to
write the same
law agree and a changed law never hits an old kernel.
"""

import hashlib
from dataclasses import fields
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.model.body import Body, Frame
from trundle.model.law import EffortLaw, Servo
from trundle.model.model import Model


def fingerprint(model: Model) -> str:
    """Digest of a checked model; raises what a law raises when asked with symbols."""
    parts: list[str] = [model.name, _text(model.gravity)]
    parts += [f"parameter {p.name}" for p in model.parameters.values()]
    for body in model.bodies.values():
        if not body.is_ground:
            inertia = body.mass_properties()
            parts.append(f"body {body.name} {_text(inertia.mass)} {_text(inertia.com)} {_text(inertia.matrix)}")
    t, q, u = (ca.SX.sym(n) for n in "tqu")
    for c in model.connections.values():
        settings = [_text(getattr(c.pair, f.name)) for f in fields(c.pair)]
        parts.append(f"connect {c.name} {type(c.pair).__name__} {settings} {_text(c.first)} {_text(c.second)}")
        for name, law in c.laws.items():
            if isinstance(law, EffortLaw):
                answers = (law.effort(t, q, u), law.potential(t, q), law.dissipated(t, q, u), law.supplied(t, q, u))
                parts.append(f"law {name} {[_text(a) for a in answers]}")
            elif isinstance(law, Servo):
                parts.append(f"servo {name} {_text(law.motion(t))}")
    signals = Placeholder(t)
    for name, force in model.forces.items():
        terms = force.terms(signals)
        parts.append(f"force {name} {_text(terms.wrenches)} {_text(terms.efforts)}")
        parts.append(_text([terms.potential, terms.dissipated, terms.supplied]))
        parts.append(_text({k: v[0] for k, v in terms.measures.items()}))
    for output in model.outputs.values():
        parts.append(f"output {output.name} {_text(output.function(signals))}")
    for event in model.events.values():
        action = event.action if isinstance(event.action, str) else {k: f(signals) for k, f in event.action.items()}
        parts.append(f"event {event.name} {event.direction} {_text(event.function(signals))} {_text(action)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@final
class Placeholder:
    """Signals whose every answer is a symbol named after the question."""

    def __init__(self, t: Any) -> None:
        self.t = t
        self.asked: dict[str, Any] = {}

    def _symbol(self, name: str, size: int, columns: int = 1) -> Any:
        if name not in self.asked:
            self.asked[name] = ca.SX.sym(name, size, columns)
        return self.asked[name]

    def __getitem__(self, name: str) -> Any:
        vectors = ("position", "velocity", "angular_velocity", "angular_rate")
        quantity = name.partition(".")[2]
        size = 3 if quantity.removeprefix("com_") in vectors else 4 if quantity == "quaternion" else 1
        return self._symbol(name, 9 if quantity == "rotation" else size)

    def position(self, frame: Frame) -> Any:
        return self._symbol("p " + _text(frame), 3)

    def velocity(self, frame: Frame) -> Any:
        return self._symbol("v " + _text(frame), 3)

    def angular_velocity(self, frame: Frame) -> Any:
        return self._symbol("w " + _text(frame), 3)

    def rotation(self, frame: Frame) -> Any:
        return self._symbol("R " + _text(frame), 3, 3)


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
    return repr(value)
