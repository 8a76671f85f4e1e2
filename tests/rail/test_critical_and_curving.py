"""Linear stability and steady curving of vehicles against closed forms, runs and weights by hand."""

from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
from scipy.optimize import brentq

import trundle as tr
from trundle import rail
from trundle.errors import ModelError, SolveError
from trundle.rail.analysis.on_track import straight_track
from trundle.rail.analysis.uniform import UniformTrack
from trundle.rail.vehicle.standing import standing, wheelset_bodies
from trundle.rail.wheel_rail.creep import linear_force

CAR, MASS, RADIUS = 20e3, 1813.0, 0.46
YAW_INERTIA = 1120.0


def wagon(geometry=None, stiffness=(5e6, 2e6, 1.2e6)):
    pairing = geometry or rail.ContactGeometry(rail.S1002(), rail.Rail60E1())
    axle = rail.Wheelset(MASS, (1120, 112, YAW_INERTIA), rail.Contact(pairing, rail.ShenHedrickElkins(0.4)))
    springs = rail.AxleBox(rail.Bushing(stiffness, (1e4, 1e4, 2e4)))
    return rail.Wagon(rail.CarBody(CAR, (3e4, 2e5, 2.1e5), 1.9), axle, springs, 8.0)


# -- a wheelset on springs ---------------------------------------------------------------------------------------------


def suspended(lateral, yaw, load, creep=None):
    """A wheelset of cones (with Kalker's linear creep unless given) on springs in a frame along straight track."""
    geometry = rail.ContactGeometry(rail.Profile.cone(0.05), rail.Profile.arc(0.3))
    part = rail.Wheelset(MASS, (1120, 112, YAW_INERTIA), rail.Contact(geometry, creep or rail.Linear(0.4)))
    m = tr.Model("suspended wheelset")
    v = m.parameter("speed", 20.0, "m/s")
    m.parameter("acceleration", 0.0, "m/s^2")
    track = m.moving_frame("track", position=lambda s: (v * s.t, 0, 0))
    placed = part.add(m, "axle", track)
    seat = track.at(0, 0, RADIUS)
    m.apply(tr.Bushing(placed.hub, seat, (1e7, lateral, 0, 0, 0, yaw), (1e5, 0, 0, 0, 0, 0)), name="springs")
    m.apply(tr.Wrench(placed.hub, force=(0, 0, -load)), name="load")
    m.start |= part.start("axle", 20.0, load)
    return m.build(), geometry


@final
@dataclass(frozen=True)
class SlipForces(rail.CreepLaw):
    """Kalker's linear forces of slip; spin has no effect."""

    def law(self, xi_x, xi_y, spin, bound, patch):
        return rail.CreepForce(-patch.f11 * xi_x, -patch.f22 * xi_y, 0.0 * spin)


@pytest.mark.parametrize(("creep", "near"), [(SlipForces(0.4), 1e-3), (rail.Linear(0.4), 0.01)], ids=["slip", "Linear"])
def test_critical_speed_of_a_suspended_wheelset(creep, near):
    """With roll = a1 y of a wheelset that keeps both contacts, a = 1 + r a1, the weight W on rails with the contact
    angle d, and the gyroscopic moment H = J_y V / r of its rotation, where slips alone have forces:

    (m + J_x a1^2) y'' + 2 f22 a (a y'/V - psi) - H a1 psi' + (k + W lift'') y = 0
    J psi'' + 2 f11 (b^2 psi'/V + b conicity/r y) + H a1 y' + (c - W b d) psi = 0

    Forces of spin, which the load changes, lower it by less than 1 %.
    """
    k, c, load = 3e5, 5e5, 60e3
    system, geometry = suspended(k, c, load, creep)
    locus = rail.critical_speed(system, 30.0, 60.0, 7)
    at, step = geometry.contact(np.array([-1e-3, 0.0, 1e-3])), 1e-3
    b, roll, weight = float(at.left.lateral[1]), float(at.roll[2] / step), load + 9.81 * MASS
    conicity = float(at.radius_difference[2] / (2 * step))
    bent = float(at.left.wheel_curvature[1] + at.left.rail_curvature[1])
    patch = rail.Patch.hertz(weight / 2, float(at.left.rolling_curvature[1]), bent)
    f11, f22, a = patch.f11, patch.f22, 1 + RADIUS * roll
    lateral = k + weight * float(at.lift[2] - 2 * at.lift[1] + at.lift[0]) / step**2
    yaw = c - weight * b * float(at.left.angle[1])
    masses = np.array([[MASS + 1120 * roll**2], [YAW_INERTIA]])

    def grows(V):
        gyro = 112 * V / RADIUS * roll
        rates = np.array([[2 * f22 * a**2 / V, -gyro], [gyro, 2 * f11 * b**2 / V]])
        places = np.array([[lateral, -2 * f22 * a], [2 * f11 * b * conicity / RADIUS, yaw]])
        found = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-places / masses, -rates / masses]]))
        return found[np.argmax(found.real)]

    wanted = brentq(lambda V: grows(V).real, 30.0, 60.0)
    assert locus.critical == pytest.approx(wanted, rel=near)
    assert 2 * np.pi * locus.frequency == pytest.approx(abs(grows(wanted).imag), rel=near)


