"""Corners that could wedge a body in: loads are those that the motion requires, none is raised to hold what would part.

A domino lies with its right end between the floor and a face that leans over it. Its lower corner slides, straight
below the upper one, which is at rest at the face. Any load below could be carried by the upper corner, as by a strut;
with one of several times the weight friction would hold it there.
"""

import numpy as np
import pytest
from tests.contact.test_geared_contacts import decided

from trundle.contact.collision import layout as at

G, MASS, HEIGHT, WIDTH = 9.81, 1.73, 0.5, 0.1
INERTIA = MASS * (HEIGHT**2 + WIDTH**2) / 12
BELOW, ABOVE = np.array([HEIGHT, -WIDTH]) / 2, np.array([HEIGHT, WIDTH]) / 2  # corners, from the mass centre


def row(corner: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Speed of a corner along a way, over the speeds (x, z, turn) of the domino."""
    return np.array([*way, corner[0] * way[1] - corner[1] * way[0]])


@pytest.mark.parametrize("leans", [0.6, 1.0])
@pytest.mark.parametrize("mu", [0.4, 0.6])
@pytest.mark.parametrize("turn", [-1e-2, -1e-3, -3e-4, 3e-4, 1e-3])
def test_a_corner_at_rest_parts_where_the_motion_takes_it_away(leans: float, mu: float, turn: float) -> None:
    x, z = np.eye(2)
    out, along = np.array([-np.cos(leans), -np.sin(leans)]), np.array([np.sin(leans), -np.cos(leans)])
    rows = np.zeros((6, 3))
    rows[[0, 2, 3, 5]] = row(BELOW, x), row(BELOW, z), row(ABOVE, along), row(ABOVE, out)
    roots = np.sqrt([MASS, MASS, INERTIA])  # for unit masses
    speeds = turn * np.array([ABOVE[1], -ABOVE[0], 1.0])
    inward = [(corner, np.array([0, -G]) - turn**2 * corner) for corner in (BELOW, ABOVE)]
    free = np.zeros(6)
    free[[0, 2, 3, 5]] = inward[0][1][0], inward[0][1][1], inward[1][1] @ along, inward[1][1] @ out

    # With the upper corner free: the load below, and how the upper one moves away from the face.
    slides = np.sign(turn) * x
    rubs = np.array([-mu * slides[0], 1.0])
    load = -inward[0][1][1] / (row(BELOW, z) @ (row(BELOW, rubs) / roots**2))
    away = inward[1][1] @ out + row(ABOVE, out) @ (row(BELOW, rubs) / roots**2) * load
    assert load > 0

    modes, _ = decided(rows / roots, free, mu, speeds * roots)
    assert modes[0, at.CLOSED] == 1 and modes[0, at.STICK] == 0
    if away > 0:
        assert modes[1, at.CLOSED] == 0
    assert np.all(np.abs(modes[:, [at.SHARE_X, at.SHARE_N]]) < 2 * MASS * G)
