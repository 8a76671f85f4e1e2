"""Units of parameters and inputs are labels: where one that is not of SI stands for a number of the model, that is
said, since numbers are taken in SI units.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

import casadi as ca

from trundle.model.body import Body, Frame
from trundle.model.input import Input
from trundle.model.model import Model
from trundle.typing import ModelPart

SCALED = frozenset(
    unit
    for units in (
        "nm um µm mm cm dm km in inch ft mg g t tonne tonnes lb us µs ms min h deg ° degree degrees mrad rpm",
        "mN kN MN kgf lbf mbar hPa kPa bar MPa GPa psi mW kW MW hp PS mJ kJ MJ Wh kWh mA kA mV kV kph mph kmh % ‰",
    )
    for unit in units.split()
)
"""Multiples of units, and units that are not those of SI."""


def scaled(unit: str) -> str:
    """The first part of a unit that is not one of SI; empty if there is none."""
    return next((part for part in re.split(r"[\s/*·^()0-9.+-]+", unit) if part in SCALED), "")


def unit_notes(model: Model) -> list[str]:
    """Where numbers in other units than those of SI are used as they are."""
    units = {p.symbol.element_hash(): p for p in model.parameters.values() if scaled(p.unit)}
    if not units:
        return []
    found: dict[str, str] = {}
    for where, part in _parts(model):
        for value in _values(part):
            parameter = value.level if isinstance(value, Input) else units.get(value.element_hash())
            if parameter is not None and scaled(parameter.unit):
                found.setdefault(parameter.name, where)
    return [
        f"{where} takes the number of the {'input' if name in model.inputs else 'parameter'} {name!r} as it is, in "
        f"units of SI (m, kg, s, N, rad): its unit {model.parameters[name].unit!r} is a label, nothing is converted. "
        f"Convert it where it is used, as in 0.001 * {name} or tr.degrees({name}), or give the number in units of SI."
        for name, where in found.items()
    ]


def _parts(model: Model) -> Iterator[tuple[str, ModelPart]]:
    """Parts of the model that take numbers, and what they are called."""
    yield "gravity", model.gravity
    for body in model.free_bodies:
        yield f"body {body.name!r}", [body.mass, body.inertia, body.com, body.about]
    for c in model.connections.values():
        yield f"connection {c.name!r}", [getattr(c, f.name) for f in fields(c)]
    for name, force in model.forces.items():
        yield f"force {name!r}", force
    for name, value in model.start.items():
        yield f"the start of {name!r}", value


def _values(part: ModelPart, depth: int = 0) -> Iterator[ModelPart]:
    """All symbols and inputs that are one of its numbers, not part of an expression."""
    if isinstance(part, Input):
        yield part
    elif isinstance(part, ca.SX):
        yield from (one for one in ca.vertsplit(ca.vec(ca.densify(part))) if one.is_symbolic())
    elif isinstance(part, Frame):
        yield from _values(part.position)
    elif isinstance(part, Mapping):
        yield from _values([*part.values()], depth)
    elif isinstance(part, list | tuple):
        for one in part:
            yield from _values(one, depth)
    elif is_dataclass(part) and not isinstance(part, Body | type) and depth < 5:
        for field in fields(part):
            yield from _values(getattr(part, field.name, None), depth + 1)
