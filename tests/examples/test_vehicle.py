"""The four-wheel vehicle: rigid, it is steered round an exact circle; compliant, the load of each wheel is unique."""

import math

import numpy as np
import pytest

from trundle import examples
from trundle.system import System

G = 9.81
BASE, SIDE, RADIUS, TO_FRONT = 2.5, 0.7, 0.3, 1.4
CHASSIS, CARRIER, WHEEL, ABOUT = 800.0, 8.0, 15.0, 0.7
WHEELS = ("front left", "front right", "rear left", "rear right")
STANDING = {"chassis.x_rate": 0.0, **{f"{wheel}.angle_rate": 0.0 for wheel in WHEELS}}
TURN = 0.05


@pytest.fixture(scope="module")
def rigid() -> System:
    return examples.model("four-wheel-vehicle").build()


@pytest.fixture(scope="module")
def compliant() -> System:
    return examples.model("four-wheel-vehicle-compliant").build()


def test_the_rigid_vehicle_has_one_freedom_and_reports_its_redundant_rows(rigid: System) -> None:
    """One of four supports is redundant, and two of four axles through one point."""
    assert rigid.mobility.freedoms == 1
    kinds = sorted(row.partition(" road.")[2] for row in rigid.mobility.redundant)
    assert kinds == ["normal", "slip_y", "slip_y"]


def test_the_rear_axle_moves_on_a_circle(rigid: System) -> None:
    run = rigid.simulate(10.0, rtol=1e-12, atol=1e-12, samples=101)
    assert run.ok, run.outcome
    assert run.energy.drift < 1e-9
    after = run.time > 2.0
    place = run.values("chassis.position")[after]
    velocity, turning = run.values("chassis.velocity")[after], run.values("chassis.angular_velocity")[after]
    # The angles of the wheels are those of Ackermann: cot(right) - cot(left) = track/wheelbase.
    left, right = (run.values(f"knuckle {side}.angle")[after] for side in ("left", "right"))
    assert 1 / np.tan(right) - 1 / np.tan(left) == pytest.approx(2 * SIDE / BASE, rel=1e-12)
    radius = BASE / math.tan(math.atan(BASE * TURN))
    axis = np.column_stack([-velocity[:, 1], velocity[:, 0]]) / np.linalg.norm(velocity[:, :2], axis=1)[:, None]
    centre = place[:, :2] + radius * axis
    assert np.max(np.abs(centre - centre[0])) < 1e-8
    assert np.max(np.abs(np.linalg.norm(place[:, :2] - centre[0], axis=1) - radius)) < 1e-8
    assert turning[:, 2] == pytest.approx(np.linalg.norm(velocity, axis=1) / radius, rel=1e-10)
    slips = [np.max(np.abs(run.values(f"{wheel} road.slip_{way}"))) for wheel in WHEELS for way in "xy"]
    assert max(slips) < 1e-9  # also of the rows that were left out


def test_the_drive_speeds_up_all_that_moves(rigid: System) -> None:
    """Straight ahead: two torques move the mass and spin four wheels."""
    run = rigid.simulate(2.0, None, {"turn": 0.0}, rtol=1e-12, atol=1e-12, samples=3)
    mass = CHASSIS + 4 * (CARRIER + WHEEL + ABOUT / RADIUS**2)
    speed = 6.0 + 2 * 30.0 / RADIUS / mass * run.time
    assert run.values("chassis.x_rate") == pytest.approx(speed, abs=1e-10)


def test_formalisms_agree_on_the_steered_vehicle() -> None:
    """Accelerations and the path of the compliant vehicle, which has no redundant rows."""
    model = examples.model("four-wheel-vehicle-compliant")
    kane, absolute = (model.build(f).simulate(1.5, samples=[0.0, 1.5]) for f in ("kane", "newton_euler"))
    for body in ("chassis", "front left", "rear right"):
        difference = kane.values(f"{body}.com_position")[-1] - absolute.values(f"{body}.com_position")[-1]
        assert np.max(np.abs(difference)) < 1e-8


def loads(system: System, parameters: dict[str, float]) -> tuple[dict[str, float], float]:
    """Normal forces of the wheels of the standing vehicle, and what is left of the moments about the x axis."""
    given = {"torque": 0.0, "turn": 0.0, **parameters}
    run = system.simulate(6.0, STANDING, given, samples=[0.0, 6.0])
    assert run.ok, run.outcome
    assert np.max(np.abs(run.values("chassis.velocity")[-1])) < 1e-5
    points = {wheel: run.values(f"{wheel} road.contact_point")[-1] for wheel in WHEELS}
    masses = {body.name: float(body.mass) for body in system.model.free_bodies}
    moment = G * sum(mass * run.values(f"{body}.com_position")[-1][1] for body, mass in masses.items())
    found = {wheel: float(run.values(f"{wheel} road.normal_force")[-1]) for wheel in WHEELS}
    return found, sum(load * points[wheel][1] for wheel, load in found.items()) - moment


def test_the_loads_at_rest_follow_from_the_moments(compliant: System) -> None:
    assert compliant.mobility.redundant == ()
    found, _ = loads(compliant, {})
    own = (CARRIER + WHEEL) * G
    for wheel, load in found.items():
        share = TO_FRONT / BASE if wheel.startswith("front") else 1 - TO_FRONT / BASE
        assert load == pytest.approx(CHASSIS * G * share / 2 + own, rel=1e-9)


def test_a_load_on_one_side_is_shared_by_all_springs(compliant: System) -> None:
    """The mass centre 0.1 m to the left: equal springs in front and behind share the moment; all moments balance."""
    found, left = loads(compliant, {"offset": 0.1})
    own = (CARRIER + WHEEL) * G
    shift = CHASSIS * G * 0.1 / (4 * SIDE)
    for wheel, load in found.items():
        share = TO_FRONT / BASE if wheel.startswith("front") else 1 - TO_FRONT / BASE
        expected = CHASSIS * G * share / 2 + own + (shift if wheel.endswith("left") else -shift)
        assert load == pytest.approx(expected, rel=0.02)
    assert sum(found.values()) == pytest.approx(CHASSIS * G + 4 * own, rel=1e-7)
    assert abs(left) < 1e-3


def test_the_compliant_vehicle_stays_near_the_rigid_one(rigid: System, compliant: System) -> None:
    ideal = rigid.simulate(10.0, samples=51).values("chassis.position")
    run = compliant.simulate(10.0, samples=51)
    assert run.energy.drift < 1e-9
    assert np.max(np.linalg.norm(run.values("chassis.position") - ideal, axis=1)) < 0.06
    # Outer wheels carry more, and all together the weight.
    last = {wheel: run.values(f"{wheel} road.normal_force")[-1] for wheel in WHEELS}
    assert last["front right"] > last["front left"] + 1000
    assert sum(last.values()) == pytest.approx((CHASSIS + 4 * (CARRIER + WHEEL)) * G, rel=0.01)
