"""Ready vehicles against weights by hand, planar closed forms, Newton's law in the ground and Klingel's wavelength."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

import trundle as tr
from trundle import rail
from trundle.errors import ModelError
from trundle.view.scene.make import make_scene

STRAIGHT = rail.Alignment([rail.Straight(2000)])
CAR = rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9)


def ride(vehicle, speed=0.0, line=STRAIGHT, start=50.0, gravity=9.81):
    """Model of a vehicle on a line, and its data there."""
    m = tr.Model("ride", gravity=(0, 0, -gravity))
    return m, vehicle.add(rail.Ride.on(m, line, rail.UniformTravel(speed), start))


def without_dampers(vehicle):
    """The same vehicle with springs alone."""

    def bare(suspension):
        return replace(suspension, damping=(0.0, 0.0, 0.0)) if isinstance(suspension, rail.Bushing) else suspension

    box = replace(vehicle.bogie.axle_box, suspension=bare(vehicle.bogie.axle_box.suspension))
    secondary = tuple(replace(mount, suspension=bare(mount.suspension)) for mount in vehicle.secondary)
    return replace(vehicle, bogie=replace(vehicle.bogie, axle_box=box), secondary=secondary)


def all_at_one_height(vehicle, z=0.46):
    """The same vehicle with all bodies and suspensions at one height: lateral and vertical motions do not mix."""
    box = replace(vehicle.bogie.axle_box, height=z)
    bogie = replace(vehicle.bogie, height=z, axle_box=box)
    secondary = tuple(replace(mount, height=z) for mount in vehicle.secondary)
    return replace(vehicle, body=replace(vehicle.body, height=z), bogie=bogie, secondary=secondary)


def frequencies(vehicle, **options):
    """Hz, of a vehicle on held wheelsets."""
    m, _ = ride(vehicle.on_fixed_wheelsets(), **options)
    found = m.build().linearise().eigenvalues
    assert np.max(np.abs(found.real)) < 1e-9
    return np.abs(found.imag[found.imag > 0]) / (2 * np.pi)


def near(found, wanted):
    return found[np.argmin(np.abs(found - wanted))]


def planar(mass, stiffness):
    """Hz."""
    return np.sqrt(eigh(stiffness, mass, eigvals_only=True)) / (2 * np.pi)


def test_manchester_vehicle_on_held_wheelsets_has_the_frequencies_of_planar_models():
    """Bounce, pitch and yaw of car and bogies on springs in a plane: 1.074 and 7.47 Hz, 1.299 Hz, 0.858 Hz."""
    data = rail.vehicle_data("manchester_vehicle_1")
    car, bogie = data["car"], data["bogie"]
    kx, ky, kz = np.array(data["secondary"]["stiffness"]) * 2  # of one bogie
    px, py, pz = np.array(data["primary"]["stiffness"]) * 4
    a, half = data["half_centres"], bogie["half_wheelbase"]
    bounce = planar(np.diag([car["mass"], 2 * bogie["mass"]]), 2 * np.array([[kz, -kz], [-kz, kz + pz]]))
    # Pitch of the car with the bogies going up and down; their own pitch is held by the bending springs only.
    bend = 2 * data["secondary"]["turning_stiffness"][1]
    mass = np.diag([car["inertia"][1], 2 * bogie["mass"], 2 * bogie["inertia"][1]])
    stiffness = 2 * np.array(
        [[kz * a**2 + bend, -kz * a, -bend], [-kz * a, kz + pz, 0.0], [-bend, 0.0, bend + pz * half**2]]
    )
    pitch = planar(mass, stiffness)
    # Yaw of the car with the bogies going sideways and turning.
    turn = kx * 1.0**2
    mass = np.diag([car["inertia"][2], 2 * bogie["mass"], 2 * bogie["inertia"][2]])
    stiffness = 2 * np.array(
        [[ky * a**2 + turn, -ky * a, -turn], [-ky * a, ky + py, 0.0], [-turn, 0.0, turn + py * half**2 + px]]
    )
    yaw = planar(mass, stiffness)
    assert bounce == pytest.approx([1.074, 7.47], rel=5e-4)
    assert pitch[0] == pytest.approx(1.299, abs=5e-4) and yaw[0] == pytest.approx(0.858, abs=5e-4)
    found = frequencies(all_at_one_height(without_dampers(rail.manchester_vehicle())), gravity=0.0)
    for wanted in (*bounce, *pitch, *yaw):
        assert near(found, wanted) == pytest.approx(wanted, rel=1e-9)


@pytest.fixture(scope="module")
def manchester():
    line = rail.Alignment([rail.Straight(40), rail.Sine(80, 600, 0.15), rail.Arc(600, 400, 0.15)])
    m, placed = ride(rail.manchester_vehicle(), speed=20.0, line=line, start=20.0)
    return m.build(), placed


def test_manchester_vehicle_stands_on_its_wheels(manchester):
    system, placed = manchester
    run = system.simulate(0.05, samples=11)
    wanted = 9.81 * (32000 + 2 * 2615 + 4 * 1813) / 8
    assert wanted == pytest.approx(54546, abs=0.5)
    assert [wheel.wheelset for wheel in placed.wheels] == ["w1", "w1", "w2", "w2", "w3", "w3", "w4", "w4"]
    for wheel in placed.wheels:
        load = run.values(f"{wheel.contact}.normal_force") * np.cos(run.values(f"{wheel.contact}.contact_angle"))
        assert load[0] == pytest.approx(wanted, rel=1e-9)
        assert run.values(f"{wheel.contact}.Q")[0] == pytest.approx(wanted, rel=2e-3)  # spin adds a lateral force
        force = run.values(f"{wheel.contact}.contact_force")
        parts = ("normal_force", "longitudinal_creep_force", "lateral_creep_force")
        sizes = [run.values(f"{wheel.contact}.{part}") for part in parts]
        assert np.linalg.norm(force, axis=1) == pytest.approx(np.linalg.norm(sizes, axis=0), rel=1e-12)
    arrows = {arrow.name: arrow for arrow in make_scene(run, plots=()).arrows if arrow.layer == "contact forces"}
    assert sum(arrow.vectors[0, 2] for arrow in arrows.values()) == pytest.approx(8 * wanted, rel=2e-3)
    left, right = (run.values(f"{placed.wheels[i].contact}.contact_point")[0] for i in (0, 1))
    assert left[1] - right[1] == pytest.approx(1.5, abs=0.03) and abs(left[2]) < 2e-3  # on the rails
    assert run.values("car.acceleration")[0] == pytest.approx(0.0, abs=1e-6)
    assert run.values("front_bogie.acceleration")[0] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.slow
def test_manchester_vehicle_in_a_curve(manchester):
    """Weight and centripetal force in the arc, Newton's law in the ground, energy."""
    system, placed = manchester
    run = system.simulate(18.0, method="stiff", rtol=1e-6)
    assert run.ok and run.energy.drift < 1e-9
    mass, tilt, a = 44482.0, np.arcsin(0.15 / 1.5), 20.0**2 / 600
    assert mass == rail.manchester_vehicle().mass
    Q = sum(run.values(f"{wheel.contact}.Q")[-1] for wheel in placed.wheels)
    assert pytest.approx(mass * (9.81 * np.cos(tilt) + a * np.sin(tilt)), rel=1e-4) == Q
    assert float(abs(system.inertial_residual(run)).max()) < 1e-12  # of what cancels


