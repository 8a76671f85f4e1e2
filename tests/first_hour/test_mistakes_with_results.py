"""Mistakes with runs, batches, steppers, data and files, each explained at its line; and results that looked right and
were not.
"""

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from answers import answered_at_its_line
from tests.first_hour.test_mistakes import BUILT, HEAD, HUNG, RUN

import trundle as tr
from trundle.errors import LostContactWarning

SPRUNG = HEAD + "k = m.parameter('k', 2.0)\nm.connect(tr.Revolute('y'), m.ground, bob, law=tr.Spring(k))\n"
STUDIED = SPRUNG + "system = m.build()\n"
BATCH = STUDIED + "batch = system.batch(1.0, {'bob.angle': [0.1, 0.2]}, samples=3)\n"
DRIVEN = HEAD + (
    "f = m.input('f', 0.0, 'N m')\nm.connect(tr.Revolute('y'), m.ground, bob, law=tr.Motor(f))\nsystem = m.build()\n"
)
STEPPER = DRIVEN + "stepper = system.stepper(1.0)\n"
DATA = "{'time': [0, 1, 2], 'bob.angle': [1, 2, 3]}"
CAM = (
    "import trundle as tr\nm = tr.Model('cam')\ncam = m.body('cam', mass=1.0, inertia=0.1)\n"
    "m.connect(tr.Revolute('y'), m.ground, cam)\nlift = m.body('lift', mass=1.0, inertia=0.1)\n"
    "m.connect(tr.Prismatic('z'), m.ground, lift)\n"
    "m.connect(tr.PlanarPair(tr.Circle(0.03), tr.Line()), cam, lift, name='touch', unilateral=True)\n"
    "system = m.build()\n"
)

