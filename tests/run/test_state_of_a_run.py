"""run.state(): another run goes on from it as the first one would have."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.run.restart import RestartWarning


def thrown() -> tr.Model:
    m = tr.Model("thrown")
    m.connect(tr.Free(), m.ground, m.body("body", mass=1.0, inertia=(1.0, 2.0, 3.0)))
    m.start = {"body.angular_velocity": (0.1, 2.0, 0.1), "body.velocity": (1.0, 0.0, 3.0)}
    return m


def ridden() -> tr.Model:
    m = tr.bicycle.benchmark()
    m.start = {**m.start, "speed": 4.6, "roll_rate": 0.5}
    return m


def controlled() -> tr.Model:
    m = tr.Model("controlled")
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    pid = tr.PID(lambda s: 1 - s["cart.displacement"], 5.0, 1.0, 2.0, rate=lambda s: -s["cart.displacement_rate"])
    m.block(pid, "controller")
    m.apply(tr.CoordinateForce("cart.displacement", lambda s: s["controller.output"]))
    m.state("swept", lambda s: s["cart.displacement"] * s.t)
    return m


def bouncing() -> tr.Model:
    m = tr.Model("bouncing")
    ball = m.body("ball", mass=1.0, inertia=0.1)
    floor = tr.HigherPair(tr.Plane(), tr.Sphere(0.5))
    m.connect(floor, m.ground, ball, law=tr.Coulomb(0.3), unilateral=True, restitution=tr.Newton(0.5))
    m.start = {"ball.gap": 1.0, "ball.x_rate": 1.0}
    return m


MODELS = {
    "a body with a quaternion": (thrown, ("body.position", "body.orientation", "body.angular_velocity")),
    "a bicycle": (ridden, ("roll", "steer", "rear.x")),
    "a loop": (lambda: examples.model("four-bar"), ("left.angle", "right.angle_rate")),
    "states and a block": (controlled, ("cart.displacement", "controller.integral", "swept")),
    "a ball that bounces": (bouncing, ("ball.position", "ball.velocity")),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_run_goes_on_where_it_ended(name: str) -> None:
    model, quantities = MODELS[name]
    system = model().build()
    whole = system.simulate(2.0, samples=[0.0, 1.0, 2.0])
    first = system.simulate(1.0, samples=3)
    second = system.simulate(1.0, first.state(), t0=first.time[-1], samples=3)
    middle = system.simulate(1.0, whole.state(1.0), t0=1.0, samples=3)
    for quantity in quantities:
        for run in (second, middle):
            np.testing.assert_allclose(run.values(quantity)[-1], whole.values(quantity)[-1], rtol=1e-8, atol=1e-8)


def test_what_has_no_state_is_refused(tmp_path: Path) -> None:
    run = thrown().build().simulate(1.0, samples=3)
    with pytest.raises(tr.TrundleError, match=r"no sample at 0\.3 s; the nearest is at 0\.5 s"):
        run.state(0.3)
    run.save(tmp_path / "run.nc")
    with pytest.raises(tr.TrundleError, match="a run from a file has no states"):
        tr.load(tmp_path / "run.nc").state()
    with pytest.raises(tr.TrundleError, match="formalism='kane' for a state"):
        thrown().build("newton_euler").simulate(0.1).state()


def test_parameters_that_events_have_changed_go_along() -> None:
    """A cart whose motor is reversed halfway: the second half begins with the reversed one."""
    m = tr.Model("reversed")
    force = m.parameter("force", 2.0)
    m.input("nothing")
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=1.0), law=tr.Motor(force))
    m.event("far", lambda s: s["cart.displacement"] - 0.25, 1, {"force": lambda s: -s["force"]})
    system = m.build()
    whole = system.simulate(1.0, samples=[0.0, 0.25, 0.75, 1.0])
    first = system.simulate(0.75, samples=[0.0, 0.25, 0.75])
    assert first.parameters_at(0.25) == {"force": 2.0}
    assert first.parameters_at() == {"force": -2.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        early = first.state(0.25)
    with pytest.warns(RestartWarning, match=r"'force' by t = 0\.75 s"):
        second = system.simulate(0.25, first.state(), first.parameters_at(), t0=0.75, samples=2)
    assert early["cart.displacement"] == pytest.approx(0.0625)
    assert second.values("cart.displacement")[-1] == pytest.approx(whole.values("cart.displacement")[-1], abs=1e-9)
    assert whole.values("cart.displacement")[-1] == pytest.approx(0.25 + 0.5 - 0.25)
