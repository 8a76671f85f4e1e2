"""Explicit Runge-Kutta methods with error estimate and dense output, each defined by its coefficients."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, final

import numpy as np

from trundle.errors import ModelError
from trundle.integrate.methods.tableau import Method, Plan, StepControl, check_table, read, widen
from trundle.kernel.compiled import address
from trundle.typing import Json


def _compiled_step() -> int:
    return address("explicit_step")


@dataclass(frozen=True)
class ExplicitRungeKutta(Method):
    """Family of explicit methods: stage i is at x + h sum_j stages[i, j] k_j, the end at x + h sum_j weights[j] k_j.

    The dense output is x + s (c0 + (1-s)(c1 + s (c2 + (1-s)(c3 + ...)))) with c0 the increment, c1 and c2 fixed by the
    slopes at both ends, and the rest by the rows of `dense`, if there are any (Hairer, Norsett, Wanner 1993, section
    II.6).
    """

    coefficients: ClassVar[Json]
    needs_jacobian = False
    in_lanes = True
    stability = 3.0
    error_in_end: ClassVar[bool]  # the error estimate uses the slope at the end of the step

    def plan(self) -> Plan:
        """Arrays for the compiled loop; rows of slopes: stages, slope at the end, extra stages of the dense output."""
        return _plan(self)


@cache
def _plan(method: ExplicitRungeKutta) -> Plan:
    table = method.coefficients
    nodes, extra = (table.get(word, np.zeros(0)) for word in ("extra_nodes", "extra_stages"))
    check_table(method, table, ("nodes",), ("stages",), widest=1 + len(nodes))
    if len(nodes) != len(extra):
        raise ModelError(f"{type(method).__name__}: extra_stages needs one row for each of the extra_nodes.")
    weights = table["weights"]
    stages = len(weights)
    rows = stages + 1 + len(nodes)
    higher = widen(table["dense"], rows) if len(table.get("dense", ())) else np.zeros((0, rows))
    b = widen(weights, rows)
    first, end = np.eye(rows)[0], np.eye(rows)[stages]
    dense = np.vstack([b, first - b, 2 * b - first - end, higher])
    error = widen(table["error"], rows)
    flat = [widen(table["stages"], rows).ravel(), table["nodes"], b, error.ravel()]
    return Plan(
        stages=stages,
        rows=rows,
        end_row=stages,
        end_in_step=method.error_in_end,
        stage_scale=True,
        coefficients=np.concatenate(flat),
        error_rows=len(error),
        dense=dense,
        step_address=_compiled_step,
        extra_nodes=nodes,
        extra_stages=widen(extra, rows) if len(extra) else np.zeros((0, rows)),
    )


@final
@dataclass(frozen=True)
class DormandPrince5(ExplicitRungeKutta):
    """Order 5 with 6 evaluations a step, dense output of order 4; for tolerances above about 1e-7."""

    coefficients = read("DormandPrince5")
    control = StepControl(alpha=0.17, beta=0.04, growth=8.0)
    order = 5
    dense_order = 4
    stability = 3.25  # [Hairer 1996, section IV.2]
    error_in_end = True


@final
@dataclass(frozen=True)
class DormandPrince8(ExplicitRungeKutta):
    """Order 8 with 12 evaluations a step, dense output of order 7 with 3 more; for tolerances below about 1e-7."""

    coefficients = read("DormandPrince8")
    # The error estimate of order 8 is sometimes far too small, so the growth of a step is limited.
    control = StepControl(alpha=0.121, beta=0.02, growth=1.6)
    order = 8
    dense_order = 7
    stability = 6.1  # [Hairer 1996, section IV.2]
    error_in_end = False
