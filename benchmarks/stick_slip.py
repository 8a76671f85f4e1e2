"""A block on a shaken plate that sticks and slips: seconds and error of the times of transition, against the peers.

python -m benchmarks.stick_slip

The plate moves by a sin(w t); the block lies on it and begins at rest. Trundle prescribes the motion of the plate and
finds every transition by a search inside its compiled loop, which does not return to Python for it. The peers step
with 1e-4 s: Exudyn with its compiled bristle element for dry friction, Siconos with Moreau and Jean's time stepping.
Their plate is an oscillator 1e9 times as heavy as the block, so that neither calls Python in a step; the block disturbs
it by less than 1e-7 of its way. Their transition is the end of the first step that is in the new state. The law of
Siconos has one coefficient of friction, so it runs the second case only.

Exudyn comes with `pip install 'trundle[peers]'`. Pip found no Siconos when this was written; Debian has it
(`apt install python3-siconos`), and SICONOS_PYTHON names the interpreter that imports it (else /usr/bin/python3).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from math import asin, cos, pi, sin

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import trundle as tr
from benchmarks import peers
from benchmarks.interleave import interleave, machine_code_at_once
from benchmarks.peers import siconos_stick_slip as siconos
from benchmarks.reference import DURATION, GRAVITY
from trundle.system import System

STEP = 1e-4  # s, of the peers
ROUND_OFF = 1e-14  # s: errors below cannot be told from those of the closed form

Times = tuple[NDArray[np.float64], NDArray[np.float64]]  # when it stops to slide, when it slips again


@dataclass(frozen=True)
class Case:
    """The motion of the plate and the two coefficients of friction."""

    amplitude: float = 0.1  # m
    rate: float = 6.0  # rad/s
    mu_static: float = 0.3
    mu_kinetic: float = 0.3

    def __str__(self) -> str:
        return f"mu {self.mu_static:g} / {self.mu_kinetic:g}"


TWO_COEFFICIENTS = Case(mu_static=0.33, mu_kinetic=0.2)
ONE_COEFFICIENT = Case()


@cache
def exact(case: Case) -> Times:
    """Times of transition, piece by piece: sticking ends in closed form, sliding at the root of one equation."""
    a, w, hold, drag = case.amplitude, case.rate, case.mu_static * GRAVITY, case.mu_kinetic * GRAVITY
    stops, slips = [], []
    t, v, side = 0.0, 0.0, -1.0  # the plate starts ahead of the block

    def slip(s: float) -> float:
        return v - side * drag * (s - t) - a * w * cos(w * s)

    while True:
        ahead = np.arange(t + 1e-7, DURATION, STEP)
        across = np.flatnonzero(np.diff(np.sign([slip(s) for s in ahead])))
        if not len(across):
            break
        t = brentq(slip, ahead[across[0]], ahead[across[0] + 1], xtol=1e-15, rtol=1e-15)
        stops.append(t)
        if a * w**2 * abs(sin(w * t)) <= hold:
            limit = asin(hold / (a * w**2))
            phase = w * t % pi
            t += ((limit if phase <= limit else pi + limit) - phase) / w
            if t > DURATION:
                break
            slips.append(t)
        v, side = a * w * cos(w * t), float(np.sign(sin(w * t)))
    return np.array(stops), np.array(slips)


def errors(case: Case, found: Times) -> NDArray[np.float64]:
    """Distance of every exact transition from the nearest one of its kind that was found."""
    pairs = zip(exact(case), found, strict=True)
    return np.concatenate([np.min(np.abs(true[:, None] - near), axis=1, initial=np.inf) for true, near in pairs])


@cache
def system(case: Case) -> System:
    """Built once."""
    m = tr.Model("block on a plate")
    plate, block = m.body("plate", 10.0, (1, 1, 1)), m.body("block", 1.0, (0.01, 0.01, 0.01))
    m.connect(tr.Prismatic("x"), m.ground, plate, law=tr.Servo(lambda t: case.amplitude * tr.sin(case.rate * t)))
    upright = dict.fromkeys(("roll_x", "roll_y", "spin"), tr.Locked())
    law = {"friction": tr.Coulomb(case.mu_static, case.mu_kinetic), **upright}
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), plate, block, name="foot", law=law)
    m.start |= {"block.position": (0, 0, 0), "block.velocity": (0, 0, 0)}
    return m.build()


def seconds(case: Case) -> float:
    """Ten seconds with everything a user gets by default: start state, 501 samples, events, ending."""
    built = system(case)
    begin = time.perf_counter()
    built.simulate(DURATION)
    return time.perf_counter() - begin


def times(case: Case) -> Times:
    """Transitions as Trundle finds them."""
    events = system(case).simulate(DURATION).events
    stops, slips = ([t for name, t in events if name == f"foot {kind}"] for kind in ("stops", "slips"))
    return np.array(stops), np.array(slips)


def table(rounds: int, say: Callable[[str], None] = print) -> None:
    """Both cases; the codes take turns."""
    exudyn, with_siconos = peers.load("exudyn", "stick_slip"), siconos.installed()
    for case in (TWO_COEFFICIENTS, ONE_COEFFICIENT):
        codes: dict[str, tuple[Callable[[Case], float], Callable[[Case], Times]]] = {"trundle": (seconds, times)}
        if exudyn is not None:
            codes["exudyn"] = exudyn.seconds, exudyn.times
        if with_siconos and case is ONE_COEFFICIENT:
            codes["siconos"] = siconos.seconds, siconos.times
        transitions = {name: find(case) for name, (_, find) in codes.items()}  # also compiles
        cost = interleave({name: partial(clock, case) for name, (clock, _) in codes.items()}, rounds)
        count = sum(map(len, exact(case)))
        say(f"Block on a shaken plate, {case}, {DURATION:g} s, {count} transitions (peers: step {STEP:g} s)")
        own = errors(case, transitions["trundle"])
        for name, found in transitions.items():
            off = errors(case, found)
            row = f"    {name:<10} {cost[name] * 1e3:8.2f} ms, {sum(map(len, found))} found, error of their times "
            row += f"median {np.median(off):.1e} s, largest {off.max():.1e} s"
            if name != "trundle":
                gain = np.median(off) / max(float(np.median(own)), ROUND_OFF)
                row += f"   x{cost[name] / cost['trundle']:.0f} the time, x{gain:.0e} the median error"
            say(row)


if __name__ == "__main__":
    machine_code_at_once()
    table(7)
