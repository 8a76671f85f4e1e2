"""Eigenvalues of steady motions over speed, and the ranges of speed in which none of them grows.

A steady motion has eigenvalues that are zero at every speed (nothing holds its forward speed): they are counted once
and left out, so that a crossing of zero by another eigenvalue is seen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from trundle.equations.formulation import Built
from trundle.errors import SolveError
from trundle.messages.arguments import explain_calls
from trundle.messages.preparing import under_way
from trundle.model.start_values import start_values
from trundle.study.linearise import Linearisation, linearise_at
from trundle.typing import AnyArray, Values

NONE = 1e-12  # 1/s: an eigenvalue that is zero in any unit of time that matters
UNDAMPED = 1e-11  # real part of a motion that neither grows nor decays, relative to its own eigenvalue
ROUND_OFF = 4e-15  # of the balanced matrix, by which eigenvalues are uncertain at least
CROSSING = 1e-7  # of the largest eigenvalue: a real part on a border, and zeros that meet there
WIDTH = 1e-13  # of a bracket around a border, relative


@explain_calls
@final
@dataclass(frozen=True, eq=False)
class Stability:
    """Linear equations over speed; `ranges` are those without growing motions, to eight digits.

    Where an eigenvalue crosses the axis alone they have more; where it meets others at zero, these spread by a root of
    the machine's precision, and the border is no sharper.
    """

    quantity: str
    unit: str
    speeds: tuple[float, ...]
    linearisations: tuple[Linearisation, ...]
    neutral: int  # eigenvalues that are zero at all speeds
    ranges: tuple[tuple[float, float], ...]

    def summary(self) -> str:
        """The ranges as a sentence."""
        first, last, unit = self.speeds[0], self.speeds[-1], f" {self.unit}".rstrip()
        if not self.ranges:
            return f"stable nowhere between {first:.10g} and {last:.10g}{unit}"
        if self.ranges == ((first, last),):
            return f"stable at every {self.quantity} from {first:.10g} to {last:.10g}{unit}"
        parts = []
        for low, high in self.ranges:
            if high == last:
                parts.append(f"from {low:.10g}{unit} on")
            elif low == first:
                parts.append(f"up to {high:.10g}{unit}")
            else:
                parts.append(f"between {low:.10g} and {high:.10g}{unit}")
        return f"stable {' and '.join(parts)}"


@explain_calls
@final
class SteadyMotions:
    """The steady motions of a model that differ in one speed, linearised.

    Parameters
    ----------
    system : System
        The model.
    quantity : str
        Name, or short name, of the speed.
    start, parameters : mapping, optional
        Values by name that hold at every speed.
    keep_rates : bool
        Rates that the model gives for its own start are left out, so that a push does not count, unless this is True;
        those in `start` are taken.

    Raises
    ------
    UnknownNameError, SolveError
        If there is no such quantity, or (when asked) where a motion with that speed is not steady.
    """

    def __init__(
        self,
        system: Built,
        quantity: str = "speed",
        start: Values | None = None,
        parameters: Mapping[str, float] | None = None,
        keep_rates: bool = False,
    ) -> None:
        f = self.formulation = system.formulation
        self.quantity, self.start, self.parameters = quantity, dict(start or {}), parameters
        register = f.register
        if register.find(quantity) is None:
            rates = [c.rate_name for c in f.layout.coordinates if c.n_u == 1]
            if quantity != "speed":
                raise register.unknown(quantity)
            raise SolveError(
                f"the model {f.model.name!r} has no quantity with the short name 'speed'. Give it one, such as "
                f"m.alias('speed', {next(iter(rates), 'wheel.x_rate')!r}), or names: {{speed: ...}} in a file."
            )
        usual = start_values(f.model, f.parameter_vector(parameters)[f.parameters.parameter_slice])
        if not keep_rates:
            usual = {name: v for name, v in usual.items() if register.get(name).quantity.order == 0}
        self.usual = usual

    def at(self, speed: float) -> Linearisation:
        """The linear equations about the motion with one speed.

        Parameters
        ----------
        speed : float
            Value of the quantity (m/s or rad/s).

        Returns
        -------
        Linearisation

        Raises
        ------
        SolveError
            If the motion is not steady.
        """
        state = {**self.start, self.quantity: speed}
        found = linearise_at(self.formulation, state, self.parameters, 0.0, self.usual)
        if not found.steady:
            raise SolveError(
                f"with {self.quantity} = {speed:g} the start is not a steady motion: something would accelerate. "
                "Give a start that is one, such as upright and straight (on the command line --start roll=0), or all "
                "rates of a steady turn."
            )
        return found

    def over(self, speeds: Sequence[float]) -> list[Linearisation]:
        """The linear equations at several speeds.

        Parameters
        ----------
        speeds : sequence of float
            Values of the quantity (m/s or rad/s).

        Returns
        -------
        list of Linearisation
            Coordinates that are cyclic at one of the speeds are left out at all of them, also at rest.
        """
        found = []
        with under_way("linearising") as tell:
            for speed in speeds:
                found.append(self.at(float(speed)))
                tell(f"{len(found)} of {len(speeds)} speeds")
        cyclic = {name for one in found for name in one.cyclic}
        return [_without(one, cyclic) for one in found]

    def stability(self, first: float, last: float, count: int = 201) -> Stability:
        """Eigenvalues over speed, and the ranges in which no motion grows.

        Parameters
        ----------
        first, last : float
            Range of the speed (m/s or rad/s).
        count : int
            Number of speeds. A range that begins and ends between two neighbouring ones is not found.

        Returns
        -------
        Stability
        """
        if not (np.isfinite(first) and np.isfinite(last) and first < last and count >= 2):
            raise SolveError(
                f"speeds from {first!r} to {last!r} in {count!r} steps: give a rising range and at least two."
            )
        speeds = np.linspace(first, last, count)
        linears = self.over([*speeds])
        neutral = min(zeros(one.matrix) for one in linears)
        growths = [sure_growth(one.matrix, neutral) for one in linears]

        def grows(speed: float) -> float:
            return sure_growth(self.at(speed).matrix, neutral)

        edges = [float(first)] * (growths[0] <= 0)
        for k in range(count - 1):
            if (growths[k] > 0) != (growths[k + 1] > 0):
                edges.append(_border(grows, (speeds[k], growths[k]), (speeds[k + 1], growths[k + 1])))
        edges += [float(last)] * (growths[-1] <= 0)
        ranges = tuple(zip(edges[::2], edges[1::2], strict=True))
        unit = self.formulation.quantity(self.quantity).unit
        return Stability(self.quantity, unit, tuple(float(v) for v in speeds), tuple(linears), neutral, ranges)

    def border_derivative(self, speed: float, by: str, held: Sequence[str] = ()) -> float:
        """How a border of a stable range moves with a parameter, where exactly the eigenvalues of one motion cross.

        Parameters
        ----------
        speed : float
            The border, from `stability`.
        by : str
            Name of a parameter of the model.
        held : sequence of str
            What does not change beside the speed. Where an eigenvalue passes zero other steady motions begin (a bicycle
            at its capsize speed turns at any lean): these names say which are followed, here ["roll"].

        Returns
        -------
        float
            d(border)/d(parameter) = -Re(d lambda/d parameter) / Re(d lambda/d speed), with exact derivatives.
        """
        linear = self.at(speed)
        values = linear.eigenvalues
        by_speed = linear.eigenvalue_derivative(self.quantity, held)
        by_parameter = linear.eigenvalue_derivative(by, [self.quantity, *held])
        slopes = np.where(np.abs(values.real) <= CROSSING * np.max(np.abs(values)), np.abs(by_speed.real), 0.0)
        crossing = int(np.nanargmax(slopes))
        if not slopes[crossing] > 0:
            raise SolveError(
                f"{self.quantity} = {speed:.6g} is not a speed at which an eigenvalue crosses the imaginary axis."
            )
        alike = np.flatnonzero(np.abs(values - values[crossing]) <= CROSSING * np.max(np.abs(values)))
        change = by_parameter.real[alike]  # of a zero that crosses among those that stay, whose derivatives are zero
        return float(-change[np.argmax(np.abs(change))] / by_speed.real[crossing])


def moving(eigenvalues: AnyArray, neutral: int) -> AnyArray:
    """The eigenvalues without the `neutral` smallest ones, in the same order."""
    smallest = np.argsort(np.abs(eigenvalues), kind="stable")[:neutral]
    kept: AnyArray = np.delete(eigenvalues, smallest)
    return kept


def growth(eigenvalues: AnyArray, neutral: int = 0) -> float:
    """Largest real part, without the `neutral` smallest eigenvalues."""
    return float(np.max(moving(eigenvalues, neutral).real, initial=-np.inf))


def sure_growth(matrix: AnyArray, neutral: int = 0) -> float:
    """Largest real part of the eigenvalues that are not neutral; zero if it cannot be distinguished from zero."""
    values, error = uncertain_eigenvalues(matrix)
    moves = np.argsort(np.abs(values), kind="stable")[neutral:]
    real = values.real[moves]
    limit = np.maximum(UNDAMPED * np.abs(values[moves]), error[moves])
    return float(np.max(np.where(np.abs(real) <= limit, 0.0, real), initial=-np.inf))


def zeros(matrix: AnyArray) -> int:
    """How many eigenvalues cannot be distinguished from zero."""
    values, error = uncertain_eigenvalues(matrix)
    return int(np.sum(np.abs(values) <= np.maximum(10 * error, NONE)))


def uncertain_eigenvalues(matrix: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Eigenvalues and by how much round-off in the entries that are not zero moves each of them."""
    from scipy.linalg import matrix_balance

    values: AnyArray = np.linalg.eigvals(matrix)
    if not len(values):
        return values, np.zeros(0)
    rng = np.random.default_rng(3)
    with np.errstate(invalid="ignore"):  # SciPy rounds the scales to integers as well, which large ones do not fit
        balanced = matrix_balance(matrix)[0]
    error = np.full(len(values), ROUND_OFF * float(np.linalg.norm(balanced)))
    for _ in range(3):
        other = np.linalg.eigvals(matrix * (1 + 1e-14 * rng.uniform(-1, 1, size=matrix.shape)))
        error = np.maximum(error, np.min(np.abs(other[None, :] - values[:, None]), axis=1))
    return values, error


