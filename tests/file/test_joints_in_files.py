"""Joints by their seals, laws on bonds and compliance in model files: as in Python, and their errors."""

from dataclasses import MISSING, dataclass, fields
from typing import ClassVar, final

import pytest

import trundle as tr
from trundle.errors import FileError
from trundle.file import read_model
from trundle.file.kinds import EFFORT_LAWS, LAWS, joined
from trundle.laws.law import EffortLaw
from trundle.model.fingerprint import fingerprint
from trundle.model.joint import JOINTS
from trundle.pairs import Pair
from trundle.space.chain import SLIDE, Chain, Screw

HEAD = """\
name: sealed
parameters: {k: 40, d: 3}
bodies: {bar: {mass: 2, inertia: 0.1, com: [0.3, 0, -0.4]}}
connections:
"""


def of_file(connection):
    return read_model(HEAD + f"  bar: {{first: ground, second: bar, {connection}}}\n", "sealed.yaml").model


def of_python(make):
    m = tr.Model("sealed")
    k, d = m.parameter("k", 40.0), m.parameter("d", 3.0)
    bar = m.body("bar", 2.0, (0.1, 0.1, 0.1), (0.3, 0.0, -0.4))
    joint, options = make(k, d)
    m.connect(joint, m.ground, bar, **options)
    return m


SAME = {
    "pair: FixedIdealJoint, axis: y": lambda k, d: (tr.FixedIdealJoint("y"), {}),
    "pair: FreeIdealJoint, axis: [0, 3, 4]": lambda k, d: (tr.FreeIdealJoint((0.0, 3.0, 4.0)), {}),
    "pair: FreeSlideJoint, axis: -x": lambda k, d: (tr.FreeSlideJoint("-x"), {}),
    "pair: SpringIdealJoint, stiffness: 2*k, damping: d": lambda k, d: (tr.SpringIdealJoint("z", 2 * k, d), {}),
    "pair: FixedControlledJoint, axis: y, torque: k*q + d*u - sin(t)": lambda k, d: (
        tr.FixedControlledJoint("y", lambda t, q, u: k * q + d * u - tr.sin(t)),
        {},
    ),
    "pair: FixedControlledJoint, axis: y, torque: {spring: {stiffness: k, damping: d}}": lambda k, d: (
        tr.FixedControlledJoint("y", tr.Spring(k, d)),
        {},
    ),
    "pair: FixedControlledJoint, torque: [{spring: k}, {damper: d}]": lambda k, d: (
        tr.FixedControlledJoint("z", tr.Spring(k) + tr.Damper(d)),
        {},
    ),
    "pair: FixedServoJoint, acceleration: 2*cos(3*t) - d*u": lambda k, d: (
        tr.FixedServoJoint("z", lambda t, q, u: 2 * tr.cos(3 * t) - d * u),
        {},
    ),
    "pair: AxisJoint, translation: locked, rotation: [{spring: k}, {motor: t*q}, {damper: d}]": lambda k, d: (
        tr.AxisJoint("z", tr.Locked(), tr.Spring(k) + tr.Motor(lambda t, q, u: t * q) + tr.Damper(d)),
        {},
    ),
    "pair: AxisJoint, axis: x, translation: {flow: k*t - q}, rotation: open": lambda k, d: (
        tr.AxisJoint("x", tr.Flow(lambda t, q: k * t - q), tr.Open()),
        {},
    ),
    "pair: Connection, x: locked, y: {acceleration: t - u}, z: {spring: {stiffness: k, damping: d, rest: 1}}, "
    "rx: open, ry: locked, rz: {servo: t^2}": lambda k, d: (
        tr.Connection(
            tr.Locked(), tr.Acceleration(lambda t, q, u: t - u), tr.Spring(k, d, 1.0),
            tr.Open(), tr.Locked(), tr.Servo(lambda t: t**2),
        ),
        {},
    ),
    "pair: Connection, surfaces: [Plane, {Sphere: 0.1}], x: {damper: d}, y: {flow: sin(t)}, z: locked, rx: open, "
    "ry: open, rz: locked": lambda k, d: (
        tr.Connection(
            tr.Damper(d), tr.Flow(lambda t, q: tr.sin(t)), tr.Locked(), tr.Open(), tr.Open(), tr.Locked(),
            (tr.Plane(), tr.Sphere(0.1)),
        ),
        {},
    ),
    "pair: HigherPair, surfaces: [Plane, {Sphere: 0.1}], law: [NoSpin, {slip_x: {damper: d}, slip_y: {motor: 2*t}}]": (
        lambda k, d: (
            tr.HigherPair(tr.Plane(), tr.Sphere(0.1)),
            {"law": {"a": tr.NoSpin(), "slip_x": tr.Damper(d), "slip_y": tr.Motor(lambda t, q, u: 2 * t)}},
        )
    ),
    "pair: HigherPair, surfaces: [Plane, {Sphere: 0.1}], law: NoSlip, compliance: {normal: {stiffness: 9*k}}": (
        lambda k, d: (
            tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), {"law": tr.NoSlip(), "compliance": {"normal": tr.Spring(9 * k)}}
        )
    ),
    "pair: Revolute, law: {acceleration: -q}": lambda k, d: (
        tr.Revolute(), {"law": tr.Acceleration(lambda t, q, u: -q)}
    ),
    "pair: Cylindrical, law: {angle: {flow: 0.1}, displacement: [{spring: k}, {damper: d}]}": lambda k, d: (
        tr.Cylindrical(), {"law": {"angle": tr.Flow(0.1), "displacement": tr.Spring(k) + tr.Damper(d)}}
    ),
    "pair: HigherPair, surfaces: [Plane, {Sphere: 0.1}], law: {Relaxed: {mu: d, as_printed: true}}, "
    "compliance: {Hertz: {stiffness: 1e3*k}}": lambda k, d: (
        tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), {
            "law": tr.Relaxed(d, as_printed=True), "compliance": tr.Hertz(1e3 * k)
        }
    ),
    "pair: Revolute, law: [{spring: k}, {damper: d}], compliance: 1e5*k": lambda k, d: (
        tr.Revolute(), {"law": tr.Spring(k) + tr.Damper(d), "compliance": tr.Spring(1e5 * k)}
    ),
    "pair: FixedIdealJoint, compliance: {stiffness: k, damping: d}": lambda k, d: (
        tr.FixedIdealJoint(), {"compliance": tr.Spring(k, d)}
    ),
    "pair: Fixed, compliance: {x: 5, rotation: {stiffness: k}, translation: [{spring: 3}, {damper: d}]}": lambda k, d: (
        tr.Fixed(),
        {"compliance": {"x": tr.Spring(5.0), "rotation": tr.Spring(k), "translation": tr.Spring(3.0) + tr.Damper(d)}},
    ),
    "pair: Revolute, axis: y, compliance: {rx: {damper: d}}": lambda k, d: (
        tr.Revolute("y"), {"compliance": {"rx": tr.Damper(d)}}
    ),
}  # fmt: skip


