"""One register of quantities: its quantities are available wherever they make sense, by long and by short names."""

from collections.abc import Callable

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.errors import ModelError, UnknownNameError
from trundle.file import read_model
from trundle.model.register import is_changeable, is_signal, is_start
from trundle.quantity import Quantity


def machine() -> tr.Model:
    """Joints with one and three speeds, a drive, a law that lags, springs, an output and an event that pushes."""
    m = tr.Model("machine")
    bob = m.body("bob", mass=2.0, inertia=(0.1, 0.12, 0.1), com=(0.1, 0, -1.0))
    top = m.body("top", mass=1.0, inertia=(0.02, 0.03, 0.01), com=(0, 0, 0.3))
    slide = m.body("slide", mass=1.0, inertia=(0.02, 0.03, 0.01))
    lag = m.body("lag", mass=1.0, inertia=(0.02, 0.03, 0.01))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Spring(3.0, 0.3))
    m.connect(tr.Spherical(), bob.at(0, 0, -1), top)
    m.connect(tr.Prismatic("x"), m.ground, slide, law=tr.Servo(lambda t: 0.1 * tr.sin(t)))
    m.connect(
        tr.Prismatic("y"), m.ground, lag, law=tr.Flow(lambda t, q: 0.2), compliance={"displacement": tr.Spring(50.0)}
    )
    m.apply(tr.SpringDamper(bob.at(0, 0, -0.5), slide.at(0, 1, 0), 4.0, 0.1, 0.5), "rope")
    m.apply(tr.Bushing(bob, slide, (1, 2, 3, 4, 5, 6)), "mount")
    m.output("height", lambda s: s["bob.com_position_z"], "m", "height of the bob")
    m.event("push", lambda s: s.t - 0.02, action={"bob.angle_rate": lambda s: s["bob.angle_rate"] + 0.1})
    m.start = {"bob.angle": 0.4, "top.angular_rate": (0.1, 0.2, 3.0)}
    return m


def bristles() -> tr.Model:
    """A ball that slides on the road; the deflection of its surfaces is a state."""
    m = tr.Model("bristles")
    ball = m.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(0.5))
    m.connect(pair, m.ground, ball, name="road", law=tr.LuGre(0.5, 0.4, stiffness=200.0, damping=1.0))
    m.start = {"ball.velocity_x": 1.0}
    return m


def sliding() -> tr.Model:
    """A wheel that sticks, slides and may lift off."""
    m = tr.Model("sliding")
    disc = m.body("disc", mass=1.0, inertia=(0.125, 0.25, 0.125))
    pair = tr.HigherPair(tr.Plane(), tr.Torus(0.5, 0.1))
    m.connect(pair, m.ground, disc, name="road", law=tr.Coulomb(0.3), unilateral=True)
    m.start = {"disc.position_z": 0.5, "disc.velocity_x": 1.0}
    return m


def loop() -> tr.Model:
    """Four bars: one joint closes the loop."""
    return examples.model("four-bar")


MODELS: dict[str, Callable[[], tr.Model]] = {"machine": machine, "sliding": sliding, "bristles": bristles, "loop": loop}


def every(system: tr.System) -> list[Quantity]:
    register = system.formulation.register
    return [*register, *register.audit]


