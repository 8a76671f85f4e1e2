"""Draft gears and trains: a shunting shock by its closed form, a train that starts with slack, frames that follow."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import ModelError

MASS = 40e3


def masses(gear, *weights):
    """Masses that slide on a line, the first one in front, coupled at their middles."""
    m = tr.Model("masses", gravity=(0, 0, 0))
    bodies = [m.body(f"m{i}", mass=weight, inertia=1.0) for i, weight in enumerate(weights, start=1)]
    for i, body in enumerate(bodies):
        m.connect(tr.Prismatic("x"), m.ground, body)
        m.start[f"{body.name}.displacement"] = -i * gear.length
    for i, (ahead, behind) in enumerate(pairwise(bodies), start=1):
        m.apply(tr.LineForce(behind, ahead, gear), name=f"coupler_{i}")
    return m


def test_a_shunting_shock_has_the_force_and_the_time_of_two_masses_with_a_spring():
    """Largest force v sqrt(k mu) after the slack is run through; contact for pi sqrt(mu / k); speeds exchanged."""
    k, slack, v = 8e6, 0.05, 1.5
    m = masses(rail.DraftGear(k, slack), MASS, 2 * MASS)
    mu = 2 * MASS / 3
    run = m.build().simulate(0.21, {"m2.displacement_rate": v}, rtol=1e-10, samples=8401)
    force = run.values("coupler_1.force")
    assert np.max(force) == pytest.approx(v * np.sqrt(k * mu), rel=1e-6)
    begins = slack / 2 / v
    touching = run.time[force > 0]
    assert touching[0] == pytest.approx(begins, abs=5e-5)
    assert touching[-1] - touching[0] == pytest.approx(np.pi * np.sqrt(mu / k), abs=1e-4)
    both = MASS * v * 2 / (3 * MASS)  # speed of the common centre
    assert run.values("m1.displacement_rate")[-1] == pytest.approx(2 * both, rel=1e-7)
    assert run.values("m2.displacement_rate")[-1] == pytest.approx(2 * both - v, rel=1e-7)
    assert run.energy.drift < 1e-8


def test_friction_draft_gear_loads_and_unloads_by_its_two_forces():
    """Loading by 1 + f, unloading by 1 - f times the spring: rebound over approach is sqrt((1 - f) / (1 + f))."""
    f, v = 0.4, 1.5
    m = masses(rail.DraftGear(8e6, 0.02, friction=f, v0=1e-4), MASS, MASS)
    run = m.build().simulate(0.185, {"m2.displacement_rate": v}, rtol=1e-9, samples=2001)
    apart = run.values("m1.displacement_rate") - run.values("m2.displacement_rate")
    assert apart[-1] / v == pytest.approx(np.sqrt((1 - f) / (1 + f)), rel=1e-3)
    assert run.energy.drift < 1e-7
    damped = masses(rail.DraftGear(8e6, 0.02, damping=4e5), MASS, MASS).build()
    slow = damped.simulate(0.16, {"m2.displacement_rate": v}, rtol=1e-9, samples=2001)
    assert np.min(slow.values("coupler_1.force")) >= 0.0 and slow.energy.drift < 1e-7  # in buff it never pulls


def test_a_train_starts_vehicle_by_vehicle():
    """Pulled by a constant force from the middle of all slacks: the first one moves alone until its slack is taken up;
    in the end each draft gear pulls all vehicles behind it.
    """
    gear, pull = rail.DraftGear(2e7, 0.06, damping=6e5), 60e3
    m = masses(gear, MASS, MASS, MASS)
    m.apply(tr.CoordinateForce("m1.displacement", lambda s: pull), name="pull")
    run = m.build().simulate(6.0, rtol=1e-9, samples=60001)
    starts = [run.time[np.argmax(np.abs(run.values(f"coupler_{i}.force")) > 0)] for i in (1, 2)]
    assert starts[0] == pytest.approx(np.sqrt(2 * 0.03 / (pull / MASS)), abs=2e-4) and starts[1] > starts[0]
    ends = [run.values(f"coupler_{i}.force")[-1] for i in (1, 2)]
    assert ends == pytest.approx([-pull * 2 / 3, -pull / 3], rel=1e-4)
    total = sum(run.values(f"m{i}.displacement_rate")[-1] for i in (1, 2, 3)) * MASS
    assert total == pytest.approx(pull * 6.0, rel=1e-9)


def wagon(half_length=6.0):
    geometry = rail.ContactGeometry(rail.Profile.cone(0.05), rail.Profile.arc(0.3))
    axle = rail.Wheelset(1813, (1120, 112, 1120), rail.Contact(geometry, rail.ShenHedrickElkins(0.4)))
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    return rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9, half_length), axle, box, 8.0)


def test_places_of_a_train():
    train = rail.Train([wagon(6.0), wagon(5.0), wagon(6.0)], rail.DraftGear(1e7, length=1.0))
    assert train.places == (0.0, -12.0, -24.0) and train.reach == (-28.0, 4.0)
    assert train.mass == pytest.approx(3 * (20e3 + 2 * 1813))


@pytest.mark.slow
def test_a_train_of_wagons_that_accelerates():
    """The second wagon catches up with the slack and is then pulled with its mass and that of its turning wheels; the
    motion does not depend on where its frames are.
    """
    gear, a = rail.DraftGear(1e7, 0.04, damping=4e5), 0.5
    train = rail.Train([wagon(), wagon()], gear)
    model = rail.Trip(train, rail.Alignment([rail.Straight(2000)]), 10.0, acceleration=a).model
    system = model.build()
    run = system.simulate(8.0, method="stiff", rtol=1e-8)
    assert run.ok and run.energy.drift < 1e-8
    turning = 2 * 112 / 0.46**2
    assert run.values("coupler_1.force")[-1] == pytest.approx(-(20e3 + 2 * 1813 + turning) * a, rel=2e-3)
    assert run.values("v2_car.velocity")[-1, 0] == pytest.approx(10.0 + 8.0 * a, abs=1e-3)
    residual = abs(system.inertial_residual(run)).max("time").to_series()  # over what cancels: across there is nothing
    assert residual.filter(regex=r"\.[xz]_rate|angular_rate_y").max() < 2e-11
    ahead = {"v2_distance": run.values("v2_distance")[0] + 0.01}
    ahead |= {f"v2_{part}.x": -0.01 for part in ("car", "front", "rear")}
    other = system.simulate(8.0, start=ahead, method="stiff", rtol=1e-8)
    apart = run.values("v2_car.position") - other.values("v2_car.position")
    assert np.max(np.abs(apart)) < 1e-5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rail.Train([], rail.DraftGear(1e7)), "it has no vehicle"),
        (lambda: rail.Train([wagon(None)], rail.DraftGear(1e7)), "vehicle 1 has no couplers"),
        (lambda: rail.Train([wagon(), 3], rail.DraftGear(1e7)), "vehicle 2 must be a vehicle"),
        (lambda: rail.Train([wagon()], 1e7), "coupler must be a rail.DraftGear"),
        (lambda: rail.Train([wagon()], rail.DraftGear(1e7)).on_fixed_wheelsets(), "use one of its vehicles"),
        (
            lambda: rail.Trip(rail.Train([wagon(), wagon()], rail.DraftGear(1e7)), STRAIGHT, 1.0, start=5.0),
            "the rear wheelset stands 17 m behind",
        ),
    ],
)
def test_invalid_arguments(make, words):
    with pytest.raises(ModelError, match=words):
        make()


STRAIGHT = rail.Alignment([rail.Straight(100)])


CURVE = rail.Alignment([rail.Straight(90), rail.Sine(60, 250, 0.05), rail.Arc(250, 200, cant=0.05)])


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 5])
def test_a_train_over_a_curve(count):
    """It accelerates in the arc: each draft gear pulls the masses behind it, their turning wheels, and what their
    wheels lose by creep; cars are at angles like chords of the arc; Newton's law holds in the ground.
    """
    a, k, slack, radius = 0.3, 1e7, 0.04, 250.0
    geometry = rail.ContactGeometry(rail.S1002(), rail.Rail60E1())
    axle = rail.Wheelset(1813, (1120, 112, 1120), rail.Contact(geometry, rail.ShenHedrickElkins(0.4)))
    one = replace(wagon(), wheelset=axle)
    trip = rail.Trip(rail.Train([one] * count, rail.DraftGear(k, slack, damping=4e5)), CURVE, 8.0, acceleration=a)
    run = trip.simulate(method="order8", samples=601)
    assert run.outcome.startswith("END_OF_LINE") and run.energy.drift < 1e-9
    lost, v = {}, 8.0 + a * run.time[-1]
    for wheel in trip.placed.wheels:
        own = wheel.contact.split("_")[0]
        lost[own] = lost.get(own, 0.0) + run.values(f"{wheel.contact}.power_lost")[-1]
    behind, inert = 0.0, one.mass + 2 * 112 / 0.46**2
    for i in range(count - 1, 0, -1):
        behind += inert * a + lost[f"v{i + 1}"] / v
        force = -run.values(f"coupler_{i}.force")[-1]
        assert force == pytest.approx(behind, rel=0.01)
        assert run.values(f"coupler_{i}.length")[-1] == pytest.approx(1.0 + slack / 2 + force / k, abs=1e-6)
        ahead, after = (run.values(f"v{j}_car.rotation")[-1].reshape(3, 3)[0] for j in (i, i + 1))
        turned = np.arcsin(np.linalg.norm(np.cross(ahead, after)))
        assert turned == pytest.approx(13.02 / radius, rel=5e-3)
    assert lost["v2"] / v > 500.0  # N, of the curve
    assert float(abs(trip.system.inertial_residual(run)).max()) < 1e-11
