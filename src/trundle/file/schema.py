"""What a model file may say: one class per section, with the words of the Python API."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from trundle import contact
from trundle.file.expression import constant
from trundle.file.field import (
    ZERO,
    About,
    Axis,
    Inertia,
    Named,
    Scalar,
    SixVector,
    Vector,
    exactly_one,
    listed,
    numbered,
    refusal,
    scalar,
    short,
    zeros,
)
from trundle.model.law import ContactLaw

CONTACT_LAWS: dict[str, type[ContactLaw]] = {
    name: kind for name in contact.__all__ if issubclass(kind := getattr(contact, name), ContactLaw)
}
AT_CONTACT = "law at the contact"  # where those of them that a connection has are kept


class Section(BaseModel):
    """Part of a file; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, frozen=True)


class Parameter(Section):
    """A number that can be changed without compiling again."""

    value: Scalar
    unit: str = ""
    text: str = ""


class Rod(Section):
    """Bar between two points."""

    start: Vector
    end: Vector


class Box(Section):
    """Cuboid."""

    size: Vector
    at: Vector = Field(default_factory=zeros(3))


class Disc(Section):
    """Circle about an axis."""

    radius: Scalar
    axis: Literal["x", "y", "z"] = "y"
    at: Vector = Field(default_factory=zeros(3))


class Ball(Section):
    """Dot."""

    radius: Scalar
    at: Vector = Field(default_factory=zeros(3))


class Shape(Section):
    """One drawn shape: {rod: {...}}, {box: {...}}, {disc: {...}} or {ball: {...}}."""

    rod: Rod | None = None
    box: Box | None = None
    disc: Disc | None = None
    ball: Ball | None = None

    def model_post_init(self, context: Any) -> None:
        exactly_one(self, "shape")


class Body(Section):
    """A rigid body."""

    mass: Scalar = ZERO
    inertia: Inertia = Field(default_factory=zeros(3))
    com: Vector = Field(default_factory=zeros(3))
    about: About = "com"
    shape: Annotated[list[Shape], BeforeValidator(listed)] = []


class Turn(Section):
    """A rotation: by an angle (rad) about an axis, or a quaternion [w, x, y, z], or three rows of a matrix."""

    axis: Axis | None = None
    angle: Scalar | None = None
    quaternion: Annotated[list[Scalar], Field(min_length=4, max_length=4)] | None = None
    matrix: Annotated[list[Vector], Field(min_length=3, max_length=3)] | None = None

    def model_post_init(self, context: Any) -> None:
        given = {name for name in type(self).model_fields if getattr(self, name) is not None}
        if given not in ({"axis", "angle"}, {"quaternion"}, {"matrix"}):
            raise PydanticCustomError("rotation", "give axis and angle, or a quaternion [w, x, y, z], or a 3x3 matrix")


def _listed_rotation(value: Any) -> Any:
    """Four numbers are a quaternion, three rows a matrix."""
    return {"quaternion" if len(value) == 4 else "matrix": value} if isinstance(value, list) else value


class Place(Section):
    """A point and axes on a body; the name of a body alone stands for its own frame."""

    body: str
    at: Vector = Field(default_factory=zeros(3))
    rotation: Annotated[Turn | None, BeforeValidator(_listed_rotation)] = None


PlaceField = Annotated[Place, short("body")]


class SpringLaw(Section):
    """Spring with damper on a coordinate."""

    stiffness: Scalar
    damping: Scalar = ZERO
    rest: Scalar = ZERO


class DamperLaw(Section):
    """Damper on a coordinate."""

    damping: Scalar


class EffortLaw(Section):
    """A law that gives a force or torque: spring, damper, or motor (an expression of t, q, u)."""

    spring: Annotated[SpringLaw | None, short("stiffness")] = None
    damper: Annotated[DamperLaw | None, short("damping")] = None
    motor: Scalar | None = None

    def model_post_init(self, context: Any) -> None:
        exactly_one(self, "law")


class Law(Section):
    """A law on a coordinate: spring, damper, motor (expression of t, q, u) or servo (expression of t)."""

    spring: Annotated[SpringLaw | None, short("stiffness")] = None
    damper: Annotated[DamperLaw | None, short("damping")] = None
    motor: Scalar | None = None
    servo: Scalar | None = None

    def model_post_init(self, context: Any) -> None:
        exactly_one(self, "law")


def _single_law(value: Any) -> Any:
    """A law without the name of a coordinate belongs to the only coordinate of its pair, here called ''."""
    return {"": value} if isinstance(value, dict) and value and set(value) <= set(Law.model_fields) else value


def _apart(value: Any) -> Any:
    """A connection with its laws at the point of contact taken out of those on coordinates."""
    if not isinstance(value, dict) or "law" not in value:
        return value
    coordinates: dict[str, Any] = {}
    touching: list[Any] = []
    for one in value["law"] if isinstance(value["law"], list) else [value["law"]]:
        if isinstance(one, dict):
            touching += [{k: v} for k, v in one.items() if k in CONTACT_LAWS]
            coordinates |= _single_law({k: v for k, v in one.items() if k not in CONTACT_LAWS})
        else:
            touching.append(one)
    return {**value, "law": coordinates, AT_CONTACT: touching}


