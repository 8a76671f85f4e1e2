"""A hanging chain in space."""

from collections.abc import Mapping

from trundle.file.read import ModelFile, RunSettings
from trundle.laws.efforts import Damper
from trundle.model.body import Body, Frame
from trundle.model.model import Model
from trundle.model.shape import Rod
from trundle.pairs.lower import Revolute


def chain(n: int = 7, parameters: Mapping[str, float] | None = None) -> ModelFile:
    """A chain of n links with alternately crossed hinges falls from the horizontal and swings in space."""
    model = Model(f"chain of {n}")
    given = {"damping": 0.0, **(parameters or {})}
    damping = model.parameter("damping", given["damping"], "N m s/rad", "damping of every hinge")
    length, mass, width = 0.3, 0.5, 0.03
    across, along = mass * (length**2 + width**2) / 12, mass * width**2 / 6
    place: Body | Frame = model.ground
    for i in range(n):
        link = model.body(
            f"link{i}",
            mass=mass,
            inertia=(along, across, across),
            com=(length / 2, 0.0, 0.0),
            shape=Rod((0, 0, 0), (length, 0, 0)),
        )
        model.connect(Revolute("y" if i % 2 == 0 else "z"), place, link, law=Damper(damping))
        place = link.at(length, 0.0)
    if n > 1:
        model.start["link1.angle"] = 0.5
    return ModelFile(model, run=RunSettings(duration=5.0, plot=tuple(f"link{i}.angle" for i in range(min(n, 4)))))
