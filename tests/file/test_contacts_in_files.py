"""Higher pairs, laws of contact, wheels and short names in model files: as in Python, and their faults."""

from dataclasses import fields

import pytest

import trundle as tr
from trundle.errors import FileError
from trundle.file import read_model
from trundle.file.kinds import CONTACT_LAWS, higher
from trundle.model.fingerprint import fingerprint
from trundle.pairs.discover import edges, surfaces

GOOD = """\
name: cart
parameters: {r: 0.3, tube: 0.02}
bodies:
  fork: {mass: 2, inertia: 0.1}
  wheel: {mass: 1, inertia: [0.02, 0.04, 0.02]}
connections:
  road: {pair: HigherPair, surfaces: [Plane, {Torus: {radius: r, tube: tube}}],
         first: ground, second: fork, wheel: wheel, law: NoSlip}
  hub: {pair: Revolute, axis: y, first: fork, second: wheel}
names: {roll: road.roll, speed: road.x_rate, load: road.normal_force, foot: road.contact_point}
outputs: {twice: 2*roll + roll_rate + foot_x, sliding: road.slip_y}
forces: {brake: {coordinate_force: {coordinate: roll, effort: -0.1*roll_rate}}}
events: {down: {expression: roll - 1, action: {roll_rate: 0}}}
start: {roll: 0.1, speed: 2}
"""


def faults(text):
    with pytest.raises(FileError) as caught:
        read_model(text, "cart.yaml")
    return str(caught.value)


def cart():
    m = tr.Model("cart")
    r, tube = m.parameter("r", 0.3), m.parameter("tube", 0.02)
    fork, wheel = m.body("fork", 2.0, (0.1, 0.1, 0.1)), m.body("wheel", 1.0, (0.02, 0.04, 0.02))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(r, tube)), m.ground, fork, "road", tr.NoSlip(), wheel=wheel)
    m.connect(tr.Revolute("y"), fork, wheel, "hub")
    for short, full in (("roll", "roll"), ("speed", "x_rate"), ("load", "normal_force"), ("foot", "contact_point")):
        m.alias(short, f"road.{full}")
    m.output("twice", lambda s: 2 * s["roll"] + s["roll_rate"] + s["foot_x"])
    m.output("sliding", lambda s: s["road.slip_y"])
    m.apply(tr.CoordinateForce("road.roll", lambda s: -0.1 * s["roll_rate"]), "brake")
    m.event("down", lambda s: s["roll"] - 1, 0, {"roll_rate": 0.0})
    m.start = {"roll": 0.1, "speed": 2.0}
    return m


def test_file_and_python_give_the_same_model():
    assert fingerprint(read_model(GOOD).model) == fingerprint(cart())


def test_short_names_are_known_everywhere():
    run = read_model(GOOD).model.build().simulate(0.1, samples=3)
    roll, rate, x = (run.values(name) for name in ("road.roll", "road.roll_rate", "road.contact_point_x"))
    assert run.values("twice") == pytest.approx(2 * roll + rate + x)
    assert run.values("speed")[0] == 2.0
    assert run.values("load") == pytest.approx(run.values("road.normal_force"))


SIZES = {"radius": 0.4, "angle": 0.3, "tube": 0.1, "pitch": 0.05, "reach": 0.6, "inside": False}
SIZES |= {"a": 0.3, "b": 0.2, "c": 0.1, "profile": "0.4 - y**2", "low": -0.1, "high": 0.2}


@pytest.mark.parametrize("kind", [*surfaces(of_user=False), *edges(of_user=False)], ids=lambda kind: kind.__name__)
def test_every_surface_by_its_name(kind):
    """Plain sizes, and parameters where the class takes them."""
    sizes = {f.name: SIZES[f.name] for f in fields(kind)}
    tunable = [f.name for f in fields(kind) if f.type not in (float, bool) and not f.metadata]
    written = ", ".join(f"{n}: {n if n in tunable else str(v).lower()}" for n, v in sizes.items())
    parameters = ", ".join(f"{n}: {sizes[n]}" for n in tunable)
    text = (
        f"name: a\nparameters: {{{parameters}}}\nbodies: {{b: {{mass: 1, inertia: 1}}}}\nconnections:\n"
        f"  b: {{pair: HigherPair, surfaces: [{{{kind.__name__}: {{{written}}}}}, {{Sphere: 0.1}}],\n"
        "      first: ground, second: b}"
    )
    if kind.dimension == 0:
        text = text.replace("[{Vertex: {}}, {Sphere: 0.1}]", "[Plane, Vertex]")
    model = read_model(text).model
    surface = model.connections["b"].pair.first if kind.dimension else model.connections["b"].pair.second
    assert type(surface) is kind
    for name, value in sizes.items():
        found = getattr(surface, name)
        if name == "profile":
            assert float(found.at(0.1)) == pytest.approx(0.39, abs=1e-15)
            continue
        assert found is model.parameters[name].symbol if name in tunable else found == value


