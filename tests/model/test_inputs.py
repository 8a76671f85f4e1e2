"""Inputs: signals of time given to a run, against parameters, tables of time, differences and closed forms."""

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest
import xarray as xr
from carts import START, apart, cart_and_pole, system

import trundle as tr
from trundle.errors import ModelError, SolveError, UnknownNameError
from trundle.lookup.signal import sampled
from trundle.system import System


def rough(between: str, seed: int = 0) -> tr.Table:
    values = np.random.default_rng(seed).normal(size=21)
    return tr.Table(np.linspace(0, 2, 21), values, between=between)


def test_a_constant_input_is_a_parameter() -> None:
    m = tr.Model("cart and pole")
    k = m.parameter("force", 0.0)
    by_parameter = cart_and_pole(lambda t, q, u: k, m).simulate(2.0, START, {"force": 1.5})
    by_input = system().simulate(2.0, START, inputs={"force": 1.5})
    assert apart(by_input, by_parameter) == 0.0
    assert apart(system().simulate(2.0, START, {"force": 1.5}), by_parameter) == 0.0


@pytest.mark.parametrize(("between", "off"), [("linear", 1e-13), ("previous", 1e-13), ("cubic", 1e-6)])
def test_a_signal_is_a_table_of_time(between: str, off: float) -> None:
    """Kinks end steps as those of the table do; of a cubic its third derivative jumps, which error control bounds."""
    m, given = tr.Model("cart and pole"), rough(between)
    table = m.table("force", given)
    by_table = cart_and_pole(lambda t, q, u: table(t), m).simulate(2.0, START)
    by_input = system().simulate(2.0, START, inputs={"force": given})
    assert apart(by_input, by_table) < off
    assert by_input.values("force") == pytest.approx(given(by_input.time), abs=1e-14)


@pytest.mark.parametrize("formalism", ["newton_euler", "udwadia_kalaba"])
def test_formalisms_and_methods_agree(formalism: str) -> None:
    given = {"force": rough("linear")}
    by_kane = system().simulate(2.0, START, inputs=given)
    assert apart(system().simulate(2.0, START, inputs=given, formalism=formalism), by_kane) < 1e-7
    assert apart(system().simulate(2.0, START, inputs=given, method="stiff"), by_kane) < 1e-7


@cache
def pushed() -> System:
    m = tr.Model("mass")
    body = m.body("b", mass=2.0, inertia=0.1)
    m.connect(tr.Prismatic("x"), m.ground, body, law=tr.Motor(m.input("push")))
    return m.build()


def test_a_function_of_time_and_its_jumps() -> None:
    """u = 1 until t = 0.7, then sin 7 t, pushes a mass of 2: closed form of its speed."""
    run = pushed().simulate(2.0, inputs={"push": lambda t: 1.0 if t < 0.7 else np.sin(7 * t)})
    t = run.time
    exact = np.where(t < 0.7, t, 0.7 + (np.cos(4.9) - np.cos(7 * t)) / 7) / 2
    assert run.values("b.displacement_rate") == pytest.approx(exact, abs=1e-10)


def test_polynomials_follow_a_function() -> None:
    table = sampled(lambda t: np.exp(np.sin(5 * t)) + abs(t - 1.23), 0.0, 3.0)
    t = np.random.default_rng(0).uniform(0, 3, 2000)
    assert np.max(np.abs(table(t) - np.exp(np.sin(5 * t)) - abs(t - 1.23))) < 1e-10
    jumping = sampled(lambda t: float(t > 1.0 / 3.0), 0.0, 1.0)
    assert jumping(np.array([0.0, 1 / 3 - 1e-12, 1 / 3 + 1e-12, 1.0])) == pytest.approx([0, 0, 1, 1], abs=1e-12)


