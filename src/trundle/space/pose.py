"""Constant pose (rotation and position) of a frame in another one."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca
import numpy as np

from trundle.space.rotation import clean
from trundle.typing import Array, Expr

_IDENTITY = np.eye(3)
_NUMBERS = (float, float, float)


@final
@dataclass(frozen=True, eq=False)
class Pose:
    """Numeric rotation, and a position that may contain parameters."""

    R: Array
    p: Expr  # CasADi column

    @cached_property
    def is_identity(self) -> bool:
        """Whether both frames coincide: then nothing has to be multiplied."""
        return bool(self.p.is_zero()) and bool(np.array_equal(self.R, _IDENTITY))

    def __matmul__(self, other: "Pose") -> "Pose":
        if other.is_identity:
            return self
        if self.is_identity:
            return other
        return Pose(clean(self.R @ other.R), self.p + ca.mtimes(ca.DM(self.R), other.p))

    def inverse(self) -> "Pose":
        """The pose of the outer frame in the inner one."""
        if self.is_identity:
            return self
        return Pose(clean(self.R.T), -ca.mtimes(ca.DM(self.R.T), self.p))

    def point(self, at: Expr) -> Expr:
        """Coordinates in the outer frame of a point given in the inner one (CasADi column)."""
        return self.p + ca.mtimes(ca.DM(self.R), ca.vertcat(*at) if isinstance(at, tuple) else at)

    @staticmethod
    def at(position: Expr, R: Array | None = None) -> "Pose":
        """Pose from three numbers or expressions, and a rotation."""
        p = ca.SX.zeros(3) if tuple(map(type, position)) == _NUMBERS and not any(position) else column(position)
        return Pose(np.eye(3) if R is None else clean(R), p)


def column(values: Iterable[Expr]) -> Expr:
    """Numbers or expressions as a column of SX."""
    found = ca.vertcat(*values)
    return found if type(found) is ca.SX else ca.SX(found)


def identity() -> Pose:
    """The identity pose."""
    return Pose(np.eye(3), ca.SX.zeros(3))
