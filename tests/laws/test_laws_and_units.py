"""Laws stand where their units fit, and a force along a line has a direction or says that it has none."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import FileError, ModelError, SolveError
from trundle.file import read_model


def one_body(pair, **options) -> tuple[tr.Model, tr.Body]:
    m = tr.Model("m", gravity=(0, 0, 0))
    body = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.2))
    m.connect(pair, m.ground, body, **options)
    return m, body


def test_a_torsion_spring_wants_an_angle():
    m, _ = one_body(tr.Prismatic("x"))
    m.apply(tr.TorsionSpring("b.displacement", 2.0), name="k")
    with pytest.raises(ModelError, match=r"force 'k': TorsionSpring acts on an angle \(rad\), but 'b.displacement'"):
        m.build()
    m, _ = one_body(tr.Cylindrical("x"))
    m.apply(tr.TorsionSpring("b.angle", 2.0))
    m.build()


@pytest.mark.parametrize("law", [tr.Hertz(1e5), tr.HuntCrossley(1e5, 1.0), tr.LinearContact(1e3) + tr.Damper(1.0)])
def test_normal_laws_want_a_displacement(law):
    for m, _ in (one_body(tr.Revolute("y"), law=law), one_body(tr.Revolute("y"))):
        if not m.connections["b"].laws:
            m.apply(tr.CoordinateForce("b.angle", law))
        with pytest.raises(ModelError, match=r"acts on a displacement \(m\), but 'b.angle' is an angle"):
            m.build()
    one_body(tr.Prismatic("z"), law=law)[0].build()


def test_units_in_files():
    text = (
        "name: a\nbodies: {b: {mass: 1}}\nconnections: [{pair: Prismatic, axis: x, first: ground, second: b}]\n"
        "forces:\n  k: {torsion_spring: {coordinate: b.displacement, stiffness: 2}}\n"
    )
    with pytest.raises(FileError, match=r"line 5, forces.k: TorsionSpring acts on an angle"):
        read_model(text)


def test_the_unit_of_an_effort_follows_from_its_coordinate():
    m, _ = one_body(tr.Cylindrical("x"))
    m.alias("turn", "b.angle")
    m.apply(tr.CoordinateForce("turn", tr.Spring(2.0)), "twist")
    m.apply(tr.CoordinateForce("b.displacement", lambda s: 3.0), "push")
    run = m.build().simulate(0.1)
    assert [run[name].attrs["units"] for name in ("twist.effort", "push.effort")] == ["N m", "N"]
    labels = [panel.get_ylabel() for panel in run.plot("twist.effort", "push.effort", "b.effort").axes]
    assert labels == ["moment (N m)", "force (N)"]


@pytest.mark.parametrize("pair", [tr.Revolute("y"), tr.Spherical(), tr.Revolute((1.0, 2.0, 3.0))])
@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (1.0, 2.0, 3.0)])
def test_points_that_always_coincide_are_refused(pair, at):
    """On the axis of the joint the two points never part, in exact arithmetic."""
    m, body = one_body(pair)
    on_axis = at if isinstance(pair, tr.Revolute) and pair.axis == (1.0, 2.0, 3.0) else (0.0, 0.0, 0.0)
    m.apply(tr.SpringDamper(m.ground.at(*on_axis), body.at(*on_axis), stiffness=2.0, length=1.0), name="tie")
    try:
        system = m.build()
    except ModelError as error:
        assert "force 'tie': its two points coincide in every pose" in str(error)
        return
    with pytest.raises(SolveError, match=r"The two points of 'tie' meet there"):
        system.accelerations()
    run = system.simulate(1.0)
    assert run.outcome.startswith("NOT_FINITE") and "two points of 'tie' meet" in run.outcome


@pytest.mark.parametrize("force", ["spring", "line"])
@pytest.mark.parametrize("pair", [tr.Prismatic("x"), tr.Free(), tr.Prismatic((1.0, -2.0, 0.5))])
def test_points_that_coincide_at_the_start_are_reported(pair, force):
    m, body = one_body(pair)
    away, here = m.ground.at(0.3, 0.1, -0.7), body.at(0.3, 0.1, -0.7)
    law = tr.Spring(2.0, 0.1, 1.0)
    made = tr.SpringDamper(away, here, 2.0, 0.1, 1.0) if force == "spring" else tr.LineForce(away, here, law)
    m.apply(made, name="tie")
    system = m.build()
    with pytest.raises(SolveError, match=r"not finite at this state: tie. The two points of 'tie' meet there"):
        system.accelerations()
    run = system.simulate(1.0)
    assert run.outcome.startswith("NOT_FINITE") and "two points of 'tie' meet" in run.outcome


def test_points_nearly_together_act_as_they_report():
    m, body = one_body(tr.Prismatic("x"))
    m.apply(tr.SpringDamper(m.ground.at(5, 0, 0), body.at(5, 0, 0), stiffness=2.0, length=1.0), name="tie")
    system = m.build()
    for x in (1e-6, -1e-6, 0.4):
        found = system.accelerations({"b.displacement": x})["b.displacement_acceleration"]
        assert found == pytest.approx(np.sign(x) * 2.0 * (1.0 - abs(x)), rel=1e-9)


def test_degrees():
    assert tr.degrees(180) == pytest.approx(np.pi) and tr.degrees(-45.0) == pytest.approx(-np.pi / 4)
    hinge = "connections: [{pair: Revolute, axis: y, first: ground, second: b}]"
    bodies = "bodies: {b: {mass: 1, inertia: 1}}"
    model = read_model(f"name: a\n{bodies}\n{hinge}\nstart: {{b.angle: degrees(45)}}").model
    assert model.start["b.angle"] == pytest.approx(np.pi / 4)


def test_a_start_beyond_a_turn_is_hinted_at():
    m, _ = one_body(tr.Cylindrical("x"))
    m.start = {"b.angle": 45, "b.displacement": 45}
    hint = m.build().describe().splitlines()[-1]
    assert "b.angle = 45 rad is 7.16 turns" in hint and "tr.degrees(45)" in hint
    m.start = {"b.angle": 6.0, "b.displacement": 45}
    assert "turns" not in m.build().describe()
    m.alias("swing", "b.angle")
    m.start = {"swing": -90.0}
    assert "swing = -90 rad is 14.3 turns" in m.build().describe()


def test_a_start_of_a_run_beyond_a_turn_is_hinted_at():
    m, _ = one_body(tr.Cylindrical("x"))
    m.alias("swing", "b.angle")
    system = m.build()
    for name in ("b.angle", "swing"):
        given = {name: 45, "b.displacement": 45, "b.angle_rate": 90}
        run = system.simulate(0.01, given)
        assert len(run.warnings) == 1 and "b.angle = 45 rad is 7.16 turns" in run.warnings[0]
        assert "tr.degrees(45)" in run.summary() and "tr.degrees(45)" in system.start(given).report()
    ended = float(system.simulate(30.0, {"b.angle_rate": 2.1}, samples=2).values("b.angle")[-1])
    assert ended > 60.0 and not system.simulate(0.01, {"b.angle": ended}).warnings  # a run that goes on
    m.start = {"swing": 90.0}
    assert "b.angle = 90 rad" in m.build().simulate(0.01).warnings[0]
