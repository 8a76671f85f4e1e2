"""Ideal rolling: constraints on the velocities at the point of contact [Meijaard 2024, Eqs. 24, 25]."""

from dataclasses import dataclass
from typing import ClassVar, final

from trundle.laws.friction_law import ContactLaw


@final
@dataclass(frozen=True)
class NoSlip(ContactLaw):
    """Rolling without slip: the two bodies have the same velocity at the contact point."""

    held: ClassVar[tuple[str, ...]] = ("slip_x", "slip_y")


@final
@dataclass(frozen=True)
class NoSpin(ContactLaw):
    """No relative rotation about the common normal."""

    held: ClassVar[tuple[str, ...]] = ("spin",)
