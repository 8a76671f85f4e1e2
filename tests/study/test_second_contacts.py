"""Two surfaces that touch in a second point end a run; open contacts continue with their closest points."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

import trundle as tr
from trundle import examples
from trundle.errors import SolveError
from trundle.examples.spiral_column import ALONG_X
from trundle.study import guarded_run
from trundle.study.batch import BatchWarning
from trundle.study.second_contacts import Watch, at_second_touch
from trundle.system import System

TROUGH = 1.5 * math.pi + 0.7  # m, of the column under the cylinder: it touches both flanks


@cache
def column(tube: float) -> System:
    return examples.model("spiral-column", tube=tube).build()


@pytest.mark.parametrize("samples", [501, 3, [1.5]])
def test_a_second_touch_at_the_place_of_the_trace(samples: int | list[float]) -> None:
    run = column(0.8).simulate(2.0, samples=samples)
    place = next(e.value for e in column(0.8).trace("column.displacement", 6.0).events if e.name == "double contact")
    assert place == pytest.approx(TROUGH, abs=1e-10)
    assert run.outcome.startswith("DOUBLE_CONTACT") and "'contact'" in run.outcome and not run.ok
    assert run.trajectory is not None
    assert run.trajectory.x_end[0] == pytest.approx(place, abs=1e-8)
    assert run.time[-1] == run.trajectory.t_end


def test_a_second_touch_is_found_while_the_first_still_holds() -> None:
    """Of a thick tube: the run ends before the contact is lost, or before the second touch."""
    system = column(1.2)
    met = system.simulate(2.0)
    assert met.outcome.startswith("DOUBLE_CONTACT") and met.trajectory is not None
    assert met.trajectory.x_end[0] == pytest.approx(TROUGH, abs=1e-8)
    t = met.trajectory.t_end
    assert system.simulate(0.999 * t).ok
    beyond = system.simulate(1.02 * t)
    assert beyond.outcome.startswith("DOUBLE_CONTACT") and beyond.trajectory is not None
    assert beyond.trajectory.t_end == pytest.approx(t, abs=1e-8)


def test_a_second_touch_before_an_interference_at_which_no_step_ends() -> None:
    """At a loose tolerance it is passed unseen, and the run cannot be made up to the interference again."""
    found = column(0.8).simulate(1.2, {"column.displacement_rate": 10.826207199019183}, rtol=1e-4, samples=2)
    assert found.outcome.startswith("DOUBLE_CONTACT") and found.trajectory is not None
    assert found.trajectory.x_end[0] == pytest.approx(TROUGH, abs=1e-8)


def test_a_second_touch_in_some_cases_of_a_batch() -> None:
    speed = np.array([6.0, 1.0, 7.0, 2.0])
    found = column(0.8).batch(1.0, {"column.displacement_rate": speed}, samples=4, rtol=1e-10, atol=1e-12)
    assert found.outcomes == ["DOUBLE_CONTACT", "FINISHED", "DOUBLE_CONTACT", "FINISHED"]
    for case in (0, 2):
        assert found.batch.x_end[case, 0] == pytest.approx(TROUGH, abs=1e-8)
        assert "second point" in found.messages[case] and "{" not in found.messages[case]


def pose(system: System, place: float) -> dict[str, float]:
    """On one flank of the trough, at this place of the column."""
    height = system.trace("column.displacement", 5.43).at(place)["cylinder.displacement"]
    return {"column.displacement": place, "cylinder.displacement": float(height)}


def test_a_second_touch_in_the_last_steps_of_a_batch() -> None:
    """Too late to be found during the run: found by the search at the end; the second case ends just before it."""
    system = column(0.8)
    near = pose(system, TROUGH - 1e-3)
    start = {name: np.array([value, value]) for name, value in near.items()}
    found = system.batch(1e-3, {**start, "column.displacement_rate": np.array([6.0, 0.5])})
    assert found.settings["way"] == "in lanes"
    assert found.outcomes == ["DOUBLE_CONTACT", "FINISHED"]
    assert found.batch.x_end[0, 0] == pytest.approx(TROUGH, abs=1e-8)


def test_cases_of_a_batch_touch_where_single_runs_do() -> None:
    """Random speeds: some end on the way to the trough, some would pass it."""
    rng = np.random.default_rng(8)
    system, speed = column(0.8), rng.uniform(3.0, 9.0, 40)
    found = system.batch(0.9, {"column.displacement_rate": speed}, rtol=1e-9)
    assert {"DOUBLE_CONTACT", "FINISHED"} <= {*found.outcomes} and found.settings["way"] == "in lanes"
    for case in range(0, 40, 5):
        single = system.simulate(0.9, {"column.displacement_rate": speed[case]}, samples=2, rtol=1e-9)
        assert single.trajectory is not None
        assert found.outcomes[case] == single.trajectory.outcome.name
        assert found.batch.t_end[case] == pytest.approx(single.trajectory.t_end, abs=1e-8)
    met = np.array(found.outcomes) == "DOUBLE_CONTACT"
    assert found.batch.x_end[met, 0] == pytest.approx(TROUGH, abs=1e-7)
    assert np.all(found.batch.x_end[~met, 0] < TROUGH)


def test_an_interruption_while_cases_are_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one that touches twice is done, at the second one the batch ends; nothing is run after that."""
    asked: list[float] = []
    integrate = guarded_run.integrate

    def interrupted(problem: Any, method: Any, case: Any, options: Any) -> Any:
        asked.append(float(case.x0[0]))
        if len(set(asked)) > 1:
            raise KeyboardInterrupt
        return integrate(problem, method, case, options)

    monkeypatch.setattr(guarded_run, "integrate", interrupted)
    places, speed = np.array([0.1, 0.2, 0.3, 0.4]), np.array([6.0, 1.0, 7.0, 7.0])
    trace = column(0.8).trace("column.displacement", 1.0)
    heights = [float(trace.at(place)["cylinder.displacement"]) for place in places]
    start = {"column.displacement": places, "cylinder.displacement": heights, "column.displacement_rate": speed}
    found = column(0.8).batch(1.0, start)
    assert found.outcomes == ["DOUBLE_CONTACT", "FINISHED", "INTERRUPTED", "INTERRUPTED"]
    assert len(set(asked)) == 2 and np.isnan(found.end("column.displacement")[2:]).all()


