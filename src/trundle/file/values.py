"""Expressions of a file converted to numbers and functions; invalid ones become faults."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import final

import numpy as np

from trundle.file.expression import Expression
from trundle.file.faults import Faults, near
from trundle.file.scope import Scope
from trundle.file.tree import Path
from trundle.typing import Expr

STAND_IN = 1.0  # replaces an invalid number while the rest of the file is checked


@final
class Values:
    """Evaluates expressions in the scope of the parameters and constants of a file."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.scope = Scope()
        self.later: list[tuple[Expression, Path]] = []  # expressions whose signals are not known yet

    def number(self, expression: Expression, path: Path) -> Expr:
        """A float, or a CasADi expression of the parameters."""
        return self._evaluate(expression, path, self.scope.symbols)

    def value(self, expression: Expression, path: Path) -> float:
        """A float, with the parameters at their values."""
        return float(self._evaluate(expression, path, self.scope.values))

    def fixed(self, expression: Expression, path: Path) -> float:
        """A float that may not depend on parameters, because it shapes the equations."""
        used = [n for n in expression.names if n in self.scope.tunable]
        if used:
            self.faults.add(path, f"this number cannot depend on the parameter {used[0]!r}; write a plain number")
            return STAND_IN
        return self.value(expression, path)

    def vector(self, items: Sequence[Expression], path: Path) -> Expr:
        """Components as numbers or expressions of the parameters."""
        return tuple(self.number(item, (*path, i)) for i, item in enumerate(items))

    def point(self, items: Sequence[Expression], path: Path) -> Expr:
        """Components as floats."""
        return tuple(self.value(item, (*path, i)) for i, item in enumerate(items))

    def signal(self, expression: Expression, path: Path, names: Collection[str]) -> Callable[[Expr], Expr]:
        """A function of the signals of the model."""
        symbols = self.scope.symbols
        self.check_signals(expression, path, names)
        return lambda s: expression.evaluate(lambda name: symbols[name] if name in symbols else s[name])

    def later_signal(self, expression: Expression, path: Path) -> Callable[[Expr], Expr]:
        """A function of signals, whose names are checked by `check_later`."""
        self.later.append((expression, path))
        symbols = self.scope.symbols
        return lambda s: expression.evaluate(lambda name: symbols[name] if name in symbols else s[name])

    def check_later(self, names: Collection[str]) -> None:
        """Check the expressions that had to wait for the signals of the model."""
        for expression, path in self.later:
            self.check_signals(expression, path, names)

    def check_signals(self, expression: Expression, path: Path, names: Collection[str]) -> None:
        """Add faults for names that are neither symbols of the file nor among `names`."""
        symbols = self.scope.symbols
        for name in expression.names:
            if name not in symbols and name not in names:
                self.faults.add(path, f"there is no quantity called {name!r}. {near(name, [*names, *symbols])}")

    def of_motion(self, expression: Expression, path: Path, variables: Sequence[str]) -> Callable[..., Expr]:
        """A function of some of t (time), q (the coordinate) and u (its rate), in the order of `variables`."""
        symbols = self.scope.symbols
        inputs = self.scope.inputs if "t" in variables else {}
        known = {*symbols, *inputs, *variables}
        unknown = [name for name in expression.names if name not in known]
        for name in unknown:
            hint = near(name, [*variables, *symbols, *inputs])
            also = "parameters and inputs" if inputs else "parameters"
            self.faults.add(path, f"the expression may use {', '.join(variables)} and {also}, not {name!r}. {hint}")
        if unknown:
            return lambda *motion: STAND_IN

        def function(*motion: Expr) -> Expr:
            scope = {**symbols, **dict(zip(variables, motion, strict=True))}
            return expression.evaluate(lambda name: inputs[name](scope["t"]) if name in inputs else scope[name])

        return function

    def _evaluate(self, expression: Expression, path: Path, scope: Mapping[str, Expr]) -> Expr:
        unknown = [name for name in expression.names if name not in scope]
        for name in unknown:
            self.faults.add(path, f"there is no parameter or constant called {name!r}. {near(name, [*scope, 'pi'])}")
        if unknown:
            return STAND_IN
        value = expression.evaluate(lambda name: scope[name])
        if isinstance(value, float) and not np.isfinite(value):
            self.faults.add(path, f"{expression.text!r} is not a finite number")
            return STAND_IN
        return value
