"""What happens when the front foot of a rimless wheel strikes the ground: the sequence of phases, in closed form."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import cos, inf, isfinite, isnan, pi, sin
from typing import final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trundle.errors import ModelError
from trundle.laws.restitution import Newton, Restitution, Stronge
from trundle.typing import Array, Expr, Given, Value
from trundle.walker.impact.closed_form import DOUBLE_CONTACT, JAMB, LABELS, LANDS, REVERSAL, collide
from trundle.walker.impact.critical import Critical, critical_values
from trundle.walker.impact.phase import ImpactData, Phase, Velocities, phases_of

NAMES = ("inertia_ratio", "half_angle", "friction", "slip", "approach", "restitution", "static_friction")


@final
@dataclass(frozen=True)
class Scenario:
    """Phases of one impact, in their order.

    A double-point collision from the start (label DP) ends the prediction: both feet press at the same time, and the
    outcome depends on their compliance. Its impulses and end velocities are nan.
    """

    phases: tuple[Phase, ...]
    jamb: bool
    """The front foot is driven into the ground in the first phase: friction turns the wheel over the foot."""
    reversal: bool
    """Backward sliding stops and continues forward."""
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

    @property
    def critical(self) -> Critical:
        """Coefficients of friction, and a half angle, at which what happens changes its character."""
        impact = self.phases[0].impact
        return critical_values(impact.inertia_ratio, impact.half_angle)

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

    @property
    def energy_lost(self) -> float:
        """Kinetic energy over mass before the impact less that after it."""
        return sum(phase.energy_lost for phase in self.phases)

    @property
    def transition(self) -> Array:
        """Matrix that takes (v_t, v_nf, v_nb) from before the impact to after it; see `Phase.transition`."""
        return self.phases[-1].transition

    def __str__(self) -> str:
        lines = [
            f"{self.label}: normal impulse over mass {self.impulse:.6g}, of it {self.compression:.6g} in compression"
        ]
        if any(phase.kind == "DP" for phase in self.phases):
            lines.append(
                "  DP: both feet are pressed at once, and rigid bodies do not say how they share the impulse (nan). "
                "Compliant feet do: trundle impact collide."
            )
        for phase in self.phases:
            changes = (
                f"{n} {a:.6g} -> {b:.6g}" for n, a, b in zip(Velocities._fields, phase.start, phase.end, strict=True)
            )
            lines.append(f"  {phase.kind:<8} {phase.impulse:10.6g}   " + ", ".join(changes))
            x, y = phase.centre
            lines.append(
                f"{'':21}centre ({x:.6g}, {y:.6g}) L, kappa {phase.kappa:.6g}, turn {phase.turn:.6g}, "
                f"energy lost {phase.energy_lost:.6g}"
            )
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

    given: tuple[Array, ...]  # the arguments of `predict` up to static friction, broadcast
    energetic: bool  # whether restitution is Stronge's
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

    @cached_property
    def kappas(self) -> Array:
        """Tangential over normal impulse in the first and the second phase (last axis); nan if a phase is absent."""
        _, _, mu, slip, _, _, static = self.given
        kinds = np.array([[*label.split("+"), ""][:2] for label in LABELS])[self.code]
        held = ((slip == 0) & (static >= self.critical.mu_c))[..., None]
        rests = (kinds == "stick") | ((kinds == "DP") & held)
        back = (kinds == "backward") | ((kinds == "DP") & (slip < 0)[..., None])
        found = np.where(rests, -self.critical.mu_c[..., None], np.where(back, 1.0, -1.0) * mu[..., None])
        return np.where(kinds == "", np.nan, found)

    @cached_property
    def centres(self) -> Array:
        """Percussion centres (x, y) from G in lengths of spoke (last axis) of both phases (last but one)."""
        lam, beta = (values[..., None] for values in self.given[:2])
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = lam / (np.sin(beta) + self.kappas * np.cos(beta))
            return np.stack([-scale, self.kappas * scale], axis=-1)

    @property
    def turns(self) -> Array:
        """Changes of the angular velocity times L in both phases, clockwise positive; nan if a phase is absent."""
        change = np.diff(self._stations, axis=-2)
        return self._phases((change[..., 2] - change[..., 1]) / (2 * np.sin(self.given[1]))[..., None])

    @property
    def energies_lost(self) -> Array:
        """Kinetic energy over mass that is lost in both phases; nan if a phase is absent."""
        means = (self._stations[..., 1:, :] + self._stations[..., :-1, :]) / 2
        return self._phases(-self.impulses * (means[..., 1] + self.kappas * means[..., 0]))

    @property
    def _stations(self) -> Array:
        start = np.stack([self.given[3], self.given[4], np.zeros(self.shape)], axis=-1)
        return np.stack([start, self.between, self.end], axis=-2)

    def _phases(self, values: Array) -> Array:
        return np.where(np.isnan(self.kappas), np.nan, values)

    def __getitem__(self, index: int | tuple[int, ...]) -> Scenario:
        found = self._found[index]
        if np.ndim(found):
            raise IndexError(f"{index!r} is not the index of one impact among those of shape {self.shape}.")
        lam, beta, mu, slip, approach, e, static = (float(values[index]) for values in self.given)
        impact = ImpactData(lam, beta, mu, slip, approach, e, static, self.energetic)
        return _scenario(int(found) % 16, int(found) // 16, tuple(map(float, self._values[index])), impact)

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
    restitution: float | Restitution = 0.0,
    static_friction: float | None = None,
) -> Scenario: ...


@overload
def predict(
    inertia_ratio: ArrayLike,
    half_angle: ArrayLike,
    friction: ArrayLike,
    slip: ArrayLike,
    approach: ArrayLike = -1.0,
    restitution: ArrayLike | Restitution = 0.0,
    static_friction: ArrayLike | None = None,
    *,
    threads: int | None = None,
) -> ScenarioArray: ...


def predict(
    inertia_ratio: Expr,
    half_angle: Expr,
    friction: Expr,
    slip: Expr,
    approach: Expr = -1.0,
    restitution: Expr = 0.0,
    static_friction: Expr = None,
    *,
    threads: int | None = None,
) -> Value:
    """Phases of the impact in which the front foot of a rimless wheel (or the corner of a rocking block) strikes, while
    the back foot rests on the ground (v_nb = 0).

    Parameters
    ----------
    inertia_ratio : float or array
        I_G / (m L^2).
    half_angle : float or array
        Half the angle between the spokes (rad).
    friction : float or array
        Coefficient of friction.
    slip : float or array
        Tangential velocity at the start (m/s), forward positive.
    approach : float or array
        Normal velocity of the front foot (m/s), below zero. Compression ends where v_nf = 0.
    restitution : float, Poisson, Stronge or array
        Poisson's (`Poisson(e)` or a number: its normal impulse is that part of the impulse of compression) or
        `Stronge(e)` (its work is e^2 of that of compression).
    static_friction : float or array, optional
        Coefficient that holds a foot that does not slide; `friction` unless given.
    threads : int, optional
        For arrays; all cores unless given.

    Returns
    -------
    Scenario or ScenarioArray
        Of numbers, or of arrays, which are broadcast.
    """
    energetic, restitution = split_restitution(restitution, approach)
    static = friction if static_friction is None else static_friction
    numbers: tuple[Given, ...] = (inertia_ratio, half_angle, friction, slip, approach, restitution, static)
    if not all(isinstance(value, float | int) for value in numbers):
        given = tuple(map(as_numbers, NAMES, numbers))
        if any(value.ndim for value in given):
            from trundle.walker.impact.predict_batch import predict_arrays

            return ScenarioArray(*predict_arrays(given, energetic, threads))
        numbers = given
    lam, beta, mu, v_t, v_nf, e, mu_static = map(float, numbers)
    check_impact(lam, beta, mu, v_t, v_nf, e, mu_static)
    impact = ImpactData(lam, beta, mu, v_t, v_nf, e, mu_static, energetic)
    code, flags, *values = collide(lam, sin(beta), cos(beta), mu, v_t, v_nf, e, mu_static, int(energetic))
    return _scenario(code, flags, tuple(values), impact)


def split_restitution(given: object, approach: object) -> tuple[bool, Given]:
    """Whether it is Stronge's, and its coefficient."""
    if not isinstance(given, Restitution):
        return False, given
    if isinstance(given, Newton):
        raise ModelError(
            "impact: Newton's restitution can gain energy where sliding changes during the impact; "
            "take Poisson(e) or Stronge(e)."
        )
    e = as_numbers("restitution", given.e)
    slow = -as_numbers("approach", approach) < (given.rest_speed or 0.0)  # so slow that nothing bounces
    return isinstance(given, Stronge), np.where(slow, 0.0, e)