class Connection(Section):
    """A pair between two places; `law` may also name laws at the point of contact."""

    name: str | None = None
    pair: str
    axis: Axis | None = None
    pitch: Scalar | None = None
    cross: Axis | None = None
    surfaces: Annotated[list[Named], Field(min_length=2, max_length=2)] | None = None
    first: PlaceField
    second: PlaceField
    wheel: str | None = None
    law: Annotated[dict[str, Law], BeforeValidator(_single_law)] = {}
    contact_law: list[Named] = Field(default=[], validation_alias=AT_CONTACT, exclude=True)

    _split = model_validator(mode="before")(_apart)


class SpringDamper(Section):
    """Spring and damper between two points."""

    first: PlaceField
    second: PlaceField
    stiffness: Scalar
    damping: Scalar = ZERO
    length: Scalar = ZERO


class TorsionSpring(Section):
    """Spring and damper on an angle."""

    coordinate: str
    stiffness: Scalar
    damping: Scalar = ZERO
    rest: Scalar = ZERO


class Bushing(Section):
    """Six springs and dampers between two frames."""

    first: PlaceField
    second: PlaceField
    stiffness: SixVector
    damping: SixVector = Field(default_factory=zeros(6))


class Wrench(Section):
    """Force and moment on a place; components may be expressions of t and of quantities."""

    place: PlaceField
    force: Vector = Field(default_factory=zeros(3))
    moment: Vector = Field(default_factory=zeros(3))
    axes: Literal["ground", "body"] = "ground"


class CoordinateForce(Section):
    """Effort on a coordinate: a law, or an expression of t and of quantities."""

    coordinate: str
    law: EffortLaw | None = None
    effort: Scalar | None = None

    def model_post_init(self, context: Any) -> None:
        if (self.law is None) == (self.effort is None):
            raise PydanticCustomError("one", "give either law or effort")


class LineForce(Section):
    """Force along the line between two points; q is their distance, u its rate."""

    first: PlaceField
    second: PlaceField
    law: EffortLaw


class Force(Section):
    """One force: exactly one of its kinds."""

    spring_damper: SpringDamper | None = None
    torsion_spring: TorsionSpring | None = None
    bushing: Bushing | None = None
    wrench: Wrench | None = None
    coordinate_force: CoordinateForce | None = None
    line_force: LineForce | None = None

    def model_post_init(self, context: Any) -> None:
        exactly_one(self, "force")


class Output(Section):
    """A quantity of the user's own."""

    expression: Scalar
    unit: str = ""
    text: str = ""


def _action(value: Any) -> Any:
    """A word, or assignments of expressions."""
    if value in ("record", "stop"):
        return value
    if not isinstance(value, dict) or not value:
        raise refusal("give record, stop or a mapping from names to their new values, not {got}", value)
    return {str(k): scalar(v) for k, v in value.items()}


def _direction(value: Any) -> Any:
    return {"falling": -1, "both": 0, "rising": 1}.get(value, value) if isinstance(value, str) else value


class Event(Section):
    """Zero crossing of an expression."""

    expression: Scalar
    direction: Annotated[Literal[-1, 0, 1], BeforeValidator(_direction)] = 0
    action: Annotated[Any, BeforeValidator(_action)] = "record"


def _start_value(value: Any) -> Any:
    return [scalar(v) for v in value] if isinstance(value, list) else scalar(value)


def _samples(value: Any) -> Any:
    if value == "steps" or (isinstance(value, int) and not isinstance(value, bool) and 2 <= value <= 10_000_000):
        return value
    raise refusal("give a whole number from 2 on, or the word steps, not {got}", value)


class RunSection(Section):
    """How to run the model unless told otherwise."""

    duration: Scalar | None = None
    samples: Annotated[Any, BeforeValidator(_samples)] = None
    method: Literal["auto", "explicit", "order5", "order8", "stiff"] = "auto"
    rtol: Scalar = constant(1e-10)
    atol: Scalar = constant(1e-10)
    plot: list[str] = []


class ModelSection(Section):
    """A whole file."""

    name: str
    text: str = ""
    gravity: Vector = Field(default_factory=lambda: [ZERO, ZERO, constant(-9.81)])
    parameters: dict[str, Annotated[Parameter, short("value")]] = {}
    constants: dict[str, Scalar] = {}
    bodies: dict[str, Body]
    connections: Annotated[dict[int | str, Connection], BeforeValidator(numbered)] = {}
    names: dict[str, str] = {}
    forces: dict[str, Force] = {}
    outputs: dict[str, Annotated[Output, short("expression")]] = {}
    events: dict[str, Event] = {}
    start: dict[str, Annotated[Any, BeforeValidator(_start_value)]] = {}
    run: RunSection = RunSection()