@pytest.mark.parametrize("connection", SAME)
def test_file_and_python_give_the_same_model(connection):
    file, python = of_file(connection), of_python(SAME[connection])
    assert fingerprint(file) == fingerprint(python)
    a, b = file.connections["bar"], python.connections["bar"]
    sealed = [sorted((bond, type(law).__name__) for bond, law in c.given) for c in (a, b)]
    assert sealed[0] == sealed[1]
    assert (a.kind, a.compliant, list(a.bond_laws)) == (b.kind, b.compliant, list(b.bond_laws))


def test_every_joint_and_law_has_a_keyword():
    """Found automatically: a new class needs no entry in the code that reads models."""
    assert {joint.__name__ for joint in JOINTS} | {"AxisJoint", "Connection"} <= set(joined())
    words = {"open", "spring", "damper", "backlash", "motor", "locked", "servo", "flow", "acceleration"}
    assert set(LAWS) == words
    assert set(EFFORT_LAWS) == {word for word in words if issubclass(LAWS[word], EffortLaw)}


def test_joints_of_other_packages_and_of_the_user_have_keywords():
    @final
    @dataclass(frozen=True)
    class Skate(Pair):
        """Slides along x and turns about z."""

        bonds: ClassVar[tuple[str, ...]] = ("x", "rz")

        def chain(self):
            return Chain(Screw("x", SLIDE, name="way"), Screw("z", name="heading"))

    assert {"WheelsetGuide", "Skate"} <= set(joined())
    assert of_file("pair: WheelsetGuide").connections["bar"].pair == tr.rail.WheelsetGuide()
    assert of_file("pair: Skate").connections["bar"].pair == Skate()


