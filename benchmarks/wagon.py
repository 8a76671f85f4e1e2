"""Microseconds a step of a two-axle wagon on a curve, in three track frames, beside one without moving frames whose
four wheels roll on straight rails by exact higher pairs; the two take turns.

python -m benchmarks.wagon [--rounds N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from math import atan, pi
from typing import Any

import trundle as tr
from benchmarks.interleave import interleave, machine_code_at_once
from trundle import rail

MASS, INERTIA, RADIUS, CONICITY, HEAD = 1813.0, (1120.0, 112.0, 1120.0), 0.46, 0.05, 0.3
CAR, CAR_INERTIA, HEIGHT, WHEELBASE = 20e3, (3e4, 2e5, 2.1e5), 1.9, 8.0
STIFFNESS, DAMPING = (5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)
GEOMETRY = rail.ContactGeometry(rail.Profile.cone(CONICITY), rail.Profile.arc(HEAD))
SPEED, DURATION = 30.0, 20.0


def in_track_frames() -> tr.Model:
    """Straight, sine curve and arc of 600 m; S1002 on 60E1, since cones without flanges would leave this curve."""
    line = rail.Alignment([rail.Straight(40), rail.Sine(80, 600, 0.15), rail.Arc(600, 600, 0.15)])
    profiles = rail.ContactGeometry(rail.S1002(), rail.Rail60E1())
    axle = rail.Wheelset(MASS, INERTIA, rail.Contact(profiles, rail.ShenHedrickElkins(0.4)))
    box = rail.AxleBox(rail.Bushing(STIFFNESS, DAMPING))
    wagon = rail.Wagon(rail.CarBody(CAR, CAR_INERTIA, HEIGHT), axle, box, WHEELBASE)
    return rail.Trip(wagon, line, SPEED).model


def on_exact_contacts() -> tr.Model:
    """The same bodies and springs in the ground; cones on cylinders, Hertz's normals, creep with saturation."""
    m = tr.Model("wagon on exact contacts")
    car = m.body("car", mass=CAR, inertia=CAR_INERTIA)
    m.connect(tr.Free(), m.ground, car)
    side = GEOMETRY.side("left")
    weight = 9.81 * (CAR / 4 + MASS / 2)
    stiffness = 1e11
    deep = (weight / stiffness) ** (2 / 3)
    height = RADIUS - deep
    m.start = {"car.position": (0, 0, HEIGHT - deep - 9.81 * CAR / 4 / STIFFNESS[2]), "car.velocity": (SPEED, 0, 0)}
    for axle, x in (("front", WHEELBASE / 2), ("rear", -WHEELBASE / 2)):
        hub, wheels = m.body(f"{axle}_hub", mass=0.0, inertia=0.0), m.body(f"{axle}_axle", mass=MASS, inertia=INERTIA)
        free = tr.Open()
        m.connect(tr.Connection(free, free, free, free, tr.Locked(), free), m.ground, hub, name=axle)
        m.connect(tr.Revolute("y"), hub, wheels, name=f"{axle}_spin")
        m.start |= {f"{axle}.x": x, f"{axle}.z": height, f"{axle}.x_rate": SPEED}
        m.start[f"{axle}_spin.angle_rate"] = SPEED / RADIUS
        for sign, name in ((1.0, "left"), (-1.0, "right")):
            head = m.ground.frame((0, sign * side.rail_origin, -HEAD), ("z", pi / 2))
            pair = tr.HigherPair(tr.Cylinder(HEAD), tr.Cone(RADIUS, -sign * atan(CONICITY)))
            wheel = hub.at(0, sign * side.tape_place, 0)
            press = {"normal": tr.Hertz(stiffness)}
            m.connect(pair, head, wheel, f"{axle}_{name}", tr.Creep(150.0, 0.4), wheel=wheels, compliance=press)
            spring = tr.Bushing(
                hub.at(0, sign, 0), car.at(x, sign, RADIUS - HEIGHT), (*STIFFNESS, 0, 0, 0), (*DAMPING, 0, 0, 0)
            )
            m.apply(spring, name=f"{axle}_spring_{name}")
    return m


def per_step(system: Any, **options: Any) -> Callable[[], float]:
    """Seconds a step (rejected ones count too), from a long run less a short one: the start is not counted."""

    def timed(duration: float) -> tuple[float, int]:
        began = time.process_time()
        run = system.simulate(duration, method="stiff", samples=2, **options)
        seconds = time.process_time() - began
        assert run.ok, run.outcome
        counts = run.trajectory.counts
        return seconds, counts.steps + counts.rejected

    def call() -> float:
        (long, many), (short, few) = timed(DURATION), timed(DURATION / 200)
        return (long - short) / (many - few)

    return call


def main() -> None:
    """Print both, and their ratio."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=15)
    rounds = arguments.parse_args().rounds
    cases = {}
    for name, make in (("track frames", in_track_frames), ("exact contacts", on_exact_contacts)):
        began = time.process_time()
        system = make().build()
        cases[name] = per_step(system, rtol=1e-6)
        cases[name]()  # compiles
        print(f"{name}: built and run once in {time.process_time() - began:.1f} s of processor time")
    found = interleave(cases, rounds)
    for name, seconds in found.items():
        print(f"{name}: {seconds.best * 1e6:.1f} us a step (median {seconds * 1e6:.1f})")
    print(f"ratio {found['track frames'].best / found['exact contacts'].best:.2f}")


if __name__ == "__main__":
    machine_code_at_once()
    main()