MISTAKES = {
    # brackets
    "build without brackets": (
        HUNG,
        "m.build.simulate(1.0)",
        r"m\.build is a method: write m\.build\(\.\.\.\)\.simulate",
    ),
    "simulate without brackets": (BUILT, "system.simulate.plot()", r"write system\.simulate\(\.\.\.\)\.plot"),
    "values in square brackets": (RUN, "run.values['bob.angle']", r"write run\.values\('bob\.angle'\), with round"),
    "an end in square brackets": (BATCH, "batch.end['bob.angle']", r"write batch\.end\('bob\.angle'\), with round"),
    "the energy as a function": (RUN, "run.energy()", r"not a function: leave the brackets out, .*run\.energy\.total"),
    "a run as a function": (RUN, "run('bob.angle')", r"not a function: a quantity is run\['bob\.angle'\]"),
    "the power as a function": (RUN, "run.power('bob')", r"an audit is run\.power\['hinge'\]"),
    "the graph as a function": (BUILT, "system.graph()", r"leave the brackets out, as in system\.graph\.save"),
    # runs and batches
    "the time as a quantity": (RUN, "run['time']", r"The times of the samples are run\.time"),
    "a picture of the energy": (RUN, "run.energy.plot('a.png')", r"write run\.energy\.plot\(path='energy\.png'\)"),
    "a picture among the names": (RUN, "run.plot('bob.angle', 'a.png')", r"given by path='a\.png'"),
    "a list for pandas": (RUN, "run.to_pandas(['bob.angle'])", r"run\.to_pandas\('bob\.angle', 'bob\.angle_rate'\)"),
    "a case by number": (BATCH, "batch[0]", r"not a list of runs: batch\['bob\.angle'\]\.sel\(case=3\)"),
    "a loop over the cases": (BATCH, "list(batch)", r"not a list of runs"),
    "the mean of a batch": (BATCH, "batch.mean('bob.angle')", r"batch\.end\('bob\.angle'\)\.mean\(\)"),
    "the times of a batch": (BATCH, "batch.time", r"batch\['bob\.angle'\]\.time\.values"),
    "a batch as a table": (BATCH, "batch.to_csv('a.csv')", r"batch\.to_pandas\(\)\.to_csv\('batch\.csv'\)"),
    # inputs and steppers
    "an input that is no number": (DRIVEN, "system.simulate(1.0, inputs={'f': np.nan})", r"input 'f' must be finite"),
    "a state that is assigned": (STEPPER, "stepper['bob.angle'] = 1.0", r"inputs only, stepper\.set\(.*'bob\.angle'"),
    "a stepper in a pickle": (STEPPER, "__import__('pickle').dumps(stepper)", r"cannot be pickled.*stepper\.run\(\)"),
    "a parameter in a pickle": (SPRUNG, "__import__('pickle').dumps(k)", r"parameter 'k' .*Pickle its model"),
    # studies
    "the objective of a number": (
        STUDIED,
        "tr.optimise(lambda k: (k - 1) ** 2, {'k': (0, 3)})",
        r"called with the values by name, \{'k': 1\.5\}.*values\['k'\]",
    ),
    "a speed as an argument": (BUILT, "system.linearise(speed=4.6)", r"no argument 'speed': values go by name"),
    "bounds of one number": (
        STUDIED,
        f"tr.fit(system, {DATA}, {{'k': 1.0}}, bounds={{'k': 1.0}})",
        r"the bounds of 'k' are two numbers",
    ),
    "data without time": (
        STUDIED,
        "tr.fit(system, {'t': [0, 1], 'bob.angle': [0, 1]}, ['k'])",
        r"no 'time'; they have 't', .*Rename the column",
    ),
    "energy in an output": (
        HUNG + "m.output('e', lambda s: s['energy.kinetic'])\n",
        "m.build()",
        r"energies are computed after a run, run\['energy\.kinetic'\]",
    ),
    "a steady motion by an argument": (BUILT, "system.steady(roll=0.2)", r"values go by name, system\.steady"),
    "a branch over a speed": (
        "import trundle as tr\nbike = tr.bicycle.benchmark().build()\n",
        "tr.continuation(bike, 'speed', (3, 6))",
        r"of='steady', given=\{'rear\.forward_velocity': value\}",
    ),
    "a speed as text": (
        "import trundle as tr\nbike = tr.bicycle.benchmark().build()\n",
        "bike.simulate(1.0, {'speed': '5'})",
        r"must be one finite number, got '5'",
    ),
    "the file of an example": (
        "import trundle as tr\n",
        "tr.examples.load('four-bar').simulate(1.0)",
        r"file\.model\.build\(\)\.simulate",
    ),
    "a result as a model": (
        "import trundle as tr\n",
        "tr.load_model('run.nc')",
        r"this one is read by tr\.load\(path\)",
    ),
    # bodies
    "a shape in a contact": (
        HEAD,
        "tr.HigherPair(tr.Plane(), tr.shape.Sphere(0.1))",
        r"Shapes \(tr\.shape\) are drawn; tr\.Sphere, .* are surfaces",
    ),
    "an inertia of a shape": (HEAD, "tr.inertia.box(1.0, (1, 1, 1))", r"shape=tr\.shape\.Box.*density=1000"),
    "a shape without inertia": (
        "import trundle as tr\nm = tr.Model('m')\nb = m.body('b', mass=1.0, shape=tr.shape.Box((1, 1, 1)))\n"
        "m.connect(tr.Free(), m.ground, b)\n",
        "m.build()",
        r"its shape a density=, which gives mass and inertia",
    ),
    "a flat that faces away": (CAM, "system.simulate(1.0, {'lift.displacement': 0.03})", r"half a turn, body\.frame"),
    "a tyre with one stiffness": (HEAD, "tr.MagicTyre(1.0, stiffness=15.0)", r"\[Pacejka 2012, Ch\. 4\]"),
    "a vehicle that is not called": (
        "from trundle import rail\n",
        "rail.Trip(rail.manchester_vehicle, rail.Alignment([rail.Straight(500)]), 20.0)",
        r"Call it, with brackets",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_explained_at_its_line(mistake):
    answered_at_its_line(*MISTAKES[mistake])


FILES = {
    "tabs": ("name: a\nbodies:\n\tbob: {mass: 1}\n", r"line 3, .*Indent lines with spaces"),
    "gravity as a number": ("name: a\nbodies: {}\ngravity: -9.81\n", r"line 3, gravity: give a list, \[0, 0, -9\.81\]"),
    "an equation as an event": (
        "name: a\nbodies: {}\nstates: {x: 1}\nevents: {top: {expression: x = 3}}\n",
        r"line 4, .*an event is where an expression passes zero",
    ),
}


@pytest.mark.parametrize("fault", FILES)
def test_a_fault_in_a_file_is_explained_with_its_line(fault, tmp_path):
    text, words = FILES[fault]
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(tr.TrundleError, match=words):
        tr.load_model(path)


def test_the_text_of_a_model_is_not_its_path():
    with pytest.raises(tr.TrundleError, match="give the path of a file, not its text"):
        tr.load_model("name: a\nbodies: {}\n")


def pendulum():
    m = tr.Model("pendulum")
    k = m.parameter("k", 2.0)
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Spring(k))
    return m


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])  # with which spreadsheets begin a file
def test_data_of_spreadsheets_are_read(tmp_path, separator, mark):
    system = pendulum().build()
    run = system.simulate(2.0, {"bob.angle": 0.5}, {"k": 3.0}, samples=21)
    rows = [f"{t!r}{separator}{a!r}" for t, a in zip(run.time.tolist(), run.values("bob.angle").tolist(), strict=True)]
    path = Path(tmp_path / "data.csv")
    path.write_text(mark + "\n".join([f"time{separator}bob.angle", *rows]), encoding="utf-8")
    fitted = tr.fit(system, path, {"k": 2.5, "bob.angle": 0.4})
    assert fitted.values["k"] == pytest.approx(3.0, abs=1e-6)


