"""Tolerances of a run: their check, and absolute tolerances in proportion to the sizes of the model.

An absolute tolerance has the unit of its state. Unless given, it is a small part of the largest displacement (angle,
velocity, angular velocity) of the run so far, and at most that part of a typical length (of 1 rad, or of either per
second): a model of 1e-9 m is as accurate as one of a kilometre. Constraints, contacts and forces between points have
the round-off of the whole model, even if it hardly moves: with them motions below a hundredth of a typical length
count as that. Forces that balance at the start leave round-off, which does not count as motion.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, UnknownNameError
from trundle.linear_algebra.median import median
from trundle.model.line_forces import SpringDamper
from trundle.pairs.higher import SurfacePair
from trundle.typing import Array, Index, Integers, TapeFunction

if TYPE_CHECKING:
    from trundle.model.model import Model

Given = float | Mapping[str, float] | None

LEAST = 1e-15  # relative tolerance; below it there is only round-off
UNITS = ("m", "rad", "m/s", "rad/s")  # groups of states; the index of a rate is that of its coordinate plus two
FIRST_PART = 1e-3  # part of the predicted motion that determines the first tolerances
MOVES = 1e-2  # part of a typical length: less motion is round-off in the positions of a model of that size
NO_PUSH = 1e-13  # of gravity: acceleration due to round-off of balanced forces, if the pose provides no measure
FORESEEN = 30.0  # times 1 / frequency, for which motions without a typical length are predicted
NUDGE = 1e-6  # of the run, and ...
AWAY_BY = 1e-3  # ... of the start state, by which it is moved to see how its rates change
LOOKS = 4  # times at which the forces on the start pose are evaluated
AWAY = 1.01  # factor on the start state that gives a pose at which forces are no longer balanced
BALANCED = 1e-12  # residual of balanced forces, relative to the change of the acceleration at that pose
ALIKE = 1e-3  # relative change of an acceleration at that pose below which it does not depend on the pose


def check_tolerances(rtol: object, atol: object = None) -> None:
    """SolveError for invalid tolerances; used by Python, files and the command line."""
    if not (isinstance(rtol, Real) and LEAST <= float(rtol) < 1):
        raise SolveError(
            f"rtol must be a number from {LEAST:g} (what double precision can resolve) up to 1, got {rtol!r}."
        )
    for what, value in atol.items() if isinstance(atol, Mapping) else [("", atol)] if atol is not None else []:
        if not (isinstance(value, Real) and isfinite(value) and float(value) > 0):
            raise SolveError(
                f"atol{f' of {what!r}' if what else ''} must be a positive number, got {value!r}. Give one number for "
                "all units, or a mapping from units or states to numbers, {'m': 1e-12, 'bob.angle': 1e-9}."
            )


@final
@dataclass(frozen=True, eq=False)
class Tolerance:
    """Absolute tolerance of every state; those with a group grow with the largest size so far, up to a bound.

    A rotation moves points by about a typical length times its angle, so angles and displacements are coupled.
    """

    atol: Array
    group: Integers  # index in UNITS; -1 if the tolerance is constant
    bound: Array  # upper bound of the size of each group
    part: float  # tolerance relative to the size of the group
    least: float = 0.0  # lower limit of the sizes, relative to the bound
    no_push: float = 0.0  # negligible acceleration

    @staticmethod
    def fixed(atol: float | Array, n_x: int) -> "Tolerance":
        """Constant tolerances."""
        spread = np.array(np.broadcast_to(np.asarray(atol, dtype=float), (n_x,)))
        return Tolerance(spread, np.full(n_x, -1, np.int64), np.ones(len(UNITS)), 0.0)

    @cached_property
    def learns(self) -> bool:
        """Whether any of them grows."""
        return bool(np.any(self.group >= 0))

    @cached_property
    def _members(self) -> list[tuple[int, Integers]]:
        """Places of the states of each group that has any."""
        found = ((g, np.flatnonzero(self.group == g)) for g in range(len(UNITS)))
        return [(g, places) for g, places in found if len(places)]

    def most(self, units: list[str]) -> dict[str, float]:
        """Upper limit of the tolerance of each unit."""
        return largest(self._spread(self.bound), units)

    def slopes_at_start(self, slope: Callable[[float, Array], Array], t0: float, t1: float, x: Array) -> Array:
        """Slopes at start states x at several times of the run; zero where they are only round-off of balanced forces,
        so that no motion is predicted from these.
        """
        slopes = np.array([slope(t, x) for t in np.linspace(t0, t1, LOOKS + 1)[:-1]])
        with np.errstate(invalid="ignore", over="ignore"):
            change = slope(t0, AWAY * x) - slopes[0]
        change = np.where(np.isfinite(change), np.abs(change), 0.0)
        length, size = self.bound[0], np.abs(slopes)
        push = np.select([self.group == 2, self.group == 3], [self.no_push, self.no_push / length])
        alike = change <= ALIKE * size if isfinite(length) else True
        found: Array = np.where((size <= BALANCED * change) | ((size <= push) & alike), 0.0, slopes)
        return found

    def foreseen(self, slope: Callable[[float, Array], Array], t0: float, t1: float, x: Array) -> Array:
        """Time (s) over which motions from start states x (..., n_x) are predicted: the whole run where a typical
        length limits them, else some times that in which their rates change by themselves: 1 / frequency, a decay time.
        """
        span = np.full((*np.shape(x)[:-1], 1), t1 - t0)
        if isfinite(self.bound[0]):
            return span

        def nudge(way: Array, power: int) -> Array:
            """A time to this power, after which a way has hardly changed the state, but more than by round-off."""
            small = np.where((x != 0) & (way != 0), np.abs(x / way), np.inf)
            least = AWAY_BY * np.min(small, axis=-1, keepdims=True)
            return np.clip(least, (1e-3 * NUDGE * (t1 - t0)) ** power, (NUDGE * (t1 - t0)) ** power)

        def slopes(states: Array) -> Array:
            times = np.linspace(t0, t1, LOOKS + 1)[:-1]
            return np.array([slope(t, state) for t, state in zip(times, states, strict=True)])

        with np.errstate(all="ignore"):
            here = np.broadcast_to(x, (LOOKS, *np.shape(x)))
            f = slopes(here)
            first = nudge(f, 1)
            once = (slopes(x + first * f) - f) / first
            second = nudge(once, 2)
            twice = (slopes(x + second * once) - f) / second
            sizes = np.abs([here, f, once, twice])
            for g, members in self._members:
                size, a, b, c = np.max(sizes[..., members], axis=-1, keepdims=True)
                own = np.sqrt(a / c) if g < 2 else np.where(size > 0, np.inf, np.fmin(np.sqrt(a / c), a / b))
                span = np.fmin(span, np.min(np.where(own > 0.0, FORESEEN * own, np.inf), axis=0))
        return span

    def begin(self, x: Array, slopes: Array, span: Array) -> Array:
        """Common first tolerances of several runs, from the smallest motion predicted for any of them."""
        expected = self._expected(x, slopes, span, FIRST_PART)
        least = np.min(np.where(expected > 0.0, expected, np.inf), axis=0, initial=np.inf)
        return self._grown(np.where(np.isfinite(least), least, 0.0))

    def begin_each(self, x: Array, slopes: Array, span: Array) -> tuple[Array, Array]:
        """The first tolerances of runs (runs, n_x), and those for the predicted motion: from start states (runs, n_x)
        and slopes there at several times (times, runs, n_x).
        """
        first, expected_atol = (self._grown(self._expected(x, slopes, span, part)) for part in (FIRST_PART, 1.0))
        return first, expected_atol

    def _expected(self, x: Array, slopes: Array, span: Array, part: float) -> Array:
        """Sizes of the groups (runs, groups): those at the start, or a part of the motion predicted by the slopes."""
        steep = np.max(np.abs(np.nan_to_num(slopes, posinf=0.0, neginf=0.0)), axis=0)
        sizes, rates = ([_largest_of(v, self.group == g) for g in range(len(UNITS))] for v in (np.abs(x), steep))
        span = np.ravel(span)
        with np.errstate(over="ignore"):
            ahead = [np.maximum(rates[g] * span, rates[g + 2] * span**2 if g < 2 else 0.0) for g in range(len(UNITS))]
        expected = [np.maximum(s, part * np.minimum(a, b)) for s, a, b in zip(sizes, ahead, self.bound, strict=True)]
        return np.stack(expected, axis=-1)

    def _grown(self, expected: Array) -> Array:
        """Tolerances of the states for sizes of the groups (last index); sizes that are not positive are unknown."""
        sizes = self._coupled(np.where(expected > 0.0, expected, 0.0))
        nothing = np.where(np.isfinite(self.bound), self.bound, 1.0)
        floor = np.where(np.isfinite(self.bound), self.least * nothing, 0.0)
        sizes = np.where(sizes > 0.0, np.maximum(sizes, floor), 0.0)
        return self._spread(np.where(sizes > 0.0, np.minimum(sizes, self.bound), nothing))

    def _coupled(self, sizes: Array) -> Array:
        length = self.bound[0]
        if not isfinite(length):
            return sizes
        slides, turns = sizes[..., ::2], sizes[..., 1::2]
        slide, turn = np.maximum(slides, length * turns), np.maximum(turns, slides / length)
        return np.stack([slide[..., 0], turn[..., 0], slide[..., 1], turn[..., 1]], axis=-1)

    def _spread(self, sizes: Array) -> Array:
        return np.where(self.group >= 0, self.part * sizes[..., self.group], self.atol)


def _largest_of(values: Array, members: Index) -> Array:
    result: Array = np.max(values[:, members], axis=1, initial=0.0)
    return result


def largest(atol: Array, units: list[str]) -> dict[str, float]:
    """The largest absolute tolerance of each unit, for the settings of a run."""
    pairs = [(unit, float(a)) for unit, a in zip(units, atol, strict=True)]
    known = [unit for unit in dict.fromkeys([*UNITS, *units]) if unit and unit in units]
    return {unit: max(a for u, a in pairs if u == unit) for unit in known}


def tolerance_of(f: Formulation, atol: Given, rtol: float, usual: float, p: Array) -> Tolerance:
    """Tolerances of the states of a system, from the user's values."""
    if isinstance(atol, Real):
        return Tolerance.fixed(float(atol), f.n_x)
    units, length, part = f.once(read_units), typical_length(f, p), min(rtol, usual)
    bound = np.array([length, 1.0, length, 1.0])
    model = f.model
    between_places = any(len(force.places) > 1 for force in model.forces.values())
    yielding = any(c.compliant for c in model.connections.values())
    rounds = f.has_rows or not f.in_joints or bool(f.parameters.modes) or between_places or yielding
    no_push = NO_PUSH * gravity_of(f, p)
    found = Tolerance(np.full(f.n_x, part), units.group.copy(), bound, part, MOVES if rounds else 0.0, no_push)
    if isfinite(length):
        found.atol[units.soft] = part * bound[units.group[units.soft]]
        found.group[units.soft] = -1
    for name, value in atol.items() if isinstance(atol, Mapping) else ():
        places = _places(f, name, units.names)
        found.atol[places], found.group[places] = value, -1
    return found