@final
@dataclass(frozen=True)
class LinearWithoutMoment(rail.CreepLaw):
    """Kalker's linear forces, but no spin moment."""

    def law(self, xi_x, xi_y, spin, bound, patch):
        found = linear_force(xi_x, xi_y, spin, patch)
        return rail.CreepForce(found.longitudinal, found.lateral, 0.0 * spin)


def test_polach_far_from_its_limit_has_the_critical_speed_of_the_linear_theory():
    """Its slopes at rest, where creepages are round-off, are those of the linear theory without spin moment."""
    found = [suspended(3e5, 5e5, 60e3, creep)[0] for creep in (rail.Polach(40.0), LinearWithoutMoment(0.4))]
    polach, linear = (rail.critical_speed(system, 30.0, 60.0, 4) for system in found)
    assert polach.critical == pytest.approx(linear.critical, rel=1e-6)
    assert polach.frequency == pytest.approx(linear.frequency, rel=1e-6)


# -- the wagon ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def locus():
    return rail.critical_speed(wagon(), 10.0, 60.0, 11)


def test_eigenvalues_are_those_of_linearise_and_of_a_run(locus, tmp_path):
    speed = locus.critical + 3.0
    x, values, vectors = locus.at(speed)
    system = locus.track.system
    assert values[0].real > 0 > locus.at(locus.critical - 3.0)[1][0].real
    start = locus.track.flow.start_values(x)
    other = system.linearise(start, {"speed": speed}).eigenvalues
    for value in values[:8]:
        assert np.min(np.abs(other - value)) < 1e-6 * abs(value)
    small = x + 2e-6 * np.real(vectors[:, 0]) / np.max(np.abs(vectors[:, 0]))
    run = system.simulate(
        4.0, locus.track.flow.start_values(small), {"speed": speed}, method="stiff", rtol=1e-10, samples=4001
    )
    y = run.values("front.y") - start["front.y"]
    top = np.flatnonzero((y[1:-1] > y[:-2]) & (y[1:-1] >= y[2:]))[2:] + 1
    rate = np.polyfit(run.time[top], np.log(y[top]), 1)[0]
    assert rate == pytest.approx(values[0].real, rel=0.02)
    assert 1 / np.mean(np.diff(run.time[top])) == pytest.approx(values[0].imag / 2 / np.pi, rel=2e-3)
    locus.plot(tmp_path / "locus.png")
    locus.plot_mode(path=tmp_path / "mode.png")
    with pytest.raises(SolveError, match="give a file as path="):
        locus.plot_mode("mode.png")
    assert (tmp_path / "locus.png").exists() and (tmp_path / "mode.png").exists()


def test_a_mode_that_moves_nothing_sideways_is_not_drawn(locus):
    """Bounce of the car: seen from above only round-off would be drawn."""
    speed = locus.critical
    bounce = int(np.argmin(np.abs(locus.at(speed)[1].imag / 2 / np.pi - 2.44)))
    with pytest.raises(SolveError, match=r"moves nothing sideways.*The first one that does is which=0"):
        locus.plot_mode(which=bounce)


def test_nothing_of_a_mode_is_cut_off(locus):
    for axes in locus.plot_mode().axes:
        low, high = axes.get_xlim()
        drawn = np.concatenate([line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 5])
        assert low < np.min(drawn) and np.max(drawn) < high


