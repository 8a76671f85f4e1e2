"""System.batch: every case is the run that simulate makes of the same values."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import AssemblyError, SolveError


def _slider_crank() -> tr.Model:
    m = tr.Model("slider-crank")
    length, offset = m.parameter("L", 0.8), m.parameter("offset", 0.0)
    crank = m.body("crank", mass=1.0, inertia=(0.001, 0.02, 0.02), com=(0.15, 0, 0))
    rod = m.body("rod", mass=1.5, inertia=(0.001, 0.1, 0.1), com=(0.4, 0, 0))
    piston = m.body("piston", mass=2.0)
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3, 0, 0), rod)
    m.connect(tr.Prismatic("x"), m.ground.at(0, 0, offset), piston)
    m.connect(tr.Revolute("y"), rod.at(length, 0, 0), piston, name="pin")
    return m


def test_given_start_values_are_held_in_a_loop() -> None:
    system = _slider_crank().build()
    angles = np.array([0.2, 0.5, 0.9, 1.3])
    batch = system.batch(0.5, {"crank.angle": angles, "crank.angle_rate": 5.0}, samples=[0.0, 0.5])
    np.testing.assert_allclose(batch["crank.angle"].values[:, 0], angles, atol=1e-12)
    np.testing.assert_allclose(batch["crank.angle_rate"].values[:, 0], 5.0, atol=1e-12)
    for i, angle in enumerate(angles):
        run = system.simulate(0.5, {"crank.angle": angle, "crank.angle_rate": 5.0}, samples=2)
        np.testing.assert_allclose(batch.end("crank.angle")[i], run.values("crank.angle")[-1], atol=1e-7)


def test_lengths_may_vary_and_start_values_stay() -> None:
    system = _slider_crank().build()
    start, lengths = {"crank.angle": 0.4, "crank.angle_rate": 5.0}, np.array([0.7, 0.8, 1.0])
    batch = system.batch(0.5, start, {"L": lengths}, samples=[0.0, 0.5])
    np.testing.assert_allclose(batch["crank.angle"].values[:, 0], 0.4, atol=1e-12)
    expected = [system.simulate(0.5, start, {"L": v}, samples=2).values("crank.angle")[-1] for v in lengths]
    np.testing.assert_allclose(batch.end("crank.angle"), expected, atol=1e-7)


def test_a_case_that_cannot_be_assembled_is_named() -> None:
    system = _slider_crank().build()
    with pytest.raises(AssemblyError, match="case 1 of the batch"):
        system.batch(0.1, {"crank.angle": 0.5}, {"offset": np.array([0.0, 5.0])})


def test_motions_of_bodies_may_vary() -> None:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, com=(1.0, 0, 0))
    m.connect(tr.Revolute("y"), m.ground, bob)
    system = m.build()
    heights = np.array([-0.3, -0.5])
    batch = system.batch(0.1, {"bob.com_position_z": heights}, samples=[0.0, 0.1])
    np.testing.assert_allclose(np.sin(batch["bob.angle"].values[:, 0]), -heights, atol=1e-10)


def test_quaternions_may_vary() -> None:
    m = tr.Model("ball")
    ball = m.body("ball", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0, 0, -0.5))
    m.connect(tr.Spherical(), m.ground, ball)
    system = m.build()
    poses = np.array([[1.0, 0.3, 0, 0], [2.0, 0, 0.4, 0], [1.0, 0, 0, 1.0]])
    batch = system.batch(0.5, {"ball.quaternion": poses})
    for i, pose in enumerate(poses):
        run = system.simulate(0.5, {"ball.quaternion": pose}, samples=2)
        np.testing.assert_allclose(batch.end("ball.position")[i], run.values("ball.position")[-1], atol=1e-7)
        np.testing.assert_allclose(batch.end("ball.quaternion")[i], run.values("ball.quaternion")[-1], atol=1e-7)


@pytest.mark.parametrize("lengths", [[0.8, np.nan], ["a", "b"], np.ones((2, 2)), []])
def test_parameters_must_be_one_finite_number_for_each_case(lengths: object) -> None:
    with pytest.raises(SolveError):
        _slider_crank().build().batch(0.1, parameters={"L": lengths})


@pytest.mark.parametrize("changes", [{"duration": np.nan}, {"rtol": 0.0}, {"atol": "a"}])
def test_duration_and_tolerances_must_be_positive(changes: dict[str, object]) -> None:
    with pytest.raises(SolveError, match=f"{next(iter(changes))} must be a positive number"):
        _slider_crank().build().batch(**{"duration": 0.1, "parameters": {"L": [0.8, 0.9]}, **changes})  # type: ignore[arg-type]


def test_vectors_and_their_components_are_named_as_in_a_single_run() -> None:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.connect(tr.Revolute("y"), m.ground, bob)
    s = m.build()
    many = s.batch(0.5, {"bob.angle": [0.1, 0.4]}, samples=4)
    one = s.simulate(0.5, {"bob.angle": 0.4}, samples=4, rtol=1e-8, atol=1e-8)
    assert many["bob.com_position"].dims == ("case", "time", "axis")
    for name in ("bob.com_position", "bob.com_position_x", "bob.angle"):
        np.testing.assert_allclose(many[name].values[1], one.values(name), atol=1e-6)
    np.testing.assert_allclose(many.end("bob.com_position_z"), many["bob.com_position_z"].values[:, -1], atol=1e-12)
