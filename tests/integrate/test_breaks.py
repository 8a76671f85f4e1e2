"""Steps end where a law changes with time, so that no pulse is jumped over, however short."""

import math

import numpy as np
import pytest

import trundle as tr
from trundle.errors import FileError, ModelError

V = "cart.displacement_rate"


def driven(force, formalism=None, prepare=None):
    """A cart of 1 kg at rest under a force of time: its speed is the impulse."""
    m = tr.Model("driven cart", gravity=(0.0, 0.0, 0.0))
    symbols = prepare(m) if prepare else ()
    law = tr.Motor(lambda t, q, u: force(t, *symbols))
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=1.0, inertia=(1.0, 1.0, 1.0)), law=law)
    return m.build() if formalism is None else m.build(formalism=formalism)


def pulse(t, a=5.0, w=1e-3):
    """An impulse of 1 N s within w seconds."""
    return tr.step(t - a) * (1 - tr.step(t - a - w)) / w


def speed(run):
    assert run.ok
    return float(run.values(V)[-1])


@pytest.fixture(scope="module")
def pulsed():
    return driven(pulse)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "order5"},
        {"method": "stiff"},
        {"steps": tr.Steps(fixed=3.0)},
        {"steps": tr.Steps(fixed=0.1)},
        {"rtol": 1e-3},
    ],
    ids=str,
)
def test_a_pulse_of_a_millisecond_in_ten_seconds_of_rest_is_not_missed(pulsed, options):
    assert speed(pulsed.simulate(10.0, **options)) == pytest.approx(1.0, abs=1e-11)


@pytest.mark.parametrize("formalism", ["udwadia_kalaba", "newton_euler"])
def test_a_pulse_is_not_missed_in_other_formalisms(formalism):
    assert speed(driven(pulse, formalism).simulate(10.0)) == pytest.approx(1.0, abs=1e-11)


PERIOD = 2 * math.pi / 5


@pytest.mark.parametrize(
    ("force", "impulse"),
    [
        (lambda t: tr.where(t < 5, 0.0, tr.where(t < 5.001, 1000.0, 0.0)), 1.0),
        (lambda t: tr.where(t > 5, tr.where(t > 5.001, 0.0, 1000.0), 0.0), 1.0),
        (lambda t: 1000 * tr.max(0.0, 1 - tr.abs(t - 5) / 1e-3), 1.0),
        (lambda t: tr.where(tr.sin(PERIOD * t) > 0.9999, 1.0, 0.0), 4 * math.acos(0.9999) / PERIOD),
        (lambda t: tr.where(t / 2 - tr.floor(t / 2) < 1e-3, 1.0, 0.0), 0.01),
        (lambda t: tr.sign(t - 7), -4.0),
        (lambda t: 1000 * tr.step(t - 10), 0.0),  # at the end
        (lambda t: tr.where(t > 0, 1000.0, 0.0) * tr.where(t <= 0.001, 1.0, 0.0), 1.0),  # at the start
        (lambda t: tr.sin(t) * tr.sign(tr.sin(50 * t)), None),
    ],
)
def test_times_are_found_on_the_tape(force, impulse):
    if impulse is None:  # a sum of exact pieces between the switches
        edges = np.append(np.arange(0, 10, math.pi / 50), 10.0)
        pieces = np.cos(edges[:-1]) - np.cos(edges[1:])
        impulse = float(np.sum(pieces * (-1.0) ** np.arange(len(pieces))))
    assert speed(driven(force).simulate(10.0)) == pytest.approx(impulse, abs=2e-11)


def test_times_may_depend_on_parameters_also_in_batches():
    system = driven(pulse, prepare=lambda m: (m.parameter("a", 5.0), m.parameter("w", 1e-3)))
    assert speed(system.simulate(10.0, None, {"a": 3.3, "w": 1e-4})) == pytest.approx(1.0, abs=1e-10)
    batch = system.batch(10.0, {}, {"a": np.array([2.0, 6.0, 11.0, 9.9999]), "w": np.array([1e-3, 1e-4, 1e-3, 1e-3])})
    assert np.allclose(batch.end(V), [1.0, 1.0, 0.0, 0.1], rtol=0, atol=1e-10)
    assert batch.settings["way"] == "in lanes"


