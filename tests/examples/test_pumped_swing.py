"""A swing that is pumped by a table of measured values, against equations by hand."""

import csv

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import trundle as tr
from trundle import examples

L, M1, M2, J1, J2, H, C, G = 2.2, 25.0, 35.0, 1.0, 2.5, 0.35, 5.0, 9.81


def lean() -> CubicSpline:
    with (examples.FOLDER / "pumped-swing.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))[1:]
    t, a = np.array(rows, float).T
    return CubicSpline(t, a, bc_type="periodic")


def by_hand(angle: CubicSpline, times: np.ndarray, start: float) -> np.ndarray:
    """Lagrange's equation of the ropes, with T = (A + B)/2 w^2 + ... of seat and trunk; the lean is given."""
    A, B, D = J1 + (M1 + M2) * L**2, J2 + M2 * H**2, M2 * L * H

    def rates(t: float, y: np.ndarray) -> list[float]:
        q, u = y
        a, v, w = (float(angle(t, k)) for k in range(3))
        moment = -B * w + D * (np.cos(a) * w - np.sin(a) * v * (2 * u + v)) - C * u
        moment += -(M1 + M2) * G * L * np.sin(q) + M2 * G * H * np.sin(q + a)
        return [u, moment / (A + B - 2 * D * np.cos(a))]

    out, state, t0, knots = [start], np.array([start, 0.0]), 0.0, angle.x[1:]
    for t1 in times[1:]:
        turns = np.floor(t0 / knots[-1])
        stops = [s for k in (turns, turns + 1) for s in knots + k * knots[-1] if t0 + 1e-9 < s < t1 - 1e-9]
        for stop in (*stops, t1):
            state = solve_ivp(rates, (t0, stop), state, "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
            t0 = stop
        out.append(state[0])
    return np.array(out)


@pytest.fixture(scope="module")
def system() -> tr.System:
    return examples.model("pumped-swing").build()


def test_the_swing_moves_as_by_hand(system: tr.System) -> None:
    times = np.linspace(0, 9, 10)
    run = system.simulate(9.0, samples=times)
    assert run.values("rider.angle") == pytest.approx(lean()(times), abs=1e-12)
    assert run.values("seat.angle") == pytest.approx(by_hand(lean(), times, 0.05), abs=1e-9)


def test_pumping_raises_the_swing(system: tr.System) -> None:
    """The rider supplies the energy that the swing gains and the damper dissipates; another lean (none) lets it die."""
    run = system.simulate(60.0, rtol=1e-8)
    angle = np.abs(run.values("seat.angle"))
    assert angle[-60:].max() > 4 * angle[0] and run.energy.drift < 1e-4
    still = tr.Table([0.0, 1.0, 2.0], [0.0, 0.0, 0.0], beyond="repeat")
    quiet = system.simulate(60.0, rtol=1e-8, tables={"lean": still})
    assert np.abs(quiet.values("seat.angle")[-60:]).max() < 0.04
