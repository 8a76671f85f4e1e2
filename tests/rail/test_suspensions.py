"""Suspensions: each against its closed form, and each with its account of energy in a motion in space."""

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import ModelError
from trundle.pairs.discover import final_classes
from trundle.rail.suspension.suspension import Parallel, Suspension

MASS = 100.0

PARTS = {
    "Bushing": rail.Bushing((4e4, 3e4, 5e4), (200, 100, 300), (50, 60, 70)),
    "AntiRollBar": rail.AntiRollBar(300.0, 4.0),
    "SeriesDamper": rail.SeriesDamper(900.0, 3e4, "x"),
    "BumpStop": rail.BumpStop(0.002, 4e6, 1.5, "z"),
    "BumpStopTable": rail.BumpStopTable(((0, 0), (0.002, 0), (0.004, 300), (0.006, 2000)), "y"),
    "AirSpring": rail.AirSpring(5e4, 3e4, 800.0, 1e4, 600.0, 2e4, 100.0),
    "DryFriction": rail.DryFriction(60.0, "x", stiffness=2e5),
    "LenoirSprings": rail.LenoirSprings(3e4, 4e4, 0.02, 5e4, 4e4, 0.3, 0.6, stick=2e5),
    "Parallel": rail.Bushing((4e4, 3e4, 5e4)) + rail.DryFriction(40.0, "y") + rail.AntiRollBar(100.0),
}


def test_every_suspension_has_an_example():
    assert {kind.__name__ for kind in final_classes(Suspension)} == set(PARTS)


@pytest.mark.parametrize("name", PARTS)
def test_energy_of_a_motion_in_space(name):
    """Two bodies that tumble slowly at the ends of the part: nothing but its losses leaves the system."""
    m = tr.Model("pair", gravity=(0, 0, 0))
    a, b = (m.body(n, mass=MASS, inertia=(4, 5, 6)) for n in "ab")
    m.connect(tr.Free(), m.ground, a)
    m.connect(tr.Free(), m.ground, b)
    PARTS[name].add(m, "part", a.frame((0.1, 0.2, 0.3), ("x", 0.2)), b.frame((-0.1, 0.1, 0.2), ((1, 1, 0), 0.1)), 50.0)
    start = {
        "b.position": (0.205, 0.102, 0.101),
        "b.velocity": (0.05, -0.08, 0.04),
        "b.angular_velocity": (0.2, 0.1, 0),
    }
    run = m.build().simulate(1.0, start=start, rtol=1e-11)
    assert run.ok and run.energy.drift < 1e-7  # those with kinks; the smooth ones stay below 1e-9
    momentum = MASS * (run.values("a.velocity") + run.values("b.velocity"))
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(momentum), 1)), atol=1e-9)


def slider(part, axis="z", load=0.0, mass=MASS):
    """A mass that slides along one axis over the part; the load is its weight where the axis is z."""
    m = tr.Model("slider", gravity=(0, 0, -load / mass) if axis == "z" else (0, 0, 0))
    body = m.body("mass", mass=mass, inertia=1.0)
    m.connect(tr.Prismatic(axis), m.ground, body)
    part.add(m, "part", tr.Frame(m.ground), tr.Frame(body), load)
    return m


def test_bushings_carry_their_load_at_rest_and_swing_by_their_stiffness():
    for axis, k in zip("xyz", (4e4, 3e4, 5e4), strict=True):
        m = slider(rail.Bushing((4e4, 3e4, 5e4)), axis, 981.0 if axis == "z" else 0.0)
        system = m.build()
        assert system.accelerations()["mass.displacement_acceleration"] == pytest.approx(0.0, abs=1e-12)
        wanted = np.sqrt(k / MASS)
        assert np.max(np.abs(system.linearise().eigenvalues.imag)) == pytest.approx(wanted, rel=1e-12)


def test_an_anti_roll_bar_resists_roll_only():
    m = tr.Model("bar", gravity=(0, 0, 0))
    body = m.body("body", mass=MASS, inertia=(4.0, 5.0, 6.0))
    m.connect(tr.Free(), m.ground, body)
    rail.AntiRollBar(300.0).add(m, "bar", tr.Frame(m.ground), tr.Frame(body))
    frequencies = np.abs(m.build().linearise().eigenvalues.imag)
    assert np.sum(frequencies > 1e-6) == 2 and np.max(frequencies) == pytest.approx(np.sqrt(300.0 / 4.0), rel=1e-9)


def test_a_series_damper_is_spring_and_damper_by_its_characteristic_equation():
    """m s^2 + c k s / (c s + k) = 0: s (m c s^2 + m k s + c k) = 0."""
    c, k = 900.0, 3e4
    found = slider(rail.SeriesDamper(c, k, "x"), "x").build().linearise().eigenvalues
    wanted = np.append(np.roots([MASS * c, MASS * k, c * k]), 0.0)
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(wanted.astype(complex)), atol=1e-9)


