"""A vehicle on uniform track, straight or an arc: an autonomous system with exact slopes, and its steady motion."""

from collections.abc import Mapping
from typing import Any, final

import numpy as np

from trundle.errors import SolveError
from trundle.lookup.table import Table
from trundle.system import System
from trundle.typing import AnyArray, Array

NORM = 60.0  # 1/s: quaternions are drawn to length one at this rate, so that no direction is left open
NOTHING = 1e-9  # of the largest slope: a state on which nothing depends
STEPS, SHORTEST = 60, 1e-4
CLOSE = 1e-9  # Newton step relative to the state at which a steady motion is found


@final
class UniformTrack:
    """xdot = f(x; speed) of a system whose track is the same everywhere.

    States on which nothing depends (angles of wheels, distance travelled) and those that do not change (a given speed)
    are left out. `names` are those that are kept.

    Parameters
    ----------
    system : System
        A vehicle with the parameter `speed`, built on uniform track.
    tables : mapping, optional
        Tables in place of those of the model: another arc.
    start : mapping, optional
        Values by name that the search for a steady motion starts from.
    """

    def __init__(
        self, system: System, tables: Mapping[str, Table] | None = None, start: Mapping[str, Any] | None = None
    ) -> None:
        f = self.formulation = system.formulation
        if not f.in_joints or f.has_rows or f.parameters.modes:
            raise SolveError(
                "analyses on uniform track need a vehicle without constraints and without contacts that stick: "
                "connect its bodies by joints of the tree and forces, and take smooth friction."
            )
        self.system, self.tables = system, dict(tables or {})
        self._kernels = f.kernels("stiff")
        self._n = f.states.n_motion
        self._parameters: dict[float, Array] = {}
        known = system.model.parameter_values()
        if "speed" not in known:
            raise SolveError(f"the model {system.model.name!r} has no parameter 'speed': build a vehicle on a line.")
        self._given = {**({"acceleration": 0.0} if "acceleration" in known else {}), **self.tables}
        self.built_speed = float(known["speed"])
        first = system.start(start, {"speed": self.built_speed, **self.tables})
        self._first = f.states.vector(first.q, first.u)
        self.quaternions = [c.i_q for c in f.layout.coordinates if c.n_u == 3]
        every = _state_names(f)
        self.kept = self._chosen()
        self.names = [every[i] for i in self.kept]
        self._place = {name: k for k, name in enumerate(self.names)}
        self._stretch = [[self._place[every[i + j]] for j in range(4)] for i in self.quaternions]

    @property
    def first(self) -> Array:
        """Start values, reduced."""
        return self._first[self.kept]

    def index(self, name: str) -> int:
        """Where a state stands."""
        if name not in self._place:
            raise SolveError(f"{name!r} is not among the states that matter: {', '.join(self.names)}.")
        return self._place[name]

    def parameters(self, speed: float) -> Array:
        """Of the kernels, at a speed (m/s)."""
        if speed not in self._parameters:
            self._parameters[speed] = self.formulation.parameter_vector({"speed": speed, **self._given})
        return self._parameters[speed]

    def whole(self, x: Array) -> Array:
        """The state vector of the system."""
        full = self._first.copy()
        full[self.kept] = x
        return full

    def rates(self, x: Array, speed: float) -> Array:
        """xdot."""
        out = np.array(self._kernels["rhs"](0.0, self.whole(x), self.parameters(speed)))[self.kept]
        for at in self._stretch:
            q = x[at]
            out[at] += NORM * (1.0 - q @ q) * q
        return out

    def slopes(self, x: Array, speed: float) -> Array:
        """d xdot/dx."""
        A = self._all_slopes(self.whole(x), speed)[np.ix_(self.kept, self.kept)]
        for at in self._stretch:
            q = x[at]
            A[np.ix_(at, at)] += NORM * ((1.0 - q @ q) * np.eye(4) - 2.0 * np.outer(q, q))
        return A

    def speed_slope(self, x: Array, speed: float) -> Array:
        """d xdot/d speed, by central differences: it only steers Newton's method."""
        h = 1e-4 * max(1.0, abs(speed))
        return (self.rates(x, speed + h) - self.rates(x, speed - h)) / (2 * h)

    def steady(self, speed: float, guess: Array | None = None, at: float | None = None) -> Array:
        """The steady motion at a speed, from one (`guess`) at the speed `at`; SolveError where none is found near."""
        from_speed = self.built_speed if at is None else at
        x = self.first if guess is None else guess.copy()
        if from_speed != speed:
            x = self._scaled(x, speed / from_speed)
        part = 1.0
        for _ in range(STEPS):
            slopes, value = self.slopes(x, speed), self.rates(x, speed)
            if not (np.all(np.isfinite(slopes)) and np.all(np.isfinite(value))):
                break
            step = -np.linalg.solve(slopes, value)
            size = self._size(step, x)
            if size < CLOSE:
                return x + step
            trial = x + part * step
            there = self.rates(trial, speed)
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
        return self._scaled(self.first, speed / self.built_speed)

    def growth(self, x: Array, speed: float) -> tuple[AnyArray, AnyArray]:
        """Eigenvalues, largest real part first, and their vectors (columns)."""
        values, vectors = np.linalg.eig(self.slopes(x, speed))
        order = np.lexsort((-values.imag, -values.real.round(12)))
        return values[order], vectors[:, order]

    def evaluate(self, name: str, x: Array, speed: float) -> Array:
        """A quantity of the system at states x (one or many rows)."""
        rows = np.atleast_2d(x)
        full = np.array([self.whole(row) for row in rows])
        p = np.tile(self.parameters(speed), (len(full), 1))
        return np.asarray(self.formulation.evaluate(name, np.zeros(len(full)), full, p)[name])

    def start_values(self, x: Array) -> dict[str, Any]:
        """Coordinates and rates by name, for `simulate`."""
        values = self.formulation.states.values(self.whole(x)[None, :])
        return {name: float(v[0, 0]) if v.shape[1] == 1 else v[0] for name, v in values.items()}

    # -- inside --------------------------------------------------------------------------------------------------------

    def _scaled(self, x: Array, ratio: float) -> Array:
        """Wheels turn in proportion to the speed; all other rates of a steady motion vanish."""
        x = x.copy()
        for k, i in enumerate(self.kept):
            if self.formulation.states.u.start <= i < self.formulation.states.u.stop:
                x[k] *= ratio
        return x

    @staticmethod
    def _size(step: AnyArray, x: Array) -> float:
        return float(np.max(np.abs(step) / (1e-2 + np.abs(x))))

    def _all_slopes(self, full: Array, speed: float) -> Array:
        n = len(full)
        out = np.array(self._kernels["jacobian"](0.0, full, self.parameters(speed)))
        return out[: n * n].reshape(n, n).T[: self._n, : self._n]

    def _chosen(self) -> list[int]:
        """States that matter, found at the start and around it."""
        rng = np.random.default_rng(5)
        size, still = np.zeros((self._n, self._n)), np.ones(self._n, bool)
        for k in range(4):
            full = self._first.copy()
            full[: self._n] += (k > 0) * 1e-5 * rng.uniform(-1, 1, self._n) * (1 + np.abs(full[: self._n]))
            size = np.maximum(size, np.abs(self._all_slopes(full, self.built_speed)))
            rates = np.array(self._kernels["rhs"](0.0, full, self.parameters(self.built_speed)))[: self._n]
            still &= rates == 0.0
        still &= ~np.any(size > 0, axis=1)
        keep = [i for i in range(self._n) if not still[i]]
        while True:
            least = NOTHING * size[np.ix_(keep, keep)].max(axis=1, initial=0.0)
            idle = [i for k, i in enumerate(keep) if not np.any(np.delete(size[np.ix_(keep, [i])][:, 0] > least, k))]
            quaternion = {i + j for i in self.quaternions for j in range(4)}
            idle = [i for i in idle if i not in quaternion]
            if not idle:
                return keep
            keep = [i for i in keep if i not in idle]


def _state_names(f: Any) -> list[str]:
    """Of every entry of the state vector: coordinates (quaternions by component), then speeds."""
    names = [""] * f.n_q
    for c in f.layout.coordinates:
        if c.n_u == 3:
            for j, letter in enumerate("wxyz"):
                names[c.i_q + j] = f"{c.name}_{letter}"
        else:
            names[c.i_q] = c.name
    for name, i in f.layout.first_order_places.items():
        names[i] = name
    return names + list(f.layout.speed_names())
