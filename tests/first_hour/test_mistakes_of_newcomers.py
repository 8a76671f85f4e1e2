"""Mistakes of people who know mechanics and other programs: their words for quantities and arguments, values in the
wrong place, and units. Each is answered at its line: what, where, why, and what to do.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from answers import answered_at_its_line
from tests.first_hour.test_mistakes import BUILT, HEAD, HUNG, RUN
from tests.first_hour.test_mistakes_by_subject import PENDULUM, RAIL
from typer.testing import CliRunner

import trundle as tr
from trundle.cli import app
from trundle.errors import UnsteadyWarning, near_names

BOX = (
    HUNG
    + "box = m.body('box', shape=tr.shape.Box((1, 1, 1)), density=1000)\n"
    + "m.connect(tr.Planar('y'), m.ground, box)\n"
    + "system = m.build()\n"
)
FREE = BOX.replace("tr.Planar('y')", "tr.Free()")
BIKE = "import trundle as tr\nsystem = tr.bicycle.benchmark().build()\n"
PARTS = "import trundle as tr\nfrom dataclasses import replace\nparts = tr.bicycle.benchmark_parts()\n"
PIN = HUNG + "pid = m.block(tr.PID(lambda s: -s['bob.angle'], kp=1.0), 'pid')\n"
FORCED = "m.apply(tr.CoordinateForce('bob.angle', {})); m.build()"

MISTAKES = {
    # words of textbooks for quantities
    "omega at the start": (BUILT, "system.simulate(1, {'bob.omega': 1})", r"Did you mean 'bob\.angle_rate'"),
    "theta of a result": (RUN, "run['bob.theta']", r"Did you mean 'bob\.angle'\?"),
    "the torque of a result": (RUN, "run['bob.torque']", r"Did you mean 'bob\.reaction_moment'"),
    "the force of a joint": (RUN, "run['bob.force']", r"Did you mean 'bob\.reaction_force'"),
    "the lean of a bicycle": (BIKE, "system.simulate(1, {'speed': 5, 'lean': 0.1})", r"Did you mean 'roll'\?"),
    "v of a bicycle": (BIKE, "system.simulate(1, {'v': 5})", r"Did you mean 'speed'\?"),
    "vx of a body": (FREE, "system.simulate(1, {'box.vx': 2.0})", r"Did you mean 'box\.x_rate', 'box\.velocity'"),
    "the angle of a free body": (FREE, "system.simulate(1, {'box.angle': 0.3})", r"Did you mean 'box\.quaternion'\?"),
    "z of a plane joint": (
        BOX, "system.simulate(1, {'box.z': 0.3})", r"'box\.position'\? In the first frame of 'box', box\.x is along z, "
        r"box\.y is along x",
    ),
    "Y without its wheel": (
        RAIL, "rail.Trip(wagon, line, 20.0).simulate(0.1)['Y']", r"Did you mean 'front_left\.Y', 'front_right\.Y'"
    ),
    "time in a plot": (RUN, "run.plot('time', 'bob.angle')", r"horizontal axis of every plot: leave it out"),
    "one plot of a page, misspelt": (RUN, "run.save_html('x.html', plots='bob.angel')", r"Did you mean 'bob\.angle'"),
    # answers of a system
    "an angle among accelerations": (
        BUILT, "system.accelerations()['bob.angle']", r"Did you mean 'bob\.angle_acceleration'"
    ),
    "a force among reactions": (BUILT, "system.reactions()['bob.force']", r"Did you mean 'bob\.reaction_force'"),
    "an equilibrium misspelt": (BUILT, "system.equilibrium()['bob.angel']", r"Did you mean 'bob\.angle'"),
    "a body as an attribute of the bodies": (HUNG, "m.bodies.bob", r"m\.bodies\['bob'\]"),
    # values in the wrong place
    "a parameter at the start": (PENDULUM, "system.simulate(1, {'k': 5})", r"give it as parameters=\{'k'"),
    "a start among the parameters": (
        PENDULUM, "system.simulate(1, parameters={'bob.angle': 0.3})", r"given as start=\{'bob\.angle'"
    ),
    "an event on a misspelt rate": (
        HUNG + "m.event('hit', lambda s: s['bob.angle'], action={'bob.angel_rate': 0})\n", "m.build()",
        r"\(in event 'hit'\) called 'bob\.angel_rate'\. Did you mean 'bob\.angle_rate'",
    ),
    "a law without values as a force": (HUNG, FORCED.format("tr.Spring"), r"Spring is a class; .*tr\.Spring\(\.\.\."),
    "a block as a force": (PIN, FORCED.format("pid"), r"write lambda s: s\['pid\.output'\]"),
    "a force of time": (HUNG, FORCED.format("lambda t: tr.sin(t)"), r"the signals as a whole.*time is s\.t"),
    "a name that is not there": (
        HUNG, FORCED.format("lambda s: -5 * rate"), r"name 'rate' is not defined\)\. Correct the function"
    ),
    "a frame that moves by a number": (HUNG, "m.moving_frame('ship', motion=3)", r"position=lambda s: \(x, y, z\)"),
    "a spring of negative length": (
        HUNG, "tr.SpringDamper(m.ground, bob, 10.0, length=-1)", r"unstressed, got -1; it cannot be negative"
    ),
    # words of other programs for arguments
    "a spring by k": (HUNG, "tr.SpringDamper(m.ground, bob, k=10)", r"'k': did you mean stiffness"),
    "the rest of a spring": (HUNG, "tr.SpringDamper(m.ground, bob, 10, rest=1)", r"'rest': did you mean length"),
    "a torque on a body": (HUNG, "tr.Wrench(bob, torque=(0, 0, 1))", r"'torque': did you mean moment"),
    "a wrench on a body": (HUNG, "tr.Wrench(body=bob)", r"'body': did you mean place"),
    "inertia by its letter": (HEAD, "m.body('arm', mass=1, I=0.1)", r"'I': did you mean inertia"),
    "mass by its letter": (HEAD, "m.body('arm', m=1)", r"'m': did you mean mass"),
    "a gap of backlash": (HEAD, "tr.Backlash(1e5, gap=1e-4)", r"'gap': did you mean clearance"),
    "a ball by its diameter": (HEAD, "tr.Sphere(diameter=0.1)", r"'diameter': did you mean radius"),
    "P of a controller": (HEAD, "tr.PID(lambda s: s['bob.angle'], P=1)", r"'P': did you mean kp"),
    "the size of a figure": (RUN, "run.plot('bob.angle', figsize=(8, 4))", r"'figsize': did you mean width"),
    "the file of a figure": (RUN, "run.plot('bob.angle', save='x.png')", r"'save': did you mean path"),
    # modules and what they do not have
    "an example as an attribute": (HEAD, "tr.examples.four_bar()", r"tr\.examples\.model\('four-bar'\)"),
    "degrees by another name": (HEAD, "tr.rad(30)", r"tr\.degrees\(30\)"),
    "plot of the module": (HEAD, "tr.plot(m)", r"run\.plot\('bob\.angle'\)"),
    "a line that comes along": (HEAD, "tr.load_track('sine-curve')", r"tr\.examples\.FOLDER / 'lines' / 'sine-curve"),
    # bicycles
    "the tilt of parts in degrees": (PARTS, "replace(parts, tilt=18)", r"given in degrees, tr\.degrees\(18\)"),
    "parts that are numbers": (PARTS, "replace(parts, rear_wheel=0.3)", r"must be a bicycle\.Wheel, got 0\.3"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_at_its_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answered_at_its_line(*MISTAKES[name])


def test_lines_and_vehicles_that_come_along_are_where_the_message_says() -> None:
    line = tr.load_track(tr.examples.FOLDER / "lines" / "sine-curve.yaml").line
    assert line.length > 100
    assert tr.load_vehicle(tr.examples.FOLDER / "vehicles" / "two-axle-wagon.yaml").vehicle.mass > 1e4


def test_one_name_is_enough_for_the_plots_of_a_page(tmp_path: Path) -> None:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
    run = m.build().simulate(0.1, {"bob.angle": 0.1})
    assert run.save_html(tmp_path / "p.html", plots="bob.angle").stat().st_size > 1000


def test_near_names_are_those_of_the_same_owner_and_meaning() -> None:
    known = ["bob.angle", "bob.angle_rate", "box.angular_rate", "box.quaternion", "left.Y", "left.y", "right.Y"]
    assert near_names("box.angle", known) == ["box.quaternion"]  # not bob.angle, which is written alike
    assert near_names("Y", known) == ["left.Y", "right.Y"]
    assert near_names("bob.omega", known) == ["bob.angle_rate"]
    assert near_names("Bob.angle", known)[0] == "bob.angle"
    assert near_names("nothing", known) == []


def test_a_plane_joint_tells_along_which_axes_its_coordinates_run() -> None:
    m = tr.Model("box")
    m.connect(tr.Planar("y"), m.ground, m.body("box", mass=1.0, inertia=0.1))
    run = m.build().simulate(0.1, {"box.y_rate": 2.0})
    np.testing.assert_allclose(run.values("box.position_x"), run.values("box.y"))
    assert run["box.y"].attrs["long_name"] == "coordinate of connection 'box', along x"


def test_a_plot_that_a_file_asks_for_is_refused_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "swing.yaml"
    file.write_text(
        "name: swing\nbodies: {arm: {mass: 1, inertia: 0.1, com: [0, 0, -1]}}\n"
        "connections: {pin: {pair: Revolute, axis: y, first: ground, second: arm}}\n"
        "run: {duration: 1, plot: [pin.angel]}\n"
    )
    for verb in (["check", str(file)], ["run", str(file), "--out", str(tmp_path / "out")]):
        answer = CliRunner().invoke(app, verb)
        assert answer.exit_code == 1
        assert "'plot' in the section 'run' of the model 'swing'" in " ".join(answer.output.split())


def test_rail_run_names_the_file_that_it_has_written(tmp_path: Path) -> None:
    verb = ["rail", "run", "two-axle-wagon", "--track", "sine-curve", "--speed", "20", "--duration", "0.2"]
    answer = CliRunner().invoke(app, [*verb, "--samples", "20", "--out", str(tmp_path / "result")])
    assert f"{tmp_path / 'result.nc'}" in answer.output.replace("\n", "")
    assert (tmp_path / "result.nc").is_file()


PECULIAR = {
    "a damper of the wrong sign": (
        lambda: tr.Damper(-0.1), r"The Damper on bob\.angle has a negative damping \(-0\.1\): it drives the motion",
    ),
    "a spring at rest in degrees": (
        lambda: tr.Spring(5.0, rest=90), r"The Spring on bob\.angle rests at 90 rad.*tr\.degrees\(90\)",
    ),
    "one of two laws": (lambda: tr.Spring(5.0) + tr.Damper(-1), r"The Damper on bob\.angle has a negative damping"),
}  # fmt: skip


@pytest.mark.parametrize("name", PECULIAR)
def test_an_unlikely_number_of_a_law_is_pointed_out(name: str) -> None:
    law, words = PECULIAR[name]
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)), law=law())
    system = m.build()
    run = system.simulate(0.1, {"bob.angle": 0.1})
    assert run.ok and len(run.warnings) == 1 and re.search(words, run.warnings[0])
    assert re.search(words, system.describe()) and "warning" in run.summary()


def test_an_unlikely_friction_is_pointed_out() -> None:
    m = tr.Model("box")
    box = m.body("box", shape=tr.shape.Box((0.2, 0.2, 0.2)), density=500)
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, box.at(0, 0, -0.1), name="floor", law=tr.Coulomb(30))
    assert "The Coulomb of 'floor' has mu_static=30: a coefficient of friction is a ratio" in m.build().describe()


def test_likely_numbers_are_not_pointed_out() -> None:
    m = tr.Model("pendulum")
    c = m.parameter("c", -1.0)
    law = tr.Spring(5.0, 0.0, rest=2 * np.pi + 0.1) + tr.Damper(c)
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)), law=law)
    m.connect(tr.Prismatic("x"), m.ground, m.body("slider", mass=1.0), law=tr.Spring(5.0, rest=90))
    assert not m.build().simulate(0.1).warnings


def test_a_warning_stands_at_the_line_of_the_user() -> None:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
    system = m.build()
    with pytest.warns(UnsteadyWarning) as warned:
        system.linearise({"bob.angle": 0.3})
    assert warned[0].filename == __file__


def test_what_a_notebook_shows_of_a_system_and_of_its_energy() -> None:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
    system = m.build()
    assert repr(system) == "<System of 'pendulum': kane, 1 degree of freedom>"
    assert "J exchanged" in repr(system.simulate(1.0, {"bob.angle": 1.0}).energy)