def short_names(quantities: list[Quantity]) -> dict[str, str]:
    """A short name for every quantity of a model."""
    names = [q.name for q in quantities if q.owner or q.part == "energy"]
    return {f"n{i}": name for i, name in enumerate(names)}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_every_quantity_is_available_in_a_run_and_in_a_batch(make: Callable[[], tr.Model]) -> None:
    model = make()
    mass = model.parameter("extra", 0.0)
    model.apply(tr.Wrench(next(iter(model.moving_bodies)), force=(0.0, 0.0, mass)), "load")
    system = model.build()
    run = system.simulate(0.05, samples=3, rtol=1e-9)
    batch = system.batch(0.05, parameters={"extra": [0.0, 0.1]}, samples=3, rtol=1e-9)
    assert all(code == run.outcome.partition(":")[0] for code in batch.outcomes)
    for q in every(system):
        one, many, end = run.values(q.name), batch[q.name].values[0], batch.end(q.name)[0]
        assert one.shape == ((3,) if q.size == 1 else (3, q.size)), q.name
        assert np.all(np.isfinite(one)), q.name
        size = 1e-4 * (1.0 + np.max(np.abs(one)))
        np.testing.assert_allclose(many, one, atol=size, err_msg=q.name)
        np.testing.assert_allclose(end, one[-1], atol=size, err_msg=q.name)
        for k, label in enumerate(q.labels):
            assert np.array_equal(run.values(f"{q.name}_{label}"), one[:, k]), (q.name, label)
            assert np.array_equal(batch[f"{q.name}_{label}"].values[0], many[:, k]), (q.name, label)
        whose = {"owner": q.owner, "part": q.part} if q.owner else {}
        assert run[q.name].attrs == {"units": q.unit, "long_name": q.text, **whose}
    at_start = system.accelerations()
    asked = {q.name for q in every(system) if q.group in ("accelerations", "reactions")}
    assert set(at_start) == asked
    for name, value in at_start.items():
        np.testing.assert_allclose(run.values(name)[0], value, rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_short_names_do_all_that_long_ones_do(make: Callable[[], tr.Model]) -> None:
    model = make()
    plain = every(model.build())
    short, known = short_names(plain), {q.name: q for q in plain}
    for name, full in short.items():
        model.alias(name, full)
    asked = {}  # output -> signal
    for name, full in short.items():
        for k, label in enumerate(known[full].labels or ("",)) if known[full].signal else ():
            ending = f"_{label}" if label else ""
            asked[f"out {name}{ending}"] = (full, k)
            model.output(f"out {name}{ending}", lambda s, one=name + ending: s[one])
            if k == 0:
                model.event(f"event {name}", lambda s, one=name + ending: s[one] - 1e9)
    system = model.build()
    run = system.simulate(0.02, samples=3)
    for name, full in short.items():
        assert np.array_equal(run.values(name), run.values(full)), full
        assert run[name].attrs == run[full].attrs
        for label in known[full].labels:
            assert np.array_equal(run.values(f"{name}_{label}"), run.values(f"{full}_{label}")), full
        if f"{full}_rate" in known:
            assert np.array_equal(run.values(f"{name}_rate"), run.values(f"{full}_rate"))
    for name, (full, k) in asked.items():
        one = run.values(full).reshape(3, -1)[:, k]
        np.testing.assert_allclose(run.values(name), one, rtol=1e-9, atol=1e-9, err_msg=full)
    f, usual = system.formulation, system.model.start
    register = f.derivation.register()
    by_full = {full: name for name, full in short.items()}
    first = {full: run.values(full)[0] for full in by_full if register.get(full).quantity.start}
    for full in list(first)[:6] + list(f.layout.places)[:6]:
        value = first.get(full)
        if value is None or (np.ndim(value) and full not in f.layout.places):
            continue
        pair = [system.start({**usual, key: value}) for key in (by_full[full], full)]
        assert np.array_equal(pair[0].q, pair[1].q) and np.array_equal(pair[0].u, pair[1].u), full
    for full in f.layout.places:
        if full in by_full:
            system.simulate(0.001, atol={by_full[full]: 1e-9}, samples=2)
            break


@pytest.mark.parametrize("formalism", ["kane", "newton_euler", "udwadia_kalaba"])
@pytest.mark.parametrize("name", ["rolling-disc", "spring-door", "four-bar"])
def test_the_register_agrees_with_the_equations(name: str, formalism: str) -> None:
    if (name, formalism) == ("four-bar", "newton_euler"):
        pytest.skip("its bars have no inertia about their own axes")
    check_expressions(examples.model(name).build(formalism))


@pytest.mark.slow
@pytest.mark.parametrize("name", examples.names())
def test_every_quantity_of_every_example(name: str) -> None:
    for formalism in ("kane", "newton_euler", "udwadia_kalaba"):
        try:
            system = examples.model(name).build(formalism)
        except ModelError:  # not every formalism takes every model
            continue
        check_expressions(system)
        run = system.simulate(0.01, samples=3)
        for q in every(system):
            assert run.values(q.name).shape[1:] == ((q.size,) if q.size > 1 else ()), q.name


def check_expressions(system: tr.System) -> None:
    """Every quantity has an expression of its size; signals are known to laws, states to the layout."""
    f = system.formulation
    for q in every(system):
        assert f.register.find(q.name).quantity is q
        assert q.text and q.size == max(len(q.labels), 1)
        if q.of is not None:
            assert tr_size(f.expressions.of(q)) == q.size, q.name
        if q.signal:
            assert tr_size(f.equations.signals[q.name]) == q.size
            for label in q.labels:
                assert tr_size(f.equations.signals[f"{q.name}_{label}"]) == 1
    start = f.derivation.register()
    for name, place in f.layout.places.items():
        part = start.get(name, is_start)
        assert part.size == place.size
        assert (name in f.layout.changeable) == (is_changeable(part.quantity) and place.size == 1)
    assert all(is_signal(start.get(c.name).quantity) for c in f.layout.coordinates)


def tr_size(expression: object) -> int:
    import casadi as ca

    return int(ca.SX(expression).numel())


def test_short_names_of_parts_of_laws_and_forces() -> None:
    m = machine()
    m.alias("pull", "rope.force")
    m.alias("lean", "bob.angle")
    m.alias("turn", "top.quaternion")
    m.alias("spin", "top.angular_rate")
    m.alias("stretch", "rope.length")
    run = m.build().simulate(0.05, {"lean": 0.2, "spin_z": 4.0}, samples=3)
    for short, full in {
        "pull": "rope.force", "lean_effort": "bob.angle_effort", "lean_acceleration": "bob.angle_acceleration",
        "turn_w": "top.quaternion_w", "spin_acceleration_x": "top.angular_rate_acceleration_x",
        "stretch_rate": "rope.length_rate", "lean_stored_energy": "bob.angle_stored_energy",
    }.items():  # fmt: skip
        assert np.array_equal(run.values(short), run.values(full)), short
    assert run.values("lean")[0] == 0.2 and run.values("spin_z")[0] == 4.0


FILE = """
name: bob
bodies: {bob: {mass: 1, inertia: 1, com: [0, 0, -1]}}
connections: {pivot: {pair: Revolute, axis: y, first: ground, second: bob}}
forces: {rope: {spring_damper: {first: {body: ground, at: [1, 0, 0]}, second: bob, stiffness: 3.0, length: 0.1}}}
"""


def test_a_file_names_measures_of_forces() -> None:
    model = read_model(FILE + "names: {pull: rope.force, swing: pivot.angle}\n").model
    run = model.build().simulate(0.01, {"swing": 0.1}, samples=2)
    assert np.array_equal(run.values("pull"), run.values("rope.force"))
    with pytest.raises(tr.errors.FileError, match=r"names\.pull.*'rope\.force'"):
        read_model(FILE + "names: {pull: rope.forse}\n")


def test_for_a_misspelt_name_similar_ones_are_suggested() -> None:
    system = machine().build()
    run = system.simulate(0.01, samples=2)
    batch = system.batch(0.01, {"bob.angle": [0.1, 0.2]})
    questions: dict[str, Callable[[], object]] = {
        "rope.force": lambda: run["rope.forse"],
        "bob.position_x": lambda: run["bob.positon_x"],
        "mount.displacement": lambda: batch.end("mount.displacment"),
        "top.angular_rate": lambda: system.start({"top.angular_rat": (0, 0, 1)}),
        "bob.angle_rate": lambda: system.simulate(0.1, {"bob.angel_rate": 1.0}),
        "slide.displacement": lambda: system.batch(0.1, {"slide.displacment": [0.1, 0.2]}),
        "bob.angle": lambda: system.simulate(0.1, atol={"bob.angel": 1e-9}),
        "bob.inertance_power": lambda: run["bob.inertance_pover"],
    }
    for meant, ask in questions.items():
        with pytest.raises(UnknownNameError, match="Did you mean") as caught:
            ask()
        assert repr(meant) in str(caught.value) or meant == "bob.inertance_power", str(caught.value)
    wrong = machine()
    wrong.event("e", lambda s: s["bob.angel"])
    with pytest.raises(ModelError, match=r"Did you mean 'bob\.angle'"):
        wrong.build()
    wrong = machine()
    wrong.event("e", lambda s: s.t - 1, action={"bob.angel_rate": lambda s: 0.0})
    with pytest.raises(UnknownNameError, match=r"Did you mean 'bob\.angle_rate'"):
        wrong.build().simulate(0.1)
    wrong = machine()
    wrong.alias("pull", "rope.forse")
    with pytest.raises(UnknownNameError, match=r"short name 'pull'.*Did you mean 'rope\.force'"):
        wrong.build()


def test_reactions_are_no_signals() -> None:
    m = machine()
    m.output("load", lambda s: s["bob.reaction_force_z"])
    with pytest.raises(ModelError, match="reaction_force"):
        m.build()
