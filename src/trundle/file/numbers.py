"""Numbers in files of lines and vehicles: numbers, expressions of numbers and pi, or inf."""

from math import inf
from typing import final

from trundle.errors import FileError, TrundleError
from trundle.file.expression import parse
from trundle.file.faults import Faults
from trundle.file.tree import Path
from trundle.typing import Raw

STAND_IN = 1.0  # replaces an invalid number while the rest of the file is checked


@final
class Numbers:
    """Reads numbers; invalid ones become faults."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults

    def one(self, value: Raw, path: Path) -> float:
        """A number, an expression of numbers and pi, or inf."""
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            self.faults.add(path, "give a number")
            return STAND_IN
        if isinstance(value, int | float):
            return float(value)
        if value in ("inf", ".inf"):
            return inf
        try:
            expression = parse(value)
            if expression.names:
                raise FileError(f"{expression.names[0]!r} is not defined here; give a number")
            return float(expression.evaluate(float))
        except (TrundleError, ArithmeticError, ValueError) as error:
            self.faults.add(path, str(error))
            return STAND_IN

    def many(self, value: Raw, path: Path) -> tuple[float, ...]:
        """A list of numbers."""
        if not isinstance(value, list):
            self.faults.add(path, "give a list of numbers")
            return ()
        return tuple(self.one(one, (*path, i)) for i, one in enumerate(value))
