"""Tables in a graph: cells between edges, and their numbers."""

from collections.abc import Mapping
from typing import final

import numpy as np

from trundle.lookup.memory import LIMITS
from trundle.typing import Expr, Raw


@final
class Cells:
    """A node of a table: cells along one argument, each with another node or, at the last argument, a record."""

    def __init__(self, table: Mapping[str, Raw]) -> None:
        self._edges = [np.asarray(e, float) for e in table["edges"]]
        self._records = np.asarray(table["records"], float)
        self._limits = [number for least, most in table["limits"] for number in (least, most - least)]

    def child(self, x: float) -> Expr:
        """The node or record in whose cell a number lies."""
        records = self._records[int(np.searchsorted(self._edges[0], x, side="right"))]
        if len(self._edges) == 1:
            return Record(records)
        below = object.__new__(Cells)
        below._edges, below._records, below._limits = self._edges[1:], records, self._limits
        return below

    def number(self, k: int) -> float:
        """A number after the first node: limits of the arguments."""
        return float(self._limits[k - LIMITS])


@final
class Record:
    """The numbers of a cell."""

    def __init__(self, numbers: Raw) -> None:
        self._numbers = numbers

    def number(self, k: int) -> float:
        """Number k of the record."""
        return float(self._numbers[k])
