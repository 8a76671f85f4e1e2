"""Smooth friction, bristles, rolling resistance and spin friction: closed forms, and the exact law as their limit."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import trundle as tr

MASS, RADIUS, GRAVITY = 7.0, 0.11, 9.81
INERTIA = 0.4 * MASS * RADIUS**2
UPRIGHT = dict.fromkeys(("roll_x", "roll_y", "spin"), tr.Locked())
TIGHT = {"rtol": 1e-12, "atol": 1e-12}
FORMALISMS = pytest.mark.parametrize("formalism", ["kane", "newton_euler"])


def ball(law: Any, gravity: float = GRAVITY, model: tr.Model | None = None, **options: Any) -> tr.Model:
    m = model or tr.Model("bowling ball")
    m.gravity = (0, 0, -gravity)
    body = m.body("ball", MASS, (INERTIA,) * 3)
    if "compliance" in options:
        m.connect(tr.Free(), m.ground, body, name="free")
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS)), m.ground, body, name="lane", law=law, **options)
    m.start["ball.position"] = (0, 0, RADIUS)
    return m


def block(law: tr.LuGre, force: Callable[[Any], Any] | None = None) -> tr.Model:
    """A body that slides and does not turn."""
    m = tr.Model("block")
    body = m.body("block", MASS, (INERTIA,) * 3)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS))
    m.connect(pair, m.ground, body, name="floor", law={"friction": law, **UPRIGHT})
    m.start["block.position"] = (0, 0, RADIUS)
    if force is not None:
        m.apply(tr.Wrench(body, lambda s: (force(s), 0.0, 0.0)), "pull")
    return m


class Sweep:
    """A bowling ball whose law is made from parameters: one model for all their values."""

    def __init__(self, law: Callable[..., Any], **defaults: float) -> None:
        m = tr.Model("sweep")
        made = law(**{name: m.parameter(name, value) for name, value in defaults.items()})
        self.system = ball(made, model=m).build()

    def slip(self, time: float, speed: float, **values: float) -> float:
        start = {"ball.velocity": (speed, 0, 0)}
        return float(self.system.simulate(time, start, values, **TIGHT).values("lane.slip_x")[-1])


# -- convergence to the exact law --------------------------------------------------------------------------------------


def test_regularised_friction_is_of_first_order_in_v0() -> None:
    """sinh(s / v0) falls as exp(-7/2 mu g t / v0): where the exact law ends the slip, s = v0 asinh(1/2) is left."""
    mu, speed = 0.2, 1.5
    stop = 2 * speed / (7 * mu * GRAVITY)
    assert abs(Sweep(tr.Coulomb, mu_static=mu).slip(stop, speed)) < 1e-10
    smooth = Sweep(tr.RegularisedCoulomb, mu=mu, v0=1e-2)
    for v0 in (4e-2, 2e-2, 1e-2):
        assert smooth.slip(stop, speed, v0=v0) == pytest.approx(v0 * np.arcsinh(0.5), rel=1e-7)
    run = smooth.system.simulate(3 * stop, start={"ball.velocity": (speed, 0, 0)})
    assert run.values("ball.velocity")[-1, 0] == pytest.approx(5 / 7 * speed, abs=1e-8)  # whatever v0 is
    assert run.energy.drift < 1e-9


def test_stribeck_is_of_first_order_in_v0_and_in_the_stribeck_speed() -> None:
    """Against the time of sliding with the falling coefficient; Coulomb's law with two coefficients slides longer."""
    high, low, speed = 0.3, 0.2, 1.5
    rate = 3.5 * GRAVITY
    law = Sweep(tr.Stribeck, mu_static=high, mu_kinetic=low, stribeck_speed=0.2, v0=1e-2)

    def sliding(fall: float) -> float:
        """Time of sliding in the limit v0 = 0."""

        def slowness(v: float) -> float:
            return float(1 / (rate * (low + (high - low) * np.exp(-((v / fall) ** 2)))))

        return float(quad(slowness, 0, speed, epsabs=1e-14, points=[fall])[0])

    left = [law.slip(sliding(0.2), speed, v0=v0) for v0 in (1e-2, 5e-3, 2.5e-3)]
    assert left[0] / left[1] == pytest.approx(2.0, rel=0.02)
    assert left[1] / left[2] == pytest.approx(2.0, rel=0.01)
    exact = speed / (rate * low)  # Coulomb
    early = [exact - sliding(fall) for fall in (0.2, 0.1, 0.05)]
    assert early[0] / early[1] == pytest.approx(2.0, rel=1e-6)
    for fall in (0.1, 0.05):  # and the run keeps these times
        assert law.slip(sliding(fall), speed, stribeck_speed=fall, v0=fall / 1e3) < fall / 1e3


