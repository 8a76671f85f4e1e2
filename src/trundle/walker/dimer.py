"""The bouncing dimer: two balls joined by a light rod on a plate that shakes up and down."""

from collections.abc import Callable
from math import isfinite, sin

from trundle.contact import Coulomb
from trundle.errors import ModelError
from trundle.laws.flows import Servo
from trundle.laws.restitution import Poisson
from trundle.laws.signals import Signals
from trundle.model.model import Model
from trundle.pairs import Planar, Prismatic
from trundle.pairs.planar import Circle, Line, PlanarPair
from trundle.typing import Expr

PLATE = 1.0  # kg; its motion is given


def bouncing_dimer(
    radius: float = 0.01,
    distance: float = 0.06,
    mass: float = 0.01,
    friction: float = 0.2,
    restitution: float = 0.8,
    shaking: Callable[[Signals], Expr] | None = None,
    height: float = 0.01,
    tilt: float = 0.0,
    g: float = 9.81,
) -> Model:
    """Two balls as one body in the x, z plane, on a plate: contacts "left" and "right".

    Parameters
    ----------
    radius : float
        Of the balls (m).
    distance : float
        Between their centres (m).
    mass : float
        Of each ball (kg).
    friction, restitution : float
        Coefficient of friction and Poisson's restitution; "mu" and "e" are parameters of the model.
    shaking : callable, optional
        Height of the plate (m) as a function of time.
    height : float
        Of the lower ball over the plate at the start (m).
    tilt : float
        At the start (rad).
    g : float
        Gravity (m/s^2).

    Returns
    -------
    Model
        Balls that land together collide as `model.impacts` says: "sequential" unless changed.
    """
    sizes = {"radius": radius, "distance": distance, "mass": mass}
    for what, value in sizes.items():
        if not (isfinite(value) and value > 0):
            raise ModelError(f"bouncing_dimer: {what} must be above zero, got {value!r}.")
    m = Model("bouncing dimer", gravity=(0.0, 0.0, -g))
    mu, e = m.parameter("mu", friction), m.parameter("e", restitution)
    plate = m.ground
    if shaking is not None:
        plate = m.body("plate", PLATE, (PLATE, PLATE, PLATE))
        m.connect(Prismatic("z"), m.ground, plate, name="shaker", law=Servo(shaking))
    inertia = 2 * mass * (0.4 * radius**2 + distance**2 / 4)
    dimer = m.body("dimer", 2 * mass, (inertia, inertia, inertia))
    m.connect(Planar("y"), m.ground, dimer, name="pose")
    m.alias("along", "pose.y")
    m.alias("height", "pose.x")
    for name, side in (("left", -1), ("right", 1)):
        ball = dimer.frame((side * distance / 2, 0, 0))
        m.connect(
            PlanarPair(Line(), Circle(radius)), plate, ball, name=name, law=Coulomb(mu), restitution=Poisson(e)
        )  # fmt: skip
    m.start = {"pose.angle": tilt, "height": radius + height + distance / 2 * abs(sin(tilt)), "along": 0.0}
    return m
