"""Rows that act, solved by numbers: the node of an expression.

The solver (`trundle.linear_algebra.solve_rows`, compiled) takes numbers that stand side by side in a room and leaves
its answer at the beginning of the room. A node has no derivative: CasADi refuses to differentiate it.
"""

import ctypes
from collections.abc import Sequence
from functools import cache

import casadi as ca
import numpy as np

from trundle.kernel.compiled import address
from trundle.kernel.memory import address_of
from trundle.kernel.room_record import RoomRecord
from trundle.kernel.rows_call import SOLVER
from trundle.typing import Expr, TapeFunction, Untyped

_PART = "solve_rows"
_PREFIX = "rows"


class _Node(ca.Callback):
    """The function behind nodes of these sizes; CasADi's own evaluator calls it."""

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
        room = np.zeros(self.size)
        room[: self.given] = [float(v) for v in given]
        solve_in(address_of(room), self.given)
        return [ca.DM(room[: self.found])]


@cache
def _node(given: int, found: int, scratch: int) -> _Node:
    return _Node(given, found, scratch)


def solved(numbers: Sequence[Expr], found: int, scratch: int) -> Expr:
    """So many numbers that the solver finds from those given, with a scratch room of that size."""
    return _node(len(numbers), found, scratch).call([ca.SX(v) for v in numbers], False, True)[0]


def is_rows(function: TapeFunction) -> bool:
    """Whether a function that is called solves rows."""
    return bool(function.name().startswith(f"{_PREFIX}_"))


def room_size(function: TapeFunction) -> int:
    """Numbers of its room."""
    return int(function.name().rpartition("_")[2])


# -- from machine code -------------------------------------------------------------------------------------------------


def load_solver() -> None:
    """Have the solver in memory before a kernel calls it."""
    SOLVER[0] = address(_PART)


def solve_in(room: int, given: int) -> None:
    """Solve the rows at an address (of one lane)."""
    scratch = room + 8 * given
    record = RoomRecord(numbers=room, stride=1, scratch=scratch, places=scratch)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address(_PART))(record.address)