def test_samples_of_lanes_on_either_side_of_breaks():
    """At the times themselves, within a pulse, and where a case has more breaks than another; cases with very many of
    them run one by one.
    """
    system = driven(pulse, prepare=lambda m: (m.parameter("a", 5.0), m.parameter("w", 1e-3)))
    a, w = np.array([2.0, 6.0, 20.0, 0.0, 9.0]), np.array([2.0, 1e-2, 1.0, 3.0, 2.0])
    times = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 6.005, 6.01, 8.0, 9.5, 10.0])
    batch = system.batch(10.0, {}, {"a": a, "w": w}, samples=times)
    gone = np.clip(times - a[:, None], 0.0, w[:, None]) / w[:, None]
    assert np.allclose(batch[V].values, gone, rtol=0, atol=1e-10) and batch.settings["way"] == "in lanes"
    one = system.simulate(10.0, None, {"a": 2.0, "w": 2.0}, samples=times)
    assert np.allclose(batch[V].values[0], one.values(V), rtol=0, atol=1e-12)
    many = driven(lambda t: tr.sign(tr.sin(200 * t))).batch(10.0, {V: [0.0, 1.0]})
    assert many.settings["way"] == "one by one"


def test_an_event_may_set_the_time_of_a_pulse():
    def prepare(m):
        a = m.parameter("a", 100.0)
        m.event("go", lambda s: s.t - 2.0, 1, {"a": lambda s: s.t + 3.0})
        return (a,)

    assert speed(driven(pulse, prepare=prepare).simulate(10.0)) == pytest.approx(1.0, abs=1e-11)


def test_smooth_pulses_are_not_missed_where_break_at_names_their_time():
    def smooth(t, a):
        return tr.exp(-(((t - a) / 1e-3) ** 2)) * 1000 / math.sqrt(math.pi)

    def named(m):
        a = m.parameter("a", 5.0)
        m.break_at(a - 5e-3, a + 5e-3, 7)
        return (a,)

    assert speed(driven(smooth, prepare=named).simulate(10.0, None, {"a": 3.0})) == pytest.approx(1.0, abs=1e-8)
    unnamed = driven(smooth, prepare=lambda m: (m.parameter("a", 5.0),)).simulate(10.0)
    assert abs(speed(unnamed)) < 1e-8  # what the documentation warns of


def test_samples_at_breaks_and_at_the_end_are_kept(pulsed):
    run = pulsed.simulate(5.001, samples=[0.0, 5.0, 5.0005, 5.001])
    assert run.time.tolist() == [0.0, 5.0, 5.0005, 5.001]
    assert np.allclose(run.values(V), [0.0, 0.0, 0.5, 1.0], rtol=0, atol=2e-11)


def test_models_without_such_laws_have_no_breaks(pulsed):
    assert "breaks" in pulsed.formulation.kernels("base")
    assert "breaks" not in driven(lambda t: tr.sin(t)).formulation.kernels("base")


@pytest.mark.parametrize("wrong", ["5", float("nan"), None, [1.0, 2.0]])
def test_break_at_refuses_what_is_no_time(wrong):
    with pytest.raises(ModelError, match="break_at takes times"):
        tr.Model("m").break_at(wrong)


def test_break_at_in_a_model_file(tmp_path):
    file = tmp_path / "cart.yaml"
    file.write_text("""
name: cart
gravity: [0, 0, 0]
parameters: {a: 5.0, w: 0.001}
bodies: {cart: {mass: 1.0, inertia: [1, 1, 1]}}
connections:
  cart: {pair: Prismatic, axis: x, first: ground, second: cart, law: {motor: exp(-((t - a) / w)**2) * 1000 / sqrt(pi)}}
break_at: [a - 5 * w, a + 5 * w, 7]
""")
    assert speed(tr.load_model(file).build().simulate(10.0)) == pytest.approx(1.0, abs=1e-8)
    file.write_text(file.read_text().replace("7]", "soon]"))
    with pytest.raises(FileError, match="soon"):
        tr.load_model(file)
