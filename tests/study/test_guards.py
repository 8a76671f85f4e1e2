"""Runs end with a name where a contact becomes invalid: end of a surface, interference, a wheel that lies flat."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad

import trundle as tr
from trundle import examples
from trundle.errors import SolveError
from trundle.run.run import Run
from trundle.system import System


def rolling(first: object, second: object, formalism: str = "kane", **options: object) -> System:
    m = tr.Model("rolling")
    body = m.body("b", 1.0, (0.01, 0.02, 0.01))
    m.connect(tr.HigherPair(first, second), m.ground, body, name="c", **options)
    return m.build(formalism=formalism)


@pytest.mark.parametrize("samples", [501, 3])
def test_interference_at_the_time_of_the_trace(samples: int) -> None:
    """The ball on the tangent surface turns evenly: the angle of the trace is a time."""
    system = examples.model("sphere-on-tangent-surface", moves="y").build()
    lost = min(-e.value for e in system.trace("surface.angle", -2.5).events if e.name == "loss of contact")
    run = system.simulate(3.0, {"surface.angle_rate": -1.0}, samples=samples)
    assert run.outcome.startswith("INTERFERENCE") and "'contact'" in run.outcome and not run.ok
    assert run.trajectory is not None
    assert run.trajectory.t_end == pytest.approx(lost, abs=1e-8)
    assert run.time[-1] == run.trajectory.t_end  # early ends are samples
    assert len(run.time) in ((251, 252) if samples == 501 else (2, 3))  # one at 1.5 s is the loss up to round-off
    distance = 2 * np.sqrt(2) + run.values("contact.slide")
    assert run.values("contact.relative_curvature") == pytest.approx(np.sqrt(2) - 1 / distance, abs=1e-9)


@cache
def swinging() -> System:
    """The ball on the tangent surface moves in proportion to the angle: with a spring, a harmonic motion of 1 rad/s."""
    m = examples.model("sphere-on-tangent-surface", moves="y")
    m.apply(tr.Wrench(m.bodies["surface"], moment=lambda s: (0, 0, -3.0 * s["surface.angle"])))
    return m.build()


def first_time_at(limit: float, amplitude: float) -> float:
    """When -amplitude sin t first reaches -limit."""
    return math.asin(limit / amplitude)


@pytest.mark.parametrize("beyond", [1e-2, 1e-5])
def test_a_violation_between_two_samples_ends_the_run(beyond: float) -> None:
    """At the far end of the swing the surfaces interfere for a moment, in every period, never at a sample."""
    amplitude = 1.5 * (1 + beyond)
    run = swinging().simulate(20 * math.pi, {"surface.angle_rate": -amplitude}, samples=21)
    assert run.outcome.startswith("INTERFERENCE") and run.trajectory is not None
    assert run.trajectory.t_end == pytest.approx(first_time_at(1.5, amplitude), abs=1e-8 / math.sqrt(beyond))
    assert run.trajectory.x_end[0] == pytest.approx(-1.5, abs=1e-8)
    assert list(run.time) == [0.0, run.trajectory.t_end]
    assert swinging().simulate(20 * math.pi, {"surface.angle_rate": -1.5 * (1 - beyond)}, samples=21).ok


@pytest.mark.parametrize("rtol", [1e-6, 1e-8])
def test_a_guard_that_comes_near_zero_before_it_is_broken_is_found_as_exactly(rtol: float) -> None:
    """The first alarm is false, or comes from a step that cannot be made again up to there."""
    amplitude = 1.5061665492452017
    run = swinging().simulate(20 * math.pi, {"surface.angle_rate": -amplitude}, samples=3, rtol=rtol)
    assert run.outcome.startswith("INTERFERENCE") and run.trajectory is not None
    assert run.trajectory.t_end == pytest.approx(first_time_at(1.5, amplitude), abs=100 * rtol)


@pytest.mark.parametrize("side", [0.0, 0.3])
def test_a_ball_rolls_past_the_apex_of_a_cone(side: float) -> None:
    """Straight at it the ball reaches the apex at a time in closed form; past it on the side, it never does."""
    half, r = 0.4, 0.2
    m = tr.Model("cone", gravity=(0, 0, 0))
    body = m.body("b", 1.0, (0.4 * r**2,) * 3)
    m.connect(tr.HigherPair(tr.Cone(1.0, half), tr.Sphere(r)), m.ground, body, name="c", law=tr.NoSlip())
    run = m.build().simulate(3.0, {"c.slide_rate": -2.0, "c.angle_rate": side})
    if side:
        assert run.ok and np.min(run.values("c.slide")) > -1 / math.sin(half)
        return
    assert run.outcome.startswith("SURFACE_LEFT") and "Cone" in run.outcome
    assert run.trajectory is not None
    assert run.trajectory.t_end == pytest.approx(1.0 / math.sin(half) / 2.0, abs=1e-8)


def fallen(run: Run) -> None:
    assert run.outcome.startswith("LIES_FLAT") and "'c'" in run.outcome
    assert np.min(run.values("b.position")[:, 2]) > -1e-9
    assert run.trajectory is not None and run.time[-1] == run.trajectory.t_end
    assert np.all(np.isfinite(run.values("b.acceleration")[-1]))


def leaning(lean: float, r: float) -> dict[str, object]:
    return {"b.position": (0, 0, r * math.cos(lean)), "b.quaternion": (math.cos(lean / 2), math.sin(lean / 2), 0, 0)}


@pytest.mark.parametrize("formalism", ["kane", "udwadia_kalaba", "newton_euler"])
@pytest.mark.parametrize("law", [tr.NoSlip(), tr.Coulomb(0.5)])
def test_a_thin_disc_falls_flat(law: object, formalism: str) -> None:
    lean, r = 0.3, 0.2
    system = rolling(tr.Plane(), tr.CircleEdge(r), formalism, law=law)
    run = system.simulate(3.0, leaning(lean, r) if isinstance(law, tr.Coulomb) else {"c.roll": lean})
    fallen(run)
    if isinstance(law, tr.NoSlip):  # it turns about its lowest point; roll = lean + s^2, as it begins at rest

        def slowness(s: float) -> float:
            fallen = 2 * math.sin(lean + s**2 / 2) * math.sin(s**2 / 2)  # cos(lean) - cos(roll)
            return 2 * s / math.sqrt(2 * 9.81 * r * fallen / (0.01 + r**2))

        time, _ = quad(slowness, 0.0, math.sqrt(math.pi / 2 - lean), epsabs=1e-12)
        assert run.trajectory is not None
        assert run.trajectory.t_end == pytest.approx(time, abs=1e-8)


@pytest.mark.parametrize("law", [tr.Coulomb(0.5), None])
@pytest.mark.parametrize("unilateral", [False, True])
@pytest.mark.parametrize("lean", [0.3, 0.8])
def test_a_disc_lies_flat_at_one_time_by_all_formalisms(law: object, unilateral: bool, lean: float) -> None:
    """Also where the roll is measured between bodies: steps come as near to it as is wanted."""
    ends = []
    for formalism in ("kane", "udwadia_kalaba", "newton_euler"):
        system = rolling(tr.Plane(), tr.CircleEdge(0.2), formalism, law=law, unilateral=unilateral)
        in_tree = law is None and not unilateral
        run = system.simulate(3.0, {"c.roll": lean} if in_tree else leaning(lean, 0.2), rtol=1e-9)
        fallen(run)
        assert run.trajectory is not None and run.trajectory.counts.steps < 100
        ends.append(run.trajectory.t_end)
        assert abs(run.values("c.roll")[-1]) == pytest.approx(math.pi / 2, abs=1e-8)
    assert ends == pytest.approx([ends[0]] * 3, abs=1e-9)


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_a_disc_in_the_air_may_lie_flat(formalism: str) -> None:
    system = rolling(tr.Plane(), tr.CircleEdge(0.2), formalism, unilateral=True)
    run = system.simulate(0.6, {"b.position": (0, 0, 2.5), "b.angular_velocity": (6.0, 0, 0)})
    assert run.ok and np.max(np.abs(run.values("c.roll"))) > 1.5


def test_a_disc_that_rolls_is_left_alone() -> None:
    run = examples.model("rolling-disc").build().simulate(10.0)
    assert run.ok


def test_events_of_the_user_before_a_guard_are_kept() -> None:
    m = tr.Model("disc")
    body = m.body("b", 1.0, (0.01, 0.02, 0.01))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.2)), m.ground, body, name="c", law=tr.NoSlip())
    m.event("half", lambda s: s["c.roll"] - 0.8)
    run = m.build().simulate(3.0, {"c.roll": 0.3})
    fallen(run)
    assert [name for name, _ in run.events] == ["half"]


def test_cylinders_that_touch_along_a_line_are_reported_before_the_run() -> None:
    system = rolling(tr.Cylinder(2.0), tr.Cylinder(0.5))
    with pytest.raises(SolveError, match=r"'c'.*along a line.*c\.yaw"):
        system.simulate(1.0)
    assert system.simulate(0.1, {"c.yaw": 0.5}).ok
