"""Checks of many cases at once: each case is checked as `simulate` checks one run."""

from collections.abc import Sequence

import casadi as ca
import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.model.check import mass_faults, size_faults_of_cases
from trundle.model.model import Model
from trundle.real_array import real_array
from trundle.typing import Array

NAMED = 3  # refused cases of a message


def parameter_faults(f: Formulation, p: Array) -> dict[int, str]:
    """Case -> what is wrong with its parameters; `p` has a row for each case, as kernels take it."""
    model, values = f.model, p[:, f.parameters.parameter_slice]
    names = list(model.parameters)
    found: dict[int, str] = {}
    for i in map(int, np.flatnonzero(~np.all(np.isfinite(values), axis=1))):
        bad = int(np.flatnonzero(~np.isfinite(values[i]))[0])
        found[i] = f"parameter {names[bad]!r} must be finite, got {values[i, bad]}."
    usual = model.parameter_values()
    fine = [i for i in range(len(values)) if i not in found]
    odd = _odd_masses(model, values[fine])
    sizes = size_faults_of_cases(model, values[fine])
    for i, is_odd, faults in zip(fine, odd, sizes, strict=True):
        given = dict(zip(usual, map(float, values[i]), strict=True)) if is_odd else {}
        wrong = [*(mass_faults(model, given) if is_odd else []), *faults]
        if wrong:
            found[i] = "\n".join(wrong)
    fine = [i for i in fine if i not in found]
    found |= {fine[k]: fault for k, fault in f.inertia_check.faults(p[fine]).items()}
    return dict(sorted(found.items()))


def _odd_masses(model: Model, values: Array) -> Array:
    """Cases whose masses and inertias are not obviously valid, to be checked one by one."""
    odd = np.zeros(len(values), bool)
    symbols = ca.vertcat(ca.SX(0, 1), *[p.symbol for p in model.parameters.values()])
    for body in model.free_bodies if len(values) else ():
        inertia = body.mass_properties()
        expression = ca.vertcat(inertia.mass, ca.vec(inertia.matrix))
        if expression.is_constant():
            continue
        numbers = ca.Function("masses", [symbols], [ca.densify(expression)])(values.T).full().T
        mass, matrix = numbers[:, 0], numbers[:, 1:].reshape(-1, 3, 3)
        finite = np.all(np.isfinite(numbers), axis=1)
        moments = np.linalg.eigvalsh(np.where(finite[:, None, None], matrix, 0.0))
        even = np.all(np.abs(matrix - matrix.transpose(0, 2, 1)) <= 1e-12 * np.abs(matrix), axis=(1, 2))
        bodily = (moments[:, 0] >= 0) & (moments[:, 2] <= (moments[:, 0] + moments[:, 1]) * (1 + 1e-9))
        odd |= ~(finite & even & bodily & (mass > 0))
    return odd


def numbers_of_cases(name: str, value: object, count: int | None = None) -> Array:
    """The values of all cases; with `count`, one number for each or one for all."""
    try:
        numbers = real_array(value)
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or (count is not None and numbers.shape not in ((), (count,))):
        raise SolveError(f"{name!r} of a batch must be numbers, one for each case, got {value!r}.")
    return numbers


def refusal_text(refused: dict[int, str], count: int) -> str:
    """A message about the refused cases of a batch."""
    lines = [f"case {i}: {text}" for i, text in list(refused.items())[:NAMED]]
    more = f"\nand {len(refused) - NAMED} more" if len(refused) > NAMED else ""
    was = "was" if len(refused) == 1 else "were"
    first = f"{len(refused)} of {count} cases {was} refused and not run (all of them in batch.messages):"
    return "\n".join([first, *lines]) + more


def spread(rows: Array, chosen: Sequence[int], count: int) -> Array:
    """Rows of the chosen cases among nan for the others."""
    out = np.full((count, *rows.shape[1:]), np.nan)
    out[list(chosen)] = rows
    return out
