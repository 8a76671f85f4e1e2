"""Stable ranges of speed: published numbers, neutral eigenvalues, and impossible requests."""

import numpy as np
import pytest

import trundle as tr
from trundle.bicycle.whipple import benchmark
from trundle.errors import SolveError, UnknownNameError
from trundle.study.stability import SteadyMotions, growth, moving
from trundle.system import System

# Meijaard, Papadopoulos, Ruina and Schwab (2007): weave and capsize speed of the benchmark bicycle.
WEAVE, CAPSIZE = 4.292382536341, 6.024262015388


@pytest.fixture(scope="module")
def bike() -> System:
    return benchmark().build()


@pytest.fixture
def pushed() -> System:
    model = benchmark()
    model.start = {"speed": 4.6, "roll_rate": 0.5}
    return model.build()


def test_weave_and_capsize_speed(bike: System) -> None:
    found = SteadyMotions(bike).stability(0.0, 10.0)
    assert found.ranges == (pytest.approx((WEAVE, CAPSIZE), abs=1e-9),)
    assert found.neutral == 1  # the forward speed
    assert found.summary() == "stable between 4.292382536 and 6.024262015 m/s"


@pytest.mark.parametrize("count", [12, 57])
def test_borders_do_not_depend_on_the_samples(bike: System, count: int) -> None:
    assert SteadyMotions(bike).stability(1.0, 9.0, count).ranges == (pytest.approx((WEAVE, CAPSIZE), abs=1e-9),)


def test_ranges_that_reach_the_ends(bike: System) -> None:
    found = SteadyMotions(bike).stability(5.0, 10.0, 21)
    assert found.ranges == (pytest.approx((5.0, CAPSIZE), abs=1e-9),)
    assert found.summary() == "stable up to 6.024262015 m/s"
    assert SteadyMotions(bike).stability(3.0, 6.0, 21).summary() == "stable from 4.292382536 m/s on"
    assert SteadyMotions(bike).stability(5.0, 6.0, 5).summary() == "stable at every speed from 5 to 6 m/s"
    found = SteadyMotions(bike).stability(7.0, 9.0, 5)
    assert found.ranges == () and found.summary() == "stable nowhere between 7 and 9 m/s"


def test_a_push_in_the_start_of_the_model_does_not_count(bike: System, pushed: System) -> None:
    plain, same = (SteadyMotions(system).over([5.0])[0].eigenvalues for system in (bike, pushed))
    assert same == pytest.approx(plain, abs=1e-12)
    with pytest.raises(SolveError, match="not a steady motion"):
        SteadyMotions(pushed, keep_rates=True).over([5.0])
    assert pushed.model.start == {"speed": 4.6, "roll_rate": 0.5}


def test_at_rest_there_are_as_many_eigenvalues_as_in_motion(bike: System) -> None:
    rest, motion = SteadyMotions(bike).over([0.0, 5.0])
    assert rest.names == motion.names
    # Published at v = 0: +-3.131 643 247 906 56 and +-5.530 943 717 653 93.
    values = np.sort(moving(rest.eigenvalues, 1).real)
    assert values == pytest.approx([-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393], abs=1e-9)


def test_growth_leaves_out_the_neutral_ones() -> None:
    values = np.array([-2.0, 1e-17, -0.3 + 1j, -0.3 - 1j])
    assert growth(values, 1) == -0.3
    assert growth(values) == 1e-17
    assert list(moving(values, 1)) == [-2.0, -0.3 + 1j, -0.3 - 1j]


def test_another_quantity_and_undamped_motions() -> None:
    """A mass on a spring in a turning arm, k > m w^2: it swings below w = 5 rad/s and flies out above."""
    model = tr.Model("arm", gravity=(0.0, 0.0, 0.0))
    arm, bead = model.body("arm", 1.0, 1e6), model.body("bead", 1.0, 0.1)
    model.connect(tr.Revolute("z"), model.ground, arm)
    model.connect(tr.Prismatic("x"), arm, bead, law=tr.Spring(25.0))
    system = model.build()
    found = SteadyMotions(system, "arm.angle_rate").stability(0.5, 8.0)
    assert found.ranges == (pytest.approx((0.5, 5.0), rel=1e-5),)


@pytest.mark.parametrize(("stiffness", "mass"), [(25.0, 3.0), (1e4, 0.7), (3.0, 20.0)])
def test_borders_have_the_digits_that_are_promised(stiffness: float, mass: float) -> None:
    """A bead in a turning tube flies out above (k/m)^(1/2): eigenvalues are zero there."""
    model = tr.Model("tube", gravity=(0.0, 0.0, 0.0))
    tube, bead = model.body("tube", 1.0, 1.0), model.body("bead", model.parameter("m", mass), 1e-3)
    model.connect(tr.Revolute("z"), model.ground, tube)
    model.connect(tr.Prismatic("x"), tube, bead, law=tr.Spring(model.parameter("k", stiffness)))
    border = np.sqrt(stiffness / mass)
    found = SteadyMotions(model.build(), "tube.angle_rate").stability(0.1 * border, 2.0 * border).ranges
    assert found == (pytest.approx((0.1 * border, border), rel=1e-8),)


def test_impossible_requests_are_reported(bike: System) -> None:
    model = tr.Model("arm")
    model.connect(tr.Revolute("z"), model.ground, model.body("arm", 1.0, 1.0))
    system = model.build()
    with pytest.raises(
        SolveError, match=r"no quantity with the short name 'speed'.*m.alias\('speed', 'arm.angle_rate'\)"
    ):
        SteadyMotions(system)
    with pytest.raises(UnknownNameError, match=r"arm\.angle_rate"):
        SteadyMotions(system, "arm.angel_rate")
    with pytest.raises(SolveError, match="rising range"):
        SteadyMotions(bike).stability(3.0, 3.0)
    with pytest.raises(SolveError, match="not a steady motion"):
        SteadyMotions(bike, start={"roll": 0.2}).stability(3.0, 5.0)
