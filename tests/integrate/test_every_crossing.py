"""No crossing of a user's event function is lost: moving targets, dense crossings, jumps, ends, random functions."""

import math

import numpy as np
import pytest

import trundle as tr

X, V = "cart.displacement", "cart.displacement_rate"


def cart(name="cart"):
    """A body that moves at 1 m/s along x."""
    m = tr.Model(name, gravity=(0.0, 0.0, 0.0))
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    m.start = {V: 1.0}
    return m


def watching(function, direction=0, action="record"):
    m = cart()
    m.event("e", function, direction, action)
    return m.build()


def waves(s):
    return tr.sin(math.pi * s[X] / 0.1)


def times(run, name="e"):
    return np.array([t for found, t in run.events if found == name])


@pytest.fixture(scope="module")
def wavy():
    return watching(waves)


@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize(
    "options", [{}, {"method": "order5"}, {"method": "stiff"}, {"steps": tr.Steps(fixed=0.7)}], ids=str
)
def test_an_action_may_move_its_own_function(direction, options):
    m = cart()
    m.parameter("target", 0.1)
    m.event("e", lambda s: s[X] - s["target"], direction, {"target": lambda s: s["target"] + 0.1})
    run = m.build().simulate(5.05, **options)
    assert run.ok and np.allclose(times(run), 0.1 * np.arange(1, 51), rtol=0, atol=1e-12)


def test_an_action_may_move_its_own_function_by_little_or_much():
    m = cart()
    m.parameter("target", 0.1)
    m.parameter("turn", 1.0)
    near = {"target": lambda s: s["target"] + tr.where(s["turn"] > 0, 1e-8, 0.1), "turn": lambda s: -s["turn"]}
    m.event("e", lambda s: s[X] - s["target"], 0, near)
    run = m.build().simulate(5.05)
    assert np.allclose(np.diff(times(run))[::2], 1e-8, rtol=0, atol=1e-12) and len(run.events) == 100


def test_a_callback_in_python_may_change_the_event_function():
    m = cart()
    m.parameter("target", 0.1)
    m.event("e", lambda s: s[X] - s["target"])
    run = m.build().simulate(5.05, on_event=lambda name, t, state: {"target": state[X] + 0.1})
    assert np.allclose(times(run), 0.1 * np.arange(1, 51), rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "order5"},
        {"method": "stiff"},
        {"steps": tr.Steps(fixed=0.1)},
        {"steps": tr.Steps(fixed=1.3)},
        {"t0": 1e5},
    ],
    ids=str,
)
def test_every_crossing_inside_long_steps_is_found(wavy, options):
    run = wavy.simulate(5.05, **options)
    t0 = options.get("t0", 0.0)
    expected = t0 + 0.1 * np.arange(1, 51)
    assert run.ok and np.allclose(times(run), expected, rtol=0, atol=1e-11 + 50 * np.spacing(t0))


@pytest.mark.parametrize("formalism", ["udwadia_kalaba", "newton_euler"])
def test_every_crossing_is_found_in_other_formalisms(formalism):
    m = cart()
    m.event("e", waves)
    assert len(m.build(formalism=formalism).simulate(5.05).events) == 50


@pytest.mark.parametrize("direction", [-1, 1])
def test_half_of_the_crossings_have_one_direction(direction):
    run = watching(waves, direction).simulate(5.05)
    assert np.allclose(times(run), 0.2 * np.arange(1, 26) - (0.1 if direction < 0 else 0.0), rtol=0, atol=1e-11)


def test_every_crossing_is_found_in_batches(wavy):
    batch = wavy.batch(5.05, {V: np.array([1.0, 2.0, 0.5, -1.0])})
    assert [len(found) for found in batch.events] == [50, 101, 25, 50]


def test_crossings_beside_transitions_of_a_contact():
    """A ball thrown onto a road slides for 2/7 v/(mu g), then rolls at 5/7 of its speed."""
    m = tr.Model("ball")
    ball = m.body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, ball, name="road", law=tr.Coulomb(0.3))
    m.event("e", lambda s: tr.sin(math.pi * s["ball.position"][0] / 0.01))
    run = m.build().simulate(2.0, {"ball.velocity": (2.0, 0.0, 0.0)})
    g, slides = 0.3 * 9.81, 2 / 7 * 2.0 / (0.3 * 9.81)
    marks = 0.01 * np.arange(1, 292)
    knee = 2.0 * slides - g * slides**2 / 2
    sliding = (2.0 - np.sqrt(np.maximum(4.0 - 2 * g * marks, 0.0))) / g
    expected = np.where(marks < knee, sliding, slides + (marks - knee) * 7 / 10)
    assert np.allclose(times(run), expected, rtol=0, atol=1e-9)
    assert times(run, "road stops") == pytest.approx([slides], abs=1e-9)