@pytest.mark.parametrize("tube", [0.72, 0.75])
def test_a_trace_sees_a_second_touch_right_before_its_end(tube: float) -> None:
    """The other common normal comes up within the last step, and the trace turns back 0.07 or 3 mm after the touch."""
    first, *others = column(tube).trace("column.displacement", 6.0).events
    assert first.name == "double contact" and first.value == pytest.approx(TROUGH, abs=1e-10)
    assert {e.name for e in others} == {"turning point", "loss of contact"}
    assert all(TROUGH < e.value < TROUGH + 3e-3 for e in others)


def test_a_tube_that_fits_the_trough_touches_once() -> None:
    run = column(0.5 * math.sqrt(2.0)).simulate(1.6, samples=3)
    assert run.ok and run.values("column.displacement")[-1] > TROUGH


# -- open contacts -----------------------------------------------------------------------------------------------------

RING, TUBE, ROD = 0.5, 0.1, 0.5  # m


def distance(position: np.ndarray, orientation: np.ndarray) -> float:
    """From a ring of round wire about its y axis to a rod along y: by the point of its middle line nearest to y."""
    R = Rotation.from_quat(orientation, scalar_first=True).as_matrix()

    def from_axis(a: float) -> float:
        point = position + R @ np.array([RING * math.cos(a), 0.0, RING * math.sin(a)])
        return math.hypot(point[0], point[2])

    turns = np.linspace(-math.pi, math.pi, 73)
    best = turns[int(np.argmin([from_axis(a) for a in turns]))]
    found = minimize_scalar(from_axis, bounds=(best - 0.1, best + 0.1), method="bounded", options={"xatol": 1e-10})
    return float(found.fun) - TUBE - ROD


