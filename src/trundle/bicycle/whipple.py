"""The Whipple bicycle: four rigid bodies, two wheels that roll without slip [Meijaard et al. 2007].

Axes are z up, x forward, y to the left: yaw and steer are positive to the left, roll to the right, and wheels that roll
forward turn in the positive sense. All coordinates are zero in the upright pose.
"""

from dataclasses import dataclass
from functools import cache
from math import pi
from typing import final

import casadi as ca

from trundle.bicycle.askew import connect_askew
from trundle.bicycle.geometry import FLAT
from trundle.bicycle.loop import Loop
from trundle.contact import NoSlip
from trundle.data_file import read_data
from trundle.errors import ModelError
from trundle.laws.friction_law import ContactLaw
from trundle.model import Body, Frame, Model, shape
from trundle.model.part_check import evaluate
from trundle.pairs.higher import HigherPair
from trundle.pairs.lower import Revolute
from trundle.pairs.surface import Plane, Torus
from trundle.typing import Expr

Point = tuple[Expr, Expr, Expr]


@final
@dataclass(frozen=True)
class Part:
    """A frame in the plane of symmetry: mass, mass centre (x forward, z up) and inertia about it, z-up axes.

    Parameters
    ----------
    mass : float or expression
        In kg.
    x : float or expression
        Of the mass centre, forward from the rear point of contact (m).
    z : float or expression
        Of the mass centre, above the road (m).
    Ixx, Iyy, Izz : float or expression
        Moments of inertia about the mass centre (kg m^2).
    Ixz : float or expression
        Element of the inertia matrix (kg m^2), not the product of inertia with opposite sign.
    """

    mass: Expr
    x: Expr
    z: Expr
    Ixx: Expr
    Iyy: Expr
    Izz: Expr
    Ixz: Expr

    @property
    def inertia(self) -> tuple[tuple[Expr, Expr, Expr], ...]:
        """The inertia matrix."""
        return ((self.Ixx, 0, self.Ixz), (0, self.Iyy, 0), (self.Ixz, 0, self.Izz))


@final
@dataclass(frozen=True)
class Wheel:
    """A wheel with rotational symmetry; `tyre` is the radius of its profile, zero for a knife edge.

    Parameters
    ----------
    radius : float or expression
        In m.
    mass : float or expression
        In kg.
    Ixx : float or expression
        Moment of inertia about a diameter (kg m^2).
    Iyy : float or expression
        About the axle (kg m^2).
    tyre : float or expression
        Radius of the profile (m).
    """

    radius: Expr
    mass: Expr
    Ixx: Expr
    Iyy: Expr
    tyre: Expr = 0.0


@final
@dataclass(frozen=True)
class Parts:
    """The parts of a Whipple bicycle.

    Parameters
    ----------
    wheelbase : float or expression
        Distance of the points of contact (m).
    trail : float or expression
        How far the front point of contact lies behind the steering axis (m).
    tilt : float or expression
        Of the steering axis from the vertical (rad).
    rear_wheel, front_wheel : Wheel
        The wheels.
    rear_frame : Part
        With all that is fixed to it, such as a rider.
    front_frame : Part
        Fork and handlebar.
    gravity : float or expression
        In m/s^2.
    check_inertia : bool
        False accepts measured moments that violate the triangle inequality.
    """

    wheelbase: Expr
    trail: Expr
    tilt: Expr
    rear_wheel: Wheel
    rear_frame: Part
    front_frame: Part
    front_wheel: Wheel
    gravity: Expr = 9.81
    check_inertia: bool = True

    def __post_init__(self) -> None:
        kinds = {"rear_wheel": Wheel, "rear_frame": Part, "front_frame": Part, "front_wheel": Wheel}
        faults = [
            f"{name} must be a bicycle.{kind.__name__}, got {getattr(self, name)!r}."
            for name, kind in kinds.items()
            if not isinstance(getattr(self, name), kind)
        ]
        if isinstance(self.tilt, int | float) and abs(self.tilt) >= pi / 2:
            faults.append(f"tilt {self.tilt:g} {FLAT}")
        if faults:
            raise ModelError([f"parts of a bicycle: {fault}" for fault in faults])


@cache
def benchmark_parts() -> Parts:
    """The parameters of the benchmark bicycle, from the data file in this folder."""
    data = read_data("bicycle/benchmark.toml")

    def part(name: str) -> Part:  # the table has z down: heights and products of inertia change their sign
        d = dict(data[name])
        return Part(**{**d, "z": -d["z"], "Ixz": -d["Ixz"]})

    return Parts(
        data["wheelbase"], data["trail"], data["tilt"], Wheel(**data["rear_wheel"]), part("rear_frame"),
        part("front_frame"), Wheel(**data["front_wheel"]), data["gravity"],
    )  # fmt: skip


