"""The rimless wheel: spokes without a rim, walking down a slope from foot to foot [Barjau 2022]."""

from dataclasses import dataclass
from math import cos, isfinite, pi, sin, sqrt
from typing import final

from trundle.contact import Coulomb, NoSlip
from trundle.errors import ModelError
from trundle.laws.law import Law
from trundle.laws.restitution import Restitution
from trundle.math import cos as cos_
from trundle.math import sin as sin_
from trundle.model.model import Model
from trundle.pairs import Planar, Revolute
from trundle.pairs.edge import Vertex
from trundle.pairs.planar import Line, PlanarPair
from trundle.study.periodic import Section
from trundle.typing import Expr

WITH_FRICTION = 3  # feet: behind, standing, next; each costs time to compile


@final
@dataclass(frozen=True)
class PlasticGait:
    """The wheel in closed form, for feet that neither slip nor bounce: gait, multiplier and limits.

    Speeds are those of turning, just after a foot has landed (rad/s).

    Parameters
    ----------
    spokes : int
        Their number.
    slope : float
        Of the ground, downhill (rad).
    inertia_ratio : float
        I_G / (m L^2).
    length : float
        L, of the spokes (m).
    g : float
        Gravity (m/s^2).
    """

    spokes: int = 8
    slope: float = 0.08
    inertia_ratio: float = 0.0
    length: float = 1.0
    g: float = 9.81

    def __post_init__(self) -> None:
        _check(self.spokes, self.slope, self.length, self.inertia_ratio, self.g)

    @property
    def half_angle(self) -> float:
        """Half the angle between neighbouring spokes (rad)."""
        return pi / self.spokes

    @property
    def eta(self) -> float:
        """Angular speed after a landing over that before it: angular momentum about the new foot is conserved."""
        return (self.inertia_ratio + cos(2 * self.half_angle)) / (self.inertia_ratio + 1)

    @property
    def multiplier(self) -> float:
        """Factor by which a small deviation of the speed shrinks in one step: eta^2."""
        return self.eta**2

    @property
    def speed(self) -> float:
        """Speed of the periodic gait, at which gravity supplies in a step what the landing dissipates; nan if there is
        none.
        """
        if self.eta <= 0 or self.slope <= 0:
            return float("nan")
        gained = 4 * self._pull * sin(self.half_angle) * sin(self.slope)
        found = self.eta * sqrt(gained / (1 - self.multiplier))
        return found if found > self.slowest else float("nan")

    @property
    def slowest(self) -> float:
        """Below this speed the wheel does not pass over its foot and falls back."""
        return sqrt(2 * self._pull * (1 - cos(self.half_angle - self.slope))) if self.slope < self.half_angle else 0.0

    @property
    def fastest(self) -> float:
        """Above this speed the foot leaves the ground before the next one lands: its load falls to zero on the way."""
        low, high = -self.half_angle, self.half_angle
        for _ in range(12):  # a finer grid around the minimum, each time
            step = (high - low) / 20
            least = min((low + k * step for k in range(21)), key=self._lifts)
            low, high = max(least - step, -self.half_angle), min(least + step, self.half_angle)
        return sqrt(max(0.0, self._lifts(least)))

    def _lifts(self, angle: float) -> float:
        """Square of the speed after landing with which the load is zero when the spoke stands at this angle."""
        turning = self._pull * sin(angle + self.slope)  # rad/s^2
        gained = 2 * self._pull * (cos(self.slope - self.half_angle) - cos(angle + self.slope))
        return (self.g * cos(self.slope) / self.length - turning * sin(angle)) / cos(angle) - gained

    @property
    def friction_needed(self) -> float:
        """Coefficient below which a foot slips while it lands: the critical one [Barjau 2022]."""
        b = self.half_angle
        return sin(b) * cos(b) / (self.inertia_ratio + cos(b) ** 2)

    @property
    def _pull(self) -> float:
        return self.g / (self.length * (1 + self.inertia_ratio))  # 1/s^2


