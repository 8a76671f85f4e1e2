"""States with rates of their own: closed forms, hand-written equations, formalisms, methods, lanes, studies."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import trundle as tr
from trundle.equations.kernel_store import MAKERS
from trundle.integrate.case import Case
from trundle.kernel import read_tapes
from trundle.kernel.interpret import interpret
from trundle.study.sensitivity.extended import Extended

FORMALISMS = ("kane", "newton_euler", "udwadia_kalaba")
M, K, C, KS = 2.0, 30.0, 3.0, 20.0  # mass, spring beside, damper and spring in series


def cart(start: float = 0.1) -> tr.Model:
    """A mass on a spring, with a damper in series with another spring beside it: m x'' = -K x - KS d, d' = x' - KS/C d.
    A lag follows its place.
    """
    m = tr.Model("cart", gravity=(0, 0, 0))
    body = m.body("cart", M, 0.1)
    m.connect(tr.Prismatic("x"), m.ground, body)
    wall = m.ground.at(-1, 0, 0)
    m.apply(tr.SpringDamper(wall, body, K, length=1.0), "spring")
    m.apply(tr.SeriesDamper(wall, body, C, KS), "maxwell")
    m.state("filtered", lambda s: (s["cart.displacement"] - s["filtered"]) / 0.3, start=0.2, unit="m", text="place")
    m.start = {"cart.displacement": start}
    return m


A = np.array(  # of (x, v, filtered, deflection)
    [[0, 1, 0, 0], [-K / M, 0, 0, -KS / M], [1 / 0.3, 0, -1 / 0.3, 0], [0, 1, 0, -KS / C]]
)


def tangled(name: str = "tangled") -> tr.Model:
    """A double pendulum in space with everything at once: a controller on its first joint, a lag, a series damper from
    the ground to its end, and a state that a state depends on.
    """
    m = tr.Model(name)
    upper = m.body("upper", 1.0, (0.02, 0.03, 0.04), com=(0.1, 0, -0.4))
    lower = m.body("lower", 0.7, (0.01, 0.02, 0.03), com=(0, 0.1, -0.3))
    m.connect(tr.Revolute("y"), m.ground, upper)
    m.connect(tr.Universal(), upper.at(0.1, 0, -0.8), lower)
    m.apply(tr.SeriesDamper(m.ground.at(1, 0.3, -1), lower.at(0, 0, -0.6), 4.0, 50.0), "strut")
    gain = m.parameter("gain", 5.0)
    m.block(tr.PID(lambda s: 0.4 - s["sensor.output"], gain, 3.0, 0.5, filter_time=0.05), "pid")
    m.block(tr.FirstOrderLag(lambda s: s["upper.angle"], 0.02), "sensor")
    m.apply(tr.CoordinateForce("upper.angle", lambda s: s["pid.output"]), "motor")
    m.state("work", lambda s: s["pid.output"] * s["upper.angle_rate"], unit="J", text="work of the motor")
    m.state("fading", lambda s: s["work"] * tr.sin(3 * s.t) - 2 * s["fading"], start=0.5)
    m.output("doubled", lambda s: 2 * s["fading"] + s["pid.error"])
    m.start = {"upper.angle": 0.3}
    return m


@pytest.fixture(scope="module")
def systems() -> dict[str, tr.System]:
    kane = tangled().build()
    return {formalism: kane.in_formalism(formalism) for formalism in FORMALISMS}


@pytest.mark.parametrize("method", ["order8", "order5", "stiff"])
def test_step_response_of_a_lag(method: str) -> None:
    """y = g (1 - exp(-t / T)) + y0 exp(-t / T), for adaptive and fixed steps."""
    m = cart()
    m.block(tr.FirstOrderLag(lambda s: 2.0, 0.5, gain=3.0, start=-1.0, unit="V"), "lag")
    system = m.build()
    for fixed in (None, 1e-3):
        run = system.simulate(2.0, method=method, rtol=1e-12, steps=tr.Steps(fixed=fixed))
        exact = 6.0 - 7.0 * np.exp(-run.time / 0.5)
        assert np.max(np.abs(run.values("lag.output") - exact)) < 1e-9
        assert np.max(np.abs(run.values("lag.output_rate") - 14.0 * np.exp(-run.time / 0.5))) < 1e-8
    assert run["lag.output"].attrs["units"] == "V" and run["lag.output_rate"].attrs["units"] == "V/s"


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_linear_system_with_states_against_the_exponential(formalism: str) -> None:
    run = cart().build(formalism).simulate(3.0, rtol=1e-12)
    first = np.array([0.1, 0, 0.2, 0])
    exact = np.array([expm(A * t) @ first for t in run.time])
    for i, name in enumerate(["cart.displacement", "cart.displacement_rate", "filtered", "maxwell.deflection"]):
        assert np.max(np.abs(run.values(name) - exact[:, i])) < 1e-10, name
    assert np.max(np.abs(run.values("maxwell.force") + KS * exact[:, 3])) < 1e-9
    assert run.energy.drift < 1e-10
    assert run.values("energy.work_lost")[-1] > 0.01


def test_controlled_mass_against_equations_by_hand() -> None:
    """x'' = (kp e + ki z + kd (e - f) / T) / m, z' = e, f' = (e - f) / T with e = r(t) - x."""
    m = tr.Model("controlled", gravity=(0, 0, 0))
    body = m.body("cart", M, 0.1)
    m.connect(tr.Prismatic("x"), m.ground, body)
    m.block(tr.PID(lambda s: tr.sin(2 * s.t) - s["cart.displacement"], 40.0, 25.0, 6.0, filter_time=0.02), "pid")
    m.apply(tr.CoordinateForce("cart.displacement", lambda s: s["pid.output"]))

    def rates(t: float, y: np.ndarray) -> list[float]:
        x, v, z, f = y
        e = np.sin(2 * t) - x
        return [v, (40 * e + 25 * z + 6 * (e - f) / 0.02) / M, e, (e - f) / 0.02]

    run = m.build().simulate(3.0, rtol=1e-12)
    exact = solve_ivp(rates, (0, 3), np.zeros(4), "DOP853", t_eval=run.time, rtol=1e-12, atol=1e-13).y
    for i, name in enumerate(["cart.displacement", "cart.displacement_rate", "pid.integral", "pid.filtered_error"]):
        assert np.max(np.abs(run.values(name) - exact[i])) < 1e-9, name
    known = tr.PID(lambda s: -s["cart.displacement"], 40.0, kd=6.0, rate=lambda s: -s["cart.displacement_rate"])
    assert not list(known.states())  # with the rate known there is nothing to keep


def test_series_damper_relaxes_and_has_the_theoretical_complex_stiffness() -> None:
    """A step of the ends relaxes with C / KS; a sine sees the stiffness KS i w C / (KS + i w C)."""
    w, amplitude = 5.0, 0.05
    m = tr.Model("shaken", gravity=(0, 0, 0))
    body = m.body("cart", M, 0.1)
    m.connect(tr.Prismatic("x"), m.ground, body, law=tr.Servo(lambda t: amplitude * tr.sin(w * t)))
    m.apply(tr.SeriesDamper(m.ground.at(-1, 0, 0), body, C, KS), "maxwell")
    run = m.build().simulate(4.0, {"maxwell.deflection": 0.03}, rtol=1e-12)
    t, rate = run.time, KS / C
    stiffness = KS * 1j * w * C / (KS + 1j * w * C)
    steady = (stiffness / KS * amplitude * np.exp(1j * w * t)).imag
    exact = steady + (0.03 - steady[0]) * np.exp(-rate * t)
    assert np.max(np.abs(run.values("maxwell.deflection") - exact)) < 1e-11
    assert np.max(np.abs(run.values("maxwell.force") + KS * exact)) < 1e-9
    assert np.max(np.abs(run.values("maxwell.damper_rate") - rate * exact)) < 1e-9
    assert run.energy.drift < 1e-11
    audit = run.power.force("maxwell")
    assert float(np.max(np.abs(audit.lost.values - C * (rate * exact) ** 2))) < 1e-9


def test_formalisms_agree(systems: dict[str, tr.System]) -> None:
    runs = {name: system.simulate(1.5, rtol=1e-13, atol=1e-14) for name, system in systems.items()}
    for name in ("strut.deflection", "pid.integral", "pid.filtered_error", "pid.output", "sensor.output", "work",
                 "fading", "doubled", "fading_rate", "strut.force", "lower.com_position_y"):  # fmt: skip
        reference = runs["kane"].values(name)
        assert np.ptp(reference) > 1e-3
        for other in FORMALISMS[1:]:
            assert np.max(np.abs(runs[other].values(name) - reference)) < 1e-9, (name, other)
    for run in runs.values():
        assert run.energy.drift < 1e-10
        assert np.max(np.abs(run.values("work") - run.values("energy.work_in"))) < 1e-10


def test_stiff_and_fixed_steps(systems: dict[str, tr.System]) -> None:
    kane = systems["kane"]
    reference = kane.simulate(1.0, rtol=1e-12)
    for options in ({"method": "stiff", "rtol": 1e-10}, {"method": "order8", "steps": tr.Steps(fixed=1e-3)}):
        run = kane.simulate(1.0, **options)
        for name in ("strut.deflection", "pid.integral", "fading", "upper.angle"):
            assert np.max(np.abs(run.values(name) - reference.values(name))) < 1e-9, (options, name)


def test_kernels_equal_the_interpreter(systems: dict[str, tr.System]) -> None:
    rng = np.random.default_rng(3)
    for system in systems.values():
        f = system.formulation
        x = f.states.vector(rng.normal(size=f.n_q), rng.normal(size=f.n_u))
        for kind, name in (("base", "rhs"), ("base", "energy"), ("stiff", "jacobian")):
            tape = read_tapes({name: MAKERS[kind](f)[name]})[name]
            expected = interpret(tape, 0.7, x, f.default_parameters)
            found = np.array(f.kernels(kind)[name](0.7, x, f.default_parameters))
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_lanes_equal_single_runs(systems: dict[str, tr.System]) -> None:
    kane = systems["kane"]
    start = {"fading": np.linspace(-1, 1, 5), "upper.angle": np.linspace(0.1, 0.4, 5)}
    gains = np.linspace(3, 7, 5)
    batch = kane.batch(1.0, start, {"gain": gains}, rtol=1e-10)
    assert batch.settings["way"] == "in lanes"
    for i in range(5):
        single = kane.simulate(1.0, {k: v[i] for k, v in start.items()}, {"gain": gains[i]}, rtol=1e-12)
        for name in ("fading", "pid.integral", "strut.deflection", "work"):
            assert abs(batch.end(name)[i] - single.values(name)[-1]) < 1e-8, name


def test_linearised_with_its_states() -> None:
    """The state matrix is the one written by hand; eigenvalues are those of its characteristic equation."""
    linear = cart(0.0).build().linearise({"filtered": 0.0})
    assert linear.names == ("cart.displacement", "cart.displacement_rate", "filtered", "maxwell.deflection")
    np.testing.assert_allclose(linear.matrix, A, atol=1e-12)
    cubic = np.roots([M, M * KS / C, K + KS, K * KS / C])
    exact = np.sort_complex(np.append(cubic, -1 / 0.3))
    np.testing.assert_allclose(np.sort_complex(linear.eigenvalues), exact, atol=1e-11)
    assert linear.steady and not cart().build().linearise().steady


def test_equilibrium_of_states() -> None:
    """An integral in the controller takes the error away: it holds the load by itself."""
    m = tr.Model("held")
    body = m.body("mass", M, 0.1)
    m.connect(tr.Prismatic("z"), m.ground, body)
    m.block(tr.PID(lambda s: 0.2 - s["mass.displacement"], 40.0, 25.0, 8.0, filter_time=0.05), "pid")
    m.apply(tr.CoordinateForce("mass.displacement", lambda s: s["pid.output"]))
    found = m.build().equilibrium()
    assert abs(found["mass.displacement"] - 0.2) < 1e-12 and abs(found["pid.integral"] - 9.81 * M / 25) < 1e-11
    m.state("clock", lambda s: 1.0)
    with pytest.raises(tr.TrundleError, match="'clock' keeps changing, at 1 per second"):
        m.build().equilibrium()


def test_variation_is_the_exponential() -> None:
    f = cart().build().formulation
    x = f.states.vector(np.array([0.1, 0.2, 0.05]), np.array([0.3]))
    order = [0, 3, 1, 2]  # the state is (x, filtered, deflection, v)
    extended, n = Extended(f, (), 4), f.states.n_motion
    case = Case(0.0, 1.3, extended.state(x, np.eye(f.n_x, n)), f.default_parameters)
    found = extended.integrate(case, np.zeros(0), 1e-12, np.full(len(case.x0), 1e-14))[2][:n]
    np.testing.assert_allclose(found[np.ix_(order, order)], expm(A * 1.3), atol=1e-9)


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_events_set_states(formalism: str) -> None:
    """A sawtooth: a state that is reset whenever it reaches one; and the result of a function at events."""
    m = cart()
    rate = m.parameter("rate", 2.0)
    m.state("saw", lambda s: rate)
    m.event("full", lambda s: s["saw"] - 1.0, direction=1, action={"saw": lambda s: s["saw"] - 1.0, "rate": 4.0})
    run = m.build(formalism).simulate(1.1, rtol=1e-11)
    np.testing.assert_allclose([t for _, t in run.events], [0.5, 0.75, 1.0], atol=1e-12)
    assert abs(run.values("saw")[-1] - 0.4) < 1e-11
    m = cart()
    m.state("saw", lambda s: 2.0)
    m.event("full", lambda s: s["saw"] - 1.0, direction=1)
    seen = []

    def answer(name: str, t: float, state: dict[str, Any]) -> dict[str, float]:
        seen.append(state["saw"])
        return {"saw": 0.5}

    run = m.build(formalism).simulate(1.1, rtol=1e-11, on_event=answer)
    assert len(seen) == 3 and abs(seen[0] - 1.0) < 1e-12 and abs(run.values("saw")[-1] - 0.7) < 1e-11


def test_files_keep_states(systems: dict[str, tr.System], tmp_path: Path) -> None:
    run = systems["newton_euler"].simulate(0.2)
    run["doubled"], run["fading_rate"]
    back = tr.load(run.save(tmp_path / "run.nc"))
    for name in ("fading", "work", "pid.integral", "strut.deflection", "doubled", "fading_rate"):
        assert np.array_equal(back.values(name), run.values(name))
        assert back[name].attrs == run[name].attrs
    assert back["work"].attrs == {"units": "J", "long_name": "work of the motor"}
    again = systems["kane"].simulate(0.2, json.loads(run.dataset.attrs["start"]))
    assert abs(again.values("fading")[-1] - run.values("fading")[-1]) < 1e-10


def test_pickles_and_keys() -> None:
    system = tangled().build()
    twin = pickle.loads(pickle.dumps(system))
    assert twin.spec == system.spec == tangled().build().spec
    assert np.array_equal(twin.simulate(0.1).values("fading"), system.simulate(0.1).values("fading"))
    copy = pickle.loads(pickle.dumps(tangled()))
    assert copy.build().spec == system.spec

    def key(rate: float, start: float = 0.0) -> str:
        m = cart()
        m.state("z", lambda s: rate * s["z"], start)
        return m.build().spec.key

    assert key(1.0) == key(1.0) and len({key(1.0), key(2.0), key(1.0, 0.1)}) == 3


def test_states_and_blocks_are_described() -> None:
    text = tangled().build().describe()
    assert "Blocks: pid (PID), sensor (FirstOrderLag)." in text
    assert "States with rates of their own: work (J), fading, pid.integral, pid.filtered_error, sensor.output" in text


def test_start_values() -> None:
    system = cart().build()
    assert system.start().q[system.formulation.layout.own_slice] == pytest.approx([0.2, 0.0])
    given = system.start({"filtered": 1.5, "maxwell.deflection": -0.01})
    assert given.q[system.formulation.layout.own_slice] == pytest.approx([1.5, -0.01])
    m = cart()
    m.start |= {"filtered": 0.7}
    assert m.build().start().q[1] == 0.7
