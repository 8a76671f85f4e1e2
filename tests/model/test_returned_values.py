"""Unusable results of user functions are reported with the line that returned them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trundle as tr

Function = Callable[..., Any]

WRONG = {
    "nothing": None,
    "a pair": (1.0, 2.0),
    "a word": "x",
    "an array": np.zeros(4),
    "a matrix": np.zeros((2, 2)),
    "not a number": float("nan"),
    "a complex number": 1j,
    "a mapping": {"a": 1.0},
}


def pendulum(law: Any = None) -> tuple[tr.Model, tr.Body]:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1))
    m.connect(tr.Revolute("y"), m.ground, bob, law=law)
    return m, bob


def output(f: Function) -> None:
    m, _ = pendulum()
    m.output("height", f, "m")
    m.build()


def event(f: Function) -> None:
    m, _ = pendulum()
    m.event("top", f)
    m.build()


def action(f: Function) -> None:
    m, _ = pendulum()
    m.event("top", lambda s: s["bob.angle"], action={"bob.angle_rate": f})
    m.build()


def state(f: Function) -> None:
    m, _ = pendulum()
    m.state("heat", f, 0.0, "J")
    m.build()


def lag(f: Function) -> None:
    m, _ = pendulum()
    m.block(tr.FirstOrderLag(f, 0.5), "lag")
    m.build()


def wrench(f: Function) -> None:
    m, bob = pendulum()
    m.apply(tr.Wrench(bob, force=f))
    m.build()


def frame(f: Function) -> None:
    m, _ = pendulum()
    platform = m.body("box", mass=1.0, inertia=1.0)
    m.connect(tr.Prismatic("x"), m.moving_frame("platform", position=f), platform)
    m.build()


def coordinate(f: Function) -> None:
    m, _ = pendulum()
    m.apply(tr.CoordinateForce("bob.angle", f))
    m.build()


def friction(f: Function) -> None:
    m = tr.Model("ball")
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, m.body("ball", 1.0, 0.01), law=tr.Coulomb(f))
    m.build()


def signal(f: Function) -> None:
    m, _ = pendulum()
    m.input("torque")
    m.build().simulate(0.1, inputs={"torque": f})


PLACES: dict[str, Function] = {
    "output": output, "event": event, "action": action, "state": state, "lag": lag, "wrench": wrench,
    "frame": frame, "coordinate": coordinate, "friction": friction, "input": signal,
    "motor": lambda f: pendulum(tr.Motor(f))[0].build(),
    "servo": lambda f: pendulum(tr.Servo(f))[0].build(),
}  # fmt: skip


def returning(value: Any) -> Function:
    def helper() -> Any:
        return value

    def law(*_: Any) -> Any:
        return helper()

    return law


LINE = returning(0).__code__.co_firstlineno


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("place", PLACES)
def test_the_line_that_returned_it_is_named(place: str, wrong: str) -> None:
    """That of the law itself, not of what it calls; an input, which is called with numbers, at its beginning."""
    line = LINE if place == "input" else LINE + 1
    with pytest.raises(tr.TrundleError) as caught:
        PLACES[place](returning(WRONG[wrong]))
    assert f"(line {line} of test_returned_values.py)" in str(caught.value)


def test_of_two_laws_the_faulty_one_is_named() -> None:
    m = tr.Model("two")
    m.connect(tr.Revolute("y"), m.ground, m.body("a", 1.0, 0.1), law=tr.Motor(lambda t, q, u: -q))
    m.connect(tr.Revolute("y"), m.ground, m.body("b", 1.0, 0.1), law=tr.Motor(returning((1.0, 2.0))))
    with pytest.raises(tr.TrundleError, match=rf"b\.angle.*line {LINE + 1} of test_returned"):
        m.build()


def test_a_truth_value_is_not_a_number() -> None:
    with pytest.raises(tr.TrundleError, match="returns True, a truth value"):
        pendulum(tr.Motor(returning(True)))[0].build()
    pendulum(tr.Motor(lambda t, q, u: q > 0))[0].build()  # a comparison of symbols is 0 or 1


def test_a_line_force_takes_a_law() -> None:
    m, bob = pendulum()
    with pytest.raises(tr.TrundleError, match=r"give a law on the distance.*tr\.Motor"):
        tr.LineForce(m.ground.at(1, 0, 0), bob, lambda t, q, u: -q)  # type: ignore[arg-type]


def test_a_name_that_is_not_varied() -> None:
    with pytest.raises(KeyError, match=r"no value among those varied called 'stiffnes'\. Did you mean"):
        tr.optimise(lambda v: v["stiffnes"] ** 2, {"stiffness": (1.0, 2.0)})
    found = tr.optimise(lambda v: (v.get("c", 3.0) - v["k"]) ** 2, {"k": (0.0, 4.0)})  # still a dict
    assert found.values["k"] == pytest.approx(3.0, abs=1e-4)
