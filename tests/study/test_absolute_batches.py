"""Batches in absolute coordinates: the motions of the other formalisms, and of single runs."""

import numpy as np
import pytest

import trundle as tr


def slider_crank() -> tr.Model:
    m = tr.Model("slider-crank")
    length = m.parameter("L", 0.8)
    crank = m.body("crank", mass=1.0, inertia=(0.001, 0.02, 0.02), com=(0.15, 0, 0))
    rod = m.body("rod", mass=1.5, inertia=(0.001, 0.1, 0.1), com=(0.4, 0, 0))
    piston = m.body("piston", mass=2.0, inertia=0.01)
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3, 0, 0), rod)
    m.connect(tr.Prismatic("x"), m.ground, piston)
    m.connect(tr.Revolute("y"), rod.at(length, 0, 0), piston, name="pin")
    return m


def test_a_loop_in_lanes_as_by_the_other_formalisms() -> None:
    start = {"crank.angle": np.linspace(0.2, 7.0, 6), "crank.angle_rate": 9.0}
    systems = {name: slider_crank().build(name) for name in ("newton_euler", "kane")}
    lengths = {"L": np.linspace(0.7, 1.0, 6)}
    batch, kane = (s.batch(2.0, start, lengths, samples=5, rtol=1e-10) for s in systems.values())
    assert batch.settings["way"] == "in lanes" and batch.counts == {"FINISHED": 6}
    for name in ("crank.angle", "crank.angle_rate", "piston.displacement", "pin.reaction_force"):
        close = {"rtol": 1e-7, "atol": 1e-7}
        np.testing.assert_allclose(batch[name].values, kane[name].values, **close)  # turns are counted in both
        np.testing.assert_allclose(batch.end(name).values, kane.end(name).values, **close)
    assert np.ptp(batch["crank.angle"].values) > 2 * np.pi
    run = systems["newton_euler"].simulate(2.0, {"crank.angle": 7.0, "crank.angle_rate": 9.0}, {"L": 1.0}, samples=5)
    np.testing.assert_allclose(batch["crank.angle"].values[-1], run.values("crank.angle"), atol=1e-7)
    assert {"crank.angle", "pin.angle"} <= set(batch.dataset)


def test_balls_that_bounce_and_roll() -> None:
    m = tr.Model("ball")
    law, bounce = tr.Coulomb(m.parameter("mu", 0.2)), tr.Poisson(m.parameter("e", 0.6))
    surfaces = tr.HigherPair(tr.Plane(), tr.Sphere(0.1))
    m.connect(surfaces, m.ground, m.body("ball", 1.0, 0.004), name="floor", law=law, restitution=bounce)
    m.start = {"ball.position": (0, 0, 0.3), "ball.velocity": (1.0, 0, 0)}
    values = {"mu": np.array([0.05, 0.2, 0.6]), "e": np.array([0.3, 0.5, 0.7])}
    batch, kane = (m.build(name).batch(2.0, {}, values) for name in ("newton_euler", "kane"))
    for name in ("ball.position", "ball.velocity", "ball.angular_velocity"):
        np.testing.assert_allclose(batch.end(name).values, kane.end(name).values, atol=1e-7)
    assert [len(of_case) for of_case in batch.events] == [len(of_case) for of_case in kane.events]


def test_a_spring_wound_by_more_than_half_a_turn_is_reported_of() -> None:
    m = tr.Model("hinge", gravity=(0, 0, 0))
    m.connect(tr.Revolute("z"), m.ground, m.body("rotor", mass=1.0, inertia=0.1), law=tr.Spring(0.05))
    system, rates = m.build("newton_euler"), np.array([1.0, -4.0, 5.0])
    batch = system.batch(2.0, {"rotor.angle_rate": rates})
    assert batch.outcomes == ["FINISHED", "HALF_TURN", "HALF_TURN"] and list(batch.failed) == [1, 2]
    run = system.simulate(2.0, {"rotor.angle_rate": 5.0})
    assert run.outcome.split(":")[0] in batch.messages[2] and "'rotor.angle' exceeded half a turn" in batch.messages[2]
    assert batch.end("rotor.angle").values[0] == pytest.approx(2**0.5 * np.sin(2**0.5), rel=1e-7)
