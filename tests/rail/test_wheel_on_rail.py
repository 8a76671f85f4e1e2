"""A wheelset and a wagon on rails, against rigid geometry, symmetry, Newton's law in the ground and weights by hand."""

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import ModelError
from trundle.rail.track.line import plan_table, row_table

MASS, RADIUS = 1813.0, 0.46


def wheelset(geometry, law):
    """A single wheelset on straight track, in a frame that moves at its speed."""
    m = tr.Model("wheelset")
    v = m.parameter("speed", 1.0, "m/s")
    track = m.moving_frame("track", position=lambda s: (v * s.t, 0, 0))
    part = rail.Wheelset(MASS, (1120, 112, 1120), rail.Contact(geometry, law))
    part.add(m, "axle", track)
    return m.build(), part


@pytest.fixture(scope="module")
def cones():
    geometry = rail.ContactGeometry(rail.Profile.cone(0.05), rail.Profile.arc(0.3))
    return (*wheelset(geometry, rail.ShenHedrickElkins(0.4)), geometry)


def roll_along(cones, y, speed=1.0, **options):
    system, part, _ = cones
    start = {**part.start("axle", speed, 0.0), "axle.y": y}
    return system.simulate(40.0 / speed, start=start, parameters={"speed": speed}, method="stiff", **options)


def test_wavelength_is_that_of_the_rigid_geometry(cones):
    """Rolling without slip: yaw' = -conicity y / (r b), y' + r roll' = yaw, at 1 m/s."""
    run = roll_along(cones, 1e-4, samples=4001)
    y, t = run.values("axle.y"), run.time
    rise = np.flatnonzero(np.diff(np.sign(y)))
    zero = t[rise] - y[rise] * (t[rise + 1] - t[rise]) / (y[rise + 1] - y[rise])
    at = cones[2].contact(1e-4)
    conicity, b = at.radius_difference / 2e-4, at.left.lateral
    wanted = 2 * np.pi * np.sqrt(RADIUS * b * (1 + RADIUS * at.roll / 1e-4) / conicity)
    assert 2 * np.diff(zero) == pytest.approx(wanted, rel=2e-3)
    klingel = 2 * np.pi * np.sqrt(RADIUS * cones[2].tape_distance / 2 / 0.05)
    assert abs(wanted - klingel) > 0.01 * klingel  # roll and the rail's radius count


def test_weight_energy_and_mirror(cones):
    run, mirrored = (roll_along(cones, y, 10.0, rtol=1e-9) for y in (5e-4, -5e-4))
    loads = [run.values(f"axle_{side}.Q") for side in ("left", "right")]
    assert np.mean(loads[0][-100:] + loads[1][-100:]) == pytest.approx(MASS * 9.81, rel=1e-4)
    assert run.energy.drift < 1e-9
    for one, other, sign in (
        ("axle.y", "axle.y", -1), ("axle.rz", "axle.rz", -1), ("axle_left.Q", "axle_right.Q", 1),
        ("axle_left.lateral_creepage", "axle_right.lateral_creepage", -1), ("axle_left.Y", "axle_right.Y", 1),
    ):  # fmt: skip
        found, seen = run.values(one), mirrored.values(other)
        assert found == pytest.approx(sign * seen, abs=1e-6 * np.max(np.abs(found)))
    lost = sum(run.values(f"axle_{side}.power_lost") for side in ("left", "right"))
    assert np.min(lost) > -1e-9 * np.max(lost)


def test_a_wheel_that_slides_is_braked_by_all_friction_has(cones):
    system, part, _ = cones
    start = {**part.start("axle", 10.0, 0.0), "axle_spin.angle_rate": 0.0}
    run = system.simulate(0.02, start=start, parameters={"speed": 10.0}, method="stiff", samples=21)
    pull = sum(run.values(f"axle_{side}.longitudinal_creep_force") for side in ("left", "right"))
    weight = sum(run.values(f"axle_{side}.normal_force") for side in ("left", "right"))
    assert pull == pytest.approx(-0.4 * weight, rel=1e-2)
    assert run.values("axle_spin.angle_rate")[-1] > 0


# -- a wagon on a curve ------------------------------------------------------------------------------------------------


CAR, BEAM = 20e3, 2.1e5  # kg, kg m^2 about the vertical
LINE = rail.Alignment(
    [rail.Straight(40), rail.Sine(length=80, radius=600, cant=0.15), rail.Arc(radius=600, length=2000, cant=0.15)]
)


def wagon(line=LINE, **options):
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(MASS, (1120, 112, 1120), contact)
    suspension = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    return rail.Trip(rail.Wagon(rail.CarBody(CAR, (3e4, 2e5, BEAM), 1.9), axle, suspension, 8.0), line, **options).model


@pytest.fixture(scope="module")
def wagon_system():
    return wagon(speed=30.0).build()


@pytest.fixture(scope="module")
def trip(wagon_system):
    return wagon_system.simulate(12.0, method="stiff", rtol=1e-6)


def wheel_forces(run, which):
    return {
        (axle, side): run.values(f"{axle}_{side}.{which}") for axle in ("front", "rear") for side in ("left", "right")
    }


