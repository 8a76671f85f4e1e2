"""Laws on the bonds of a contact: resistances, prescribed slip, and a spring on the normal."""

import numpy as np
import pytest

import trundle as tr

RADIUS, MASS, DAMPING, STIFFNESS = 0.2, 2.0, 3.0, 1e6
INERTIA = 0.4 * MASS * RADIUS**2


def lever(way: str) -> float:
    """Height of the centre: an elastic contact is in the plane."""
    return RADIUS - (9.81 * MASS / STIFFNESS if way == "elastic" else 0.0)


def ball(way: str) -> tr.Model:
    """A ball on a plane with viscous slip: contact in the tree, by six seals, closing a loop, or elastic."""
    m = tr.Model(f"ball {way}")
    body = m.body("ball", MASS, (INERTIA,) * 3)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS))
    law = {"slip_x": tr.Damper(DAMPING), "slip_y": tr.Damper(DAMPING)}
    if way in ("loop", "elastic"):
        m.connect(tr.Free(), m.ground, body, name="free")
        m.start["ball.position"] = (0, 0, lever(way))
    if way == "seals":
        open_ = dict.fromkeys(("rx", "ry", "rz"), tr.Open())
        sealed = tr.Connection(
            x=law["slip_x"], y=law["slip_y"], z=tr.Locked(), surfaces=(tr.Plane(), tr.Sphere(RADIUS)), **open_
        )
        m.connect(sealed, m.ground, body, name="contact")
    else:
        spring = tr.Spring(STIFFNESS, 2e3) if way == "elastic" else None
        m.connect(pair, m.ground, body, name="contact", law=law, compliance=spring)
    return m


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
@pytest.mark.parametrize("way", ["tree", "seals", "loop", "elastic"])
def test_viscous_slip_dies_out_as_it_should(way: str, formalism: str) -> None:
    """m v' = -c s, I w' = c R s with slip s = v - R w: s = s0 exp(-c (1/m + R^2/I) t)."""
    system = ball(way).build(formalism)
    method = "stiff" if way == "elastic" else "auto"
    run = system.simulate(2.0, start={"ball.velocity": (1.0, 0.3, 0.0)}, method=method)
    decay = np.exp(-DAMPING * (1 / MASS + lever(way) ** 2 / INERTIA) * run.time)
    assert np.max(np.abs(run.values("contact.slip_x") - decay)) < 1e-9
    assert np.max(np.abs(run.values("contact.slip_y") - 0.3 * decay)) < 1e-9
    np.testing.assert_allclose(run.values("contact.slip_force_x"), -DAMPING * decay, atol=1e-8)
    assert run.values("contact.normal_force")[-1] == pytest.approx(9.81 * MASS, rel=1e-9)
    assert run.energy.drift < 1e-8
    assert np.all(np.diff(run.energy.work_lost) > -1e-12)


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_a_belt_prescribes_the_slip(formalism: str) -> None:
    m = tr.Model("belt")
    body = m.body("ball", MASS, (INERTIA,) * 3)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS))
    law = {"slip_x": tr.Flow(lambda t, q: 0.5 * tr.sin(t)), "slip_y": tr.Locked()}
    m.connect(pair, m.ground, body, name="contact", law=law)
    run = m.build(formalism).simulate(3.0)
    assert np.max(np.abs(run.values("contact.slip_x") - 0.5 * np.sin(run.time))) < 1e-13
    assert np.max(np.abs(run.values("contact.slip_y"))) < 1e-13
    # the force F gives m v' = F and I w' = -F R, so v takes I / (I + m R^2) of the slip
    share = INERTIA / (INERTIA + MASS * RADIUS**2)
    np.testing.assert_allclose(run.values("ball.velocity")[:, 0], share * 0.5 * np.sin(run.time), atol=1e-9)
    assert run.energy.drift < 1e-9


def test_rolling_and_spin_resist_by_their_laws() -> None:
    """On a no-slip ball a damper on the rolling bond takes k w: (I + m R^2) w' = -k w; spin: I w' = -k w."""
    m = tr.Model("resisting")
    body = m.body("ball", MASS, (INERTIA,) * 3)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS))
    law = {"": tr.NoSlip(), "roll_y": tr.Damper(0.05), "roll_x": tr.Damper(0.05), "spin": tr.Damper(0.01)}
    m.connect(pair, m.ground, body, name="contact", law=law)
    run = m.build().simulate(2.0, start={"ball.angular_velocity": (0.0, 5.0, 3.0)})
    w = run.values("ball.angular_velocity")
    rolling = 5.0 * np.exp(-0.05 / (INERTIA + MASS * RADIUS**2) * run.time)
    np.testing.assert_allclose(np.hypot(w[:, 0], w[:, 1]), rolling, atol=1e-9)
    np.testing.assert_allclose(w[:, 2], 3.0 * np.exp(-0.01 / INERTIA * run.time), atol=1e-9)


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_an_elastic_wheel_keeps_its_energy_balance(formalism: str) -> None:
    """A rolling, wobbling torus on a soft normal: the gap is the true distance, so its spring is conservative."""
    m = tr.Model("soft wheel")
    wheel = m.body("wheel", 1.0, (0.05, 0.1, 0.05))
    m.connect(tr.Free(), m.ground, wheel, name="free")
    m.connect(
        tr.HigherPair(tr.Plane(), tr.Torus(0.3, 0.05)), m.ground, wheel, name="contact", compliance=tr.Spring(1e4),
        law={"slip_x": tr.Damper(2.0), "spin": tr.Damper(0.1)},
    )  # fmt: skip
    start = {"wheel.position": (0, 0, 0.3), "free.angular_rate": (0.3, 8.0, 0.5)}
    run = m.build(formalism).simulate(1.0, start=start, rtol=1e-12, atol=1e-12)
    assert run.energy.drift < 1e-10
    assert np.min(run.values("contact.gap")) < -5e-4
    assert run.energy.work_lost[-1] > 1.0


def test_a_body_on_a_spring_alone_floats() -> None:
    """It sinks to m g / k and stays."""
    m = tr.Model("alone")
    body = m.body("ball", MASS, (INERTIA,) * 3)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS)), m.ground, body, "floor", compliance=tr.Spring(1e4, 3e2))
    run = m.build().simulate(2.0, {"ball.position": (0, 0, RADIUS)})
    assert run.values("floor.gap")[-1] == pytest.approx(-MASS * 9.81 / 1e4, rel=1e-9)
