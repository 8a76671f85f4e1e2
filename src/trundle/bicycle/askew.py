"""The bicycle of a Loop as a model: misaligned hinges, a separate road of the front wheel [Meijaard 2024, Fig. 11]."""

from typing import TYPE_CHECKING

import numpy as np

from trundle.bicycle.loop import Loop
from trundle.laws.friction_law import ContactLaw
from trundle.model import Body, Model, shape
from trundle.pairs.higher import HigherPair
from trundle.pairs.lower import Revolute
from trundle.pairs.surface import Plane, Torus
from trundle.space.chain import Screw
from trundle.space.rotation import axis_vector
from trundle.typing import Given

if TYPE_CHECKING:
    from trundle.bicycle.whipple import Parts

UP = np.diag([1.0, -1.0, -1.0])
"""From axes with y to the right and z down to those with y to the left and z up."""


def connect_askew(m: Model, parts: "Parts", loop: Loop, law: ContactLaw) -> None:
    """Add the bodies and connections of the loop to a model; masses are those of `parts`, at the positions of the
    reference pose, from the rear point of contact. A wheel's mass centre is its true centre.
    """
    to_contact = np.array([0.0, 0.0, loop.rear_radius])

    def place(point: object) -> np.ndarray:  # in z-up axes from the rear point of contact
        return np.asarray(UP @ np.array(point, dtype=float) + to_contact)

    centres = {"rear wheel": to_contact, "front wheel": place(loop.front_wheel.at)}
    checked = parts.check_inertia

    def wheel(name: str, given: Given, radius: float) -> Body:
        return m.body(
            name, given.mass, (given.Ixx, given.Iyy, given.Ixx), shape=shape.Disc(radius), check_inertia=checked
        )

    def frame(name: str, given: Given, origin: np.ndarray, head: np.ndarray) -> Body:
        com = np.array([given.x, 0.0, given.z]) - origin
        rods = (shape.Rod((0.0, 0.0, 0.0), tuple(head - origin)), shape.Rod(tuple(head - origin), tuple(com)))
        return m.body(name, given.mass, given.inertia, tuple(com), shape=rods, check_inertia=checked)

    height = 2.4 * loop.front_radius
    axis, foot = UP @ axis_vector(loop.steering.axis), place(loop.steering.at)
    head = foot + axis * ((height - foot[2]) / axis[2])
    origins = {"rear frame": place(loop.rear_hub.at), "front frame": place(loop.front_hub.at)}
    rear_wheel = wheel("rear wheel", parts.rear_wheel, loop.rear_radius)
    rear_frame = frame("rear frame", parts.rear_frame, origins["rear frame"], head)
    front_frame = frame("front frame", parts.front_frame, origins["front frame"], head)
    front_wheel = wheel("front wheel", parts.front_wheel, loop.front_radius)

    # The front wheel's own y axis is that of its tyre; a frame on it has the axes of the reference pose.
    tilted = _turn_to(-(UP @ axis_vector(loop.front_wheel.axis)))
    down = np.array(loop.road_normal) / np.linalg.norm(loop.road_normal)
    road = m.ground.frame(tuple(UP @ np.array(loop.road_point)), _upright(-(UP @ down)))
    m.connect(HigherPair(Plane(), Torus(loop.rear_radius, loop.rear_tyre)), m.ground, rear_wheel, "rear", law)
    m.connect(HigherPair(Plane(), Torus(loop.front_radius, loop.front_tyre)), road, front_wheel, "front", law)
    steering = Revolute(tuple(-(UP @ axis_vector(loop.steering.axis))))
    places = (tuple(head - origins[name]) for name in ("rear frame", "front frame"))
    m.connect(steering, rear_frame.at(next(places)), front_frame.at(next(places)), "steering")
    for hinge, body, at, rotation, name in (
        (loop.rear_hub, rear_wheel, origins["rear frame"] - centres["rear wheel"], np.eye(3), "rear hub"),
        (loop.front_hub, front_wheel, origins["front frame"] - centres["front wheel"], tilted.T, "front hub"),
    ):
        carrier = rear_frame if name == "rear hub" else front_frame
        m.connect(_hub(hinge), carrier, body.frame(tuple(rotation @ at), rotation), name)


def _hub(hinge: Screw) -> Revolute:
    """A hub whose angle is positive for forward rolling."""
    return Revolute(tuple(-(UP @ axis_vector(hinge.axis))))


def _turn_to(axis: np.ndarray) -> np.ndarray:
    """Rotation whose y axis is the given one and whose x axis is as close to forward as possible."""
    x = np.array([1.0, 0.0, 0.0]) - axis[0] * axis
    x /= np.linalg.norm(x)
    return np.column_stack([x, axis, np.cross(x, axis)])


def _upright(normal: np.ndarray) -> np.ndarray:
    """Rotation whose z axis is the given one and whose x axis is as close to forward as possible."""
    x = np.array([1.0, 0.0, 0.0]) - normal[0] * normal
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(normal, x), normal])
