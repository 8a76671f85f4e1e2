"""Collision of a rimless wheel or a rocking block with compliant feet and exact Coulomb friction [Barjau 2022]."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from math import inf, isfinite, pi
from threading import Lock
from typing import final

import numpy as np

from trundle.contact.normal import NormalLaw
from trundle.errors import ModelError, SolveError
from trundle.integrate import Case, DormandPrince8, Integration, Options, Steps, Supervision, Tolerances
from trundle.laws.coefficient import number
from trundle.study.problem import make_problem
from trundle.typing import Array, Kind, Untyped
from trundle.walker.collision import Collision, phases_and_events
from trundle.walker.foot_law import BiStiffness
from trundle.walker.two_feet import COMPRESSES, HELD, OPEN, Wheel
from trundle.walker.two_foot_wheel import MODES, two_foot_wheel

RTOL, ATOL = 1e-13, 1e-15
FIRST, LAST = 4.0, 2.0**22  # units of time: multiplied by eight until the collision is over
STEP, SHORTEST = 1e-2, 4e-15  # first step, and the shortest one
MOST_STEPS = 20_000
FEET = ("front", "back")
RATES = ("height_rate", "hub.angle_rate", "along_rate")


def collide(
    inertia_ratio: float,
    half_angle: float,
    friction: float,
    slip: float,
    approach: float = -1.0,
    law: NormalLaw | None = None,
    mass: float = 1.0,
    length: float = 1.0,
    gravity: float = 0.0,
    duration: float | None = None,
) -> Collision:
    """Collision of the front foot of a rimless wheel while the back foot stands on the ground without load.

    Parameters
    ----------
    inertia_ratio : float
        Moment of inertia over mass length^2.
    half_angle : float
        Half the angle between the spokes (rad).
    friction : float
        Coefficient of friction.
    slip, approach : float
        Tangential and normal velocity of the front foot before (m/s).
    law : NormalLaw, optional
        Of the feet; `BiStiffness()` unless given.
    mass, length, gravity : float
        Of the wheel (kg, m, m/s^2). Without gravity the velocities do not depend on mass and length, and on the law
        only by ratios of its numbers.
    duration : float, optional
        Time (s) to compute; until the feet have left or come to rest, unless given.

    Returns
    -------
    Collision
    """
    _check((inertia_ratio, half_angle, friction, slip, approach, mass, length, gravity, duration))
    law = BiStiffness() if law is None else law
    numbers, speed = _numbers(law), -approach
    # The unit of time: in it the undamped force absorbs the momentum.
    time = float((mass * speed ** (1 - law.power) / law.stiffness) ** (1 / (1 + law.power)))
    metre, newton = speed * time, mass * speed / time
    wheel = Wheel(inertia_ratio, half_angle, friction, gravity * time / speed)
    values = numbers | asdict(wheel) | {"metre": metre, "speed": speed, "newton": newton}
    values |= _first(wheel, slip, float(law.damped(0.0, -speed)) / newton)
    kind: Untyped = type(law)
    feet = _two_feet(kind)
    with feet.lock:  # its arrays are used for one collision at a time
        run, ending = _run(feet, wheel, slip / speed, values, None if duration is None else duration / time)
    units = {"velocity": speed, "deformation": metre, "force": newton, "impulse": mass * speed, "work": mass * speed**2}
    ways = {foot: tuple(units) for foot in FEET} | {"friction": ("force", "impulse", "work")}
    scale = {f"{way}_{what}": units[what] for way, kinds in ways.items() for what in kinds}
    at = run["time"] * time
    phases, events = phases_and_events(at, _modes(run), _load(run))
    return Collision(
        inertia_ratio=inertia_ratio, half_angle=half_angle, friction=friction, law=law, mass=mass, length=length,
        gravity=gravity, ending=ending, time=at, slip=run["slip"] * speed, phases=phases, events=events,
        **{name: run[name] * unit for name, unit in scale.items()},
    )  # fmt: skip


def _numbers(law: object) -> dict[str, float]:
    """Fields of the law, which must be numbers."""
    if not isinstance(law, NormalLaw):
        raise ModelError(
            "a foot has a law BiStiffness, LinearContact (Kelvin-Voigt), HuntCrossley or Hertz, not "
            f"{type(law).__name__}."
        )
    found = {}
    for name in (f.name for f in fields(law)):
        value = number(getattr(law, name))
        if value is None:
            text = f"{type(law).__name__}: a collision needs a number for {name}, not a parameter or a function."
            raise ModelError(text)
        found[name] = value
    return found


@final
class _TwoFeet:
    """The wheel as a compiled model, one for each kind of law: collisions differ in its parameters and its start."""

    def __init__(self, kind: Kind) -> None:
        f = self.formulation = two_foot_wheel(kind(*(1.0 for _ in fields(kind)))).build().formulation
        self.problem = make_problem(f, stiff=False, returns=False, rtol=RTOL)
        self.rates = [f.states.changeable[f.register.full(name)] for name in RATES]
        self.integrals = {
            f"{foot}_{what}": f.states.changeable[f"{foot}_{what}"]
            for foot in (*FEET, "friction")
            for what in ("impulse", "work")
        }
        self.places = {name: f.parameters.parameter(name) for name in f.parameters.parameters}
        options = Options(
            Tolerances(RTOL, ATOL), limits=Steps(first=STEP, shortest=SHORTEST, most=MOST_STEPS),
            supervision=Supervision(progress=False),
        )  # fmt: skip
        self.integration = Integration(self.problem, DormandPrince8(), options)
        self.usual = f.default_parameters
        self.integration.begin(Case(0.0, LAST, np.zeros(f.n_x), self.usual))
        self.fresh, self.lock = self.integration.save(), Lock()

    def begin(self, rates: list[float], values: dict[str, float]) -> None:
        """Start a collision, in the arrays of the one before."""
        x0, p = np.zeros(self.formulation.n_x), self.usual.copy()
        x0[self.rates] = rates
        p[[self.places[name] for name in values]] = [*values.values()]
        self.integration.begin_again(self.fresh, x0, p)

    def advance(self, end: float) -> tuple[dict[str, Array], bool]:
        """Outputs at every step up to a time, and whether it was reached."""
        self.integration.advance(end)
        found = self.integration.trajectory()
        outputs = self.formulation.evaluate("slip", found.t, found.x, found.parameters())
        run = {"time": found.t, **{name: values[:, 0] for name, values in outputs.items()}}
        return run | {name: found.x[:, place] for name, place in self.integrals.items()}, found.outcome.ok


_two_feet = cache(_TwoFeet)


def _first(wheel: Wheel, slip: float, damper: float) -> dict[str, float]:
    """Modes of the feet just after touch, when the force of the front foot is far above that of the back foot."""
    W = wheel.mobility
    slide = float(np.sign(slip)) if slip else float(W[0][2] / W[2][2] > wheel.friction)
    lift = W[1][0] + W[1][2] * wheel.drag(slide)[0]  # of the back foot by a unit force at the front foot
    early = lift * damper - wheel.gravity  # a damper acts at once, a spring only later
    driven = early < 0 if early else lift < 0
    return {"slide": slide, "front": COMPRESSES, "back": COMPRESSES if driven else OPEN}


def _modes(run: dict[str, Array]) -> Array:
    return np.column_stack([run[f"mode_{name}"] for name in MODES])


def _load(run: dict[str, Array]) -> Array:
    return run["front_force"] + run["back_force"]


def _run(
    feet: _TwoFeet, wheel: Wheel, slip: float, values: dict[str, float], duration: float | None
) -> tuple[dict[str, Array], str]:
    """Outputs until the collision is over, and how it ends."""
    s, c = (float(lever) for lever in wheel.levers)
    rates = [-0.5, 0.5 / s, slip + 0.5 * c / s]
    feet.begin(rates, values)
    end = min(FIRST, duration or inf)
    while True:
        run, reached = feet.advance(end)
        slide, does = np.split(_modes(run), [1], axis=1)
        is_free = np.all((does == OPEN) | (does == HELD), axis=1) & (_load(run) <= 0)
        is_at_rest = np.all(does == HELD, axis=1) & (slide[:, 0] == 0)
        over = is_free | is_at_rest
        if over.any():
            last = int(np.argmax(over))
            run = {name: values[: last + 1] for name, values in run.items()}
            return run, "released" if is_free[last] else "at rest"
        if end == duration and reached:
            return run, "time over"
        if end >= LAST or not reached:
            raise SolveError(
                f"the collision does not end (inertia ratio {wheel.inertia_ratio:g}, half angle {wheel.half_angle:g} "
                f"rad, friction {wheel.friction:g}, slip {slip:g} times the approach). Damped feet under gravity come "
                "to rest only slowly: give a duration."
            )
        end = min(8 * end, duration or inf)


CONDITIONS: Mapping[str, tuple[Callable[..., bool], str]] = {
    "inertia_ratio": (lambda v: 0 < v < inf, "must be above zero and finite (a foot needs inertia)"),
    "half_angle": (lambda v: 0 < v < pi / 2, "must lie between 0 and pi/2 (it is in rad)"),
    "friction": (lambda v: 0 <= v < inf, "must not be negative"),
    "slip": (isfinite, "must be finite"),
    "approach": (lambda v: -inf < v < 0, "must be below zero: the front foot comes down"),
    "mass": (lambda v: 0 < v < inf, "must be above zero and finite"),
    "length": (lambda v: 0 < v < inf, "must be above zero and finite"),
    "gravity": (lambda v: 0 <= v < inf, "must not be negative"),
    "duration": (lambda v: v is None or 0 < v < inf, "must be above zero"),
}  # of numbers given to `collide`


def _check(given: Sequence[float | None]) -> None:
    """All faults at once."""
    checks = zip(CONDITIONS.items(), given, strict=True)
    faults = [f"{name} {words}, got {value!r}." for (name, (good, words)), value in checks if not good(value)]
    if faults:
        raise ModelError(faults)