@pytest.mark.parametrize("options", [{"unilateral": True}, {"compliance": tr.Hertz(1e6)}], ids=["rigid", "soft"])
def test_a_ring_that_tumbles_over_a_rod_has_the_gap_of_its_closest_points(options: dict[str, object]) -> None:
    """Its lowest point changes sides, and the one that was followed ceases to be one."""
    m = tr.Model("ring", gravity=(0, 0, 0))
    body = m.body("ring", 1.0, (0.03, 0.05, 0.03))
    m.connect(tr.HigherPair(tr.Cylinder(ROD), tr.Torus(RING + TUBE, TUBE)), m.ground, body, name="c", **options)
    start = {"ring.position": (0.05, 0.1, 1.5), "ring.angular_velocity": (2.0, 0.3, 0.1)}
    run = m.build().simulate(5.0, start, samples=41)
    assert run.ok, run.outcome
    poses = zip(run.values("ring.position"), run.values("ring.orientation"), strict=True)
    late = 1e-3 + np.zeros(len(run.time))  # m: the nearer point is found a little after it has become the nearer one
    np.testing.assert_array_less(np.abs(run.values("c.gap") - [distance(*pose) for pose in poses]), late)


def test_a_start_that_overlaps_elsewhere_is_refused() -> None:
    """On one flank of the trough, a little beyond the place where the cylinder touches both."""
    system = column(0.8)
    assert system.simulate(1e-4, pose(system, TROUGH - 1e-3), samples=2).ok
    met = system.simulate(1e-3, pose(system, TROUGH - 1e-3), samples=2)  # in one step
    assert met.outcome.startswith("DOUBLE_CONTACT") and met.trajectory is not None
    assert met.trajectory.x_end[0] == pytest.approx(TROUGH, abs=1e-8)
    beyond = pose(system, TROUGH + 1e-3)
    with pytest.raises(SolveError, match=r"'contact': at the start the surfaces .* overlap elsewhere, by"):
        system.simulate(1e-3, beyond)
    both = {name: [value, beyond[name]] for name, value in pose(system, 3.0).items()}
    with pytest.warns(BatchWarning, match="case 1"):
        batch = system.batch(1e-3, both)
    assert batch.outcomes == ["FINISHED", "REFUSED"] and "overlap elsewhere" in batch.messages[1]


# -- others beside one that has appeared inside ------------------------------------------------------------------------


def two_columns() -> System:
    """Two cylinders on their spiral columns; the first one is faster and reaches its trough first. It would be lost
    soon after.
    """
    m = tr.Model("two columns")
    for name, speed in (("fast", 6.0), ("slow", 5.995)):
        column = m.body(f"{name} column", mass=2.0, inertia=1.0)
        cylinder = m.body(f"{name} cylinder", mass=1.0, inertia=0.1)
        m.connect(tr.Prismatic("x"), m.ground, column, name=f"{name} way")
        m.connect(tr.Prismatic("z"), m.ground.at(0.7, 0.0), cylinder, name=f"{name} lift")
        pair = tr.HigherPair(tr.SpiralColumn(radius=1.0, pitch=1.0, tube=0.8), tr.Cylinder(0.2 * math.sqrt(2.0)))
        m.connect(pair, column.frame(rotation=ALONG_X), cylinder, name=name)
        m.start |= {f"{name} way.displacement_rate": speed, f"{name} lift.displacement": 0.7}
    return m.build()


def test_others_are_watched_after_one_has_appeared_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first second touch is taken for a common normal that was never outside: the next one ends the run."""
    asked = []

    def denied(f: Any, watch: Watch, run: Any) -> Any:
        assert watch.second is not None
        asked.append(watch.second.contact)
        return None if watch.second.contact == 0 else at_second_touch(f, watch, run)

    system = two_columns()
    first = system.simulate(1.2, samples=3)
    assert first.outcome.startswith("DOUBLE_CONTACT") and "'fast'" in first.outcome
    monkeypatch.setattr(guarded_run, "at_second_touch", denied)
    run = system.simulate(1.2, samples=3)
    assert asked[0] == 0 and asked[-1] == 1
    assert run.outcome.startswith("DOUBLE_CONTACT") and "'slow'" in run.outcome
    assert run.trajectory is not None
    state = dict(zip(run.coordinates, run.trajectory.x_end, strict=False))
    assert state["slow way.displacement"] == pytest.approx(TROUGH, abs=1e-8)