def test_ten_thousand_crossings_in_a_step():
    run = watching(lambda s: tr.sin(math.pi * s[X] / 1e-4)).simulate(1.00005)
    assert np.allclose(times(run), 1e-4 * np.arange(1, 10001), rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (lambda s: s[X], 0),  # zero at the start is no crossing
        (lambda s: s[X] ** 2 * (s[X] - 1), 1),
        (lambda s: (s[X] - 1) ** 2, 0),
        (lambda s: (s[X] - 1) ** 3, 1),
        (lambda s: (s[X] - 1) * (s[X] - 1 - 1e-6), 2),
        (lambda s: (s[X] - 1) ** 2 - 1e-13, 2),
        (lambda s: (s[X] - 1) ** 2 + 1e-13, 0),
        (lambda s: s[X] - 5.0, 1),  # at the end of the run
        (lambda s: s.t - 5.0, 1),
        (lambda s: 1e-9 * s[X] + tr.floor(10 * s[X]) - 25.5, 1),
        (lambda s: 1e-9 * s[X] + tr.where(s[X] < 2, -1.0, tr.where(s[X] < 2.0001, 1.0, -1.0)), 2),
        (lambda s: 1 / (s[X] - 1.3), 0),  # a pole is no crossing
        (lambda s: 1 / (s[X] - 1.3) ** 3 - 2, 1),
        (lambda s: tr.tan(3 * s[X]) + 0.5, 4),
        (lambda s: tr.sin(300 * s[X]) / tr.cos(300 * s[X]) + 0.5, 477),
        (lambda s: tr.sign(s[X] - 1.3) * tr.sqrt(tr.abs(s[X] - 1.3)), 1),
        (lambda s: tr.atan2(tr.sin(20 * s[X]), tr.cos(20 * s[X])), 31),
        (lambda s: 1e-9 * s[X] + tr.sin(500 * s[X]) ** 2 + tr.cos(500 * s[X]) ** 2 - 0.9, 0),
        (lambda s: tr.abs(tr.sin(10 * s[X])) - 0.5, 32),
    ],
)
def test_crossings_of_awkward_functions(function, count):
    run = watching(function).simulate(5.0)
    assert run.ok and len(run.events) == count


def test_a_function_that_is_zero_has_no_crossings_and_is_reported():
    run = watching(lambda s: tr.sin(2 * s[X]) - 2 * tr.sin(s[X]) * tr.cos(s[X])).simulate(5.0)
    assert run.ok and not run.events
    assert any("could not be distinguished from zero" in text for text in run.warnings) and "warning" in run.summary()


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-6])
def test_a_crossing_beside_a_pole_is_found_where_it_is(width):
    run = watching(lambda s: width / (s[X] - 1.2) + 1).simulate(5.0)
    assert times(run) == pytest.approx([1.2 - width], abs=1e-14)


def test_a_pole_beside_the_crossing_of_another_event_does_not_fire():
    m = cart()
    m.event("pole", lambda s: tr.tan(s[X]))
    m.event("next", lambda s: s[X] - math.pi / 2 - 1e-7)
    m.event("other", lambda s: tr.sin(3 * s[X] + 0.1))
    run = m.build().simulate(9.0)
    assert times(run, "pole") == pytest.approx([math.pi, 2 * math.pi], abs=1e-11)
    assert times(run, "next") == pytest.approx([math.pi / 2 + 1e-7], abs=1e-11)


def test_leaps_over_zero_and_functions_without_a_value_are_reported():
    m = cart()
    m.event("heading", lambda s: tr.atan2(tr.sin(s[X]), tr.cos(s[X])), -1)
    m.event("root", lambda s: tr.sqrt(2 - s[X]) - 1)
    run = m.build().simulate(5.0)
    assert times(run, "heading") == pytest.approx([math.pi]) and times(run, "root") == pytest.approx([1.0])
    leap, lost = run.warnings
    assert "'heading' fired 1 times where its function jumps over zero" in leap
    assert "function of event 'root' was not a number" in lost


