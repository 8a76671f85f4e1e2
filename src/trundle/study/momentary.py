"""States that are an equilibrium at one time only, because a law depends on time."""

import casadi as ca
import numpy as np

from trundle.equations.formulation import Formulation
from trundle.study.steady import rate_tolerance
from trundle.symbols.quick_symbols import quick_symbols
from trundle.typing import Array

LATER = (1e-3, 1e-2, 0.1, 0.37, 1.0, 2.3, 4.1, 10.0, 31.0, 100.0, 1000.0)  # s: when the rates are checked again
MOMENTARY = (
    "a law changes with time, so that the system does not stay in this pose: it is an equilibrium at t = {t:g} s only. "
    "Make what excites it an input (m.input), which is constant in such studies."
)


def is_momentary(f: Formulation, t: float, x: Array, p: Array) -> bool:
    """Whether the accelerations, or the rates of states, at x = [q, u] are others at other times."""
    functions, n_q = f.functions, f.layout.n_q
    time, state, parameters = functions.inputs
    if not ca.depends_on(functions.plain_rhs(time, state, parameters), time):
        return False
    with quick_symbols():
        now, A, *_ = functions.linear_at(t, x[:n_q], x[n_q:], p)
        later = [functions.linear_at(t + after, x[:n_q], x[n_q:], p)[0] for after in LATER]
    change = np.max([np.abs(rates - now).ravel() for rates in later], axis=0)
    changed = np.nan_to_num(change) > rate_tolerance(A, x)
    return bool(np.any(changed[n_q:]) or np.any(changed[f.layout.first_order_slice]))
