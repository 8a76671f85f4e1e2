"""Transition curves, each with its shape f(x), x from 0 to 1: the curvature varies as f, and so does the cant.

A transition curve of your own is a subclass of Transition with its `shape`.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, pi
from typing import ClassVar, final

import numpy as np

from trundle.errors import ModelError
from trundle.rail.track.basis import COUNT, DEGREE, combine, differentiated, harmonics, polynomial, values
from trundle.rail.track.segment import (
    Arc,
    Ends,
    Parts,
    Piece,
    Segment,
    Straight,
    curvature_of,
    fixed_faults,
    raised_right,
)
from trundle.typing import Array, Value


def check_shape(shape: Parts) -> None:
    """Refuse a shape that does not go from 0 to 1, or has gaps."""
    at = [0.0, *(end for end, _ in shape)]
    ok = all(np.shape(c) == (COUNT,) for _, c in shape) and all(a < b for a, b in pairwise(at)) and at[-1] == 1.0
    if not ok:
        raise ModelError("a shape is parts (end, twelve coefficients), with ends that grow up to 1.")

    def at_x(coefficients: Array, x: float) -> Value:
        return combine(coefficients, values(np.asarray(x)))

    found = [at_x(shape[0][1], 0.0), at_x(shape[-1][1], 1.0) - 1.0]
    found += [at_x(b, end) - at_x(a, end) for (end, a), (_, b) in pairwise(shape)]
    if max(abs(v) for v in found) > 1e-12:
        raise ModelError("a shape goes from 0 at x = 0 to 1 at x = 1 without a gap between its parts.")


@dataclass(frozen=True)
class Transition(Segment):
    """A curve whose curvature varies as f(x) from that of the segment before to 1/radius, and so does its cant.

    `ramp` names another shape for the cant ("linear", "bloss", ...); without it the cant has the shape of the curve.

    Parameters
    ----------
    length : float
        Length along the track (m).
    radius : float
        At the end (m): positive turns left, inf is straight.
    cant : float
        At the end (m): height of the outer rail above the inner one.
    ramp : str, optional
        Shape of the cant where it is not that of the curve: "linear", "bloss", ...
    """

    radius: float = inf
    cant: float = 0.0
    ramp: str | None = None

    shape: ClassVar[Parts]  # f(x) with f(0) = 0 and f(1) = 1
    usual_ramp: ClassVar[str | None] = None  # shape of the cant when that of the curve is not known by coefficients

    def __init_subclass__(cls) -> None:
        if "shape" in vars(cls):
            check_shape(cls.shape)

    def faults(self, half_gauge: float) -> list[str]:
        found = [*super().faults(half_gauge), *fixed_faults(self.radius, self.cant, half_gauge)]
        if self.ramp is not None and self.ramp not in ramps():
            found.append(f"there is no ramp called {self.ramp!r}; there are {', '.join(ramps())}")
        return found

    def ends(self, before: Ends) -> Ends:
        return Ends(curvature_of(self.radius), raised_right(self.cant, self.radius))

    def plan(self, before: Ends, after: Ends, half_gauge: float) -> Parts:
        """Curvature along the segment.

        Parameters
        ----------
        before, after : Ends
            Curvature and cant at both ends.
        half_gauge : float
            Half the distance of the rails (m).

        Returns
        -------
        tuple
            Parts with their coefficients.
        """
        return scaled(self.parts(), before.curvature, after.curvature)

    def parts(self) -> Parts:
        """Shape of the curve."""
        return self.shape

    def cant_shape(self) -> Parts:
        """Shape of the cant."""
        name = self.ramp or self.usual_ramp
        return self.parts() if name is None else ramps()[name]

    def pieces(self, before: Ends, half_gauge: float) -> list[Piece]:
        after = self.ends(before)
        cant = scaled(self.cant_shape(), before.cant / (2.0 * half_gauge), after.cant / (2.0 * half_gauge))
        return merged(self.plan(before, after, half_gauge), cant)


def scaled(shape: Parts, first: float, last: float) -> Parts:
    """first + (last - first) f(x)."""
    return tuple((end, polynomial(first) + (last - first) * coefficients) for end, coefficients in shape)


def merged(curvature: Parts, cant: Parts, by_angle: bool = False) -> list[Piece]:
    """Pieces that end where the coefficients of one of the two change."""
    ends = sorted({end for end, _ in (*curvature, *cant)})
    return [Piece(end, _part(curvature, end), _part(cant, end), by_angle) for end in ends]


def _part(parts: Parts, end: float) -> Array:
    return next(coefficients for last, coefficients in parts if end <= last)


@final
@dataclass(frozen=True)
class Clothoid(Transition):
    """Curvature linear in length: f = x. The usual curve; roll rate jumps at both ends of its cant ramp.

    Parameters
    ----------
    length : float
        Length along the track (m).
    radius : float
        At the end (m): positive turns left, inf is straight.
    cant : float
        At the end (m): height of the outer rail above the inner one.
    ramp : str, optional
        Shape of the cant where it is not that of the curve: "linear", "bloss", ...
    """

    shape = ((1.0, polynomial(0.0, 1.0)),)


@final
@dataclass(frozen=True)
class Bloss(Transition):
    """f = 3 x^2 - 2 x^3: curvature with a continuous slope.

    Parameters
    ----------
    length : float
        Length along the track (m).
    radius : float
        At the end (m): positive turns left, inf is straight.
    cant : float
        At the end (m): height of the outer rail above the inner one.
    ramp : str, optional
        Shape of the cant where it is not that of the curve: "linear", "bloss", ...
    """

    shape = ((1.0, polynomial(0.0, 0.0, 3.0, -2.0)),)


@final
@dataclass(frozen=True)
class Cosine(Transition):
    """f = (1 - cos pi x) / 2: half a wave.

    Parameters
    ----------
    length : float
        Length along the track (m).
    radius : float
        At the end (m): positive turns left, inf is straight.
    cant : float
        At the end (m): height of the outer rail above the inner one.
    ramp : str, optional
        Shape of the cant where it is not that of the curve: "linear", "bloss", ...
    """

    shape = ((1.0, polynomial(0.5) + harmonics(cos1=-0.5)),)


@final
@dataclass(frozen=True)
class Sine(Transition):
    """f = x - sin(2 pi x) / (2 pi): curvature continuous up to its second derivative (Klein).

    Parameters
    ----------
    length : float
        Length along the track (m).
    radius : float
        At the end (m): positive turns left, inf is straight.
    cant : float
        At the end (m): height of the outer rail above the inner one.
    ramp : str, optional
        Shape of the cant where it is not that of the curve: "linear", "bloss", ...
    """

    shape = ((1.0, polynomial(0.0, 1.0) + harmonics(sin2=-0.5 / pi)),)


@final
@dataclass(frozen=True)
class Helmert(Transition):
    """Two parabolas (Helmert, Schramm): f = 2 x^2 in the first half, 1 - 2 (1 - x)^2 in the second.

    Parameters
    ----------
    length : float
        Length along the track (m).
    radius : float
        At the end (m): positive turns left, inf is straight.
    cant : float
        At the end (m): height of the outer rail above the inner one.
    ramp : str, optional
        Shape of the cant where it is not that of the curve: "linear", "bloss", ...
    """

    shape = ((0.5, polynomial(0.0, 0.0, 2.0)), (1.0, polynomial(-1.0, 4.0, -2.0)))


SEPTIC = polynomial(0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0)


@final
@dataclass(frozen=True)
class Vienna(Transition):
    """Wiener Bogen: the mass centre, `height` over the track, follows f = 35 x^4 - 84 x^5 + 70 x^6 - 20 x^7.

    The cant angle varies as f, and the track itself swings out: k = k0 + (k1 - k0) f - height psi'' with the cant angle
    psi. [Hasslinger 2005] [BuildingSMART 2024, IfcAlignmentHorizontalSegmentTypeEnum, VIENNESEBEND]

    Parameters
    ----------
    length : float
        Length along the track (m).
    radius : float
        At the end (m): positive turns left, inf is straight.
    cant : float
        At the end (m): height of the outer rail above the inner one.
    ramp : str, optional
        Shape of the cant where it is not that of the curve: "linear", "bloss", ...
    height : float
        Of the mass centre above the track (m).
    """

    height: float = 1.8

    shape = ((1.0, SEPTIC),)

    def faults(self, half_gauge: float) -> list[str]:
        found = super().faults(half_gauge)
        if self.ramp is not None:
            found.append("a Vienna curve is one with its own cant ramp; leave `ramp` out")
        if not (isfinite(self.height) and self.height >= 0.0):
            found.append(f"the height of its gravity centre line is {self.height:g} m; give metres over the track")
        return found

    def angles(self, before: Ends, after: Ends, half_gauge: float) -> tuple[float, float]:
        """Cant angles (rad) at both ends.

        Parameters
        ----------
        before, after : Ends
            Curvature and cant at both ends.
        half_gauge : float
            Half the distance of the rails (m).

        Returns
        -------
        tuple of float
        """
        first, last = (float(np.arcsin(ends.cant / (2.0 * half_gauge))) for ends in (before, after))
        return first, last

    def plan(self, before: Ends, after: Ends, half_gauge: float) -> Parts:
        ((end, base),) = scaled(self.shape, before.curvature, after.curvature)
        first, last = self.angles(before, after, half_gauge)
        return ((end, base - self.height * (last - first) / self.length**2 * differentiated(SEPTIC, 2)),)

    def pieces(self, before: Ends, half_gauge: float) -> list[Piece]:
        after = self.ends(before)
        angle = scaled(self.shape, *self.angles(before, after, half_gauge))
        return merged(self.plan(before, after, half_gauge), angle, by_angle=True)


@final
@dataclass(frozen=True)
class Polynomial(Transition):
    """A shape of your own: f = c0 + c1 x + ... up to x^7, with f(0) = 0 and f(1) = 1.

    Parameters
    ----------
    length : float
        Length along the track (m).
    radius : float
        At the end (m): positive turns left, inf is straight.
    cant : float
        At the end (m): height of the outer rail above the inner one.
    ramp : str, optional
        Shape of the cant where it is not that of the curve: "linear", "bloss", ...
    coefficients : tuple
        c0, c1, ..., up to eight.
    """

    coefficients: tuple[float, ...] = (0.0, 1.0)

    def faults(self, half_gauge: float) -> list[str]:
        found = super().faults(half_gauge)
        try:
            c = np.asarray(self.coefficients, float)
        except (TypeError, ValueError):
            c = np.empty(0)
        if c.ndim != 1 or not 2 <= len(c) <= DEGREE + 1 or not np.all(np.isfinite(c)):
            return [*found, f"its polynomial needs 2 to {DEGREE + 1} finite coefficients, the constant first"]
        if abs(c[0]) > 1e-12 or abs(c.sum() - 1.0) > 1e-9:
            found.append(f"its polynomial goes from {c[0]:g} to {c.sum():g}; a shape goes from 0 to 1")
        return found

    def parts(self) -> Parts:
        return ((1.0, polynomial(*self.coefficients)),)


@final
@dataclass(frozen=True)
class Adjustable(Transition):
    """A polynomial whose shape can change from run to run: f = 3 x^2 - 2 x^3 + x^2 (1 - x)^2 (c1 z + c2 z^3) with z = 1
    - 2 x.

    A model with such a curve has the parameters `transition_c1` and `transition_c2`, so that runs have derivatives by
    them and nothing is rebuilt. c1 = -3 is the smoothest polynomial of degree 5. It always ends in the same direction;
    a line has one of these, and its cant turns about the centre of the track.

    Parameters
    ----------
    length : float
        Length along the track (m).
    radius : float
        At the end (m): positive turns left, inf is straight.
    cant : float
        At the end (m): height of the outer rail above the inner one.
    ramp : str, optional
        Shape of the cant where it is not that of the curve: "linear", "bloss", ...
    c1, c2 : float
        First values of the parameters.
    """

    c1: float = 0.0
    c2: float = 0.0

    def parts(self) -> Parts:
        return ((1.0, polynomial(0.0, 0.0, 3.0, -2.0) + self.c1 * CHANGES[0] + self.c2 * CHANGES[1]),)


def _changes() -> tuple[Array, Array]:
    """x^2 (1 - x)^2 z and x^2 (1 - x)^2 z^3 with z = 1 - 2 x: without a slope at the ends, and their integral is
    zero.
    """
    hump, z = np.polynomial.Polynomial([0.0, 0.0, 1.0, -2.0, 1.0]), np.polynomial.Polynomial([1.0, -2.0])
    return polynomial(*(hump * z).coef), polynomial(*(hump * z**3).coef)


CHANGES = _changes()


def ramps() -> dict[str, Parts]:
    """Shapes by name, for cant ramps that differ from the curve: those of all transition curves, and "linear"."""
    named = {kind.__name__.lower(): kind.shape for kind in transitions() if "shape" in vars(kind)}
    return {"linear": Clothoid.shape, **{name: shape for name, shape in named.items() if name != "clothoid"}}


def transitions(of_user: bool = True) -> list[type[Transition]]:
    """All kinds of transition curves, by default with those defined by the user."""
    kinds = Transition.__subclasses__()
    return [kind for kind in kinds if of_user or kind.__module__.startswith("trundle.")]


def segments() -> dict[str, type[Segment]]:
    """All kinds of segments by name."""
    kinds: list[type[Segment]] = [Straight, Arc, *transitions()]
    return {kind.__name__: kind for kind in kinds}
