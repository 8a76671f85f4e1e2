"""Benchmark A02 of the IFToMM library: N four-bar linkages side by side."""

import math
from collections.abc import Mapping

from trundle.file.read import ModelFile, RunSettings
from trundle.model.body import Body
from trundle.model.model import Model
from trundle.model.shape import Rod
from trundle.pairs.lower import Revolute


def n_four_bar(N: int = 10, parameters: Mapping[str, float] | None = None) -> ModelFile:
    """N four-bar linkages side by side turn over and pass their folded poses (IFToMM benchmark A02).

    N + 1 rods stand on the ground 1 m apart and N couplers join their ends; every link is a slender bar of 1 m and
    1 kg. The linkage has one degree of freedom, except where it folds flat.
    """
    model = Model(f"{N} four-bars", gravity=(0.0, -9.81, 0.0))
    model.parameter("speed", (parameters or {}).get("speed", 1.0), "m/s", "start speed of the upper joints")

    def bar(name: str) -> Body:
        return model.body(name, 1.0, (0.0, 1 / 12, 1 / 12), com=(0.5, 0.0, 0.0), shape=Rod((0, 0, 0), (1, 0, 0)))

    rods = [bar(f"rod{i}") for i in range(N + 1)]
    couplers = [bar(f"coupler{i}") for i in range(N)]
    for i, rod in enumerate(rods):
        model.connect(Revolute("z"), model.ground.at(float(i), 0.0), rod)
        model.start[f"rod{i}.angle"] = math.pi / 2
    for i, coupler in enumerate(couplers):
        model.connect(Revolute("z"), rods[i].at(1.0, 0.0), coupler)
        model.connect(Revolute("z"), coupler.at(1.0, 0.0), rods[i + 1].at(1.0, 0.0), name=f"closure{i}")
        model.start[f"coupler{i}.angle"] = -math.pi / 2
    model.start["rod0.angle_rate"] = -model.parameters["speed"].value
    return ModelFile(model, run=RunSettings(duration=10.0, plot=("rod0.angle", "rod0.angle_rate")))
