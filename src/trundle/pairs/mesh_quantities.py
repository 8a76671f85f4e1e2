"""Quantities of every mesh besides those of a contact: moments on both sides, and power."""

from collections.abc import Iterator
from math import tan

import casadi as ca

from trundle.quantity import Of, Quantity


def mesh_quantities(owner: str) -> Iterator[Quantity]:
    """The quantities of the mesh `owner`."""
    of = f"in mesh {owner!r}"
    for i, side in enumerate(("first", "second")):
        text = f"moment on the {side} body about the axis through its frame, {of}"
        yield Quantity(owner, f"{side}_moment", "N m", text, 1, _moment(owner, i), "reactions")
    text = f"power that the second body receives, {of}"
    yield Quantity(owner, "transmitted_power", "W", text, 1, lambda e: e.mesh_power(owner), "reactions")


def force_quantity(owner: str, kind: str, text: str) -> Quantity:
    """The force along the line of the mesh, under its usual name."""
    return Quantity(owner, kind, "N", f"{text}, in mesh {owner!r}", 1, lambda e: e.contact_force(owner, 2), "reactions")


def tooth_quantities(owner: str, pressure_angle: float, along: str, across: str) -> Iterator[Quantity]:
    """Tooth forces along the pitch surfaces, and normal to them by the pressure angle (rad)."""
    yield force_quantity(owner, "tooth_force", f"force of the first wheel on the second {along}")
    slope = tan(pressure_angle)
    text = f"force that the pressure angle adds {across}, in mesh {owner!r}"
    yield Quantity(
        owner, "separating_force", "N", text, 1, lambda e: slope * ca.fabs(e.contact_force(owner, 2)), "reactions"
    )


def _moment(owner: str, side: int) -> Of:
    return lambda e: e.mesh_moment(owner, side)
