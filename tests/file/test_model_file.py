"""A model file gives the same model as the Python API: same fingerprint, same accelerations."""

import math

import pytest

import trundle as tr
from trundle.file import read_model
from trundle.model.fingerprint import fingerprint

EVERYTHING = """
name: everything
gravity: [0, 0, -g]
parameters:
  g: 9.81
  k: {value: 30, unit: N/m, text: stiffness}
  m: 2
constants:
  l: 0.5
  moment: m*l^2/12
bodies:
  arm:
    mass: m
    inertia: [moment, moment, 0.01]
    com: [0, 0, -l]
    about: [0, 0, -l]
    shape: {rod: {start: [0, 0, 0], end: [0, 0, -2*l]}}
  left wheel: {mass: 1, inertia: 0.1}
  slider: {mass: 3, inertia: [0.1, 0.2, 0.25, 0.01, 0, 0]}
  nut: {mass: 0.2, inertia: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}
connections:
  - {pair: Revolute, axis: y, first: ground, second: arm, law: {spring: {stiffness: k/10, damping: 0.1, rest: pi/6}}}
  - {name: hub, pair: Universal, axis: y, cross: x, first: {body: arm, at: [0, 0, -2*l]}, second: left wheel,
     law: {angle: {motor: "sin(2*t) - 0.1*u"}, cross_angle: {damper: 0.2}}}
  - {pair: Prismatic, axis: [1, 1, 0], first: {body: ground, at: [1, 0, 0], rotation: {axis: z, angle: pi/4}},
     second: slider}
  - {pair: Helical, axis: x, pitch: 0.01, first: slider, second: nut, law: {servo: 0.3*t^2}}
forces:
  cord: {spring_damper: {first: {body: arm, at: [0, 0, -1]}, second: slider, stiffness: k, damping: 1, length: 0.4}}
  twist: {torsion_spring: {coordinate: hub.angle, stiffness: 2, rest: 0.1}}
  mount: {bushing: {first: ground, second: slider, stiffness: [1, 2, 3, 4, 5, 6], damping: [0.1, 0, 0, 0, 0, 0]}}
  wind: {wrench: {place: {body: slider, at: [0, 0, 0.1]}, force: ["-0.5*slider.velocity_x", 0, t],
                  moment: [0, k/100, 0], axes: body}}
  drive: {coordinate_force: {coordinate: arm.angle, effort: "k*tanh(`left wheel.position_x`) - hub.angle_rate"}}
  stop: {line_force: {first: ground, second: left wheel, law: {motor: "where(q > 2, -100*(q - 2), 0)"}}}
outputs:
  reach:
    expression: sqrt(`left wheel`.position_x^2 + `left wheel`.position_y^2)
    unit: m
    text: distance from the z axis
  twice: 2*arm.angle
events:
  down: {expression: arm.angle, direction: falling}
  far:
    expression: 1.5 - slider.displacement
    action: {slider.displacement_rate: -0.5*slider.displacement_rate, k: k + 1}
start: {arm.angle: pi/6, slider.displacement_rate: m/4}
run: {duration: 2*m, samples: 21, method: order5, rtol: 1e-8, plot: [arm.angle]}
"""


def everything() -> tr.Model:
    model = tr.Model("everything")
    g = model.parameter("g", 9.81)
    k = model.parameter("k", 30.0, "N/m", "stiffness")
    m = model.parameter("m", 2.0)
    model.gravity = (0.0, 0.0, -g)
    moment = m * 0.5**2 / 12
    arm = model.body("arm", m, (moment, moment, 0.01), (0.0, 0.0, -0.5), (0.0, 0.0, -0.5))
    wheel = model.body("left wheel", 1.0, (0.1, 0.1, 0.1))
    slider = model.body("slider", 3.0, (0.1, 0.2, 0.25, 0.01, 0.0, 0.0))
    nut = model.body("nut", 0.2, (0.1, 0.1, 0.1))
    model.connect(tr.Revolute("y"), model.ground, arm, law=tr.Spring(k / 10, 0.1, math.pi / 6))
    laws = {"angle": tr.Motor(lambda t, q, u: tr.sin(2 * t) - 0.1 * u), "cross_angle": tr.Damper(0.2)}
    model.connect(tr.Universal("y", "x"), arm.at(0.0, 0.0, -1.0), wheel, "hub", laws)
    turned = model.ground.frame((1.0, 0.0, 0.0), ("z", math.pi / 4))
    model.connect(tr.Prismatic((1.0, 1.0, 0.0)), turned, slider)
    model.connect(tr.Helical("x", 0.01), slider, nut, law=tr.Servo(lambda t: 0.3 * t**2))
    model.apply(tr.SpringDamper(arm.at(0.0, 0.0, -1.0), slider, k, 1.0, 0.4), "cord")
    model.apply(tr.TorsionSpring("hub.angle", 2.0, rest=0.1), "twist")
    model.apply(tr.Bushing(model.ground, slider, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (0.1, 0, 0, 0, 0, 0)), "mount")

    def force(s):
        return (-0.5 * s["slider.velocity_x"], 0.0, s.t)

    model.apply(tr.Wrench(slider.at(0.0, 0.0, 0.1), force, (0.0, k / 100, 0.0), "body"), "wind")

    def drive(s):
        return k * tr.tanh(s["left wheel.position_x"]) - s["hub.angle_rate"]

    model.apply(tr.CoordinateForce("arm.angle", drive), "drive")
    stop = tr.Motor(lambda t, q, u: tr.where(q > 2, -100 * (q - 2), 0.0))
    model.apply(tr.LineForce(model.ground, wheel, stop), "stop")

    def reach(s):
        return tr.sqrt(s["left wheel.position_x"] ** 2 + s["left wheel.position_y"] ** 2)

    model.output("reach", reach, "m", "distance from the z axis")
    model.output("twice", lambda s: 2 * s["arm.angle"])
    model.event("down", lambda s: s["arm.angle"], -1)
    action = {"slider.displacement_rate": lambda s: -0.5 * s["slider.displacement_rate"], "k": lambda s: k + 1}
    model.event("far", lambda s: 1.5 - s["slider.displacement"], 0, action)
    model.start = {"arm.angle": math.pi / 6, "slider.displacement_rate": 0.5}
    return model


