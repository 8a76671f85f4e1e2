"""A row of dominoes."""

from collections.abc import Mapping

from trundle.contact import Coulomb
from trundle.file.read import ModelFile, RunSettings
from trundle.model.model import Model
from trundle.model.shape import Box
from trundle.pairs.edge import Vertex
from trundle.pairs.lower import Planar
from trundle.pairs.planar import Line, PlanarPair
from trundle.space.rotation import rotation

HEIGHT, WIDTH, STEP = 0.5, 0.1, 0.2  # m


def dominoes(n: int = 2, parameters: Mapping[str, float] | None = None) -> ModelFile:
    """The first of n dominoes is pushed, each falls on the next one, and all come to rest on the floor."""
    model = Model(f"{n} dominoes")
    given = {"friction": 0.4, "push": 5.0, **(parameters or {})}
    mu = model.parameter("friction", given["friction"], "", "coefficient of friction everywhere")
    push = model.parameter("push", given["push"], "rad/s", "rate at which the first one is pushed")
    last = None
    for i in range(n):
        body = model.body(f"d{i}", 1.0, (HEIGHT**2 + WIDTH**2) / 12, shape=Box((WIDTH, 0.3, HEIGHT)))
        model.connect(Planar("y"), model.ground, body, name=f"pose{i}")
        model.contact(model.ground, body, Coulomb(mu), name=f"floor{i}", planar=True)
        if last is not None:  # the face that the upper edge of the one before falls on
            face = body.frame((-WIDTH / 2, 0, 0), rotation("y", -1.5707963267948966))
            upper = last.at(WIDTH / 2, 0, HEIGHT / 2)
            model.connect(PlanarPair(Line(), Vertex()), face, upper, f"touch{i}", Coulomb(mu), unilateral=True)
        model.start[f"d{i}.position"] = (STEP * i, 0.0, HEIGHT / 2)
        last = body
    model.start["pose0.angle_rate"] = push
    plot = tuple(f"pose{i}.angle" for i in range(n))
    return ModelFile(model, run=RunSettings(duration=2.0, plot=plot))
