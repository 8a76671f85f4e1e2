"""Numbers, structures and laws at the limits of what is valid: refused with a message, or computed correctly."""

import math
from typing import Any

from small_models import chain, changed, doubly_held, four_bar, free_body, pendulum
from what_must_happen import Table, built, ends, finishes, made, refused

import trundle as tr

nan, inf = math.nan, math.inf
SLIDE = tr.Prismatic("x")


def with_force(make: Any, pair: Any = None) -> tr.Model:
    return changed(pendulum(pair), lambda m: m.apply(make(m)))


def with_event(function: Any, **options: Any) -> tr.Model:
    return changed(pendulum(), lambda m: m.event("e", function, **options))


def heavy_cart() -> tr.Model:
    m = tr.Model("heavy cart")
    a, b = m.body("a", mass=1e12, inertia=1e12), m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1))
    m.connect(tr.Prismatic("x"), m.ground, a)
    m.connect(tr.Revolute("y"), a, b)
    return m


def two_servos() -> tr.Model:
    m = tr.Model("two servos")
    a = m.body("a", mass=1.0, inertia=1.0)
    m.connect(tr.Revolute("z"), m.ground, a, name="j", law=tr.Servo(lambda t: t))
    m.connect(tr.Revolute("z"), m.ground, a, name="k", law=tr.Servo(lambda t: 2 * t))
    return m


def torn() -> tr.Model:
    return four_bar((5.0, 1.0, 1.0, 1.0))


def named(name: str) -> tr.Model:
    m = tr.Model("named")
    m.connect(tr.Revolute("y"), m.ground, m.body(name, mass=1.0, inertia=0.1, com=(0, 0, -1)))
    return m


NUMBERS: Table = {
    "mass of 1e-300": (pendulum(mass=1e-300, inertia=(1e-301,) * 3), finishes({"bob.angle": 0.1})),
    "mass of 1e300": (made(lambda: pendulum(mass=1e300, inertia=(1e299,) * 3)), refused(r"mass")),
    "mass of 1e308": (made(lambda: pendulum(mass=1e308, inertia=(1e308,) * 3)), refused(r"mass|inertia")),
    "centre beyond all lengths": (built(lambda: pendulum(com=(0, 0, -1e200))), refused(r"1e\+200: above 1e\+60")),
    "mass of a kiloton and a gram": (heavy_cart(), finishes({"bob.angle": 0.1})),
    "complex mass": (built(lambda: pendulum(mass=1j)), refused(r"must be made of numbers or parameters")),
    "inertia in words": (built(lambda: pendulum(inertia="big")), refused(r"must be made of numbers or parameters")),
    "centre at infinity": (built(lambda: pendulum(com=(inf, 0, 0))), refused(r"com is not finite")),
    "slider of a nanometre": (
        pendulum(tr.Prismatic("x"), tr.Spring(1.0)),
        finishes({"bob.displacement": 1e-9}, duration=5.0, drift=1e-7),
    ),
    "slider of ten kilometres": (
        pendulum(tr.Prismatic("x"), tr.Spring(1.0)),
        finishes({"bob.displacement": 1e4}, duration=5.0),
    ),
    "spring that pushes away": (pendulum(law=tr.Spring(-1e2)), finishes({"bob.angle": 0.1})),
    "damper that drives": (pendulum(law=tr.Damper(-1.0)), finishes({"bob.angle": 0.1})),
    "spring beyond all steps": (
        pendulum(law=tr.Spring(1e30)),
        ends("STEP_TOO_SMALL|TOO_MANY", {"bob.angle": 0.1}, steps=tr.Steps(most=2000)),
    ),
    "two stiffnesses": (built(lambda: pendulum(law=tr.Spring([1, 2]))), refused("Spring: stiffness is a number")),
    "angle of 1e20": (pendulum(), refused(r"bob\.angle.*whole turns", {"bob.angle": 1e20})),
    "rate of infinity": (pendulum(), refused(r"finite number", {"bob.angle_rate": inf})),
}

