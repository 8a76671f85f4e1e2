"""Rosenbrock methods for stiff problems: linearly implicit, with the exact Jacobian."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, final

import numpy as np

from trundle.errors import ModelError
from trundle.integrate.methods.tableau import Method, Plan, StepControl, check_table, read, widen
from trundle.kernel.compiled import address
from trundle.typing import Json


def _compiled_step() -> int:
    return address("rosenbrock_step")


@dataclass(frozen=True)
class Rosenbrock(Method):
    """Family of Rosenbrock methods in the form without matrix-vector products [Hairer 1996, section IV.7].

    (I / (h gamma) - J) v_i = f(t + nodes_i h, x + sum_j stages_ij v_j) + sum_j coupling_ij v_j / h
                              + h time_weights_i df/dt,
    x_new = x + sum_i weights_i v_i.

    Within a step the solution is x + s (x_new - x) + s (1 - s) (d_0 + s d_1 + s^2 d_2) with d_k = sum_i dense_ki v_i:
    up to three rows of `dense`, and a straight line without them. `error` is one row, whose sum with v is the estimate.
    """

    coefficients: ClassVar[Json]
    needs_jacobian = True
    in_lanes = False

    def plan(self) -> Plan:
        """Arrays for the compiled loop; rows: slope at the start, increments v of the stages, slope at the end."""
        return _plan(self)


@cache
def _plan(method: Rosenbrock) -> Plan:
    table = method.coefficients
    check_table(method, table, ("nodes", "time_weights"), ("stages", "coupling"), widest=0)
    if not isinstance(table.get("gamma"), float | int):
        raise ModelError(f"{type(method).__name__}: its coefficients need gamma, a number.")
    if len(table.get("dense", ())) > 3:
        raise ModelError(f"{type(method).__name__}: dense has at most three rows.")
    stages = len(table["weights"])
    flat = [widen(table[name], stages).ravel() for name in ("stages", "coupling")]
    flat += [table[name] for name in ("nodes", "time_weights", "weights", "error")]
    # x + s (x_new - x) + s (1-s)(d0 + s (d1 + s d2)), in the alternating form of the loop; last rows may be missing.
    rows = [table["weights"], *table.get("dense", ())]
    if len(rows) == 4:
        rows[2:] = rows[2] + rows[3], -rows[3]
    dense = np.zeros((len(rows), stages + 2))
    dense[:, 1:-1] = rows
    return Plan(
        stages=stages,
        rows=stages + 2,
        end_row=stages + 1,
        end_in_step=False,
        stage_scale=False,
        coefficients=np.concatenate([*(np.ravel(part) for part in flat), [table["gamma"]]]),
        error_rows=1,
        dense=dense,
        step_address=_compiled_step,
        needs_jacobian=method.needs_jacobian,
    )


@final
@dataclass(frozen=True)
class Rodas5P(Rosenbrock):
    """Order 5 with 8 stages, stiffly accurate, little order reduction, dense output of order 4 [Steinebach 2023]."""

    coefficients = read("Rodas5P")
    control = StepControl(alpha=0.17, beta=0.04, growth=6.0)
    order = 5
    dense_order = 4


@final
@dataclass(frozen=True)
class Rodas4(Rosenbrock):
    """Order 4 with 6 stages, stiffly accurate, dense output of order 3 [Hairer 1996, section VI.4]; for tolerances
    above about 1e-5.
    """

    coefficients = read("Rodas4")
    control = StepControl(alpha=0.21, beta=0.05, growth=6.0)
    order = 4
    dense_order = 3
