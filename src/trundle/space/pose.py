"""A constant pose: where a frame stands in another one."""

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.space.rotation import clean
from trundle.typing import Array, Expr


@final
@dataclass(frozen=True, eq=False)
class Pose:
    """Numeric rotation, and a position that may hold parameters."""

    R: Array
    p: Expr  # CasADi column

    def __matmul__(self, other: "Pose") -> "Pose":
        return Pose(clean(self.R @ other.R), self.p + ca.mtimes(ca.DM(self.R), other.p))

    def inverse(self) -> "Pose":
        """The pose of the outer frame in the inner one."""
        return Pose(clean(self.R.T), -ca.mtimes(ca.DM(self.R.T), self.p))

    def point(self, at: Expr) -> Expr:
        """A point of the inner frame, seen in the outer one (CasADi column)."""
        return self.p + ca.mtimes(ca.DM(self.R), ca.vertcat(*at) if isinstance(at, tuple) else at)

    @staticmethod
    def at(position: Expr, R: Array | None = None) -> "Pose":
        """From three numbers or expressions, and a rotation."""
        return Pose(np.eye(3) if R is None else clean(R), ca.SX(ca.vertcat(*position)))


def identity() -> Pose:
    """The pose of a frame in itself."""
    return Pose(np.eye(3), ca.SX.zeros(3))