@pytest.mark.parametrize("named", [False, True])
def test_cars_are_known_by_what_they_stand_on(named):
    """The model of a wagon, and the same bodies under other names: the upper one is the car, on both wheelsets."""
    model = rail.Trip(wagon(), rail.Alignment([rail.Straight(200.0)]), 20.0).model
    if named:
        for body in model.bodies.values():
            object.__setattr__(body, "name", f"{body.name[::-1]} 1")
    found = {body.name: standing(model).get(body.name) for body in model.bodies.values()}
    cars = {name: stands.wheelsets for name, stands in found.items() if stands is not None and stands.is_car}
    assert set(cars) == ({"rac 1"} if named else {"car"})
    assert len(next(iter(cars.values()))) == 2
    assert next(iter(cars.values())) == wheelset_bodies(model)


def test_steady_curving_is_where_a_run_settles(locus):
    found = rail.curving(wagon(), [600.0, -600.0], 25.0, 0.1)
    assert found.notes == () and found["front.y"][0] == pytest.approx(-found["front.y"][1], rel=1e-6)
    left, right = (found[f"front_{side}.Y"] for side in ("left", "right"))
    assert left[0] == pytest.approx(right[1], rel=1e-6) and right[0] == pytest.approx(left[1], rel=1e-6)
    line = rail.Alignment([rail.Straight(30), rail.Sine(60, 600, 0.1), rail.Arc(600, 400, 0.1)])
    run = locus.track.system.simulate(
        17.0, parameters={"speed": 25.0}, method="stiff", rtol=1e-7, samples=3,
        start={"front_spin.angle_rate": 25 / RADIUS, "rear_spin.angle_rate": 25 / RADIUS},
        tables={name: t.table for name, t in rail.Trip(wagon(), line, 25.0).model.tables.items()},
    )  # fmt: skip
    for name in ("front.y", "front.rz", "rear.y", "front_right.Q", "front_right.Y", "rear_left.Y"):
        assert run.values(name)[-1] == pytest.approx(found[name][0], rel=5e-3)


def test_curving_by_hand():
    """Forces of the wheels add up to weight and centripetal force; outer wheels carry the moment about the rails."""
    R, cant = np.array([500.0, 1000.0, 3000.0]), 0.05
    found = rail.curving(wagon(), R, None, cant, deficiency=0.08)
    total, sine = CAR + 2 * MASS, cant / 1.5
    assert found.cant_deficiency == pytest.approx(0.08) and np.all(np.diff(found.wear) < 0)
    assert -sum(found.sum_Y().values()) == pytest.approx(total * found.unbalanced, rel=2e-3)
    Q = {side: sum(found[f"{axle}_{side}.Q"] for axle in ("front", "rear")) for side in ("left", "right")}
    assert Q["left"] + Q["right"] == pytest.approx(
        total * (9.81 * np.sqrt(1 - sine**2) + found.speed**2 / R * sine), rel=1e-3
    )
    cosine = np.sqrt(1 - sine**2)
    down = 9.81 * cosine + found.speed**2 / R * sine
    out = 8.0**2 / (8 * R) * cosine - found["car.y"]  # of the car from the chord between the wheelsets
    axles = -MASS * down * (found["front.y"] + found["rear.y"])
    wheels = 2 * 112 * found.speed / RADIUS * found.speed / R * cosine  # gyroscopic, of both wheelsets
    moment = (CAR * found["car.z"] + 2 * MASS * RADIUS) * found.unbalanced + CAR * down * out + axles + wheels
    origin = rail.ContactGeometry(rail.S1002(), rail.Rail60E1()).side("left").rail_origin
    given = 0.0  # by the rails, about the middle of the track
    for w in found.wheels:
        place = found[f"{w.name}.rail_place"]
        given -= w.out * found[f"{w.name}.Q"] * (origin + place)
        given -= w.out * found[f"{w.name}.Y"] * rail.Rail60E1().height(place)
    assert given == pytest.approx(moment, rel=1e-3)