def as_numbers(name: str, value: object) -> Array:
    """A number or an array, by the name of what it is."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"impact: {name} is {value!r}; it must be a number or an array of numbers.") from error


def check_impact(
    lam: float, beta: float, mu: float, v_t: float, v_nf: float, e: float, mu_static: float | None = None,
    where: str = "",
) -> None:  # fmt: skip
    """Report all faults of the data of one impact."""
    static = mu if mu_static is None else mu_static
    good = 0.0 <= mu <= static < inf and lam >= 0.0 and isfinite(lam) and 0.0 < beta < pi / 2
    if good and isfinite(v_t) and -inf < v_nf < 0.0 and 0.0 <= e <= 1.0:
        return
    wishes = {
        f"half_angle is {beta!r} rad; it must lie between 0 and pi/2 (60 degrees are 1.0472 rad)": 0 < beta < pi / 2,
        f"inertia_ratio is {lam!r}; I_G / (m L^2) is finite and not negative": lam >= 0.0 and isfinite(lam),
        f"friction is {mu!r}; a coefficient of friction is finite and not negative": mu >= 0.0 and isfinite(mu),
        f"static_friction is {static!r}; it is finite and not below the friction of sliding, {mu!r}": isnan(mu)
        or static == mu
        or mu <= static < inf,
        f"slip is {v_t!r}; the tangential velocity at the start must be finite": isfinite(v_t),
        f"approach is {v_nf!r}; the front foot must move down, with a finite velocity < 0": -inf < v_nf < 0.0,
        f"restitution is {e!r}; it must lie in [0, 1], from plastic to elastic": 0.0 <= e <= 1.0,
    }
    faults = [f"impact{where}: {text}." for text, good in wishes.items() if not good]
    raise ModelError(faults)


def _scenario(code: int, flags: int, values: tuple[float, ...], impact: ImpactData) -> Scenario:
    flagged = {"jamb": JAMB, "reversal": REVERSAL, "back_foot_lands": LANDS, "double_contact": DOUBLE_CONTACT}
    raised = {name: bool(flags & flag) for name, flag in flagged.items()}
    return Scenario(phases=phases_of(code, values, impact), compression=values[2], **raised)
