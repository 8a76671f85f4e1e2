"""The benchmark bicycle on tyres that slip sideways."""

from collections.abc import Mapping
from dataclasses import replace

from trundle.bicycle.whipple import benchmark_parts, whipple
from trundle.contact import MagicTyre
from trundle.file.read import ModelFile, RunSettings


def bicycle_with_tyres(
    stiffness: float = 12.0, relaxation: float = 0.1, parameters: Mapping[str, float] | None = None
) -> ModelFile:
    """The benchmark bicycle on tyres that slip sideways: it weaves less well damped than rolling without slip.

    `stiffness` is the cornering stiffness over load (1/rad), `relaxation` the relaxation length (m); with stiffness ->
    infinity it is the benchmark. Lean causes no side force of the tyre beyond that of the tilted load.
    """
    parts = benchmark_parts()
    wheels = {name: replace(getattr(parts, name), tyre=0.02) for name in ("rear_wheel", "front_wheel")}
    tyres = MagicTyre(
        stiffness_x=30.0, stiffness_y=stiffness, relaxation_x=relaxation, relaxation_y=relaxation, slow=1e-3
    )
    model = whipple(replace(parts, **wheels), "bicycle with tyres", tyres=tyres)
    speed = model.parameter("start_speed", (parameters or {}).get("start_speed", 5.0), "m/s", "speed at the start")
    v = model.parameters["start_speed"].value
    model.output("over_start", lambda s: s["rear.forward_velocity"] / speed, text="speed over that at the start")
    model.start = {"speed": v, "rear_angle_rate": v / parts.rear_wheel.radius}
    model.start |= {"front_angle_rate": v / parts.front_wheel.radius, "rear frame.angular_velocity": (0.3, 0.0, 0.0)}
    plot = ("roll", "steer", "front.slip_y")
    return ModelFile(model, run=RunSettings(duration=3.0, method="stiff", rtol=1e-8, plot=plot))
