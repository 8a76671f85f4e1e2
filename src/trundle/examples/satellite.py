"""A satellite in its orbital frame."""

from collections.abc import Mapping

import casadi as ca

from trundle.file.read import ModelFile, RunSettings
from trundle.laws.signals import Signals
from trundle.math import cos, sin
from trundle.model.body import Frame
from trundle.model.frame_forces import Wrench
from trundle.model.model import Model
from trundle.model.shape import Box
from trundle.pairs.lower import Free
from trundle.typing import Expr

MU = 3.986004418e14  # m^3/s^2, of the earth


def satellite(parameters: Mapping[str, float] | None = None) -> ModelFile:
    """A satellite near a circular orbit drifts and librates in the rotating frame of the orbit."""
    model = Model("satellite", gravity=(0.0, 0.0, 0.0))
    given = {"radius": 7.0e6, **(parameters or {})}
    radius = model.parameter("radius", given["radius"], "m", "of the orbit")
    n = ca.sqrt(MU / radius**3)  # rad/s

    orbit = model.moving_frame(
        "orbit", lambda s: (radius * cos(n * s.t), radius * sin(n * s.t), 0.0), lambda s: ("z", n * s.t)
    )
    inertia = (10.0, 60.0, 65.0)  # long axis x, along the radius
    body = model.body("satellite", mass=100.0, inertia=inertia, shape=Box((4.0, 1.0, 0.5), (0.0, 0.0, 0.0)))
    model.connect(Free(), orbit, body)
    centre = Frame(body)

    def pull(s: Signals) -> Expr:
        r = s.position(centre)
        return -MU * 100.0 * r / ca.norm_2(r) ** 3

    def gradient(s: Signals) -> Expr:
        R, r = s.rotation(centre), s.position(centre)
        up = ca.mtimes(R.T, r)
        return ca.mtimes(R, 3 * MU / ca.norm_2(r) ** 5 * ca.cross(up, ca.mtimes(ca.diag(ca.SX(ca.DM(inertia))), up)))

    model.apply(Wrench(centre, force=pull, moment=gradient), "gravity")
    model.start = {"satellite.x": 1.0, "satellite.z": 0.5}
    plot = ("satellite.x", "satellite.y", "satellite.z", "satellite.imaginary_gyroscopic_force_x")
    return ModelFile(model, run=RunSettings(duration=6000.0, plot=plot))
