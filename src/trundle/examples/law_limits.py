"""Convergence of contact laws to their limits on one driven wheel: python -m trundle.examples.every_law --limits"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import final

import numpy as np

from trundle.examples.every_law import EFFECTIVE_MASS, MASS, roll, wheel
from trundle.laws.efforts import Spring
from trundle.model.model import Model
from trundle.system import System
from trundle.typing import Array, Options

TOLERANCE = 1e-11
LOCKED = {"wheel.angular_velocity": (0, 0, 0)}
WHEN: dict[str, tuple[float, Options]] = {
    "set down locked": (0.9, LOCKED),  # slides from the start, and rolls when it is compared
    "spun up": (2.5, {}),  # rolls, is driven beyond the limit, and slides when it is compared
    "grips again": (4.0, {}),
}
"""Time of the comparison (s), and start."""


def sprung(law: str, bond: str, mass: float) -> Model:
    """The wheel with a spring instead of a constrained bond of the contact, damped against oscillations."""
    model = Model("driven wheel on a spring")
    stiffness = model.parameter("stiffness", 1e6, "N/m", "of the spring")
    return wheel(law, model, compliance={bond: Spring(stiffness, 2 * (stiffness * mass) ** 0.5)})


def weighed() -> Model:
    """The rolling wheel with a weight of its constraint."""
    model = Model("driven wheel, relaxed")
    weight = model.parameter("weight", 1.0, "", "of the rolling constraint")
    wheel("NoSlip", model).relax("road.slip_x", weight)
    return model


MODELS: dict[str, Callable[[], Model]] = {
    "spring along the slip": partial(sprung, "NoSlip", "slip_x", EFFECTIVE_MASS),
    "spring in the normal": partial(sprung, "Coulomb", "normal", MASS),
    "weight s of the constraint": weighed,
}
"""Models other than those named after their law."""


@cache
def built(name: str) -> System:
    """One system for all values: the number that tends to its limit is a parameter."""
    return MODELS[name]().build() if name in MODELS else wheel(name).build()


@final
@dataclass(frozen=True)
class Limit:
    """A law with a small number, and its limit as that number goes to zero."""

    law: str
    small: str  # description of the number
    becomes: str
    when: str
    order: float  # stated order; 0 if the limit is reached exactly
    values: tuple[float, ...]
    set_to: Callable[[float], Mapping[str, float]]  # parameters from the small number
    parameters: Mapping[str, float] = field(default_factory=lambda: {"peak": 1.0})  # of both

    def measure(self) -> "Measured":
        """Run the law for all values, and its limit."""
        target = self.motion(self.becomes, {})
        errors = [self.motion(self.law, self.set_to(value)) - target for value in self.values]
        return Measured(self, tuple(float(np.max(np.abs(error))) for error in errors))

    def motion(self, law: str, parameters: Mapping[str, float]) -> Array:
        """Position, speed and slip of the wheel at the time of comparison."""
        end, start = WHEN[self.when]
        given = {**self.parameters, **parameters}
        run = roll(built(law), given, duration=end, start=start, samples=2, rtol=TOLERANCE, atol=TOLERANCE)
        return np.array(
            [run.values("wheel.position")[-1, 0], run.values("wheel.velocity")[-1, 0], run.values("road.slip_x")[-1]]
        )


@final
@dataclass(frozen=True)
class Measured:
    """Largest of the differences in position (m), speed and slip (m/s) from the limit."""

    limit: Limit
    errors: tuple[float, ...]

    @property
    def order(self) -> float:
        """Slope of the line through the logarithms; 0 where the limit is reached."""
        if self.limit.order == 0:
            return 0.0
        return float(np.polyfit(np.log(self.limit.values), np.log(self.errors), 1)[0])


def halved(first: float) -> tuple[float, ...]:
    """The number, its half and its quarter."""
    return first, first / 2, first / 4


LIMITS = (
    Limit("RegularisedCoulomb", "v0", "Coulomb", "set down locked", 1, halved(2e-4), lambda v: {"v0": v}),
    Limit("Stribeck", "v0", "Coulomb", "set down locked", 1, halved(2e-4), lambda v: {"v0": v}, {"peak": 1.1}),
    Limit("LuGre", "1/stiffness", "Coulomb", "set down locked", 1, halved(1e-5), lambda v: {"bristles": 1 / v}),
    Limit("Creep", "1/stiffness", "Coulomb", "set down locked", 1, halved(1e-4), lambda v: {"creep": 1 / v}),
    Limit("BrushTyre", "1/stiffness", "Coulomb", "set down locked", 1, halved(1e-4), lambda v: {"tread": 1 / v}),
    Limit("RegularisedCoulomb", "v0 ln(1/v0)", "Coulomb", "spun up", 1, halved(2e-4), lambda v: {"v0": v}),
    Limit("LuGre", "1/stiffness", "Coulomb", "spun up", 2 / 3, halved(1e-6), lambda v: {"bristles": 1 / v}),
    Limit("Creep", "1/stiffness", "Coulomb", "spun up", 4 / 5, halved(1e-4), lambda v: {"creep": 1 / v}),
    Limit("Coulomb", "1/mu below 1.8", "NoSlip", "grips again", 0, (1.8, 1.0), lambda v: {"mu": 1 / v}),
    Limit("Relaxed", "1/mu", "NoSlip", "grips again", 2, halved(1 / 16), lambda v: {"mu": 1 / v}),
    Limit(
        "Relaxed", "1/k_s = 1/k_f below 0.0025", "RegularisedCoulomb", "grips again", 0, (0.0025, 0.001),
        lambda v: {"k_s": 1 / v, "k_f": 1 / v, "relaxed_v0": 1e-2},
    ),
    Limit("weight s of the constraint", "1 - s", "NoSlip", "grips again", 1, halved(1e-3), lambda v: {"weight": 1 - v}),
    Limit(
        "spring along the slip", "1/stiffness", "NoSlip", "grips again", 1, halved(1e-5), lambda v: {"stiffness": 1 / v}
    ),
    Limit(
        "spring in the normal", "1/stiffness", "Coulomb", "grips again", 1, halved(1e-5), lambda v: {"stiffness": 1 / v}
    ),
)  # fmt: skip


def limit_table(found: list[Measured]) -> str:
    """Stated and measured orders as text."""
    lines = [
        f"{'law':27} {'small number':27} {'becomes':19} {'wheel':16} {'order':>6} {'fitted':>7}  distances (m, m/s)"
    ]
    for one in found:
        limit = one.limit
        stated, fitted = (f"{limit.order:.3g}", f"{one.order:.3f}") if limit.order else ("equal", "")
        distances = " ".join(f"{error:.2e}" for error in one.errors)
        lines.append(
            f"{limit.law:27} {limit.small:27} {limit.becomes:19} {limit.when:16} {stated:>6} {fitted:>7}  {distances}"
        )
    return "\n".join(lines)


def limits() -> list[Measured]:
    """All limits, measured."""
    return [one.measure() for one in LIMITS]
