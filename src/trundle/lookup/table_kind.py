"""The kind of a table: the properties that are compiled into kernels, and its value as an expression."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.lookup.memory import CORNERS, LIMITS, WORDS
from trundle.lookup.node import look_up
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class TableKind:
    """Properties of a table that are compiled into kernels; everything else can change without recompiling."""

    arguments: int
    outputs: int  # 0: a single number
    degree: int
    smooth: int  # derivatives without jumps
    repeats: tuple[bool, ...]

    @property
    def width(self) -> int:
        """Number of entries of a record."""
        return WORDS + max(self.outputs, 1) * int((self.degree + 1) ** self.arguments)

    def __str__(self) -> str:
        names = {0: "steps", 1: "straight lines", 3: "cubics", 5: "quintics"}
        words = names.get(self.degree, f"polynomials of degree {self.degree}")
        words = "monotone cubics" if (self.degree, self.smooth) == (3, 1) else words
        out = f"{self.outputs} outputs" if self.outputs else "one number"
        repeats = ", repeated" if any(self.repeats) else ""
        return f"{self.arguments} argument{'s' * (self.arguments > 1)}, {out}, {words}{repeats}"

    def value(self, handle: Expr, arguments: Sequence[Expr]) -> Expr:
        """The value as an expression of the handle and of the arguments."""
        given = [ca.SX(a) for a in arguments]
        if any(self.repeats):
            limits = look_up(handle, [], LIMITS + 2 * self.arguments)
            for i, repeats in enumerate(self.repeats):
                if repeats:
                    least, span = limits[LIMITS + 2 * i], limits[LIMITS + 2 * i + 1]
                    given[i] = given[i] - span * ca.floor((given[i] - least) / span)
        record = look_up(handle, given, self.width, self.smooth)
        distances = [x - record[CORNERS + i] for i, x in enumerate(given)]
        count = max(self.outputs, 1)
        outputs = [record[WORDS + i :: count] for i in range(count)]
        return ca.vertcat(*[_polynomial(ca.vertsplit(c), distances) for c in outputs])


def _polynomial(coefficients: Sequence[Expr], distances: Sequence[Expr]) -> Expr:
    """Polynomial by Horner's rule; the powers of the last distance vary fastest."""
    n = round(len(coefficients) ** (1 / len(distances)))
    if len(distances) > 1:
        rows = [coefficients[i * n : (i + 1) * n] for i in range(n)]
        coefficients = [_polynomial(row, distances[1:]) for row in rows]
    value = coefficients[-1]
    for c in coefficients[-2::-1]:
        value = c + distances[0] * value
    return value
