"""Hints at numbers of laws and friction that are possible, but more likely a slip of sign or unit."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from math import pi

from trundle.laws.efforts import Damper, Spring
from trundle.laws.law import Law, Together
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.space.chain import unit
from trundle.study.large_angles import ROUND
from trundle.typing import Expr

STICKY = 5.0  # rubber on dry asphalt has a coefficient of friction of about 1


def unlikely_numbers(model: Model) -> list[str]:
    """A sentence for each; parameters are not looked at."""
    return [hint for c in model.connections.values() for hint in (*_of_laws(c), *_of_friction(c))]


def _of_laws(c: ConnectedPair) -> Iterator[str]:
    units = {step.name: unit(step) for step in c.pair.coordinates} if c.laws else {}
    for coordinate, law in c.laws.items():
        for part in _parts(law):
            where = f"The {type(part).__name__} on {c.name}.{coordinate}"
            if isinstance(part, Spring | Damper) and _number(part.damping) < 0:
                yield f"{where} has a negative damping ({part.damping:g}): it drives the motion that it should damp."
            rest = abs(_number(part.rest)) if isinstance(part, Spring) else 0.0
            if units.get(coordinate) == "rad" and rest > 2 * pi and rest % ROUND == 0:
                remedy = f"if degrees are meant, write tr.degrees({rest:g})."
                yield f"{where} rests at {rest:g} rad. Angles are in rad: {remedy}"


def _of_friction(c: ConnectedPair) -> Iterator[str]:
    for law in c.friction_laws:
        for field in fields(law) if is_dataclass(law) else ():
            value = _number(getattr(law, field.name))
            if field.name.startswith("mu") and value > STICKY:
                yield (
                    f"The {type(law).__name__} of {c.name!r} has {field.name}={value:g}: a coefficient of friction is "
                    "a ratio of forces, 0.3 and not 30 per cent or degrees."
                )


def _parts(law: Law) -> tuple[Law, ...]:
    return law.laws if isinstance(law, Together) else (law,)


def _number(value: Expr) -> float:
    """Zero for a parameter or a function."""
    return float(value) if isinstance(value, int | float) else 0.0
