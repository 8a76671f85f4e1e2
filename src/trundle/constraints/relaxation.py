"""Weights that relax constraint rows, as the user gives them: numbers or functions of the signals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import casadi as ca

from trundle.constraints.row import Role, Row
from trundle.errors import ModelError, UnknownNameError
from trundle.model.law_probe import Asker, MultiplierSignals
from trundle.model.model import Model
from trundle.typing import Expr

Weight = float | Callable[[Expr], Expr] | Expr


def weight_faults(model: Model, weights: Mapping[str, Weight]) -> list[str]:
    """What is wrong with the weights, before anything is derived."""
    asker = Asker(model)
    multipliers: dict[str, Expr] = {}
    for name, weight in weights.items():
        where = f"the weight of {name!r}"
        for answer in asker.ask(where, partial(_asked_answer, asker, weight, multipliers)):
            if answer.is_constant() and not 0 <= float(answer) <= 1:
                asker.faults.append(
                    f"{where} is {float(answer):g}; weights lie between 0 (the constraint is lifted) and 1 (held)."
                )
    return asker.faults


def _answer(weight: Weight, signals: Any) -> list[Expr]:
    return [weight(signals) if callable(weight) else weight]


def _asked_answer(asker: Asker, weight: Weight, symbols: dict[str, Expr]) -> list[Expr]:
    answer = _answer(weight, MultiplierSignals(asker.signals, symbols))
    asker.known |= {symbol.element_hash() for symbol in symbols.values()}
    return answer


def relax(rows: Sequence[Row], weights: Mapping[str, Weight], signals: Any, multipliers: dict[str, Expr]) -> list[Row]:
    """The rows with their weights; those that are relaxed hold accelerations only, and their power is lost, not driven.
    Symbols of multipliers that weights ask for are added to `multipliers`.

    Expressions are kept between 0 and 1.
    """
    known = {row.name: row.name for row in rows} | {
        row.place.coordinate: row.name for row in rows if row.role is Role.DRIVE
    }
    chosen: dict[str, Expr] = {}
    for name, weight in weights.items():
        if name not in known:
            raise UnknownNameError(name, known, "constraint row to relax")
        if known[name] in chosen:
            raise ModelError(f"the row {known[name]!r} is given two weights.")
        value = ca.SX(_answer(weight, MultiplierSignals(signals, multipliers))[0])
        chosen[known[name]] = value if value.is_constant() else ca.fmin(ca.fmax(value, 0), 1)
    out = []
    for row in rows:
        weighted = replace(row, weight=chosen[row.name]) if row.name in chosen else row
        if not weighted.ideal and weighted.active is not None:
            weighted = replace(weighted, weight=weighted.weight * weighted.active, active=None)
        if not weighted.ideal:
            weighted = replace(weighted, residual=ca.SX(0), rate=ca.SX(0), level="acceleration", driven=None)
        out.append(weighted)
    return out
