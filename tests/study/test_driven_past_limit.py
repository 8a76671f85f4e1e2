"""A drive that comes to a limit of its linkage ends the run with the constraint as the cause."""

import numpy as np
import pytest

import trundle as tr


def driven_rocker(speed: float) -> tr.Model:
    """Crank 0.3 m, coupler 0.9 m, rocker 0.8 m, ground 1 m: the rocker can turn only between two angles."""
    m = tr.Model("driven rocker")
    crank, rod, rocker = (m.body(n, 1.0, (0.1, 0.1, 0.1), com=(0.25, 0, 0)) for n in ("crank", "rod", "rocker"))
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3, 0, 0), rod)
    m.connect(tr.Revolute("y"), m.ground.at(1, 0, 0), rocker, law=tr.Servo(lambda t: -1.9 + speed * t))
    m.connect(tr.Revolute("y"), rod.at(0.9, 0, 0), rocker.at(0.8, 0, 0), name="pin")
    m.start = {"crank.angle": -1.0}
    return m


def limit(reach: float) -> float:
    """Angle of the rocker at which crank and coupler lie in one line."""
    return -np.pi + np.arccos((1 + 0.8**2 - reach**2) / (2 * 0.8))


CASES = [(f, m, -1.0) for f in ("kane", "udwadia_kalaba", "newton_euler") for m in ("auto", "order5")]
CASES += [("kane", "stiff", -1.0), ("kane", "auto", 1.0), ("kane", "auto", 0.02), ("kane", "auto", -30.0)]


@pytest.mark.parametrize(("formalism", "method", "speed"), CASES)
def test_the_limit_is_named(formalism: str, method: str, speed: float) -> None:
    run = driven_rocker(speed).build(formalism).simulate(20.0, method=method, samples=2)
    assert run.outcome.startswith("CONSTRAINT") and not run.ok
    assert "prescribed motion of 'rocker.angle' has reached a limit of the mechanism" in run.outcome
    meets = limit(0.9 + 0.3 if speed > 0 else 0.9 - 0.3)
    assert run.trajectory.t_end == pytest.approx((meets + 1.9) / speed, rel=1e-6)


def test_a_case_driven_past_its_limit_ends_in_a_batch_too() -> None:
    m = driven_rocker(-1.0)
    m.parameter("unused", 1.0)
    assert m.build().batch(5.0, parameters={"unused": [1.0, 2.0]}).outcomes == ["CONSTRAINT"] * 2


def test_a_law_that_blows_up_is_not_taken_for_a_limit() -> None:
    m = tr.Model("servo beside a pole")
    arm, cart = m.body("arm", 1.0, (0.1, 0.1, 0.1), com=(0.25, 0, 0)), m.body("cart", 1.0)
    m.connect(tr.Revolute("y"), m.ground, arm, law=tr.Servo(lambda t: t))
    m.connect(tr.Prismatic("x"), m.ground, cart, law=tr.Motor(lambda t, q, u: (1 - t) ** -3.0))
    run = m.build().simulate(2.0)
    assert not run.ok and not run.outcome.startswith("CONSTRAINT") and "limit of the mechanism" not in run.outcome
