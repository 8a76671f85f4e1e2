"""Segments of a track in plan: Straight and Arc; transition.py has the curves between them.

A segment is given by its length along the track, and by radius and cant at its end; its beginning follows from the
segment before. A positive radius turns left. Cant (m) is the height of the outer rail over the inner one; on straight
track a positive cant raises the right rail, as in a curve to the left.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from math import copysign, inf, isfinite, isinf, isnan
from typing import final

from trundle.rail.track.basis import polynomial
from trundle.real_array import is_number
from trundle.typing import Array, ModelPart

Parts = tuple[tuple[float, Array], ...]  # end of each part in x, and its coefficients in x of the whole segment


@final
@dataclass(frozen=True)
class Ends:
    """Curvature (1/m, positive to the left) and cant (m, positive with the right rail higher) at a place."""

    curvature: float = 0.0
    cant: float = 0.0


@final
@dataclass(frozen=True)
class Piece:
    """Part of a segment with one set of coefficients: it ends at x = end.

    `cant` gives the sine of the cant angle, or, with by_angle, the angle itself. `slope` is added to that of the
    profile. Coefficients are in x of the segment, or, with a span, in 0 to 1 between its two places.
    """

    end: float
    curvature: Array
    cant: Array
    by_angle: bool = False
    slope: Array | None = None
    span: tuple[float, float] | None = None


@dataclass(frozen=True)
class Segment(ABC):
    """A part of the line in plan."""

    length: float  # m along the track

    def faults(self, half_gauge: float) -> list[str]:
        """Faults of the numbers of this segment, whatever its neighbours.

        Parameters
        ----------
        half_gauge : float
            Half the distance of the rails (m).

        Returns
        -------
        list of str
        """
        if not (isfinite(self.length) and self.length > 0.0):
            return [f"its length is {self.length:g} m; it must be a positive number of metres"]
        return []

    def begins(self) -> Ends:
        """Curvature and cant at its beginning if it is the first segment."""
        return Ends()

    def fixed_begin(self) -> Ends | None:
        """Curvature and cant that the segment before must end with; None if any will do."""
        return None

    @abstractmethod
    def ends(self, before: Ends) -> Ends:
        """Curvature and cant at its end.

        Parameters
        ----------
        before : Ends
            Curvature and cant where it begins.

        Returns
        -------
        Ends
        """

    @abstractmethod
    def pieces(self, before: Ends, half_gauge: float) -> list[Piece]:
        """Curvature and cant along the segment.

        Parameters
        ----------
        before : Ends
            Curvature and cant where it begins.
        half_gauge : float
            Half the distance of the rails (m).

        Returns
        -------
        list of Piece
        """


def type_faults(part: ModelPart) -> list[str]:
    """Fields of a segment or of a part of a profile that should be numbers, or words, and are not."""
    out = []
    for field in fields(part):
        value = getattr(part, field.name)
        if value is None and field.default is None:
            continue
        if field.name in ("ramp", "shape"):
            if not isinstance(value, str):
                out.append(f"its {field.name} is {value!r}; give a word")
        elif field.type in (float, float | None) and not is_number(value):
            straight = " (straight track has the radius inf)" if field.name == "radius" else ""
            out.append(f"its {field.name} is {value!r}; give a number{straight}")
    return out


def fixed_faults(radius: float, cant: float, half_gauge: float) -> list[str]:
    """Faults of a radius and a cant."""
    found = []
    if isnan(radius) or abs(radius) <= half_gauge:
        found.append(
            f"its radius is {radius:g} m; half the gauge is {half_gauge:g} m, and no track turns as sharply as that "
            f"(straight track has the radius inf)"
        )
    if not isfinite(cant) or abs(cant) >= 2.0 * half_gauge:
        found.append(
            f"its cant is {cant:g} m, with rails {2.0 * half_gauge:g} m apart; cant is in metres (150 mm are 0.15)"
        )
    return found


def curvature_of(radius: float) -> float:
    """1/m, positive to the left; zero for an infinite radius."""
    return 0.0 if isinf(radius) else 1.0 / radius


def raised_right(cant: float, radius: float) -> float:
    """Height of the right rail over the left one (m), from the cant of the outer rail."""
    return cant if isinf(radius) else copysign(1.0, radius) * cant


@final
@dataclass(frozen=True)
class Straight(Segment):
    """Straight track.

    Parameters
    ----------
    length : float
        Length along the track (m).
    cant : float
        In m; positive raises the right rail.
    """

    cant: float = 0.0

    def faults(self, half_gauge: float) -> list[str]:
        return [*super().faults(half_gauge), *fixed_faults(inf, self.cant, half_gauge)]

    def begins(self) -> Ends:
        return Ends(0.0, self.cant)

    def fixed_begin(self) -> Ends | None:
        return self.begins()

    def ends(self, before: Ends) -> Ends:
        return self.begins()

    def pieces(self, before: Ends, half_gauge: float) -> list[Piece]:
        return [Piece(1.0, polynomial(0.0), polynomial(self.cant / (2.0 * half_gauge)))]


@final
@dataclass(frozen=True, init=False)
class Arc(Segment):
    """Curve of constant radius (m; positive turns left) and cant (m; raises the outer rail).

    Parameters
    ----------
    radius : float
        In m; positive turns left.
    length : float
        Length along the track (m).
    cant : float
        In m; positive raises the outer rail.
    """

    radius: float = inf
    cant: float = 0.0

    def __init__(self, radius: float, length: float, cant: float = 0.0) -> None:
        object.__setattr__(self, "length", length)
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "cant", cant)

    def faults(self, half_gauge: float) -> list[str]:
        return [*super().faults(half_gauge), *fixed_faults(self.radius, self.cant, half_gauge)]

    def begins(self) -> Ends:
        return Ends(curvature_of(self.radius), raised_right(self.cant, self.radius))

    def fixed_begin(self) -> Ends | None:
        return self.begins()

    def ends(self, before: Ends) -> Ends:
        return self.begins()

    def pieces(self, before: Ends, half_gauge: float) -> list[Piece]:
        here = self.begins()
        return [Piece(1.0, polynomial(here.curvature), polynomial(here.cant / (2.0 * half_gauge)))]