@pytest.mark.parametrize("joint", JOINTS, ids=lambda kind: kind.__name__)
def test_every_joint_with_every_field(joint):
    written = ", ".join(f"{f.name}: {'x' if f.name == 'axis' else 'k'}" for f in fields(joint))
    connection = of_file(f"pair: {joint.__name__}, {written}").connections["bar"]
    assert connection.kind == joint.__name__
    assert connection.pair.frame()[:, 2] == pytest.approx([1, 0, 0])


@pytest.mark.parametrize("word", LAWS)
def test_every_law_seals_a_bond(word):
    """As the seal of a joint, as the law of a pair, and, for forces, among the forces."""
    needed = [f.name for f in fields(LAWS[word]) if f.default is MISSING]
    sizes = "0.3" if len(needed) < 2 else f"{{{', '.join(f'{name}: 0.3' for name in needed)}}}"
    law = word if not fields(LAWS[word]) else f"{{{word}: {sizes}}}"
    seals = of_file(f"pair: AxisJoint, translation: locked, rotation: {law}").connections["bar"]
    assert isinstance(dict(seals.given).get("rz", tr.Locked()), LAWS[word])
    if word != "open":
        of_pair = of_file(f"pair: Revolute, law: {{angle: {law}}}").connections["bar"]
        assert isinstance(of_pair.laws["angle"], LAWS[word])
    force = f"forces: {{f: {{coordinate_force: {{coordinate: bar.angle, law: {law}}}}}}}\n"
    text = HEAD + "  bar: {pair: Revolute, first: ground, second: bar}\n" + force
    if word in EFFORT_LAWS:
        assert list(read_model(text).model.forces) == ["f"]
    else:
        with pytest.raises(FileError, match=f"line 6, forces.f.coordinate_force.law: there is no law called {word!r}"):
            read_model(text)


@pytest.mark.parametrize(
    ("connection", "told"),
    [
        ("pair: FixedIdealJoin", "line 5, connections.bar.pair: there is no pair called 'FixedIdealJoin'. Did you"),
        ("pair: FixedIdealJoint, stiffness: 3", "bar.stiffness: FixedIdealJoint has no stiffness; it takes axis."),
        ("pair: SpringIdealJoint, stifness: 3", "bar.stifness: there is no field called 'stifness' here. Did you mean"),
        ("pair: SpringIdealJoint, stiffness: kk", "bar.stiffness: there is no parameter or constant called 'kk'."),
        ("pair: SpringIdealJoint, stiffness: q", "bar.stiffness: there is no parameter or constant called 'q'."),
        ("pair: SpringIdealJoint, stiffness: [1]", "bar.stiffness: give a number or an expression, not a list."),
        ("pair: FixedControlledJoint, torque: v", "bar.torque: the expression may use t, q, u and parameters"),
        ("pair: FixedServoJoint, acceleration: 2*", "bar.acceleration: in the expression '2*', at character 3"),
        ("pair: AxisJoint, axis: w, rotation: open", "bar.axis: give x, y, z, -x, -y, -z or three numbers, not 'w'."),
        ("pair: AxisJoint, axis: [0, 0, 0]", "bar: Cylindrical: axis (0.0, 0.0, 0.0) has no direction"),
        ("pair: AxisJoint, rotation: opn", "bar.rotation: there is no law called 'opn'. Did you mean 'open'?"),
        ("pair: AxisJoint, rotation: 3", "bar.rotation: give a law such as {damper: 2}, of the kinds open, spring"),
        ("pair: AxisJoint, rotation: {locked: 3}", "bar.rotation.locked: locked has no sizes; write the name alone."),
        ("pair: AxisJoint, rotation: {flow: u}", "bar.rotation.flow: the expression may use t, q and parameters"),
        ("pair: AxisJoint, rotation: {spring: {k: 1}}", "rotation.spring.k: there is no field called 'k' here; spring"),
        ("pair: AxisJoint, rotation: {spring: }", "bar.rotation.spring: stiffness must be given; spring takes"),
        ("pair: AxisJoint, rotation: [{spring: 1}, {dampr: 1}]", "bar.rotation[1]: there is no law called 'dampr'."),
        ("pair: Connection, surfaces: [Plane], x: open", "bar.surfaces: give 2 values, not 1."),
        ("pair: Revolute, law: {angle: 3}", "bar.law.angle: give a law such as {damper: 2}, of the kinds"),
        ("pair: Revolute, law: lockd", "bar.law: there is no law called 'lockd'. Did you mean 'locked'?"),
        ("pair: Revolute, law: [{servo: 0}, {angle: {damper: 1}}]", "one of these laws has no name of a coordinate"),
        ("pair: Revolute, law: {angle: [{servo: t}, {damper: 1}]}", "Servo and Damper cannot seal 'angle' together"),
        ("pair: Revolute, law: {x: {servo: t}}", "bond 'x' (along its x axis) is sealed 2 times, by the Revolute and"),
        ("pair: Revolute, compliance: {q: 3}", "compliance on 'q', but a Revolute does not constrain this bond"),
        ("pair: Revolute, compliance: {x: {stifness: 3}}", "bar.compliance.x: there is no law called 'stifness'."),
        ("pair: Revolute, compliance: {damping: 3}", "bar.compliance: stiffness must be given; a spring takes stiffn"),
        ("pair: Revolute, compliance: {x: {servo: 3}}", "bar.compliance.x: there is no law called 'servo'. "),
        ("pair: Revolute, compliance: true", "bar.compliance: give a number or an expression, not True."),
    ],
)  # fmt: skip
def test_an_error_names_line_field_and_choices(connection, told):
    with pytest.raises(FileError) as caught:
        of_file(connection)
    assert told in str(caught.value)
    assert "line 5, connections.bar" in str(caught.value)


