"""A system represents the model as it was when it was built, and its key is different from that of every other
model."""

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.equations.kernel_store import MAKERS
from trundle.errors import ModelError
from trundle.kernel import Tape
from trundle.laws.law import EffortLaw
from trundle.model.fingerprint import fingerprint
from trundle.study.problem import make_problem

CLOSED_OVER = {"gain": 3.0}


@dataclass(frozen=True)
class Hardening(EffortLaw):
    """A law of the user's own class that uses global data."""

    stiffness: Any

    def effort(self, t: Any, q: Any, u: Any) -> Any:
        return -self.stiffness * q - CLOSED_OVER["gain"] * q**3

    def potential(self, t: Any, q: Any) -> Any:
        return self.stiffness * q**2 / 2 + CLOSED_OVER["gain"] * q**4 / 4


def machine() -> tr.Model:
    """Cart, pendulum and slider with laws, forces, an event, an output and a short name."""
    m = tr.Model("machine", gravity=(0.1, 0.0, -9.81))
    k, length = m.parameter("k", 40.0, "N/m"), m.parameter("L", 0.7, "m")
    cart = m.body(
        "cart", mass=2.0 + 0.01 * k, inertia=[0.1, 0.2, 0.25], com=(0.01, 0, 0), shape=tr.shape.Box((1, 1, 1))
    )
    bob = m.body("bob", 1.0, np.diag([0.02, 0.03, 0.04]), com=(0, 0.1, -length), about=(0, 0.1, -length))
    arm = m.body("arm", 0.5, 0.01, com=(0.2, 0, 0))
    m.connect(tr.Prismatic("x"), m.ground, cart, law=tr.Spring(k, 0.5, 0.1) + tr.Damper(0.2))
    m.connect(
        tr.Revolute("y"), cart.at(0, 0, 0.1), bob.frame((0, 0, 0.02), ((0, 0, 1), 0.3)),
        law=tr.Motor(lambda t, q, u: CLOSED_OVER["gain"] * tr.sin(t) - 0.1 * u),
    )  # fmt: skip
    m.connect(tr.Revolute("y"), bob.at(0, 0, -0.6), arm, law=Hardening(5.0))
    m.apply(tr.SpringDamper(m.ground.at(1, 0, 0), bob.at(0, 0, -0.5), k, 0.3, 0.4), "band")
    m.apply(tr.Wrench(arm, lambda s: (CLOSED_OVER["gain"] * s["bob.angle"], 0.0, s.position(bob.at(0, 0, -length))[0])))
    m.apply(tr.CoordinateForce("arm.angle", lambda s: -CLOSED_OVER["gain"] * s["arm.angle_rate"]), "brake")
    m.apply(tr.TorsionSpring("bob.angle", 2.0, 0.1, 0.05), "torsion")
    m.apply(tr.Bushing(m.ground, arm, (1, 2, 3, 4, 5, 6), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)), "bushing")
    m.apply(tr.LineForce(cart, arm, tr.Spring(3.0, 0.1, 0.2)), "line")
    m.output("height", lambda s: CLOSED_OVER["gain"] * s.position(bob.at(0, 0, -length))[2], "m")
    m.event("swing", lambda s: s["bob.angle"] - 0.05 * CLOSED_OVER["gain"], 1, {"k": lambda s: 50.0 + s["bob.angle"]})
    m.event("far", lambda s: s["cart.displacement"] - 5, 0, "stop")
    m.break_at(0.5, 0.1 * k)
    m.alias("swing", "bob.angle")
    m.start.update({"swing": 0.4, "cart.displacement_rate": 0.3})
    return m


def thrown() -> tr.Model:
    """A ball thrown on the floor, with friction and restitution."""
    m = tr.Model("thrown")
    mu = m.parameter("mu", 0.3)
    ball = m.body("ball", 0.4, 0.001)
    law = tr.Coulomb(lambda s: mu + 0.01 * CLOSED_OVER["gain"], 0.2)
    m.connect(
        tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, ball, name="floor", law=[law, tr.RollingResistance(0.01)],
        restitution=tr.Stronge(0.5, 1e-6),
    )  # fmt: skip
    m.start.update({"ball.position": (0, 0, 0.5), "ball.velocity": (1.0, 0.2, 0.0)})
    return m


