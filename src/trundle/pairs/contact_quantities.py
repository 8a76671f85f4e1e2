"""What can be asked of every contact of two surfaces: its point, the motion there, the forces."""

from collections.abc import Iterator

from trundle.quantity import Of, Quantity


def contact_quantities(owner: str) -> Iterator[Quantity]:
    """The quantities of the contact `owner`, whatever its laws."""

    def known(kind: str, unit: str, text: str, of: Of, size: int = 1, order: int = 0) -> Quantity:
        return Quantity(
            owner, kind, unit, f"{text}, in contact {owner!r}", size, of, "contacts", order=order, signal=True,
            start=True,
        )  # fmt: skip

    def force(kind: str, text: str, axis: int) -> Quantity:
        text = f"force of the first body on the second {text}, in contact {owner!r}"
        return Quantity(owner, kind, "N", text, 1, lambda e: e.contact_force(owner, axis), "reactions")

    motion = "velocity of the second body against the first at the contact"
    yield known(
        "contact_point", "m", "point of contact in the ground", lambda s: s.contact_motion(owner).contact.point, 3
    )
    yield known(
        "contact_normal", "", "normal out of the first surface at the point of contact, ground axes",
        lambda s: s.contact_motion(owner).contact.axes[2], 3,
    )  # fmt: skip
    yield known("slip_x", "m/s", f"{motion}, along", lambda s: s.contact_motion(owner).rate("slip_x"), order=1)
    yield known("slip_y", "m/s", f"{motion}, across", lambda s: s.contact_motion(owner).rate("slip_y"), order=1)
    yield known(
        "forward_velocity", "m/s", "velocity of the point of contact over the first surface, along",
        lambda s: s.contact_motion(owner).forward_velocity, order=1,
    )  # fmt: skip
    yield known(
        "spin", "rad/s", "turning of the second body against the first about the normal",
        lambda s: s.contact_motion(owner).rate("spin"), order=1,
    )  # fmt: skip
    yield known("gap", "m", "distance of the two surfaces", lambda s: s.contact_motion(owner).contact.gap)
    yield force("normal_force", "along the normal", 2)
    yield force("slip_force_x", "along", 0)
    yield force("slip_force_y", "across", 1)


def curvature_quantity(owner: str) -> Quantity:
    """How far the surfaces of the contact `owner` are from cutting each other."""
    text = "smallest relative curvature of the surfaces, below zero where they cut each other"
    return Quantity(
        owner, "relative_curvature", "1/m", f"{text}, in contact {owner!r}", 1, lambda e: e.curvature(owner),
        "curvatures",
    )  # fmt: skip