@pytest.mark.slow
def test_y25_wagon_on_held_wheelsets_rests_and_bounces_by_the_springs_that_carry():
    """Tare the outer springs carry alone, laden the inner ones too; small motions stick in their friction."""
    data = rail.vehicle_data("y25_wagon")["axle_box"]
    for load, both in (("tare", False), ("laden", True)):
        wagon = rail.y25_wagon(load)
        box = wagon.bogie.axle_box.suspension
        on_box = 9.81 * (wagon.body.mass + 2 * wagon.bogie.mass) / 8
        assert (box.compression(on_box) > box.play) == both
        assert box.friction == pytest.approx(0.12, abs=2e-3)
        stiffness = data["outer"] + both * data["inner"]
        bounce = np.sqrt(8 * stiffness / (wagon.body.mass + 2 * wagon.bogie.mass)) / (2 * np.pi)
        assert 1.5 < bounce < 4.0
    m, _ = ride(wagon.on_fixed_wheelsets())
    system = m.build()
    for name, value in system.accelerations().items():
        if name.endswith("_acceleration"):
            assert value == pytest.approx(0.0, abs=1e-9)


def cones(amplitude=1e-4):
    geometry = rail.ContactGeometry(rail.Profile.cone(0.05), rail.Profile.arc(0.3))
    return rail.Wheelset(1813, (1120, 112, 1120), rail.Contact(geometry, rail.ShenHedrickElkins(0.4)))


def test_a_single_wheelset_stands_under_its_load_and_is_pulled_back_by_its_springs():
    part = rail.SingleWheelset(cones(), rail.Bushing((5e6, 2e5, 0.0)), load=50e3)
    m, placed = ride(part, speed=1.0)
    run = m.build().simulate(0.02, samples=3)
    for wheel in placed.wheels:
        assert run.values(f"{wheel.contact}.Q")[0] == pytest.approx((50e3 + 9.81 * 1813) / 2, rel=2e-3)
    assert part.reach == (0.0, 0.0) and part.mass == 1813


