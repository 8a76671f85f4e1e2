"""A coordinate of a joint, with its indices among the coordinates and speeds."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import final

from trundle.quantity import LABELS
from trundle.space.chain import Step, acceleration_name, rate_name, rate_unit, turn_name, unit


@final
@dataclass(frozen=True)
class Coordinate:
    """A coordinate of a tree joint or of a free body: one number, or a quaternion with three speeds."""

    owner: str  # connection or body
    step: Step = field(compare=False)  # of its chain
    i_q: int
    i_u: int

    @cached_property
    def name(self) -> str:
        """The long name, "connection.coordinate"."""
        return f"{self.owner}.{self.step.name}"

    @cached_property
    def rate_name(self) -> str:
        """Name of its speeds."""
        return f"{self.owner}.{rate_name(self.step)}"

    @property
    def acceleration_name(self) -> str:
        """Name of the time derivative of the speeds."""
        return f"{self.owner}.{acceleration_name(self.step)}"

    @property
    def force_name(self) -> str:
        """Stem of the names of generalised forces along its speeds."""
        return f"{self.owner}.{turn_name(self.step)}"

    @property
    def names(self) -> tuple[str, ...]:
        """One name for each number."""
        return (self.name,) if self.n_q == 1 else tuple(f"{self.name}_{a}" for a in LABELS[self.n_q])

    @property
    def rate_names(self) -> tuple[str, ...]:
        """One name for each speed."""
        return (self.rate_name,) if self.n_u == 1 else tuple(f"{self.rate_name}_{a}" for a in LABELS[self.n_u])

    @property
    def turn_names(self) -> tuple[str, ...]:
        """One name for each speed: that of the displacement or angle whose rate it is."""
        return (self.name,) if self.n_u == 1 else tuple(f"{self.force_name}_{a}" for a in LABELS[self.n_u])

    @property
    def n_q(self) -> int:
        return self.step.n_q

    @property
    def n_u(self) -> int:
        return self.step.n_u

    @property
    def unit(self) -> str:
        return unit(self.step)

    @property
    def rate_unit(self) -> str:
        return rate_unit(self.step)

    @property
    def q(self) -> slice:
        """Its slice of the coordinates."""
        return slice(self.i_q, self.i_q + self.n_q)

    @property
    def u(self) -> slice:
        """Its slice of the speeds."""
        return slice(self.i_u, self.i_u + self.n_u)