def test_the_plain_size_is_the_first_field_and_curves_have_names_too():
    text = GOOD.replace("{Torus: {radius: r, tube: tube}}", "{CircleEdge: 2*r}").replace("tube: 0.02", "tube: 1")
    assert tr.HigherPair(tr.Plane(), tr.CircleEdge(0.6)).title == read_model(text).model.connections["road"].pair.title
    planar = (
        "name: a\nbodies: {b: {mass: 1, inertia: 1}}\n"
        "connections: [{pair: PlanarPair, surfaces: [Line, {Circle: 0.2}], first: ground, second: b}]"
    )
    assert read_model(planar).model.connections["b"].pair == tr.PlanarPair(tr.Line(), tr.Circle(0.2))
    assert set(higher()) == {"HigherPair", "PlanarPair"}


@pytest.mark.parametrize(
    ("law", "held", "coordinates"),
    [
        ("NoSlip", ["NoSlip"], []),
        ("[NoSlip, NoSpin]", ["NoSlip", "NoSpin"], []),
        ("[NoSlip, {yaw: {damper: 1}}]", ["NoSlip"], ["yaw"]),
        ("{NoSpin: , pitch: {spring: 2}}", ["NoSpin"], ["pitch"]),
        ("{roll: {spring: 2}}", [], ["roll"]),
    ],
)
def test_laws_at_the_contact_and_on_coordinates(law, held, coordinates):
    connection = read_model(GOOD.replace("law: NoSlip", f"law: {law}")).model.connections["road"]
    assert [type(one).__name__ for one in connection.contact_laws] == held
    assert list(connection.laws) == coordinates
    assert set(held) <= set(CONTACT_LAWS)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("HigherPair", "HiherPair", "line 7, connections.road.pair: there is no pair called 'HiherPair'. Did"),
        ("{Torus: {", "{Tours: {", "road.surfaces[1]: there is no surface called 'Tours'. Did you mean 'Torus'?"),
        ("radius: r,", "radios: r,", "Torus.radios: there is no field called 'radios' here; Torus takes radius, tube"),
        ("radius: r,", "", "surfaces[1].Torus: radius must be given; Torus takes radius, tube, inside."),
        ("radius: r,", "radius: rr,", "surfaces[1].Torus.radius: there is no parameter or constant called 'rr'."),
        ("radius: r,", "radius: 2*,", "surfaces[1].Torus.radius: in the expression '2*', at character 3"),
        ("radius: r,", "radius: -r,", "Torus: radius must be greater than zero, got -0.3."),
        ("radius: r,", "radius: true,", "Torus.radius: give a number or an expression, not True."),
        ("tube: tube}", "inside: 1}", "Torus.inside: give true or false, not 1."),
        ("tube: tube}", "tube: 5*r}", "does not fit into a wheel"),
        (
            "{Torus: {",
            "{SpiralColumn: {pitch: 1, ",
            "SpiralColumn.radius: this number cannot depend on the parameter 'r'",
        ),
        ("Plane,", "{Plane: 3},", "surfaces[0].Plane: Plane has no sizes; write the name alone."),
        ("Plane,", "[Plane],", "surfaces[0]: give a name, or a name with its sizes such as {Sphere: 0.1}, not a list."),
        ("[Plane, ", "[", "connections.road.surfaces: give 2 values, not 1."),
        ("surfaces: [Plane, {Torus: {radius: r, tube: tube}}],", "", "connections.road: HigherPair needs surfaces"),
        ("surfaces:", "axis: y, surfaces:", "connections.road.axis: HigherPair has no axis; it takes surfaces."),
        ("axis: y", "axis: y, surfaces: [Plane, Vertex]", "line 9, connections.hub.surfaces: Revolute has no surfaces"),
        ("{Torus: {radius: r, tube: tube}}", "Plane", "road: Plane with Plane is not a point contact"),
        ("wheel: wheel, law", "wheel: weel, law", "road.wheel: there is no body called 'weel'. Did you mean 'wheel'"),
        ("axis: y, first: fork", "axis: x, first: fork", "road: wheel 'wheel' must be joined to 'fork'"),
        (
            "law: NoSlip",
            "law: NoSlp",
            "road.law: there is no law called 'NoSlp'. Did you mean 'NoSlip'",
        ),
        ("law: NoSlip", "law: {NoSlip: {mu: 1}}", "there is no field called 'mu' here; NoSlip has no sizes."),
        (
            "law: NoSlip",
            "law: {yaww: {damper: 1}}",
            "no bond or coordinate of connection 'road' called 'yaww'. Did you mean 'yaw'",
        ),
        ("axis: y", "axis: y, law: NoSlip", "line 9, connections.hub: NoSlip acts at a contact point"),
        ("roll: road.roll", "roll: road.rol", "line 10, names.roll: there is no quantity called 'road.rol'. Did you"),
        (
            "roll: road.roll,",
            "roll: road.roll, r: road.yaw,",
            "names.r: 'r' is a name used in expressions",
        ),
        ("roll: road.roll,", "roll: road.roll, sin: road.yaw,", "names.sin: 'sin' is a name used in expressions"),
        ("roll: road.roll,", "roll: [1],", "names.roll: give a text, not a list."),
        (
            "start: {roll:",
            "start: {rol:",
            "there is no coordinate, rate or motion of a body called 'rol'. Did you mean 'roll'",
        ),
    ],
)
def test_an_error_names_line_field_and_choices(old, new, told):
    assert old in GOOD
    assert told in faults(GOOD.replace(old, new, 1))