def test_lugre_is_of_first_order_in_the_compliance_of_the_bristles() -> None:
    """Bristles bend over a way of mu / sigma0 before they hold: 7/2 mu g mu / (sigma0 v) less slip is lost."""
    mu, speed = 0.2, 1.5
    time = speed / (7 * mu * GRAVITY)  # half way
    exact = speed / 2
    law = Sweep(tr.LuGre, mu_static=mu, mu_kinetic=mu, stiffness=1e4)
    errors = [law.slip(time, speed, stiffness=k) - exact for k in (200.0, 400.0, 800.0)]
    assert errors[2] == pytest.approx(3.5 * mu * GRAVITY * mu / (800.0 * speed), rel=2e-3)
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=5e-3)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=3e-3)


# -- bristles ----------------------------------------------------------------------------------------------------------


def test_bristles_are_a_spring_before_they_slide() -> None:
    """Stiffness sigma0 N: a push far below break-away swings at sqrt(sigma0 g), without loss."""
    stiffness = 1e4
    frequency = np.sqrt(stiffness * GRAVITY)
    speed = 1e-5 * 0.3 / stiffness * frequency  # swings by 1e-5 of what breaks away
    system = block(tr.LuGre(0.3, 0.2, stiffness=stiffness)).build()
    run = system.simulate(2 * np.pi / frequency, start={"block.velocity": (speed, 0, 0)}, rtol=1e-12, atol=1e-18)
    swing = speed / frequency * np.sin(frequency * run.time)
    np.testing.assert_allclose(run.values("block.position_x"), swing, atol=1e-4 * speed / frequency)
    np.testing.assert_allclose(run.values("floor.bristle_x"), swing, atol=1e-4 * speed / frequency)
    force = -stiffness * MASS * GRAVITY * run.values("floor.bristle_x")
    np.testing.assert_allclose(run.values("floor.slip_force_x"), force, atol=1e-12)
    assert run.values("floor.normal_force") == pytest.approx(MASS * GRAVITY)


def test_break_away() -> None:
    """Pulled harder and harder: holds up to mu_static m g, then mu_kinetic m g is left."""
    high, low, stiffness = 0.3, 0.2, 1e5
    weight = MASS * GRAVITY
    law = tr.LuGre(high, low, 0.01, stiffness, 2 * np.sqrt(stiffness / GRAVITY))
    run = block(law, lambda s: 0.4 * weight * s.t).build().simulate(1.0, samples=2001)
    friction = -run.values("floor.slip_force_x") / weight
    holding = run.time < 0.7
    assert np.max(np.abs(run.values("block.position_x")[holding])) < 3 * high / stiffness
    np.testing.assert_allclose(friction[holding], 0.4 * run.time[holding], atol=1e-3)
    assert np.max(friction) == pytest.approx(high, rel=0.02)
    slides = run.time[np.argmax(run.values("block.velocity_x") > 0.01)]
    assert high / 0.4 < slides < high / 0.4 + np.sqrt(0.01 / (0.2 * GRAVITY))  # sooner than with mu_static throughout
    assert friction[-1] == pytest.approx(low, rel=1e-3)