def test_a_stop_at_the_end_time_is_heeded():
    run = watching(lambda s: s[X] - 5.0, 0, "stop").simulate(5.0)
    assert run.outcome.startswith("EVENT_STOP") and run.time[-1] == 5.0


def test_events_at_one_time_are_all_found():
    m = cart()
    m.event("e", waves)
    m.event("half", lambda s: s[X] - 0.5)
    m.event("twice", lambda s: 2 * s[X] - 1.0)
    m.event("mean", lambda s: s[X] + s.t - 1.0)
    run = m.build().simulate(5.05)
    assert len(run.events) == 53
    assert {name for name, t in run.events if abs(t - 0.5) < 1e-11} == {"e", "half", "twice", "mean"}


def test_events_as_dense_as_the_steps_are_reported(wavy, tmp_path):
    run = wavy.simulate(5.05)
    assert any("as dense as the steps" in text for text in run.warnings)
    assert tr.load(run.save(tmp_path / "run.nc")).warnings == run.warnings
    assert not wavy.simulate(0.95).warnings


# -- random functions ------------------------------------------------------------------------------------------------

EVENTS, TERMS = 3, 3


@pytest.fixture(scope="module")
def random_system():
    """A cart, an oscillator, and sums of sines of time and state whose numbers are parameters."""
    m = cart("sums of sines")
    stiffness = m.parameter("stiffness", 1.0)
    body = m.body("mass", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.connect(tr.Prismatic("y"), m.ground, body, law=tr.Spring(stiffness))
    m.start = {V: 1.0, "mass.displacement": 1.0}
    for e in range(EVENTS):
        numbers = {(i, k): m.parameter(f"n{e} {i} {k}", 0.0) for i in range(TERMS) for k in range(6)}

        def function(s, numbers=numbers):
            motion = (s.t, s[X], s["mass.displacement"], s["mass.displacement_rate"])
            return sum_of_sines(motion, numbers, tr.sin)

        m.event(f"e{e}", function, e - 1)
    return m.build()


def sum_of_sines(motion, numbers, sin):
    return sum(
        numbers[i, 0] * sin(sum(numbers[i, 1 + k] * motion[k] for k in range(4)) + numbers[i, 5]) for i in range(TERMS)
    )


def compare_with_brute_force(system, seed, method):
    """Crossings counted, those of functions that nearly touch zero left out."""
    rng = np.random.default_rng(seed)
    w, counted = rng.uniform(1, 5), 0
    numbers = []
    for _ in range(EVENTS):
        table = np.column_stack([rng.uniform(0.2, 1, TERMS), rng.uniform(-1, 1, (TERMS, 4)), rng.uniform(0, 6, TERMS)])
        table[:, 1:5] *= 10 ** rng.uniform(0, 1.7, (TERMS, 1))
        table[:, 4] /= 5
        numbers.append(table)
    values = {f"n{e} {i} {k}": numbers[e][i, k] for e in range(EVENTS) for i in range(TERMS) for k in range(6)}
    run = system.simulate(4.0, None, {**values, "stiffness": w**2}, method=method)
    t = np.linspace(0.0, 4.0, 100_001)
    for e in range(EVENTS):
        g = sum_of_sines((t, t, np.cos(w * t), -w * np.sin(w * t)), numbers[e], np.sin)
        extreme = np.flatnonzero((g[1:-1] - g[:-2]) * (g[2:] - g[1:-1]) <= 0) + 1
        if np.abs(g[[0, *extreme, -1]]).min() < 1e-4:
            continue
        sign = np.sign(g)
        crossing = np.flatnonzero(sign[1:] != sign[:-1])
        expected = t[[i for i in crossing if e == 1 or sign[i + 1] == e - 1]]
        found = times(run, f"e{e}")
        assert len(found) == len(expected), (seed, e)
        assert np.all(np.abs(found - expected) < 5e-5)
        counted += len(found)
    return counted


@pytest.mark.parametrize("method", ["order8", "order5", "stiff"])
def test_random_functions_have_as_many_crossings_as_brute_force_finds(random_system, method):
    assert sum(compare_with_brute_force(random_system, seed, method) for seed in range(8)) > 300


@pytest.mark.slow
@pytest.mark.parametrize("method", ["order8", "order5", "stiff"])
def test_many_random_functions_have_as_many_crossings_as_brute_force_finds(random_system, method):
    assert sum(compare_with_brute_force(random_system, seed, method) for seed in range(100, 400)) > 10_000