def rimless_wheel(
    spokes: int = 8,
    slope: float = 0.08,
    inertia_ratio: float = 0.1,
    length: float = 1.0,
    mass: float = 1.0,
    friction: float | None = None,
    restitution: Restitution | float = 0.0,
    feet: int | None = None,
    speed: float | None = None,
    g: float = 9.81,
) -> Model:
    """Spokes on a hub in a plane; "along" runs down the slope, "height" is normal to it. Feet land, slip, part and
    strike.

    Parameters
    ----------
    spokes : int
        Number of spokes.
    slope : float
        Angle of the ground (rad).
    inertia_ratio : float
        I_G / (m L^2), above zero: at zero (all mass in the hub) a foot in the air has no mass, and only
        `pivoting_wheel` remains.
    length, mass : float
        Of a spoke (m), of the wheel (kg).
    friction : float, optional
        Coefficient of Coulomb friction; without one the feet do not slip.
    restitution : Restitution or float
        Of the landings.
    feet : int, optional
        How many spokes can touch, from "foot0" (standing at the start) forwards and "foot-1" (just lifted) backwards;
        by default all without friction, three with it.
    speed : float, optional
        Turning at the start (rad/s), just after "foot0" has landed; by default that of the periodic gait.
    g : float
        Gravity (m/s^2).

    Returns
    -------
    Model
        "slope", "inertia_ratio" and "mu" are its parameters.
    """
    _check(spokes, slope, length, inertia_ratio, g)
    if not inertia_ratio > 0:
        raise ModelError(
            "rimless_wheel: with inertia_ratio = 0 a foot that strikes has no mass along its spoke's normal. Take a "
            "small one such as 1e-6, or trundle.walker.rimless.pivoting_wheel, whose foot is held."
        )
    m, ratio = _model("rimless wheel", slope, inertia_ratio, g)
    inertia = ratio * mass * length**2
    wheel = m.body("wheel", mass, (inertia, inertia, inertia))
    m.connect(Planar("y"), m.ground, wheel, name="hub")
    m.alias("along", "hub.y")
    m.alias("height", "hub.x")
    count = (spokes if friction is None else WITH_FRICTION) if feet is None else feet
    if not 2 <= count <= spokes:
        raise ModelError(f"rimless_wheel: feet lies between 2 and the number of spokes ({spokes}), got {count!r}.")
    law: Law = NoSlip() if friction is None else Coulomb(m.parameter("mu", friction, text="coefficient of friction"))
    for k in range(-1, count - 1):
        angle = 2 * pi * k / spokes
        foot = wheel.frame((length * sin(angle), 0, -length * cos(angle)))
        m.connect(PlanarPair(Line(), Vertex()), m.ground, foot, name=f"foot{k}", law=law, restitution=restitution)
    half = pi / spokes
    turning = _turning(speed, PlasticGait(spokes, slope, inertia_ratio, length, g))
    m.start = {
        "hub.angle": -half, "hub.angle_rate": turning, "along": 0.0, "height": length * cos(half),
        "along_rate": length * turning * cos(half), "height_rate": length * turning * sin(half),
    }  # fmt: skip
    return m


def pivoting_wheel(
    spokes: int = 8,
    slope: float = 0.08,
    inertia_ratio: float = 0.0,
    length: float = 1.0,
    mass: float = 1.0,
    speed: float | None = None,
    g: float = 9.81,
) -> Model:
    """The rimless wheel with its standing foot as a pivot: no slip, no lift-off, plastic landings, walking forwards
    only.

    Parameters
    ----------
    spokes, slope, inertia_ratio, length, mass, speed, g
        As for `rimless_wheel`; the inertia ratio may be zero.

    Returns
    -------
    Model
    """
    _check(spokes, slope, length, inertia_ratio, g)
    m, ratio = _model("pivoting wheel", slope, inertia_ratio, g)
    inertia = ratio * mass * length**2
    wheel = m.body("wheel", mass, (inertia, inertia, inertia), com=(0, 0, length))
    m.connect(Revolute("y"), m.ground, wheel, name="hub")
    half = pi / spokes
    eta = (ratio + cos(2 * half)) / (ratio + 1)
    m.event(
        "foot1 lands", lambda s: s["hub.angle"] - half, direction=1,
        action={"hub.angle": lambda s: -half, "hub.angle_rate": lambda s: eta * s["hub.angle_rate"]},
    )  # fmt: skip
    m.start = {
        "hub.angle": -half,
        "hub.angle_rate": _turning(speed, PlasticGait(spokes, slope, inertia_ratio, length, g)),
    }
    return m


def landing(spokes: int = 8) -> Section:
    """Section just after the next foot has landed: feet are renumbered, and the position on the slope is reset.

    Parameters
    ----------
    spokes : int
        Number of spokes.

    Returns
    -------
    Section
    """
    back = {"hub.angle": -2 * pi / spokes}
    return Section("foot1 lands", reset={"along": 0.0}, shift=back, unless=("foot-1 lands",))


def pivoting_landing() -> Section:
    """The same for `pivoting_wheel`, whose model changes the foot."""
    return Section("foot1 lands")


def _model(name: str, slope: float, inertia_ratio: float, g: float) -> tuple[Model, Expr]:
    m = Model(name)
    tilt = m.parameter("slope", slope, "rad", "slope of the ground, downwards along x")
    ratio = m.parameter("inertia_ratio", inertia_ratio, text="I_G / (m L^2)")
    m.gravity = (g * sin_(tilt), 0.0, -g * cos_(tilt))
    return m, ratio


def _turning(speed: float | None, gait: PlasticGait) -> float:
    if speed is not None:
        return speed
    return gait.speed if isfinite(gait.speed) else 1.01 * gait.slowest


def _check(spokes: int, slope: float, length: float, inertia_ratio: float, g: float) -> None:
    faults = []
    if not (isinstance(spokes, int) and spokes >= 3):
        faults.append(f"rimless wheel: spokes must be an integer of at least 3, got {spokes!r}.")
    if not abs(slope) < pi / 2:
        faults.append(f"rimless wheel: the slope lies between -pi/2 and pi/2 (rad), got {slope!r}.")
    if not length > 0:
        faults.append(f"rimless wheel: the length of a spoke is above zero (m), got {length!r}.")
    if not (inertia_ratio >= 0 and isfinite(inertia_ratio)):
        faults.append(f"rimless wheel: inertia_ratio = I_G / (m L^2) is not negative, got {inertia_ratio!r}.")
    if not (g > 0 and isfinite(g)):
        faults.append(f"rimless wheel: gravity g is above zero (m/s^2) and points down by itself, got {g!r}.")
    if faults:
        raise ModelError(faults)
