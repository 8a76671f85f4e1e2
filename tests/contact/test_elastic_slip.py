"""Springs in place of rolling without slip: a deflection of the tyre that is a state."""

from typing import Any

import numpy as np
import pytest

import trundle as tr

ANGLE, RADIUS, MASS = 0.3, 0.2, 2.0


def rolling(compliance: Any = None, law: Any = None, formalism: str = "kane") -> tr.System:
    """A ball that rolls down a slope."""
    m = tr.Model("slope", gravity=(9.81 * np.sin(ANGLE), 0, -9.81 * np.cos(ANGLE)))
    ball = m.body("ball", MASS, 0.4 * MASS * RADIUS**2)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS))
    m.connect(pair, m.ground, ball, name="road", law=law or tr.NoSlip(), compliance=compliance)
    m.start["ball.position"] = (0, 0, RADIUS)
    return m.build(formalism)


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_rolling_that_yields_converges_to_rolling(formalism: str) -> None:
    """v = 5/7 g sin(angle) t without slip; the error falls as 1 / stiffness."""
    errors = []
    for k in (1e4, 1e5, 1e6):
        spring = tr.Spring(k, 2 * np.sqrt(k))
        run = rolling({"slip_x": spring, "slip_y": spring}, formalism=formalism).simulate(1.0, rtol=1e-11, atol=1e-11)
        assert run.energy.drift < 1e-8
        ideal = 5 / 14 * 9.81 * np.sin(ANGLE) * run.time**2
        errors.append(np.max(np.abs(run.values("ball.position")[:, 0] - ideal)))
        load = 2 / 7 * MASS * 9.81 * np.sin(ANGLE)  # what friction must carry
        assert run.values("road.bristle_x")[-1] == pytest.approx(load / k, rel=1e-3)
        assert run.values("road.slip_force_x")[-1] == pytest.approx(-load, rel=1e-3)
    order = np.diff(np.log10(errors))
    assert np.all((order > -1.1) & (order < -0.9)), errors


def test_one_slip_may_yield_while_the_other_is_held() -> None:
    system = rolling({"slip_x": tr.Spring(1e5, 500.0)})
    assert {s.called: s.element for s in system.graph.seals} | {} == {
        "slip_x": "C", "slip_y": "FC", "normal": "FC", "roll_x": "EC", "roll_y": "EC", "spin": "EC",
        "": "EC",
    }  # fmt: skip
    run = system.simulate(1.0, {"ball.angular_velocity": (3.0, 0, 0), "ball.velocity": (0, -0.6, 0)})
    assert np.max(np.abs(run.values("road.slip_y"))) < 1e-12
    assert run.power.residual.relative < 1e-11


def test_a_spring_on_slip_is_the_same_by_its_name() -> None:
    spring = tr.Spring(1e5, 500.0)
    by_law = rolling(law={"slip_x": spring, "slip_y": spring}).simulate(0.5)
    by_word = rolling({"slip_x": spring, "slip_y": spring}).simulate(0.5)
    assert np.max(np.abs(by_law.values("ball.position") - by_word.values("ball.position"))) < 1e-12
