"""Shapes for drawing. They have no mass and no contact."""

from dataclasses import dataclass
from typing import final

Point = tuple[float, float, float]


@final
@dataclass(frozen=True)
class Rod:
    """Straight bar between two points of the body."""

    start: Point
    end: Point


@final
@dataclass(frozen=True)
class Box:
    """Cuboid with edges along the body axes."""

    size: Point
    at: Point = (0.0, 0.0, 0.0)


@final
@dataclass(frozen=True)
class Disc:
    """Circle of the given radius about an axis of the body."""

    radius: float
    axis: str = "y"
    at: Point = (0.0, 0.0, 0.0)


@final
@dataclass(frozen=True)
class Ball:
    """Point mass drawn as a dot."""

    radius: float
    at: Point = (0.0, 0.0, 0.0)


@final
@dataclass(frozen=True)
class Rails:
    """Two rails and their sleepers along the path of a moving frame, `gauge` (m) apart; y is across, z is up."""

    gauge: float = 1.5


Shape = Rod | Box | Disc | Ball | Rails
