"""Traces along a driven coordinate, against closed forms of linkages and contacts."""

from functools import cache

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.errors import AssemblyError, SolveError, StoreError, UnknownNameError
from trundle.run.trace import Trace
from trundle.system import System

GROUND, CRANK, COUPLER, ROCKER = 2.0, 1.0, 2.0, 1.5


@cache
def four_bar(rocker: float = ROCKER, servo: bool = False, bars: int = 3) -> System:
    """A planar linkage of three moving bars; with four it has two freedoms."""
    m = tr.Model("linkage")
    lengths = {"crank": CRANK, "coupler": COUPLER, "rocker": rocker} | ({"extra": 0.8} if bars == 4 else {})
    bodies = {n: m.body(n, 1.0, (0.01, L**2 / 12, L**2 / 12), com=(L / 2, 0, 0)) for n, L in lengths.items()}
    law = tr.Servo(lambda t: 0.9 + 2 * t) if servo else None
    m.connect(tr.Revolute("z"), m.ground, bodies["crank"], law=law)
    m.connect(tr.Revolute("z"), bodies["crank"].at(CRANK, 0), bodies["coupler"])
    m.connect(tr.Revolute("z"), m.ground.at(GROUND, 0), bodies["rocker"])
    end = bodies["coupler"].at(COUPLER, 0)
    if bars == 4:
        m.connect(tr.Revolute("z"), end, bodies["extra"])
        end = bodies["extra"].at(0.8, 0)
    m.connect(tr.Revolute("z"), end, bodies["rocker"].at(rocker, 0), name="closure")
    m.start |= {"crank.angle": 0.9, "rocker.angle": 1.3 if rocker == ROCKER else 0.9}
    if rocker != ROCKER:
        m.start["coupler.angle"] = -0.9
    return m.build()


def rocker_angle(crank, rocker=ROCKER):
    """The upper assembly by the law of cosines."""
    dx, dy = CRANK * np.cos(crank) - GROUND, CRANK * np.sin(crank)
    d = np.hypot(dx, dy)
    inner = np.arccos((d**2 + rocker**2 - COUPLER**2) / (2 * d * rocker))
    return np.arctan2(dy, dx) - inner


def limit(stretched: bool) -> float:
    """Angle of the rocker where crank and coupler lie on one line."""
    d = COUPLER + CRANK if stretched else COUPLER - CRANK
    return float(np.pi - np.arccos((GROUND**2 + ROCKER**2 - d**2) / (2 * GROUND * ROCKER)))


def kinds(trace: Trace) -> list[str]:
    return [event.name for event in trace.events]


def test_a_turn_of_a_crank_agrees_with_the_closed_form():
    wanted = [1.5, 3.0, 0.9 + 2 * np.pi]
    trace = four_bar().trace("crank.angle", wanted)
    assert trace.ok
    assert all(value in trace.value for value in wanted)
    expected = np.unwrap(rocker_angle(trace.value))
    np.testing.assert_allclose(
        trace.values("rocker.angle") - trace.values("rocker.angle")[0], expected - expected[0], atol=1e-12
    )
    assert np.cos(trace.values("rocker.angle")[0] - expected[0]) == pytest.approx(1.0, abs=1e-13)
    h = 1e-5
    slope = (rocker_angle(trace.value + h) - rocker_angle(trace.value - h)) / (2 * h)
    plain = np.abs(slope) < 10  # else the closed form jumps by a whole turn
    np.testing.assert_allclose(trace.values("rocker.angle_derivative")[plain], slope[plain], atol=1e-8)
    assert trace["closure.angle"].attrs["units"] == "rad"
    assert "closes a loop" in trace["closure.angle"].attrs["long_name"]
    assert np.max(np.abs(np.diff(trace.values("closure.angle")))) < 0.3
    assert set(trace.values("rank")) == {len(four_bar().formulation.layout.coordinates) - 1}
    assert kinds(trace) == []


def test_a_driven_rocker_turns_back():
    trace = four_bar().trace("rocker.angle", 4.0)
    assert not trace.ok
    assert kinds(trace) == ["turning point"]
    assert trace.events[0].value == pytest.approx(limit(stretched=False), abs=1e-12)
    assert trace.value[-1] == pytest.approx(limit(stretched=False), abs=1e-12)
    assert "through_folds" in trace.outcome


