"""What moves frames as given, in two ways: from the joint forces of articulated bodies, and as the sum over all bodies
of what their accelerations take minus the loads on them.
"""

import casadi as ca
import numpy as np
from tests.motion.carried import tumbling
from tests.motion.test_bias_terms import equations, numbers

import trundle as tr
from trundle.equations.driving import Driving


def loaded_deck() -> tr.Model:
    """On a frame that tumbles: a fixed mast, a crane with a hook on a ball, a loose ball that a spring pulls, and
    springs between frame, ground and bodies.
    """
    m = tr.Model("deck")
    deck = m.moving_frame("deck", **tumbling(4))
    mast = m.body("mast", mass=3.0, inertia=(0.4, 0.5, 0.6), com=(0.1, 0.2, 0.7))
    crane = m.body("crane", mass=2.0, inertia=(0.3, 0.2, 0.1), com=(0.3, 0.0, 0.1))
    hook = m.body("hook", mass=1.0, inertia=(0.1, 0.2, 0.2), com=(0.0, 0.1, -0.3))
    ball = m.body("ball", mass=1.5, inertia=0.2)
    m.connect(tr.Fixed(), deck.at(0.5, 0.1, 0.2), mast)
    m.connect(tr.Prismatic("x"), deck.at(0.2, 0.3, 0.4), crane, law=tr.Spring(30.0, 2.0))
    m.connect(tr.Spherical(), crane.at(0.1, 0.2, 0.3), hook)
    m.connect(tr.Free(), deck, ball)
    ends = [
        (deck.at(1, 0, 0), ball),
        (m.ground, mast.at(0, 0, 1)),
        (hook, deck.at(0, 1, 0)),
        (m.ground, deck.at(0, 0, 1)),
    ]
    for a, b in ends:
        m.apply(tr.SpringDamper(a, b, stiffness=40.0, damping=3.0, length=0.2))
    return m


def test_joint_forces_are_what_bodies_take_less_their_loads() -> None:
    e = equations(loaded_deck())
    udot, held = e.motion.unconstrained(e.inertias, e.gravity, e.loads, e.efforts)
    driving = Driving(e)
    ways = [driving.without_rows(held), driving.wrenches([], udot, ca.SX(0, 1))]
    found = numbers(e, *[part for way in ways for part in next(iter(way.values()))], *map(driving.power, ways))
    for ours, theirs in ((found[0], found[2]), (found[1], found[3]), (found[4], found[5])):
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-11)
        assert np.min(np.abs(ours)) > 0.1
