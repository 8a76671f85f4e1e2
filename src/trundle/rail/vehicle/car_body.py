"""The car body as a part of a vehicle."""

from dataclasses import dataclass
from typing import final

from trundle.errors import ModelError
from trundle.rail.suspension.suspension import check_numbers, check_triple


@final
@dataclass(frozen=True)
class CarBody:
    """Mass (kg), moments of inertia about its centre (kg m^2), height of the centre above the rails at rest (m).

    In a train it has couplers: `half_length` (m) before and behind the middle, `coupler_height` (m) above the rails.

    Parameters
    ----------
    mass : float or expression
        In kg.
    inertia : three numbers
        About the centre (kg m^2).
    height : float
        Of the centre above the rails at rest (m).
    half_length : float, optional
        Of a coupler from the middle (m).
    coupler_height : float
        Above the rails (m).
    """

    mass: float
    inertia: tuple[float, float, float]
    height: float
    half_length: float | None = None
    coupler_height: float = 1.06

    def __post_init__(self) -> None:
        check_triple("CarBody", inertia=self.inertia)
        given = {
            "mass": self.mass,
            "inertia": self.inertia,
            "height": self.height,
            "coupler height": self.coupler_height,
        }
        check_numbers("CarBody", ("mass", "inertia", "height"), **given)
        if self.half_length is not None and not self.half_length > 0:
            raise ModelError(f"CarBody: half_length must be greater than zero, got {self.half_length!r} m.")