def test_through_the_folds_the_curve_closes():
    trace = four_bar().trace("rocker.angle", 4.0, through_folds=True)
    assert trace.outcome.startswith("closed curve")
    assert kinds(trace) == ["turning point", "turning point"]
    np.testing.assert_allclose(
        [e.value for e in trace.events], [limit(stretched=False), limit(stretched=True)], atol=1e-12
    )
    assert abs(trace.values("crank.angle")[-1] - trace.values("crank.angle")[0]) > 6.0


def test_a_value_behind_a_fold_is_reached_exactly():
    trace = four_bar().trace("rocker.angle", 1.2, through_folds=True, start={"crank.angle": 3.0})
    assert trace.ok
    assert trace.value[-1] == pytest.approx(1.2, abs=1e-14)
    there = four_bar().trace("rocker.angle", [1.5, 1.2, 1.4])
    assert [float(v) for v in there.value[np.isin(there.value, [1.5, 1.2, 1.4])]] == [1.5, 1.2, 1.4]


def test_driven_by_the_joint_that_closes_the_loop():
    by_crank = four_bar().trace("crank.angle", 1.4)
    end = float(by_crank.at(1.4)["closure.angle"])
    trace = four_bar().trace("closure.angle", end)
    assert float(trace.at(end)["crank.angle"]) == pytest.approx(1.4, abs=1e-12)
    slope = float(by_crank.at(1.4)["closure.angle_derivative"])
    assert float(trace.at(end)["crank.angle_derivative"]) == pytest.approx(1 / slope, rel=1e-10)


@pytest.mark.parametrize("wanted", [[7.5], [np.pi, 7.5], [2.0, 3.0, 3.1, 3.2, 7.5]])
def test_a_parallelogram_stays_one_through_its_folded_poses(wanted):
    trace = four_bar(rocker=CRANK).trace("crank.angle", wanted)
    assert trace.ok
    np.testing.assert_allclose(trace.values("rocker.angle"), trace.value, atol=1e-9)
    assert kinds(trace) == ["singular pose", "singular pose"]
    np.testing.assert_allclose([e.value for e in trace.events], [np.pi, 2 * np.pi], atol=1e-10)
    assert trace.events[0].where == "closure"
    assert "lose 1 of their rank" in trace.events[0].text