PULSES: dict[str, Any] = {  # of 1e-5 s, at heights that make their area 1e-5
    "between two times": lambda t: float(2.0 <= t < 2.00001),
    "after a shift": lambda t: 1.0 if 0 < 3 * (t - 2.0) / 3 < 1e-5 else 0.0,
    "either side": lambda t: 1.0 if abs(t - 3.3) < 0.5e-5 else 0.0,
    "backwards": lambda t: 1.0 if 0 < 5.00001 - t < 1e-5 else 0.0,
    "numbers of NumPy": lambda t: np.where((np.float64(1.23) < t) & (t < 1.23001), 1.0, 0.0),
    "again and again": lambda t: 0.1 if t % 1.0 < 1e-5 else 0.0,
    "a triangle": lambda t: max(0.0, 1 - abs(t - 4) / 1e-5),
    "nested": lambda t: (1.0 if t < 7.00001 else 0.0) if t > 7 else 0.0,
    "with where": lambda t: tr.where(t < 6.0, 0.0, tr.where(t < 6.00001, 1.0, 0.0)),
}


@pytest.mark.parametrize("pulse", PULSES.values(), ids=PULSES)
def test_pulses_that_a_function_compares_for_are_found(pulse: Any) -> None:
    knots, c = sampled(pulse, 0.0, 10.0).breakpoints
    h, powers = np.diff(knots), np.arange(len(c))[:, None]
    area = np.sum(c[:, :, 0] * h ** (powers + 1) / (powers + 1))
    assert area == pytest.approx(1e-5, rel=1e-6)
    start = {"b.displacement_rate": np.array([0.0, 1.0])}
    cart = pushed()
    run, batch = cart.simulate(10.0, inputs={"push": pulse}), cart.batch(10.0, start, inputs={"push": pulse})
    assert run.values("b.displacement_rate")[-1] == pytest.approx(area / 2, rel=1e-5)
    assert np.asarray(batch.end("b.displacement_rate")) - [0.0, 1.0] == pytest.approx(area / 2, rel=1e-5)


def test_a_smooth_peak_is_found_at_a_given_time() -> None:
    m = tr.Model("cart")
    u, when = m.input("push"), m.parameter("when", 1.0)
    m.connect(tr.Prismatic("x"), m.ground, m.body("b", mass=2.0), law=tr.Motor(u))
    m.break_at(3 * when)
    s, peak = m.build(), lambda t: float(np.exp(-(((t - 6.01) / 1e-4) ** 2)))
    run = s.simulate(10.0, parameters={"when": 6.01 / 3}, inputs={"push": peak})
    assert run.values("b.displacement_rate")[-1] == pytest.approx(1e-4 * np.sqrt(np.pi) / 2, rel=1e-6)
    batch = s.batch(10.0, {}, {"when": [0.5, 6.01 / 3]}, inputs={"push": peak}, rtol=1e-10)
    assert np.asarray(batch.end("b.displacement_rate")) == pytest.approx(1e-4 * np.sqrt(np.pi) / 2, rel=1e-6)


def test_steps_end_only_where_a_signal_has_kinks() -> None:
    """Knots on one straight line are no kinks: the steps are those without them."""
    straight = tr.Table(np.linspace(0, 2, 201), np.linspace(1, 3, 201), between="linear")
    few = system().simulate(2.0, START, inputs={"force": straight}).trajectory
    two = system().simulate(2.0, START, inputs={"force": tr.Table([0.0, 2.0], [1.0, 3.0], between="linear")}).trajectory
    assert few is not None and two is not None and few.counts.steps == two.counts.steps


def test_arrays_of_xarray_go_straight_from_value_to_value() -> None:
    knots, values = np.linspace(0, 2, 6), np.array([0.0, 1, -1, 2, 0, 1])
    array = xr.DataArray(values, {"time": knots}, ("time",))
    by_array = system().simulate(2.0, START, inputs={"force": array})
    assert apart(by_array, system().simulate(2.0, START, inputs={"force": tr.Table(knots, values, "linear")})) == 0.0


