"""What a model file may say: one class per section, with the words of the Python API."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from trundle.file.expression import constant
from trundle.file.field import (
    ZERO,
    About,
    Axis,
    Inertia,
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
from trundle.file.kinds import options
from trundle.typing import Raw

OF_PAIR = "options of the pair"  # where those that a connection has are kept


class Section(BaseModel):
    """Part of a file; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, frozen=True)

    @classmethod
    def words(cls) -> list[str]:
        """Names of the fields that a file may have here."""
        return [name for name, one in cls.model_fields.items() if not one.exclude]


class Parameter(Section):
    """A number that can be changed without compiling again."""

    value: Scalar
    unit: str = ""
    text: str = ""


def _csv(value: Raw) -> Any:
    if isinstance(value, str):
        return value
    raise refusal("give the name of a CSV file in the folder of this file, not {got}", value)


class TableSection(Section):
    """A table: knots x and values y as lists of numbers, or the columns x and y of a CSV file."""

    csv: Annotated[str | None, BeforeValidator(_csv)] = None
    x: Any
    y: Any
    between: Literal["cubic", "linear", "monotone", "previous"] = "cubic"
    beyond: str | list[str] = "hold"
    unit: str = ""
    text: str = ""
    arguments: list[str] = []
    outputs: list[str] = []


class Rod(Section):
    """Bar between two points."""

    start: Vector
    end: Vector
    radius: Scalar = ZERO


class Box(Section):
    """Cuboid."""

    size: Vector
    at: Vector = Field(default_factory=zeros(3))


class Disc(Section):
    """Circle about an axis."""

    radius: Scalar
    axis: Literal["x", "y", "z"] = "y"
    at: Vector = Field(default_factory=zeros(3))
    thickness: Scalar = ZERO


class Cylinder(Section):
    """Round cylinder about an axis, its middle at `at`; a capsule has round ends beyond its length."""

    radius: Scalar
    length: Scalar
    axis: Literal["x", "y", "z"] = "z"
    at: Vector = Field(default_factory=zeros(3))


class Ball(Section):
    """Dot."""

    radius: Scalar
    at: Vector = Field(default_factory=zeros(3))


class Shape(Section):
    """One shape: {rod: {...}}, {box: {...}}, disc, ball, sphere, cylinder or capsule."""

    rod: Rod | None = None
    box: Box | None = None
    disc: Disc | None = None
    ball: Ball | None = None
    sphere: Ball | None = None
    cylinder: Cylinder | None = None
    capsule: Cylinder | None = None

    def model_post_init(self, context: Any) -> None:
        exactly_one(self, "shape")


class Body(Section):
    """A rigid body."""

    mass: Scalar = ZERO
    inertia: Inertia = Field(default_factory=zeros(3))
    com: Vector = Field(default_factory=zeros(3))
    about: About = "com"
    shape: Annotated[list[Shape], BeforeValidator(listed)] = []
    check_inertia: bool = True
    density: Annotated[float, Field(gt=0)] | None = None
    material: str | None = None


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


def _listed_rotation(value: Raw) -> Any:
    """Four numbers are a quaternion, three rows a matrix."""
    return {"quaternion" if len(value) == 4 else "matrix": value} if isinstance(value, list) else value


class MovingFrame(Section):
    """A frame whose motion is given: expressions of t and parameters."""

    position: Vector = Field(default_factory=zeros(3))
    rotation: Annotated[Turn | None, BeforeValidator(_listed_rotation)] = None
    shape: Annotated[list[Shape], BeforeValidator(listed)] = []


class Place(Section):
    """A point and axes on a body; the name of a body alone stands for its own frame."""

    body: str
    at: Vector = Field(default_factory=zeros(3))
    rotation: Annotated[Turn | None, BeforeValidator(_listed_rotation)] = None


PlaceField = Annotated[Place, short("body")]


def _apart(value: Raw) -> Any:
    """A connection with the options of its pair taken out of the words of every connection."""
    if not isinstance(value, dict):
        return value
    known = options()
    given = {word: one for word, one in value.items() if word in known}
    return {word: one for word, one in value.items() if word not in known} | {OF_PAIR: given}


class Connection(Section):
    """A pair or joint between two places. Its options, laws and compliance are read by the classes they belong to."""

    name: str | None = None
    pair: str
    first: PlaceField
    second: PlaceField
    points: dict[str, Vector] | list[Vector] | None = None
    wheel: str | None = None
    unilateral: bool = False
    law: Any = None
    compliance: Any = None
    restitution: Any = None
    options: dict[str, Any] = Field(default={}, validation_alias=OF_PAIR, exclude=True)

    _split = model_validator(mode="before")(_apart)

    @classmethod
    def words(cls) -> list[str]:
        return [*super().words(), *options()]


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
    law: Any = None
    effort: Scalar | None = None

    def model_post_init(self, context: Any) -> None:
        if (self.law is None) == (self.effort is None):
            raise PydanticCustomError("one", "give either law or effort")


