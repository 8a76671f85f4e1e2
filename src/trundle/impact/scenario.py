"""What happens when the front foot of a rimless wheel strikes the ground: the sequence of phases, in closed form."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import cos, inf, isfinite, pi, sin
from typing import Any, NamedTuple, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trundle.errors import ModelError
from trundle.impact.closed_form import DOUBLE_CONTACT, JAMB, LANDS, REVERSAL, collide
from trundle.impact.percussion import Critical, critical_values
from trundle.typing import Array

NAMES = ("inertia_ratio", "half_angle", "friction", "slip", "approach", "restitution")
LABELS = ("DP", "forward", "backward", "stick", "forward+stick", "backward+stick", "backward+forward")


class Velocities(NamedTuple):
    """Velocities of the feet, which have the same tangential one."""

    v_t: float
    """Tangential, forward."""
    v_nf: float
    """Normal of the front foot, upwards."""
    v_nb: float
    """Normal of the back foot, upwards."""


@final
@dataclass(frozen=True)
class Phase:
    """A part of the impact in which the front foot slides or sticks all the time."""

    kind: str
    """forward, backward, stick; or DP, of which nothing more is known."""
    impulse: float
    """Normal impulse over mass (the unit of the velocities)."""
    start: Velocities
    end: Velocities


@final
@dataclass(frozen=True)
class Scenario:
    """Phases of one impact, in their order.

    A double-point collision from the start (label DP) ends the prediction: both feet press at the same time, and what
    comes of it depends on how they yield. Its impulses and end velocities are nan.
    """

    phases: tuple[Phase, ...]
    jamb: bool
    """The front foot is driven into the ground in the first phase: friction turns the wheel over the foot."""
    reversal: bool
    """Backward sliding stops and goes on forward."""
    back_foot_lands: bool
    """The back foot, lifted at first, moves down when the impact ends: it lands, at once in the scale of the machine.
    This does not depend on how the feet yield."""
    double_contact: bool
    """The back foot is driven to the ground in a later phase, while the front foot is still pressed to it.

    Implies `back_foot_lands`; the two agree for restitution = 0, where the front foot is not released. With
    restitution it depends on how the feet yield, and this answer holds for linear springs, softer in unloading
    so that the impulse of restitution is the given part of that of compression."""
    compression: float
    """Normal impulse over mass until v_nf = 0."""
    critical: Critical

    @property
    def label(self) -> str:
        """Kinds of the phases, joined by "+"."""
        return "+".join(phase.kind for phase in self.phases)

    @property
    def impulse(self) -> float:
        """Normal impulse over mass of the whole impact."""
        return sum(phase.impulse for phase in self.phases)

    @property
    def end(self) -> Velocities:
        """Velocities after the impact."""
        return self.phases[-1].end

    def __str__(self) -> str:
        lines = [
            f"{self.label}: normal impulse over mass {self.impulse:.6g}, of it {self.compression:.6g} in compression"
        ]
        for phase in self.phases:
            changes = (
                f"{n} {a:.6g} -> {b:.6g}" for n, a, b in zip(Velocities._fields, phase.start, phase.end, strict=True)
            )
            lines.append(f"  {phase.kind:<8} {phase.impulse:10.6g}   " + ", ".join(changes))
        notes = {
            "the front foot jambs": self.jamb,
            "sliding is reversed": self.reversal,
            "the back foot comes down while the front foot is pressed": self.double_contact,
            "the back foot comes down after the front foot is released": self.back_foot_lands > self.double_contact,
        }
        return "\n".join([*lines, *(f"  {text}" for text, true in notes.items() if true)])


@final
@dataclass(frozen=True, eq=False)
class ScenarioArray:
    """Scenarios of many impacts: attributes of `Scenario` as arrays; an index of one impact gives its `Scenario`."""

    given: tuple[Array, ...]  # the arguments of `predict`, broadcast
    _found: NDArray[np.int64]
    _values: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the arguments when broadcast."""
        return self._found.shape

    @property
    def code(self) -> NDArray[np.int64]:
        """Scenarios as whole numbers: places in `LABELS`."""
        return self._found & 15

    @cached_property
    def label(self) -> NDArray[np.str_]:
        """Scenarios as text."""
        return np.array(LABELS)[self.code]

    @property
    def jamb(self) -> NDArray[np.bool_]:
        """As in `Scenario`."""
        return self._flag(JAMB)

    @property
    def reversal(self) -> NDArray[np.bool_]:
        """As in `Scenario`."""
        return self._flag(REVERSAL)

    @property
    def back_foot_lands(self) -> NDArray[np.bool_]:
        """As in `Scenario`."""
        return self._flag(LANDS)

    @property
    def double_contact(self) -> NDArray[np.bool_]:
        """As in `Scenario`."""
        return self._flag(DOUBLE_CONTACT)

    @property
    def impulses(self) -> Array:
        """Normal impulses over mass of the first and the second phase (last axis); 0 if a phase is absent."""
        return self._values[..., :2]

    @property
    def impulse(self) -> Array:
        """As in `Scenario`."""
        return np.asarray(self._values[..., 0] + self._values[..., 1])

    @property
    def compression(self) -> Array:
        """As in `Scenario`."""
        return self._values[..., 2]

    @property
    def between(self) -> Array:
        """(v_t, v_nf, v_nb) at the end of the first phase, in the last axis."""
        return self._values[..., 3:6]

    @property
    def end(self) -> Array:
        """(v_t, v_nf, v_nb) after the impact, in the last axis."""
        return self._values[..., 6:9]

    @cached_property
    def critical(self) -> Critical:
        """As in `Scenario`, with arrays."""
        return critical_values(self.given[0], self.given[1])

    def __getitem__(self, index: int | tuple[int, ...]) -> Scenario:
        found = self._found[index]
        if np.ndim(found):
            raise IndexError(f"{index!r} is not one impact: scenarios of shape {self.shape} want that many numbers.")
        lam, beta, _, slip, approach, _ = (float(values[index]) for values in self.given)
        code, flags = int(found) % 16, int(found) // 16
        return _scenario(
            code, flags, tuple(map(float, self._values[index])), slip, approach, critical_values(lam, beta)
        )

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Scenario]:
        return (self[i] for i in range(len(self)))

    def _flag(self, flag: int) -> NDArray[np.bool_]:
        result: NDArray[np.bool_] = (self._found & (flag * 16)) != 0
        return result