def _places(f: Formulation, name: str, units: list[str]) -> list[int]:
    """Indices of the states with a unit or name."""
    if name in units or name in UNITS:
        return [i for i, unit in enumerate(units) if unit == name]
    named, register = f.states.places, f.register
    full = register.full(name)
    if full not in named:
        known = [*UNITS, *named, *(short for short in register.short_names() if register.full(short) in named)]
        raise UnknownNameError(name, known, "unit or state, to have an absolute tolerance,")
    return list(named[full].range)


@final
@dataclass(frozen=True, eq=False)
class StateUnits:
    """Unit and group of every entry of the state vector, none for by-products; `soft` are those of springs that stand
    for constraints: they hardly move and do not measure the motion.
    """

    names: list[str]
    group: Integers
    soft: list[int]


def read_units(f: Formulation) -> StateUnits:
    """Read the units of the states of a system."""
    names = [unit if steers else "" for unit, steers in zip(f.states.units, f.states.error_weights, strict=True)]
    named = f.states.places
    soft = [i for name in f.derivation.deflections if name in named for i in named[name].range]
    return StateUnits(names, np.array([UNITS.index(u) if u in UNITS else -1 for u in names], np.int64), soft)


def gravity_of(f: Formulation, p: Array) -> float:
    """Gravity of the model (m/s^2) at these parameters."""
    return float(f.once(_gravity_function)(p[f.parameters.parameter_slice]))


