"""Start and end of runs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.typing import Array

Normals = tuple[Array, ...]


@final
@dataclass(frozen=True, eq=False)
class Case:
    """One run: state x0 at time t0 (s), parameters p, end time t1 (s). `normals`: for each contact that may touch in a
    second point, its other common normals at the start, as rows of coordinates and gap in excess of that of the
    contact; `normals_until`: time (s) up to which none of these gaps shrinks by more than a third.
    """

    t0: float
    t1: float
    x0: Array
    p: Array
    normals: Normals = ()
    normals_until: float = -math.inf


@final
@dataclass(frozen=True, eq=False)
class Cases:
    """Many runs: one row of x0 and of p for each; the times t0 and t1 (s) are common, or there is one for each."""

    t0: float | Array
    t1: float | Array
    x0: Array
    p: Array
    normals: Sequence[Normals] = ()

    def __len__(self) -> int:
        return len(self.x0)

    def __getitem__(self, i: int) -> Case:
        t0, t1 = (float(np.broadcast_to(v, len(self))[i]) for v in (self.t0, self.t1))
        return Case(t0, t1, self.x0[i], self.p[i], self.normals[i] if self.normals else ())

    def part(self, rows: slice) -> "Cases":
        """Some of the cases."""
        t0, t1 = (v if np.ndim(v) == 0 else np.asarray(v)[rows] for v in (self.t0, self.t1))
        return Cases(t0, t1, self.x0[rows], self.p[rows], self.normals[rows])
