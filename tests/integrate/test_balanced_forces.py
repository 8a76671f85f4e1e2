"""Runs from a pose in which forces balance but for round-off: the residual is not a motion to resolve."""

import numpy as np
import pytest

import trundle as tr

FEW = tr.Steps(most=200)
FORMALISMS = ("kane", "newton_euler", "udwadia_kalaba")


def held_arm(angle: float, com: tuple[float, float, float], torque: float) -> tr.System:
    m = tr.Model("held arm")
    arm = m.body("arm", mass=2.0, com=com, inertia=(0.03, 0.03, 0.01))
    m.connect(tr.Revolute("y"), m.ground, arm, law=tr.Damper(0.2))
    m.apply(tr.CoordinateForce("arm.angle", torque))
    m.start = {"arm.angle": angle}
    return m.build()


ARMS = {
    "leaning": held_arm(0.3, (0, 0, -0.2), 2.0 * 9.81 * 0.2 * np.sin(0.3)),
    "level": held_arm(0.0, (0.2, 0, 0), -2.0 * 9.81 * 0.2 * (1 + 2e-16)),
}


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("name", ARMS)
def test_a_held_arm_rests(name: str, formalism: str) -> None:
    run = ARMS[name].simulate(1.0, formalism=formalism, steps=FEW)
    assert run.ok and np.ptp(run.values("arm.angle")) < 1e-13


@pytest.mark.parametrize("name", ARMS)
def test_a_batch_of_held_arms_rests(name: str) -> None:
    batch = ARMS[name].batch(1.0, {"arm.angle": [ARMS[name].model.start["arm.angle"]] * 3})
    assert batch.counts == {"FINISHED": 3}


@pytest.mark.parametrize("height", [0.0, 1.0])
@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_a_mass_that_hovers(height: float, formalism: str) -> None:
    m = tr.Model("hovering")
    mass = m.body("mass", mass=1.7, inertia=0.1)
    m.connect(tr.Prismatic("z"), m.ground, mass)
    m.apply(tr.CoordinateForce("mass.displacement", 1.7 * 9.81 * (1 + 3e-16)))
    run = m.build().simulate(1.0, {"mass.displacement": height}, formalism=formalism, steps=FEW)
    assert run.ok and np.ptp(run.values("mass.displacement")) < 1e-13


@pytest.mark.parametrize("amplitude", [1e-14, 1e-9])
def test_small_swings_are_resolved(amplitude: float) -> None:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
    times = np.linspace(0.0, 3.0, 31)
    run = m.build().simulate(3.0, {"bob.angle": amplitude}, samples=times)
    expected = amplitude * np.cos(np.sqrt(9.81) * times)
    np.testing.assert_allclose(run.values("bob.angle").ravel(), expected, rtol=0, atol=1e-8 * amplitude)