def response(part, omega, amplitude=1e-3, axis="z"):
    """Complex stiffness of a part shaken by a sine, from the last period."""
    m = tr.Model("shaker", gravity=(0, 0, 0))
    body = m.body("mass", mass=1.0, inertia=1.0)
    m.connect(tr.Prismatic(axis), m.ground, body, law=tr.Servo(lambda t: amplitude * tr.sin(omega * t)))
    part.add(m, "part", tr.Frame(m.ground), tr.Frame(body))
    periods, n = 12, 400
    times = np.linspace(0, periods * 2 * np.pi / omega, periods * n + 1)
    run = m.build().simulate(times[-1], samples=len(times), rtol=1e-10)
    names = [name for name in ("part.force", "part_carrier.force") if name.split(".")[0] in m.forces]
    force = sum(np.atleast_2d(run.values(name).T)[-1] for name in names)
    last = slice(len(times) - 1 - n, len(times) - 1)
    return -2j * np.mean(force[last] * np.exp(-1j * omega * times[last])) / amplitude


def test_an_air_spring_has_the_dynamic_stiffness_of_its_springs_and_its_orifice():
    """K = k3 + k1 (k2 + i w c) / (k1 + k2 + i w c) [Oda 1970]."""
    k1, k2, c, k3 = 5e4, 3e4, 800.0, 1e4
    part = rail.AirSpring(k1, k2, c, k3)
    for omega in (3.0, 60.0, 900.0):
        wanted = k3 + k1 * (k2 + 1j * omega * c) / (k1 + k2 + 1j * omega * c)
        assert response(part, omega) == pytest.approx(wanted, rel=2e-5)
    assert part.vertical_stiffness == pytest.approx(k3 + k1 * k2 / (k1 + k2))


def test_air_springs_of_volumes():
    part = rail.AirSpring.of_volumes(load=80e3, area=0.25, bellows=0.03, reservoir=0.06, orifice=2e4, area_slope=0.1)
    assert part.bellows == pytest.approx(1.4 * (80e3 / 0.25 + 101_325) * 0.25**2 / 0.03)
    assert part.reservoir == pytest.approx(part.bellows / 2) and part.area == pytest.approx(32e3)


def test_flow_through_a_quadratic_orifice_follows_from_its_resistance():
    part = rail.AirSpring(5e4, 3e4, 10.0, orifice_quadratic=4000.0)
    m = slider(part, load=0.0)
    state = {"mass.displacement": 0.02}
    push = 5e4 * 0.02
    rate = float(m.build().simulate(1e-3, state).values("part.through_rate")[0])
    assert 10.0 * rate + 4000.0 * rate**2 == pytest.approx(push, rel=1e-12)


def test_bump_stops():
    m = slider(rail.BumpStop(0.01, 4e6, 1.5, "x"), "x")
    system = m.build()
    for d in (-0.03, -0.009, 0.0, 0.01, 0.02):
        wanted = -np.sign(d) * 4e6 * max(abs(d) - 0.01, 0) ** 1.5
        force = system.accelerations({"mass.displacement": d})["mass.displacement_acceleration"] * MASS
        assert force == pytest.approx(wanted, rel=1e-12, abs=1e-9)
    points = ((0, 0), (0.025, 0), (0.03, 600), (0.035, 1760), (0.04, 3730))
    system = slider(rail.BumpStopTable(points, "y"), "y").build()

    def force(d):
        return system.accelerations({"mass.displacement": d})["mass.displacement_acceleration"] * MASS

    for d, f in points:
        assert force(d) == pytest.approx(-f, abs=1e-9) and force(-d) == pytest.approx(f, abs=1e-9)
    inside = [-force(d) for d in np.linspace(0.025, 0.05, 60)]
    assert np.all(np.diff(inside) >= -1e-9)
    assert force(0.05) == pytest.approx(-(3730 + 0.01 * (3730 - 1760) / 0.005), rel=1e-3)


def test_smooth_friction_slides_with_its_limit():
    run = slider(rail.DryFriction(60.0, "x"), "x").build().simulate(1.0, {"mass.displacement_rate": 0.3})
    stop = 0.3**2 / 2 / (60.0 / MASS)
    assert run.values("mass.displacement")[-1] == pytest.approx(stop, rel=5e-3)


