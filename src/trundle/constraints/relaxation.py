"""Weights that relax constraint rows, as the user gives them: numbers, matrices or functions of the signals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import casadi as ca
import numpy as np

from trundle.constraints.row import Role, Row
from trundle.errors import ModelError, UnknownNameError
from trundle.laws.signals import Signals
from trundle.model.law_probe import LawProbe, MultiplierSignals
from trundle.model.model import Model
from trundle.model.non_ideal import entries
from trundle.typing import Expr

Weight = float | Callable[[Expr], Expr] | Expr
ROUND_OFF = 1e-12  # eigenvalues of weight matrices below are zero
EQUAL = 1e-30  # keeps the direction of two equal eigenvalues defined


def weight_faults(model: Model, weights: Mapping[str, Weight]) -> tuple[list[str], list[str]]:
    """Faults of weights and resistances, checked before the equations are derived; and the rows concerned: those that
    have weights or whose multipliers are used.
    """
    probe = LawProbe(model)
    multipliers: dict[str, Expr] = {}
    for name, weight in weights.items():
        where = f"the weight of {name!r}"
        for answer in probe.evaluate(where, partial(_weight_value, probe, weight, multipliers)):
            if answer.is_constant() and not 0 <= float(answer) <= 1:
                probe.faults.append(
                    f"{where} is {float(answer):g}; weights lie between 0 (the constraint is lifted) and 1 (held)."
                )
    for rows, matrix in model.weight_matrices.items():
        n, where = len(rows), f"the weight matrix of {', '.join(map(repr, rows))}"
        probe.evaluate(where, partial(_matrix_entries, probe, matrix, n, multipliers), n**2)
    for name, effort in model.resistances.items():
        probe.evaluate(f"the resistance along {name!r}", partial(_weight_value, probe, effort, multipliers))
    mixed = [row for rows in model.weight_matrices for row in rows]
    return probe.faults, [*weights, *mixed, *multipliers]


def _answer(weight: Weight, signals: Signals) -> list[Expr]:
    return [weight(signals) if callable(weight) else weight]


def _weight_value(probe: LawProbe, weight: Weight, symbols: dict[str, Expr]) -> list[Expr]:
    answer = _answer(weight, MultiplierSignals(probe.signals, symbols))
    probe.known |= {symbol.element_hash() for symbol in symbols.values()}
    return answer


def _matrix_entries(probe: LawProbe, matrix: object, n: int, symbols: dict[str, Expr]) -> list[Expr]:
    return [entries(_weight_value(probe, matrix, symbols)[0], n)]


def relax(rows: Sequence[Row], model: Model, signals: Signals, multipliers: dict[str, Expr]) -> list[Row]:
    """The rows with their weights; relaxed rows constrain accelerations only, and their power counts as lost, not as
    supplied. Symbols of multipliers that weights use are added to `multipliers`.

    Expressions are kept between 0 and 1.
    """
    known = {row.name: row.name for row in rows} | {
        row.place.coordinate: row.name for row in rows if row.role is Role.DRIVE
    }
    with_multipliers = MultiplierSignals(signals, multipliers)
    chosen: dict[str, Expr] = {}
    mixed: dict[str, dict[str, Expr]] = {}

    def row_called(name: str) -> str:
        if name not in known:
            raise UnknownNameError(name, known, "constraint row to relax")
        if known[name] in chosen:
            raise ModelError(f"the row {known[name]!r} is given two weights.")
        return known[name]

    for name, weight in model.relaxations.items():
        value = ca.SX(_answer(weight, with_multipliers)[0])
        chosen[row_called(name)] = value if value.is_constant() else ca.fmin(ca.fmax(value, 0), 1)
    for names, matrix in model.weight_matrices.items():
        called = [row_called(name) for name in names]
        squares, directions = _principal(entries(_answer(matrix, with_multipliers)[0], len(names)))
        for k, name in enumerate(called):
            square = ca.if_else(squares[k] > ROUND_OFF, ca.fmin(squares[k], 1), 0)
            chosen[name] = ca.sqrt(square)
            mixed[name] = {other: directions[j][k] for j, other in enumerate(called)}
    out = []
    for row in rows:
        weighted = replace(row, weight=chosen[row.name]) if row.name in chosen else row
        weighted = replace(weighted, mixed=mixed[row.name]) if row.name in mixed else weighted
        if weighted.mixed is not None and weighted.active is not None:
            raise ModelError(
                f"the row {row.name!r} is not always active (its contact sticks, slides or opens): a weight matrix "
                "needs rows that are always active."
            )
        if not weighted.ideal and weighted.active is not None:
            weighted = replace(weighted, weight=weighted.weight * weighted.active, active=None)
        if not weighted.ideal:
            weighted = replace(weighted, residual=ca.SX(0), rate=ca.SX(0), level="acceleration", driven=None)
        out.append(weighted)
    return out


def _principal(N: Sequence[Expr]) -> tuple[list[Expr], list[list[Expr]]]:
    """Eigenvalues and the orthogonal matrix of eigenvectors (columns) of a symmetric matrix, given row by row: numbers
    of any size, or two by two expressions.
    """
    values = [ca.SX(entry) for entry in N]
    n = round(len(values) ** 0.5)
    if all(value.is_constant() for value in values):
        squares, vectors = np.linalg.eigh(np.array([float(v) for v in values]).reshape(n, n))
        return [ca.SX(float(v)) for v in squares], [[ca.SX(float(x)) for x in row] for row in vectors]
    a, b, d = values[0], (values[1] + values[2]) / 2, values[3]
    mean, half = (a + d) / 2, (a - d) / 2
    turn, radius = ca.atan2(b, half + EQUAL) / 2, ca.sqrt(half**2 + b**2 + EQUAL)
    c, s = ca.cos(turn), ca.sin(turn)
    return [mean + radius, mean - radius], [[c, -s], [s, c]]