@pytest.mark.parametrize("longer", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("step", [None, 0.3])
def test_another_branch_close_by_is_not_taken(longer, step):
    """A rocker that is a little longer than the crank: near the folded poses the branches come as close as the root of
    the difference, and the curve turns sharply from the parallelogram to the crossed one.
    """
    trace = four_bar(rocker=CRANK + longer).trace("crank.angle", 0.9 + 2 * np.pi, step=step)
    assert trace.ok
    apart = trace.values("rocker.angle") - rocker_angle(trace.value, CRANK + longer)
    np.testing.assert_allclose(np.cos(apart), 1.0, atol=1e-12)
    assert kinds(trace) == []


def test_loops_that_fold_together_are_found():
    """The determinant keeps its sign where two loops fold at once."""
    trace = examples.model("n-four-bar", N=2).build().trace("rod0.angle", -4.0)
    assert kinds(trace) == ["singular pose", "singular pose"]
    np.testing.assert_allclose([e.value for e in trace.events], [0.0, -np.pi], atol=1e-10)
    assert trace.events[0].where == "closure0, closure1"
    assert "lose 2 of their rank" in trace.events[0].text


def test_other_freedoms_must_be_held():
    system = four_bar(bars=4)
    with pytest.raises(SolveError, match=r"1 more freedom: '.*' must be held"):
        system.trace("crank.angle", 1.2)
    trace = system.trace("crank.angle", 1.2, hold=["rocker.angle"])
    np.testing.assert_allclose(trace.values("rocker.angle"), trace.values("rocker.angle")[0], atol=1e-13)
    trace = system.trace("crank.angle", 1.2, hold={"rocker.angle": 1.5})
    np.testing.assert_allclose(trace.values("rocker.angle"), 1.5, atol=1e-13)
    with pytest.raises(SolveError, match="nothing can move"):
        system.trace("crank.angle", 1.2, hold=["rocker.angle", "coupler.angle"])
    with pytest.raises(AssemblyError):
        system.trace("crank.angle", 1.2, hold={"closure.angle": 0.1, "coupler.angle": 0.0, "rocker.angle": 2.0})


def test_a_drive_gives_way_to_the_trace():
    driven, free = (four_bar(servo=servo).trace("crank.angle", [1.0, 2.0]) for servo in (True, False))
    assert float(driven.at(2.0)["coupler.angle"]) == pytest.approx(float(free.at(2.0)["coupler.angle"]), abs=1e-12)


def test_faulty_questions_are_refused():
    system = four_bar()
    with pytest.raises(UnknownNameError, match=r"crank\.angle"):
        system.trace("crank.angel", 1.0)
    with pytest.raises(SolveError, match="not a coordinate of the pose"):
        system.trace("crank.angle_rate", 1.0)
    with pytest.raises(SolveError, match="3 components"):
        system.trace("coupler.position", 1.0)
    with pytest.raises(SolveError, match="finite values"):
        system.trace("crank.angle", [1.0, np.nan])
    for faulty in ("far", "1.0", ["1.0", "2.0"], [1.0, "far"], [[1.0], [1.0, 2.0]], None, []):
        with pytest.raises(SolveError, match="a number or a list of numbers, got"):
            system.trace("crank.angle", faulty)
    for faulty in (-1.0, "small"):
        with pytest.raises(SolveError, match="step of a trace"):
            system.trace("crank.angle", 1.0, step=faulty)
    with pytest.raises(SolveError, match="took 20 points"):
        system.trace("crank.angle", 20.0, limit=20)
    with pytest.raises(SolveError, match="is not on the trace"):
        system.trace("crank.angle", 1.0).at(3.0)


def test_a_tree_is_traced_too():
    """A wheel on a plane: leaning over, its tube turns its hollow side to the ground at a right angle."""
    m = tr.Model("wheel")
    wheel = m.body("wheel", 1.0, (0.1, 0.2, 0.1))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.5, 0.1)), m.ground, wheel)
    others = [f"wheel.{n}" for n in ("x", "y", "yaw", "pitch")]
    trace = m.build().trace("wheel.roll", 2.0, hold=others)
    assert kinds(trace) == ["loss of contact"]
    assert trace.events[0].value == pytest.approx(np.pi / 2, abs=1e-10)
    height = 0.4 * np.cos(trace.value) + 0.1
    np.testing.assert_allclose(trace.values("wheel.position_z"), height, atol=1e-13)


ALONG, ABOVE = 0.2, 0.1  # place of the curve on the cam (m)


def cam_place(angle):
    """Place of the curve of the cam in the ground, x and z."""
    s, c = np.sin(angle), np.cos(angle)
    return ALONG * c + ABOVE * s, ABOVE * c - ALONG * s


def above_a_circle(angle, apart):
    """Follower whose centre is on the axis z, above the cam, at a distance from the centre of the circle."""
    x, z = cam_place(angle)
    return z + np.sqrt(apart**2 - x**2)


RING = tr.Circle(0.8, inside=True)


@pytest.mark.parametrize(
    ("first", "second", "to", "lift"),
    [
        (tr.Circle(0.5), tr.Line(), 2 * np.pi, lambda a: cam_place(a)[1] - 0.5),
        (tr.Vertex(), tr.Line(), 2 * np.pi, lambda a: cam_place(a)[1]),
        (tr.Line(), tr.Circle(0.5), 1.0, lambda a: (ABOVE + 0.5) / np.cos(a)),
        (tr.Line(), tr.Vertex(), 1.0, lambda a: ABOVE / np.cos(a)),
        (tr.Circle(0.5), tr.Circle(0.1), 2 * np.pi, lambda a: above_a_circle(a, 0.6)),
        (tr.Circle(0.5), tr.Vertex(), 2 * np.pi, lambda a: above_a_circle(a, 0.5)),
        (tr.Vertex(), tr.Circle(0.5), 2 * np.pi, lambda a: above_a_circle(a, 0.5)),
        (RING, tr.Circle(0.1), 2 * np.pi, lambda a: above_a_circle(a, 0.7)),
        (tr.Circle(0.1), RING, 2 * np.pi, lambda a: above_a_circle(a, 0.7)),
    ],
)
def test_the_lift_of_a_planar_cam_agrees_with_the_closed_form(first, second, to, lift):
    m = tr.Model("cam")
    cam, follower = m.body("cam", 1.0, 0.1), m.body("follower", 1.0, 0.1)
    m.connect(tr.Revolute("y"), m.ground, cam)
    m.connect(tr.Prismatic("z"), m.ground, follower)
    m.connect(tr.PlanarPair(first, second), cam.at(ALONG, 0, ABOVE), follower, name="contact")
    trace = m.build().trace("cam.angle", to, {"cam.angle": 0.0, "follower.displacement": lift(0.0)})
    assert trace.ok
    np.testing.assert_allclose(trace.values("follower.displacement"), lift(trace.value), atol=1e-12)
    h = 1e-5
    slope = (lift(trace.value + h) - lift(trace.value - h)) / (2 * h)
    np.testing.assert_allclose(trace.values("follower.displacement_derivative"), slope, atol=1e-8)
    np.testing.assert_allclose(trace.values("contact.contact_point_y"), 0.0, atol=1e-13)
    assert kinds(trace) == []


