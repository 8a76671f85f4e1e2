"""Non-ideal constraints of a file: weights of rows, and resistances."""

from collections.abc import Callable, Collection, Sequence
from typing import final

from trundle.file.expression import Expression
from trundle.file.tree import Path
from trundle.file.values import Values
from trundle.model.law_probe import MultiplierSignals
from trundle.model.model import Model
from trundle.typing import Expr

MULTIPLIER = "_multiplier"  # suffix of the name of the multiplier of a row if all rows were held


@final
class NonIdeal:
    """Adds `relax` and `resist` of a file to the model; `signals` are the names that expressions may use."""

    def __init__(self, values: Values, model: Model, signals: Collection[str]) -> None:
        self.values, self.model, self.signals = values, model, signals
        rows = [f"{c.name}.{motion}" for c in model.connections.values() for motion in c.motions]
        self._rows = {f"{row}{MULTIPLIER}": row for row in rows if f"{row}{MULTIPLIER}" not in signals}

    def relax(self, rows: str, weight: Expression | Sequence[Sequence[Expression]], path: Path) -> None:
        """The weight of a row, or the matrix of several rows with commas between them."""
        if isinstance(weight, Expression):
            self.model.relax(rows, self._given(weight, path))
            return
        names = tuple(name.strip() for name in rows.split(","))
        table = [[self._given(v, (*path, i, k)) for k, v in enumerate(row)] for i, row in enumerate(weight)]
        if any(callable(v) for row in table for v in row):
            self.model.relax(names, lambda s: [[v(s) if callable(v) else v for v in row] for row in table])
        else:
            self.model.relax(names, table)

    def resist(self, motion: str, effort: Expression, path: Path) -> None:
        """The force that a constraint exerts along a motion in addition to its ideal one."""
        self.model.resist(motion, self._given(effort, path))

    def _given(self, expression: Expression, path: Path) -> Expr:
        """A number, an expression of parameters, or a function of the signals and of multipliers."""
        scope = self.values.scope.symbols
        if all(name in scope for name in expression.names):
            return self.values.number(expression, path)
        self.values.check_signals(expression, path, [*self.signals, *self._rows])

        def function(s: MultiplierSignals) -> Expr:
            def lookup(name: str) -> Expr:
                return (
                    scope[name] if name in scope else s.multiplier(self._rows[name]) if name in self._rows else s[name]
                )

            return expression.evaluate(lookup)

        answer: Callable[[MultiplierSignals], Expr] = function
        return answer