def _gravity_function(f: Formulation) -> TapeFunction:
    symbols = ca.vertcat(ca.SX(0, 1), *(p.symbol for p in f.model.parameters.values()))
    return ca.Function("gravity", [symbols], [ca.norm_2(ca.vertcat(*(ca.SX(g) for g in f.model.gravity)))])


def _known_lengths(f: Formulation) -> dict[bytes, float]:
    """Cache of typical lengths by parameters."""
    return {}


def _length_function(f: Formulation) -> TapeFunction:
    return length_function(f.model)


def typical_length(f: Formulation, p: Array) -> float:
    """Median of the lengths of the model (m) at these parameters; infinite if it has none."""
    values = np.asarray(p[f.parameters.parameter_slice])
    known, key = f.once(_known_lengths), values.tobytes()
    if key not in known:
        sizes = np.abs(np.array(ca.DM(f.once(_length_function)(values)))).ravel()
        large = sizes[(sizes > 0) & np.isfinite(sizes)]
        if len(known) >= 1000:
            known.clear()
        known[key] = median(large) if len(large) else np.inf
    return known[key]


def length_function(model: "Model") -> TapeFunction:
    """Every length in the model as a function of its parameters: positions of connections and mass centres, sizes of
    surfaces, lengths of springs.
    """
    vectors = [frame.position for c in model.connections.values() for frame in (c.first, c.second)]
    vectors += [body.com for body in model.free_bodies]
    vectors += [frame.position for force in model.forces.values() for frame in force.places]
    found = [ca.norm_2(ca.vertcat(*(ca.SX(v) for v in vector))) for vector in vectors]
    for c in model.connections.values():
        if isinstance(c.pair, SurfacePair):
            found += map(ca.SX, c.pair.sizes)
    found += [ca.SX(force.length) for force in model.forces.values() if isinstance(force, SpringDamper)]
    symbols = ca.vertcat(ca.SX(0, 1), *(p.symbol for p in model.parameters.values()))
    return ca.Function("lengths", [symbols], [ca.vertcat(ca.SX(0, 1), *found)])
