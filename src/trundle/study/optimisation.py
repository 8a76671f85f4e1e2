"""The best values of parameters under limits: functions of named values for scipy's SLSQP and CasADi's IPOPT."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, final

import numpy as np

from trundle.errors import SolveError, UnknownNameError
from trundle.messages.arguments import explain_calls
from trundle.messages.preparing import under_way
from trundle.messages.warn import warn
from trundle.study.interruption import noticed_interruptions
from trundle.study.ipopt import Smooth, minimise
from trundle.typing import Array, Given

DIFFERENCE = 1e-6  # of a range, by which a value is changed where no gradient is given
HELD = 1e-6  # by how much, over its largest value met, a condition may be missed
CHECKED = (1e-4, 2e-4)  # of the ranges: widths of differences by which derivatives that are given are checked
ROUGH = 1e-2  # by which they may differ
BORDER = 1e-7  # of a range: a value this near to its limit lies on it

Answer = Callable[[dict[str, float]], Given]  # a number, or a number and its gradient by name


@explain_calls
@final
@dataclass(frozen=True, eq=False)
class Optimum:
    """Result of an optimisation: best values by name, the objective there, and the conditions, which are not
    negative.
    """

    values: Mapping[str, float]
    objective: float
    conditions: tuple[float, ...]
    at_limits: tuple[str, ...]  # names whose range ends there: a wider one may have a better value
    evaluations: int
    settled: bool = True  # False if the search was interrupted: the best values that it had met

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())
        ended = "" if self.settled else ", interrupted"
        return f"<Optimum: {values}; objective {self.objective:.6g}; {self.evaluations} evaluations{ended}>"


def optimise(
    objective: Answer,
    over: Mapping[str, Sequence[float]],
    subject_to: Answer | Sequence[Answer] = (),
    *,
    start: Mapping[str, float] | None = None,
    maximise: bool = False,
    tolerance: float = 1e-10,
    limit: int = 200,
    method: str = "slsqp",
) -> Optimum:
    """Minimise (or maximise) an objective: one local optimum near the start, not the best of several.

    Parameters
    ----------
    objective : callable
        Of a dict of values by name: a number, or a number and a dict of its derivatives. Without these they are taken
        by differences, so that a run in it needs a tight tolerance.
    over : mapping
        By name, lowest and highest value.
    subject_to : callable or sequence of them
        Conditions, each of which must not be negative; in the same form as the objective.
    start : mapping, optional
        Where the search begins; in the middle of the ranges unless given.
    maximise : bool
        Look for the largest value.
    tolerance : float
        Relative change of the objective at which the search ends.
    limit : int
        Most steps.
    method : {"slsqp", "ipopt"}
        Sequential quadratic programming, the better one for few values and for differences of runs, or the
        interior-point method of IPOPT, for many values or conditions with exact gradients.

    Returns
    -------
    Optimum
        Where the search was interrupted from the keyboard, the best values met until then, with a warning.

    Raises
    ------
    SolveError
        If the search fails or a condition cannot be met. Errors raised by the objective are passed on.
    """
    if method not in METHODS:
        raise SolveError(f"optimise: there is no method {method!r}; choose one of {', '.join(METHODS)}.")
    names, low, high = list(over), *_limits(over)
    if unknown := [name for name in start or {} if name not in names]:
        raise SolveError(f"optimise: the start has {unknown}, which are not among those varied: {', '.join(names)}.")
    width = high - low
    first = np.array([float((start or {}).get(name, (a + b) / 2)) for name, a, b in zip(names, low, high, strict=True)])
    if np.any(first < low) or np.any(first > high):
        raise SolveError(f"optimise: the start {dict(zip(names, first, strict=True))} lies outside the ranges.")
    constraints = [subject_to] if callable(subject_to) else list(subject_to)
    if not callable(objective) or not all(map(callable, constraints)):
        raise SolveError(
            "optimise: objective and conditions are functions of a dict of values; a condition holds where it is not "
            "negative, subject_to=[lambda v: 2.0 - v['a']]."
        )
    z0, sign, settled = (first - low) / width, -1.0 if maximise else 1.0, True
    with noticed_interruptions() as check_interruption, under_way("optimisation") as tell:
        functions = [_Scaled(f, names, low, width, check_interruption) for f in (objective, *constraints)]
        try:
            for function in functions:
                function.check_slope(z0)
            reported = _Reported(_Goal(functions[0], z0, sign), tell)
            z, success, steps, message = METHODS[method]((reported, *functions[1:]), z0, tolerance, limit)
        except KeyboardInterrupt:
            best = _best(functions, sign)
            if best is None:
                raise
            z, settled, success = best, False, True
            warn(
                f"the optimisation was interrupted after {functions[0].count} evaluations of the objective: these are "
                "the best values found. Give them as start= to continue."
            )
    held = tuple(f.value(z) for f in functions[1:])
    missed = [k for k, f in enumerate(functions[1:]) if held[k] < -HELD * f.largest]
    if missed:
        raise SolveError(
            f"optimise: condition {missed[0] + 1} cannot be met near the start: it is {held[missed[0]]:.4g}."
        )
    if not success:
        raise SolveError(f"optimise: the search ended without an optimum after {steps} steps: {message}.")
    values = dict(zip(names, (low + width * z).tolist(), strict=True))
    at_limits = tuple(n for n, part in zip(names, z, strict=True) if min(part, 1 - part) < BORDER)
    return Optimum(values, functions[0].value(z), held, at_limits, sum(f.count for f in functions), settled)


def _best(functions: "Sequence[_Scaled]", sign: float) -> Array | None:
    """The best point evaluated so far at which all conditions are known to hold."""
    goal, *conditions = (function.known for function in functions)
    limits = [-HELD * f.largest for f in functions[1:]]
    places = [z for z in goal if all(z in c and c[z] >= low for c, low in zip(conditions, limits, strict=True))]
    return np.frombuffer(min(places, key=lambda z: sign * goal[z])) if places else None


def _limits(over: Mapping[str, Sequence[float]]) -> tuple[Array, Array]:
    if not over:
        raise SolveError("optimise: nothing is varied; give over={'name': (lowest, highest)}.")
    for name, pair in over.items():
        if np.shape(pair) != (2,) or not np.all(np.isfinite(pair)) or not pair[0] < pair[1]:
            raise SolveError(f"optimise: the range of {name!r} must be two rising numbers, got {pair!r}.")
    limits = np.array([[float(a), float(b)] for a, b in over.values()])
    return limits[:, 0], limits[:, 1]


@final
class _Values(dict[str, float]):
    """Values that are varied, by name."""

    def __missing__(self, name: str) -> NoReturn:
        raise UnknownNameError(name, self, "value among those varied")


@final
class _Scaled:
    """A function of named values, scaled to ranges from 0 to 1; its evaluations are kept."""

    def __init__(
        self, function: Answer, names: list[str], low: Array, width: Array, check_interruption: Callable[[], None]
    ) -> None:
        self.function, self.names, self.low, self.width, self._check_interruption = (
            function,
            names,
            low,
            width,
            check_interruption,
        )
        self.count, self.largest = 0, 0.0
        self._kept: dict[bytes, tuple[float, Array | None]] = {}

    def _ask(self, z: Array) -> tuple[float, Array | None]:
        key = np.asarray(z, float).tobytes()
        if key not in self._kept:
            values = _Values(zip(self.names, (self.low + self.width * z).tolist(), strict=True))
            try:
                answer = self.function(values)
            except TypeError as error:
                if _Values.__name__ not in str(error):
                    raise
                raise SolveError(
                    f"optimise: objective and conditions are called with the values by name, {values}: use them as in "
                    f"lambda values: values[{self.names[0]!r}] ** 2 ({error})."
                ) from error
            self._check_interruption()
            value, by_name = answer if isinstance(answer, tuple) else (answer, None)
            try:
                value = float(value)
            except (TypeError, ValueError):
                raise SolveError(
                    f"optimise: objective and conditions are functions of the values by name, {values}, and return a "
                    f"number, or (number, {{name: derivative}}); got {answer!r}."
                ) from None
            if not np.isfinite(value):
                raise SolveError(f"optimise: no finite value at {values}. Narrow the ranges.")
            if by_name is not None and (missing := [n for n in self.names if n not in by_name]):
                raise SolveError(f"optimise: the derivatives returned with the value lack the one by {missing[0]!r}.")
            slope = None if by_name is None else np.array([float(by_name[n]) for n in self.names]) * self.width
            self._kept[key] = float(value), slope
            self.count, self.largest = self.count + 1, max(self.largest, abs(float(value)))
        return self._kept[key]

    @property
    def known(self) -> dict[bytes, float]:
        """Values evaluated so far, by the bytes of their arguments."""
        return {place: value for place, (value, _) in self._kept.items()}

    def value(self, z: Array) -> float:
        return self._ask(z)[0]

    def check_slope(self, z: Array) -> None:
        """SolveError where derivatives that are given beside a value are not those of the values themselves."""
        given = self._ask(z)[1]
        inwards = np.where(z < 0.5, 1.0, -1.0) * np.linspace(1.0, 0.5, len(z))
        if given is None or self._agrees(z, inwards, given):
            return
        wrong = [k for k, along in enumerate(np.diag(inwards)) if not self._agrees(z, along, given)]
        if wrong:
            name = self.names[wrong[0]]
            raise SolveError(
                f"optimise: the derivative by {name!r} returned with a value does not agree with the values: "
                "their differences at the start are different. Correct it, or return values without derivatives."
            )

    def _agrees(self, z: Array, along: Array, given: Array) -> bool:
        """Whether differences into a direction, of two widths, are those that the derivatives give."""
        fine, coarse = ((self.value(z + h * along) - self.value(z)) / h for h in CHECKED)
        off, change = abs(2 * fine - coarse - given @ along), abs(fine - coarse)
        return bool(off <= ROUGH * np.abs(given) @ np.abs(along) + 10 * change)

    def slope(self, z: Array) -> Array:
        given = self._ask(z)[1]
        if given is not None:
            return given
        found = np.zeros(len(z))
        for k in range(len(z)):
            ahead, behind = z.copy(), z.copy()
            ahead[k], behind[k] = min(z[k] + DIFFERENCE, 1.0), max(z[k] - DIFFERENCE, 0.0)
            found[k] = (self.value(ahead) - self.value(behind)) / (ahead[k] - behind[k])
        return found


@final
class _Goal:
    """The function to be minimised: the objective divided by its size at the start (by its slope where it is zero), or
    its negative.
    """

    def __init__(self, function: _Scaled, z0: Array, sign: float) -> None:
        value, slope = abs(function.value(z0)), float(np.max(np.abs(function.slope(z0))))
        self.function, self.factor = function, sign / ((value if value > 1e-12 * slope else slope) or 1.0)

    def value(self, z: Array) -> float:
        return self.factor * self.function.value(z)

    def slope(self, z: Array) -> Array:
        return self.factor * self.function.slope(z)


def _sequential(functions: Sequence[Smooth], z0: Array, tolerance: float, limit: int) -> tuple[Array, bool, int, str]:
    """Sequential quadratic programming [Kraft 1988], in the form of `ipopt.minimise`."""
    from scipy.optimize import minimize

    found = minimize(
        functions[0].value,
        z0,
        jac=functions[0].slope,
        bounds=[(0.0, 1.0)] * len(z0),
        constraints=[{"type": "ineq", "fun": f.value, "jac": f.slope} for f in functions[1:]],
        method="SLSQP",
        options={"ftol": tolerance, "maxiter": limit},
    )
    return np.clip(found.x, 0.0, 1.0), bool(found.success), int(found.nit), str(found.message)


@final
class _Reported:
    """A function that reports its evaluations."""

    def __init__(self, function: Smooth, tell: Callable[[str], None]) -> None:
        self._function, self._tell, self._count = function, tell, 0

    def value(self, z: Array) -> float:
        self._count += 1
        self._tell(f"evaluation {self._count}")
        return self._function.value(z)

    def slope(self, z: Array) -> Array:
        return self._function.slope(z)


METHODS = {"slsqp": _sequential, "ipopt": minimise}
