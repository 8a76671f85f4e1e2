"""Branches over a parameter against closed forms: pitchfork, fold, Hopf, limit cycles, and what cannot be followed."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import trundle as tr
from trundle.errors import MultiplierWarning, SolveError, UnknownNameError
from trundle.walker.rimless import PlasticGait, pivoting_landing, pivoting_wheel

G = 9.81


@pytest.fixture(scope="module")
def hoop() -> tr.System:
    """A bead on a hoop of radius 1 that turns at a rate, with a torque (offset) that breaks its symmetry."""
    m = tr.Model("bead on a turning hoop")
    rate, offset, drag = m.parameter("rate", 1.0), m.parameter("offset", 0.0), m.parameter("drag", 0.3)
    bead = m.body("bead", mass=1.0, com=(0, 0, -1.0))
    law = tr.Motor(lambda t, q, u: rate**2 * tr.sin(q) * tr.cos(q) + offset - drag * u)
    m.connect(tr.Revolute("y"), m.ground, bead, law=law, name="pin")
    return m.build()


@pytest.mark.parametrize("drag", [0.3, pytest.param(0.0, marks=pytest.mark.slow)])
def test_the_bead_leaves_the_bottom_at_the_square_root_of_g(hoop: tr.System, drag: float) -> None:
    bottom = tr.continuation(hoop, "rate", (1.0, 6.0), parameters={"drag": drag})
    (point,) = bottom.special
    assert point.kind == "branch point"
    assert point.parameter == pytest.approx(math.sqrt(G), rel=1e-9)
    assert np.array_equal(bottom.stable, bottom.parameter < math.sqrt(G))
    for step in (0.05, -0.05):
        side = bottom.switch(point, step)
        assert side["pin.angle"].values == pytest.approx(np.sign(step) * np.arccos(G / side.parameter**2), abs=1e-9)
        assert side.stable.all() and side.parameter[-1] == pytest.approx(6.0, abs=1e-12)


def test_with_an_offset_the_pitchfork_becomes_a_fold(hoop: tr.System) -> None:
    """At the fold the moment rate^2 sin cos - g sin + offset and its derivative by the angle vanish."""
    given = {"offset": 0.2}
    right = tr.continuation(hoop, "rate", (1.0, 6.0), parameters=given)
    assert right.special == () and right.stable.all()
    left = tr.continuation(hoop, "rate", (6.0, 1.0), start={"pin.angle": -1.2}, parameters=given)
    # rate^2 cos(2 a) = g cos(a), put into the moment.
    square = lambda a: G * math.cos(a) / math.cos(2 * a)  # noqa: E731
    angle = -brentq(lambda a: square(a) * math.sin(a) * math.cos(a) - G * math.sin(a) - 0.2, 0.01, 0.7)
    (fold,) = left.special
    assert fold.kind == "fold" and fold.node.place.x[0] == pytest.approx(angle, abs=1e-6)
    assert fold.parameter == pytest.approx(math.sqrt(square(angle)), rel=1e-9)
    turn = int(np.argmin(left.parameter))
    assert left.stable[: turn - 1].all() and not left.stable[turn + 1 :].any()
    assert left.ending == "it leaves the range at rate = 6"


def test_the_same_hoop_as_a_steady_motion_over_its_speed() -> None:
    """A hoop with a bearing of its own that turns at a given speed: the bead's angle is the same closed form."""
    m = tr.Model("hoop")
    ring = m.body("ring", mass=1.0, inertia=1.0)
    bead = m.body("bead", mass=1.0, inertia=1e-3, com=(0, 0, -1.0))
    m.connect(tr.Revolute("z"), m.ground, ring, name="axle")
    m.connect(tr.Revolute("y"), ring, bead, law=tr.Damper(0.3), name="pin")
    branch = tr.continuation(
        m.build(), "axle.angle_rate", (6.0, 3.3), "steady", start={"pin.angle": 1.3}, given={"axle.angle_rate": 6.0}
    )
    # The moments of inertia about the arm and across it are alike, so only the place of the bead counts.
    assert branch["pin.angle"].values == pytest.approx(np.arccos(G / branch.parameter**2), abs=1e-8)
    assert branch.unit == "rad/s" and branch.stable.all()


def oscillator(force: object, name: str) -> tr.Model:
    m = tr.Model("oscillator", gravity=(0, 0, 0))
    k = m.parameter(name, 0.5)
    m.connect(
        tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0), law=tr.Motor(lambda t, q, u: -q + force(k, q, u) * u)
    )
    return m


