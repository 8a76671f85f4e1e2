"""Quantities of a connection: of its pair and laws, its reactions, and the deflections of its surfaces."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trundle.laws.law import EffortLaw
from trundle.quantity import Of, Quantity
from trundle.space.chain import unit

if TYPE_CHECKING:
    from trundle.model.connection import ConnectedPair

WAYS = {
    "slip_x": ("m", "along"),
    "slip_y": ("m", "across"),
    "roll_x": ("rad", "about the axis along"),
    "roll_y": ("rad", "about the axis across"),
    "spin": ("rad", "about the normal"),
}
"""Unit and words of the bonds along which surfaces yield."""


def connection_quantities(c: "ConnectedPair") -> Iterator[Quantity]:
    """The quantities of a connection."""
    yield from c.pair.quantities(c.name)
    on = f"on {c.second.body.name!r} in connection {c.name!r}, ground axes"
    yield Quantity(
        c.name, "reaction_force", "N", f"constraint force {on}", 3, lambda e: e.reaction(c.name)[0], "reactions"
    )
    yield Quantity(
        c.name, "reaction_moment", "N m", f"constraint moment at the joint {on}", 3, lambda e: e.reaction(c.name)[1],
        "reactions",
    )  # fmt: skip
    if c.is_contact:
        yield from _contact(c)
    else:
        axes = f"of the second frame relative to the first in connection {c.name!r}, along its own axes"
        for i, (kind, unit_, text) in enumerate(
            (("mu", "m/s^2", "relative acceleration"), ("lambda", "rad/s^2", "relative angular acceleration"))
        ):
            yield Quantity(c.name, kind, unit_, f"{text} {axes}", 3, _relative(c, i), "relative", order=2)
    units = {coordinate.name: unit(coordinate) for coordinate in c.pair.coordinates} if c.laws else {}
    for name, law in c.laws.items():
        yield from law.quantities(c.name, name, units[name])


def _relative(c: "ConnectedPair", i: int) -> Of:
    return lambda e: e.relative_acceleration(c.name)[i]


def _contact(c: "ConnectedPair") -> Iterator[Quantity]:
    """What laws at a contact add to its quantities."""
    of = f"in contact {c.name!r}"
    for text, names, rate in (
        ("deflection of the surfaces", dict(zip(c.bristle_bonds, c.bristles, strict=True)), False),
        ("deflection out of the plane", c.out_of_plane, True),
    ):
        for bond, name in names.items():
            measured, way = WAYS[bond]
            yield Quantity(c.name, name, measured, f"{text} {way}, {of}", 1, _value(c, name), signal=True, start=True)
            if rate:
                yield Quantity(
                    c.name, f"{name}_rate", f"{measured}/s", f"rate of the {text} {way}, {of}", 1, _rate(c, name),
                    order=1, signal=True, start=True,
                )  # fmt: skip
    if c.unilateral or c.separates or c.friction_laws:
        words = "0 open, 1 sliding, 2 sticking" if c.friction_laws else "0 open, 1 touching, 2 rolling"
        text = f"{words} {of}"
        yield Quantity(c.name, "state", "", text, 1, lambda e: e.contact_state(c.name), "contacts")
    if c.friction_laws:
        text = f"power lost by friction {of}"
        yield Quantity(c.name, "friction_power", "W", text, 1, lambda e: e.friction_power(c.name), "reactions")
    if c.relaxes:
        text = f"weight of the rolling constraint, 1 held and 0 lifted, {of}"
        row = f"{c.name}.{c.sliding[0]}"
        yield Quantity(c.name, "stiction", "", text, 1, lambda e: e.weight(row), "reactions")
    for bond, law in c.bond_laws.items():
        if isinstance(law, EffortLaw):
            effort = "N m" if bond in ("roll_x", "roll_y", "spin") else "N"
            text = f"effort on the second body at the contact: {c.name}.{bond}"
            yield Quantity(c.name, f"{bond}_effort", effort, text, 1, _effort(c, bond), "forces")


def _value(c: "ConnectedPair", name: str) -> Of:
    return lambda s: s.value(f"{c.name}.{name}")


def _rate(c: "ConnectedPair", name: str) -> Of:
    return lambda s: s.rate(f"{c.name}.{name}")


def _effort(c: "ConnectedPair", bond: str) -> Of:
    return lambda e: e.measure(f"{c.name}.{bond}", "effort")