@overload
def predict(
    inertia_ratio: float,
    half_angle: float,
    friction: float,
    slip: float,
    approach: float = -1.0,
    restitution: float = 0.0,
) -> Scenario: ...


@overload
def predict(
    inertia_ratio: ArrayLike,
    half_angle: ArrayLike,
    friction: ArrayLike,
    slip: ArrayLike,
    approach: ArrayLike = -1.0,
    restitution: ArrayLike = 0.0,
    *,
    threads: int | None = None,
) -> ScenarioArray: ...


def predict(
    inertia_ratio: Any,
    half_angle: Any,
    friction: Any,
    slip: Any,
    approach: Any = -1.0,
    restitution: Any = 0.0,
    *,
    threads: int | None = None,
) -> Any:
    """Phases of the impact in which the front foot of a rimless wheel (or the corner of a rocking block) strikes.

    The back foot rests on the ground (v_nb = 0). I_G = inertia_ratio * m * L^2; half_angle (rad) is half the angle
    between the spokes; slip is the tangential velocity at the start, forward positive, and approach < 0 the normal
    velocity of the front foot. Restitution is Poisson's: its normal impulse is that part of the impulse of compression,
    which ends where v_nf = 0. Numbers give a `Scenario`; arrays, which are broadcast, a `ScenarioArray`.
    """
    given = tuple(map(_numbers, NAMES, (inertia_ratio, half_angle, friction, slip, approach, restitution)))
    if any(value.ndim for value in given):
        from trundle.impact.predict_batch import predict_arrays

        return ScenarioArray(*predict_arrays(given, threads))
    lam, beta, mu, v_t, v_nf, e = (float(value) for value in given)
    check_impact(lam, beta, mu, v_t, v_nf, e)
    code, flags, *values = collide(lam, sin(beta), cos(beta), mu, v_t, v_nf, e)
    return _scenario(code, flags, tuple(values), v_t, v_nf, critical_values(lam, beta))


def _numbers(name: str, value: Any) -> Array:
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"impact: {name} is {value!r}; it must be a number or an array of numbers.") from error


def check_impact(lam: float, beta: float, mu: float, v_t: float, v_nf: float, e: float, where: str = "") -> None:
    """Report all faults of the data of one impact."""
    wishes = {
        f"half_angle is {beta!r} rad; it must lie between 0 and pi/2 (60 degrees are 1.0472 rad)": 0 < beta < pi / 2,
        f"inertia_ratio is {lam!r}; I_G / (m L^2) is finite and not negative": lam >= 0.0 and isfinite(lam),
        f"friction is {mu!r}; a coefficient of friction is finite and not negative": mu >= 0.0 and isfinite(mu),
        f"slip is {v_t!r}; the tangential velocity at the start must be finite": isfinite(v_t),
        f"approach is {v_nf!r}; the front foot must move down, with a finite velocity < 0": -inf < v_nf < 0.0,
        f"restitution is {e!r}; it must lie in [0, 1], from plastic to elastic": 0.0 <= e <= 1.0,
    }
    faults = [f"impact{where}: {text}." for text, good in wishes.items() if not good]
    if faults:
        raise ModelError(faults)


def _scenario(
    code: int, flags: int, values: tuple[float, ...], slip: float, approach: float, critical: Critical
) -> Scenario:
    kinds = LABELS[code].split("+")
    stations = (Velocities(slip, approach, 0.0), Velocities(*values[3:6]), Velocities(*values[6:9]))
    phases = tuple(Phase(kind, values[i], stations[i], stations[i + 1]) for i, kind in enumerate(kinds))
    flagged = {"jamb": JAMB, "reversal": REVERSAL, "back_foot_lands": LANDS, "double_contact": DOUBLE_CONTACT}
    raised = {name: bool(flags & flag) for name, flag in flagged.items()}
    return Scenario(phases=phases, compression=values[2], critical=critical, **raised)
