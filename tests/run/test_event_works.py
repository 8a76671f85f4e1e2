"""Runs whose events change state or parameters keep their energy balance."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import trundle as tr


def test_a_parameter_changed_by_an_event_counts_from_then_on():
    m = tr.Model("mass on a spring that softens", gravity=(0, 0, 0))
    k = m.parameter("stiffness", 100.0, "N/m")
    cart = m.body("cart", mass=1.0)
    m.connect(tr.Prismatic("x"), m.ground, cart, law=tr.Spring(k))
    m.event("middle", lambda s: s["cart.displacement"], direction=-1, action={"stiffness": lambda s: 25.0})
    run = m.build().simulate(2.0, {"cart.displacement": 0.1}, samples=401)
    # A quarter period at 10 rad/s, then the spring is slack at the change: the energy stays.
    assert run.events[0][1] == pytest.approx(np.pi / 20, abs=1e-10)
    assert run.energy.drift < 1e-8
    late = run.time > np.pi / 20
    exact = -0.1 * 2 * np.sin(5.0 * (run.time[late] - np.pi / 20))
    np.testing.assert_allclose(run.values("cart.displacement")[late], exact, atol=1e-9)


def test_a_bouncing_ball_loses_energy_only_at_the_floor():
    m = tr.Model("ball")
    ball = m.body("ball", mass=2.0)
    m.connect(tr.Prismatic("z"), m.ground, ball)
    m.event(
        "floor",
        lambda s: s["ball.displacement"],
        direction=-1,
        action={"ball.displacement_rate": lambda s: -0.5 * s["ball.displacement_rate"]},
    )
    run = m.build().simulate(1.0, {"ball.displacement": 1.0}, samples=201)
    first = np.sqrt(2 / 9.81)
    assert run.events[0] == ("floor", pytest.approx(first, abs=1e-11))
    assert run.events[1][1] == pytest.approx(2 * first, abs=1e-10)
    before, after = run.energy.total[run.time < first][-1], run.energy.total[(run.time > first)][0]
    assert after / before == pytest.approx(0.25, abs=1e-9)


def test_the_number_of_events_can_be_bounded():
    m = tr.Model("oscillator", gravity=(0, 0, 0))
    body = m.body("body", mass=1.0)
    m.connect(tr.Prismatic("x"), m.ground, body, law=tr.Spring(100.0))
    m.event("middle", lambda s: s["body.displacement"])
    run = m.build().simulate(100.0, {"body.displacement": 1.0}, steps=tr.Steps(most_events=5))
    assert run.outcome.startswith("TOO_MANY_EVENTS") and len(run.events) == 5
    assert run.time[-1] == pytest.approx((4 + 0.5) * np.pi / 10, abs=1e-9)


def test_events_name_their_contact(tmp_path: Path) -> None:
    """Also in a file, and an event of the user with such a name is his own; bands show the others instead of lines."""
    m = tr.Model("puck")
    puck = m.body("puck", 1.0, 0.1)
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, puck, law=tr.Coulomb(0.3), unilateral=True, name="foot")
    m.event("foot stops by", lambda s: s["puck.position_x"] - 0.01, direction=1)
    run = m.build().simulate(0.5, {"puck.velocity": (0.4, 0.0, 0.0)}, samples=5)
    happened = [name for name, _ in run.events]
    assert happened == ["foot stops by", "foot stops"]
    assert run.contact_events["foot stops"] == "foot" and "foot stops by" not in run.contact_events
    _notes(run)  # asks for the states of the contact, which go into the file then
    again = tr.load(run.save(tmp_path / "puck.nc"))
    assert again.contact_events == {"foot stops": "foot"} and again.ending == run.ending == "FINISHED"
    for one in (run, again, pickle.loads(pickle.dumps(run))):
        changes = {event.name: (event.contact, event.kind) for event in one.events}
        assert changes == {"foot stops": ("foot", "stops"), "foot stops by": ("", "")}
    for each in (run, again):
        assert "foot stops by" in _notes(each) and "foot stops" not in _notes(each)


def _notes(run: tr.Run) -> set[str]:
    return {text.get_text() for axes in run.plot("puck.position_x").axes for text in axes.texts}
