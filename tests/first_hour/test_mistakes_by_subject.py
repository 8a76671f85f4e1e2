"""Mistakes in the subjects of the tutorials: rail, bicycle, impact, control, sweeps and files. Each is reported at its
line: what, where, why, and what to do.
"""

from pathlib import Path

import pytest
from answers import answered_at_its_line

RAIL = """import numpy as np
import trundle as tr
from trundle import rail
line = rail.Alignment([rail.Straight(40), rail.Sine(80, 600, 0.15), rail.Arc(600, 300, 0.15)])
contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
axle = rail.Wheelset(mass=1813, inertia=(1120, 112, 1120), contact=contact)
box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
body = rail.CarBody(20e3, (3e4, 2e5, 2.1e5), height=1.9)
wagon = rail.Wagon(body, axle, box, wheelbase=8.0)
"""
BIKE = """from dataclasses import replace
import numpy as np
import trundle as tr
from trundle.study.stability import SteadyMotions
parts = tr.bicycle.benchmark_parts()
model = tr.bicycle.benchmark()
"""
RIDDEN = BIKE + "bicycle = model.build()\n"
BALL = """import numpy as np
import trundle as tr
m = tr.Model("ball")
ball = m.body("ball", mass=0.5, inertia=0.002, shape=tr.shape.Ball(0.1))
floor = tr.HigherPair(tr.Plane(), tr.Sphere(0.1))
"""
CART = """import numpy as np
import trundle as tr
m = tr.Model("cart")
force = m.input("force", 0.0, "N")
cart = m.body("cart", mass=1.0, inertia=0.1)
m.connect(tr.Prismatic("x"), m.ground, cart, law=tr.Motor(force))
"""
DRIVEN = CART + "system = m.build()\n"
PENDULUM = """import numpy as np
import trundle as tr
m = tr.Model("p")
k = m.parameter("k", 1.0)
bob = m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1))
m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Spring(k, 0.1))
system = m.build()
"""
FILE = """from pathlib import Path
import trundle as tr
def write(text, name="x.yaml"):
    Path(name).write_text(text)
    return name
"""

