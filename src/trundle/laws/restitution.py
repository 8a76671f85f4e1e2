"""Restitution: the phase of a collision after the bodies have stopped approaching."""

from dataclasses import dataclass
from typing import ClassVar, final

from trundle.errors import ModelError
from trundle.laws import collision_codes as codes
from trundle.laws.coefficient import check, number
from trundle.typing import Expr


@dataclass(frozen=True)
class Restitution:
    """Coefficient between 0 (plastic) and 1 (elastic); collisions slower than `rest_speed` (m/s) do not bounce; None is
    1e-8 of the typical speed of the run.

    Subclasses are final and say what the coefficient compares.
    """

    e: Expr = 0.0
    rest_speed: float | None = None
    code: ClassVar[int] = codes.POISSON

    def __post_init__(self) -> None:
        name = type(self).__name__
        check(name, functions=False, e=self.e)
        plain = number(self.e)
        if plain is not None and plain > 1:
            raise ModelError(f"{name}: the restitution lies between 0 (plastic) and 1 (elastic), got {plain:g}.")
        speed = None if self.rest_speed is None else number(self.rest_speed)
        if self.rest_speed is not None and (speed is None or not speed > 0):
            raise ModelError(
                f"{name}: rest_speed is a speed above zero (m/s) below which nothing bounces, got {self.rest_speed!r}; "
                "without one a bouncing body would never come to rest."
            )


@final
@dataclass(frozen=True)
class Newton(Restitution):
    """Normal velocities: v(end) = -e v(begin). With friction it can gain energy [Kane 1985]; such a run is stopped.

    Parameters
    ----------
    e : float
        From 0 (plastic) to 1.
    rest_speed : float, optional
        Speed of approach below which nothing bounces (m/s).
    """

    code: ClassVar[int] = codes.NEWTON


@final
@dataclass(frozen=True)
class Poisson(Restitution):
    """Normal impulses: that of restitution is e times that of compression.

    Parameters
    ----------
    e : float
        From 0 (plastic) to 1.
    rest_speed : float, optional
        Speed of approach below which nothing bounces (m/s).
    """


@final
@dataclass(frozen=True)
class Stronge(Restitution):
    """Work of the normal force: restitution recovers e^2 of the work of compression. Never gains energy.

    Parameters
    ----------
    e : float
        From 0 (plastic) to 1.
    rest_speed : float, optional
        Speed of approach below which nothing bounces (m/s).
    """

    code: ClassVar[int] = codes.STRONGE