def whipple(
    parts: Parts,
    name: str = "bicycle",
    wheels_first: bool = False,
    tyres: ContactLaw | None = None,
    loop: Loop | None = None,
    model: Model | None = None,
) -> Model:
    """The model of a bicycle on the plane z = 0.

    Parameters
    ----------
    parts : Parts
        Geometry, masses and moments of inertia.
    name : str
        Of the model.
    wheels_first : bool
        Connect the contacts to the wheels themselves, which gives the same motion in other coordinates. Otherwise the
        rear contact is followed from the rear frame, so that its pitch is a coordinate.
    tyres : ContactLaw, optional
        Law of the contacts; the wheels roll without slip unless given.
    loop : Loop, optional
        Hinges and wheel radii, askew or off centre, with contacts on the wheels; of `parts` only masses, mass centres
        and moments are used then.
    model : Model, optional
        Your own model, to which the bicycle is added; `parts` may then contain its parameters. With a tilt that is a
        parameter, the pitch is that of the steering axis: -tilt where the bicycle is upright.

    Returns
    -------
    Model
    """
    m = Model(name, gravity=(0.0, 0.0, -parts.gravity)) if model is None else model
    law = NoSlip() if tyres is None else tyres
    if loop is None:
        _connect_true(m, parts, wheels_first, law)
    else:
        connect_askew(m, parts, loop, law)
    for short in ("x", "y", "yaw", "roll") if wheels_first or loop else ("x", "y", "yaw", "roll", "pitch"):
        m.alias(short, f"rear.{short}")
    for short, full in (("steer", "steering"), ("rear_angle", "rear hub"), ("front_angle", "front hub")):
        m.alias(short, f"{full}.angle")
    m.alias("speed", "rear.forward_velocity")
    return m


def _connect_true(m: Model, parts: Parts, wheels_first: bool, law: ContactLaw) -> None:
    """Bodies and connections of a bicycle that is true to its plane of symmetry."""
    rear, front = parts.rear_wheel, parts.front_wheel
    sine, cosine = (f(parts.tilt) if isinstance(parts.tilt, ca.SX) else float(f(parts.tilt)) for f in (ca.sin, ca.cos))
    axis: tuple[Expr, Expr, Expr] = (-sine, 0.0, cosine)  # upwards and back
    height = 2.4 * front.radius  # of the head on the steering axis, where the two frames are joined
    head = (parts.wheelbase + parts.trail + height * axis[0] / axis[2], 0.0, height)
    checked = parts.check_inertia
    turned = isinstance(parts.tilt, ca.SX)
    if turned:  # directions of joints are numbers: the axes of both frames lean with the steering axis
        if wheels_first:
            raise ModelError("a tilt that is a parameter needs contacts followed from the frames: wheels_first=False.")
        axis = (0.0, 0.0, 1.0)
        m.start["rear.pitch"] = -parts.tilt
    turn = (cosine, sine) if turned else None
    frame, at_frame = _frame(m, "rear frame", parts.rear_frame, (0.0, 0.0, rear.radius), head, checked, turn)
    hub = (parts.wheelbase, 0.0, front.radius)
    fork, at_fork = _frame(m, "front frame", parts.front_frame, hub, head, checked, turn)
    wheels = [
        m.body(n, w.mass, (w.Ixx, w.Iyy, w.Ixx), shape=shape.Disc(_number(m, w.radius)), check_inertia=checked)
        for n, w in (("rear wheel", rear), ("front wheel", front))
    ]
    for contact, body, wheel, surface in (
        ("rear", frame, wheels[0], Torus(rear.radius, rear.tyre)),
        ("front", fork, wheels[1], Torus(front.radius, front.tyre)),
    ):
        pair = HigherPair(Plane(), surface)
        if wheels_first:
            m.connect(pair, m.ground, wheel, contact, law)
        else:
            m.connect(pair, m.ground, body, contact, law, wheel=wheel)
    m.connect(Revolute(axis), at_frame, at_fork, "steering")
    m.connect(Revolute("y"), frame, wheels[0], "rear hub")
    m.connect(Revolute("y"), fork, wheels[1], "front hub")


def _frame(
    m: Model, name: str, part: Part, hub: Point, head: Point, checked: bool, turn: tuple[Expr, Expr] | None
) -> tuple[Body, Frame]:
    """A frame whose own origin is the hub of its wheel, and the place of its head; its axes lean back by the angle
    whose cosine and sine are `turn`.
    """
    com, inertia = (part.x - hub[0], 0.0, part.z - hub[2]), part.inertia
    at = tuple(head[i] - hub[i] for i in range(3))
    if turn is not None:
        c, s = turn
        com, at = ((c * v[0] + s * v[2], 0.0, -s * v[0] + c * v[2]) for v in (com, at))
        R = ca.vertcat(ca.horzcat(c, 0, s), ca.horzcat(0, 1, 0), ca.horzcat(-s, 0, c))
        I = ca.mtimes([R, ca.vertcat(*[ca.horzcat(*row) for row in inertia]), R.T])
        inertia = tuple(tuple(I[i, k] for k in range(3)) for i in range(3))
    end, middle = ((_number(m, x), _number(m, y), _number(m, z)) for x, y, z in (at, com))
    rods = (shape.Rod((0.0, 0.0, 0.0), end), shape.Rod(end, middle))
    body = m.body(name, part.mass, inertia, com, shape=rods, check_inertia=checked)
    return body, body.at(*at)


def _number(m: Model, size: Expr) -> float:
    """A size for drawing: parameters at their default values."""
    return float(evaluate(m, size).item())


def benchmark(rear_tyre: Expr = 0.0, front_tyre: Expr = 0.0) -> Model:
    """The benchmark bicycle.

    Parameters
    ----------
    rear_tyre, front_tyre : float or expression
        Profile radii of the tyres (m), with the same wheel radii; zero for sharp edges.

    Returns
    -------
    Model
    """
    from dataclasses import replace

    parts = benchmark_parts()
    rear, front = replace(parts.rear_wheel, tyre=rear_tyre), replace(parts.front_wheel, tyre=front_tyre)
    return whipple(replace(parts, rear_wheel=rear, front_wheel=front), "benchmark bicycle")