def relaxed() -> tr.Model:
    """A driven four-bar whose crank yields, with a relaxed row."""
    m = tr.Model("relaxed", gravity=(0, 0, -9.81))
    bars = [m.body(name, 1.0, (0.01, 0.1, 0.1), com=(0.25, 0, 0)) for name in ("crank", "rod", "rocker")]
    m.connect(
        tr.Revolute("y"), m.ground, bars[0], law=tr.Servo(lambda t: 0.1 * CLOSED_OVER["gain"] * t),
        compliance={"angle": tr.Spring(100.0, 1.0)},
    )  # fmt: skip
    m.connect(tr.Revolute("y"), bars[0].at(0.4, 0, 0), bars[1])
    m.connect(tr.Revolute("y"), m.ground.at(1, 0, 0), bars[2], compliance={"x": tr.Spring(1e4, 10.0)})
    m.connect(tr.Revolute("y"), bars[1].at(0.9, 0, 0), bars[2].at(0.6, 0, 0), name="pin")
    m.relax("pin.z", lambda s: 1 / (1 + CLOSED_OVER["gain"] * s.multiplier("pin.z") ** 2 * 1e-6))
    m.start.update({"crank.angle": -1.0, "rocker.angle": -1.5})
    return m


MODELS = {"machine": machine, "thrown": thrown, "relaxed": relaxed}


def answers(system: tr.System) -> dict[str, Any]:
    """Numbers of everything that can be derived later, at one arbitrary state, and the settings of the time loop."""
    found: dict[str, Any] = {
        "parameters": system.formulation.default_parameters,
        "start": system.start().q,
        "is": system.describe(),
    }
    others = ["newton_euler"] if system.formalism == "kane" and not system.formulation.parameters.modes else []
    for one in (system, *(system.in_formalism(name) for name in others)):
        groups = {q.group for q in one.quantities.values() if q.of is not None} - {"state", "energy"}
        events = ["events"] if one is system else []  # those that change a state are for joint coordinates
        f = one.formulation
        made = {kind: MAKERS[kind](f) for kind in ("base", "stiff", *events)}
        made |= {f"quantities {group}": f.quantity_functions(group) for group in sorted(groups)}
        for kind, functions in made.items():
            for name, f in functions.items():
                if isinstance(f, Tape):
                    found[f"{one.formalism} {kind} {name}"] = f.rows, f.constants, f.outputs
                elif f is not None:
                    rng = np.random.default_rng(5)
                    given = [rng.uniform(0.2, 0.9, f.size_in(i)) for i in range(f.n_in())]
                    found[f"{one.formalism} {kind} {name}"] = [np.array(ca.DM(v)) for v in f.call(given)]
    problem = make_problem(system.formulation, stiff=False, returns=False, rtol=1e-8)
    found["loop"] = (problem.treatment, list(problem.event_directions), list(problem.event_kinds), problem.contacts)
    found["names"] = [(q.name, q.unit, q.text) for q in system.quantities.values()]
    found["short"] = system.model.resolve("swing")
    return found


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else bool(a == b)


# -- every field -------------------------------------------------------------------------------------------------------

Leaf = tuple[str, Any, Callable[[Any], None]]
OTHER_WORDS = {"x": "y", "y": "x", "sequential": "simultaneous", "stop": "record", "ground": "body", "com": (0.1, 0, 0)}


