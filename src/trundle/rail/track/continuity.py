"""Where the formulas of a line change, and which derivative jumps there."""

from dataclasses import dataclass
from math import factorial
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.rail.track.basis import differentiated
from trundle.rail.track.rows import BY_ANGLE, CANT, CURVATURE, END, INVERSE, SLOPE, derivatives
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.rail.track.alignment import Alignment

MANY = 40  # jumps that are written out
ORDERS = 6  # derivatives that are checked, including the value itself
LENGTHS = {"curvature": -1, "cant": 1, "slope": 0}  # power of the metre in the unit
ROUND_OFF = 1e-10  # of the sizes of the terms that a derivative is made of


@final
@dataclass(frozen=True)
class Jump:
    """A derivative (0 is the value itself) of a quantity that jumps at a place; the lower ones are continuous."""

    s: float  # m
    quantity: str  # curvature, cant, slope
    derivative: int
    before: float
    after: float

    def __str__(self) -> str:
        names = ("", "first derivative of ", "second derivative of ", "third derivative of ")
        name = names[self.derivative] if self.derivative < len(names) else f"derivative {self.derivative} of "
        power = LENGTHS[self.quantity] - self.derivative
        unit = "" if power == 0 else " m" if power > 0 else " 1/m" if power == -1 else f" 1/m^{-power}"
        return f"{self.s:g} m: {name}{self.quantity} from {self.before:.4g} to {self.after:.4g}{unit}"


@final
@dataclass(frozen=True)
class Continuity:
    """The first derivative that jumps, for each quantity at each joint.

    kinks are the places (m) where the angular velocity of the track frame jumps: a body that followed the track would
    need an infinite moment. jerks are those where only its angular acceleration jumps.
    """

    jumps: tuple[Jump, ...]
    kinks: tuple[float, ...]
    jerks: tuple[float, ...]

    def at(self, s: float) -> list[Jump]:
        """Jumps at a place.

        Parameters
        ----------
        s : float
            Distance along the line (m).

        Returns
        -------
        list of Jump
        """
        return [jump for jump in self.jumps if abs(jump.s - s) < 1e-6]

    def __str__(self) -> str:
        if not self.jumps:
            return f"every derivative up to the {ORDERS - 1}th is continuous"
        lines = [str(jump) for jump in self.jumps[:MANY]]
        if len(self.jumps) > MANY:
            least = min(jump.derivative for jump in self.jumps[MANY:])
            lines.append(f"... and {len(self.jumps) - MANY} more, of derivative {least} and higher")
        for places, words in (
            (self.kinks, "the angular velocity of the track frame jumps (infinite angular acceleration)"),
            (self.jerks, "the angular acceleration of the track frame jumps"),
        ):
            if places:
                lines.append(f"{words} at {_listed(places)} m")
        if not self.kinks and not self.jerks:
            lines.append("angular velocity and acceleration of the track frame are continuous")
        return "\n".join(lines)


def _listed(places: tuple[float, ...]) -> str:
    named = ", ".join(f"{s:g}" for s in places[:MANY])
    return named if len(places) <= MANY else f"{named} and {len(places) - MANY} more places, in"


def continuity(line: "Alignment") -> Continuity:
    """Compare both sides of every joint."""
    jumps: list[Jump] = []
    kinks, jerks = [], []
    for left, right in zip(line.rows[:-1], line.rows[1:], strict=True):
        s = float(left[END])
        found = [*_jumps(s, "curvature", CURVATURE, left, right), *_jumps(s, "slope", SLOPE, left, right)]
        found += _jumps(s, "cant", CANT, left, right, 2.0 * line.half_gauge)
        jumps += found
        # Angular velocity holds curvature and the first derivatives of slope and cant.
        order = min((jump.derivative + (jump.quantity == "curvature") for jump in found), default=ORDERS)
        if order <= 1:
            kinks.append(s)
        elif order == 2:
            jerks.append(s)
    return Continuity(tuple(jumps), tuple(kinks), tuple(jerks))


def _jumps(s: float, quantity: str, channel: slice, left: Array, right: Array, scale: float = 1.0) -> list[Jump]:
    (one, size), (other, size2) = (_derivatives(row, channel, s) for row in (left, right))
    for order in range(ORDERS):
        if abs(other[order] - one[order]) > ROUND_OFF * (size[order] + size2[order]) + 1e-300:
            return [Jump(s, quantity, order, float(scale * one[order]), float(scale * other[order]))]
    return []


def _derivatives(row: Array, channel: slice, s: float) -> tuple[Array, Array]:
    """Derivatives by s on one side, and the sizes of the terms that they are summed from."""
    found: Array = np.array(derivatives(row, channel, s, ORDERS))
    coefficients, sizes = row[channel], np.empty(ORDERS)
    for order in range(ORDERS):
        sizes[order] = np.abs(coefficients).sum() * row[INVERSE] ** order
        coefficients = differentiated(coefficients)
    if channel is CANT and row[BY_ANGLE]:
        found = _sine(found)
    return found, sizes


def _sine(angle: Array) -> Array:
    """Derivatives of sin(angle) from those of the angle, by its Taylor series."""
    a = [value / factorial(i) for i, value in enumerate(angle)]
    sine, cosine = [np.sin(a[0])], [np.cos(a[0])]
    for n in range(1, len(a)):
        terms = [k * a[k] for k in range(1, n + 1)]
        sine.append(sum(t * cosine[n - k] for k, t in enumerate(terms, 1)) / n)
        cosine.append(-sum(t * sine[n - k] for k, t in enumerate(terms, 1)) / n)
    return np.array([value * factorial(i) for i, value in enumerate(sine)])
