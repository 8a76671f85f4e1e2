"""All faults of a file are reported at once, with line, field and choices."""

import pytest

from trundle.errors import FileError
from trundle.file import load_file, read_model

GOOD = """name: pendulum
parameters: {k: 3}
bodies:
  bar: {mass: 1, inertia: 1, com: [0, 0, -1]}
connections:
  hinge: {pair: Revolute, axis: y, first: ground, second: bar}
"""


def faults(text, **options):
    with pytest.raises(FileError) as error:
        read_model(text, "pendulum.yaml", **options)
    return str(error.value)


def test_the_good_file_is_good():
    assert list(read_model(GOOD).model.connections) == ["hinge"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "name: pendulum",
            "nam: pendulum",
            "line 1, nam: there is no field called 'nam' here. Did you mean 'name', 'names'?",
        ),
        ("name: pendulum\n", "", "line 1, name: this field is missing"),
        ("mass: 1", "mas: 1", "line 4, bodies.bar.mas: there is no field called 'mas' here. Did you mean 'mass'?"),
        ("mass: 1", "mass: [1]", "line 4, bodies.bar.mass: give a number or an expression, not a list."),
        (
            "pair: Revolute, axis: y",
            "pair: Belt, first_radius: {a: 1}, second_radius: 1",
            "line 6, connections.hinge.first_radius: give a number or an expression, not a mapping.",
        ),
        ("mass: 1", "mass: true", "bodies.bar.mass: give a number or an expression, not True."),
        ("mass: 1", "mass:", "bodies.bar.mass: give a number or an expression, not nothing."),
        ("mass: 1", 'mass: "2*("', "bodies.bar.mass: in the expression '2*(', at character 4"),
        ("mass: 1", "mass: 2*kk", "line 4, bodies.bar.mass: there is no parameter or constant called 'kk'. Did you"),
        ("mass: 1", "mass: 1/0", "bodies.bar.mass: '1/0' is not a finite number."),
        ("mass: 1", "mass: .nan", "bodies.bar.mass: "),
        ("com: [0, 0, -1]", "com: [0, 0]", "line 4, bodies.bar.com: give 3 values, not 2."),
        ("com: [0, 0, -1]", "com: [0, 0, zz]", "bodies.bar.com[2]: there is no parameter"),
        ("com: [0, 0, -1]", "about: here", "bodies.bar.about: give the word com or a point"),
        ("inertia: 1", "inertia: [1, 2]", "bodies.bar.inertia: give one moment, three moments, six numbers"),
        ("inertia: 1", "shape: {torus: 1}", "bodies.bar.shape[0].torus: there is no field"),
        ("inertia: 1", "shape: {ball: {radius: 1}, rod: {start: [0,0,0], end: [0,0,1]}}", "exactly one kind of shape"),
        ("Revolute", "Revolut", "line 6, connections.hinge.pair: there is no pair called 'Revolut'. Did you mean 'Rev"),
        ("axis: y", "axis: w", "connections.hinge.axis: give x, y, z, -x, -y, -z or three numbers, not 'w'."),
        ("axis: y", "axis: [0, 0, 0]", "connections.hinge: Revolute: axis (0.0, 0.0, 0.0) has no direction"),
        ("axis: y", "axis: [k, 0, 0]", "connections.hinge.axis[0]: this number cannot depend on the parameter 'k'"),
        ("axis: y", "pitch: 1", "connections.hinge.pitch: Revolute has no pitch; it takes axis."),
        (
            "second: bar",
            "second: baar",
            "line 6, connections.hinge.second: there is no body called 'baar'. Did you mean 'b",
        ),
        ("second: bar", "second: {body: bar, rotation: {axis: z}}", "second.rotation: give axis and angle, or a quat"),
        ("second: bar", "second: {body: bar, att: [1, 2, 3]}", "connections.hinge.second.att: there is no field"),
        (
            "second: bar",
            "second: bar, law: {angel: {damper: 1}}",
            "hinge: there is no coordinate or bond of conn",
        ),
        (
            "second: bar",
            "second: bar, law: {damper: 1, spring: 1}",
            "one kind of law (open, spring, damper, motor",
        ),
        (
            "second: bar",
            "second: bar, law: {spring: {stifness: 1}}",
            "law.spring.stifness: there is no field called 's",
        ),
        (
            "second: bar",
            "second: bar, law: {motor: v*t}",
            "law.motor: the expression may use t, q, u and parameters, not 'v'.",
        ),
        ("second: bar", "second: bar, law: {servo: q}", "law.servo: the expression may use t and parameters, not 'q'."),
        ("{k: 3}", "{sin: 3}", "line 2, parameters.sin: 'sin' is a name used in expressions"),
        ("{k: 3}", "{k: 3, b: 2*k}", "parameters.b: a parameter has a plain number"),
        (
            "{k: 3}",
            "{k: 3}\nconstants: {k: 4}",
            "line 3, constants.k: 'k' is a name used in expressions, a parameter or an input",
        ),
        ("{k: 3}", "[1, 2]", "line 2, parameters: give a mapping (name: value), not a list."),
    ],
)
def test_an_error_names_line_field_and_choices(old, new, told):
    text = faults(GOOD.replace(old, new))
    assert text.startswith("pendulum.yaml: ")
    assert told in text


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ("forces: {f: {sprng_damper: 1}}", "line 7, forces.f.sprng_damper: there is no field"),
        ("forces: {f: {}}", "forces.f: give exactly one kind of force"),
        ("forces: {bar: {wrench: {place: bar}}}", "forces.bar: has the name of a body"),
        ("forces: {f: {wrench: {place: bar, axes: world}}}", "wrench.axes: give 'ground' or 'body', not 'world'."),
        (
            "forces: {f: {wrench: {place: bar, force: [hing.angle, 0, 0]}}}",
            "force[0]: there is no quantity called 'hing.angle'. Did you mean 'hinge.angle'",
        ),
        (
            "forces: {f: {torsion_spring: {coordinate: hinge.angel, stiffness: 1}}}",
            "torsion_spring.coordinate: there is no coordinate called 'hinge.angel'. Did you mean 'hinge.angle'",
        ),
        ("forces: {f: {coordinate_force: {coordinate: hinge.angle}}}", "coordinate_force: give either law or effort."),
        ("forces: {f: {bushing: {first: ground, second: bar, stiffness: [1, 2, 3]}}}", "stiffness: give 6 values"),
        ("outputs: {o: hinge.angl}", "line 7, outputs.o.expression: there is no quantity called 'hinge.angl'"),
        ("events: {e: {expression: hinge.angle, direction: up}}", "events.e.direction: give -1, 0 or 1, not 'up'."),
        ("events: {e: {expression: hinge.angle, action: explode}}", "events.e.action: give record, stop or a mapping"),
        (
            "events: {e: {expression: hinge.angle, action: {hinge.rate: 0}}}",
            "events.e.action.hinge.rate: there is no state or parameter",
        ),
        (
            "start: {hinge.angel: 0}",
            "line 7, start.hinge.angel: there is no coordinate, rate or motion of a body called 'hinge.angel'.",
        ),
        ("start: {hinge.angle: x}", "start.hinge.angle: there is no parameter or constant called 'x'."),
        ("run: {method: fast}", "run.method: give 'auto', 'explicit', 'order5', 'order8' or 'stiff', not 'fast'."),
        ("run: {samples: 1}", "run.samples: give an integer of at least 2, or the word steps, not 1."),
        ("run: {duration: 0}", "run.duration: give a positive number, not 0."),
        ("run: {rtol: -1e-6}", "run.rtol: rtol must be a number from 1e-15 (what double precision can resolve) up"),
        ("run: {rtol: 1e-20}", "run.rtol: rtol must be a number from 1e-15 (what double precision can resolve) up"),
        ("run: {atol: {m: 0}}", "run.atol: atol of 'm' must be a positive number, got 0.0."),
        ("run: {duration: [1]}", "run.duration: give a number or an expression, not a list."),
    ],
)
def test_a_fault_in_a_further_section(section, told):
    assert told in faults(GOOD + section + "\n")


