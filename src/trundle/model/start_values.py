"""Start values of a model in numbers. Those that are expressions of the parameters follow what a run is given."""

from collections.abc import Mapping
from typing import final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.model.contents import ModelContents
from trundle.typing import Array, Expr


def start_values(model: ModelContents, parameters: Array | None = None) -> dict[str, Expr]:
    """Start values by name, at the default parameters or at given ones, in the order of the model."""
    return {**model.start, **dependent_starts(model, parameters)}


def dependent_starts(model: ModelContents, parameters: Array | None = None) -> dict[str, Expr]:
    """Start values that depend on parameters: numbers and vectors; with one row of parameters for each case, one for
    each row.
    """
    open_ = _expressions(model)
    if not open_:
        return {}
    symbols = [p.symbol for p in model.parameters.values()]
    known = {symbol.element_hash() for symbol in symbols}
    for name, expression in open_.items():
        foreign = [s.name() for s in ca.symvar(expression) if s.element_hash() not in known]
        if foreign:
            raise ModelError(
                f"the start value of {name!r} depends on {foreign[0]!r}, which is not a parameter of this model: it "
                f"may "
                "depend on parameters only."
            )
    f = ca.Function("start", [ca.vertcat(ca.SX(0, 1), *symbols)], [ca.densify(e) for e in open_.values()])
    given = np.array(list(model.parameter_values().values())) if parameters is None else parameters
    found = f(np.atleast_2d(given).T)  # one column for each case
    out = {}
    for name, value in zip(open_, found if isinstance(found, tuple) else (found,), strict=True):
        cases = np.array(ca.DM(value)).T
        cases = cases[:, 0] if cases.shape[1] == 1 else cases
        out[name] = cases[0] if np.ndim(given) == 1 else cases
    return out


def _expressions(model: ModelContents) -> dict[str, Expr]:
    signals = _ParametersOnly({p.name: p.symbol for p in model.parameters.values() if p.name not in model.inputs})
    found = {}
    for name, value in model.start.items():
        value = value(signals.of(name)) if callable(value) else value
        if isinstance(value, list | tuple) and any(isinstance(one, ca.SX) for one in value):
            value = ca.vertcat(*value)
        if isinstance(value, ca.SX) or callable(model.start[name]):
            found[name] = ca.SX(value)
    return found


@final
class _ParametersOnly:
    """Signals that a start value may depend on."""

    def __init__(self, known: Mapping[str, Expr], name: str = "") -> None:
        self._known, self._name = known, name

    def of(self, name: str) -> "_ParametersOnly":
        return _ParametersOnly(self._known, name)

    def __getitem__(self, name: str) -> Expr:
        if name not in self._known:
            raise ModelError(
                f"the start value of {self._name!r} depends on {name!r}: it may depend on parameters only."
            )
        return self._known[name]

    def __getattr__(self, name: str) -> Expr:
        raise ModelError(f"the start value of {self._name!r} uses {name!r}: it may depend on parameters only.")
