"""Places of a file: points and axes on bodies, and rotations."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from trundle.file.field import Axis, Scalar, Vector, short, zeros
from trundle.typing import Raw


class Section(BaseModel):
    """Part of a file; unknown fields are faults."""

    model_config = ConfigDict(defer_build=True, extra="forbid", arbitrary_types_allowed=True, frozen=True)

    @classmethod
    def words(cls) -> list[str]:
        """Names of the fields that a file may have here."""
        return [name for name, one in cls.model_fields.items() if not one.exclude]


class Turn(Section):
    """A rotation: by an angle (rad) about an axis, or a quaternion [w, x, y, z], or three rows of a matrix."""

    axis: Axis | None = None
    angle: Scalar | None = None
    quaternion: Annotated[list[Scalar], Field(min_length=4, max_length=4)] | None = None
    matrix: Annotated[list[Vector], Field(min_length=3, max_length=3)] | None = None

    def model_post_init(self, context: object) -> None:
        given = {name for name in type(self).model_fields if getattr(self, name) is not None}
        if given not in ({"axis", "angle"}, {"quaternion"}, {"matrix"}):
            raise PydanticCustomError("rotation", "give axis and angle, or a quaternion [w, x, y, z], or a 3x3 matrix")


def _listed_rotation(value: Raw) -> Raw:
    """Four numbers are a quaternion, three rows a matrix."""
    return {"quaternion" if len(value) == 4 else "matrix": value} if isinstance(value, list) else value


Rotation = Annotated[Turn | None, BeforeValidator(_listed_rotation)]


class Place(Section):
    """A point and axes on a body; the name of a body alone is its own frame."""

    body: str
    at: Vector = Field(default_factory=zeros(3))
    rotation: Rotation = None


PlaceField = Annotated[Place, short("body")]
