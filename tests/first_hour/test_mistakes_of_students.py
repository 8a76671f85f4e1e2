"""Mistakes of students with names, types, units and the order of arguments. Each is reported at its line: what, where,
why, and what to do.
"""

from pathlib import Path

import pytest
from answers import answered_at_its_line
from tests.first_hour.test_mistakes import BUILT, HEAD, HUNG, RUN
from tests.first_hour.test_mistakes_by_subject import PENDULUM, RAIL

BOX = HEAD + "box = m.body('box', shape=tr.shape.Box((1, 1, 1)), density=1000)\n"
ROLLING = "m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, bob, "
TWO = HUNG + "w = m.body('w', mass=1.0, inertia=0.1)\nm.connect(tr.Revolute('y'), m.ground.at(1, 0, 0), w)\n"

MISTAKES = {
    # the model
    "a body in brackets": (HUNG, "m['bob']", r"use m\.bodies\['bob'\]"),
    "a result of a model": (HUNG, "m['bob.angle']", r"a Model is not a table.*run\['bob\.angle'\]"),
    "a body as an attribute": (HUNG, "m.bob", r"use m\.bodies\['bob'\]"),
    "a gear as a coupling": (HUNG, "m.couple(tr.Gear(2.0), bob, bob)", r"m\.connect\(tr\.Gear\(2\.0\)"),
    "a picture of a model": (HUNG, "m.plot('bob.angle')", r"run = m\.build\(\)\.simulate\(5\.0\)"),
    "a word that nothing resembles": (HUNG, "m.hinges", r"joints and contacts by m\.connect"),
    "a parameter by assignment": (HUNG, "m.parameters['k'] = 3", r"write k = m\.parameter\('k', 2\.0\)"),
    "a body by assignment": (HUNG, "m.bodies['arm'] = 3", r"write arm = m\.body\('arm', mass=1\.0\)"),
    "a body without a name": (HEAD, "m.body('', mass=1.0)", r"'' cannot name a body: use letters"),
    "the name of the ground": (HEAD, "m.body('ground', mass=1.0)", r"already a body called 'ground'"),
    "the mass as text": (HEAD, "m.body('b', '1.0')", r"mass '1\.0'.*must be made of numbers"),
    "inertia by a word": (HEAD, "m.body('b', mass=1.0, inertia='auto')", r"inertia 'auto' must be made of numbers"),
    "a plane inertia": (
        HEAD,
        "m.body('b', mass=1, inertia=[[1, 0], [0, 1]])",
        r"six numbers \(xx, yy, zz, xy, xz, yz\)",
    ),
    "a density of nothing": (HEAD, "m.body('b', material='steel')", r"a density needs shapes with a volume"),
    "density and mass": (
        HEAD,
        "m.body('b', shape=tr.shape.Sphere(0.1), density=1000, mass=3)",
        r"follow from the density; leave them out",
    ),
    "a surface as a shape": (HEAD, "m.body('b', mass=1.0, shape=tr.Sphere(0.1))", r"its shape is one of tr\.shape"),
    "a shape without values": (
        HEAD,
        "m.body('b', mass=1.0, shape=tr.shape.Box)",
        r"tr\.shape\.Box\(\(0\.3, 0\.2, 0\.1\)\)",
    ),
    "a misspelt shape": (HEAD, "tr.shape.Sphre(0.1)", r"Did you mean tr\.shape\.Sphere"),
    "a cube": (HEAD, "tr.shape.Cube(0.1)", r"write tr\.shape\.Box\(\(0\.1, 0\.1, 0\.1\)\)"),
    "the angle of a body": (HEAD, "bob.angle", r"use a run, run\['bob\.angle'\]"),
    "a body that is turned": (HEAD, "bob.rotate('y', 30)", r"bob\.frame\(\(0, 0, 0\), \('y', tr\.degrees\(30\)\)\)"),
    "gravity of a plane model": (HUNG, "m.gravity = (0, -9.81)", r"three coordinates.*like \(0, 0, -9\.81\)"),
    "an angle of a moving frame": (HEAD, "m.moving_frame('ship', rotation=30)", r"\(axis, angle in rad\).*got 30"),
    # connections
    "the joint last": (HEAD, "m.connect(m.ground, bob, tr.Revolute('y'))", r"the pair comes first: write m\.connect"),
    "the second body forgotten": (
        HEAD,
        "m.connect(tr.Revolute('y'), bob)",
        r"needs second: .*the pair and the two bodies",
    ),
    "a joint by a word": (HEAD, "m.connect('revolute', m.ground, bob)", r"takes a pair or joint first.*got 'revolute'"),
    "a capital axis": (HEAD, "tr.Revolute('Y')", r"axis 'Y' is not valid; give \"x\", \"y\""),
    "an axis by number": (HEAD, "tr.Revolute(1)", r"axis 1 has no direction; give three finite numbers"),
    "a name twice": (HUNG, "m.connect(tr.Fixed(), m.ground, bob, name='bob')", r"already a connection called 'bob'"),
    "a law without values": (
        HEAD,
        "m.connect(tr.Revolute('y'), m.ground, bob, law=tr.Damper)",
        r"Damper is a class; .*law=tr\.Damper\(\.\.\.\)",
    ),
    "an axis as a law": (
        HEAD,
        "m.connect(tr.Revolute(), m.ground, bob, 'hinge', 'y')",
        r"'y' is not a law; give tr\.Spring",
    ),
    "friction by number": (BOX, "m.contact(m.ground, box, 0.4)", r"0\.4 is not a law; .*law=tr\.Coulomb\(0\.4\)"),
    "rolling by a word": (HEAD, f"{ROLLING} law='rolling')", r"'rolling' is not a law; .*law=tr\.NoSlip\(\)"),
    "friction without values": (HEAD, f"{ROLLING} law=tr.Coulomb)", r"Coulomb is a class"),
    "a contact that opens by a word": (
        HEAD,
        f"{ROLLING} unilateral='no')",
        r"unilateral is True .* or False, got 'no'",
    ),
    "kinetic friction above static": (
        HEAD,
        "tr.Coulomb(0.3, 0.5)",
        r"Kinetic friction cannot exceed static.*swap them",
    ),
    "gears on one axis": (
        HUNG + "w = m.body('w', mass=1.0, inertia=0.1)\nm.connect(tr.Revolute('y'), m.ground, w)\n",
        "m.connect(tr.Gear(2.0, 'y'), bob, w); m.build()",
        r"its wheels lie on the same axis.*body\.at\(x, y, z\)",
    ),
    "a gear about another axis": (
        TWO,
        "m.connect(tr.Gear(2.0), bob, w); m.build()",
        r"turn about \(0, 1, 0\).*\(axis=\.\.\.\)",
    ),
    "a ratio as text": (HEAD, "tr.Gear('2:1')", r"the ratio must be a finite number other than zero, got '2:1'"),
    "a belt over one pulley": (HEAD, "tr.Belt(0.1)", r"Belt needs second_radius"),
    # functions of signals
    "signals in round brackets": (
        HUNG,
        "m.output('o', lambda s: s('bob.angle')); m.build()",
        r"signals by name, s\['bob\.angle'\]",
    ),
    "max of a signal": (
        HUNG,
        "m.output('o', lambda s: max(s['bob.angle'], 0)); m.build()",
        r"use tr\.sin, tr\.where, tr\.max",
    ),
    "an action in a word": (HUNG, "m.event('e', lambda s: s['bob.angle'], action='explode')", r"'record', 'stop' or"),
    "a direction in a word": (
        HUNG,
        "m.event('e', lambda s: s['bob.angle'], direction='up')",
        r"-1 \(falling\), 0 \(both\)",
    ),
    "the value of a symbol": (HEAD, "m.parameter('k', 1.0).value", r"m\.parameter_values\(\) has the default values"),
    "the root of a symbol": (HEAD, "math.sqrt(m.parameter('k', 1.0))", r"Use tr\.sin, tr\.sqrt, \.\.\. in place"),
    # runs
    "a time that is negative": (
        BUILT,
        "system.simulate(-1.0)",
        r"duration must be a positive number.*length of the run",
    ),
    "a span of time": (BUILT, "system.simulate((0, 5))", r"got \(0, 5\)\. Give the length of the run in s; t0="),
    "degrees in a text": (BUILT, "system.simulate(1.0, {'bob.angle': '30deg'})", r"degrees are tr\.degrees\(30\)"),
    "several starts of one run": (
        BUILT,
        "system.simulate(1.0, {'bob.angle': [0.1, 0.2]})",
        r"system\.batch\(duration, start\)",
    ),
    "a body as a start value": (BUILT, "system.simulate(1.0, {'bob': 0.3})", r"Of 'bob' there are 'bob\.angle'"),
    "a start value by keyword": (
        BUILT,
        "system.simulate(1.0, bob_angle=0.3)",
        r"by name, .*start=\{'bob\.angle': 0\.3\}",
    ),
    "a parameter by keyword": (PENDULUM, "system.simulate(1.0, k=2.0)", r"values go by name, parameters=\{'k': 2\.0\}"),
    "the distance of samples": (
        BUILT,
        "system.simulate(5.0, samples=0.01)",
        r"give their number, samples=501, or their times",
    ),
    "samples after the end": (BUILT, "system.simulate(5.0, samples=[1.0, 9.0])", r"must increase.*between 0 and 5 s"),
    "a method without brackets": (
        BUILT + "from trundle.integrate.methods.rosenbrock import Rodas5P\n",
        "system.simulate(5.0, method=Rodas5P)",
        r"Rodas5P is a class; give an object of it, Rodas5P\(\)",
    ),
    "a bar by a word": (BUILT, "system.simulate(1.0, progress='yes')", r"give True, False, a function of time"),
    "a body as a result": (RUN, "run['bob']", r"Of 'bob' there are 'bob\.angle'"),
    "two names in brackets": (RUN, "run['bob.angle', 'bob.angle_rate']", r"Use one name, such as run\['bob\.angle'\]"),
    "axes of a plot": (
        RUN,
        "run.plot(x='time', y='bob.angle')",
        r"run\.plot has no argument 'x': give names of quantities",
    ),
    "a picture of no kind": (
        RUN,
        "run.plot('bob.angle', path='p.xyz')",
        r"cannot write the picture p\.xyz: Format 'xyz'",
    ),
    "a movie of no kind": (RUN, "run.save_movie('a.avi')", r"its name must end in \.gif or \.mp4"),
    "a movie of no frames": (RUN, "run.save_movie('a.gif', fps=0)", r"fps=0: a movie needs a number greater than zero"),
    "one name to fit": (
        PENDULUM,
        "tr.fit(system, {'time': [0, 1], 'bob.angle': [0, 1]}, 'k2')",
        r"called 'k2'\. Did you mean 'k'",
    ),
    "data without times": (PENDULUM, "tr.fit(system, {'bob.angle': [0, 1]}, {'k': 1.0})", r"the data have no 'time'"),
    "a sweep of nothing": (PENDULUM, "tr.sweep(system, {'k': []}, 1.0)", r"at least one case; give each name a list"),
    "a median": (
        PENDULUM,
        "tr.sweep(system, {'k': [1, 2]}, 1.0, keep=['median(bob.angle)'], samples=11)",
        r"there are end, max, min",
    ),
    "a batch of one": (PENDULUM, "system.batch(1.0, {'bob.angle': 0.1})", r"given as an array, one entry per case"),
    # rail
    "a trip that is run": (
        RAIL,
        "rail.Trip(wagon, line, 30).run()",
        r"a Trip has no 'run': write run = trip\.simulate\(\)",
    ),
    "a vehicle that is run": (RAIL, "wagon.simulate(3.0)", r"trip = rail\.Trip\(vehicle, line, speed\)"),
    "a speed as text": (RAIL, "rail.Trip(wagon, line, '30')", r"speed must be a number \(m/s\).*got '30'"),
    "a speed backwards": (RAIL, "rail.Trip(wagon, line, -30)", r"a trip goes forwards"),
    "cant in mm": (RAIL, "rail.Alignment([rail.Straight(40), rail.Sine(80, 600, 150)])", r"150 mm are 0\.15"),
    "profiles as a contact": (
        RAIL,
        "rail.Contact(rail.S1002(), rail.Rail60E1())",
        r"geometry must be a rail\.ContactGeometry",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_explained_at_its_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answered_at_its_line(*MISTAKES[name])


def test_one_name_is_fitted_as_a_list_of_one() -> None:
    import trundle as tr

    m = tr.Model("pendulum")
    k = m.parameter("stiffness", 2.0)
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1)), law=tr.Spring(k))
    system = m.build()
    run = system.simulate(1.0, {"bob.angle": 0.3}, samples=11)
    data = {"time": run.time, "bob.angle": run.values("bob.angle")}
    found = tr.fit(system, data, "stiffness", start={"bob.angle": 0.3})
    assert found.values["stiffness"] == pytest.approx(2.0, rel=1e-6)
