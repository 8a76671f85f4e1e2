"""Constraints that are not ideal: checks of the user's weights, weight matrices and efforts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.model.connection import ConnectedPair
from trundle.model.contents import ModelContents
from trundle.typing import Expr, Given, Value

EXAMPLE = "such as 'wheel.slip_x'"
ROUND_OFF = 1e-12


def check_weight(model: ModelContents, row: Given, weight: Given) -> None:
    """ModelError if a weight is neither a number from 0 to 1 nor an expression of parameters nor a function, where
    the row does not belong to a connection, or where it has a weight already.
    """
    _check_row(model, row)
    if not callable(weight) and not (_is_number(weight) and 0 <= weight <= 1) and not _is_expression(model, weight):
        raise ModelError(f"the weight of {row!r} lies between 0 (lifted) and 1 (held), got {weight!r}.")


def check_matrix(model: ModelContents, rows: Sequence[Given], weight: object) -> None:
    """ModelError if a matrix of weights is invalid, or one of the rows has a weight already."""
    for row in rows:
        _check_row(model, row)
    n, what = len(rows), f"the weight matrix of {', '.join(map(repr, rows))}"
    if len(set(rows)) < n or n < 2:
        raise ModelError(f"{what} needs two or more different rows; one row takes a number.")
    if callable(weight):
        if n > 2:
            raise ModelError(f"{what}: a matrix that changes with the motion can be given for two rows; give numbers.")
        return
    N = np.asarray(weight, float) if _is_table(weight, n) else None
    if N is None or not np.allclose(N, N.T, rtol=0, atol=ROUND_OFF):
        raise ModelError(f"{what} is a symmetric matrix of {n} by {n} numbers, got {weight!r}.")
    values = np.linalg.eigvalsh(N)
    if values[0] < -ROUND_OFF or values[-1] > 1 + ROUND_OFF:
        found = ", ".join(f"{v:.6g}" for v in values)
        raise ModelError(f"{what} has the eigenvalues {found}; they lie between 0 (lifted) and 1 (held).")


def check_resistance(model: ModelContents, motion: object, effort: object) -> None:
    """ModelError if the motion is not one of a connection, is resisted already, or the effort is not valid."""
    if model.motion_along(motion) is None:
        raise ModelError(
            f"resist takes a relative motion of a connection, {EXAMPLE} or 'slider.displacement', got {motion!r}."
        )
    if motion in model.resistances:
        raise ModelError(f"{motion!r} has a resistance already; give the sum of the efforts.")
    if not (callable(effort) or _is_number(effort) or _is_expression(model, effort)):
        raise ModelError(
            f"the resistance along {motion!r} is a number, an expression of parameters or a function of the signals, "
            f"got {effort!r}."
        )


def entries(matrix: Given, n: int) -> list[Expr]:
    """The n^2 numbers or expressions of a matrix that was given in rows, row by row."""
    if isinstance(matrix, ca.SX | ca.DM):
        return ca.vertsplit(ca.vec(matrix.T))
    rows = [list(row) for row in matrix]
    if [len(row) for row in rows] != [n] * n:
        raise ModelError(f"a weight matrix has {n} rows of {n} entries, got {matrix!r}.")
    return [entry for row in rows for entry in row]


def by_rows(model: ModelContents, row_names: Sequence[str]) -> Value:
    """The model in which joints with a relaxed bond, or with a bond whose multiplier is used, are enforced by
    constraint rows; joints of the tree have no multipliers.
    """
    owners = dict(_owners(model, row_names))
    if not owners:
        return model
    out = model.__copy__()
    out.connections = {n: replace(c, by_rows=True) if n in owners else c for n, c in model.connections.items()}
    return out


def _owners(model: ModelContents, row_names: Sequence[str]) -> Iterator[tuple[str, ConnectedPair]]:
    for row in row_names:
        c, bond = model.motion_along(row) or (None, "")
        if c is not None and not c.is_contact and bond in c.holds:
            yield c.name, c


def _check_row(model: ModelContents, row: object) -> None:
    if model.motion_along(row) is None:
        raise ModelError(f"relax takes the row of a connection, {EXAMPLE}, got {row!r}.")
    if row in model.relaxations or any(row in rows for rows in model.weight_matrices):
        raise ModelError(f"the row {row!r} has a weight already.")


def _is_number(value: object) -> bool:
    return isinstance(value, float | int | np.number) and bool(np.isfinite(value))


def _is_expression(model: ModelContents, value: object) -> bool:
    known = {p.symbol.element_hash() for p in model.parameters.values()}
    return isinstance(value, ca.SX) and all(s.element_hash() in known for s in ca.symvar(value))


def _is_table(value: object, n: int) -> bool:
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        return False
    return array.shape == (n, n) and bool(np.all(np.isfinite(array)))