def test_all_faults_are_reported_at_once_in_the_order_of_lines():
    text = (
        GOOD.replace("mass: 1", "mass: mm").replace("Revolute", "Hinge")
        + "start: {hinge.x: 0}\noutputs: {o: nothing}\n"
    )
    lines = faults(text).splitlines()
    assert lines[0] == "pendulum.yaml: 4 faults"
    assert [line.split(",")[0].strip() for line in lines[1:]] == ["line 4", "line 6", "line 7", "line 8"]


def test_a_key_given_twice_is_reported_with_both_lines():
    assert "line 7, 'name' is given twice here, the first time in line 1" in faults(GOOD + "name: again\n")


def test_an_error_in_yaml_names_its_line():
    text = faults(GOOD + "start: {a: [1, 2}\n")
    assert "line 7" in text
    assert "not valid YAML" in text


@pytest.mark.parametrize("text", ["", "3", "- a\n- b\n", "just text"])
def test_a_file_that_is_no_mapping_is_refused(text):
    assert "a model file is a mapping" in faults(text)


def test_a_parameter_to_be_set_must_exist():
    assert "there is no parameter called 'kk' to be set. Did you mean 'k'?" in faults(GOOD, parameters={"kk": 1.0})


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="cannot be read"):
        load_file(tmp_path / "missing.yaml")
    with pytest.raises(FileError, match="cannot be read"):
        load_file(tmp_path)
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"name: \xff\xfe\x00")
    with pytest.raises(FileError, match="not a text file"):
        load_file(binary)


def test_what_is_not_physical_is_reported_with_line_and_field():
    text = """\
name: bad
bodies:
  crank:
    mass: -1.0
    inertia: [0.1, 0.1, 0.1]
  rod:
    mass: 1.0
    inertia: [0.1, 0.1, 5.0]
connections:
  crank: {pair: Revolute, axis: z, first: ground, second: crank}
  rod: {pair: Revolute, axis: z, first: {body: crank, at: [1, 0, 0]}, second: rod}
"""
    with pytest.raises(FileError) as caught:
        read_model(text, "bad.yaml")
    message = str(caught.value)
    assert "bad.yaml: 2 faults" in message
    assert "line 3, bodies.crank: mass -1 kg is negative" in message
    assert "line 6, bodies.rod: the principal moments" in message


def test_what_follows_from_a_fault_is_not_reported() -> None:
    """A ratio that is not defined is one fault: the gear is not made with another number in its place."""
    text = """name: gears
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}
connections:
  a: {pair: Revolute, first: ground, second: a}
  b: {pair: Revolute, first: {body: ground, at: [0.3, 0, 0]}, second: b}
  mesh: {pair: Gear, ratio: rato, first: a, second: b}
"""
    with pytest.raises(FileError) as caught:
        read_model(text, "gears.yaml")
    assert "1 fault" in str(caught.value) and "line 6, connections.mesh.ratio" in str(caught.value)
