"""Habits of other packages, of spreadsheets and of two-dimensional models. Each is reported at its line: what, where,
why, and what to do.
"""

from pathlib import Path

import numpy as np
import pytest
from answers import answered_at_its_line
from tests.first_hour.test_mistakes import BUILT, HEAD, HUNG, RUN, STEPPED
from tests.first_hour.test_mistakes_by_subject import PENDULUM, RAIL
from typer.testing import CliRunner

import trundle as tr
from trundle.cli import app

TR = "import trundle as tr\n"
FITTED = (
    PENDULUM
    + "true = system.simulate(1.0, {'bob.angle': 0.3}, samples=11)\n"
    + "fitted = tr.fit(system, true.to_pandas('bob.angle'), {'k': 0.8}, start={'bob.angle': 0.3})\n"
)
FORCED = "m.apply(tr.CoordinateForce('bob.angle', {})); m.build()"

MISTAKES = {
    # forces
    "weight as one number": (HUNG, "m.apply(tr.Wrench(bob, force=9.81))", r"the force has 3 components, got 9\.81"),
    "a force by a word": (HUNG, "m.apply(tr.Wrench(bob, force='down'))", r"the force has 3 components, got 'down'"),
    "a component as text": (HUNG, "m.apply(tr.Wrench(bob, (0, 0, '5')))", r"component 3 of force is a number.*'5'"),
    "axes of the world": (HUNG, "m.apply(tr.Wrench(bob, (0, 0, 1), axes='world'))", r"along axes of 'ground' or"),
    "a body as a coordinate": (
        HUNG, "m.apply(tr.CoordinateForce(bob, 3.0))", r"by its name, such as 'bob\.angle', got <Body 'bob'"
    ),
    "force and coordinate exchanged": (
        HUNG, "m.apply(tr.CoordinateForce(3.0, 'bob.angle'))", r"the coordinate comes first, by its name.*got 3\.0"
    ),
    "a torsion spring on a body": (HUNG, "m.apply(tr.TorsionSpring(bob, 3.0))", r"TorsionSpring: the coordinate comes"),
    "a motor on a body": (HUNG, "m.apply(tr.ElectricMotor(bob, 0.1, 1.0, 1e-3))", r"ElectricMotor: the coordinate"),
    "stiffness with its unit": (
        HUNG, "m.apply(tr.SpringDamper(m.ground.at(1, 0, 0), bob, '100 N/m'))", r"stiffness is a number.*'100 N/m'"
    ),
    "one stiffness of six": (HUNG, "m.apply(tr.Bushing(m.ground, bob, 1000.0))", r"the stiffness has 6 components"),
    "a motion as a force": (
        HUNG, "m.apply(tr.CoordinateForce('bob.angle', tr.Servo(lambda t: t)))", r"a Servo prescribes a motion"
    ),
    "a servo that is applied": (HUNG, "m.apply(tr.Servo(lambda t: t))", r"it is a law of the joint, m\.connect"),
    "a body that is applied": (HUNG, "m.apply(bob, (0, 0, 1))", r"m\.apply\(tr\.Wrench\(bob, force=\(0, 0, 1\)\)\)"),
    "a controller that is applied": (
        HUNG, "m.apply(tr.PID(lambda s: s['bob.angle'], 1.0))", r"m\.block\(block, 'name'\)"
    ),
    "noise in a force": (
        HUNG, FORCED.format("lambda s: np.random.normal() * s['bob.angle']"),
        r"returns a different expression each time it is called.*m\.table\('noise'",
    ),
    "noise in a motor": (
        HEAD,
        "m.connect(tr.Revolute('y'), m.ground, bob, law=tr.Motor(lambda t, q, u: np.random.rand())); m.build()",
        r"Motor on bob\.angle returns a different expression",
    ),
    "the clock in an output": (
        HUNG, "import time; m.output('now', lambda s: s.t + time.perf_counter()); m.build()",
        r"returns a different expression each time it is called",
    ),
    "a whole number of a signal": (HUNG, FORCED.format("lambda s: int(s.t)"), r"not an integer; tr\.floor rounds"),
    "time by its word": (HUNG, FORCED.format("lambda s: s['time']"), r"the time is s\.t, or s\['t'\]"),
    # connections and bodies
    "a function as a law": (
        HEAD, "m.connect(tr.Revolute('y'), m.ground, bob, law=lambda t, q, u: -q)", r"write law=tr\.Motor\(function\)"
    ),
    "limits of a connection": (HEAD, "m.connect(tr.Revolute('y'), m.ground, bob, limits=(-1, 1))", r"tr\.Backlash"),
    "the first angle": (HEAD, "m.connect(tr.Revolute('y'), m.ground, bob, q0=0.3)", r"m\.start = \{'bob\.angle': 0\.3"),
    "the angle of a joint": (HEAD, "tr.Revolute('y', angle=0.3)", r"m\.start = \{'bob\.angle': 0\.3\}"),
    "a law in place of a joint": (HEAD, "m.connect(tr.Spring(5.0), m.ground, bob)", r"A law is an argument of its"),
    "a force in place of a joint": (
        HEAD, "m.connect(tr.SpringDamper(m.ground, bob, 5.0), m.ground, bob)", r"Forces are added by m\.apply"
    ),
    "a surface in place of a joint": (HEAD, "m.connect(tr.Plane(), m.ground, bob)", r"Two surfaces make a contact"),
    "a law that is changed": (HUNG, "m.connections['bob'].law = tr.Damper(1)", r"c = m\.connections\.pop\('bob'\)"),
    "a body without a model": (HEAD, "m.connect(tr.Fixed(), m.ground, tr.Body('a'))", r"or to none \(m\.body makes"),
    "a red body": (HEAD, "m.body('arm', mass=1.0, color='red')", r"colours are those of the viewer"),
    "a list of bodies": (HEAD, "m.bodies.append(bob)", r"m\.bodies is not a list: write arm = m\.body"),
    "an angle of a frame as text": (HEAD, "bob.frame((0, 0, 1), ('y', '30'))", r"\('y', '30'\) is not a rotation"),
    "an input called u": (HEAD, "m.input('u')", r"used in expressions \(u is the rate in laws\)"),
    "a parameter that is printed": (HEAD, "f\"{m.parameter('k', 1.0):.2f}\"", r"m\.parameter_values\(\) has the defau"),
    "a declaration as a number": (HEAD, "m.parameter('k', 1.0); 2 * m.parameters['k']", r"parameters\['k'\]\.symbol"),
    "kinds of SciPy": (HEAD, "tr.Table([0, 1], [0, 1], kind='linear')", r"'kind': did you mean between"),
    "a place of four numbers": (HUNG, "m.moving_frame('deck', position=(0, 0, 1, 2))", r"three coordinates"),
    "an input by assignment": (HUNG, "m.inputs['torque'] = 3", r"write u = m\.input\('u'"),
    "an output by assignment": (HUNG, "m.outputs['o'] = lambda s: s.t", r"write m\.output\('height', lambda s"),
    "an event by assignment": (HUNG, "m.events['e'] = lambda s: s.t", r"write m\.event\('bottom', lambda s"),
    "the teeth of a gear in degrees": (HEAD, "tr.Gear(-2.0, pressure_angle=20)", r"20 degrees are tr\.degrees\(20\)"),
    "a crossed belt by a word": (HEAD, "tr.Belt(0.1, 0.2, crossed='no')", r"crossed is True .* or False, got 'no'"),
    "a gain as text": (HEAD, "tr.PID(lambda s: s['bob.angle'], kp='1')", r"PID: kp is a number or a parameter"),
    "the constant of a lag": (HEAD, "tr.FirstOrderLag(lambda s: s.t, '0.1 s')", r"time_constant is a number"),
    "the time of a model": (HUNG, "m.time", r"in functions of the signals it is s\.t"),
    "a copy of a model": (HUNG, "m.copy()", r"copy\.deepcopy\(m\)"),
    "a connection that is removed": (HUNG, "m.remove('bob')", r"del m\.connections\['bob'\]"),
    "a check of the model": (HUNG, "m.validate()", r"m\.build\(\) checks the model"),
    "a model that is shown": (HUNG, "m.visualize()", r"run\.show\(\)"),
    "a system that is built": (BUILT, "system.build()", r"m\.build\(\) has built it"),
    "the sum of a vector": (
        HUNG, "m.output('o', lambda s: sum(s['bob.position'])); m.build()", r"cannot be looped over; write v\[0\] \+ v"
    ),
    "an attribute of an expression": (
        HUNG, "m.output('o', lambda s: s['bob.position'].x); m.build()", r"an expression has no attribute 'x'"
    ),
    "a vector as an output": (
        HUNG, "m.output('o', lambda s: s['bob.position']); m.build()", r"one number expected, got 3\. Components are"
    ),
    # systems and steppers
    "the step of a run": (BUILT, "system.simulate(5.0, h=0.1)", r"steps=tr\.Steps\(longest=0\.01\)"),
    "a callback": (BUILT, "system.simulate(5.0, callback=print)", r"system\.stepper\(\.\.\.\) gives control"),
    "events of a run": (BUILT, "system.simulate(5.0, events=print)", r"m\.event\('bottom'"),
    "degrees of freedom": (BUILT, "system.dof", r"system\.mobility\.freedoms"),
    "frequencies": (BUILT, "system.natural_frequencies()", r"\.table\(\), with frequencies and damping"),
    "the bodies of a system": (BUILT, "system.bodies", r"system\.model\.bodies"),
    "inverse dynamics": (BUILT, "system.inverse_dynamics()", r"law=tr\.Servo.*run\['bob\.angle_drive'\]"),
    "a value that is assigned": (BUILT, "system['bob.angle'] = 0.3", r"system\.simulate\(5\.0, \{'bob\.angle': 0\.3\}"),
    "a system by hand": (TR, "tr.System()", r"system = m\.build\(\)"),
    "a report of answers": (BUILT, "system.equilibrium().report()", r"values by name, such as 'bob\.angle'"),
    "an advance by a step": (STEPPED, "stepper.advance(dt=0.1)", r"write stepper\.advance\(stepper\.time \+ 0\.01\)"),
    "an advance to nowhere": (STEPPED, "stepper.advance()", r"the time to be reached"),
    "t of a stepper": (STEPPED, "stepper.t", r"stepper\.time"),
    "a stepper that is closed": (STEPPED, "stepper.close()", r"nothing has to be closed"),
    # results
    "a component after a dot": (RUN, "run['bob.position.x']", r"Did you mean 'bob\.position_x'"),
    "a component by its number": (RUN, "run['bob.position[2]']", r"Did you mean 'bob\.position_z'"),
    "success of a run": (RUN, "run.success", r"use run\.ok"),
    "the message of a run": (RUN, "run.message", r"use run\.outcome"),
    "columns of a run": (RUN, "run.columns", r"use run\.names"),
    "a run in Excel": (RUN, "run.to_excel('a.xlsx')", r"run\.to_pandas\('bob\.angle'\)\.to_excel"),
    "a file of Excel": (RUN, "run.save('run.xlsx')", r"pandas writes others"),
    "some names of a file": (RUN, "run.save('run.csv', names=['bob.angle'])", r"\.to_csv\('run\.csv'\)"),
    "axes of matplotlib": (RUN, "run.plot('bob.angle', ax=None)", r"run\['bob\.angle'\]\.plot\(ax=axes"),
    "parameters of lmfit": (FITTED, "fitted.params", r"use fitted\.values"),
    "a fit as a table": (FITTED, "fitted['k']", r"fitted\.values\['k'\]"),
    "an array as data": (PENDULUM, "tr.fit(system, np.eye(2), ['k'])", r"a table with these columns, not an array"),
    # names of modules
    "a base class": (TR, "tr.AxisPair", r"from trundle\.pairs\.lower import AxisPair"),
    "a millimetre": (TR, "5 * tr.mm", r"lengths in m: 5 mm are 0\.005"),
    "a torque": (TR, "tr.Torque('bob', 1.0)", r"tr\.CoordinateForce\('bob\.angle', 1\.0\)"),
    "a rope": (TR, "tr.Rope()", r"what pulls only is tr\.LineForce"),
    "a rack": (TR, "tr.Rack(0.1)", r"tr\.RackAndPinion\(radius\)"),
    "a spline": (TR, "tr.CubicSpline([0, 1], [0, 1])", r"m\.table\('curve', tr\.Table\(x, y\)\)"),
    "a norm": (TR, "tr.norm([3, 4])", r"np\.linalg\.norm"),
    "minimise": (TR, "tr.minimize(print, [1.0])", r"tr\.optimise"),
    "a command": (TR, "tr.doctor()", r"`trundle doctor`, in a terminal"),
    "stability of bicycles": (TR, "tr.bicycle.stability()", r"tr\.SteadyMotions\(system\)\.stability"),
    "UIC 60": (TR, "tr.rail.UIC60()", r"rail\.Rail60E1\(\)"),
    # rail
    "the duration of a trip": (RAIL, "rail.Trip(wagon, line, 30.0, duration=10)", r"trip\.simulate\(10\.0\)"),
    "friction in per cent": (RAIL, "rail.nadal(1.2, 40)", r"a ratio of forces, between 0 and 5"),
    "no radius": (
        RAIL, "rail.Alignment([rail.Straight(9), rail.Sine(70, None)])", r"give a number \(straight track .* inf\)"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_habit_is_answered_at_its_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answered_at_its_line(*MISTAKES[name])


FILE = """name: p
bodies:
  bob: {mass: 1, inertia: 0.1, com: [0, 0, -1]}
connections:
  pin: {pair: Revolute, axis: y, first: ground, second: bob}
"""
FIELDS = {
    "a joint of a connection": ("pair: Revolute", "joint: Revolute", r"called 'joint' here\. Did you mean 'pair'"),
    "a parent": ("first: ground", "parent: ground", r"called 'parent' here\. Did you mean 'first'"),
    "the position of a mass centre": ("com:", "cog:", r"called 'cog' here\. Did you mean 'com'"),
    "the title of a model": ("name:", "title:", r"called 'title' here\. Did you mean 'name'"),
    "a simulation": ("bodies:", "simulation: {duration: 1}\nbodies:", r"line 2, .*Did you mean 'run'"),
    "the end of a run": ("bodies:", "run: {t_end: 10}\nbodies:", r"Did you mean 'duration'"),
    "an event alone": (
        "bodies:",
        "events: {e: pin.angle}\nbodies:",
        r"give a mapping, \{expression: bob\.angle\}",
    ),
    "a run alone": ("bodies:", "run: 10\nbodies:", r"line 2, run: give a mapping, \{duration: 10\}, not 10"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields_of_other_programs_are_answered_with_their_line(name: str, tmp_path: Path) -> None:
    old, new, words = FIELDS[name]
    path = tmp_path / "p.yaml"
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(tr.TrundleError, match=words):
        tr.load_model(path)


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        ("simulate", "write trundle run"),
        ("list", "trundle examples"),
        ("version", "--version"),
        ("plot", "trundle view"),
    ],
)
def test_verbs_of_other_programs_are_answered(verb: str, words: str) -> None:
    answer = CliRunner().invoke(app, [verb, "four-bar"])
    assert answer.exit_code == 1 and f"there is no command {verb!r}" in answer.output and words in answer.output


def pendulum() -> tr.Model:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
    return m


def test_what_is_advised_works() -> None:
    """A law is changed by connecting again, a norm is that of NumPy, one state is an array of one number."""
    m = pendulum()
    c = m.connections.pop("bob")
    m.connect(c.pair, c.first, c.second, c.name, law=tr.Damper(0.5))
    m.output("fast", lambda s: np.linalg.norm(s["bob.velocity"]))
    run = m.build().simulate(1.0, {"bob.angle": 1.0})
    assert run.energy.work_lost[-1] > 0.1
    np.testing.assert_allclose(run.values("fast"), np.linalg.norm(run.values("bob.velocity"), axis=1), atol=1e-12)
    assert m.build().stepper(1.0, {"bob.angle": 0.3}).states("bob.angle").tolist() == [0.3]
    assert f"{m.parameter('k', 1.0)}" == "k"


def test_a_rope_pulls_only() -> None:
    m = tr.Model("rope")
    m.connect(tr.Prismatic("z"), m.ground, m.body("load", mass=2.0))
    m.apply(tr.LineForce(m.ground, m.bodies["load"], tr.Motor(lambda t, q, u: -tr.max(1e4 * (q - 1.0), 0.0))))
    rest = m.build().equilibrium({"load.displacement": -1.001})
    assert rest["load.displacement"] == pytest.approx(-1.0 - 2 * 9.81 / 1e4, abs=1e-9)


def test_noise_with_a_seed_of_its_own_is_one_expression() -> None:
    """It is the same in each call, as a constant that is written down is."""
    m = pendulum()
    m.output("o", lambda s: s["bob.angle"] * np.random.default_rng(1).normal())
    assert m.build().simulate(0.1, {"bob.angle": 0.1}).ok


def test_the_event_that_ends_a_run_is_named() -> None:
    m = pendulum()
    m.event("half way", lambda s: s["bob.angle"] - 0.5, action="stop")
    m.event("bottom", lambda s: s["bob.angle"])
    run = m.build().simulate(5.0, {"bob.angle": 1.0})
    assert run.outcome == "EVENT_STOP: The event 'half way' ended the run." and run.ok


def test_a_contact_that_is_not_that_of_the_shape_is_named() -> None:
    m = tr.Model("hopper")
    foot = m.body("foot", mass=0.5, inertia=0.001, shape=tr.shape.Ball(0.03))
    m.connect(tr.Prismatic("z"), m.ground, foot)
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, foot, name="toe", unilateral=True)
    run = m.build().simulate(1.0, {"foot.displacement": 0.1})
    assert len(run.warnings) == 1 and "contact 'toe' is that of a Vertex, not of this shape" in run.warnings[0]


def test_packages_show_public_names_only() -> None:
    for package in (tr.bicycle, tr.pairs, tr.rail, tr.walker):
        assert set(dir(package)) == set(package.__all__)
