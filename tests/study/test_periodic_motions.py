"""Periodic motions: known periods and multipliers, sections that fire at once, closed loops, and searches without a
result."""

import signal
from contextlib import suppress

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import trundle as tr
from trundle.errors import SolveError, UnknownNameError
from trundle.study.periodic import ReturnMap, Section, find_orbit


def oscillator(law: object, level: float = 0.0, direction: int = 1) -> tr.Model:
    m = tr.Model("oscillator", gravity=(0, 0, 0))
    m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0), law=law)
    m.event("passes", lambda s: s["mass.displacement"] - level, direction)
    return m


def van_der_pol(mu: float) -> tuple[float, float]:
    """Period and multiplier by an independent integration with the variational equation exp(integral of the trace)."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        x, v, _ = y
        return [v, mu * (1 - x**2) * v - x, mu * (1 - x**2)]

    def section(t: float, y: np.ndarray) -> float:
        return float(y[0])

    section.direction = 1  # type: ignore[attr-defined]
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12}
    start = solve_ivp(rates, (0, 200), [2.0, 0.0, 0.0], events=section, **options)
    state = start.y_events[0][-1]
    turn = solve_ivp(rates, (0, 30), [0.0, state[1], 0.0], events=section, **options)
    k = next(i for i, t in enumerate(turn.t_events[0]) if t > 1.0)
    return float(turn.t_events[0][k]), float(np.exp(turn.y_events[0][k][2]))


@pytest.mark.usefixtures("keyboard")
def test_an_interruption_that_a_library_loses_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """As CasADi does while it gets the shape of a matrix from Python."""
    speed = ReturnMap.speed

    def deaf(self: ReturnMap, x: np.ndarray) -> float:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return speed(self, x)

    monkeypatch.setattr(ReturnMap, "speed", deaf)
    system = oscillator(tr.Motor(lambda t, q, u: (1 - q**2) * u - q)).build()
    with pytest.raises(KeyboardInterrupt):
        find_orbit(system, Section("passes"), {"mass.displacement_rate": 1.9}, longest=30.0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
def test_van_der_pol_with_its_start_on_the_section(mu: float) -> None:
    system = oscillator(tr.Motor(lambda t, q, u: mu * (1 - q**2) * u - q)).build()
    orbit = find_orbit(system, Section("passes"), {"mass.displacement_rate": 1.9}, longest=30.0)
    period, multiplier = van_der_pol(mu)
    assert orbit.period == pytest.approx(period, rel=1e-8)
    assert orbit.stable
    assert np.max(np.abs(orbit.multipliers)) == pytest.approx(multiplier, rel=1e-5, abs=1e-9)


def test_a_family_of_periodic_motions() -> None:
    """A pendulum keeps its energy: Newton's matrix is singular, the nearest member is the result."""
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
    m.event("lowest", lambda s: s["bob.angle"], 1)
    orbit = find_orbit(m.build(), Section("lowest"), {"bob.angle_rate": 0.02})
    assert orbit.period == pytest.approx(2 * np.pi / np.sqrt(9.81), rel=1e-4)
    assert np.max(np.abs(orbit.multipliers)) == pytest.approx(1.0, abs=1e-6)


def driven_four_bar(damping: float) -> tr.Model:
    """A crank that turns round with a constant torque against damping, in a closed loop."""
    m = tr.Model("four-bar", gravity=(0, 0, 0))
    lengths = {"a": 0.3, "b": 1.0, "c": 0.8}
    crank, coupler, rocker = (m.body(n, mass=1.0, inertia=0.1, com=(l / 2, 0, 0)) for n, l in lengths.items())
    m.connect(tr.Revolute("z"), m.ground, crank, law=tr.Motor(lambda t, q, u: 1.0 - damping * u))
    m.connect(tr.Revolute("z"), crank.at(0.3, 0, 0), coupler)
    m.connect(tr.Revolute("z"), m.ground.at(0.9, 0, 0), rocker)
    m.connect(tr.Revolute("z"), coupler.at(1.0, 0, 0), rocker.at(0.8, 0, 0), name="pin")
    m.event("turn", lambda s: s["a.angle"] - 2 * np.pi, 1)
    m.start = {"a.angle": 0.0, "a.angle_rate": 1.0 / damping}
    return m


def test_multipliers_of_a_closed_loop_belong_to_its_one_freedom() -> None:
    """Of the six states of the tree one freedom is left: the multiplier is that of the speed of the crank, here by
    differences of runs.
    """
    damping = 0.4
    system = driven_four_bar(damping).build()
    back = {"a.angle": -2 * np.pi, "b.angle": 2 * np.pi}  # the angle of the coupler against the crank unwinds
    orbit = find_orbit(system, Section("turn", shift=back), longest=20.0)
    assert len(orbit.multipliers) == 2 and orbit.stable

    def speed_after(first: float) -> float:
        run = system.simulate(20.0, {"a.angle": 0.0, "a.angle_rate": first}, samples=[0.0], rtol=1e-13, atol=1e-13)
        t = next(t for name, t in run.events if name == "turn")
        again = system.simulate(t, {"a.angle": 0.0, "a.angle_rate": first}, samples=2, rtol=1e-13, atol=1e-13)
        return float(again.values("a.angle_rate")[-1])

    speed, h = orbit.values["a.angle_rate"], 1e-5
    slope = (speed_after(speed + h) - speed_after(speed - h)) / (2 * h)
    assert speed_after(speed) == pytest.approx(speed, abs=1e-9)
    assert np.max(np.abs(orbit.multipliers)) == pytest.approx(abs(slope), rel=1e-5)


def test_invalid_searches_are_reported() -> None:
    system = oscillator(tr.Spring(4.0, 0.1)).build()
    with pytest.raises(UnknownNameError, match="passes"):
        find_orbit(system, Section("pases"))
    with pytest.raises(SolveError, match="section is needed"):
        find_orbit(system, "passes")  # type: ignore[arg-type]
    with pytest.raises(SolveError, match="longest"):
        find_orbit(system, Section("passes"), longest=np.nan)
    with pytest.raises(SolveError, match="ended at rest"):  # it only decays
        find_orbit(system, Section("passes"), {"mass.displacement_rate": 1.0}, iterations=6)
    with pytest.raises(UnknownNameError):
        find_orbit(system, Section("passes", reset={"mass.angle": 0.0}))