def test_file_and_python_give_the_same_model():
    file, python = read_model(EVERYTHING).model, everything()
    assert fingerprint(file) == fingerprint(python)
    assert file.start == pytest.approx(python.start)
    assert file.parameter_values() == python.parameter_values()
    assert (file.parameters["k"].unit, file.parameters["k"].text) == ("N/m", "stiffness")
    assert (file.outputs["reach"].unit, file.outputs["reach"].text) == ("m", "distance from the z axis")
    assert file.bodies["arm"].shape == (tr.shape.Rod((0.0, 0.0, 0.0), (0.0, 0.0, -1.0)),)


def test_file_and_python_move_alike():
    file, python = read_model(EVERYTHING).model.build(), everything().build()
    state = {"arm.angle": 0.4, "hub.angle": -0.3, "hub.cross_angle": 0.2, "arm.angle_rate": 1.0}
    ours, theirs = (s.accelerations(state, {"k": 12.0}, t=0.3) for s in (file, python))
    assert ours.keys() == theirs.keys()
    assert ours["arm.angle_acceleration"] == theirs["arm.angle_acceleration"] != 0.0
    assert ours["hub.angle_acceleration"] == theirs["hub.angle_acceleration"]


def test_a_changed_word_changes_the_fingerprint():
    changed = EVERYTHING.replace("stiffness: k/10", "stiffness: k/11")
    assert fingerprint(read_model(changed).model) != fingerprint(everything())


def test_settings_of_the_run():
    run = read_model(EVERYTHING).run
    assert (run.duration, run.samples, run.method, run.rtol, run.atol) == (4.0, 21, "order5", 1e-8, None)
    assert run.plot == ("arm.angle",)


def test_given_parameters_reach_start_and_run():
    file = read_model(EVERYTHING, parameters={"m": 4.0})
    assert file.model.parameters["m"].value == 4.0
    assert file.model.start["slider.displacement_rate"] == 1.0
    assert file.run.duration == 8.0


def test_connections_as_a_mapping_are_named_by_their_keys():
    model = read_model(
        "name: a\nbodies: {b: {mass: 1, inertia: 1}}\nconnections: {hinge: {pair: Revolute, first: ground, second: b}}"
    ).model
    assert list(model.connections) == ["hinge"]


def test_rotations_in_three_ways_agree():
    rotations = ("{axis: z, angle: pi/2}", "[sqrt(1/2), 0, 0, sqrt(1/2)]", "[[0, -1, 0], [1, 0, 0], [0, 0, 1]]")
    text = (
        "name: a\nbodies: {{b: {{mass: 1, inertia: 1}}}}\n"
        "connections: [{{pair: Revolute, first: {{body: ground, rotation: {}}}, second: b}}]"
    )
    frames = [read_model(text.format(r)).model.connections["b"].first.rotation for r in rotations]
    for frame in frames:
        assert frame == pytest.approx(frames[2], abs=1e-15)


def test_scalars_are_decimal_numbers_or_text():
    text = "name: a\nparameters: {a: 010, b: 1e3, c: +.5, d: '2*3', on: 1}\nbodies: {b: {mass: 1, inertia: 1}}"
    assert read_model(text).model.parameter_values() == {"a": 10.0, "b": 1000.0, "c": 0.5, "d": 6.0, "on": 1.0}


def test_load_model_reads_a_file(tmp_path):
    path = tmp_path / "everything.yaml"
    path.write_text(EVERYTHING, encoding="utf-8")
    assert fingerprint(tr.load_model(path)) == fingerprint(everything())
    assert tr.load_model(str(path), {"k": 1.0}).parameters["k"].value == 1.0