def leaves(part: Any, path: str, seen: set[int]) -> Iterator[Leaf]:
    """Every number, word, expression and function that a model holds, with the way to put another one in its place."""

    def child(value: Any, where: str, put: Callable[[Any], None]) -> Iterator[Leaf]:
        if isinstance(value, tuple | list):
            for i, one in enumerate(value):
                yield from child(
                    one, f"{where}[{i}]", lambda new, i=i: put(type(value)([*value[:i], new, *value[i + 1 :]]))
                )
        elif isinstance(value, np.ndarray):
            for i in np.ndindex(value.shape):

                def place(new: Any, i: Any = i) -> None:
                    array = value.copy()
                    array[i] = new
                    put(array)

                yield f"{where}{list(i)}", float(value[i]), place
        elif isinstance(value, dict) or (is_dataclass(value) and not isinstance(value, type)):
            yield from leaves(value, where, seen)
        else:
            yield where, value, put

    if id(part) in seen:
        return
    seen.add(id(part))
    if isinstance(part, dict):
        for key, value in part.items():
            yield from child(value, f"{path}[{key}]", lambda new, key=key: part.__setitem__(key, new))
        return
    names = [f.name for f in fields(part)] if is_dataclass(part) else list(vars(part))
    for name in names:
        yield from child(
            getattr(part, name), f"{path}.{name}", lambda new, name=name: object.__setattr__(part, name, new)
        )


