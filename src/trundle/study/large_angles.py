"""Start angles beyond a whole turn: degrees are easily given for rad."""

from collections.abc import Mapping
from math import pi
from typing import Any

from trundle.model.model import Model
from trundle.quantities.state_layout import StateLayout

ROUND = 0.5  # degrees are given in halves; the angle that another run ended with is not


def large_angles(model: Model, layout: StateLayout, values: Mapping[str, Any]) -> list[str]:
    """A hint for every angle above 2 pi."""
    large = {n: v for n, v in values.items() if isinstance(v, float | int) and abs(v) > 2 * pi}
    if not large:
        return []
    angles = {c.name for c in layout.coordinates if c.unit == "rad"}
    angles |= {
        f"{c.name}.{s.name}"
        for c in model.connections.values()
        for s in c.pair.coordinates
        if s.n_u == 1 and not s.slides
    }
    return [
        f"Start value {name} = {value:g} rad is {abs(value) / (2 * pi):.3g} turns. Angles are in rad: if "
        f"degrees are meant, write tr.degrees({value:g})."
        for name, value in large.items()
        if model.resolve(name) in angles
    ]


def likely_degrees(model: Model, layout: StateLayout, values: Mapping[str, Any]) -> list[str]:
    """The same for round numbers only: a run that goes on from the end of another has large angles by right."""
    round_ones = {n: v for n, v in values.items() if isinstance(v, float | int) and v % ROUND == 0}
    return large_angles(model, layout, round_ones)