@FORMALISMS
def test_bristles_store_and_lose_but_never_drive(formalism: str) -> None:
    """Power lost minus the rate of N sigma0 z^2 / 2 is not negative (N is constant here); the balance closes."""
    high, low, fall, stiffness, damping, viscous = 0.3, 0.2, 0.05, 1e3, 0.5, 0.25
    law = tr.LuGre(high, low, fall, stiffness, damping, viscous)
    system = block(law, lambda s: 0.5 * MASS * GRAVITY * tr.sin(20 * s.t)).build(formalism)
    run = system.simulate(1.0, start={"block.velocity": (0, 0.1, 0)}, **TIGHT)
    assert run.energy.drift < 1e-9
    v = np.stack([run.values(f"floor.slip_{a}") for a in "xy"])
    z = np.stack([run.values(f"floor.bristle_{a}") for a in "xy"])
    speed = np.linalg.norm(v, axis=0)
    bending = v - stiffness * speed * z / (low + (high - low) * np.exp(-((speed / fall) ** 2)))
    stored = MASS * GRAVITY * stiffness * np.sum(z * bending, axis=0)
    lost = run.values("floor.friction_power")
    assert np.min(lost) < -1e-3  # the bristles give back
    assert np.min(lost - stored) > -1e-10
    assert np.max(np.linalg.norm(z, axis=0)) <= high / stiffness
    force = MASS * GRAVITY * (stiffness * z + damping * bending + viscous * v)
    for k, axis in enumerate("xy"):
        np.testing.assert_allclose(run.values(f"floor.slip_force_{axis}"), -force[k], atol=1e-9)


def wheel_on_roller(law: Any) -> tr.Model:
    """A wheel on a turning roller, whose point of contact is followed, and a ball beside it."""
    m = tr.Model("roller")
    roller, wheel, beside = (m.body(n, 2.0, (0.1, 0.1, 0.1)) for n in ("roller", "wheel", "ball"))
    m.connect(tr.Revolute("y"), m.ground, roller)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, beside, name="floor", law=law)
    m.connect(tr.Free(), m.ground, wheel, name="free")
    m.connect(tr.HigherPair(tr.Cylinder(0.5), tr.Torus(0.3, 0.05)), roller, wheel, name="contact", law=law)
    m.start |= {"wheel.position": (0, 0, 0.8), "free.angular_rate": (0, 3.0, 0.8), "roller.angle_rate": -1.0}
    m.start |= {"ball.position": (1, 0, 0.1), "ball.velocity": (0.4, 0.1, 0)}
    return m


def test_both_formalisms_agree_on_bristles() -> None:
    law = tr.LuGre(0.5, 0.4, stiffness=500.0, damping=0.2)
    start = {"contact.bristle_x": 2e-4, "contact.bristle_y": -1e-4, "floor.bristle_y": 5e-5}
    runs = [wheel_on_roller(law).build(f).simulate(0.3, start=start, **TIGHT) for f in ("kane", "newton_euler")]
    names = [f"{c}.bristle_{a}" for c in ("contact", "floor") for a in "xy"]
    for name in (*names, "wheel.position_x", "roller.angle", "contact.slip_y", "ball.velocity"):
        a, b = (run.values(name) for run in runs)
        np.testing.assert_allclose(a, b, atol=1e-8, err_msg=name)
    first = [runs[0].values(n)[0] for n in names]
    np.testing.assert_allclose(first, [2e-4, -1e-4, 0, 5e-5], atol=1e-15)
    assert all(run.energy.drift < 1e-8 for run in runs)
    assert runs[0].values("contact.bristle_x")[-1] != pytest.approx(2e-4, abs=1e-5)


def test_bristles_keep_their_direction_while_the_contact_axes_turn() -> None:
    """A wheel that turns on the spot: its contact axes turn by 90 degrees, the bent bristles stay with the floor."""
    m = tr.Model("turning")
    wheel = m.body("wheel", 1.0, (0.05, 0.1, 0.05))
    m.connect(tr.Prismatic("z"), m.ground, m.body("hub", 1e-3, (1e-6,) * 3))
    m.connect(tr.Revolute("z"), m.bodies["hub"], wheel, name="turn")
    pair = tr.HigherPair(tr.Plane(), tr.Torus(0.3, 0.05))
    m.connect(pair, m.ground, wheel, name="floor", law=tr.LuGre(0.5, 0.4, stiffness=1e3))
    start = {"hub.displacement": 0.3, "turn.angle_rate": np.pi / 2, "floor.bristle_x": 1e-4}
    run = m.build().simulate(1.0, start=start, **TIGHT)
    assert run.values("turn.angle")[-1] == pytest.approx(np.pi / 2, abs=1e-9)
    assert run.values("floor.bristle_x")[-1] == pytest.approx(0, abs=1e-12)
    assert abs(run.values("floor.bristle_y")[-1]) == pytest.approx(1e-4, abs=1e-12)
    force = run.values("floor.reaction_force")
    np.testing.assert_allclose(force[-1, :2], force[0, :2], atol=1e-9)
    assert abs(force[0, 0]) == pytest.approx(0.1 * (1.0 + 1e-3) * GRAVITY, rel=1e-9)


