"""Comparison of all contact laws on one driven wheel: python -m trundle.examples.every_law -o wheel.png

The torque on the wheel jumps above the limit of dry friction, and back: the wheel sticks, spins, and sticks again.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.contact import (
    BrushTyre,
    Coulomb,
    Creep,
    LuGre,
    MagicTyre,
    NoSlip,
    RegularisedCoulomb,
    Relaxed,
    Stribeck,
)
from trundle.errors import TrundleError
from trundle.laws.law import Law
from trundle.math import tanh
from trundle.model.frame_forces import Wrench
from trundle.model.model import Model
from trundle.pairs.planar import Circle, Line, PlanarPair
from trundle.system import System
from trundle.typing import Expr, Option

if TYPE_CHECKING:
    from trundle.run.run import Run

MASS, RADIUS, INERTIA, WEIGHT = 25.0, 0.3, 1.125, 25.0 * 9.81  # kg, m, kg m^2 (a solid disc), N
EFFECTIVE_MASS = 1 / (1 / MASS + RADIUS**2 / INERTIA)  # kg, seen by a force at the contact
SPEED, DURATION = 3.0, 4.0  # m/s at the start, s
EXACT = "Coulomb"

PARAMETERS = {
    "mu": (0.3, "", "coefficient of friction while it slides"),
    "peak": (1.1, "", "ratio of static to sliding friction coefficient, for laws that have both"),
    "v0": (1e-2, "m/s", "slip at which friction is nearly fully developed (RegularisedCoulomb, Stribeck)"),
    "bristles": (1e4, "1/m", "stiffness of the bristles relative to the normal force (LuGre)"),
    "creep": (100.0, "", "slope of friction over creepage (Creep)"),
    "tread": (15.0, "", "slip stiffness relative to the normal force (BrushTyre, MagicTyre)"),
    "k_s": (1.0, "", "how soon the constraint is relaxed (Relaxed)"),
    "k_f": (1.0, "", "how soon friction takes its place (Relaxed)"),
    "relaxed_v0": (1.0, "m/s", "slip at which that friction is nearly fully developed (Relaxed)"),
}


LAWS: dict[str, Callable[[Mapping[str, Expr]], Law]] = {
    "NoSlip": lambda p: NoSlip(),
    "Coulomb": lambda p: Coulomb(p["peak"] * p["mu"], p["mu"]),
    "Stribeck": lambda p: Stribeck(p["peak"] * p["mu"], p["mu"], stribeck_speed=10 * p["v0"], v0=p["v0"]),
    "RegularisedCoulomb": lambda p: RegularisedCoulomb(p["mu"], p["v0"]),
    "LuGre": lambda p: LuGre(p["peak"] * p["mu"], p["mu"], stiffness=p["bristles"], damping=3.0),
    "Creep": lambda p: Creep(p["creep"], p["mu"]),
    "Relaxed": lambda p: Relaxed(p["mu"], p["k_s"], p["k_f"], v0=p["relaxed_v0"]),
    "BrushTyre": lambda p: BrushTyre(p["mu"], p["tread"]),
    "MagicTyre": lambda p: MagicTyre(
        p["peak"] * p["mu"], p["mu"], p["tread"], p["tread"], relaxation_x=0.3, relaxation_y=0.3
    ),
}
"""Each law from the parameters of the model."""


def torque(t: Expr) -> Expr:
    """5 N m, and 60 N m between 1 and 2 s; dry friction with mu = 0.3 holds the wheel up to 33 N m."""
    return 5 + 27.5 * (tanh((t - 1) / 0.05) - tanh((t - 2) / 0.05))


def wheel(law: str, model: Model | None = None, **options: Option) -> Model:
    """The driven wheel with the law of that name, in a new model unless given; options are those of the contact."""
    model = Model("driven wheel") if model is None else model
    given = {name: model.parameter(name, *arguments) for name, arguments in PARAMETERS.items()}
    body = model.body("wheel", MASS, (INERTIA / 2, INERTIA, INERTIA / 2))
    pair = PlanarPair(Line(), Circle(RADIUS))
    model.connect(pair, model.ground, body, name="road", law=LAWS[law](given), **options)
    model.start = {"wheel.position": (0, 0, RADIUS), "wheel.velocity": (SPEED, 0, 0)}
    model.start["wheel.angular_velocity"] = (0, SPEED / RADIUS, 0)
    model.apply(Wrench(body, moment=lambda s: (0, torque(s["t"]), 0)), name="axle")
    return model


def roll(system: System, parameters: Mapping[str, float] | None = None, **options: Option) -> "Run":
    """A run of the wheel; smooth friction is stiff."""
    law = system.model.connections["road"].friction
    stiff = law is not None and not law.sticks and not law.relaxes
    given = {"duration": DURATION, "method": "stiff" if stiff else "auto", **options}
    return system.simulate(parameters=parameters, **given)


@final
@dataclass(frozen=True)
class Row:
    """Results of one law."""

    law: str
    distance: float  # m at the end
    slip: float  # m/s at the end
    most_slip: float  # m/s
    over_limit: float  # largest traction over mu N
    lost: float  # J
    steps: int
    milliseconds: float


def row(law: str, run: "Run", seconds: float = 0.0) -> Row:
    """The numbers of a run."""
    slip, traction = run.values("road.slip_x"), run.values("road.slip_force_x")
    assert run.trajectory is not None
    return Row(
        law,
        float(run.values("wheel.position")[-1, 0]),
        float(slip[-1]),
        float(np.max(np.abs(slip))),
        float(np.max(np.abs(traction)) / (PARAMETERS["mu"][0] * WEIGHT)),
        float(run.energy.work_lost[-1]),
        run.trajectory.counts.steps,
        1e3 * seconds,
    )


def compare() -> dict[str, tuple["Run", Row]]:
    """Every law on the same wheel; the time is that of a second run."""
    found = {}
    for law in LAWS:
        system = wheel(law).build()
        run = roll(system, samples=2001)
        begin = perf_counter()
        roll(system, samples=2)
        found[law] = run, row(law, run, perf_counter() - begin)
    return found


def table(rows: list[Row]) -> str:
    """The rows as text, with differences from the exact law."""
    exact = next(r for r in rows if r.law == EXACT)
    lines = [
        f"{'law':18} {'distance':>9} {'- exact':>10} {'slip':>10} {'most slip':>10} {'lost':>9} {'- exact':>10} "
        f"{'traction':>9} {'steps':>6} {'time':>8}",
        f"{'':18} {'m':>9} {'m':>10} {'m/s':>10} {'m/s':>10} {'J':>9} {'J':>10} {'/ (mu N)':>9} {'':6} {'ms':>8}",
    ]
    lines += [
        f"{r.law:18} {r.distance:9.5f} {r.distance - exact.distance:10.1e} {r.slip:10.1e} {r.most_slip:10.4f} "
        f"{r.lost:9.3f} {r.lost - exact.lost:10.1e} {r.over_limit:9.4f} {r.steps:6d} {r.milliseconds:8.2f}"
        for r in rows
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run every law, print the differences, and draw."""
    parser = argparse.ArgumentParser(
        prog="python -m trundle.examples.every_law",
        description="One driven wheel with every law of contact: what each does, and how far from exact Coulomb.",
        epilog="example: python -m trundle.examples.every_law -o every_law.png",
    )
    parser.add_argument("-o", "--output", type=Path, help="picture to write (png, svg, pdf)")
    parser.add_argument("--limits", action="store_true", help="print how fast each law tends to its limit, and end")
    arguments_given = parser.parse_args(arguments)
    try:
        if arguments_given.limits:
            from trundle.examples.law_limits import limit_table, limits

            print(limit_table(limits()))
            return
        runs = compare()
        print(table([numbers for _, numbers in runs.values()]))
        if arguments_given.output is not None:
            from trundle.examples.law_picture import draw

            draw({law: run for law, (run, _) in runs.items()}, arguments_given.output)
            print(f"picture: {arguments_given.output}")
    except TrundleError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
