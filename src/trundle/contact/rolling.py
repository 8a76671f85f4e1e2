"""Ideal rolling: constraints on the velocities at the point of contact [Meijaard 2024, Eqs. 24, 25]."""

from dataclasses import dataclass
from typing import ClassVar, final

from trundle.laws.law import ContactLaw


@final
@dataclass(frozen=True)
class NoSlip(ContactLaw):
    """The two bodies have the same velocity at the point of contact."""

    held: ClassVar[tuple[str, ...]] = ("slip_x", "slip_y")


@final
@dataclass(frozen=True)
class NoSpin(ContactLaw):
    """The bodies do not turn against each other about the common normal."""

    held: ClassVar[tuple[str, ...]] = ("spin",)
