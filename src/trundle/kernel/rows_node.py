"""The numeric solution of active constraint rows as a node of an expression.

The solver (`trundle.linear_algebra.solve_rows`, compiled) takes its input from a buffer and writes its results to the
beginning of the buffer. A node has no derivative: CasADi refuses to differentiate it.
"""

import ctypes
from collections.abc import Sequence
from functools import cache

import casadi as ca
import numpy as np

from trundle.kernel.compiled import address
from trundle.kernel.memory import address_of
from trundle.kernel.rows_call import SOLVER
from trundle.kernel.solver_record import SolverRecord
from trundle.typing import Expr, TapeFunction, Untyped

_PART = "solve_rows"
_PREFIX = "rows"


class _Node(ca.Callback):
    """The function of nodes of these sizes; CasADi's own evaluator calls it."""

    def __init__(self, given: int, found: int, scratch: int) -> None:
        ca.Callback.__init__(self)
        self.given, self.found, self.size = given, found, given + scratch
        self.construct(f"{_PREFIX}_{self.size}", {})

    def get_n_in(self) -> int:
        return self.given

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_out(self, _: int) -> Untyped:
        return ca.Sparsity.dense(self.found, 1)

    def eval(self, given: Sequence[Expr]) -> list[Expr]:
        buffer = np.zeros(self.size)
        buffer[: self.given] = [float(v) for v in given]
        solve_in(address_of(buffer), self.given)
        return [ca.DM(buffer[: self.found])]


@cache
def _node(given: int, found: int, scratch: int) -> _Node:
    return _Node(given, found, scratch)


def solved(numbers: Sequence[Expr], found: int, scratch: int) -> Expr:
    """The first `found` results of the solver for the given numbers; `scratch` is the size of its scratch memory."""
    return _node(len(numbers), found, scratch).call([ca.SX(v) for v in numbers], False, True)[0]


def is_rows(function: TapeFunction) -> bool:
    """Whether a called function is such a node."""
    return bool(function.name().startswith(f"{_PREFIX}_"))


def buffer_size(function: TapeFunction) -> int:
    """Size of its buffer."""
    return int(function.name().rpartition("_")[2])


# -- from machine code -------------------------------------------------------------------------------------------------


def load_solver() -> None:
    """Load the solver, before a kernel calls it."""
    SOLVER[0] = address(_PART)


def solve_in(buffer: int, given: int) -> None:
    """Call the solver on the buffer at an address (one lane)."""
    scratch = buffer + 8 * given
    record = SolverRecord(numbers=buffer, stride=1, scratch=scratch, places=scratch)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address(_PART))(record.address)