@pytest.mark.slow
def test_wavelength_of_profiles_is_klingels_for_their_equivalent_conicity():
    """S1002 on 60E1 at 1 m/s. Rolling without slip on the contact table: Y' = yaw and yaw' = -dr / (2 b r), with
    Y = y + r roll; so conicity is that of dr over Y.
    """
    axle, r = rail.manchester_vehicle().bogie.wheelset, 0.46
    left, right = (axle.contact.tables[side] for side in ("left", "right"))

    def both(y, roll):
        return left(y + r * roll, roll), right(-y - r * roll, -roll)

    def apart(roll, y):
        a, b = both(y, roll)
        return float(a.gap - b.gap)

    y = np.linspace(-3e-3, 3e-3, 81)
    roll = np.array([brentq(apart, -3e-3, 3e-3, args=(one,), xtol=1e-14) for one in y])
    pairs = [both(*one) for one in zip(y, roll, strict=True)]
    dr = np.array([float(a.radius - b.radius) for a, b in pairs])
    half = axle.contact.geometry.side("left").rail_origin + float(left(0.0, 0.0).place)
    m, _ = ride(rail.SingleWheelset(axle, rail.Bushing((1.0, 0.0, 0.0))), speed=1.0)
    system = m.build()
    for start in (1e-3, 3e-3):
        run = system.simulate(11.0, {"axle.y": start}, method="stiff", samples=4001)
        found, t = run.values("axle.y"), run.time
        rise = np.flatnonzero(np.diff(np.sign(found)))
        zero = t[rise] - found[rise] * (t[rise + 1] - t[rise]) / (found[rise + 1] - found[rise])
        amplitude = np.max(np.abs(found[(t >= zero[0]) & (t <= zero[1])]))
        conicity = rail.equivalent_conicity(y + r * roll, dr, amplitude + r * np.interp(amplitude, y, roll))
        klingel = 2 * np.pi * np.sqrt(r * half / conicity)
        assert 2 * (zero[1] - zero[0]) == pytest.approx(klingel, rel=2e-3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rail.AxleBox(3.0), "suspension must be one such as rail.Bushing"),
        (lambda: rail.AxleBox(rail.AntiRollBar(1.0)), "carries nothing"),
        (lambda: rail.AxleBox(rail.Bushing((1e6, 1e6, 1e6)), 1000.0), "AxleBox: half_width is 1000 m, .* given in mm"),
        (lambda: rail.SingleWheelset(cones(), rail.Bushing((1e6, 1e6, 1e6)), 60e3), "half_width is 60000 m"),
        (lambda: rail.Mount("spring", None, 1.0), "suspension must be one such as"),
        (lambda: rail.CarBody(-1, (1, 1, 1), 1), "mass must be finite and not negative"),
        (lambda: rail.CarBody(1, (1, 1), 1), "inertia has three numbers"),
        (lambda: rail.CarBody(1, (1, 1, 1), 1, half_length=0.0), "half_length must be greater"),
        (lambda: rail.Bogie(1, (1, 1, 1), 1, cones(), 3, 1.0), "axle_box must be a rail.AxleBox"),
        (lambda: replace(rail.manchester_vehicle(), half_centres=1.0), "the bogies would meet"),
        (lambda: replace(rail.manchester_vehicle(), secondary=()), "no part of `secondary` carries"),
        (lambda: replace(rail.manchester_vehicle(), body=3), "body must be a rail.CarBody"),
        (
            lambda: replace(rail.manchester_vehicle().bogie, wheelset=CAR),
            "wheelset must be a rail.Wheelset, got CarBody",
        ),
        (lambda: rail.Wagon(CAR, CAR, rail.manchester_vehicle().bogie.axle_box, 8.0), "Wagon: wheelset must be"),
        (lambda: rail.SingleWheelset(CAR, rail.Bushing((1e6, 1e6, 1e6))), "SingleWheelset: wheelset must be"),
        (lambda: replace(rail.manchester_vehicle().bogie.wheelset, mass=-1.0), "Wheelset: mass must be finite and not"),
        (lambda: replace(rail.manchester_vehicle().bogie.wheelset, inertia=(1.0, 2.0)), "Wheelset: inertia"),
        (lambda: replace(rail.manchester_vehicle().bogie.wheelset, contact=3), "contact must be a rail.Contact"),
        (lambda: rail.manchester_vehicle(mu=0.0), "mu"),
        (lambda: rail.y25_wagon("full"), "load is 'tare' or 'laden'"),
        (lambda: rail.vehicle_data("tgv"), "no data of a vehicle called 'tgv'"),
        (lambda: rail.cooperrider_vehicle(cones().contact), "give its ContactGeometry radius=0.425"),
        (lambda: rail.SingleWheelset(cones(), rail.Bushing((1, 1, 1)), load=-1.0), "load must not be negative"),
    ],
)
def test_invalid_arguments(make, words):
    with pytest.raises(ModelError, match=words):
        make()