def test_inner_wheels_unload_as_the_car_leans_on_its_springs():
    """On level track of 600 m: the car leans by m a h / (K - m g h), and moves out with the springs; the moment about
    the middle of the track takes the load off the inner wheels at 49 m/s, where a rigid vehicle would need 51.
    """
    v, R = np.array([40.0, 45.0, 48.0]), 600.0
    found = rail.curving(wagon(), R, v, 0.0)
    a, arm, roll_stiffness = v**2 / R, found["car.z"] - RADIUS, 4 * 1.2e6 * 1.0**2
    roll, aside = ((found[f"front.{x}"] + found[f"rear.{x}"]) / 2 for x in ("rx", "y"))  # of the wheelsets
    lean = (CAR * a * arm + roll_stiffness * roll) / (roll_stiffness - CAR * 9.81 * arm)
    assert [2 * state["car.quaternion"][1] for state in found.states] == pytest.approx(lean, rel=1e-3)
    out = -aside + CAR * a / (4 * 2e6) + arm * lean  # from the chord between the wheelsets
    assert 8.0**2 / (8 * R) - found["car.y"] == pytest.approx(out, rel=5e-3)
    moment = (CAR * found["car.z"] + 2 * MASS * RADIUS) * a + 9.81 * (CAR * out - 2 * MASS * aside)
    moment += 2 * 112 * v / RADIUS * v / R  # gyroscopic
    origin = rail.ContactGeometry(rail.S1002(), rail.Rail60E1()).side("left").rail_origin
    inner, outer = (
        np.mean([origin + found[f"{axle}_{side}.rail_place"] for axle in ("front", "rear")], 0)
        for side in ("left", "right")
    )
    total = (CAR + 2 * MASS) * 9.81
    Q, by_hand = found["front_left.Q"] + found["rear_left.Q"], (total * outer - moment) / (inner + outer)
    assert pytest.approx(by_hand, abs=2e-3 * total) == Q
    unloaded = [np.sqrt(np.polyval(np.polyfit(q[1:], v[1:] ** 2, 1), 0.0)) for q in (Q, by_hand)]
    assert unloaded[0] == pytest.approx(unloaded[1], rel=3e-3) and unloaded[0] == pytest.approx(49.0, abs=0.3)


def test_an_impossible_case_of_several_is_noted():
    """Too fast for the curve, or a curve too tight: the other cases are kept."""
    found = rail.curving(wagon(), [400.0, 400.0, 30.0], [60.0, 15.0, 15.0], 0.05)
    assert ["fall over" in found.notes[0], "too tight" in found.notes[1]] == [True, True] and len(found.notes) == 2
    assert list(np.isnan(found["front.y"])) == [True, False, True]
    assert found["front.y"][1] == pytest.approx(rail.curving(wagon(), 400.0, 15.0, 0.05)["front.y"][0], abs=1e-12)
    with pytest.raises(ModelError, match="fall over"):
        rail.curving(wagon(), 400.0, 60.0)


@pytest.mark.slow
def test_a_free_wheelset_rolls_without_slip_through_a_curve():
    """Cones on soft springs at balanced speed: radii differ as the rails do, r/R = dr/(2 b), y = r b/(conicity R)."""
    geometry = rail.ContactGeometry(rail.Profile.cone(0.05), rail.Profile.arc(0.3))
    found = rail.curving(wagon(geometry, (2e3, 2e3, 1.2e6)), 2500.0, None, 0.1, deficiency=0.0)
    wanted = np.interp(2 * RADIUS * 0.75 / 2500.0, *_differences(geometry))
    assert -found["front.y"][0] == pytest.approx(wanted, rel=0.02)
    assert wanted == pytest.approx(RADIUS * 0.75 / (0.05 * 2500.0), rel=0.06)  # roll is left out


def _differences(geometry):
    y = np.linspace(0, 6e-3, 25)
    return np.abs(geometry.contact(y).radius_difference), y


def test_invalid_arguments():
    with pytest.raises(SolveError, match="speeds must be above zero"):
        rail.curving(wagon(), 600.0, 0.0)
    with pytest.raises(SolveError, match="one of them"):
        rail.curving(wagon(), 600.0, None)
    with pytest.raises(SolveError, match="at least two rising speeds"):
        rail.critical_speed(wagon(), 10.0, 5.0)
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, inertia=1.0, com=(0, 0, -1)))
    with pytest.raises(SolveError, match="no parameter 'speed'"):
        UniformTrack(m.build())


def test_the_track_of_a_ramp_is_as_long_as_its_fastest_run() -> None:
    """`rail.hunting(vehicle)` runs at up to 120 m/s for 4 s, which left the 400 m of other analyses."""
    m = straight_track(wagon(), 20.0, 480.0).system.model
    assert {table.table.x[0][-1] > 480.0 for name, table in m.tables.items() if name.endswith("_plan")} == {True}
