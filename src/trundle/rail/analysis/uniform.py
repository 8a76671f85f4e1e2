"""A vehicle on uniform track, straight or an arc: an autonomous system with exact slopes, and its steady motion."""

from collections.abc import Mapping
from typing import final

import numpy as np

from trundle.errors import SolveError
from trundle.lookup.table import Table
from trundle.study.continuation.flow import Flow
from trundle.system import System
from trundle.typing import AnyArray, Array, Values

STEPS, SHORTEST = 60, 1e-4
CLOSE = 1e-9  # Newton step relative to the state at which a steady motion is found


@final
class UniformTrack:
    """A system on uniform track as a flow that depends on the speed, and its steady motions.

    Parameters
    ----------
    system : System
        A vehicle with the parameter `speed`, built on uniform track.
    tables : mapping, optional
        Tables in place of those of the model: another arc.
    start : mapping, optional
        Values by name that the search for a steady motion starts from.
    """

    def __init__(self, system: System, tables: Mapping[str, Table] | None = None, start: Values | None = None) -> None:
        f = system.formulation
        if not f.in_joints or f.has_rows or f.parameters.modes:
            raise SolveError(
                "analyses on uniform track need a vehicle without constraints and without contacts that stick: "
                "connect its bodies by joints of the tree and forces, and take smooth friction."
            )
        self.system, self.tables = system, dict(tables or {})
        known = system.model.parameter_values()
        if "speed" not in known:
            raise SolveError(f"the model {system.model.name!r} has no parameter 'speed': build a vehicle on a line.")
        self.built_speed = float(known["speed"])
        first = system.start(start, {"speed": self.built_speed, **self.tables})
        given = {**({"acceleration": 0.0} if "acceleration" in known else {}), **self.tables}
        self.flow = Flow(f, "speed", f.states.vector(first.q, first.u), self.built_speed, given)

    def steady(self, speed: float, guess: Array | None = None, at: float | None = None) -> Array:
        """The steady motion at a speed, from one (`guess`) at the speed `at`; SolveError if none is found near."""
        from_speed = self.built_speed if at is None else at
        x = self.flow.first if guess is None else guess.copy()
        if from_speed != speed:
            x = self.scaled(x, speed / from_speed)
        part = 1.0
        for _ in range(STEPS):
            slopes, value = self.flow.slopes(x, speed), self.flow.rates(x, speed)
            if not (np.all(np.isfinite(slopes)) and np.all(np.isfinite(value))):
                break
            step = -np.linalg.solve(slopes, value)
            size = self._size(step, x)
            if size < CLOSE:
                return x + step
            trial = x + part * step
            there = self.flow.rates(trial, speed)
            after = self._size(np.linalg.solve(slopes, there), x) if np.all(np.isfinite(there)) else np.inf
            if after <= (1.0 - part / 4) * size:  # [Deuflhard 2011, Sect. 3.3]
                x, part = trial, min(1.0, 2 * part)
            elif part < SHORTEST:
                break
            else:
                part /= 2
        raise SolveError(f"no steady motion was found at {speed:g} m/s near the start.")

    def at_speed(self, speed: float) -> Array:
        """The start, with wheels that turn as they do at a speed (m/s)."""
        return self.scaled(self.flow.first, speed / self.built_speed)

    def scaled(self, x: Array, ratio: float) -> Array:
        """A motion at another speed: wheels turn in proportion; all other rates of a steady motion vanish."""
        x, speeds = x.copy(), self.flow.formulation.states.u
        for k, i in enumerate(self.flow.kept):
            if speeds.start <= i < speeds.stop:
                x[k] *= ratio
        return x

    @staticmethod
    def _size(step: AnyArray, x: Array) -> float:
        return float(np.max(np.abs(step) / (1e-2 + np.abs(x))))
