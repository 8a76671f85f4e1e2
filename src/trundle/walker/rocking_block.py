"""A block on a plate that may be shaken: it rocks from edge to edge, slips and comes to rest [Housner 1963]."""

from collections.abc import Callable
from math import atan2, cos, hypot, isfinite, pi, sin, sqrt

from trundle.contact import Coulomb, NoSlip
from trundle.errors import ModelError
from trundle.laws.flows import Servo
from trundle.laws.law import Law
from trundle.laws.restitution import Restitution
from trundle.laws.signals import Signals
from trundle.math import abs as abs_
from trundle.model.model import Model
from trundle.pairs import Planar, Prismatic
from trundle.pairs.edge import Vertex
from trundle.pairs.planar import Line, PlanarPair
from trundle.typing import Expr

PLATE = 1.0  # kg; its motion is given


def rocking_block(
    half_width: float = 0.1,
    half_height: float = 0.4,
    mass: float = 1.0,
    friction: float | None = None,
    restitution: Restitution | float = 0.0,
    shaking: Callable[[Signals], Expr] | None = None,
    tilt: float = 0.0,
    g: float = 9.81,
) -> Model:
    """A homogeneous block in the x, z plane on its two lower edges, contacts "left" and "right".

    Parameters
    ----------
    half_width, half_height : float
        Of the block (m).
    mass : float
        In kg.
    friction : float, optional
        Coefficient of Coulomb friction; without one the edges do not slip.
    restitution : Restitution or float
        Of the edges.
    shaking : callable, optional
        Displacement of the plate along x (m) as a function of time, built of `tr` functions; without one the plate is
        the ground.
    tilt : float
        Angle at the start (rad), positive about the right edge.
    g : float
        Gravity (m/s^2).

    Returns
    -------
    Model
        Its runs end with "overturns" when the block lies on its side.
    """
    for what, value in (("half_width", half_width), ("half_height", half_height), ("mass", mass)):
        if not (isfinite(value) and value > 0):
            raise ModelError(f"rocking_block: {what} must be above zero, got {value!r}.")
    m = Model("rocking block", gravity=(0.0, 0.0, -g))
    plate = m.ground
    if shaking is not None:
        plate = m.body("plate", PLATE, (PLATE, PLATE, PLATE))
        m.connect(Prismatic("x"), m.ground, plate, name="shaker", law=Servo(shaking))
    inertia = mass * (half_width**2 + half_height**2) / 3
    block = m.body("block", mass, (inertia, inertia, inertia))
    m.connect(Planar("y"), m.ground, block, name="pose")
    m.alias("along", "pose.y")
    m.alias("height", "pose.x")
    law: Law = NoSlip() if friction is None else Coulomb(m.parameter("mu", friction, text="coefficient of friction"))
    for name, side in (("left", -1), ("right", 1)):
        edge = block.frame((side * half_width, 0, -half_height))
        m.connect(PlanarPair(Line(), Vertex()), plate, edge, name=name, law=law, restitution=restitution)
    m.event("overturns", lambda s: pi / 2 - abs_(s["pose.angle"]), direction=-1, action="stop")
    side = 1 if tilt >= 0 else -1
    lean = side * atan2(half_width, half_height) - tilt
    length = hypot(half_width, half_height)
    m.start = {
        "pose.angle": tilt,
        "height": length * cos(lean),
        "along": side * half_width - length * sin(lean),
    }
    return m


def slenderness(half_width: float, half_height: float) -> float:
    """Angle between the diagonal and the plumb line (rad): the half angle of the two feet."""
    return atan2(half_width, half_height)


def housner_ratio(half_width: float, half_height: float) -> float:
    """Angular speed after a block has changed its edge over that before: 1 - (3/2) sin^2 of the slenderness.

    Parameters
    ----------
    half_width, half_height : float
        Of the block (m).

    Returns
    -------
    float
        It holds where the new edge sticks (from `friction_needed` on) and does not bounce, and the old one leaves.
        Blocks lower than half_width / sqrt(2) cannot leave it: they stop at once, and the ratio is zero.
    """
    return max(0.0, 1 - 1.5 * sin(slenderness(half_width, half_height)) ** 2)


def friction_needed(half_width: float, half_height: float) -> float:
    """Coefficient of friction below which an edge slips as it lands."""
    a = slenderness(half_width, half_height)
    return sin(a) * cos(a) / (1 / 3 + cos(a) ** 2)


def friction_of_double_contact(half_width: float, half_height: float) -> float:
    """Coefficient of friction below which the landing edge drives the other one into the plate, and the block stops
    turning; below zero, that is never, for half_height / half_width > sqrt(2) [Barjau 2022].
    """
    a = slenderness(half_width, half_height)
    return (sin(a) ** 2 - 1 / 3) / (sin(a) * cos(a))


def overturns_from(half_width: float, half_height: float, tilt: float, g: float = 9.81) -> float:
    """Angular speed (rad/s) at this tilt, towards it, with which the block just reaches the top about its edge."""
    length = hypot(half_width, half_height)
    left = abs(slenderness(half_width, half_height)) - abs(tilt)
    if not 0 <= left <= pi / 2:
        raise ModelError(f"overturns_from: at a tilt of {tilt!r} rad the block is over its edge already.")
    return sqrt(3 * g / (2 * length) * (1 - cos(left)))