class LineForce(Section):
    """Force along the line between two points; q is their distance, u its rate."""

    first: PlaceField
    second: PlaceField
    law: Any


class SeriesDamper(Section):
    """Damper in series with a spring between two points."""

    first: PlaceField
    second: PlaceField
    damping: Scalar
    stiffness: Scalar


class ElectricMotor(Section):
    """Direct-current motor on an angle of a connection."""

    coordinate: str
    constant: Scalar
    resistance: Scalar
    inductance: Scalar
    voltage: Scalar = ZERO


class Force(Section):
    """One force: exactly one of its kinds."""

    spring_damper: SpringDamper | None = None
    series_damper: SeriesDamper | None = None
    torsion_spring: TorsionSpring | None = None
    bushing: Bushing | None = None
    wrench: Wrench | None = None
    coordinate_force: CoordinateForce | None = None
    line_force: LineForce | None = None
    electric_motor: ElectricMotor | None = None

    def model_post_init(self, context: Any) -> None:
        exactly_one(self, "force")


class State(Section):
    """A number with a rate of its own."""

    rate: Scalar
    start: Scalar = ZERO
    unit: str = ""
    text: str = ""


def _weight(value: Raw) -> Any:
    """An expression, or a matrix of them."""
    return [[scalar(v) for v in row] for row in value] if isinstance(value, list) else scalar(value)


class Output(Section):
    """A quantity of the user's own."""

    expression: Scalar
    unit: str = ""
    text: str = ""


def _action(value: Raw) -> Any:
    """A word, or assignments of expressions."""
    if value in ("record", "stop"):
        return value
    if not isinstance(value, dict) or not value:
        raise refusal("give record, stop or a mapping from names to their new values, not {got}", value)
    return {str(k): scalar(v) for k, v in value.items()}


def _direction(value: Raw) -> Any:
    return {"falling": -1, "both": 0, "rising": 1}.get(value, value) if isinstance(value, str) else value


class Event(Section):
    """Zero crossing of an expression."""

    expression: Scalar
    direction: Annotated[Literal[-1, 0, 1], BeforeValidator(_direction)] = 0
    action: Annotated[Any, BeforeValidator(_action)] = "record"
    keeps: Literal["absolute", "relative"] = "absolute"


def _start_value(value: Raw) -> Any:
    return [scalar(v) for v in value] if isinstance(value, list) else scalar(value)


def _samples(value: Raw) -> Any:
    if value == "steps" or (isinstance(value, int) and not isinstance(value, bool) and 2 <= value <= 10_000_000):
        return value
    raise refusal("give a whole number from 2 on, or the word steps, not {got}", value)


def _atol(value: Raw) -> Any:
    """One number for all units, or numbers by unit or name of a state."""
    if isinstance(value, dict):
        return {str(name): scalar(one) for name, one in value.items()}
    return scalar(value)


class RunSection(Section):
    """How to run the model unless another way is asked for."""

    duration: Scalar | None = None
    samples: Annotated[Any, BeforeValidator(_samples)] = None
    method: Literal["auto", "explicit", "order5", "order8", "stiff"] = "auto"
    rtol: Scalar = constant(1e-10)
    atol: Annotated[Any, BeforeValidator(_atol)] = None
    plot: list[str] = []


class ModelSection(Section):
    """A whole file."""

    name: str
    text: str = ""
    gravity: Vector = Field(default_factory=lambda: [ZERO, ZERO, constant(-9.81)])
    impacts: Literal["sequential", "simultaneous", "compliant"] = "sequential"
    scenery: Annotated[list[Shape], BeforeValidator(listed)] = []
    parameters: dict[str, Annotated[Parameter, short("value")]] = {}
    inputs: dict[str, Annotated[Parameter, short("value")]] = {}
    constants: dict[str, Scalar] = {}
    tables: dict[str, TableSection] = {}
    bodies: dict[str, Body]
    frames: dict[str, MovingFrame] = {}
    connections: Annotated[dict[int | str, Connection], BeforeValidator(numbered)] = {}
    states: dict[str, Annotated[State, short("rate")]] = {}
    blocks: dict[str, Any] = {}
    names: dict[str, str] = {}
    forces: dict[str, Force] = {}
    relax: dict[str, Annotated[Any, BeforeValidator(_weight)]] = {}
    resist: dict[str, Scalar] = {}
    outputs: dict[str, Annotated[Output, short("expression")]] = {}
    events: dict[str, Event] = {}
    break_at: list[Scalar] = []
    start: dict[str, Annotated[Any, BeforeValidator(_start_value)]] = {}
    run: RunSection = RunSection()
