"""The wheel on two compliant feet as a model: a body, the forces of its feet, and the events that change their
modes.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TypeVar

from trundle.contact.normal import NormalLaw
from trundle.laws.signals import Signals
from trundle.math import where
from trundle.model.frame_forces import Wrench
from trundle.model.model import Model
from trundle.pairs import Planar
from trundle.typing import Expr, Option
from trundle.walker.two_feet import COMPRESSES, OPEN, Feet, Wheel

T = TypeVar("T")
MODES = {"slide": 0.0, "front": COMPRESSES, "back": OPEN}
"""Parameters that hold the modes of the feet."""


def two_foot_wheel(law: NormalLaw) -> Model:
    """The wheel with its numbers, those of the law and the units of `Feet` as parameters."""
    m = Model("wheel on two feet")
    wheel = Wheel(*(m.parameter(f.name, 1.0) for f in fields(Wheel)))
    law = replace(law, **{f.name: m.parameter(f.name, getattr(law, f.name)) for f in fields(law)})
    units = (m.parameter("metre", 1.0), m.parameter("speed", 1.0), m.parameter("newton", 1.0))
    slide, *does = (m.parameter(name, first) for name, first in MODES.items())
    body = m.body("wheel", 1.0, (wheel.inertia_ratio,) * 3)
    m.gravity = (0.0, 0.0, -wheel.gravity)
    m.connect(Planar("y"), m.ground, body, name="hub")
    m.alias("along", "hub.y")
    m.alias("height", "hub.x")
    a, b = wheel.levers

    @_keep_last
    def feet(s: Signals) -> Feet:
        lift, turn = a * s["hub.angle"], s["hub.angle_rate"]
        overlap = (lift - s["height"], -lift - s["height"])
        rate = (a * turn - s["height_rate"], -a * turn - s["height_rate"])
        return Feet(wheel, law, units, overlap, rate, s["along_rate"] - b * turn, slide, (does[0], does[1]))

    def force(s: Signals) -> tuple[Expr, ...]:
        front, back, along = feet(s).forces
        return along, 0, front + back

    def moment(s: Signals) -> tuple[Expr, ...]:
        front, back, along = feet(s).forces
        return 0, a * (back - front) - b * along, 0

    m.apply(Wrench(body, force, moment), name="feet")
    _watch(m, feet, wheel)
    m.output("slip", lambda s: feet(s).slip)
    for name in MODES:
        _output_parameter(m, name)
    for i, name in enumerate(("front", "back", "friction")):
        _outputs(m, feet, name, i)
    return m


def _keep_last(function: Callable[[Signals], T]) -> Callable[[Signals], T]:
    """The same function with its last value kept: many parts of the model call it with the same signals."""
    kept: list[tuple[Signals, T]] = []

    def answer(s: Signals) -> T:
        if not kept or kept[0][0] is not s:
            kept[:] = [(s, function(s))]
        return kept[0][1]

    return answer


def _output_parameter(m: Model, name: str) -> None:
    m.output(f"mode_{name}", lambda s: m.parameters[name].symbol)


def _outputs(m: Model, feet: Callable[[Expr], Feet], name: str, i: int) -> None:
    """Force along a foot's normal, or along the ground, its impulse, and the work that it takes."""
    m.output(f"{name}_force", lambda s: feet(s).forces[i])
    m.state(f"{name}_impulse", lambda s: feet(s).forces[i])
    m.state(f"{name}_work", lambda s: feet(s).forces[i] * (*feet(s).rate, -feet(s).slip)[i])
    if name != "friction":
        m.output(f"{name}_velocity", lambda s: -feet(s).rate[i])
        m.output(f"{name}_deformation", lambda s: feet(s).overlap[i])


def _watch(m: Model, feet: Callable[[Expr], Feet], wheel: Wheel) -> None:
    """Events of friction and of both feet. Each sets the velocity that has come to rest, or leaves rest, to exactly
    zero: round-off accumulated at rest could have the sign of a motion and trigger its event.
    """
    a, b = wheel.levers

    def watch(name: str, value: Callable[[Feet], Expr], after: Callable[[Feet], Feet], **rest: Option) -> None:
        changed = _keep_last(lambda s: after(feet(s)))
        action = {
            "slide": lambda s: changed(s).slide,
            "front": lambda s: changed(s).does[0],
            "back": lambda s: changed(s).does[1],
        }
        m.event(name, lambda s: value(feet(s)), -1, action | rest)

    def watch_foot(name: str, i: int, lever: Expr) -> None:
        def at_rest(s: Signals) -> Expr:
            return lever * s["hub.angle_rate"]

        watch(f"{name} turns", lambda f: f.motion_event(i), lambda f: f.after_motion(i), height_rate=at_rest)

        def at_touch(s: Signals) -> Expr:
            return where(feet(s).touches_at_rest(i), at_rest(s), s["height_rate"])

        watch(
            f"{name} touches or leaves", lambda f: f.contact_event(i), lambda f: f.after_contact(i),
            height_rate=at_touch,
        )  # fmt: skip

    def no_slip(s: Signals) -> Expr:
        return b * s["hub.angle_rate"]

    watch("friction changes", Feet.friction_event, Feet.after_friction, along_rate=no_slip)
    watch_foot("front", 0, a)
    watch_foot("back", 1, -a)
