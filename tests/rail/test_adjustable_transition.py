"""A transition whose shape is a parameter of the run: the line made so, exact gradients, and the best wagon ride."""

import math

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import ModelError

NAMES = ("transition_c1", "transition_c2")
LENGTH, RADIUS, CANT, SPEED = 60.0, 600.0, 0.1, 25.0
BEST = (-3.651, -0.076)


def line(c1: float = 0.0, c2: float = 0.0) -> rail.Alignment:
    curve = rail.Adjustable(length=LENGTH, radius=RADIUS, cant=CANT, c1=c1, c2=c2)
    return rail.Alignment([rail.Straight(30), curve, rail.Arc(radius=RADIUS, length=120, cant=CANT)], half_gauge=0.75)


def lamps(course: rail.Alignment) -> tr.System:
    """Two pendulums, each in a frame of its own, with a soft spring between them: poses, velocities and accelerations
    of the frames all count.
    """
    m = tr.Model("lamps")
    bodies = []
    for name, ahead in (("first", 12.0), ("second", 4.0)):
        place = rail.TrackFrame(m, course, lambda s, ahead=ahead: ahead + SPEED * s.t, name=name)
        frame = m.moving_frame(f"{name} frame", motion=place)
        body = m.body(f"{name} lamp", 2.0, (0.1, 0.1, 0.02), com=(0, 0, -0.4))
        m.connect(tr.Revolute("x"), frame.at(0, 0, 2), body, name, tr.Spring(1.0, damping=0.4))
        bodies.append(body)
    m.apply(tr.SpringDamper(bodies[0].at(0, 0, -0.4), bodies[1].at(0, 0, -0.4), 30.0, length=7.0))
    m.state("swing", lambda s: s["first.angle_rate"] ** 2 + s["second.angle_rate"] ** 2, unit="rad^2/s")
    return m.build()


@pytest.fixture(scope="module")
def usual() -> tr.System:
    return lamps(line())


def test_parameters_make_the_line_that_is_built_with_them(usual: tr.System) -> None:
    shape = {"transition_c1": -2.0, "transition_c2": 3.5}
    found = usual.simulate(6.0, parameters=shape, samples=61, rtol=1e-11)
    built = lamps(line(-2.0, 3.5)).simulate(6.0, samples=61, rtol=1e-11)
    plain = usual.simulate(6.0, samples=61, rtol=1e-11)
    for name, near in (("first.angle", 1e-9), ("second.angle_rate", 1e-9), ("second lamp.position", 1e-8)):
        assert found.values(name) == pytest.approx(built.values(name), abs=near)
        assert np.max(np.abs(found.values(name) - plain.values(name))) > 1e-4
    assert found.energy.drift < 1e-8


def test_gradients_through_the_run(usual: tr.System) -> None:
    at = np.array([-1.0, 2.0])

    def swing(c: np.ndarray) -> float:
        run = usual.simulate(6.0, parameters=dict(zip(NAMES, c, strict=True)), samples=2, rtol=1e-12)
        return float(run.values("swing")[-1])

    given = dict(zip(NAMES, at, strict=True))
    run = usual.simulate(6.0, parameters=given, samples=2, rtol=1e-11, sensitivity=list(NAMES))
    for k, name in enumerate(NAMES):
        d = [(swing(at + h * np.eye(2)[k]) - swing(at - h * np.eye(2)[k])) / (2 * h) for h in (0.2, 0.1)]
        assert float(run.derivative("swing", name)[-1]) == pytest.approx((4 * d[1] - d[0]) / 3, rel=1e-7)


def test_shapes_of_adjustable_transitions() -> None:
    """c1 = -3 is 10 x^3 - 15 x^4 + 6 x^5; all of them end in the same direction."""
    x = np.linspace(0, LENGTH, 11)
    smooth = rail.Polynomial(length=LENGTH, radius=RADIUS, cant=CANT, coefficients=(0, 0, 0, 10, -15, 6))
    for curve, other in ((rail.Adjustable(LENGTH, RADIUS, CANT, c1=-3.0), smooth), (
        rail.Adjustable(LENGTH, RADIUS, CANT), rail.Bloss(LENGTH, RADIUS, CANT))):  # fmt: skip
        one, two = (rail.Alignment([rail.Straight(10), c]) for c in (curve, other))
        assert one.local(10 + x).k == pytest.approx(two.local(10 + x).k, abs=1e-15)
    for c1, c2 in ((5.0, -7.0), (-9.0, 2.0)):
        odd = rail.Alignment([rail.Straight(10), rail.Adjustable(LENGTH, RADIUS, CANT, c1=c1, c2=c2)])
        heading = float(odd.pose.heading(1, 10 + LENGTH))
        assert heading == pytest.approx(LENGTH / (2 * RADIUS), abs=1e-14)