def test_batches_and_sweeps_take_a_signal_for_each_case() -> None:
    signals = [rough("linear"), rough("previous", 1), 0.7]
    batch = system().batch(2.0, START, inputs={"force": [*signals, np.sin]}, rtol=1e-10, samples=5)
    assert batch.settings["way"] == "in lanes" and set(batch.outcomes) == {"FINISHED"}
    for case, given in enumerate([*signals, np.sin]):
        alone = system().simulate(2.0, START, inputs={"force": given}, samples=5)
        assert batch["pole.angle"].values[case] == pytest.approx(alone.values("pole.angle"), abs=2e-8)
        assert batch["force"].values[case] == pytest.approx(alone.values("force"), abs=1e-9)
    numbers = system().batch(2.0, START, inputs={"force": np.array([0.1, 0.2])})
    assert numbers.end("force").coords["input(force)"].values.tolist() == [0.1, 0.2]
    found = tr.sweep(
        system(), {"force": signals[:2], "pole.angle": [0.1, 0.1]}, 2.0, keep=["pole.angle", "force"], rtol=1e-10
    )
    assert found["pole.angle"].values == pytest.approx(batch["pole.angle"].values[:2, -1], abs=1e-7)
    assert found["input(force)"].values.tolist() == [0, 1]


def test_derivatives_by_an_input_are_those_by_a_shift_of_its_signal() -> None:
    h, signal = 1e-4, rough("previous")
    run = system().simulate(1.0, START, inputs={"force": signal}, sensitivity=["force"], samples=11)
    ends = []
    for shift in (-2 * h, -h, h, 2 * h):
        moved = tr.Table(signal.x[0], signal.y + shift, between="previous")
        ends.append(system().simulate(1.0, START, inputs={"force": moved}, samples=11).values("pole.angle")[-1])
    slope = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12 * h)
    assert float(run.derivative("pole.angle", "force")[-1]) == pytest.approx(slope, abs=1e-7)


def test_models_without_inputs_are_as_they_were() -> None:
    m = tr.Model("cart and pole")
    k = m.parameter("force", 0.0)
    plain = cart_and_pole(lambda t, q, u: k, m).formulation
    assert plain.operations()["rhs"] == 32 and plain.kernels("base").get("breaks") is None
    assert system().formulation.operations()["rhs"] <= 62


def test_systems_with_inputs_are_pickled_and_described() -> None:
    given = {"force": rough("linear")}
    again = pickle.loads(pickle.dumps(system()))
    assert apart(again.simulate(1.0, START, inputs=given), system().simulate(1.0, START, inputs=given)) == 0.0
    text = system().describe()
    assert "Inputs, unless a run is given others: force = 0 N." in text
    assert "Tunable" not in text and "Table" not in text


def test_a_start_cannot_depend_on_an_input() -> None:
    m = tr.Model("cart and pole")
    u = m.input("force")
    m.start = {"pole.angle": lambda s: s["force"]}
    with pytest.raises(ModelError, match="may depend on parameters only"):
        cart_and_pole(u, m).simulate(1.0)


NOISE = np.random.default_rng(0)
BAD = [
    ({"forc": 1.0}, "no input .*'forc'. Did you mean 'force'"),
    ({"force": [1.0, 2.0]}, r"numbers without times; give a number, tr\.Table"),
    ({"force": "strong"}, "'strong'"),
    ({"force": lambda t: [t, t]}, "one finite number"),
    ({"force": lambda t: 1 / 0}, "ZeroDivisionError"),
    ({"force": lambda t: NOISE.normal()}, "is it noise"),
    ({"force": tr.Table([0.0, 1.0], [1.0, 1.0], beyond="repeat")}, "cannot be periodic"),
    ({"force": tr.Table(([0.0, 1.0], [0.0, 1.0]), np.zeros((2, 2)))}, "one argument, time"),
    ({"force": xr.DataArray([0.0, np.nan], {"time": [0.0, 1.0]}, ("time",))}, "missing values"),
    ({"force": xr.DataArray(np.zeros((2, 2)), {"time": [0.0, 1.0]}, ("time", "x"))}, "dimensions"),
    ({"force": np.nan}, "finite"),
    (3.0, "give inputs by name"),
]


@pytest.mark.parametrize(("inputs", "words"), BAD)
def test_signals_that_cannot_be(inputs: object, words: str) -> None:
    with pytest.raises((ModelError, UnknownNameError), match=words):
        system().simulate(1.0, START, inputs=inputs)  # type: ignore[arg-type]


