"""A smooth autonomous system as xdot = f(x; parameter), by its compiled kernels, reduced to the relevant states."""

from typing import final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.kernel import evaluate
from trundle.typing import AnyArray, Array, State, Values

NORM = 60.0  # 1/s: quaternions are drawn to length one at this rate, so that no direction is left open
NOTHING = 1e-9  # of the largest slope: a state on which nothing depends
STEADY_IN_TIME = 1e-9  # of the largest slope: rates that do not depend on time itself


@final
class Flow:
    """xdot = f(x; value of one parameter).

    States on which nothing depends (angles of wheels, distance travelled) and those that do not change (a given speed)
    are left out. `names` are those that are kept.

    Parameters
    ----------
    f : Formulation
        Without constraints and without contacts that stick.
    over : str
        The parameter.
    first : array
        A state vector, about which it is found which states matter.
    value : float
        Of the parameter there.
    given : mapping, optional
        Other parameters and tables by name.
    """

    def __init__(self, f: Formulation, over: str, first: Array, value: float, given: Values | None = None) -> None:
        if not f.in_joints or f.has_rows or f.parameters.modes:
            raise SolveError(
                "this needs a model without constraints and without contacts that stick or slide: connect its bodies "
                "by joints of the tree and forces, and take smooth friction."
            )
        self.formulation, self.over, self.value = f, over, value
        self._given = dict(given or {})
        self._kernels = f.kernels("base") | f.kernels("stiff")
        self._n = f.states.n_motion
        self._parameters: dict[float, Array] = {}
        self._first = first.copy()
        self.quaternions = list(f.layout.quaternions)
        every = state_names(f)
        self.kept = self._chosen()
        self.names = [every[i] for i in self.kept]
        self._place = {name: k for k, name in enumerate(self.names)}
        self._stretch = [[self._place[every[i + j]] for j in range(4)] for i in self.quaternions]

    @property
    def first(self) -> Array:
        """The first state, reduced."""
        return self._first[self.kept]

    def index(self, name: str) -> int:
        """Where a state stands."""
        if name not in self._place:
            raise SolveError(f"{name!r} is not among the states that matter: {', '.join(self.names)}.")
        return self._place[name]

    def parameters(self, value: float) -> Array:
        """Of the kernels."""
        if value not in self._parameters:
            if len(self._parameters) > 1000:
                self._parameters.clear()
            self._parameters[value] = self.formulation.parameter_vector({**self._given, self.over: value})
        return self._parameters[value]

    def whole(self, x: Array) -> Array:
        """The state vector of the system."""
        full = self._first.copy()
        full[self.kept] = x
        return full

    def rates(self, x: Array, value: float) -> Array:
        """xdot."""
        found: Array = self.many_rates(x[None, :], value)[0]
        return found

    def slopes(self, x: Array, value: float) -> Array:
        """d xdot/dx."""
        found: Array = self.many_slopes(x[None, :], value)[0]
        return found

    def many_rates(self, x: Array, value: float) -> Array:
        """xdot at states (rows)."""
        kernel, full = self._kernels["rhs"], self._many(x)
        out = evaluate(kernel, kernel, 0.0, full, self.parameters(value), threads=1)[:, self.kept]
        for at in self._stretch:
            q = x[:, at]
            out[:, at] += NORM * (1.0 - np.sum(q * q, axis=1, keepdims=True)) * q
        return out

    def many_slopes(self, x: Array, value: float) -> Array:
        """d xdot/dx at states (rows)."""
        A = self._all_slopes(self._many(x), value)[:, self.kept][:, :, self.kept]
        for at in self._stretch:
            q = x[:, at]
            outer = np.sum(q * q, axis=1)[:, None, None]
            block = NORM * ((1.0 - outer) * np.eye(4) - 2.0 * q[:, :, None] * q[:, None, :])
            A[:, np.array(at)[:, None], at] += block
        return A

    def many_parameter_slopes(self, x: Array, value: float) -> Array:
        """d xdot/d parameter at states (rows), by central differences: it only steers Newton's method.

        They must be short: where large fast motions cancel, as those of wheels whose vehicle goes faster, what is left
        has a hundred thousand times their error.
        """
        h = 1e-7 * max(abs(value), 1e-3)
        return (self.many_rates(x, value + h) - self.many_rates(x, value - h)) / (2 * h)

    def _many(self, x: Array) -> Array:
        full = np.tile(self._first, (len(x), 1))
        full[:, self.kept] = x
        return full

    def eigen(self, x: Array, value: float) -> tuple[AnyArray, AnyArray]:
        """Eigenvalues, largest real part first, and their vectors (columns)."""
        values, vectors = np.linalg.eig(self.slopes(x, value))
        order = np.lexsort((-values.imag, -values.real.round(12)))
        return values[order], vectors[:, order]

    def evaluate(self, name: str, x: Array, value: float) -> Array:
        """A quantity of the system at states x (one or many rows)."""
        rows = np.atleast_2d(x)
        full = np.array([self.whole(row) for row in rows])
        p = np.tile(self.parameters(value), (len(full), 1))
        return np.asarray(self.formulation.evaluate(name, np.zeros(len(full)), full, p)[name])

    def start_values(self, x: Array) -> State:
        """Coordinates and rates by name, for `simulate`."""
        values = self.formulation.states.values(self.whole(x)[None, :])
        return {name: float(v[0, 0]) if v.shape[1] == 1 else v[0] for name, v in values.items()}

    def sizes(self, x: Array) -> Array:
        """Units of the states: 1 rad, a typical length, one of these a second."""
        units, length = self.formulation.states.units, self.formulation.length
        return np.array([length if units[i] in ("m", "m/s") else 1.0 for i in self.kept])

    # -- inside --------------------------------------------------------------------------------------------------------

    def _all_slopes(self, full: Array, value: float) -> Array:
        n, kernel = full.shape[1], self._kernels["jacobian"]
        out = evaluate(kernel, kernel, 0.0, full, self.parameters(value), threads=1)
        A = out[:, : n * n].reshape(-1, n, n).transpose(0, 2, 1)[:, : self._n, : self._n]
        by_time = np.abs(out[:, n * n : n * n + self._n])
        if np.any(by_time > STEADY_IN_TIME * (1.0 + np.max(np.abs(A), axis=(1, 2)))[:, None]):
            raise SolveError("the model depends on time: only autonomous models are supported.")
        return A

    def _chosen(self) -> list[int]:
        """States that matter, found at the start and around it."""
        rng = np.random.default_rng(5)
        size, still = np.zeros((self._n, self._n)), np.ones(self._n, bool)
        for k in range(4):
            full = self._first.copy()
            full[: self._n] += (k > 0) * 1e-5 * rng.uniform(-1, 1, self._n) * (1 + np.abs(full[: self._n]))
            size = np.maximum(size, np.abs(self._all_slopes(full[None, :], self.value)[0]))
            rates = np.array(self._kernels["rhs"](0.0, full, self.parameters(self.value)))[: self._n]
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


def state_names(f: Formulation) -> list[str]:
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
