"""How near a loop is to a singular pose."""

from collections.abc import Sequence

import casadi as ca

from trundle.linear_algebra.fixed_rank import Choice, FixedRank
from trundle.linear_algebra.kkt import Factor, Sparse
from trundle.typing import Expr


def loop_measure(S: Sequence[Sparse], loop: Choice, scale: Sequence[float]) -> Expr:
    """(geometric over arithmetic mean of the eigenvalues of S_loop)^n: 1 at best, 0 if the loop is singular."""
    rows = loop.rows
    index = {r: i for i, r in enumerate(rows)}
    block: list[Sparse] = [{index[j]: v * (scale[r] * scale[j]) for j, v in S[r].items() if j in index} for r in rows]
    mean = sum((block[i][i] for i in range(len(rows))), ca.SX(0)) / len(rows)
    every = tuple(range(len(rows)))
    if loop.count < len(rows):
        pivots = FixedRank(dict(enumerate(block)), [Choice(every, loop.count)], [1.0] * len(rows)).pivots
    else:
        pivots = list(Factor(block, list(every)).pivot.values())
    value = ca.SX(1)
    for pivot in pivots:
        value = value * ca.fmax(pivot / mean, 0)
    return value