def test_a_planar_pair_has_one_bristle() -> None:
    m = tr.Model("disc")
    disc = m.body("disc", MASS, (INERTIA,) * 3)
    m.connect(tr.PlanarPair(tr.Line(), tr.Circle(0.3)), m.ground, disc, name="road", law=tr.LuGre(0.3, 0.3))
    m.start |= {"disc.position": (0, 0, 0.3), "disc.velocity": (1.0, 0, 0)}
    system = m.build()
    assert [n for n in system.quantities if "bristle" in n] == ["road.bristle_x"]
    run = system.simulate(0.01)
    assert run.values("road.bristle_x")[-1] == pytest.approx(0.3 / 1e4, rel=1e-6)
    assert run.values("road.bristle_x")[0] == 0.0


# -- rolling resistance and spin friction ------------------------------------------------------------------------------


@FORMALISMS
@pytest.mark.parametrize("beside", [[tr.NoSlip()], [tr.Coulomb(0.4)]], ids=["no slip", "sticking"])
def test_a_rolling_ball_slows_down(beside: list[Any], formalism: str) -> None:
    """(5/7) g lever / R; exact Coulomb friction sticks beside it."""
    lever, speed = 0.002, 2.0
    system = ball([*beside, tr.RollingResistance(lever)]).build(formalism)
    start = {"ball.velocity": (0.8 * speed, 0.6 * speed, 0)}
    start["ball.angular_velocity"] = (-0.6 * speed / RADIUS, 0.8 * speed / RADIUS, 0)
    run = system.simulate(3.0, start=start)
    v = speed - 5 / 7 * GRAVITY * lever / RADIUS * run.time
    np.testing.assert_allclose(run.values("ball.velocity")[:, 0], 0.8 * v, atol=1e-9)
    np.testing.assert_allclose(run.values("ball.velocity")[:, 1], 0.6 * v, atol=1e-9)
    assert run.values("lane.normal_force") == pytest.approx(MASS * GRAVITY)
    np.testing.assert_allclose(run.values("lane.friction_power"), MASS * GRAVITY * lever * v / RADIUS, atol=1e-7)
    assert run.energy.drift < 1e-9


def test_a_ball_comes_to_rest_by_rolling_resistance() -> None:
    system = ball([tr.NoSlip(), tr.RollingResistance(0.01, 1e-2)]).build()
    run = system.simulate(4.0, start={"lane.forward_velocity": 1.0})
    assert run.values("ball.velocity")[0, 0] == pytest.approx(1.0)
    assert abs(run.values("ball.velocity")[-1, 0]) < 1e-9
    assert run.energy.work_lost[-1] == pytest.approx(0.7 * MASS, rel=1e-9)


@pytest.mark.parametrize(
    "options", [{}, {"compliance": tr.Hertz(1e8)}, {"compliance": tr.Spring(1e7)}, {"unilateral": True}],
    ids=["rigid", "hertz", "spring", "unilateral"],
)  # fmt: skip
def test_a_spinning_ball_slows_down(options: dict[str, Any]) -> None:
    """I w' = -mu m g r, on every kind of normal."""
    mu, radius, spin = 0.3, 0.01, 20.0
    m = ball([tr.Coulomb(0.4), tr.RollingResistance(0.001), tr.SpinFriction(radius, mu)], **options)
    weight = MASS * GRAVITY
    depth = {"hertz": (weight / 1e8) ** (2 / 3), "spring": weight / 1e7}
    kind = "hertz" if isinstance(options.get("compliance"), tr.Hertz) else "spring"
    place = (0, 0, RADIUS - (depth[kind] if "compliance" in options else 0))
    start = {"ball.position": place, "ball.angular_velocity": (0, 0, spin)}
    run = m.build().simulate(1.0, start=start, rtol=1e-11, atol=1e-11)
    w = spin - mu * weight * radius / INERTIA * run.time
    np.testing.assert_allclose(run.values("ball.angular_velocity")[:, 2], w, atol=1e-7)
    np.testing.assert_allclose(run.values("lane.friction_power"), mu * weight * radius * w, rtol=1e-4)
    assert run.energy.drift < 1e-8
    assert run.values("ball.velocity")[-1] == pytest.approx([0, 0, 0], abs=1e-7)


