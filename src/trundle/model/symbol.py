"""The symbol of a parameter, which stands for a number that may change."""

from typing import Any, NoReturn, final

import casadi as ca


@final
class ParameterSymbol(ca.SX):
    """A CasADi symbol that refuses to become a number: CasADi itself would answer nan."""

    def __float__(self, *args: Any) -> NoReturn:
        raise TypeError(
            f"the parameter {self.name()!r} is a symbol whose value may change from run to run: it has no float. Use "
            "tr.sin, tr.sqrt, ... in place of functions of math; model.parameter_values() has its default value."
        )

    __int__ = __float__
