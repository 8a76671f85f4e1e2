"""Gaits of the rimless wheel: the periodic gait, the outcome of any start, and the influence of friction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.errors import SolveError
from trundle.integrate.interruption import part_of_study
from trundle.study.periodic import Orbit, ReturnMap, find_orbit
from trundle.typing import Values
from trundle.walker.rimless import landing

if TYPE_CHECKING:
    from trundle.system import System

AT_REST = 1e-9  # rad/s
WALKS, STOPS, FALLS_BACK = "walks", "stops", "falls back"


def start_at(speed: float, half_angle: float, length: float = 1.0) -> dict[str, float]:
    """Start values of `rimless_wheel` just after a landing.

    Parameters
    ----------
    speed : float
        Turning about the standing foot (rad/s).
    half_angle : float
        Half the angle between the spokes (rad).
    length : float
        Of the spokes (m).

    Returns
    -------
    dict
        Values by name, for `simulate`.
    """
    return {
        "hub.angle_rate": speed,
        "along_rate": length * speed * float(np.cos(half_angle)),
        "height_rate": length * speed * float(np.sin(half_angle)),
    }


def find_gait(
    system: "System",
    spokes: int | None = None,
    start: Values | None = None,
    parameters: Mapping[str, float] | None = None,
) -> Orbit:
    """The periodic gait of a built `rimless_wheel`, from one landing to the next.

    Parameters
    ----------
    system : System
        Of a `rimless_wheel`.
    spokes : int, optional
        Its number of spokes, to be checked.
    start, parameters : mapping, optional
        Values by name. Names that are not given have the values of the model.

    Returns
    -------
    Orbit
    """
    return find_orbit(system, landing(_spokes(system, spokes)[0]), start, parameters)


def _spokes(system: "System", count: int | None, length: float | None = None) -> tuple[int, float]:
    """Number and length (m) of the spokes of a wheel; SolveError if they are not those given."""
    model = system.formulation.model
    feet = [model.connections.get(name) for name in ("foot0", "foot1")]
    if None in feet or len(model.bodies) != 2:
        raise SolveError(
            f"{model.name!r} is not a rimless wheel: give the system of trundle.walker.rimless_wheel(...), or call "
            "trundle.study.periodic.find_orbit with a section of your own."
        )
    (x0, _, z0), (x1, _, z1) = (np.asarray(foot.second.position, dtype=float) for foot in feet if foot is not None)
    own, found = float(np.hypot(x0, z0)), round(2 * np.pi / float(np.arctan2(x1 * -z0 - x0 * -z1, x0 * x1 + z0 * z1)))
    if count not in (None, found) or (length is not None and abs(length - own) > 1e-9 * own):
        raise SolveError(f"the wheel has {found} spokes of {own:g} m, not {count or found} of {length or own:g} m.")
    return found, own


@part_of_study()
def outcome(
    system: "System",
    start: Values,
    parameters: Mapping[str, float] | None = None,
    duration: float = 30.0,
) -> str:
    """How the motion of a wheel with all its feet ends.

    Parameters
    ----------
    system : System
        Of a `rimless_wheel` with all its feet.
    start : mapping
    parameters : mapping, optional
        Values by name. Names that are not given have the values of the model.
    duration : float
        Duration of the run (s).

    Returns
    -------
    str
        "walks" or "stops".

    Raises
    ------
    SolveError
        If the run does not reach its end.
    """
    run = system.simulate(duration, start, parameters, rtol=1e-9, atol=1e-11, samples=2)
    if not run.ok:
        raise SolveError(f"the wheel could not be simulated for {duration:g} s. {run.outcome}")
    return STOPS if abs(float(run.values("hub.angle_rate")[-1])) < AT_REST else WALKS


@final
@dataclass(frozen=True)
class Steps:
    """Steps of a wheel with one coefficient of friction."""

    friction: float
    speeds: tuple[float, ...]  # rad/s, just after each landing
    slips: tuple[float, ...]  # m/s, of the foot just after each landing
    ending: str  # "walks" or "falls back"
    events: tuple[tuple[str, float], ...]  # of the last step
    multiplier: float  # of the gait, nan if there is none


def over_friction(
    system: "System",
    frictions: Iterable[float],
    spokes: int | None = None,
    length: float | None = None,
    count: int = 40,
) -> list[Steps]:
    """Walk from the start of the model with several coefficients of friction, and find the gait of each.

    Parameters
    ----------
    system : System
        Of a `rimless_wheel` with friction.
    frictions : iterable of float
        Coefficients.
    spokes, length : int, float, optional
        Number and length (m) of the spokes, to be checked.
    count : int
        Steps to walk.

    Returns
    -------
    list of Steps
        One for each coefficient.
    """
    spokes, length = _spokes(system, spokes, length)
    half = np.pi / spokes
    found = []
    for mu in frictions:
        returns = ReturnMap(system, landing(spokes), {"mu": mu})
        x, speeds, slips, ending = returns.first(), [], [], WALKS
        events: tuple[tuple[str, float], ...] = ()
        for _ in range(count):
            try:
                step = returns(x)
            except SolveError:
                ending = FALLS_BACK
                break
            x, events = step.x, step.events
            at = returns.values(x)
            speeds.append(at["hub.angle_rate"])
            slips.append(at["hub.y_rate"] - length * float(np.cos(half)) * at["hub.angle_rate"])
        multiplier = float("nan")
        if ending == WALKS:
            multiplier = float(abs(find_orbit(system, landing(spokes), returns.values(x), {"mu": mu}).multipliers[0]))
        found.append(Steps(float(mu), tuple(speeds), tuple(slips), ending, events, multiplier))
    return found