def test_sticking_friction_in_a_spring_stops_where_the_exact_solution_does():
    """Mass on a spring k with friction R that sticks by a spring K, let go at x0: half a cycle at a time of sliding,
    x = R/k + (x0 - R/k) cos(w t) while it goes back (after the friction has turned round).
    """
    k, K, R = 4e3, 1e7, 60.0
    m = slider(rail.Bushing((k, 0, 0)) + rail.DryFriction(R, "x", stiffness=K), "x")
    run = m.build().simulate(2.0, {"mass.displacement": 0.1}, rtol=1e-10, samples=2001)
    assert run.ok and run.energy.drift < 1e-9
    slips = [t for name, t in run.events if name.endswith("slips")]
    sticks = [t for name, t in run.events if name.endswith("sticks")]
    half = np.pi / np.sqrt(k / MASS)
    assert sticks[1] - sticks[0] == pytest.approx(half, rel=3e-3)  # a little less: the spring of the sticking
    turns = np.abs(np.interp(sticks, run.time, run.values("mass.displacement")))
    np.testing.assert_allclose(turns[:3], 0.1 - 2 * R / k * np.arange(1, 4), atol=2e-4)
    assert len(slips) >= 3
    sliding = run.values("part_2.slides") != 0
    np.testing.assert_allclose(np.abs(run.values("part_2.force")[sliding]), R, rtol=1e-9)
    assert np.max(np.abs(run.values("part_2.force"))) <= R * (1 + 1e-9)


def test_lenoir_springs_carry_any_load_and_rub_with_a_share_of_it():
    part = rail.LenoirSprings(3e5, 4e5, 0.02, 5e6, 4e6, mu=0.3, link_angle=np.arctan(0.8), stick=1e7)
    assert part.friction == pytest.approx(0.12)
    for load in (3e3, 30e3):  # tare, laden
        wanted = load / 3e5 if load < 6e3 else 0.02 + (load - 6e3) / 7e5
        assert part.compression(load) == pytest.approx(wanted)
        system = slider(part, load=load).build()
        assert system.accelerations()["mass.displacement_acceleration"] == pytest.approx(0.0, abs=1e-9)
        stiff = 3e5 if load < 6e3 else 7e5
        # Pulled up slowly over a distance in which it slides: Dahl's exponential [Dahl 1968].
        m = tr.Model("pull", gravity=(0, 0, 0))
        body = m.body("mass", mass=1.0, inertia=1.0)
        m.connect(tr.Prismatic("y"), m.ground, body, law=tr.Servo(lambda t: 1e-3 * t))
        part.add(m, "part", tr.Frame(m.ground), tr.Frame(body), load)
        run = m.build().simulate(0.5, rtol=1e-10)
        limit, d = 0.12 * load + 1.0, 1e-3 * run.time
        np.testing.assert_allclose(
            -run.values("part_friction.force")[:, 1], limit * (1 - np.exp(-1e7 * d / limit)), atol=1e-6 * limit
        )
        assert system.linearise().eigenvalues.imag.max() == pytest.approx(np.sqrt((stiff + 1e7) / MASS), rel=1e-6)


def test_parts_share_the_load_by_their_stiffness():
    both = rail.Bushing((1, 1, 3e4)) + rail.Bushing((1, 1, 1e4)) + rail.AntiRollBar(1.0)
    assert isinstance(both, Parallel) and len(both.parts) == 3
    m = slider(both, load=1000.0)
    m.build()
    assert [m.forces[f"part_{i}"].along[2].load for i in (1, 2)] == [750.0, 250.0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rail.Bushing((1, 2)), "stiffness has three numbers"),
        (lambda: rail.Bushing((1, 2, -3)), "stiffness must be finite and not negative"),
        (lambda: rail.AntiRollBar(0.0), "stiffness must be greater than zero"),
        (lambda: rail.SeriesDamper(1.0, 1.0, "w"), "axis is 'x' \\(along\\)"),
        (lambda: rail.SeriesDamper(0.0, float("nan")), "stiffness must be finite"),
        (lambda: rail.BumpStop(0.01, 1e5, 0.5), "exponent must be at least 1"),
        (lambda: rail.BumpStopTable(((0, 0), (0.02, 10), (0.01, 20))), "point 3 does not"),
        (lambda: rail.BumpStopTable(((0.1, 0), (0.2, 10))), "first point must be"),
        (lambda: rail.BumpStopTable(((0, 0),)), "at least two"),
        (lambda: rail.AirSpring(1.0, 1.0, 0.0), "orifice must be greater than zero"),
        (lambda: rail.AirSpring.of_volumes(1e4, 0.2, 0.03, 0.0, 1e4), "reservoir must be greater"),
        (lambda: rail.DryFriction(-1.0), "limit must be finite and not negative"),
        (lambda: rail.LenoirSprings(1, 1, 1, 1, 1, 0.3, 2.0), "leans by less than pi/2"),
        (lambda: rail.DraftGear(1e6, friction=1.0), "must be below 1"),
        (lambda: rail.DraftGear(1e6, slack=3.0), "does not fit a length"),
    ],
)
def test_invalid_arguments(make, words):
    with pytest.raises(ModelError, match=words):
        make()
