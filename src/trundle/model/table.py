"""A table of a model: the place of its handle among the parameters, and the numbers that stand there unless others are
given to a run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from trundle.errors import ModelError, UnknownNameError
from trundle.lookup.table import Table
from trundle.lookup.units import unit_of_argument, unlike
from trundle.typing import Expr, Values


@final
@dataclass(frozen=True, eq=False)
class ModelTable:
    """What `m.table` returns: called with expressions inside a law, force, output, event, rate or motion it gives the
    value there, a column where the table has several outputs.
    """

    name: str
    symbol: Expr
    table: Table

    def __call__(self, *arguments: Expr) -> Expr:
        kind = self.table.kind
        if len(arguments) != kind.arguments:
            raise ModelError(f"table {self.name!r} takes {kind.arguments} argument(s), got {len(arguments)}.")
        return kind.value(self.symbol, arguments)

    def exact(self) -> str:
        """What shapes the equations: not its numbers, which can be exchanged."""
        return f"table {self.name!r} {self.table.kind!r}"

    def fit(self, other: object) -> Table:
        """A table that replaces it; ModelError if it is not a table or of another kind."""
        if not isinstance(other, Table):
            raise ModelError(f"table {self.name!r} can be replaced by a tr.Table only, got {other!r}.")
        if other.kind != self.table.kind:
            raise ModelError(
                f"table {self.name!r} was built with {self.table.kind} and cannot be replaced by one with "
                f"{other.kind}: only the numbers and knots may change. Build the model with the other table."
            )
        units = [(other.unit, self.table.unit)]
        pairs = zip(other.arguments, self.table.arguments, strict=False)
        units += [(unit_of_argument(new), unit_of_argument(old)) for new, old in pairs]
        for new, old in units:
            if unlike(new, old):
                raise ModelError(
                    f"table {self.name!r} has {old!r} and cannot be replaced by one with {new!r}: convert the numbers."
                )
        return other


def with_tables(known: Mapping[str, ModelTable], parameters: Values | None, tables: Values | None) -> Values | None:
    """Parameters and tables that are given to a run, together by name."""
    if not tables:
        return parameters
    if not isinstance(tables, Mapping):
        raise ModelError(f"give tables by name, {{'name': tr.Table(...)}}, not as {type(tables).__name__}.")
    for name in tables:
        if name not in known:
            raise UnknownNameError(name, known, "table")
    return {**(parameters or {}), **tables}