def other(value: Any) -> Any:
    """Another value of the same kind; None if there is no other."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, float | int):
        return 1.0000001 * value if value else 1e-7
    if isinstance(value, ca.SX):
        return 1.0000001 * value
    if isinstance(value, str):
        return OTHER_WORDS.get(value)
    if callable(value):
        return lambda *arguments: 1.0000001 * _column(value(*arguments))
    return None


def _column(value: Any) -> Any:
    return ca.vertcat(*value) if isinstance(value, list | tuple) else ca.SX(value)


# What kernels do not depend on: defaults of parameters, pictures, words.
NO_EQUATION = (
    ".value",
    ".unit",
    ".text",
    ".symbol",
    ".shape",
    ".check_inertia",
    ".name",
    ".kind",
    ".size",
    ".moves",
    ".given",
    ".ground.",
)


@pytest.mark.parametrize("name", MODELS)
def test_whatever_is_changed_after_the_build_does_not_reach_the_system(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answers(MODELS[name]().build())
    model = MODELS[name]()
    system = model.build()
    changed = 0
    for path, value, put in list(leaves(model, "model", set())):
        new = other(value)
        if new is not None and not path.endswith((".symbol", ".name")):
            put(new)
            changed += 1
    monkeypatch.setitem(CLOSED_OVER, "gain", 7.0)
    monkeypatch.setattr(Hardening, "effort", lambda self, t, q, u: 0 * q)
    for table in (model.bodies, model.connections, model.forces, model.outputs, model.events, model.start):
        table.clear()
    model.aliases["swing"] = "arm.angle"
    assert changed > 60
    assert same(answers(system), expected)


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", MODELS)
def test_every_number_of_a_model_is_in_its_key(name: str, every: int) -> None:
    """Changed in the seventh digit, one after the other; quickly, each seventh of them."""
    model = MODELS[name]()
    key = fingerprint(model)
    assert key == fingerprint(MODELS[name]())
    untold = []
    for path, value, put in list(leaves(model, "model", set()))[::every]:
        new = other(value)
        if new is None or any(part in path for part in NO_EQUATION):
            continue
        put(new)
        with suppress(ModelError):  # refused is told too
            untold += [path] if fingerprint(model) == key else []
        put(value)
    assert untold == []
    assert fingerprint(model) == key


def test_a_changed_closure_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {name: fingerprint(make()) for name, make in MODELS.items()}
    monkeypatch.setitem(CLOSED_OVER, "gain", 3.0000001)
    assert all(fingerprint(make()) != keys[name] for name, make in MODELS.items())


def test_points_that_differ_in_the_seventh_digit_have_kernels_of_their_own() -> None:
    def height(c: float) -> float:
        m = tr.Model("point")
        length = m.parameter("L", 2.0)
        bob = m.body("bob", mass=1.0, com=(0, 0, -1))
        m.connect(tr.Revolute("y"), m.ground, bob)
        m.output("height", lambda s: s.position(bob.at(0, 0, c * length))[2])
        return float(m.build().simulate(0.01, samples=2).values("height")[0])

    assert height(-1.0000001) == -2.0000002
    assert height(-1.0000004) == -2.0000008


# -- the frozen copy ---------------------------------------------------------------------------------------------------


def test_the_model_of_a_system_refuses_changes() -> None:
    model = machine().build().model
    changes: list[Callable[[], Any]] = [
        lambda: setattr(model, "gravity", (0, 0, 0)),
        lambda: model.start.update({"swing": 1.0}),
        lambda: model.body("another", 1.0),
        lambda: model.parameter("another", 1.0),
        lambda: model.alias("another", "bob.angle"),
        lambda: model.connections["cart"].laws.pop("displacement"),  # type: ignore[attr-defined]
        lambda: model.relax("bob.x", 0.5),
        lambda: model.break_at(1.0),
    ]
    for change in changes:
        with pytest.raises(ModelError, match="built system"):
            change()


def test_a_deep_copy_is_a_model_of_its_own() -> None:
    for make in MODELS.values():
        first = make()
        second = copy.deepcopy(first)
        assert fingerprint(first) == fingerprint(second)
        assert not {id(b) for b in first.bodies.values()} & {id(b) for b in second.bodies.values()}
        second.gravity = (0.0, 0.0, -1.62)
        second.body("more", 1.0)
        assert "more" not in first.bodies and first.gravity != second.gravity
        thawed = copy.deepcopy(first.build().model)
        thawed.gravity = (0.0, 0.0, 0.0)
        assert fingerprint(thawed) != fingerprint(first)


def test_functions_are_not_called_after_the_build() -> None:
    calls: list[int] = []

    def torque(t: Any, q: Any, u: Any) -> Any:
        calls.append(len(calls))
        return 1.0 - q

    m = tr.Model("counted")
    bob = m.body("bob", mass=1.0, inertia=(1, 1, 1))
    m.connect(tr.Revolute("z"), m.ground, bob, law=tr.Motor(torque))
    system = m.build()
    told = len(calls)
    first = system.accelerations({"bob.angle": 0.0})["bob.angle_acceleration"]
    by_newton = system.in_formalism("newton_euler").simulate(1.0, samples=2).values("bob.angle")[-1]
    assert len(calls) == told
    assert by_newton == pytest.approx(first * (1 - math.cos(1.0)), abs=1e-8)


def test_functions_with_varying_results_are_refused() -> None:
    """One of their results would hold during the whole run."""
    calls: list[int] = []

    def torque(t: Any, q: Any, u: Any) -> Any:
        calls.append(len(calls))
        return float(len(calls)) - q

    m = tr.Model("moody")
    bob = m.body("bob", mass=1.0, inertia=(1, 1, 1))
    m.connect(tr.Revolute("z"), m.ground, bob, law=tr.Motor(torque))
    with pytest.raises(tr.TrundleError, match="returns a different expression each time it is called"):
        m.build()


def test_a_class_of_the_user_that_changes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes that cannot be recorded are examined again before anything is derived from them."""

    @dataclass(frozen=True)
    class Groove(tr.Torus):  # type: ignore[misc]
        def sweep(self) -> Any:
            return tr.Torus(2.0 * CLOSED_OVER["gain"], 0.05).sweep()

    m = tr.Model("groove")
    wheel = m.body("wheel", 1.0, 0.01)
    m.connect(tr.HigherPair(tr.Plane(), Groove(1.0, 0.05)), m.ground, wheel, law=tr.NoSlip())
    key = fingerprint(m)
    m.build()
    system = m.build()  # from the cache: nothing is derived yet
    monkeypatch.setitem(CLOSED_OVER, "gain", 4.0)
    assert fingerprint(m) != key
    with pytest.raises(ModelError, match=r"Groove, has changed since\. Build the model again"):
        MAKERS["stiff"](system.formulation)