def test_a_planar_pair_in_the_tree_is_traced():
    m = tr.Model("wheel in a plane")
    wheel = m.body("wheel", 1.0, 0.1)
    m.connect(tr.PlanarPair(tr.Line(), tr.Circle(0.3)), m.ground, wheel)
    trace = m.build().trace("wheel.slide", 2.0, hold=["wheel.angle"])
    np.testing.assert_allclose(trace.values("wheel.position_x"), trace.value, atol=1e-13)
    np.testing.assert_allclose(trace.values("wheel.position_z"), 0.3, atol=1e-13)
    assert kinds(trace) == []


@pytest.mark.parametrize("edge", ["torus", "parameter", "circle"])
def test_a_tyre_without_a_tube_is_an_edge(edge):
    """Leaning over, a rim of radius r has the curvature cos(roll) / r against the ground."""
    m = tr.Model("wheel")
    surfaces = {
        "torus": lambda: tr.Torus(0.5),
        "parameter": lambda: tr.Torus(0.5, m.parameter("tube", 0.0, "m")),
        "circle": lambda: tr.CircleEdge(0.5),
    }
    wheel = m.body("wheel", 1.0, (0.1, 0.2, 0.1))
    m.connect(tr.HigherPair(tr.Plane(), surfaces[edge]()), m.ground, wheel)
    trace = m.build().trace("wheel.roll", 1.4, hold=[f"wheel.{n}" for n in ("x", "y", "yaw", "pitch")])
    np.testing.assert_allclose(trace.values("wheel.relative_curvature"), np.cos(trace.value) / 0.5, rtol=1e-5)
    assert kinds(trace) == []


def test_knife_edge_wheels_of_a_bicycle_keep_their_contacts():
    held = ["steer", "x", "y", "yaw", "rear_angle", "front_angle"]
    trace = tr.bicycle.benchmark().build().trace("roll", 1.0, {"steer": 0.5, "roll": 0.0}, hold=held)
    assert trace.ok
    assert "loss of contact" not in kinds(trace)
    assert min(trace.values(f"{n}.relative_curvature").min() for n in ("rear", "front")) > 0.5


def test_a_ball_reaches_the_apex_of_a_cone():
    """Led along a generator, where its contact is no constraint at all."""
    angle, radius = 0.4, 0.3
    m = tr.Model("cone", gravity=(0, 0, 0))
    ball = m.body("ball", 1.0, (0.1, 0.1, 0.1))
    along, normal = np.array([0, np.cos(angle), np.sin(angle)]), np.array([0, -np.sin(angle), np.cos(angle)])
    centre = np.array([0, 0, 0.5]) + radius * normal
    m.connect(tr.Prismatic(tuple(along)), m.ground.at(*centre), ball)
    m.connect(tr.HigherPair(tr.Cone(0.5, angle), tr.Sphere(radius)), m.ground, ball, name="contact")
    trace = m.build().trace("ball.displacement", -2.0)
    np.testing.assert_allclose(trace.values("contact.slide"), trace.value, atol=1e-12)
    ends = [e.value for e in trace.events if "end of the Cone" in e.text]
    np.testing.assert_allclose(ends, [-0.5 / np.sin(angle)], atol=1e-10)