LAWS: Table = {
    "law that divides by zero": (pendulum(law=tr.Motor(lambda t, q, u: 1 / q)), ends("NOT_FINITE")),
    "law that explodes": (
        pendulum(law=tr.Motor(lambda t, q, u: u**3)),
        ends(
            "STEP_TOO_SMALL|NOT_FINITE|TOO_MANY_STEPS",
            {"bob.angle_rate": 3.0},
            duration=3.0,
            steps=tr.Steps(most=20000),
        ),
    ),
    "law with a pole in its slope": (
        pendulum(law=tr.Motor(lambda t, q, u: -tr.sqrt(tr.abs(q)))),
        finishes({"bob.angle": 0.1}),
    ),
    "law that steps": (pendulum(law=tr.Motor(lambda t, q, u: tr.step(t - 0.25))), finishes()),
    "pulse of a millisecond": (
        pendulum(law=tr.Motor(lambda t, q, u: tr.where(t > 7.0, tr.where(t < 7.001, 50.0, 0.0), 0.0))),
        finishes(duration=10.0, drift=1e-7),
    ),
    "dry friction by hand": (
        pendulum(law=tr.Motor(lambda t, q, u: -5 * tr.sign(u))),
        ends("TOO_MANY_STEPS|STEP_TOO_SMALL|ENERGY_OFF", {"bob.angle": 0.1}, duration=3.0, steps=tr.Steps(most=20000)),
    ),
    "servo that jumps": (pendulum(law=tr.Servo(lambda t: tr.step(t - 0.2))), ends("CONSTRAINT|ENERGY_OFF")),
    "servo from infinity": (built(lambda: pendulum(law=tr.Servo(lambda t: 1 / t))), refused(r"bob\.angle \(servo\)")),
    "servo of two arguments": (
        built(lambda: pendulum(law=tr.Servo(lambda t, q: t))),
        refused(r"Servo: its function takes the time alone"),
    ),
    "flow to infinity": (pendulum(law=tr.Flow(lambda t, q: q**2 + 1)), ends("STEP_TOO_SMALL|NOT_FINITE", duration=3.0)),
    "acceleration nan": (built(lambda: pendulum(law=tr.Acceleration(nan))), refused(r"not a finite number")),
    "two servos that contradict": (built(two_servos), refused(r"contradict each other")),
    "spring of a body to itself": (
        built(lambda: with_force(lambda m: tr.SpringDamper(m.bodies["bob"], m.bodies["bob"].at(1, 0, 0), 10.0))),
        refused(r"same body|itself"),
    ),
    "spring of the ground to itself": (
        built(lambda: with_force(lambda m: tr.SpringDamper(m.ground, m.ground.at(1, 0, 0), 10.0))),
        refused(r"same body|itself"),
    ),
    "spring without direction": (
        with_force(lambda m: tr.SpringDamper(m.ground, m.bodies["bob"], 10.0, 0.0, 1.0)),
        refused(r"direction|coincide|meet", {}),
    ),
    "torsion spring on a slide": (
        with_force(lambda m: tr.TorsionSpring("bob.displacement", 1.0), SLIDE),
        refused(r"angle|rad", {}),
    ),
    "line force nan": (
        with_force(lambda m: tr.LineForce(m.ground.at(1, 0, 0), m.bodies["bob"], tr.Spring(nan))),
        refused(r"not a finite number", {}),
    ),
    "event that is nan": (with_event(lambda s: tr.sqrt(-1 - s.t)), refused(r"event 'e' is not a number", {})),
    "event that jumps to nan": (
        with_event(lambda s: s["bob.angle"], action={"bob.angle_rate": lambda s: tr.sqrt(-1 - s.t)}),
        ends("NOT_FINITE", {"bob.angle": 0.1}, duration=3.0),
    ),
    "event that is always zero": (with_event(lambda s: 0 * s.t), refused(r"never crosses zero", {})),
    "event of an unknown parameter": (with_event(lambda s: s["k"]), refused(r"event 'e'.*'k'", {})),
    "event that sets a force": (
        with_event(lambda s: s["bob.angle"], action={"bob.reaction_force": 1.0}),
        refused(r"state or parameter.*bob\.reaction_force", {}),
    ),
}

STRUCTURE: Table = {
    "two slides on a skew axis": (
        doubly_held(tr.Prismatic((1, 2, 3)), tr.Prismatic((1, 2, 3)), (0, 1, 0)),
        finishes({"j.displacement_rate": 0.3}),
    ),
    "two tilted hinges": (
        doubly_held(tr.Revolute((1, 2, 3)), tr.Revolute((1, 2, 3)), (1, 2, 3)),
        finishes({"j.angle_rate": 0.3}),
    ),
    "hinge and clamp": (doubly_held(tr.Revolute("z"), tr.Fixed()), refused(r"nothing can move", {})),
    "clamped free body": (doubly_held(tr.Free(), tr.Fixed(), (1, 2, 3)), refused(r"nothing can move", {})),
    "four-bar that is torn": (built(torn), refused(r"pin\.")),
    "four-bar that starts stretched": (four_bar((3.0, 1.0, 1.0, -1.0)), refused(r"singular", {})),
    "servo past the limit of a linkage": (
        four_bar((2.5, 2.0, 1.0, 1.0), law=tr.Servo(lambda t: 0.3 + t)),
        ends("CONSTRAINT", duration=3.0),
    ),
    "cardan joint at right angles": (
        pendulum(tr.Universal("x")),
        finishes({"bob.cross_angle": math.pi / 2, "bob.angle_rate": 1.0}),
    ),
    "ball joint upside down": (
        pendulum(tr.Spherical()),
        finishes({"bob.quaternion": (0, 1, 0, 0), "bob.angular_rate": (0, 0, 5.0)}, duration=2.0),
    ),
    "at rest without gravity": (free_body(), finishes()),
    "chain of thirty": (chain(30), finishes({"b0.angle": 0.1}, duration=0.2)),
    "short name for nothing": (
        built(lambda: changed(pendulum(), lambda m: m.alias("x", "bob.nothing"))),
        refused(r"bob\.nothing"),
    ),
    "short name for itself": (built(lambda: changed(pendulum(), lambda m: m.alias("x", "x"))), refused(r"'x'")),
    "short name t": (made(lambda: pendulum().alias("t", "bob.angle")), refused(r"time")),
    "parameter t": (made(lambda: pendulum().parameter("t", 1.0)), refused(r"time")),
    "output called energy.kinetic": (
        made(lambda: pendulum().output("energy.kinetic", lambda s: s.t)),
        refused(r"name"),
    ),
    "body with a name of mathematics": (named("$_{^$"), finishes({"$_{^$.angle": 0.1})),
    "body in Chinese": (named("\u8f6e"), finishes({"\u8f6e.angle": 0.1})),
    "body with a long name": (named("x" * 3000), finishes({"x" * 3000 + ".angle": 0.1})),
}
