"""How a vehicle travels along a line: the distance of its track frames over time, with speed and acceleration."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.laws.signals import NamedSignals
from trundle.lookup.table import Table
from trundle.model.model import Model
from trundle.typing import AnyArray, Array, Expr

FOLLOWING = 3.0  # 1/s, how fast the track frames of a free vehicle follow it
STANDSTILL = 0.1  # m/s
LOOKS = 2001  # times at which a speed over time is evaluated
START = "start_distance"  # parameter of every ride


@final
class Start(NamedTuple):
    """A number at the start, and the same as an expression of parameters, which follows the values of a run."""

    value: float
    symbol: Expr

    def ahead(self, by: float) -> "Start":
        """The same, further ahead by a distance (m)."""
        return Start(self.value + by, self.symbol + by)


@final
class Travel(NamedTuple):
    """Motion along the track as functions of the signals, and how it starts."""

    distance: Callable[[NamedSignals], Expr]  # m
    speed: Callable[[NamedSignals], Expr]  # m/s
    acceleration: Callable[..., Expr]  # m/s^2; may use rates of states, `s.rate`
    first_distance: Start  # m
    first_speed: Expr  # m/s, an expression of parameters


class TravelLaw(ABC):
    """A law of travel: adds its parameters and states to a model."""

    held = True  # whether vehicles keep their place in the frames; else these follow the vehicle

    @abstractmethod
    def speed_at_start(self) -> float:
        """Speed at t = 0 (m/s)."""

    @abstractmethod
    def speed_after(self, way: Array) -> Array:
        """Speeds (m/s) after distances from the start (m), as far as they are known; zero beyond a standstill.

        Parameters
        ----------
        way : array
            Distances from the start (m).

        Returns
        -------
        array
        """

    def time_for(self, way: float) -> float:
        """Time (s) in which a distance (m) is covered, or up to a standstill before; infinite where not known.

        Parameters
        ----------
        way : float
            Distance from the start (m).

        Returns
        -------
        float
        """
        return float("inf")

    @abstractmethod
    def add(self, model: Model, start: Start) -> Travel:
        """Put it into a model; the reference point starts at a distance (m).

        Parameters
        ----------
        model : Model
            To which it is added.
        start : Start
            Distance at the start (m).

        Returns
        -------
        Travel
        """


@final
@dataclass(frozen=True)
class UniformTravel(TravelLaw):
    """A speed (m/s) and a constant acceleration (m/s^2); both are parameters of a run."""

    speed: float
    acceleration: float = 0.0

    def speed_at_start(self) -> float:
        return self.speed

    def speed_after(self, way: Array) -> Array:
        return np.sqrt(np.maximum(self.speed**2 + 2 * self.acceleration * np.maximum(way, 0.0), 0.0))

    @staticmethod
    def times(speed: AnyArray, acceleration: AnyArray, way: AnyArray) -> AnyArray:
        """Times (s) in which distances (m) are covered, or up to a standstill before.

        Parameters
        ----------
        speed, acceleration, way : array
            m/s, m/s^2 and m.

        Returns
        -------
        array
        """
        v, a = speed, acceleration
        with np.errstate(divide="ignore", invalid="ignore"):
            root = v**2 + 2 * a * way
            found = np.where(root < 0, -v / a, (np.sqrt(np.maximum(root, 0.0)) - v) / a)
        return np.where(a == 0, way / v, found)

    def add(self, model: Model, start: Start) -> Travel:
        v = _speed_parameter(model, self.speed)
        model.parameter("acceleration", self.acceleration, "m/s^2", "acceleration along the track")
        return Travel(
            lambda s: s[START] + s["speed"] * s.t + s["acceleration"] * s.t**2 / 2,
            lambda s: s["speed"] + s["acceleration"] * s.t,
            lambda s: s["acceleration"],
            start,
            v,
        )


@final
@dataclass(frozen=True, eq=False)
class SpeedOverTime(TravelLaw):
    """A speed (m/s) that is a function of time, `lambda s: 20.0 + tr.sin(s.t)`, or a table over it; the distance is
    the state `track_distance`.
    """

    function: Callable[[NamedSignals], Expr] | Table

    def speed_at_start(self) -> float:
        return self.at(0.0)

    def speed_after(self, way: Array) -> Array:
        _, v, gone = self._course(float(np.max(way)))
        return np.interp(np.maximum(way, 0.0), gone, v)

    def time_for(self, way: float) -> float:
        from scipy.optimize import brentq

        t, v, gone = self._course(way)
        if v[-1] <= 0:
            return float(brentq(self.at, t[-2], t[-1], xtol=1e-12)) if v[-1] < 0 else float(t[-1])
        return float(np.interp(way, gone[-2:], t[-2:])) if gone[-1] >= way else float("inf")

    def _course(self, way: float) -> tuple[Array, Array, Array]:
        """Times, speeds and distances until a distance (m) is covered, or up to a standstill."""
        span = way / self.speed_at_start()
        for _ in range(8):
            t = np.linspace(0.0, span, LOOKS)
            v = np.array([self.at(float(one)) for one in t])
            gone = np.concatenate([[0.0], np.cumsum((v[1:] + v[:-1]) / 2 * np.diff(t))])
            ends = np.flatnonzero((v <= 0) | (gone >= way))
            if len(ends):
                break
            span *= 2
        last = int(ends[0]) + 1 if len(ends) else LOOKS
        return t[:last], v[:last], gone[:last]

    def at(self, t: float) -> float:
        """m/s at a time (s).

        Parameters
        ----------
        t : float
            Time (s).

        Returns
        -------
        float
        """
        try:
            return float(self.function(t) if isinstance(self.function, Table) else self.function(_At(t)))
        except (TypeError, RuntimeError) as error:
            raise ModelError(
                f"the speed must be a number (m/s) at every time s.t; at {t:g} s it is not: {error}."
            ) from error

    def add(self, model: Model, start: Start) -> Travel:
        given = self.function
        table = model.table("speed_over_time", given) if isinstance(given, Table) else None

        def speed(s: NamedSignals) -> Expr:
            return table(s.t) if table is not None else given(_At(s.t))

        def acceleration(s: NamedSignals) -> Expr:
            t = ca.SX.sym("t")
            return ca.substitute(derivative(ca.SX(speed(_At(t))), t), t, s.t)

        text = "distance of the track frames' reference point along the track"
        model.state("track_distance", speed, start.value, "m", text)
        model.start["track_distance"] = start.symbol
        return Travel(lambda s: s["track_distance"], speed, acceleration, start, self.speed_at_start())


@final
@dataclass(frozen=True, eq=False)
class Free(TravelLaw):
    """A vehicle with free speed: it starts at a speed (m/s, a parameter) and moves under its forces.

    Traction (N) is shared by all axles as moments on them, with its reaction on the track; negative, it brakes. It is a
    number or a function of the signals; `s["track_speed"]` and `s["track_distance"]` are those of the track frames,
    which follow the vehicle: V' = n^2 x + 2 n x', with the place x of its car in its frame (`leader`), a critically
    damped motion whose acceleration overshoots by 14 % after a sudden change. The motion of the vehicle does not depend
    on n (`following`, 1/s). A trip has the outputs `distance` and `vehicle_speed` of the vehicle itself. At 0.1 m/s,
    and at the end of the line, the run ends.

    Parameters
    ----------
    speed : float
        At the start (m/s).
    traction : float, expression or function of the signals
        Of all axles together (N).
    following : float
        n (1/s).
    leader : str
        Coordinate that the frames follow.
    """

    speed: float
    traction: Expr = 0.0
    following: float = FOLLOWING
    leader: str = "car.x"

    held = False

    def speed_at_start(self) -> float:
        return self.speed

    def speed_after(self, way: Array) -> Array:
        """That at the start: traction, brakes and gradients may change it."""
        return np.full(np.shape(way), float(self.speed))

    def add(self, model: Model, start: Start) -> Travel:
        return self.follow(model, "track", start, Start(self.speed, _speed_parameter(model, self.speed)))

    def follow(self, model: Model, name: str, start: Start, speed: Start) -> Travel:
        """Frames that follow the leader, by the states `name_distance` and `name_speed`.

        Parameters
        ----------
        model : Model
            To which the states are added.
        name : str
            With which their names begin.
        start : Start
            Distance at the start (m).
        speed : Start
            Speed at the start (m/s).

        Returns
        -------
        Travel
        """
        n, leader, at, v = self.following, self.leader, f"{name}_distance", f"{name}_speed"
        model.state(at, lambda s: s[v], start.value, "m", f"distance of the frames that follow {leader}")
        model.state(
            v,
            lambda s: n**2 * s[leader] + 2 * n * s[f"{leader}_rate"],  # critically damped
            speed.value,
            "m/s",
            f"speed of the frames that follow {leader}",
        )
        model.start |= {at: start.symbol, v: speed.symbol}
        return Travel(lambda s: s[at], lambda s: s[v], lambda s: s.rate(v), start, speed.symbol)


def _speed_parameter(model: Model, speed: float) -> Expr:
    return model.parameter("speed", speed, "m/s", "speed along the track at the start")


@final
class _At:
    """Signals that consist of the time only."""

    def __init__(self, t: Expr) -> None:
        self.t = t

    def __getitem__(self, name: str) -> Expr:
        raise ModelError(
            f"the speed depends on {name!r}; it may depend on the time s.t only. For a free speed see rail.Free."
        )