def test_in_the_arc_the_rails_carry_weight_and_turn_the_wagon(trip):
    assert trip.ok and trip.energy.drift < 1e-9
    total, tilt = CAR + 2 * MASS, np.arcsin(0.15 / 1.5)
    Q, Y = wheel_forces(trip, "Q"), wheel_forces(trip, "Y")
    along_z = total * (9.81 * np.cos(tilt) + 30.0**2 / 600 * np.sin(tilt))
    along_y = total * (30.0**2 / 600 * np.cos(tilt) - 9.81 * np.sin(tilt))
    assert sum(Q.values())[-1] == pytest.approx(along_z, rel=1e-4)
    inwards = sum(sign * Y[axle, side][-1] for axle in ("front", "rear") for side, sign in (("left", -1), ("right", 1)))
    assert inwards == pytest.approx(along_y, rel=5e-3)  # it still swings a little
    assert Y["front", "right"][-1] > 1e4 and trip.values("front.y")[-1] < -5e-3  # the flange guides in a left curve


def test_the_relative_description_obeys_newton_in_the_ground(wagon_system, trip):
    """Over the forces that cancel; here and in a transition of 20 m."""
    assert float(abs(wagon_system.inertial_residual(trip)).max()) < 1e-12
    line = rail.Alignment([rail.Straight(20), rail.Sine(20, 300, 0.1), rail.Arc(300, 100, 0.1)])
    kinds = {"rows": row_table(line), "plan": plan_table(line)}
    tables = {f"{place}_{kind}": table for place in ("front", "middle", "rear") for kind, table in kinds.items()}
    run = wagon_system.simulate(4.0, {}, {"speed": 15.0}, method="stiff", rtol=1e-6, tables=tables)
    assert run.ok and float(abs(wagon_system.inertial_residual(run)).max()) < 1e-12


def test_braking_in_the_arc_turns_the_car_by_its_own_inertia(wagon_system):
    """The moment -J_z a / R of a car that is braked in an arc; exactly, the angular acceleration of the track frame."""
    run = wagon_system.simulate(10.0, parameters={"acceleration": -1.0}, method="stiff", rtol=1e-6)
    assert run.values("distance")[-1] > 200
    at = LINE.motion(run.values("distance"), 30.0 - run.time, -1.0)
    moment = run.values("car.imaginary_rotation_moment_z")
    assert moment[-1] == pytest.approx(-BEAM * -1.0 / 600, rel=0.02)
    # In ground axes: J of a car that is turned by at most 1 degree against its frame.
    wanted = -np.einsum("nij,j,nj->ni", at.rotation, [3e4, 2e5, BEAM], at.eps)[:, 2]
    assert moment == pytest.approx(wanted, abs=0.02 * np.max(np.abs(wanted)))


def test_the_steady_motion_in_the_arc_is_where_a_long_run_settles(wagon_system):
    found = wagon_system.steady({"front_spin.angle": 0.0, "rear_spin.angle": 0.0}, t=10.0)
    run = wagon_system.simulate(40.0, method="stiff", rtol=1e-8, samples=2)
    for name in ("front.y", "front.z", "front.rz", "rear.y", "rear.rx", "car.y", "car.z"):
        assert run.values(name)[-1] == pytest.approx(found[name], abs=1e-8)
    assert abs(found["front.y"]) > 5e-3 and abs(found["front.y_rate"]) < 1e-12
    linear = wagon_system.linearise(found, t=10.0)
    assert linear.steady and np.max(linear.eigenvalues.real) < -0.4


def test_invalid_arguments():
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(MASS, (1120, 112, 1120), contact)
    with pytest.raises(ModelError, match="wheelbase must be greater than zero"):
        rail.Wagon(rail.CarBody(1, (1, 1, 1), 1), axle, rail.AxleBox(rail.Bushing((1, 1, 1))), 0.0)
    with pytest.raises(ModelError, match="the rear wheelset stands 4 m behind"):
        wagon(speed=30.0, start=1.0)
    with pytest.raises(ModelError, match="creep must be a creep law"):
        rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), 0.3)


@pytest.mark.slow
def test_a_clothoid_with_its_kinks_ends_in_the_same_arc(trip):
    """The wagon enters by a curve whose frame has kinks, and settles where it does after a smooth one."""
    plan = [rail.Straight(40), rail.Clothoid(length=80, radius=600, cant=0.15), rail.Arc(600, 300, 0.15)]
    run = wagon(rail.Alignment(plan), speed=30.0).build().simulate(12.0, method="stiff", rtol=1e-6)
    assert run.ok and len(run.events) == 6  # two kinks under each of three frames
    for name in ("front.y", "front.rz", "rear.y", "front_right.Q"):
        assert run.values(name)[-1] == pytest.approx(trip.values(name)[-1], rel=0.02)


def test_a_run_at_another_speed_starts_with_wheels_that_roll(wagon_system):
    run = wagon_system.simulate(0.02, parameters={"speed": 20.0}, method="stiff", rtol=1e-6)
    assert run.values("front_spin.angle_rate")[0] == pytest.approx(20.0 / RADIUS)
    for creepage in (run.values(f"{wheel}.longitudinal_creepage") for wheel in ("front_left", "rear_right")):
        assert np.max(np.abs(creepage)) < 1e-4