MISTAKES = {
    "a curve without transition": (
        RAIL,
        "rail.Alignment([rail.Straight(40), rail.Arc(600, 300, 0.15)])",
        r"Put a transition curve between",
    ),
    "a segment without brackets": (RAIL, "rail.Alignment(rail.Straight(40))", r"put the segment into brackets"),
    "km/h as m/s": (RAIL, "rail.Trip(wagon, line, speed=108, )", r"would fall over.*Go slower"),
    "a line in place of the vehicle": (
        RAIL,
        "rail.Trip(line, wagon, speed=30)",
        r"The vehicle comes first, then its line",
    ),
    "a trip beyond the line": (RAIL, "rail.Trip(wagon, line, 30.0).simulate(100.0)", r"Leave the duration out"),
    "parts exchanged": (
        RAIL,
        "rail.Wagon(axle, body, box, wheelbase=8.0)",
        r"body must be a rail\.CarBody, got Wheelset",
    ),
    "springs without axle box": (
        RAIL,
        "rail.Wagon(body, axle, rail.Bushing((5e6,2e6,1.2e6)), wheelbase=8.0)",
        r"must be a rail\.AxleBox\(suspension\)",
    ),
    "wheel and rail exchanged": (
        RAIL,
        "rail.ContactGeometry(rail.Rail60E1(), rail.S1002())",
        r"kind 'wheel', got '60E1'",
    ),
    "a gauge in mm": (RAIL, "rail.ContactGeometry(rail.S1002(), rail.Rail60E1(), gauge=1435)", r"is it given in mm\?"),
    "an unknown level": (RAIL, "rail.Irregularity.erri('medium', seed=1)", r"Known: low, high"),
    "speeds that fall": (RAIL, "rail.critical_speed(wagon, 60.0, 10.0)", r"rising speeds.*got 60 to 10"),
    "a trip as a vehicle": (
        RAIL,
        "rail.critical_speed(rail.Trip(wagon, line, 30.0))",
        r"a rail\.Wagon is needed, got Trip",
    ),
    "a flange in degrees": (RAIL, "rail.nadal(70, mu=0.4)", r"tr\.degrees\(70\)"),
    "a trip as a run": (RAIL, "rail.assess(rail.Trip(wagon, line, 30.0))", r"It takes Run"),
    "one stiffness": (RAIL, "rail.Bushing(5e6)", r"three numbers, for x, y and z"),
    "a misspelt slot": (RAIL, "rail.changed(wagon, {'body.masss': 1e4})", r"Did you mean 'mass'"),
    "a missing profile": (RAIL, "rail.Profile.from_csv('missing.csv', 'wheel')", r"missing\.csv: No such file"),
    "a geometry as parts": (
        BIKE,
        "tr.bicycle.whipple(tr.bicycle.Geometry(1.02, 0.08, 0.3, 0.3, 0.35))",
        r"It takes Parts",
    ),
    "a misspelt size": (BIKE, "replace(parts, trial=0.0)", r"did you mean trail"),
    "a wheel without inertia": (BIKE, "tr.bicycle.Wheel(radius=0.3, mass=2.0)", r"needs Ixx and Iyy"),
    "a tilt in degrees": (BIKE, "tr.bicycle.Geometry(1.02, 0.08, 18, 0.3, 0.35)", r"given in degrees"),
    "stability of a model": (BIKE, "SteadyMotions(model)", r"system = m\.build\(\)"),
    "a misspelt speed": (RIDDEN, "SteadyMotions(bicycle, 'sped').stability(1, 5, 3)", r"Did you mean 'speed'"),
    "speeds from fast to slow": (RIDDEN, "SteadyMotions(bicycle).stability(10, 0)", r"give a rising range"),
    "a speed without a name": (RIDDEN, "bicycle.linearise(5.0)", r"by name"),
    "a lean without a name": (RIDDEN, "bicycle.steady(0.2)", r"by name"),
    "a bounce that gains": (
        BALL,
        "m.connect(floor, m.ground, ball, law=tr.Coulomb(0.5), restitution=1.5)",
        r"between 0 \(plastic\) and 1",
    ),
    "restitution as a law": (BALL, "m.connect(floor, m.ground, ball, law=tr.Newton(0.5))", r"go to restitution="),
    "a law as restitution": (BALL, "m.connect(floor, m.ground, ball, restitution=tr.Coulomb(0.5))", r"tr\.Newton\(e\)"),
    "bodies exchanged": (
        BALL,
        "m.connect(floor, ball, m.ground, unilateral=True); m.build().simulate(1.0, {'ball.position': (0,0,1)})",
        r"'ball\.position'.*are the two exchanged\?",
    ),
    "a hinge that bounces": (
        BALL,
        "m.connect(tr.Revolute('y'), m.ground, ball, restitution=0.5)",
        r"only a contact of surfaces can open",
    ),
    "a radius as a surface": (BALL, "tr.HigherPair(tr.Plane(), 0.1)", r"two surfaces, edges or vertices"),
    "two planes": (BALL, "tr.HigherPair(tr.Plane(), tr.Plane())", r"use tr\.Planar"),
    "a floor on a ball": (BALL, "m.contact(ball, m.ground, tr.Coulomb(0.5))", r"the plane comes first"),
    "degrees as radians": (BALL, "tr.walker.predict(0.25, 60, 2.9, 0.3)", r"60 degrees are 1\.0472 rad"),
    "a function as an input": (CART, "m.input('torque', lambda t: t)", r"inputs=\{'torque': lambda t"),
    "an error that is a number": (CART, "m.block(tr.PID(error=0.1, kp=1.0), 'pid')", r"function of signals"),
    "a block without a name": (CART, "m.block(tr.PID(lambda s: -s['cart.displacement'], kp=1.0))", r"block needs name"),
    "a misspelt input": (DRIVEN, "system.simulate(1.0, inputs={'forc': 1.0})", r"Did you mean 'force'"),
    "inputs without names": (DRIVEN, "system.simulate(1.0, inputs=1.0)", r"by name"),
    "values without times": (DRIVEN, "system.simulate(1.0, inputs={'force': [0, 1, 2]})", r"tr\.Table\(t, values"),
    "two values for one input": (DRIVEN, "system.stepper(1.0).set({'force': [1.0, 2.0]})", r"must be a number"),
    "a step back": (DRIVEN, "st = system.stepper(1.0); st.advance(0.5); st.advance(0.2)", r"is not between them"),
    "an input by keyword": (DRIVEN, "system.stepper(1.0).set(force=1.0)", r"stepper\.set\(\{'torque': 1\.0\}\)"),
    "a signal as a parameter": (DRIVEN, "system.simulate(1.0, parameters={'force': lambda t: t})", r"given as inputs="),
    "a grid of one case": (PENDULUM, "tr.grid({'k': 5, 'c': 3})", r"a list of its values"),
    "a grid by keywords": (PENDULUM, "tr.grid(k=[1, 2])", r"tr\.grid\(\{'k': \[1, 2, 3\]"),
    "a misspelt quantity": (
        PENDULUM,
        "tr.sweep(system, {'k': [1, 2]}, 1.0, keep=['peak(bob.angel)'], samples=11)",
        r"Did you mean 'bob\.angle'",
    ),
    "a peak without samples": (
        PENDULUM,
        "tr.sweep(system, {'k': [1, 2]}, 1.0, keep=['peak(bob.angle)'])",
        r"samples=501",
    ),
    "a sweep without time": (PENDULUM, "tr.sweep(system, {'k': [1, 2]})", r"needs duration"),
    "a sweep of a model": (PENDULUM, "tr.sweep(m, {'k': [1, 2]}, 1.0)", r"system = m\.build\(\)"),
    "a store that is none": (PENDULUM, "tr.sweep(system, {'k': [1, 2]}, 1.0, out='results')", r"ends in \.zarr"),
    "a range that falls": (PENDULUM, "tr.latin_hypercube(10, {'k': (3, 1)}, seed=1)", r"\(least, largest\)"),
    "a start as a range": (PENDULUM, "tr.optimise(lambda v: v['k'], {'k': 2.0})", r"two rising numbers"),
    "an objective of no number": (PENDULUM, "tr.optimise(lambda k: k, {'k': (0, 1)})", r"return a number"),
    "lists of two lengths": (
        PENDULUM,
        "system.batch(1.0, parameters={'k': [1, 2], 'bob.angle': [1, 2, 3]})",
        r"different lengths",
    ),
    "data of nothing": (
        PENDULUM,
        "tr.fit(system, {'time': [0, 1], 'bob.angl': [0, 1]}, {'k': 1.0})",
        r"Did you mean 'bob\.angle'",
    ),
    "a branch of nothing": (PENDULUM, "tr.continuation(system, 'kk', (0, 1))", r"Did you mean 'k'"),
    "a missing model": (FILE, "tr.load_model('missing.yaml')", r"cannot be read: No such file"),
    "a number in words": (
        FILE,
        "tr.load_model(write('name: a\\nbodies: {b: {mass: one}}'))",
        r"line 2, bodies\.b\.mass.*'one'",
    ),
    "a wrong indent": (
        FILE,
        "tr.load_model(write('name: a\\n  bodies: {b: {mass: 1}}'))",
        r"line 2, column 9: this is not valid YAML",
    ),
    "an unknown body": (
        FILE,
        "tr.load_model(write('name: a\\nbodies: {b: {mass: 1}}\\n"
        "connections: {j: {pair: Fixed, first: b, second: c}}'))",
        r"line 3, connections\.j\.second.*There are: ground, b",
    ),
    "Klingel's wavelength": (RAIL, "rail.klingel(0.46, 0.05, 0.75)", r"2 pi sqrt\(e r0 / tan gamma\)"),
    "a gait of a model": (
        "from trundle import walker\n",
        "walker.find_gait(walker.rimless_wheel())",
        r"system = m\.build\(\)",
    ),
    "a gait of two legs": (
        "from trundle import walker\n",
        "walker.rimless_wheel(spokes=2)",
        r"spokes must be an integer of at least 3",
    ),
    "a slope in degrees": ("from trundle import walker\n", "walker.rimless_wheel(slope=10)", r"\(rad\), got 10"),
    "the longest step of a controller": (
        DRIVEN,
        "system.stepper(1.0, max_step=0.01)",
        r"steps=tr\.Steps\(longest=0\.01\)",
    ),
    "an option of a stepper": (DRIVEN, "system.stepper(1.0, sample=3)", r"did you mean samples"),
    "a force by a function of the distance": (
        PENDULUM,
        "tr.LineForce(m.ground, bob, lambda t, q, u: -q)",
        r"give a law on the distance.*tr\.Motor",
    ),
    "a tyre that is unilateral and compliant": (
        BALL,
        "m.connect(floor, m.ground, ball, compliance=tr.Hertz(1e6), unilateral=True)",
        r"A compliant normal opens by itself",
    ),
    "a missing result": (FILE, "tr.load('missing.nc')", r"there is no such file"),
    "a table as a result": (FILE, "tr.load(write('time,x', 'a.csv'))", r"Save runs as \.nc"),
    "a model as a result": (FILE, "tr.load(write('name: a'))", r"tr\.load_model"),
    "half a robot": (FILE, "tr.load_urdf(write('<robot'  , 'r.urdf'))", r"this is not XML"),
    "a vehicle in small letters": (
        FILE,
        "tr.load_vehicle(write('name: a\\nvehicle: {wagon: {}}'))",
        r"Did you mean 'Wagon'",
    ),
    "a negative length": (
        FILE,
        "tr.load_track(write('segments: [{straight: {length: -5}}]'))",
        r"a positive number of metres",
    ),
    "a word in a table": (
        FILE,
        "tr.Table.from_csv(write('a,b\\n1,2\\n2,x', 't.csv'), 'a', 'b')",
        r"row 2 has 'x' in column 'b'",
    ),
    "knots that fall": (FILE, "tr.Table([0, 2, 1], [0, 1, 2])", r"Sort the knots"),
    "a missing mesh": (FILE, "tr.shape.read_mesh('none.stl')", r"there is no such file"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_explained_at_its_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answered_at_its_line(*MISTAKES[name])
