"""Motions and forces with closed forms."""

import numpy as np
import pytest

import trundle as tr

G = 9.81


def test_reactions_of_a_compound_pendulum() -> None:
    m = tr.Model("pendulum")
    mass, length, inertia = 2.0, 0.6, 0.3
    bob = m.body("bob", mass=mass, inertia=(inertia, inertia, 0.1), com=(0, 0, -length))
    m.connect(tr.Revolute("y"), m.ground, bob)
    angle, rate = 0.8, 2.3
    a = m.build().accelerations({"bob.angle": angle, "bob.angle_rate": rate})
    alpha = -mass * G * length * np.sin(angle) / (inertia + mass * length**2)
    assert a["bob.angle_acceleration"] == pytest.approx(alpha, rel=1e-13)
    s, c = np.sin(angle), np.cos(angle)
    centre = length * np.array([-c * alpha + s * rate**2, 0, s * alpha + c * rate**2])
    np.testing.assert_allclose(a["bob.reaction_force"], mass * (centre + np.array([0, 0, G])), rtol=0, atol=1e-12)
    np.testing.assert_allclose(a["bob.reaction_moment"], 0, atol=1e-13)


def test_reactions_on_the_other_body_and_in_other_axes() -> None:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.6))
    m.connect(tr.Revolute("y"), m.ground, bob)
    system, state = m.build(), {"bob.angle": 0.8, "bob.angle_rate": 2.0}
    second = system.reactions(state)["bob.reaction_force"]
    first = system.reactions(state, on="first")["bob.reaction_force"]
    turned = system.reactions(state, axes="bob")["bob.reaction_force"]
    np.testing.assert_allclose(first, -second)
    np.testing.assert_allclose(turned, tr.rotation("y", 0.8).T @ second, atol=1e-12)


def test_a_projectile_flies_by_the_closed_form() -> None:
    m = tr.Model("projectile")
    ball = m.body("ball", mass=0.5, inertia=(0.01, 0.02, 0.03), com=(0.1, 0.2, 0.0))
    m.connect(tr.Free(), m.ground, ball)
    run = m.build().simulate(
        1.5, {"ball.x_rate": 3.0, "ball.z_rate": 7.0, "ball.angular_rate": (1.0, 5.0, 0.3)}, samples=16
    )
    p, v = run.values("ball.com_position"), run.values("ball.com_velocity")[0]
    t = run.time[:, None]
    np.testing.assert_allclose(p, p[0] + v * t + np.array([0, 0, -G]) * t**2 / 2, rtol=0, atol=1e-9)
    R, w = run.values("ball.rotation").reshape(-1, 3, 3).transpose(0, 2, 1), run.values("ball.angular_velocity")
    L = np.einsum("tij,jk,tlk,tl->ti", R, np.diag([0.01, 0.02, 0.03]), R, w)
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), rtol=0, atol=1e-10)


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_differential_screw(formalism: str) -> None:
    """A spindle in the ground and a nut that cannot turn: two masses as over a stepped pulley, with redundant rows."""
    m = tr.Model("differential screw")
    coarse, fine = m.parameter("coarse", 0.03), 0.02
    spindle = m.body("spindle", mass=1.5, inertia=(0.3, 0.3, 0.1))
    nut = m.body("nut", mass=4.0, inertia=(0.2, 0.2, 0.2))
    m.connect(tr.Helical("z", pitch=coarse), m.ground, spindle)
    m.connect(tr.Prismatic("z"), m.ground, nut)
    m.connect(tr.Helical("z", pitch=fine), spindle, nut, name="thread")
    system = m.build(formalism)
    assert system.mobility.freedoms == 1
    for value in (0.03, 0.0, -0.05):
        travel = value - fine
        state = {"spindle.angle": 9.0, "nut.displacement": 9.0 * travel}  # more than one turn
        a = system.accelerations(state, {"coarse": value})
        alpha = -G * (1.5 * value + 4.0 * travel) / (0.1 + 1.5 * value**2 + 4.0 * travel**2)
        np.testing.assert_allclose(a["spindle.angular_acceleration"], [0, 0, alpha], atol=1e-9)
        np.testing.assert_allclose(a["nut.acceleration"], [0, 0, travel * alpha], atol=1e-9)
        np.testing.assert_allclose(a["thread.reaction_force"][2], 4.0 * (travel * alpha + G), atol=1e-8)
        run = system.simulate(0.4, state, {"coarse": value}, samples=3)
        assert run.ok, run.outcome
        np.testing.assert_allclose(
            run.values("nut.position")[-1, 2], 9.0 * travel + travel * alpha * 0.4**2 / 2, atol=1e-8
        )


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
@pytest.mark.parametrize("pitch", [0.05, -0.4, 0.0])
def test_screw_falls_by_its_pitch(formalism: str, pitch: float) -> None:
    m = tr.Model("screw")
    nut = m.body("nut", mass=2.0, inertia=(0.3, 0.3, 0.1))
    m.connect(tr.Helical("z", pitch=pitch), m.ground, nut)
    a = m.build(formalism).accelerations()
    alpha = -2.0 * G * pitch / (0.1 + 2.0 * pitch**2)
    np.testing.assert_allclose(a["nut.angular_acceleration"], [0, 0, alpha], atol=1e-12)
    np.testing.assert_allclose(a["nut.acceleration"], [0, 0, pitch * alpha], atol=1e-12)
    np.testing.assert_allclose(a["nut.reaction_force"], [0, 0, 2.0 * (pitch * alpha + G)], atol=1e-12)
    np.testing.assert_allclose(a["nut.reaction_moment"], [0, 0, 0.1 * alpha], atol=1e-12)


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_bead_on_a_turning_rod(formalism: str) -> None:
    """Driven about the vertical at a steady rate: centrifugal acceleration along, Coriolis force across."""
    m = tr.Model("bead", gravity=(0, 0, 0))
    rod = m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    bead = m.body("bead", mass=0.3, inertia=(0.01, 0.01, 0.01))
    m.connect(tr.Revolute("z"), m.ground, rod, law=tr.Servo(lambda t: 3.0 * t))
    m.connect(tr.Prismatic("x"), rod, bead)
    run = m.build(formalism).simulate(0.8, {"bead.displacement": 0.5}, samples=9, rtol=1e-12, atol=1e-12)
    t = run.time
    r, rate = 0.5 * np.cosh(3.0 * t), 1.5 * np.sinh(3.0 * t)
    np.testing.assert_allclose(run.values("bead.displacement"), r, rtol=1e-9)
    coriolis = 0.3 * 2 * 3.0 * rate
    force = run.values("bead.reaction_force")
    np.testing.assert_allclose(-np.sin(3 * t) * force[:, 0] + np.cos(3 * t) * force[:, 1], coriolis, atol=1e-7)
    np.testing.assert_allclose(run.values("rod.angle_drive"), coriolis * r, atol=1e-7)
    assert run.energy.drift < 1e-9
