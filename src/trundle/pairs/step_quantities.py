"""Quantities of one freedom of a pair: coordinate, rate, acceleration, generalised forces along it."""

from collections.abc import Iterator

from trundle.quantity import Needs, Of, Quantity
from trundle.space.chain import Named, acceleration_name, rate_name, rate_unit, turn_name, unit

CONSTRAINT_FORCES = {
    "ideal": "generalised force that the ideal constraints exert along the rate",
    "nonideal": "generalised force that non-ideal constraints exert along the rate",
}
"""Kinds of constraint forces by coordinate, available with the pseudo-inverse [Ikoki 2021, Eqs. 4, 5]."""


def step_quantities(owner: str, step: Named, axis: str = "") -> Iterator[Quantity]:
    """The quantities of a step of the chain of connection `owner`, which slides along the `axis` of its first frame, if
    that is not what its name says.
    """
    coordinate, of = f"{owner}.{step.name}", f" of connection {owner!r}{f', along {axis}' * bool(axis)}"
    single = step.n_u == 1
    needs, per_second = Needs.COORDINATE if single else Needs.STATE, rate_unit(step)
    kind = "coordinate" if single else "rotation of the second body relative to the first as a unit quaternion"
    rate = "rate of the coordinate" if single else "angular velocity relative to the first body, in axes of the second"
    yield Quantity(
        owner, step.name, unit(step), kind + of, step.n_q, lambda s: s.value(coordinate), "state", needs=needs,
        signal=True, start=True, coordinate=single, changes=single, axis=axis,
    )  # fmt: skip
    yield Quantity(
        owner, rate_name(step), per_second, rate + of, step.n_u, lambda s: s.rate(coordinate), "state", order=1,
        needs=needs, signal=True, start=True, changes=True,
    )  # fmt: skip
    yield Quantity(
        owner, acceleration_name(step), per_second.replace("/s", "/s^2"), f"time derivative of the {rate}{of}",
        step.n_u, lambda e: e.acceleration_of(coordinate), "accelerations", order=2, needs=Needs.STATE,
    )  # fmt: skip
    force = "N" if step.slides else "N m"
    for i, (name, text) in enumerate(CONSTRAINT_FORCES.items()):
        yield Quantity(
            owner, f"{turn_name(step)}_{name}_force", force, text + of, step.n_u, _constraint_force(coordinate, i),
            "constraint forces", needs=Needs.WEIGHTS,
        )  # fmt: skip


def _constraint_force(coordinate: str, kind: int) -> Of:
    return lambda e: e.constraint_force(coordinate, kind)
