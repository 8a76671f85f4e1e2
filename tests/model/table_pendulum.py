"""A pendulum whose spring, and perhaps drive, are tables with knots at random."""

import numpy as np

import trundle as tr

rng = np.random.default_rng(2)
Q = np.linspace(-3, 3, 13)
TORQUE = -4 * Q + rng.normal(size=13) * 0.5
TIME = np.sort(np.concatenate([[0.0, 10.0], rng.uniform(0.05, 9.95, 38)]))
DRIVE = rng.normal(size=40)
SPRING = tr.Table(Q, TORQUE, unit="N m", text="torque of the spring", arguments=["angle (rad)"])
OTHER = tr.Table(Q[::2], 1.2 * TORQUE[::2])


def pendulum(drive: tr.Table | None = None, spring: tr.Table = SPRING, damping: float = 0.1) -> tr.Model:
    m = tr.Model("pendulum with tables")
    torque = m.table("spring", spring)
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0), inertia=(0.1, 0.1, 0.1))
    if drive is None:
        m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Motor(lambda t, q, u: torque(q) - damping * u))
    else:
        push = m.table("push", drive)
        m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Motor(lambda t, q, u: torque(q) + push(t) - damping * u))
    m.output("torque", lambda s: torque(s["bob.angle"]), "N m")
    m.start["bob.angle"] = 0.5
    return m