def test_a_subcritical_hopf_point_its_unstable_branch_and_the_fold(tmp_path: Path) -> None:
    """x'' + x = (mu + E - E^2) x', E = x^2 + x'^2: circles with E = r^2 where mu = r^4 - r^2, period 2 pi, multiplier
    exp(2 pi r^2 (1 - 2 r^2)); they begin at mu = 0 and turn at mu = -1/4, r^2 = 1/2.
    """
    system = oscillator(lambda mu, q, u: mu + (q * q + u * u) - (q * q + u * u) ** 2, "mu").build()
    rest = tr.continuation(system, "mu", (-0.5, 0.5))
    (hopf,) = rest.special
    assert hopf.kind == "Hopf" and hopf.parameter == pytest.approx(0.0, abs=1e-12)
    assert hopf.frequency == pytest.approx(1 / (2 * math.pi), rel=1e-12)
    cycles = tr.continuation(system, "mu", (-0.5, 0.4), "periodic", start=hopf, amplitude=0.05, step=0.35)
    r = cycles["mass.displacement"].values[:, 1]
    assert cycles.parameter == pytest.approx(r**4 - r**2, abs=1e-4)  # the peak lies between two points of the mesh
    start = np.array([node.place.start @ node.place.start for node in cycles.nodes])
    assert cycles.parameter == pytest.approx(start**2 - start, abs=2e-8)
    assert cycles["period"].values == pytest.approx(2 * math.pi, abs=1e-7)
    values = cycles["multipliers"].values.real
    other = np.where(start < 0.5, values[:, 0], values[:, 1])
    assert other == pytest.approx(np.exp(2 * math.pi * start * (1 - 2 * start)), rel=1e-5, abs=1e-9)
    (fold,) = cycles.special
    assert fold.kind == "fold" and fold.parameter == pytest.approx(-0.25, abs=1e-7)
    assert np.array_equal(cycles.stable, start > 0.5)
    assert cycles.parameter[-1] == pytest.approx(0.4, abs=1e-10)
    cycles.plot("mass.displacement", path=tmp_path / "branch.png")
    assert (tmp_path / "branch.png").stat().st_size > 5000
    # A run from inside the unstable circle falls to rest, one from outside grows to the stable one.
    mu, inner, outer = -0.2, math.sqrt((1 - math.sqrt(0.2)) / 2), math.sqrt((1 + math.sqrt(0.2)) / 2)
    for factor, end in ((0.98, 0.0), (1.02, outer)):
        run = system.simulate(120.0, {"mass.displacement": factor * inner}, {"mu": mu})
        assert np.hypot(run.values("mass.displacement"), run.values("mass.displacement_rate"))[-1] == pytest.approx(
            end, abs=1e-3
        )


def van_der_pol(k: float) -> float:
    """Period by an independent integration."""

    def section(t: float, y: np.ndarray) -> float:
        return float(y[0])

    section.direction = 1  # type: ignore[attr-defined]
    run = solve_ivp(
        lambda t, y: [y[1], k * (1 - y[0] ** 2) * y[1] - y[0]], (0, 80), [2.0, 0.0], "DOP853", rtol=1e-12, atol=1e-12,
        events=section,
    )  # fmt: skip
    return float(np.diff(run.t_events[0])[-1])


def test_van_der_pol_from_a_run() -> None:
    system = oscillator(lambda k, q, u: k * (1 - q * q), "k").build()
    branch = tr.continuation(
        system, "k", (1.0, 2.0), "periodic", start={"mass.displacement": 2.0}, settle=30.0, intervals=80
    )
    period = branch["period"].values
    assert period[0] == pytest.approx(van_der_pol(1.0), abs=2e-7)
    assert period[-1] == pytest.approx(van_der_pol(2.0), abs=2e-6)
    assert branch.stable.all() and branch["mass.displacement"].values[-1, 1] == pytest.approx(2.0199, abs=2e-3)


def test_a_mesh_too_coarse_for_multipliers_is_reported_and_not_taken_for_a_change_of_stability() -> None:
    """The oscillator of van der Pol is always stable; the multiplier of a shift in time, 1, is found as 56 here."""
    system = oscillator(lambda k, q, u: k * (1 - q * q), "k").build()
    start = {"mass.displacement": 2.0}
    with pytest.warns(
        MultiplierWarning, match=r"of a shift in time.*at 6 of 9 points \(k from 2\.1883 to 8\).*intervals"
    ):
        branch = tr.continuation(system, "k", (2.0, 8.0), "periodic", start=start, settle=30.0, intervals=24)
    assert branch.stable.all() and not branch.special


def test_the_gait_of_the_rimless_wheel_through_its_landings() -> None:
    system = pivoting_wheel().build()
    branch = tr.continuation(system, "slope", (0.08, 0.2), "periodic", section=pivoting_landing(), step=0.3)
    speeds = [PlasticGait(slope=slope).speed for slope in branch.parameter]
    assert branch["hub.angle_rate"].values[:, 0] == pytest.approx(speeds, abs=1e-9)
    assert np.max(np.abs(branch["multipliers"].values), axis=1) == pytest.approx(0.5, abs=1e-9)
    assert branch.parameter[-1] == pytest.approx(0.2)


def test_what_cannot_be_followed(hoop: tr.System) -> None:
    with pytest.raises(UnknownNameError, match="rate"):
        tr.continuation(hoop, "rat", (1.0, 2.0))
    with pytest.raises(SolveError, match="two different values"):
        tr.continuation(hoop, "rate", (1.0, 1.0))
    with pytest.raises(SolveError, match="equilibria, steady, periodic"):
        tr.continuation(hoop, "rate", (1.0, 2.0), "orbits")
    with pytest.raises(SolveError, match="is not periodic"):
        tr.continuation(hoop, "rate", (1.0, 2.0), "periodic", start={"pin.angle": 1.0}, longest=3.0)
    with pytest.raises(SolveError, match="belong to steady"):
        tr.continuation(hoop, "rate", (1.0, 2.0), given={"pin.angle_rate": 0.0})
    bottom = tr.continuation(hoop, "rate", (1.0, 6.0), limit=4)
    assert bottom.ending == "the limit of 4 points was reached"
    with pytest.raises(UnknownNameError):
        bottom["pin.angel"]
