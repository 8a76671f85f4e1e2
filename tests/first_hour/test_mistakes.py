"""Mistakes of the first hour: each is reported at the line where it was made, with a message that says what to do.

A case is a script, the number of its faulty line (from 1), and what the message must say.
"""

import re

import pytest
from answers import answered_at_its_line

import trundle as tr

HEAD = """import math
import numpy as np
import trundle as tr
from trundle import rail
m = tr.Model("pendulum")
bob = m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1))
"""
HUNG = (
    HEAD
    + """m.connect(tr.Revolute("y"), m.ground, bob)
"""
)
BUILT = (
    HUNG
    + """system = m.build()
"""
)
RUN = (
    BUILT
    + """run = system.simulate(0.1, {"bob.angle": 0.1})
"""
)
STEPPED = BUILT + "stepper = system.stepper(1.0, {'bob.angle': 0.1})\n"
LINEAR = BUILT + "linear = system.linearise()\n"
BATCH = BUILT + "batch = system.batch(0.1, {'bob.angle': [0.1, 0.2]})\n"

MISTAKES = {
    # names
    "misspelt class": (HEAD, "tr.Sphare(0.1)", r"Did you mean tr\.Sphere"),
    "misspelt joint": (HEAD, "tr.Hinge('y')", r"tr\.Revolute\('y'\)"),
    "model that simulates": (HUNG, "m.simulate(1.0)", r"build it first, system = m\.build\(\)"),
    "model that linearises": (HUNG, "m.linearise()", r"system\.linearise"),
    "misspelt verb of the model": (HEAD, "m.conect(tr.Fixed(), m.ground, bob)", r"Did you mean.*connect"),
    "values of a system": (BUILT, "system['bob.angle']", r"run = system\.simulate.*run\['bob\.angle'\]"),
    "misspelt result": (RUN, "run['bob.angel']", r"Did you mean 'bob\.angle'"),
    "misspelt start": (BUILT, "system.simulate(1.0, {'bob.angel': 1.0})", r"Did you mean 'bob\.angle'"),
    "misspelt plot": (RUN, "run.plot('bob.angl')", r"Did you mean 'bob\.angle'"),
    "misspelt parameter": (BUILT, "system.simulate(1.0, parameters={'masss': 1.0})", r"no parameter"),
    "a quantity as an attribute": (RUN, "run.angle", r"Did you mean run\['bob\.angle'\]"),
    "a parameter without a value": (HEAD, "m.parameter('g')", r"parameter needs value: m\.parameter\('k', 40"),
    "an event without a function": (HEAD, "m.event('e')", r"event needs function: m\.event"),
    "a stepper without a duration": (BUILT, "system.stepper()", r"stepper needs duration: .*system\.stepper\(5\.0\)"),
    "a batch without a duration": (BUILT, "system.batch()", r"batch needs duration: .*system\.batch\(5\.0"),
    "a result without a file": (RUN, "run.save()", r"save needs path: .*run\.save\('run\.nc'\)"),
    "the length of a run": (RUN, "len(run)", r"len\(run\.time\) counts its samples"),
    "a misspelt method of a run": (RUN, "run.plott()", r"Did you mean run\.plot"),
    "a table by another name": (RUN, "run.to_csv('x.csv')", r"run\.save\('result\.csv'\)"),
    "eigenvalues of a system": (BUILT, "system.eigenvalues()", r"system\.linearise"),
    "a misspelt question": (BUILT, "system.simulat(1.0)", r"Did you mean simulate"),
    "a start after the build": (BUILT, "system.start = {'bob.angle': 0.2}", r"cannot be changed.*system\.simulate"),
    "a start as a list": (HUNG, "m.start = [0.2]", r"give start values by name"),
    "a material of a forest": (HEAD, "m.body('b', shape=tr.shape.Ball(0.1), material='oak')", r"give density="),
    "a cam from a loose table": (HEAD, "tr.Cam(tr.Table([0, 6.3], [0.1, 0.1]))", r"tr\.Cam\(m\.table\('profile'"),
    "a rate of time alone": (HEAD, "tr.Flow(lambda t: 1.0)", r"takes time and coordinate: write lambda t, q: "),
    "a servo of three": (HEAD, "tr.Servo(lambda t, q, u: t)", r"takes the time alone: write lambda t: "),
    "an acceleration of time": (HEAD, "tr.Acceleration(lambda t: t)", r"write lambda t, q, u: "),
    "an event without signals": (HUNG, "m.event('e', lambda: 1.0)", r"event 'e' is called with one argument"),
    "an output as a law": (HUNG, "m.output('o', lambda t, q, u: q)", r"its function takes \(t, q, u\)\. Only laws"),
    "a rate of nothing": (HUNG, "m.state('x', lambda: 1.0)", r"the rate of state 'x' is called with one argument"),
    "a motion as text": (HEAD, "tr.Servo('t')", r"Servo: value is a number or a parameter, got 't'"),
    "a spring by letters": (HEAD, "tr.Spring(k=1.0)", r"stiffness=1e3"),
    "a damper without a value": (HEAD, "tr.Damper()", r"Damper needs damping: write Damper\(damping=2\.0\)"),
    "a gear without a ratio": (HEAD, "tr.Gear()", r"turns of the second wheel for one of the first"),
    "a cylinder by one size": (HEAD, "tr.shape.Cylinder(0.1)", r"write Cylinder\(radius, length\)"),
    "a model by number": (HEAD, "tr.Model(3)", r"a text, tr\.Model\('pendulum'\)"),
    "the sine of a name": (HEAD, "tr.sin('bob.angle')", r"the text 'bob\.angle'.*lambda s: tr\.sin\(s\["),
    "degrees as text": (HEAD, "tr.degrees('90')", r"takes numbers and expressions, got the text '90'"),
    "a parameter and a text": (HEAD, "m.parameter('k', 1.0) + 'a'", r"takes numbers and expressions"),
    "a start by number": (BUILT, "system.simulate(1.0, {0: 0.3})", r"by their names, such as 'bob\.angle', not by 0"),
    "a number as the reaction to events": (BUILT, "system.simulate(1.0, on_event=3)", r"on_event\(name, t, state\)"),
    "a text beside the bar": (BUILT, "system.simulate(1.0, progress=tr.ProgressBar('a'))", r"text\(t, state\)"),
    "a sample by number": (RUN, "run[0]", r"run\.names has all, run\.time the times"),
    "a list of names": (RUN, "run.values(['bob.angle'])", r"Use one name, such as run\['bob\.angle'\]"),
    "values in place of a name": (RUN, "run.plot(run['bob.angle'])", r"called 'a DataArray'.*names one by one"),
    "a run as a list": (RUN, "list(run)", r"run\.names has the names of its quantities"),
    "energy as a table": (RUN, "run.energy['kinetic']", r"run\.energy\.kinetic or run\['energy\.kinetic'\]"),
    "energy by another name": (RUN, "run.energy.mechanical", r"use run\.energy\.total"),
    "misspelt energy": (RUN, "run.energy.imbalanced", r"Did you mean imbalance"),
    "a picture at t": (RUN, "run.draw(t=0.1)", r"draw has no argument 't': write times=\[0\.5\]"),
    "name twice": (HEAD, "m.body('bob', mass=1.0)", r"already a body called 'bob'"),
    "name with a dot": (HEAD, "m.body('left.arm', mass=1.0)", r"cannot name a body"),
    "name that is time": (HEAD, "m.parameter('t', 1.0)", r"time.*Choose another name"),
    "name that is a list": (HEAD, "m.parameter(\"['x', 'y', 'z']\", 1.0)", r"cannot name a parameter"),
    "name that is a number": (HEAD, "m.body(3, mass=1.0)", r"cannot name a body"),
    # numbers and vectors
    "edges of a box one by one": (HEAD, "tr.shape.Box(0.3, 0.2)", r"Box: size=0\.3: give three numbers"),
    "ends of a capsule": (HEAD, "tr.shape.Capsule((0, 0, 1), (0, 0, 2))", r"radius=\(0, 0, 1\): give one number"),
    "parameter in a shape": (HEAD, "tr.shape.Ball(2 * m.parameter('r', 1.0))", r"cannot follow a parameter"),
    "negative edge": (HEAD, "tr.shape.Box((1, 2, -1))", r"cannot be negative"),
    "a shape in words": (HEAD, "m.body('b', mass=1.0, shape='box')", r"tr\.shape\.Box\(\(.*got 'box'"),
    "a shape of three numbers": (HEAD, "m.body('b', mass=1.0, shape=(1, 2, 3))", r"tr\.shape\.Box.*got \(1, 2, 3\)"),
    "axis of a shape": (HEAD, "tr.shape.Cylinder(1.0, 1.0, 'w')", r"axis='w': give \"x\", \"y\""),
    "axis w": (HEAD, "tr.Revolute('w')", r"axis 'w' is not valid"),
    "axis of no length": (HEAD, "tr.Revolute((0, 0, 0))", r"axis|length"),
    "axis of two numbers": (HEAD, "tr.Prismatic((1, 0))", r"axis"),
    "mass as a tuple": (HEAD, "m.body('b', mass=(1, 2))", r"mass is one number"),
    "mass in words": (HEAD, "m.body('b', mass='heavy')", r"numbers or parameters"),
    "negative mass": (HEAD, "m.body('b', mass=-1.0)", r"mass -1 kg is negative"),
    "mass nan": (HEAD, "m.body('b', mass=float('nan'))", r"not finite"),
    "inertia of four numbers": (HEAD, "m.body('b', mass=1.0, inertia=(1, 1, 1, 1))", r"inertia"),
    "inertia of no body": (HEAD, "m.body('b', mass=1.0, inertia=(1, 1, 9))", r"triangle|exceed"),
    "centre of two numbers": (HEAD, "m.body('b', mass=1.0, com=(0, 0))", r"com.*three"),
    "gravity as a number": (HEAD, "m.gravity = 9.81", r"\(0, 0, -9\.81\)"),
    "gravity of a new model": (HEAD, "tr.Model('p', gravity=9.81)", r"\(0, 0, -9\.81\)"),
    "point of one number": (HEAD, "bob.at(1.0)", r"at\(x, y, z\)"),
    "point in words": (HEAD, "m.connect(tr.Fixed(), m.ground, bob.at('left', 0, 0))", r"point of 'bob'"),
    "radius zero": (HEAD, "tr.Sphere(0)", r"radius must be greater than zero"),
    "number that is missing": (HEAD, "m.parameter('k', None)", r"number"),
    "parameter as a float": (HEAD, "float(m.parameter('k', 1.0))", r"parameter"),
    # connections
    "two bodies in one argument": (HEAD, "m.connect(tr.Revolute('y'), m.ground, [bob])", r"body|frame"),
    "a body by its name": (HEAD, "m.connect(tr.Revolute('y'), m.ground, 'bob')", r"body|frame"),
    "a joint that is a class": (HEAD, "m.connect(tr.Fixed, m.ground, bob)", r"tr\.Fixed\(\)|pair|joint"),
    "a body to itself": (HEAD, "m.connect(tr.Fixed(), bob, bob)", r"to itself"),
    "a body of another model": (
        HEAD, "m.connect(tr.Fixed(), m.ground, tr.Model('o').body('b', mass=1))", r"another model"
    ),
    "a law that is a number": (HEAD, "m.connect(tr.Revolute('y'), m.ground, bob, law=5.0)", r"is not a law"),
    "a law of two coordinates": (
        HEAD, "m.connect(tr.Cylindrical('z'), m.ground, bob, law=tr.Damper(1.0))", r"specify the one"
    ),
    "a damper of a ball joint": (
        HEAD, "m.connect(tr.Spherical(), m.ground, bob, law=tr.Damper(1.0))", r"tr\.Bushing"
    ),
    "rolling on a hinge": (
        HEAD, "m.connect(tr.Revolute('y'), m.ground, bob, law=tr.NoSlip())", r"contact point"
    ),
    # forces and laws
    "a law applied": (HUNG, "m.apply(tr.Spring(5.0))", r"Laws belong to connections"),
    "a motor of time alone": (HUNG, "tr.Motor(lambda t: tr.sin(t))", r"lambda t, q, u"),
    "a spring in words": (HEAD, "tr.Spring('stiff')", r"Spring: stiffness is a number or a parameter, got 'stiff'"),
    "a spring of three directions": (HEAD, "tr.Spring(1.0, (1, 2, 3))", r"damping is a number.*got \(1, 2, 3\)"),
    "a damper that is a bool": (HEAD, "tr.Damper(True)", r"damping cannot have truth values, got True"),
    "a motor in words": (HEAD, "tr.Motor('fast')", r"Motor: value is a number or a parameter, got 'fast'"),
    "a force in words": (HUNG, "tr.CoordinateForce('bob.angle', 'strong')", r"a law such as tr\.Spring"),
    "a force within a body": (
        HUNG, "m.apply(tr.SpringDamper(bob.at(0, 0, 1), bob, 1.0, 0.0))", r"same body 'bob'"
    ),
    "no bodies": (HEAD, "tr.Model('empty').build()", r"no bodies"),
    "an event that is a number": (HUNG, "m.event('e', 1.0)", r"function of signals"),
    "an output that is a number": (HUNG, "m.output('o', 1.0)", r"function of signals"),
    # runs
    "duration zero": (BUILT, "system.simulate(0)", r"duration"),
    "duration in words": (BUILT, "system.simulate('long')", r"duration"),
    "start as a number": (BUILT, "system.simulate(1.0, 0.5)", r"give start values by name"),
    "start in words": (BUILT, "system.simulate(1.0, {'bob.angle': 'left'})", r"bob\.angle"),
    "start nan": (BUILT, "system.simulate(1.0, {'bob.angle': math.nan})", r"bob\.angle"),
    "no such method": (BUILT, "system.simulate(1.0, method='rk4')", r"method"),
    "no such formalism": (HUNG, "m.build('lagrange')", r"lagrange"),
    "tolerance zero": (BUILT, "system.simulate(1.0, rtol=0)", r"rtol"),
    "one case as a batch": (BUILT, "system.batch(1.0, {'bob.angle': []})", r"at least one"),
    "a file in no folder": (RUN, "run.save('/no/such/folder/x.nc')", r"there is no directory"),
    "a file of no kind": (RUN, "run.save('x.docx')", r"docx|ending|kind"),
    "no such file": (HEAD, "tr.load('/no/such/file.nc')", r"file\.nc"),
    "a model for a file": (HEAD, "tr.load_model(m)", r"give the path of a YAML file.*not <Model"),
    "no such model file": (HEAD, "tr.load_model('/no/such/model.yaml')", r"model\.yaml"),
    "linearising words": (BUILT, "system.linearise({'bob.angle': 'up'})", r"bob\.angle"),
    "a forgotten start in a hollow circle": (
        HEAD
        + "m.connect(tr.Planar('y'), m.ground, bob, name='pose')\n"
        + "ring = tr.PlanarPair(tr.Circle(0.5, inside=True), tr.Circle(0.1))\n"
        + "m.connect(ring, m.ground, bob, 'touch', tr.Coulomb(0.3), unilateral=True)\n"
        + "system = m.build()\n",
        "system.simulate(1.0)", r"'touch'.*contact point of 'bob' on 'ground'.*bob\.position",
    ),
    # shapes
    "a parameter in a shape": (
        HEAD + "l = m.parameter('l', 0.3)\n", "m.body('b', 1.0, shape=tr.shape.Rod((0, 0, 0), (0, 0, l)))",
        r"shape Rod.*parameter",
    ),
    "a parameter as a radius": (
        HEAD + "l = m.parameter('l', 0.3)\n", "m.body('b', 1.0, shape=tr.shape.Sphere(l))", r"shape Sphere.*parameter"
    ),
    "a contact of a body without shape": (HEAD, "m.contact(m.ground, bob)", r"no shape to touch.*m\.connect_points"),
    "a contact the wrong way round": (HEAD, "m.contact(bob, m.ground)", r"plane comes first, m\.contact\(m\.ground"),
    # arguments of other programs
    "a damper in the joint": (HEAD, "tr.Revolute('y', damping=0.1)", r"law=tr\.Damper.*It takes axis"),
    "an axis by keyword": (HEAD, "tr.Prismatic(x=1)", r"no argument 'x'.*It takes axis"),
    "a damper in the connection": (
        HEAD, "m.connect(tr.Revolute('y'), m.ground, bob, damping=0.1)", r"law=tr\.Damper"
    ),
    "a place of the connection": (
        HEAD, "m.connect(tr.Revolute('y'), m.ground, bob, at=(0, 0, 1))", r"m\.ground\.at\(0, 0, 1\)"
    ),
    "a body with a length": (HEAD, "m.body('arm', mass=1.0, length=0.3)", r"com=.*shape="),
    "a body with a position": (HEAD, "m.body('arm', mass=1.0, position=(0, 0, 1))", r"joint places a body"),
    "friction of a contact as a number": (HEAD, "m.contact(m.ground, bob, mu=0.3)", r"law=tr\.Coulomb\(0\.3\)"),
    "Coulomb by mu": (HEAD, "tr.Coulomb(mu=0.3)", r"mu_static=0\.3.*It takes mu_static, mu_kinetic"),
    "a plane by its normal": (HEAD, "tr.Plane(normal=(0, 0, 1))", r"turn the frame.*It takes none"),
    "a method of the build": (HUNG, "m.build(method='stiff')", r"system\.simulate\(5\.0, method='stiff'\)"),
    "the end of a run": (BUILT, "system.simulate(t_end=5.0)", r"write duration"),
    "a start as a vector": (BUILT, "system.simulate(5.0, x0=[0.1, 0.0])", r"start values go by name"),
    "a step size": (BUILT, "system.simulate(5.0, dt=0.01)", r"samples=501.*Steps\(fixed"),
    "the longest step": (BUILT, "system.simulate(5.0, max_step=0.01)", r"steps=tr\.Steps\(longest=0\.01\)"),
    "the first step": (BUILT, "system.simulate(5.0, first_step=0.01)", r"steps=tr\.Steps\(first="),
    "one length of steps": (BUILT, "system.simulate(5.0, fixed_step=0.01)", r"steps=tr\.Steps\(fixed=0\.01\)"),
    "the number of steps": (BUILT, "system.simulate(5.0, max_steps=100)", r"steps=tr\.Steps\(most=1000\)"),
    "the number of events": (BUILT, "system.simulate(5.0, max_events=9)", r"steps=tr\.Steps\(most_events="),
    "a text of the bar": (BUILT, "system.simulate(5.0, progress_text=str)", r"progress=tr\.ProgressBar"),
    "the longest step of a stepper": (BUILT, "system.stepper(5.0, max_step=0.01)", r"steps=tr\.Steps\(longest="),
    "times of samples": (BUILT, "system.simulate(5.0, t_eval=[0, 1])", r"samples=times"),
    "a misspelt option": (BUILT, "system.simulate(5.0, sample=11)", r"did you mean samples"),
    "a bowl by a negative radius": (HEAD, "tr.Sphere(-0.5)", r"greater than zero.*inside=True"),
    # what other programs have
    "state space of a system": (BUILT, "system.state_space()", r"linearise\(\.\.\.\)\.state_space"),
    "one step of a system": (BUILT, "system.step(0.01)", r"system\.stepper"),
    "an FMU of a system": (BUILT, "system.to_fmu('x.fmu')", r"trundle export"),
    "parameters of a system": (BUILT, "system.parameters", r"m\.parameter_values\(\)"),
    "joints by another name": (HEAD, "m.joint(tr.Revolute('y'), m.ground, bob)", r"m\.connect\(tr\.Revolute"),
    "a force of the model": (HEAD, "m.force(bob, (0, 0, 1))", r"m\.apply\(tr\.Wrench"),
    "a spring of the model": (HEAD, "m.spring(m.ground, bob, 10.0)", r"tr\.SpringDamper"),
    "a model as a file": (HEAD, "m.save('x.yaml')", r"tr\.load_model"),
    "a box among the surfaces": (HEAD, "tr.Box((1, 1, 1))", r"tr\.shape\.Box.*m\.contact"),
    "a robot in MJCF": (HEAD, "tr.load_mjcf('robot.xml')", r"not read.*m\.connect"),
    "impacts in their old place": (HEAD, "tr.impact.predict(0.5, 1.0, 0.3, 0.2)", r"tr\.walker\.predict"),
    "a robot that is not there": (HEAD, "tr.load_urdf('/no/such/robot.urdf')", r"robot\.urdf: cannot be read"),
    "a run of the module": (HUNG, "tr.simulate(m, 5.0)", r"system = m\.build\(\)"),
    "a size that an example does not have": (HEAD, "tr.examples.model('chain', N=20)", r"no size.*'n'|Known: n"),
    "a parameter that is set": (HEAD, "m.parameter('k', 1.0).value = 2.0", r"parameters=\{'k': 2\.0\}"),
    # on objects that have other names for it
    "one step of a stepper": (STEPPED, "stepper.step(0.1)", r"stepper\.advance\(to="),
    "the state of a stepper": (STEPPED, "stepper.state", r"stepper\['bob\.angle'\]"),
    "an input of a stepper": (STEPPED, "stepper.set('torque', 1.0)", r"stepper\.set\(\{'torque': 1\.0\}\)"),
    "the matrix A": (LINEAR, "linear.A", r"\.matrix.*\.state_space\(\)"),
    "poles": (LINEAR, "linear.poles", r"use \.eigenvalues"),
    "a regulator of a linearisation": (LINEAR, "linear.lqr(1, 1)", r"solve_continuous_are"),
    "a body that is not there": (HEAD, "m.bodies['bop']", r"no body called 'bop'.*Did you mean 'bob'"),
    "a connection that is not there": (HUNG, "m.connections['hinge']", r"no connection called 'hinge'"),
    "a body that is changed": (HEAD, "bob.mass = 2", r"body 'bob' cannot be changed.*mass=2.*m\.parameter"),
    "a body that connects": (HEAD, "bob.connect(m.ground)", r"m\.connect\(tr\.Revolute"),
    "the mass centre of a body": (HEAD, "bob.masscenter", r"use \.com"),
    "three edges of a box": (HEAD, "tr.shape.Box(1, 1, 1)", r"given 3 values.*Box\(\(0\.3, 0\.2, 0\.1\)\)"),
    "three numbers of an axis": (HEAD, "tr.Revolute(0, 1, 0)", r"the axis is one argument"),
    "a cam from a file": (HEAD, "tr.Cam('profile.csv')", r"tr\.Table\.from_csv\('profile\.csv'"),
    "a table from a file": (HEAD, "tr.Table('spring.csv')", r"needs y.*tr\.Table\.from_csv"),
    "Klingel's formula": (HEAD, "rail.Klingel(0.1)", r"2 pi sqrt.*equivalent_conicity"),
    "a track": (HEAD, "rail.Track(100)", r"rail\.Alignment"),
    "a misspelt part of rail": (HEAD, "rail.wheelset()", r"Did you mean rail\.Wheelset"),
    "a misspelt setting of the model": (HEAD, "m.gravitiy = (0, 0, 0)", r"Did you mean gravity"),
    "a method of the model": (HEAD, "m.solver = 'rk45'", r"a Model has no attribute 'solver'"),
    "a time step of the model": (HEAD, "m.opt.timestep = 0.002", r"given to system\.simulate"),
    "a body that is added": (HEAD, "m.add_body('arm', mass=1.0)", r"m\.body\('bob', mass=1\.0\)"),
    "the world": (HEAD, "m.world", r"m\.ground"),
    "an actuator": (HEAD, "m.actuator('bob')", r"law=tr\.Motor"),
    "a body at pos": (HEAD, "m.body('arm', 1.0, pos=(0, 0, 1))", r"joint places a body"),
    "positions of a system": (BUILT, "system.qpos", r"system\.stepper"),
    "forward dynamics of a system": (BUILT, "system.forward()", r"system\.accelerations"),
    "a system that is reset": (BUILT, "system.reset()", r"has no state"),
    "the mass matrix": (BUILT, "system.mass_matrix()", r"system\.formulation\.equations"),
    "a regulator of a system": (BUILT, "system.lqr()", r"state_space\(\).*solve_continuous_are"),
    "no duration": (BUILT, "system.simulate()", r"needs duration.*system\.simulate\(5\.0\)"),
    "one body only": (HEAD, "m.connect(tr.Revolute('y'), bob)", r"needs second.*the pair and the two bodies"),
    "states as in SciPy": (RUN, "run.y", r"run\.to_pandas\(\)"),
    "the last value": (RUN, "run.final", r"run\.values\('bob\.angle'\)\[-1\]"),
    "a value in between": (RUN, "run.at(0.05)", r"\.interp\(time=0\.5\)"),
    "names in a list": (RUN, "run.plot(['bob.angle'])", r"names one by one"),
    "runs of a batch": (BATCH, "batch.runs", r"\.sel\(case=3\)"),
    "a hinge by its other name": (HEAD, "tr.PinJoint('y')", r"tr\.Revolute\('y'\)"),
    "symbols": (HEAD, "tr.dynamicsymbols('q')", r"m\.parameter"),
    "a reference frame": (HEAD, "tr.ReferenceFrame('N')", r"frames belong to bodies"),
    "a rigid body": (HEAD, "tr.RigidBody('arm')", r"m\.body"),
    "radians": (HEAD, "tr.radians(30)", r"tr\.degrees\(30\)"),
    "an example as a result": (HEAD, "tr.load('four-bar')", r"tr\.examples\.load\('four-bar'\)"),
    "an example as a file": (HEAD, "tr.load_model('four-bar')", r"tr\.examples\.load\('four-bar'\)"),
    # gears, belts, cams
    "a gear without ratio": (HEAD, "tr.Gear(0)", r"ratio must be a finite number other than zero"),
    "a gear of equal sense and speed": (HEAD, "tr.Gear(1.0)", r"tr\.Belt"),
    "a gear by its axis": (HEAD, "tr.Gear('z')", r"ratio must be a finite number"),
    "a belt without size": (HEAD, "tr.Belt(0.1, 0.0)", r"second_radius must be a finite number greater than zero"),
    "a rack along its axis": (HEAD, "tr.RackAndPinion(0.1, 'z', 'z')", r"right angles"),
    "a gear that opens": (
        HEAD, "m.connect(tr.Gear(-1), m.ground, bob, unilateral=True)", r"only a contact of surfaces can open"
    ),
    "a cam that follows": (HEAD, "tr.PlanarPair(tr.Circle(0.1), tr.Cam(0.1))", r"the cam is the first curve"),
    "a cam that does not close": (HEAD, "tr.Cam(lambda a: 9 + a)", r"same after a whole turn"),
    "a cam by math.sin": (HEAD, "tr.Cam(lambda a: math.sin(a))", r"functions of math from trundle"),
    # rail
    "an unknown segment": (HEAD, "rail.Alignment([50.0])", r"segment|Straight"),
    "a radius below the gauge": (HEAD, "rail.Alignment([rail.Arc(radius=0.5, length=10)], half_gauge=0.75)", r"radius"),
    "friction of zero": (HEAD, "rail.Polach(mu=0.0)", r"mu"),
}  # fmt: skip

