"""The benchmark bicycle with misaligned hinges."""

from collections.abc import Mapping
from dataclasses import replace
from math import pi

from trundle.bicycle.geometry import Geometry
from trundle.bicycle.loop import Loop
from trundle.bicycle.whipple import benchmark_parts, whipple
from trundle.file.read import ModelFile, RunSettings
from trundle.space.chain import Screw


def askew_loop(bend: float = 1.0) -> Loop:
    """The hinges of the benchmark bicycle on tyres of 20 and 15 mm, each misaligned by a few mm and a few hundredths of
    a radian times `bend`; 0 is the symmetric bicycle.
    """
    true = Geometry(1.02, 0.08, pi / 10, 0.3, 0.35, 0.02, 0.015).loop()

    def bent(hinge: Screw, turn: tuple[float, float, float], shift: tuple[float, float, float]) -> Screw:
        axis = (0.0, 1.0, 0.0) if isinstance(hinge.axis, str) else tuple(hinge.axis)
        at = tuple(a + bend * b for a, b in zip(hinge.at, shift, strict=True))
        return Screw(tuple(a + bend * b for a, b in zip(axis, turn, strict=True)), at=at)

    return replace(
        true,
        rear_hub=bent(true.rear_hub, (0.01, 0.0, 0.02), (0.002, 0.0, -0.001)),
        steering=bent(true.steering, (0.0, 0.03, 0.0), (0.0, 0.004, 0.0)),
        front_hub=bent(true.front_hub, (-0.02, 0.0, 0.01), (0.001, 0.0, 0.003)),
        front_wheel=bent(true.front_wheel, (0.01, 0.0, -0.02), (-0.002, 0.003, 0.0)),
    )


def askew_bicycle(bend: float = 1.0, parameters: Mapping[str, float] | None = None) -> ModelFile:
    """A bicycle whose hubs and steering axis are askew wobbles with every turn of its wheels.

    `bend` scales the faults of its hinges; with 0 it is the benchmark bicycle on round tyres.
    """
    model = whipple(benchmark_parts(), "askew bicycle", loop=askew_loop(bend))
    radius = model.parameter("tread", (parameters or {}).get("tread", 0.3), "m", "radius by which the distance is read")
    model.output("rolled", lambda s: s["rear.pitch"] * radius, "m", text="distance that the rear wheel has rolled")
    model.start = {"speed": 5.0, "roll_rate": 0.1}
    return ModelFile(model, run=RunSettings(duration=1.5, plot=("roll", "steer", "front.normal_force")))