def test_friction_also_brakes_a_ball_under_a_ceiling() -> None:
    """A contact that holds both ways and pulls: the moment is proportional to the magnitude of the normal force."""
    lever = 0.002
    run = ball([tr.NoSlip(), tr.RollingResistance(lever)], gravity=-GRAVITY).build().simulate(
        1.0, start={"lane.forward_velocity": 1.0}
    )  # fmt: skip
    assert run.values("lane.normal_force") == pytest.approx(-MASS * GRAVITY)
    assert run.values("ball.velocity")[-1, 0] == pytest.approx(1.0 - 5 / 7 * GRAVITY * lever / RADIUS, rel=1e-9)
    assert np.all(run.values("lane.friction_power") > 0)


def test_rolling_resistance_in_the_plane() -> None:
    """A disc: (I + m R^2) w' = -m g lever."""
    m = tr.Model("disc")
    disc = m.body("disc", MASS, (INERTIA,) * 3)
    law = [tr.NoSlip(), tr.RollingResistance(0.003)]
    m.connect(tr.PlanarPair(tr.Line(), tr.Circle(0.3)), m.ground, disc, name="road", law=law)
    m.start |= {"disc.position": (0, 0, 0.3), "disc.angular_velocity": (0, 5.0, 0)}
    run = m.build().simulate(2.0)
    w = 5.0 - MASS * GRAVITY * 0.003 / (INERTIA + MASS * 0.09) * run.time
    np.testing.assert_allclose(run.values("disc.angular_velocity")[:, 1], w, atol=1e-9)


# -- coefficients ------------------------------------------------------------------------------------------------------


def test_coefficients_are_functions_of_time_place_and_parameters() -> None:
    m = tr.Model("places")
    lever = m.parameter("lever", 0.002, "m")

    def rough(s: Any) -> Any:
        return lever * (1 + s["ball.position_x"])

    system = ball([tr.NoSlip(), tr.RollingResistance(rough, lambda s: 1e-4)], model=m).build()
    for value in (0.002, 0.004):
        run = system.simulate(1.0, start={"lane.forward_velocity": 1.0}, parameters={"lever": value})
        x, v = run.values("ball.position")[:, 0], run.values("ball.velocity")[:, 0]
        energy = v**2 / 2 + 5 / 7 * GRAVITY * value / RADIUS * (x + x**2 / 2)
        assert energy == pytest.approx(0.5, abs=1e-9)
    law = tr.LuGre(lambda s: 0.3 + 0.1 * s.t, lambda s: 0.3 + 0.1 * s.t, stiffness=lambda s: 1e4)
    run = ball(law).build().simulate(0.1, start={"ball.velocity": (3.0, 0, 0)})
    assert run.values("lane.slip_force_x")[-1] == pytest.approx(-0.31 * MASS * GRAVITY, rel=1e-4)
    with pytest.raises(tr.TrundleError, match=r"RollingResistance.*'lane': .*'ball.positon_x'"):
        ball([tr.NoSlip(), tr.RollingResistance(lambda s: s["ball.positon_x"])]).build()


