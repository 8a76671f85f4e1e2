"""Check that every freedom moves some inertia, for parameters other than the defaults.

With its default parameters a model is checked when it is built (`mass_check`). Other parameters are first compared with
these, for many cases at once and without equations; only cases that cannot be decided in this way are checked like a
model.
"""

from collections.abc import Callable
from typing import final

import casadi as ca
import numpy as np

from trundle.equations.derive import Equations
from trundle.equations.mass_check import MASS_CHECK_LIMIT, check_every_mass, check_mass
from trundle.equations.row_functions import speed_sizes
from trundle.errors import ModelError
from trundle.linear_algebra.kkt import dense
from trundle.model.model import Model
from trundle.motion.kinematics import normalised
from trundle.typing import Array, Flags

SAFE_RATIO = 1e9  # ratio of masses and moments up to which no freedom can lose its inertia in round-off
CLEAR = 1e-9  # relative pivot of a mass matrix that is clearly regular


@final
class InertiaCheck:
    """The check for one formulation; `equations` is called only if it is needed."""

    def __init__(
        self, model: Model, length: float, in_joints: bool, equations: Callable[[], Equations], default: Array
    ) -> None:
        self._length, self._in_joints, self._equations = length, in_joints, equations
        bodies = [b.mass_properties() for b in model.free_bodies]
        numbers = [ca.vertcat(i.mass, ca.vec(i.matrix) / length**2) for i in bodies]
        frames = [frame for c in model.connections.values() for frame in (c.first, c.second)]
        places = [ca.SX(i.com) for i in bodies] + [ca.vertcat(*f.position) for f in frames]
        both = [ca.densify(ca.veccat(ca.SX(0, 1), *parts)) for parts in (numbers, places)]
        symbols = ca.vertcat(ca.SX(0, 1), *model.parameter_symbols())
        self._varies = not all(part.is_constant() for part in both)
        self._numbers = ca.Function("inertias", [symbols], both)
        self._usual = default[: symbols.numel()]

    def faults(self, p: Array) -> dict[int, str]:
        """Faults by case; `p` has a parameter vector of the kernels for each case."""
        if not self._varies or not len(p):
            return {}
        found: dict[int, str] = {}
        rest = np.flatnonzero(~self._like_the_default(p[:, : len(self._usual)]))
        if self._in_joints and len(rest) and self._equations().n_u <= MASS_CHECK_LIMIT:
            rest = rest[~self._regular(p[rest])]
        for i in map(int, rest):
            try:
                if self._in_joints:
                    check_mass(self._equations(), p[i], self._length)
                else:
                    check_every_mass(self._equations(), p[i])
            except ModelError as error:
                found[i] = f"with these parameters {error}"
        return found

    def _like_the_default(self, values: Array) -> Flags:
        """Cases in which all bodies have mass and inertia about all axes, or as by default at the same places."""
        inertias, places = (np.asarray(v.full().T) for v in self._numbers(np.vstack([self._usual, values]).T))
        table = inertias.reshape(len(values) + 1, -1, 10)
        mass, matrix = table[..., 0], table[..., 1:].reshape(*table.shape[:2], 3, 3)
        moments = np.linalg.eigvalsh(matrix)
        full = (mass > 0) & (moments[..., 0] > moments[..., 2] / SAFE_RATIO)
        sizes = np.concatenate([mass[..., None], moments], axis=2)
        largest = np.max(sizes, axis=(1, 2), initial=0.0)
        present = sizes > largest[:, None, None] * 1e-15
        smallest = np.min(sizes, axis=(1, 2), initial=np.inf, where=present)
        scaled = matrix / np.maximum(moments[..., 2], 1e-300)[..., None, None]
        kept = (np.all(np.abs(scaled - scaled[0]) < 1e-12, axis=(2, 3)) | (moments[..., 0] > 0)) & (mass > 0)
        kept |= np.all(table == table[0], axis=2)
        still = np.all(places == places[0], axis=1)
        fine = (np.all(full, axis=1) | (self._in_joints & np.all(kept, axis=1) & still)) & (
            largest < SAFE_RATIO * smallest
        )
        return np.asarray(fine[1:], dtype=bool)

    def _regular(self, p: Array) -> Flags:
        """Cases whose mass matrix is clearly regular in at least one of several poses."""
        e, rng = self._equations(), np.random.default_rng(3)
        sizes = speed_sizes(e, self._length)
        rows = ca.densify(ca.vertcat(*[dense(row, e.n_u).T for row in e.mass]))
        f = ca.Function("M", [e.t, e.q, e.p], [ca.vec(rows)])
        found = np.zeros(len(p), dtype=bool)
        for _ in range(3):
            open_cases = np.flatnonzero(~found)
            if len(open_cases):
                q = normalised(rng.normal(size=e.n_q), e.motion.quaternions)
                M = f(0.0, q, p[open_cases].T).full().T.reshape(-1, e.n_u, e.n_u) * sizes * sizes[:, None]
                found[open_cases] = _smallest_pivot(M, e.motion.leaves_first()) > CLEAR
        return found


def _smallest_pivot(M: Array, order: list[int]) -> Array:
    """Smallest pivot of each matrix relative to its diagonal; 0 if a diagonal entry is small beside the largest."""
    M, least = M.copy(), np.full(len(M), np.inf)
    diagonal = np.abs(np.diagonal(M, axis1=1, axis2=2)) + 1e-300
    least[np.min(diagonal, axis=1) < CLEAR * np.max(diagonal, axis=1)] = 0.0
    for k in order:
        pivot = M[:, k, k]
        least = np.minimum(least, pivot / diagonal[:, k])
        safe = np.where(np.abs(pivot) > 0, pivot, 1.0)
        M -= M[:, :, k, None] * M[:, k, None, :] / safe[:, None, None]
    return least
