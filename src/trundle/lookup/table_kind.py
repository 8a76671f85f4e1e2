"""The kind of a table: the properties that are compiled into kernels, and its value as an expression."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import casadi as ca

from trundle.lookup.memory import CORNERS, LIMITS, WORDS
from trundle.lookup.node import look_up
from trundle.typing import Expr, TapeFunction


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
        distances = ca.vertcat(*[x - record[CORNERS + i] for i, x in enumerate(given)])
        between = _between(self.arguments, max(self.outputs, 1), self.degree)
        return between.call([record, distances])[0]


@cache
def _between(arguments: int, outputs: int, degree: int) -> TapeFunction:
    """The values by a record and the distances from its corner; CasADi puts in what they are faster than Python."""
    count = outputs * (degree + 1) ** arguments
    record, distances = ca.SX.sym("record", WORDS + count), ca.SX.sym("distance", arguments)
    powers = [ca.vertsplit(record[WORDS + i :: outputs]) for i in range(outputs)]
    values = [_polynomial(c, ca.vertsplit(distances)) for c in powers]
    return ca.Function("between", [record, distances], [ca.vertcat(*values)])


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
