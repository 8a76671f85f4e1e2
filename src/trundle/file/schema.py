"""Schema of model files: one class per section, with the names of the Python API."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from trundle.file.expression import constant
from trundle.file.field import (
    ZERO,
    About,
    Inertia,
    Scalar,
    Vector,
    listed,
    numbered,
    refusal,
    scalar,
    short,
    zeros,
)
from trundle.file.fields_of_class import one_of, section_of
from trundle.file.kinds import options
from trundle.file.place import PlaceField, Rotation, Section
from trundle.model.shape import Ball, Box, Capsule, Cylinder, Disc, Rod, Sphere
from trundle.real_array import is_integer
from trundle.typing import Options, Raw

OF_PAIR = "options of the pair"  # key under which they are stored


class Parameter(Section):
    """A number that can be changed without compiling again."""

    value: Scalar
    unit: str = ""
    text: str = ""


def _csv(value: Raw) -> Raw:
    if isinstance(value, str):
        return value
    raise refusal("give the name of a CSV file in the folder of this file, not {got}", value)


class TableSection(Section):
    """A table: knots x and values y as lists of numbers, or the columns x and y of a CSV file."""

    csv: Annotated[str | None, BeforeValidator(_csv)] = None
    x: Raw
    y: Raw
    between: Literal["cubic", "linear", "monotone", "previous"] = "cubic"
    beyond: str | list[str] = "hold"
    unit: str = ""
    text: str = ""
    arguments: list[str] = []
    outputs: list[str] = []


SHAPES = {kind.__name__.lower(): kind for kind in (Rod, Box, Disc, Ball, Sphere, Cylinder, Capsule)}


Shape = one_of("shape", {word: section_of(kind) for word, kind in SHAPES.items()})
Shapes = Annotated[list[Shape], BeforeValidator(listed)]  # type: ignore[valid-type]


class Body(Section):
    """A rigid body."""

    mass: Scalar = ZERO
    inertia: Inertia = Field(default_factory=zeros(3))
    com: Vector = Field(default_factory=zeros(3))
    about: About = "com"
    shape: Shapes = []
    check_inertia: bool = True
    density: Annotated[float, Field(gt=0)] | None = None
    material: str | None = None


class MovingFrame(Section):
    """A frame whose motion is given: expressions of t and parameters."""

    position: Vector = Field(default_factory=zeros(3))
    rotation: Rotation = None
    shape: Shapes = []


def _apart(value: Raw) -> Raw:
    """A connection with the options of its pair separated from the fields of every connection."""
    if not isinstance(value, dict):
        return value
    known = options()
    given = {word: one for word, one in value.items() if word in known}
    return {word: one for word, one in value.items() if word not in known} | {OF_PAIR: given}


class Connection(Section):
    """A pair or joint between two places. Its options, laws and compliance are read by their classes."""

    name: str | None = None
    pair: str
    first: PlaceField
    second: PlaceField
    points: dict[str, Vector] | list[Vector] | None = None
    wheel: str | None = None
    unilateral: bool = False
    law: Raw = None
    compliance: Raw = None
    restitution: Raw = None
    options: Options = Field(default={}, validation_alias=OF_PAIR, exclude=True)

    _split = model_validator(mode="before")(_apart)

    @classmethod
    def words(cls) -> list[str]:
        return [*super().words(), *options()]


class State(Section):
    """A state with a given rate."""

    rate: Scalar
    start: Scalar = ZERO
    unit: str = ""
    text: str = ""


def _weight(value: Raw) -> Raw:
    """An expression, or a matrix of them."""
    return [[scalar(v) for v in row] for row in value] if isinstance(value, list) else scalar(value)


class Output(Section):
    """A user-defined quantity."""

    expression: Scalar
    unit: str = ""
    text: str = ""


def _action(value: Raw) -> Raw:
    """A word, or assignments of expressions."""
    if value in ("record", "stop"):
        return value
    if not isinstance(value, dict) or not value:
        raise refusal("give record, stop or a mapping from names to their new values, not {got}", value)
    return {str(k): scalar(v) for k, v in value.items()}


def _direction(value: Raw) -> Raw:
    return {"falling": -1, "both": 0, "rising": 1}.get(value, value) if isinstance(value, str) else value


class Event(Section):
    """Zero crossing of an expression."""

    expression: Scalar
    direction: Annotated[Literal[-1, 0, 1], BeforeValidator(_direction)] = 0
    action: Annotated[Raw, BeforeValidator(_action)] = "record"
    keeps: Literal["absolute", "relative"] = "absolute"


def _start_value(value: Raw) -> Raw:
    return [scalar(v) for v in value] if isinstance(value, list) else scalar(value)


def _samples(value: Raw) -> Raw:
    if value == "steps" or (is_integer(value) and 2 <= value <= 10_000_000):
        return value
    raise refusal("give an integer of at least 2, or the word steps, not {got}", value)


def _atol(value: Raw) -> Raw:
    """One number for all units, or numbers by unit or name of a state."""
    if isinstance(value, dict):
        return {str(name): scalar(one) for name, one in value.items()}
    return scalar(value)


class RunSection(Section):
    """Default settings for runs of the model."""

    duration: Scalar | None = None
    samples: Annotated[Raw, BeforeValidator(_samples)] = None
    method: Literal["auto", "explicit", "order5", "order8", "stiff"] = "auto"
    rtol: Scalar = constant(1e-10)
    atol: Annotated[Raw, BeforeValidator(_atol)] = None
    plot: list[str] = []


class ModelSection(Section):
    """A whole file."""

    name: str
    text: str = ""
    gravity: Vector = Field(default_factory=lambda: [ZERO, ZERO, constant(-9.81)])
    impacts: Literal["sequential", "simultaneous", "compliant"] = "sequential"
    scenery: Shapes = []
    parameters: dict[str, Annotated[Parameter, short("value")]] = {}
    inputs: dict[str, Annotated[Parameter, short("value")]] = {}
    constants: dict[str, Scalar] = {}
    tables: dict[str, TableSection] = {}
    bodies: dict[str, Body]
    frames: dict[str, MovingFrame] = {}
    connections: Annotated[dict[int | str, Connection], BeforeValidator(numbered)] = {}
    states: dict[str, Annotated[State, short("rate")]] = {}
    blocks: dict[str, Raw] = {}
    names: dict[str, str] = {}
    forces: dict[str, Raw] = {}
    relax: dict[str, Annotated[Raw, BeforeValidator(_weight)]] = {}
    resist: dict[str, Scalar] = {}
    outputs: dict[str, Annotated[Output, short("expression")]] = {}
    events: dict[str, Event] = {}
    break_at: list[Scalar] = []
    start: dict[str, Annotated[Raw, BeforeValidator(_start_value)]] = {}
    run: RunSection = RunSection()
