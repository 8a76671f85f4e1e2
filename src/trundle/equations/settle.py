"""Numbers: unit quaternions, and surface coordinates that have found the contacts which close loops."""

from itertools import product
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.equations.derive import Equations
from trundle.equations.functions import normalised

Array = np.ndarray[Any, np.dtype[np.float64]]
LIMIT = 60  # Newton steps
STRIDE = 0.5  # largest step (rad, or in lengths of the model)
TOUCHES = 1e-9  # gap (m) below which surfaces touch


@final
class Settler:
    """Brings what belongs to a pose in order: called after every change of coordinates."""

    def __init__(self, equations: Equations, length: float = 1.0) -> None:
        e = self.equations = equations
        self.length = length
        self.n = e.motion.n_q
        self._blocks: list[slice] = []  # followers of each contact
        at = self.n
        outputs = []
        for touch in e.touches.values():
            count = len(touch.contact.followers)
            if count:
                self._blocks.append(slice(at, at + count))
                facing = ca.dot(touch.contact.axes[2], touch.contact.opposed)
                outputs.append(ca.vertcat(touch.contact.gap, facing, touch.contact.corrections))
                at += count
        self._f = [ca.Function("settle", [e.q, e.p], [ca.densify(out)]) for out in outputs]

    def __call__(self, q: Any, p: Any, search: bool = True) -> Array:
        """The pose with unit quaternions and exact surface coordinates; where Newton fails from those given, they are
        searched for all over the surfaces, or made nan when no search is wanted.
        """
        q = normalised(q, self.equations.motion.quaternions)
        for f, block in zip(self._f, self._blocks, strict=True):
            found = self._follow(f, q, p, block)
            if search and (found is None or abs(float(f(found, p)[0])) > TOUCHES):
                other = self._search(f, q, p, block)  # the contact may lie elsewhere on the surfaces
                if other is not None and (found is None or abs(float(f(other, p)[0])) < TOUCHES):
                    found = other
            if found is not None:
                q = found
            elif not search:
                q[block] = np.nan
        return q

    def _follow(self, f: Any, q: Array, p: Any, block: slice) -> Array | None:
        """Newton's method from the coordinates as they are; None when it does not end in a contact of the outer
        sides.
        """
        q = q.copy()
        for _ in range(LIMIT):
            out = f(q, p).full().ravel()
            step = out[2:]
            size = float(np.max(np.abs(step)))
            if not np.isfinite(size):
                return None
            q[block] += step * min(1.0, STRIDE * max(1.0, self.length) / max(size, 1e-300))
            if size < 1e-14 * (1 + float(np.max(np.abs(q[block])))):
                break
        else:
            if size > 1e-9:
                return None
        return q if out[1] < 0 else None

    def _search(self, f: Any, q: Array, p: Any, block: slice) -> Array | None:
        """The contact with the smallest gap, from starts all over the surfaces."""
        best, best_gap = None, np.inf
        count = block.stop - block.start
        for shift in product((0.0, 0.5 * np.pi, -0.5 * np.pi, np.pi), repeat=count):
            trial = q.copy()
            trial[block] += shift
            found = self._follow(f, trial, p, block)
            if found is not None:
                gap = abs(float(f(found, p)[0]))
                if gap < best_gap - 1e-9:
                    best, best_gap = found, gap
        return best
