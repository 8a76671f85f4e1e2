"""A pole on a cart that a force pushes: what tests of inputs and of control share."""

from functools import cache

import numpy as np

import trundle as tr
from trundle.model.model import Model
from trundle.run.run import Run
from trundle.system import System

START = {"pole.angle": 0.1}
M_CART, M_POLE, LENGTH, INERTIA = 1.0, 0.2, 0.5, 0.01
STATES = ("cart.displacement", "pole.angle", "cart.displacement_rate", "pole.angle_rate")


def cart_and_pole(drive: object, m: Model) -> System:
    cart = m.body("cart", mass=M_CART, inertia=0.1)
    pole = m.body("pole", mass=M_POLE, com=(0, 0, LENGTH), inertia=INERTIA)
    m.connect(tr.Prismatic("x"), m.ground, cart, law=tr.Motor(drive))
    m.connect(tr.Revolute("y"), cart, pole)
    return m.build()


@cache
def system() -> System:
    m = tr.Model("cart and pole")
    return cart_and_pole(m.input("force", 0.0, "N", "push"), m)


def apart(one: Run, other: Run) -> float:
    return float(max(np.max(np.abs(one.values(name) - other.values(name))) for name in STATES))