def test_what_an_input_cannot_be_used_for() -> None:
    m = tr.Model("x")
    u = m.input("push")
    with pytest.raises(ModelError, match="made of numbers or parameters"):
        m.body("b", mass=u)
    with pytest.raises(ModelError, match=r"function of time, not a number: .* push\(t\)"):
        _ = 2 * u
    with pytest.raises(ModelError, match="already"):
        m.input("push")
    with pytest.raises(ModelError, match="given twice"):
        system().simulate(1.0, START, {"force": 1.0}, inputs={"force": 2.0})
    stepper = system().stepper(1.0, inputs={"force": rough("linear")})
    with pytest.raises(SolveError, match="was given a signal"):
        stepper.set({"force": 1.0})
    with pytest.raises(UnknownNameError, match="torque"):
        stepper.set({"torque": 1.0})
    with pytest.raises(SolveError, match="has no inputs"):
        tr.examples.load("simple-pendulum").model.build().linearise({"pivot.angle": 0.0}).state_space()


def test_an_input_that_prescribes_a_motion() -> None:
    """It runs, as a table would; in linear equations and steppers its value alone is not enough."""
    m = tr.Model("hung")
    place = m.input("place", unit="m")
    hook = m.body("hook", mass=1.0, inertia=0.1)
    bob = m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1))
    m.connect(tr.Prismatic("x"), m.ground, hook, law=tr.Servo(place))
    m.connect(tr.Revolute("y"), hook, bob)
    built = m.build()
    run = built.simulate(1.0, inputs={"place": lambda t: 0.1 * np.sin(2 * t) ** 3})
    assert run.values("hook.displacement") == pytest.approx(0.1 * np.sin(2 * run.time) ** 3, abs=1e-9)
    with pytest.raises(SolveError, match="'place' prescribes a motion"):
        built.linearise().state_space()
    with pytest.raises(SolveError, match="'place' prescribes a motion"):
        built.stepper(1.0)


@pytest.mark.parametrize(
    ("unit", "time", "words"),
    [("kN", "s", "input 'F' is given in 'kN', but the model has it in 'N'"), ("N", "ms", "time of input 'F' .* 'ms'")],
)
def test_signals_in_other_units_are_refused(unit: str, time: str, words: str) -> None:
    m = tr.Model("cart")
    push = m.input("F", 0.0, "N")
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=1.0), law=tr.Motor(push))
    system, t = m.build(), np.linspace(0.0, 1.0, 3)
    array = xr.DataArray(np.ones(3), {"time": ("time", t, {"units": time})}, ("time",), attrs={"units": unit})
    table = tr.Table(t, np.ones(3), between="linear", unit=unit, arguments=[f"time ({time})"])
    for given in (array, table):
        with pytest.raises(ModelError, match=words):
            system.simulate(1.0, inputs={"F": given})
        with pytest.raises(ModelError, match=words):
            system.batch(1.0, inputs={"F": [1.0, given]})
    array.attrs["units"], array["time"].attrs["units"] = "N", "seconds"
    for given in (array, tr.Table(t, np.ones(3), between="linear")):
        found = system.simulate(1.0, inputs={"F": given}, samples=2).values("cart.displacement")
        assert found[-1] == pytest.approx(0.5)


def test_tables_in_other_units_are_refused() -> None:
    m = tr.Model("cart")
    pull = m.table("pull", tr.Table([0.0, 1.0], [1.0, 1.0], unit="N", arguments=["x (m)"]))
    cart = m.body("cart", mass=1.0)
    m.connect(tr.Prismatic("x"), m.ground, cart)
    m.apply(tr.CoordinateForce("cart.displacement", lambda s: pull(s["cart.displacement"])))
    system = m.build()
    for options in ({"unit": "kN"}, {"arguments": ["x (mm)"]}):
        with pytest.raises(ModelError, match=r"cannot be replaced by one with '(kN|mm)'"):
            system.simulate(1.0, tables={"pull": tr.Table([0.0, 1.0], [2.0, 2.0], **options)})
    found = system.simulate(1.0, tables={"pull": tr.Table([0.0, 1.0], [2.0, 2.0], arguments=["x"])}, samples=2)
    assert found.values("cart.displacement")[-1] == pytest.approx(1.0)