def test_between_the_points_and_after_storage(tmp_path):
    trace = four_bar().trace("crank.angle", 3.0)
    exact = float(four_bar().trace("crank.angle", 2.345).at(2.345)["rocker.angle"])
    assert float(trace.at(2.345)["rocker.angle"]) == pytest.approx(exact, abs=1e-13)
    stored = Trace.load(trace.save(tmp_path / "linkage"))
    assert stored.driven == "crank.angle"
    assert stored.outcome == trace.outcome
    np.testing.assert_array_equal(stored.values("rocker.angle"), trace.values("rocker.angle"))
    assert float(stored.at(2.345)["rocker.angle"]) == pytest.approx(exact, abs=1e-5)
    folded = four_bar().trace("rocker.angle", 4.0)
    assert Trace.load(folded.save(tmp_path / "folded.nc")).events == folded.events
    with pytest.raises(UnknownNameError):
        stored["nothing"]
    table = trace.save(tmp_path / "linkage.csv").read_text(encoding="utf-8").splitlines()
    assert len(table) == 1 + len(trace.value) and table[0].startswith("crank.angle [rad],")
    assert float(table[-1].split(",")[0]) == trace.value[-1]
    run = four_bar().simulate(0.1)
    with pytest.raises(StoreError, match="not a trace"):
        Trace.load(run.save(tmp_path / "run.nc"))
    with pytest.raises(StoreError, match=r"it is a trace.*trundle\.run\.trace\.Trace\.load"):
        tr.load(tmp_path / "linkage.nc")


def test_pictures_of_a_trace(tmp_path):
    trace = four_bar(rocker=CRANK).trace("crank.angle", 4.0)
    figure = trace.plot("rocker.angle", "coupler.position", path=tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000
    assert [len(panel.lines) for panel in figure.axes] == [2, 4]  # with the singular pose
    assert figure.axes[-1].get_xlabel() == "crank.angle (rad)"
    with pytest.raises(SolveError, match="none in this model"):
        trace.draw()


@pytest.mark.parametrize("size", [1.0, 1e-10, 1e8])
def test_what_is_held_counts_in_machines_of_any_size(size: float) -> None:
    m = tr.Model("arm on a slide")
    slide, arm = (m.body(n, 1.0, (size**2,) * 3, (0, 0, size)) for n in ("slide", "arm"))
    m.connect(tr.Prismatic("x"), m.ground, slide)
    m.connect(tr.Revolute("y"), slide.at(size, 0, 0), arm.at(0, 0, size))
    trace = m.build().trace(
        "arm.angle", 1.0, hold={"slide.displacement": 0.3 * size}, start={"slide.displacement": 0.3 * size}
    )
    assert trace.ok, trace.outcome
    np.testing.assert_allclose(trace.values("slide.displacement"), 0.3 * size, rtol=1e-12)


def test_states_of_a_model_stay_as_they_are_along_a_trace():
    m = tr.Model("slider-crank with a state")
    crank = m.body("crank", mass=1.0, inertia=0.02, com=(0.1, 0, 0))
    rod = m.body("rod", mass=1.0, inertia=0.02, com=(0.4, 0, 0))
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3, 0, 0), rod)
    m.connect(tr.Prismatic("x"), m.ground, m.body("piston", mass=1.0))
    m.connect(tr.Revolute("y"), rod.at(0.8, 0, 0), m.bodies["piston"], name="pin")
    m.state("heat", lambda s: s["crank.angle_rate"] ** 2, start=2.0, unit="J")
    m.start = {"crank.angle": 0.2}
    system = m.build()
    trace = system.trace("crank.angle", 2.0)
    angle = trace.values("crank.angle")
    closed = 0.3 * np.cos(angle) + np.sqrt(0.64 - (0.3 * np.sin(angle)) ** 2)
    np.testing.assert_allclose(trace.values("piston.displacement"), closed, atol=1e-12)
    with pytest.raises(SolveError, match=r"'heat' is not a coordinate of the pose.*pin\.angle\."):
        system.trace("heat", 3.0)


def test_an_example_with_states_names_the_freedoms_that_a_trace_would_have_to_hold():
    with pytest.raises(SolveError, match=r"more freedoms: 'place\.y', 'place\.angle'"):
        examples.model("single-track-car").build().trace("place.x", 0.3)