@pytest.mark.parametrize(
    ("connection", "told"),
    [
        (
            "pair: AxisJoint, rotation: open",
            "line 5, connections.bar: bond 'z' (along its z axis) is not sealed: of the pair (mu, F) neither",
        ),
        (
            "pair: AxisJoint, translation: locked, rotation: [{servo: t}, {damper: 1}]",
            "line 5, connections.bar: bond 'rz' (about its z axis) is sealed 2 times, by Servo and Damper",
        ),
        (
            "pair: FixedServoJoint, law: {angle: {damper: 1}}",
            "line 5, connections.bar: bond 'rz' (about its z axis) is sealed 2 times, by Acceleration and Damper",
        ),
        (
            "pair: Connection, surfaces: [Plane, {Sphere: 1}], x: open, y: open, z: locked, rx: open, ry: open",
            "line 5, connections.bar: bond 'spin' (about the z axis of the contact) is not sealed: of the pair",
        ),
    ],
)
def test_the_check_of_the_seals_reaches_the_user_of_a_file(connection, told):
    with pytest.raises(FileError) as caught:
        of_file(connection)
    assert told in str(caught.value)


def test_an_error_in_a_list_of_connections_has_the_line_of_the_connection():
    text = (
        HEAD + "  - {name: one, pair: Free, first: ground, second: bar}\n  - {pair: AxisJoint, first: bar, second: b}\n"
    )
    with pytest.raises(FileError, match=r"line 6, connections\[1\]: bond 'z' .along its z axis. is not sealed"):
        read_model(text.replace("bodies: {", "bodies: {b: {mass: 1, inertia: 1}, "))


def test_a_controlled_joint_takes_efforts_only():
    with pytest.raises(FileError, match="locked"):
        of_file("pair: FixedControlledJoint, torque: [locked]")


def test_a_law_of_a_controlled_joint_is_stored_and_lost():
    """The same motion as the function, with other accounts: nothing is work in."""
    law = of_file("pair: FixedControlledJoint, torque: {spring: {stiffness: k, damping: d}}").build()
    function = of_file("pair: FixedControlledJoint, torque: k*q + d*u").build()
    runs = [system.simulate(1.0, {"bar.angle": 0.5}) for system in (law, function)]
    assert runs[0].values("bar.angle") == pytest.approx(runs[1].values("bar.angle"), abs=1e-8)
    lost = float(runs[0].energy.total[-1] - runs[0].energy.total[0])
    stored = 20.0 * runs[0].values("bar.angle")[[0, -1]] ** 2
    kinetic = float(runs[1].energy.total[-1] - runs[1].energy.total[0])  # of the function: no potential but gravity
    assert lost == pytest.approx(kinetic + stored[1] - stored[0], abs=1e-6) and lost < -0.1