# Found only when the model is complete: the fault names the part.
LATER = {
    "a coordinate that is none": (
        HUNG + "m.apply(tr.CoordinateForce('bob.angel', 3.0))\n", r"Did you mean 'bob\.angle'"
    ),
    "a coordinate of a ball joint": (
        HEAD + "m.connect(tr.Spherical(), m.ground, bob)\nm.apply(tr.CoordinateForce('bob.angle', 3.0))\n",
        r"no scalar coordinate.*tr\.Bushing",
    ),
    "an output that asks for a reaction": (
        HUNG + "m.output('r', lambda s: s['bob.reaction_force'])\n", r"cannot be used here.*accelerations"
    ),
    "an `if` in a law": (
        HUNG + "m.apply(tr.CoordinateForce('bob.angle', lambda s: 1.0 if s['bob.angle'] > 0 else 0.0))\n",
        r"tr\.where",
    ),
    "an attribute of the signals": (
        HUNG + "m.output('o', lambda s: s.angle)\n", r"by name, s\['bob\.angle'\].*\(line 8 of script\.py\)"
    ),
    "a misspelt signal": (
        HUNG + "m.output('o', lambda s: s['bob.angel'])\n", r"Did you mean 'bob\.angle'.*\(line 8 of script\.py\)"
    ),
    "math.sin in a law": (
        HUNG + "m.apply(tr.CoordinateForce('bob.angle', lambda s: math.sin(s['bob.angle'])))\n", r"tr\.sin"
    ),
    "a force of four arguments": (
        HUNG + "m.apply(tr.CoordinateForce('bob.angle', lambda a, b, c, d: a))\n", r"another number.*lambda s:"
    ),
    "np.interp in a law": (
        HUNG + "m.apply(tr.CoordinateForce('bob.angle', lambda s: np.interp(s['bob.angle'], [0, 1], [0, 2])))\n",
        r"m\.table",
    ),
    "a function that gives nothing": (
        HUNG + "m.apply(tr.CoordinateForce('bob.angle', lambda s: None))\n", r"returns None"
    ),
    "a law of angles on a displacement": (
        HEAD + "m.connect(tr.Prismatic('x'), m.ground, bob)\n"
        "m.apply(tr.TorsionSpring('bob.displacement', 5.0))\n",
        r"an angle \(rad\), but 'bob\.displacement' is a displacement",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_explained_at_its_line(name: str) -> None:
    answered_at_its_line(*MISTAKES[name])


@pytest.mark.parametrize("name", LATER)
def test_what_only_the_whole_model_shows_is_named(name: str) -> None:
    script, words = LATER[name]
    with pytest.raises(tr.TrundleError) as caught:
        exec(compile(script + "m.build()\n", "script.py", "exec"), {})
    assert re.search(words, str(caught.value), re.DOTALL), str(caught.value)


def test_the_table_is_large() -> None:
    assert len(MISTAKES) + len(LATER) >= 178
