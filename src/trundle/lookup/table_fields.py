"""Checks of the fields of a table."""

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.lookup.memory import MOST_ARGUMENTS, WIDEST
from trundle.lookup.pieces import DEGREES, SMOOTH
from trundle.lookup.table_kind import TableKind
from trundle.real_array import real_array
from trundle.typing import Array, Json

BEYOND = ("hold", "line", "refuse", "repeat")


@final
class Description(NamedTuple):
    """What is said of a table."""

    unit: str
    text: str
    arguments: Sequence[str]
    outputs: Sequence[str]


def table_fields(
    x: ArrayLike, y: ArrayLike, between: str, beyond: str | Sequence[str], said: Description,
    order: tuple[int, int] | None = None,
) -> Json:  # fmt: skip
    """Fields of a table by name; ModelError if they are not valid. `order` is (degree, number of continuous
    derivatives).
    """
    if isinstance(x, list | tuple) and len(x) > 0 and np.ndim(x[0]) > 0:
        axes = [knots_of(a, f"x{i}") for i, a in enumerate(x, 1)]
    else:
        axes = [knots_of(x, "x")]
    if len(axes) > MOST_ARGUMENTS:
        raise ModelError(f"a table has one argument or two, not {len(axes)}.")
    values, counts = numbers(y, "y"), tuple(len(a) for a in axes)
    if values.shape[: len(axes)] != counts or values.ndim - len(axes) > 1 or 0 in values.shape:
        raise ModelError(
            f"y has the shape {values.shape}; for these knots it must be {counts}, or that with one more axis for "
            "several outputs."
        )
    words = (beyond,) * len(axes) if isinstance(beyond, str) else tuple(beyond)
    if len(words) != len(axes) or any(word not in BEYOND for word in words):
        raise ModelError(f"beyond={beyond!r}: choose {choice(BEYOND)}, one for all arguments or one for each.")
    for i, word in enumerate(words):
        first, last = values.take(0, i), values.take(-1, i)
        if word == "repeat" and not np.array_equal(first, last):
            raise ModelError(
                "beyond='repeat' needs the same values at the first knot and at the last one, which is a period "
                f"later; they differ by {np.max(np.abs(first - last)):g}."
            )
    unit, text, arguments, outputs = said
    outs = values.shape[-1] if values.ndim > len(axes) else 0
    if arguments and len(arguments) != len(axes):
        raise ModelError(f"arguments={list(arguments)!r} are {len(arguments)} names for {len(axes)} argument(s).")
    if outputs and len(outputs) != max(outs, 1):
        raise ModelError(f"outputs={list(outputs)!r} are {len(outputs)} names for {max(outs, 1)} output(s).")
    degree, smooth = order or (DEGREES[between], SMOOTH[between])
    kind = TableKind(len(axes), outs, degree, smooth, tuple(word == "repeat" for word in words))
    if kind.width > WIDEST:
        raise ModelError(f"{outs} outputs are too many for one table; make several.")
    for array in (*axes, values):
        array.flags.writeable = False
    names = tuple(arguments) or (("x",) if len(axes) == 1 else ("x1", "x2"))
    return {
        "x": tuple(axes), "y": values, "between": between, "beyond": words, "kind": kind, "unit": str(unit),
        "text": str(text), "arguments": names, "outputs": tuple(outputs),
    }  # fmt: skip


def knots_of(values: ArrayLike, what: str) -> Array:
    """One-dimensional array of increasing numbers."""
    array = numbers(values, what)
    if array.ndim != 1:
        raise ModelError(f"{what} of a table must be a row of knots, got an array of shape {array.shape}.")
    if len(array) < 2:
        raise ModelError(f"{what} of a table has {len(array)} knot(s); a table needs at least two.")
    at = np.flatnonzero(np.diff(array) <= 0)
    if len(at):
        i = int(at[0])
        raise ModelError(
            f"{what} of a table must increase, but {array[i]:g} at place {i} is followed by {array[i + 1]:g}. Sort "
            f"the knots with their values, and remove duplicates."
        )
    return array


def numbers(values: ArrayLike, what: str) -> Array:
    """An array of finite numbers."""
    try:
        array = real_array(values)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} of a table must be numbers in a regular array, got {values!r}.") from error
    if not np.all(np.isfinite(array)):
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ModelError(
            f"{what} of a table holds {array[at]} at place {at[0] if len(at) == 1 else at}; all must be finite "
            "numbers. Remove failed measurements."
        )
    return array


def choice(words: Sequence[str]) -> str:
    """Words as alternatives: "'a', 'b' or 'c'"."""
    return ", ".join(map(repr, words[:-1])) + f" or {words[-1]!r}"
