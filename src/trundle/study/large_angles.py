"""Hints for start angles of more than one turn, which may have been given in degrees."""

from collections.abc import Mapping, Sequence
from math import pi

import numpy as np

from trundle.model.register import Register
from trundle.quantity import Part
from trundle.typing import Values

ROUND = 0.5  # degrees are given in halves; the angle that another run ended with is not


def large_angles(register: Register, values: Values, cases: Mapping[str, int] | None = None) -> list[str]:
    """A hint for every angle above 2 pi; `cases` says by name in which case it is, where there are several."""
    large = {n: v for n, v in values.items() if isinstance(v, float | int) and abs(v) > 2 * pi}
    where = {name: f" of case {case}" for name, case in (cases or {}).items()}
    return [
        f"Start value {name} = {value:g} rad{where.get(name, '')} is {abs(value) / (2 * pi):.3g} turns. Angles are in "
        f"rad: if degrees are meant, write tr.degrees({value:g})."
        for name, value in large.items()
        if _is_angle(register.find(name))
    ]


def _is_angle(part: Part | None) -> bool:
    return part is not None and part.quantity.coordinate and part.quantity.unit == "rad"


def likely_degrees_of_cases(register: Register, values: Values) -> list[str]:
    """The same for the largest of the values of many cases, where all of them are round."""
    largest: dict[str, float] = {}
    cases: dict[str, int] = {}
    for name, given in values.items():
        numbers = np.asarray(given) if isinstance(given, Sequence | np.ndarray) else np.zeros(0)
        if numbers.ndim != 1 or numbers.dtype.kind not in "fiu" or not len(numbers) or not np.all(np.isfinite(numbers)):
            continue
        if not np.any(numbers % ROUND):
            cases[name] = int(np.argmax(np.abs(numbers)))
            largest[name] = float(numbers[cases[name]])
    return large_angles(register, largest, cases)


def likely_degrees(register: Register, values: Values) -> list[str]:
    """The same for round numbers only: a run that continues another one may have large angles."""
    round_ones = {n: v for n, v in values.items() if isinstance(v, float | int) and v % ROUND == 0}
    return large_angles(register, round_ones)
