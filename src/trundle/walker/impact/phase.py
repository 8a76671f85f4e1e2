"""One phase of an impact: the motion of the front foot, and the effect of its impulse on the wheel."""

from dataclasses import dataclass
from math import cos, sin
from typing import NamedTuple, final

import numpy as np

from trundle.typing import Array
from trundle.walker.impact.closed_form import LABELS, LEAST, NAN, slide_rates, stick_rates
from trundle.walker.impact.critical import critical_values
from trundle.walker.impact.percussion import PercussionPlane


class Velocities(NamedTuple):
    """Velocities of the feet, which have the same tangential one."""

    v_t: float
    """Tangential, forward."""
    v_nf: float
    """Normal of the front foot, upwards."""
    v_nb: float
    """Normal of the back foot, upwards."""


class Point(NamedTuple):
    """A point of the wheel in lengths of spoke, seen from its centre G."""

    x: float
    """Forward."""
    y: float
    """Away from the ground."""


class ImpactData(NamedTuple):
    """The data of one impact: the arguments of `predict`, and whether restitution is Stronge's."""

    inertia_ratio: float
    half_angle: float  # rad
    friction: float
    slip: float
    approach: float
    restitution: float
    static_friction: float
    energetic: bool

    def kappa(self, kind: str) -> float:
        """Tangential over normal impulse in a phase; of DP that with which the front foot begins."""
        mu_c: float = critical_values(self.inertia_ratio, self.half_angle).mu_c
        if kind == "stick" or (kind == "DP" and not self.slip and self.static_friction >= mu_c):
            return -mu_c
        return self.friction if kind == "backward" or (kind == "DP" and self.slip < 0) else -self.friction

    def rates(self, kind: str) -> Array:
        """Changes of (v_t, v_nf, v_nb) by a unit of normal impulse over lambda and mass."""
        lam, s, c = max(self.inertia_ratio, LEAST), sin(self.half_angle), cos(self.half_angle)
        return np.array(stick_rates(lam, s, c) if kind == "stick" else slide_rates(lam, s, c, self.kappa(kind)))


@final
@dataclass(frozen=True)
class Phase:
    """A part of the impact in which the front foot slides or sticks all the time.

    Impulses and energies are over mass: impulses have the unit of the velocities.
    """

    kind: str
    """forward, backward, stick; or DP, of which only kappa and centre of its start are known."""
    impulse: float
    """Normal impulse over mass."""
    start: Velocities
    end: Velocities
    impact: ImpactData
    """Of the impact that it is a part of."""
    earlier: "Phase | None" = None
    """The phase before it."""

    @property
    def kappa(self) -> float:
        """Tangential over normal impulse: -friction sliding forward, +friction sliding backward, -mu_c sticking."""
        return self.impact.kappa(self.kind)

    @property
    def centre(self) -> Point:
        """Percussion centre, the point of the wheel that keeps its velocity; infinite if the impulse goes through G."""
        found = PercussionPlane(self.impact.half_angle).centre(self.impact.inertia_ratio, self.kappa)
        return Point(float(found[0]), float(found[1]))

    @property
    def tangential_impulse(self) -> float:
        """Over mass, forward positive."""
        return self.kappa * self.impulse

    @property
    def turn(self) -> float:
        """Change of the angular velocity times L, clockwise (as in rolling forward) positive."""
        back, front = self.end.v_nb - self.start.v_nb, self.end.v_nf - self.start.v_nf
        return (back - front) / (2 * sin(self.impact.half_angle))

    @property
    def friction_loss(self) -> float:
        """Energy over mass that sliding turns into heat."""
        return -self.tangential_impulse * (self.start.v_t + self.end.v_t) / 2

    @property
    def energy_lost(self) -> float:
        """Kinetic energy over mass at the start less that at the end; negative where restitution gives more back than
        sliding takes.
        """
        return self.friction_loss - self.impulse * (self.start.v_nf + self.end.v_nf) / 2

    @property
    def transition(self) -> Array:
        """Matrix that takes (v_t, v_nf, v_nb) from the start of the impact to the end of this phase. [Barjau 2022, 1.1]

        It holds for all starts with the same kinds of phases; with Stronge's restitution to first order around this
        start. In velocities of G it is inv(J) T J with J = `foot_rows(half_angle)`.
        """
        if self.kind == "DP":
            return np.full((3, 3), NAN)
        before = np.eye(3) if self.earlier is None else self.earlier.transition
        result: Array = before + np.outer(self.impact.rates(self.kind), self._impulse_row())
        return result

    def _impulse_row(self) -> Array:
        """Derivative of the impulse over lambda by the velocities at the start of the impact."""
        first = self if self.earlier is None else self.earlier
        e, along, normal = self.impact.restitution, np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
        r = self.impact.rates(first.kind)
        if self.earlier is None and self.end.v_t == 0.0 and self.start.v_t != 0.0:  # it ends where sliding stops
            return np.asarray(-along / r[0])
        if self.earlier is None:
            return np.asarray(-(1 + e) / r[1] * normal)
        stop, then = -along / r[0], self.impact.rates(self.kind)
        v, v1 = normal + r[1] * stop, self.start.v_nf  # derivative and value of v_nf where sliding stops
        if v1 > 0:  # in restitution
            if not self.impact.energetic:
                return np.asarray(-(1 + e) / r[1] * normal - stop)
            rest = (self.end.v_nf - v1) / then[1]
            work = (e**2 * self.impact.approach * normal - v1 * v) / r[1]
            return np.asarray((work - rest * v) / self.end.v_nf)
        ahead = -v / then[1]
        if not self.impact.energetic:
            return np.asarray(ahead + e * (stop + ahead))
        if e == 0.0:
            return np.asarray(ahead)
        work = first.start.v_t / r[0] * normal + v1 * (v / then[1] - stop)
        return np.asarray(ahead + e**2 * work / self.end.v_nf)


def phases_of(code: int, values: tuple[float, ...], impact: ImpactData) -> tuple[Phase, ...]:
    """From the scenario and the numbers of the closed form."""
    stations = (Velocities(impact.slip, impact.approach, 0.0), Velocities(*values[3:6]), Velocities(*values[6:9]))
    found: list[Phase] = []
    for i, kind in enumerate(LABELS[code].split("+")):
        found.append(Phase(kind, values[i], stations[i], stations[i + 1], impact, found[-1] if found else None))
    return tuple(found)
