"""Advice for new users: where to find what a Model does not have under the expected name."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NoReturn

from trundle.errors import ModelError
from trundle.laws.law import FlowLaw, Law
from trundle.model.block import Block
from trundle.model.body import Body
from trundle.model.force import Force
from trundle.pairs.surface import Surface
from trundle.typing import ModelPart

_JOINT = "joints and contacts are connections, m.connect(tr.Revolute('y'), m.ground, bob)"
_KEPT = "a model is kept as the script, or as the model file that tr.load_model reads; run.save keeps results"
_FORCE = "write m.apply(tr.Wrench(bob, force=(0, 0, 1)))"
_BODY = "write bob = m.body('bob', mass=1.0)"
_ACTUATOR = "what drives a joint is its law, law=tr.Motor(lambda t, q, u: ...), or law=tr.Motor(m.input('torque'))"
ELSEWHERE = {
    "add": "bodies come by m.body(...), joints and contacts by m.connect(...), forces by m.apply(...)",
    "add_body": _BODY,
    "rigid_body": _BODY,
    "world": "the world is m.ground",
    "opt": "gravity is m.gravity = (0, 0, -9.81); method, tolerance and samples are given to system.simulate",
    "actuator": _ACTUATOR,
    "motor": _ACTUATOR,
    "fix": "write m.connect(tr.Fixed(), m.ground, bob)",
    "couple": "gears, racks and belts are connections, m.connect(tr.Gear(2.0), first_wheel, second_wheel)",
    "gear": "write m.connect(tr.Gear(2.0), first_wheel, second_wheel)",
    "run": "build it, system = m.build(), and call system.simulate(5.0)",
    "plot": "build and run it, run = m.build().simulate(5.0), and call run.plot('bob.angle')",
    "show": "build and run it, run = m.build().simulate(5.0), and call run.show()",
    "formulation": "studies take what is built from it, system = m.build()",
    "solve": "build it, system = m.build(), and call system.simulate(5.0)",
    "joint": _JOINT,
    "add_joint": _JOINT,
    "force": _FORCE,
    "add_force": _FORCE,
    "spring": "write m.apply(tr.SpringDamper(m.ground, bob, stiffness)), or law=tr.Spring(stiffness) in m.connect",
    "damper": "write law=tr.Damper(damping) in m.connect",
    **dict.fromkeys(("time", "t"), "time is that of a run, run.time; in functions of the signals it is s.t"),
    **dict.fromkeys(("g", "grav"), "write m.gravity = (0, 0, -9.81)"),
    **dict.fromkeys(("copy", "clone"), "write copy.deepcopy(m)"),
    **dict.fromkeys(("remove", "delete", "pop", "clear"), "write del m.connections['bob'], or begin another tr.Model"),
    **dict.fromkeys(("check", "validate", "assemble", "compile"), "m.build() checks the model and reports all faults"),
    **dict.fromkeys(("visualize", "draw", "view", "animate"), "run it, run = m.build().simulate(5.0); run.show()"),
    **dict.fromkeys(("print", "summary", "info"), "write print(m.build().describe())"),
    "save": _KEPT,
    "to_yaml": _KEPT,
}
OF_SYSTEM = ("simulate", "batch", "linearise", "equilibrium", "steady", "describe", "stepper")
_PLACE = "a joint places a body, m.connect(joint, m.ground.at(0, 0, 1), arm); one that flies has start values"
BODY = {
    "position": _PLACE,
    "pos": _PLACE,
    "at": _PLACE,
    "length": "give the mass centre, com=(0, 0, -0.5), or a shape, shape=tr.shape.Box((0.1, 0.1, 1.0))",
    "radius": "give a shape, shape=tr.shape.Ball(0.1)",
    "size": "give a shape, shape=tr.shape.Box((0.1, 0.1, 1.0))",
    "velocity": "start values go to the model by name, m.start = {'arm.velocity': (1, 0, 0)}",
    **dict.fromkeys(("color", "colour"), "colours are those of the viewer; a body has none"),
}
_FRICTION = "friction of a contact is its law, law=tr.Coulomb(0.3)"
_START = "start values go to the model by name, m.start = {'bob.angle': 0.3}"
_STOP = "a stop is a law with elastic ends, law=tr.Backlash(stiffness, clearance); m.event(...) can end a run there"
CONNECT = {
    **dict.fromkeys(("limits", "limit", "range", "lower", "upper"), _STOP),
    **dict.fromkeys(("q0", "angle", "initial", "start", "position", "velocity"), _START),
    **dict.fromkeys(("torque", "force", "motor", "actuator"), "what drives a joint is its law, law=tr.Motor(...)"),
    "damping": "what acts in a joint is its law, law=tr.Damper(0.1)",
    "stiffness": "what acts in a joint is its law, law=tr.Spring(20.0, 0.1)",
    "friction": _FRICTION,
    "mu": _FRICTION,
    "at": "the place is that of the bodies, m.connect(pair, m.ground.at(0, 0, 1), bob)",
    "axis": "the joint has it, tr.Revolute('y')",
    "e": "write restitution=0.5",
}
CONTACT = dict.fromkeys(("mu", "friction"), "friction is its law, law=tr.Coulomb(0.3)")
BUILD = {
    "method": "the method is chosen for each run, system.simulate(5.0, method='stiff')",
    "rtol": "tolerances are chosen for each run, system.simulate(5.0, rtol=1e-8)",
    "start": "start values are those of the model, m.start = {...}, or of each run, system.simulate(5.0, {...})",
}


NOT_A_TABLE = (
    "a Model is not a table: its parts are m.bodies[name], m.connections[name], m.forces[name] and m.parameters[name]; "
    "results belong to a run, run = m.build().simulate(5.0), run['bob.angle']."
)


def part_by_name(model: ModelPart, name: str) -> str:
    """Where to find the part of a model written as m.name or m[name]; empty if there is no part of that name."""
    for where in ("bodies", "connections", "forces", "parameters"):
        if name in vars(model).get(where, ()):
            return f"parts of a Model go by name: use m.{where}[{name!r}]."
    return ""


def missing_attribute(name: str, known: Iterable[str]) -> str:
    """Message for an attribute that a Model does not have."""
    if name in OF_SYSTEM:
        return f"a Model has no {name!r}: build it first, system = m.build(), and call system.{name}(...)."
    if name in ELSEWHERE:
        return f"a Model has no {name!r}: {ELSEWHERE[name]}."
    near = get_close_matches(name, [n for n in known if not n.startswith("_")], n=2)
    hint = f"Did you mean {' or '.join(near)}?" if near else ELSEWHERE["add"][0].upper() + ELSEWHERE["add"][1:] + "."
    return f"a Model has no attribute {name!r}. {hint}"


def refuse_change(connection: ModelPart, name: str, value: object) -> NoReturn:
    """Error where a field of a connection is set."""
    raise ModelError(
        f"the {name} of connection {connection.name!r} cannot be changed. Take the connection out, "
        f"c = m.connections.pop({connection.name!r}), and connect again, m.connect(c.pair, c.first, c.second, c.name, "
        "law=...)."
    )


def not_a_pair(given: object) -> str:
    """Message for what was given to `connect` in place of a pair or joint."""
    text = f"connect takes a pair or joint first, such as tr.Revolute('y'), got {given!r}."
    if isinstance(given, Law):
        text += " A law is an argument of its connection, m.connect(tr.Revolute('y'), m.ground, bob, law=...)."
    elif isinstance(given, Force):
        text += " Forces are added by m.apply(force)."
    elif isinstance(given, Surface):
        text += " Two surfaces make a contact, tr.HigherPair(tr.Plane(), tr.Sphere(0.1))."
    return text


def not_a_force(given: object) -> str:
    """Message for what was given to `apply` in place of a force."""
    text = f"apply takes a force such as tr.SpringDamper or tr.Wrench, got {given!r}."
    if isinstance(given, Body):
        return f"{text} A force on a body is m.apply(tr.Wrench({given.name}, force=(0, 0, 1)))."
    if isinstance(given, Block):
        return f"{text} Blocks are added by m.block(block, 'name'); a force uses its signals."
    if isinstance(given, FlowLaw):
        return f"{text} A {given.title} prescribes a motion: it is a law of the joint, m.connect(..., law=...)."
    return (
        f"{text} Laws belong to connections: model.connect(pair, first, second, law=...), or "
        "tr.CoordinateForce(coordinate, law)."
    )


def not_a_law(given: object, of_contact: bool) -> str:
    """Message for what was given in place of a law."""
    if isinstance(given, type):
        return f"{given.__name__} is a class; give an object of it with its values, law=tr.{given.__name__}(...)."
    if of_contact:
        number = f"{given:g}" if isinstance(given, int | float) else "0.3"
        return (
            f"{given!r} is not a law; laws of a contact are friction, law=tr.Coulomb({number}), or rolling, "
            "law=tr.NoSlip() (tr.Newton(e) and others go to restitution=)."
        )
    if callable(given):
        return (
            "a function alone is not a law; write law=tr.Motor(function) for a force, law=tr.Servo(function) for a "
            "prescribed motion."
        )
    return (
        f"{given!r} is not a law; give tr.Spring, tr.Damper, tr.Motor(function), tr.Servo(function) or your own "
        "tr.EffortLaw (tr.Newton(e) and others go to restitution=)."
    )
