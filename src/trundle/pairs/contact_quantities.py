"""Quantities of every contact of two surfaces: its point, the motion there, the forces."""

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
        text = f"{text} force of the first body on the second, in contact {owner!r}"
        return Quantity(owner, kind, "N", text, 1, lambda e: e.contact_force(owner, axis), "reactions")

    motion = "slip velocity of the second body relative to the first"
    yield known("contact_point", "m", "contact point in the ground", lambda s: s.contact_motion(owner).contact.point, 3)
    yield known(
        "contact_normal", "", "outward normal of the first surface at the contact point, ground axes",
        lambda s: s.contact_motion(owner).contact.axes[2], 3,
    )  # fmt: skip
    yield known("slip_x", "m/s", f"longitudinal {motion}", lambda s: s.contact_motion(owner).rate("slip_x"), order=1)
    yield known("slip_y", "m/s", f"lateral {motion}", lambda s: s.contact_motion(owner).rate("slip_y"), order=1)
    yield known(
        "forward_velocity", "m/s", "longitudinal velocity of the contact point over the first surface",
        lambda s: s.contact_motion(owner).forward_velocity, order=1,
    )  # fmt: skip
    yield known(
        "spin", "rad/s", "angular velocity of the second body relative to the first about the normal",
        lambda s: s.contact_motion(owner).rate("spin"), order=1,
    )  # fmt: skip
    yield known("gap", "m", "distance between the two surfaces", lambda s: s.contact_motion(owner).contact.distance)
    yield force("normal_force", "normal", 2)
    yield force("slip_force_x", "longitudinal", 0)
    yield force("slip_force_y", "lateral", 1)


def curvature_quantity(owner: str) -> Quantity:
    """The smallest relative curvature at the contact `owner`; the surfaces intersect nearby if it is negative."""
    text = "smallest relative curvature of the surfaces, negative where they intersect"
    return Quantity(
        owner, "relative_curvature", "1/m", f"{text}, in contact {owner!r}", 1, lambda e: e.curvature(owner),
        "curvatures",
    )  # fmt: skip