def _border(grows: Callable[[float], float], below: tuple[float, float], above: tuple[float, float]) -> float:
    """Where the growth changes its sign: by its values, or by halving where one side neither grows nor decays."""
    (low, side), high = below, above[0]
    width = WIDTH * max(abs(low), abs(high))
    if min(side, above[1]) < 0:
        from scipy.optimize import brentq

        return float(brentq(grows, low, high, xtol=width, rtol=4 * WIDTH))
    while high - low > width:
        middle = (low + high) / 2
        if (grows(middle) > 0) == (side > 0):
            low = middle
        else:
            high = middle
    return float((low + high) / 2)


def _without(linear: Linearisation, cyclic: set[str]) -> Linearisation:
    """A linearisation without coordinates on which nothing depends."""
    keep = [i for i, name in enumerate(linear.names) if name not in cyclic]
    dropped = [i for i in range(len(linear.names)) if i not in keep]
    size = NONE * (1.0 + np.max(np.abs(linear.matrix), axis=1, initial=0.0))
    if not dropped or np.any(np.abs(linear.matrix[np.ix_(keep, dropped)]) > size[keep][:, None]):
        return linear
    names = tuple(linear.names[i] for i in keep)
    return replace(
        linear, matrix=linear.matrix[np.ix_(keep, keep)], names=names, tangents=linear.tangents[:, keep],
        cyclic=(*linear.cyclic, *(linear.names[i] for i in dropped)),
    )  # fmt: skip