def test_decimal_commas_are_explained(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("time;bob.angle\n0,0;1,0\n0,1;0,9\n")
    with pytest.raises(
        tr.TrundleError, match=r"line 2: '0,0' under 'time' is not a number\. Write decimals with a point"
    ):
        tr.fit(pendulum().build(), path, {"k": 2.0})
    with pytest.raises(tr.TrundleError, match=r"Write decimals with a point"):
        tr.Table.from_csv(path, "time", "bob.angle")


def test_any_and_all_of_numpy_compare_with_zero():
    m = pendulum()
    m.output("moves", lambda s: np.any(s["bob.angle"]))
    m.output("all", lambda s: np.all(s["bob.position"]))
    m.output("sprung", lambda s: np.any(m.parameters["k"].symbol))
    run = m.build().simulate(0.1, {"bob.angle": 0.3}, samples=3)
    assert run.values("moves").tolist() == [1.0, 1.0, 1.0]  # it was angle == 1
    assert run.values("all").tolist() == [0.0, 0.0, 0.0]
    assert run.values("sprung").tolist() == [1.0, 1.0, 1.0]


def test_functions_of_numpy_take_parameters():
    m = tr.Model("numbers")
    k, l = m.parameter("k", 2.0), m.parameter("l", 3.0)
    for found, text in ((np.sum(k), "k"), (np.max(k), "k"), (np.where(k > 1, l, 0.0), "l"), (np.sum([k, l]), "(k+l)")):
        assert text in str(found)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(np.any(k))


def test_a_body_is_pickled():
    m = pendulum()
    m.build()
    again = pickle.loads(pickle.dumps(m.bodies["bob"]))
    assert again.name == "bob" and again.mass == 1.0


def test_a_method_is_pickled_and_keeps_its_signature():
    from inspect import signature

    system = pendulum().build()
    again = pickle.loads(pickle.dumps(system.simulate))
    assert again(0.1, {"bob.angle": 0.3}).ok
    assert [*signature(system.simulate).parameters][:2] == ["duration", "start"]
    assert system.simulate.__name__ == "simulate" and "Integrate" in system.simulate.__doc__


def test_a_batch_as_a_table_of_pandas():
    system = pendulum().build()
    starts, stiffness = [0.1, 0.2, 0.3], [1.0, 2.0, 3.0]
    ends = system.batch(1.0, {"bob.angle": starts}, {"k": stiffness}).to_pandas("bob.angle", "bob.position")
    assert list(ends.columns) == ["start(bob.angle)", "k", "bob.angle [rad]", *(f"bob.position_{c} [m]" for c in "xyz")]
    assert ends.index.name == "case" and ends["k"].tolist() == stiffness
    batch = system.batch(1.0, {"bob.angle": starts}, {"k": stiffness}, samples=5)
    table = batch.to_pandas()
    assert table.index.names == ["case", "time [s]"] and len(table) == 15
    assert table["bob.angle [rad]"].loc[(2, 0.5)] == float(batch["bob.angle"].sel(case=2, time=0.5))


def test_an_equilibrium_under_the_road_is_reported():
    m = tr.Model("disc")
    disc = m.body("disc", mass=1.0, inertia=(0.125, 0.25, 0.125))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.5)), m.ground, disc, law=tr.NoSlip())
    with pytest.warns(LostContactWarning, match="the mass centre of 'disc' lies under the plane of 'disc'"):
        m.build().equilibrium({"disc.roll": 0.3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.examples.model("ball-in-bowl").build().equilibrium()


def test_the_summary_shows_inputs_as_they_were_given(tmp_path):
    m = tr.Model("driven")
    torque = m.input("torque", 0.5, "N m")
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Motor(torque))
    system = m.build()
    assert "inputs        torque = 0.5\n" in system.simulate(0.1).summary()
    run = system.simulate(0.1, inputs={"torque": lambda t: t})
    assert "inputs        torque(t) (" in run.summary() and "torque = 0" not in run.summary()
    run.save(tmp_path / "run.nc")
    assert "inputs        torque(t) (" in tr.load(tmp_path / "run.nc").summary()


def test_the_table_of_a_run_is_data_of_a_fit():
    system = pendulum().build()
    run = system.simulate(2.0, {"bob.angle": 0.5}, {"k": 3.0}, samples=21)
    for data in (run.to_pandas("bob.angle"), run.dataset[["bob.angle", "bob.angle_rate"]]):
        assert tr.fit(system, data, {"k": 2.5, "bob.angle": 0.4}).values["k"] == pytest.approx(3.0, abs=1e-6)
    degrees = run.to_pandas("bob.angle").rename(columns={"bob.angle [rad]": "bob.angle [deg]"})
    with pytest.raises(tr.TrundleError, match="was measured in 'deg'"):
        tr.fit(system, degrees, {"k": 2.5})
    with pytest.raises(tr.TrundleError, match=r"of a run give run\.to_pandas"):
        tr.fit(system, run, {"k": 2.5})