def test_a_ball_that_does_not_fit_its_bowl_at_the_values_of_the_parameters():
    text = (
        "name: a\nparameters: {r: 0.5}\nbodies: {b: {mass: 1, inertia: 1}}\nconnections:\n"
        "  b: {pair: HigherPair, surfaces: [{Sphere: {radius: 0.4, inside: true}}, {Sphere: r}],\n"
        "      first: ground, second: b}"
    )
    assert "a ball of radius 0.5 does not fit into a bowl of radius 0.4" in faults(text)
    assert read_model(text, parameters={"r": 0.3}).model.connections["b"].pair.second.radius is not None


FRICTION = """
name: bowling
text: A ball falls, slides and rolls.
bodies:
  ball: {mass: 6.0, inertia: 0.02904}
connections:
  lane:
    pair: HigherPair
    surfaces: [Plane, {Sphere: 0.11}]
    first: ground
    second: ball
    unilateral: true
    law: {Coulomb: {mu_static: 0.2}}
outputs: {height: ball.position_z}
start: {ball.x_rate: 5.0, ball.z: 1.11}
run: {duration: 2.0, plot: [lane.slip_x, height]}
"""


def test_friction_in_a_file(tmp_path):
    path = tmp_path / "bowling.yaml"
    path.write_text(FRICTION, encoding="utf-8")
    run = tr.load_model(path).build().simulate(2.0)
    falling, sliding = (2 / 9.81) ** 0.5, 2 * 5.0 / (7 * 0.2 * 9.81)  # the impulse of landing makes up for the fall
    assert [name for name, _ in run.events] == ["lane lands", "lane stops"]
    assert [t for _, t in run.events] == pytest.approx([falling, sliding], abs=1e-9)


def test_friction_of_time_and_place_in_a_file():
    """No friction until 0.5 s: the ball then begins to be braked; bodies may be started by their motion."""
    text = FRICTION.replace("mu_static: 0.2", "mu_static: 'where(t < 0.5, 0, 0.2)'").replace(
        "start: {ball.x_rate: 5.0, ball.z: 1.11}", "start: {ball.velocity: [5, 0, 0], ball.position_z: 0.11}"
    )
    run = read_model(text).model.build().simulate(2.0, steps=tr.Steps(longest=0.01))
    assert dict(run.events)["lane stops"] == pytest.approx(0.5 + 2 * 5.0 / (7 * 0.2 * 9.81), abs=1e-6)
    text = FRICTION.replace("mu_static: 0.2", "mu_static: 'ball.positon_x'")
    assert "there is no quantity called 'ball.positon_x'. Did you mean 'ball.position_x'" in faults(text)


def test_restitution_in_a_file():
    """A number is Poisson's coefficient; other laws are given by name; the treatment of several contacts is a field of
    the top level.
    """
    bouncing = FRICTION.replace("unilateral: true", "restitution: 0.5")
    model = read_model(bouncing).model
    assert model.connections["lane"].restitution == tr.Poisson(0.5) and model.impacts == "sequential"
    fall = (2 * 9.81) ** 0.5
    run = model.build().simulate(3.0)
    assert run.impacts[0].after["lane"][2] == pytest.approx(0.5 * fall, rel=1e-9)
    named = bouncing.replace("restitution: 0.5", "restitution: {Stronge: {e: 0.4}}") + "impacts: simultaneous\n"
    model = read_model(named).model
    assert model.connections["lane"].restitution == tr.Stronge(0.4) and model.impacts == "simultaneous"
    assert "the restitution lies between 0" in faults(bouncing.replace("0.5", "1.5"))
    assert "impacts" in faults(FRICTION + "impacts: random\n")
