"""Charts: a surface as a function of its two coordinates; the interface of surfaces for all other code.

A surface swept by two screws (`pairs.sweep`) and one given by expressions (`pairs.parametric`) are the two kinds.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

from trundle.pairs.common_normal import PlacedSurface
from trundle.pairs.numeric import NumericSurface
from trundle.space.chain import Named
from trundle.typing import Array, Expr

Range = tuple[float, float]


@final
@dataclass(frozen=True)
class SurfaceCoordinate:
    """A coordinate of a surface that is not a chain of screws, and its range."""

    n_q: ClassVar[int] = 1
    n_u: ClassVar[int] = 1

    name: str
    low: float
    high: float
    slides: bool = False  # a length (m); otherwise an angle (rad)
    closed: bool = False  # both ends of the range are the same line of the surface
    ends: bool = False  # the surface ends at the ends of the range


@final
@dataclass(frozen=True, eq=False)
class SurfacePoint:
    """The surface at two coordinates, as expressions in its own frame."""

    point: Expr
    R: Expr  # contact axes: z along the normal out of the material
    moves: Sequence[Expr]  # the two tangents: motion of the point per unit of each coordinate
    turns: Sequence[Expr]  # angular velocity of the contact axes per unit of each coordinate: the curvature


class Chart(ABC):
    """A surface over its two coordinates, as expressions for the equations and in numbers for searches."""

    @property
    @abstractmethod
    def coordinates(self) -> tuple[Named, Named]:
        """Both coordinates."""

    @property
    def names(self) -> tuple[str, str]:
        """Names of both coordinates."""
        a, b = self.coordinates
        return a.name, b.name

    @property
    def middle(self) -> tuple[float, float]:
        """Coordinates of a regular point of the surface."""
        return 0.0, 0.0

    @abstractmethod
    def place(self, a: Expr, b: Expr) -> SurfacePoint:
        """Point, contact axes, tangents and turns at the coordinates a, b, as expressions."""

    def margin(self, a: Expr, b: Expr) -> Expr:
        """Positive on the surface and negative beyond its ends; 1 if it has no ends."""
        return 1.0

    @abstractmethod
    def sizes(self) -> Expr:
        """The sizes that may depend on parameters, as one column."""

    @abstractmethod
    def numeric(self, sizes: Array) -> NumericSurface:
        """The surface in numbers, with numbers for `sizes`."""

    @abstractmethod
    def ranges(self, surface: NumericSurface) -> tuple[Range, Range]:
        """Ranges of both coordinates that show the surface."""

    @abstractmethod
    def ends(self, surface: NumericSurface) -> tuple[Range, Range]:
        """Limits of both coordinates; infinite for unlimited or periodic ones."""

    @abstractmethod
    def placed(self, surface: NumericSurface, R: Array, p: Array) -> PlacedSurface:
        """The numeric surface with the pose of its frame, for the search for common normals."""

    @abstractmethod
    def closest(self, surface: NumericSurface, points: Array) -> tuple[Array, Array, Array]:
        """Coordinates of the points of the surface in numbers that are closest to points (n, 3), and the distances,
        positive on the side of the normal.
        """

    @abstractmethod
    def renamed(self, which: str, clash: set[str]) -> "Chart":
        """The chart with the prefix `which` before names that both surfaces of a pair use."""