def test_what_is_refused() -> None:
    curve = rail.Adjustable(LENGTH, RADIUS, CANT)
    twice = rail.Alignment([curve, rail.Arc(RADIUS, 10, CANT), rail.Adjustable(LENGTH, math.inf)])
    low = rail.Alignment([rail.Straight(10), curve], pivot="low rail")
    for wrong, words in ((twice, "at most one"), (low, "centre of the track")):
        with pytest.raises(ModelError, match=words):
            rail.TrackFrame(tr.Model("m"), wrong, lambda s: 5.0 * s.t)


def wagon() -> rail.Wagon:
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(mass=1813, inertia=(1120, 112, 1120), contact=contact)
    box = rail.AxleBox(rail.Bushing(stiffness=(5e6, 2e6, 1.2e6), damping=(1e4, 1e4, 2e4)))
    return rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), height=1.9), axle, box, wheelbase=8.0)


@pytest.mark.slow
def test_the_transition_over_which_a_wagon_sways_least() -> None:
    m = rail.Trip(wagon(), line(), SPEED).model
    m.state("sway", lambda s: s["car.y_rate"] ** 2, unit="m^2/s")
    system = m.build()

    def sway(values: dict[str, float]) -> tuple[float, dict[str, float]]:
        run = system.simulate(5.0, parameters=values, samples=2, rtol=1e-9, sensitivity=list(NAMES), progress=False)
        return float(run.values("sway")[-1]), {name: float(run.derivative("sway", name)[-1]) for name in NAMES}

    def only(c1: float, c2: float, rtol: float = 1e-7) -> float:
        given = dict(zip(NAMES, (c1, c2), strict=True))
        return float(system.simulate(5.0, parameters=given, samples=2, rtol=rtol, progress=False).values("sway")[-1])

    ranges = {"transition_c1": (-12.0, 8.0), "transition_c2": (-15.0, 15.0)}
    best = tr.optimise(sway, ranges, start={"transition_c1": -2.0, "transition_c2": 0.0}, tolerance=1e-8)
    c1, c2 = best.values.values()
    assert best.at_limits == ()
    assert (c1, c2) == pytest.approx(BEST, abs=0.02)
    assert best.objective == pytest.approx(0.625 * only(0.0, 0.0), rel=2e-3)  # of Bloss
    for a in np.linspace(-8, 4, 4):
        for b in np.linspace(-9, 9, 4):
            assert only(a, b) > best.objective
    for step in ((0.3, 0), (-0.3, 0), (0, 0.5), (0, -0.5)):
        assert only(c1 + step[0], c2 + step[1], 1e-9) > best.objective


@pytest.mark.slow
def test_the_best_curve_beside_others() -> None:
    """Its objective is better than for Bloss and sine of the same length; the peaks are in one table."""
    curves = {name: kind(length=LENGTH, radius=RADIUS, cant=CANT) for name, kind in
              (("Bloss", rail.Bloss), ("sine", rail.Sine), ("Vienna", rail.Vienna))}  # fmt: skip
    curves["best"] = rail.Adjustable(length=LENGTH, radius=RADIUS, cant=CANT, c1=BEST[0], c2=BEST[1])
    compared = rail.compare_transitions(wagon(), RADIUS, LENGTH, SPEED, CANT, kinds=curves, straight=30.0, arc=60.0)
    print(compared.table())
    swayed = {name: float(np.trapezoid(found.run.values("car.y_rate") ** 2, found.time))
              for name, found in compared.runs.items()}  # fmt: skip
    print(swayed)
    assert swayed["best"] < min(swayed["Bloss"], swayed["sine"])
    assert len(compared.table().splitlines()) == 5
