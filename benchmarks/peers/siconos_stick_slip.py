"""Siconos: the block on a shaken plate by Moreau and Jean's time stepping, in the interpreter that has Siconos.

It comes with Debian (python3-siconos), not with pip, and needs the numpy it was built with. So this file is also a
program, which that interpreter runs and which prints its result as one line of JSON.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import astuple
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from benchmarks.stick_slip import Case, Times

HEAVY = 1e9  # mass of the plate over that of the block
THETA = 0.5  # the midpoint rule keeps the energy of the plate
STILL_SLIP = 1e-9  # m/s: where it sticks the slip is zero but for round-off
INTERPRETER = os.environ.get("SICONOS_PYTHON", "/usr/bin/python3")


def installed() -> bool:
    """Whether the interpreter is there and imports Siconos; one line on the terminal where not."""
    try:
        found = subprocess.run([INTERPRETER, "-c", "import siconos.kernel"], capture_output=True).returncode == 0
    except OSError:
        found = False
    if not found:
        print(f"siconos: {INTERPRETER} does not import it: apt install python3-siconos, or set SICONOS_PYTHON")
    return found


def seconds(case: "Case") -> float:
    """Ten seconds in the compiled loop of Siconos, without any output."""
    return float(_ask(case, "seconds"))


@cache
def times(case: "Case") -> "Times":
    """Ends of the first steps in which the block sticks, and slides."""
    stops, slips = _ask(case, "times")
    return np.array(stops), np.array(slips)


def _ask(case: "Case", what: str) -> Any:
    from benchmarks.reference import DURATION, GRAVITY
    from benchmarks.stick_slip import STEP

    if case.mu_static != case.mu_kinetic:
        raise ValueError("the friction of Siconos has one coefficient; it cannot run a case with two")
    request = json.dumps([what, STEP, DURATION, GRAVITY, *astuple(case)[:3]])
    done = subprocess.run([INTERPRETER, __file__, request], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _stepper(step: float, end: float, gravity: float, amplitude: float, rate: float, mu: float) -> tuple[Any, Any, Any]:
    """Way and height of the block, way of the plate: the time stepping, the system, and what must stay alive."""
    kernel: Any = import_module("siconos.kernel")
    mass, stiffness = np.diag([1.0, 1.0, HEAVY]), np.diag([0.0, 0.0, HEAVY * rate**2])
    start = np.array([0.0, 0.0, amplitude * rate])
    bodies = kernel.LagrangianLinearTIDS(np.zeros(3), start, mass, stiffness, np.zeros((3, 3)))
    weight = np.array([0.0, -gravity, 0.0])
    bodies.setFExtPtr(weight)
    relation = kernel.LagrangianLinearTIR(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, -1.0]]))
    contact = kernel.Interaction(kernel.NewtonImpactFrictionNSL(0.0, 0.0, mu, 2), relation)
    model = kernel.NonSmoothDynamicalSystem(0.0, end)
    model.insertDynamicalSystem(bodies)
    model.link(contact, bodies)
    grid = kernel.TimeDiscretisation(0.0, step)
    stepper = kernel.TimeStepping(model, grid, kernel.MoreauJeanOSI(THETA), kernel.FrictionContact(2))
    return stepper, bodies, (weight, relation, contact, model, grid)


def _run(what: str, *numbers: float) -> Any:
    stepper, bodies, _kept = _stepper(*numbers)
    if what == "seconds":
        start = time.perf_counter()
        stepper.run()
        return time.perf_counter() - start
    ends, sticks = [], []
    while stepper.hasNextEvent():
        stepper.computeOneStep()
        speed = bodies.velocity()
        ends.append(stepper.nextTime())
        sticks.append(abs(speed[0] - speed[2]) < STILL_SLIP)
        stepper.nextStep()
    change, at = np.diff(np.array(sticks, dtype=int)), np.array(ends)[1:]
    return [at[change == 1].tolist(), at[change == -1].tolist()]


if __name__ == "__main__":
    print(json.dumps(_run(*json.loads(sys.argv[1]))))
