"""Invalid models: each is refused with a message that says what is wrong, where, and what to do."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import trundle as tr
from trundle.system import System

nan, inf = math.nan, math.inf


def pendulum(
    pair: Any = None, law: Any = None, mass: Any = 1.0, inertia: Any = (0.1, 0.1, 0.1), **body: Any
) -> tr.Model:
    m = tr.Model("pendulum")
    bob = m.body("bob", **{"mass": mass, "inertia": inertia, "com": (0, 0, -1.0), **body})
    m.connect(pair or tr.Revolute("y"), m.ground, bob, law=law)
    return m


def with_force(make: Callable[[tr.Model], Any]) -> Callable[[], System]:
    def build() -> System:
        m = pendulum()
        m.apply(make(m))
        return m.build()

    return build


def foreign() -> Any:
    """A parameter of some other model."""
    return tr.Model("other").parameter("stray", 1.0)


def motor(function: Any) -> Callable[[], System]:
    return lambda: pendulum(law=tr.Motor(function)).build()


def changed(change: Callable[[tr.Model], Any]) -> Callable[[], System]:
    def build() -> System:
        m = pendulum()
        change(m)
        return m.build()

    return build


def bob(m: tr.Model) -> tr.Body:
    return m.bodies["bob"]


BODIES: dict[str, tuple[Callable[[], Any], str]] = {
    "negative mass": (lambda: pendulum(mass=-1).build(), r"body 'bob': mass -1 kg is negative"),
    "mass nan": (lambda: pendulum(mass=nan).build(), r"body 'bob': mass nan kg is negative or not finite"),
    "mass in words": (lambda: pendulum(mass="heavy").build(), r"body 'bob': mass 'heavy' .* numbers or parameters"),
    "two masses": (lambda: pendulum(mass=(1, 2)).build(), r"body 'bob': the mass is one number"),
    "mass of another model": (
        lambda: pendulum(mass=foreign()).build(),
        r"body 'bob': the symbol 'stray' is not a parameter",
    ),
    "triangle inequality": (
        lambda: pendulum(inertia=(0.1, 0.1, 0.3)).build(),
        r"body 'bob'.*triangle inequality.*about=\(x, y, z\)",
    ),
    "about another point": (lambda: pendulum(about=(0, 0, 0)).build(), r"body 'bob'.*negative.*about"),
    "about in words": (lambda: pendulum(about="origin").build(), r'body \'bob\': about \(a point, or "com"\)'),
    "four moments": (lambda: pendulum(inertia=(1, 1, 1, 0)).build(), r"body 'bob'.*three moments, six numbers.*3x3"),
    "skew inertia": (lambda: pendulum(inertia=[[1, 1, 0], [0, 1, 0], [0, 0, 1]]).build(), r"'bob'.*not symmetric"),
    "inertia nan": (lambda: pendulum(inertia=(nan, 1, 1)).build(), r"body 'bob': inertia is not finite"),
    "inertia none": (lambda: pendulum(inertia=None).build(), r"body 'bob'.*inertia None"),
    "plane centre": (lambda: pendulum(com=(0, 1)).build(), r"body 'bob': the mass centre com has three coordinates"),
    "scalar centre": (lambda: pendulum(com=1.0).build(), r"body 'bob': the mass centre com has three coordinates"),
    "centre nan": (lambda: pendulum(com=(0, nan, 0)).build(), r"body 'bob': the mass centre com is not finite"),
    "massless leaf": (
        lambda: pendulum(mass=0, inertia=(0, 0, 0)).build(),
        r"bob\.angle.*'bob'.*massless.*mass and an inertia",
    ),
    "point mass on a hinge": (
        lambda: pendulum(inertia=(0, 0, 0), com=(0, 0.3, 0)).build(),
        r"bob\.angle has no inertia.*point mass on the axis",
    ),
    "absolute coordinates, thin rod": (
        lambda: pendulum(inertia=(0.1, 0.1, 0)).build("newton_euler"),
        r"body 'bob' has no mass or no inertia about some axis.*formalism='kane'",
    ),
    "thin rod that may spin": (
        lambda: pendulum(tr.Spherical(), inertia=(0.1, 0.1, 0), com=(0, 0, 0.3)).build(),
        r"bob\.quaternion has no inertia.*Give the body an inertia",
    ),
    "tiny thin rod that may spin": (
        lambda: pendulum(tr.Free(), mass=1e-9, inertia=(1e-19, 1e-19, 0), com=(0, 0, 0)).build(),
        r"bob\.quaternion has no inertia",
    ),
    "name with a dot": (lambda: tr.Model("m").body("a.b"), r"'a.b' cannot name a body"),
    "name that is not text": (lambda: tr.Model("m").body(3), r"3 cannot name a body"),
    "ground again": (lambda: tr.Model("m").body("ground"), r"already a body called 'ground'"),
    "body twice": (lambda: pendulum().body("bob"), r"already a body called 'bob'"),
    "no bodies": (lambda: tr.Model("m").build(), r"no bodies; add one with model\.body"),
    "loose body": (changed(lambda m: m.body("kite", mass=1)), r"from the ground to 'kite'.*tr\.Free"),
    "plane gravity": (changed(lambda m: setattr(m, "gravity", (0, -9.81))), r"gravity of the model has three"),
    "gravity nan": (changed(lambda m: setattr(m, "gravity", (0, nan, 0))), r"gravity of the model is not finite"),
}

CONNECTIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "axis of no length": (
        lambda: pendulum(tr.Revolute((0, 0, 0))).build(),
        r"Revolute: axis \(0, 0, 0\) has no",
    ),
    "axis unknown": (lambda: pendulum(tr.Revolute("w")).build(), r"Revolute: axis 'w' is not valid"),
    "axis of two numbers": (lambda: pendulum(tr.Revolute((1, 0))).build(), r"Revolute: axis \(1, 0\) has no"),
    "axis nan": (lambda: pendulum(tr.Revolute((nan, 0, 1))).build(), r"Revolute: axis"),
    "axis that is a number": (lambda: pendulum(tr.Revolute(3)).build(), r"Revolute: axis 3"),
    "cross not normal": (lambda: pendulum(tr.Universal("x", cross="x")).build(), r"Universal: .*right angles"),
    "pitch inf": (lambda: tr.Helical("z", pitch=inf), r"pitch of a Helical joint is a finite number.*inf"),
    "pitch in words": (lambda: tr.Helical("z", pitch="steep"), r"pitch of a Helical joint.*'steep'"),
    "to itself": (
        changed(lambda m: m.connect(tr.Fixed(), bob(m), bob(m).at(1, 0, 0), name="s")),
        r"'s' joins 'bob' to itself",
    ),
    "body of another model": (
        changed(lambda m: m.connect(tr.Fixed(), m.ground, bob(pendulum()), name="s")),
        r"connection 's': body 'bob' belongs to another model",
    ),
    "name twice": (
        lambda: pendulum().connect(tr.Fixed(), tr.Body("a"), tr.Body("b"), name="bob"),
        r"connection called 'bob'",
    ),
    "name of a stranger": (
        changed(
            lambda m: (
                m.connect(tr.Fixed(), m.body("a", mass=1), m.body("b", mass=1), name="bob2")
                and m.body("c")
                and m.connect(tr.Fixed(), m.ground, bob(m), name="c")
            )
        ),
        r"connection 'c' has the name of a body that it does not connect",
    ),
    "no pair": (changed(lambda m: m.connect("Revolute", m.ground, bob(m))), r"takes a pair or joint first.*'Revolute'"),
    "class of a pair": (changed(lambda m: m.connect(tr.Revolute, m.ground, bob(m))), r"takes a pair or joint first"),
    "body by its name": (changed(lambda m: m.connect(tr.Fixed(), "ground", bob(m))), r"body or a frame.*model\.bodies"),
    "law that is a number": (lambda: pendulum(law=3.0), r"connection 'bob': 3.0 is not a law; give tr\.Spring"),
    "law that is a function": (lambda: pendulum(law=lambda t, q, u: q), r"connection 'bob'.*is not a law.*tr\.Motor"),
    "law for an unknown coordinate": (lambda: pendulum(law={"angel": tr.Spring(1)}), r"'angel'.*Did you mean 'angle'"),
    "law for which coordinate": (
        lambda: pendulum(tr.Planar("y"), law=tr.Spring(1)),
        r"'x', 'y', 'angle'.*specify the one",
    ),
    "point in the plane": (
        changed(lambda m: m.connect(tr.Fixed(), m.ground.frame((0, 1)), bob(m), name="s")),
        r"connection 's': a point of 'ground' has three coordinates, got \(0, 1\)",
    ),
    "point nan": (
        changed(lambda m: m.connect(tr.Fixed(), m.ground.at(0, nan, 0), bob(m), name="s")),
        r"'s'.*not finite",
    ),
    "rotation that mirrors": (lambda: tr.Body("b").frame(rotation=-np.eye(3)), r"not a rotation matrix"),
    "rotation nan": (lambda: tr.Body("b").frame(rotation=("x", nan)), r"not a rotation matrix"),
    "rotation in words": (lambda: tr.Body("b").frame(rotation="left"), r"not a rotation matrix"),
    "quaternion of no length": (lambda: tr.Body("b").frame(rotation=(0, 0, 0, 0)), r"quaternion of length zero"),
}

LAWS: dict[str, tuple[Callable[[], Any], str]] = {
    "if": (
        motor(lambda t, q, u: 1 if q > 0 else 0),
        r"Motor on bob\.angle cannot be.*neither true nor false.*tr\.where",
    ),
    "max": (motor(lambda t, q, u: max(q, 0)), r"Motor on bob\.angle.*tr\.max"),
    "math.sin": (motor(lambda t, q, u: math.sin(q)), r"Motor on bob\.angle.*math.*tr\.sin"),
    "math.sin inside": (
        motor(lambda t, q, u: 2 + q * math.sin(q)),
        r"Motor on bob\.angle.*not a finite number.*tr\.sin",
    ),
    "nothing": (motor(lambda t, q, u: None), r"Motor on bob\.angle"),
    "words": (motor(lambda t, q, u: "much"), r"Motor on bob\.angle"),
    "two numbers": (motor(lambda t, q, u: (q, u)), r"Motor on bob\.angle: one number expected, got 2"),
    "wrong arguments": (motor(lambda q: q), r"write lambda t, q, u"),
    "error of its own": (motor(lambda t, q, u: {}["gain"]), r"Motor on bob\.angle.*KeyError: 'gain'"),
    "nan": (motor(nan), r"Motor on bob\.angle.*not a finite number"),
    "infinite stiffness": (lambda: pendulum(law=tr.Spring(inf)).build(), r"Spring on bob\.angle.*not a finite number"),
    "stiffness in words": (lambda: pendulum(law=tr.Spring("stiff")).build(), "Spring: stiffness is a number"),
    "parameter of another model": (
        lambda: pendulum(law=tr.Spring(foreign())).build(),
        r"Spring on bob\.angle.*'stray'",
    ),
    "servo with if": (
        lambda: pendulum(law=tr.Servo(lambda t: 1 if t > 0 else 0)).build(),
        r"Servo on bob\.angle.*tr\.where",
    ),
    "servo with math": (lambda: pendulum(law=tr.Servo(lambda t: math.sin(t))).build(), r"Servo on bob\.angle.*tr\.sin"),
    "servo of two numbers": (
        lambda: pendulum(law=tr.Servo(lambda t: (t, t))).build(),
        r"Servo on bob\.angle: one number",
    ),
    "wrench in the plane": (
        with_force(lambda m: tr.Wrench(bob(m), force=(1, 2))),
        r"Wrench: the force has 3 components, got \(1, 2\)",
    ),
    "wrench nan": (with_force(lambda m: tr.Wrench(bob(m), moment=(1, 2, nan))), r"'wrench-1'.*not a finite number"),
    "wrench in other axes": (
        with_force(lambda m: tr.Wrench(bob(m), axes="local")),
        r"axes='local'.*'ground' or 'body'",
    ),
    "wrench, unknown signal": (
        with_force(lambda m: tr.Wrench(bob(m), force=lambda s: (s["bob.positon"], 0, 0))),
        r"force 'wrench-1': there is no quantity called 'bob\.positon'\. Did you mean 'bob\.position'",
    ),
    "wrench on a name": (with_force(lambda m: tr.Wrench("bob")), r"body or a frame on one is needed, got 'bob'"),
    "bushing of three": (with_force(lambda m: tr.Bushing(m.ground, bob(m), (1, 2, 3))), r"stiffness has 6 components"),
    "law as a force": (with_force(lambda m: tr.Spring(1.0)), r"apply takes a force.*tr\.CoordinateForce"),
    "unknown coordinate": (
        with_force(lambda m: tr.TorsionSpring("bob.angel", 1)),
        r"'bob\.angel'\. Did you mean 'bob\.angle'",
    ),
    "force on another model": (with_force(lambda m: tr.Wrench(bob(pendulum()))), r"'bob' belongs to another model"),
    "force twice": (
        changed(lambda m: (m.apply(tr.Wrench(bob(m)), "push"), m.apply(tr.Wrench(bob(m)), "push"))),
        r"already a force called 'push'",
    ),
    "force named as a body": (changed(lambda m: m.apply(tr.Wrench(bob(m)), "bob")), r"name of a body, connection"),
    "output of three": (
        changed(lambda m: m.output("o", lambda s: s["bob.position"])),
        r"output 'o': one number expected, got 3",
    ),
    "output with math": (changed(lambda m: m.output("o", lambda s: math.sin(s["bob.angle"]))), r"output 'o'.*tr\.sin"),
    "output unknown": (
        changed(lambda m: m.output("o", lambda s: s["bob.angel"])),
        r"output 'o'.*Did you mean 'bob\.angle'",
    ),
    "output no function": (changed(lambda m: m.output("o", "bob.angle")), r"output 'o' needs a function"),
    "event with if": (changed(lambda m: m.event("e", lambda s: 1 if s.t > 0 else 0)), r"event 'e'.*tr\.where"),
    "event of three": (changed(lambda m: m.event("e", lambda s: s["bob.position"])), r"event 'e': one number expected"),
    "event sideways": (changed(lambda m: m.event("e", lambda s: s.t, direction=2)), r"event 'e': direction is -1"),
    "event with unknown action": (
        changed(lambda m: m.event("e", lambda s: s.t, action="halt")),
        r"'record', 'stop' or",
    ),
    "parameter nan": (changed(lambda m: m.parameter("k", nan)), r"parameter 'k' must be a finite number"),
    "parameter twice": (
        changed(lambda m: (m.parameter("k", 1), m.parameter("k", 1))),
        r"already a parameter called 'k'",
    ),
    "start of the model": (
        changed(lambda m: m.start.update({"bob.angel": 1.0})),
        r"no coordinate, rate .* called 'bob\.angel'\. Did you mean 'bob\.angle'",
    ),
}