def test_parameters_out_of_range_are_refused() -> None:
    m = tr.Model("wrong")
    mu = m.parameter("mu", 0.3)
    system = ball(tr.LuGre(mu, 0.2), model=m).build()
    with pytest.raises(tr.TrundleError, match=r"'lane': LuGre: mu_kinetic 0.2 is above mu_static 0.1"):
        system.simulate(0.1, parameters={"mu": 0.1})
    m = tr.Model("wrong")
    law = tr.SpinFriction(m.parameter("radius", -0.1), 0.3)
    with pytest.raises(tr.TrundleError, match="SpinFriction: radius must not be negative"):
        ball([tr.NoSlip(), law], model=m).build()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tr.LuGre(0.2, 0.3), "LuGre: mu_kinetic 0.3 is above mu_static 0.2"),
        (lambda: tr.LuGre(0.2, 0.0), "mu_kinetic and stribeck_speed and stiffness must be above zero"),
        (lambda: tr.LuGre(0.3, 0.2, stiffness=0.0), "must be above zero"),
        (lambda: tr.LuGre(0.3, 0.2, damping=-1.0), "damping must not be negative"),
        (lambda: tr.Stribeck(0.2, 0.3), "Stribeck: mu_kinetic 0.3 is above mu_static 0.2"),
        (lambda: tr.Stribeck(0.3, 0.2, v0=0.0), "must be above zero"),
        (lambda: tr.RollingResistance(-0.1), "lever must not be negative"),
        (lambda: tr.RollingResistance(0.1, 0.0), "RollingResistance: v0 must be above zero"),
        (lambda: tr.SpinFriction(0.1, -0.2), "mu must not be negative"),
        (lambda: tr.SpinFriction(0.1, 0.2, 0.0), "SpinFriction: v0 must be above zero"),
        (lambda: tr.SpinFriction(0.1, "rough"), "mu is a number, a parameter or a function"),
        (lambda: tr.RegularisedCoulomb(float("inf")), "mu must be finite"),
        (lambda: ball([tr.NoSlip(), tr.LuGre(0.3, 0.2)]).build(), "sealed 2 times, by NoSlip and LuGre"),
        (lambda: ball([tr.Coulomb(0.3), tr.Stribeck(0.3, 0.2)]).build(), "sealed 2 times, by Coulomb and Stribeck"),
    ],
)
def test_bad_input_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(tr.TrundleError, match=words):
        make()


def test_friction_needs_a_point_of_contact() -> None:
    m = tr.Model("none")
    body = m.body("rod", 1.0, (1, 1, 1))
    for law in (tr.RollingResistance(0.1), tr.LuGre(0.3, 0.2)):
        with pytest.raises(tr.TrundleError, match=r"at a contact point, but a Revolute joint has none"):
            m.connect(tr.Revolute("y"), m.ground, body, law=law)
    pair = tr.PlanarPair(tr.Line(), tr.Circle(0.3))
    with pytest.raises(tr.TrundleError, match=r"SpinFriction.*spin.*PlanarPair does not have"):
        m.connect(pair, m.ground, body, law=tr.SpinFriction(0.1, 0.3))


def test_bristles_are_named_start_values() -> None:
    with pytest.raises(tr.TrundleError, match="bristle"):
        ball(tr.Coulomb(0.3)).build().simulate(0.1, start={"lane.bristle_x": 1e-5})


# -- small motions -----------------------------------------------------------------------------------------------------


def test_small_motions_of_a_block_on_bristles() -> None:
    """At rest s^2 + sigma1 g s + sigma0 g = 0 along and across; sliding down a slope of its own friction, bristles
    relax at the rate sigma0 v / mu.
    """
    mu, stiffness, damping, speed = 0.3, 50.0, 0.2, 0.5
    at_rest = block(tr.LuGre(mu, mu, stiffness=stiffness, damping=damping)).build().linearise()
    assert {"floor.bristle_x", "floor.bristle_y"} < set(at_rest.names) and at_rest.steady
    root = np.roots([1, damping * GRAVITY, stiffness * GRAVITY])[0]
    swinging = [s for s in at_rest.eigenvalues if s.imag > 1]
    np.testing.assert_allclose(swinging, [complex(root.real, abs(root.imag))] * 2, atol=1e-6)
    m = block(tr.LuGre(mu, mu, stiffness=stiffness))
    m.gravity = (mu * GRAVITY, 0, -GRAVITY)
    sliding = m.build().linearise({"block.velocity": (speed, 0, 0), "floor.bristle_x": mu / stiffness})
    assert sliding.steady
    assert np.min(sliding.eigenvalues.real) == pytest.approx(-stiffness * speed / mu, rel=1e-6)
