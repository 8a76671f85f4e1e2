"""A body on several feet that is pushed just beyond what its friction can hold: all feet begin to slide at once, along
the push, whatever the last bits of its numbers are.
"""

from ctypes import CFUNCTYPE, c_void_p

import numpy as np
import pytest

from trundle.contact.collision import layout as at
from trundle.contact.decision.request import Decision
from trundle.kernel.compiled import address
from trundle.kernel.memory import address_of
from trundle.typing import Array

G, MU, HIGH = 9.81, 0.5, 0.1
FEET = {
    "two threes": np.array([(x + far, y) for far in (0.3, -0.3) for x, y in ((0.2, 0), (-0.2, 0.15), (-0.2, -0.15))]),
    "four": np.array([[0.3, 0.2], [0.3, -0.2], [-0.3, 0.2], [-0.3, -0.2]]),
    "eight": 0.3 * np.array([(np.cos(angle), np.sin(angle)) for angle in np.arange(8) * np.pi / 4]),
}


def decide(feet: Array, mass: float, push: Array) -> Array:
    """Modes of feet at rest, one row for each, under a body that is pushed with this force at its mass centre."""
    count = len(feet)
    rows = []
    for x, y, z in feet:
        rows.append(np.hstack([np.eye(3), -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])]))
    J, inverse = np.vstack(rows), np.diag([1 / mass] * 3 + [10, 2, 2])
    data = np.tile([MU, MU, 0, at.NEWTON, 1, 1e-9, 0, 0, -1, mass * G, mass, 0], count)
    decision = Decision(count, np.concatenate([np.zeros(3 * count), (J @ inverse @ J.T).ravel(), data]))
    decision.free[: 3 * count] = J @ inverse @ [*push, -mass * G, 0, 0, 0]
    modes = decision.modes.reshape(count, at.WIDTH)
    modes[:, [at.CLOSED, at.STICK]], decision.scales[:] = 1.0, (1.0, 1e-10)
    CFUNCTYPE(None, c_void_p)(address("decide_once"))(address_of(decision.table))
    return modes


@pytest.mark.parametrize("name", FEET)
def test_all_feet_begin_to_slide_at_once(name: str) -> None:
    """Loads that suffice where a body slides leave feet that carry nothing; these slide along with the others."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        last_bits, beyond = 10 ** rng.uniform(-15, -12), 10 ** rng.uniform(-8.5, -7)
        feet = np.column_stack([FEET[name], np.full(len(FEET[name]), -HIGH)])
        feet += last_bits * rng.normal(size=feet.shape)
        mass, angle = 4.0 + last_bits * rng.normal(), (seed % 2) * rng.uniform(0, 2 * np.pi)
        along = np.array([np.cos(angle), np.sin(angle)])
        modes = decide(feet, mass, (1 + beyond) * MU * mass * G * along)
        assert modes[:, at.CLOSED].all() and not modes[:, at.STICK].any(), f"seed {seed}"
        np.testing.assert_allclose(modes[:, [at.AHEAD_X, at.AHEAD_Y]], [along] * len(feet), atol=1e-4)


@pytest.mark.parametrize("name", FEET)
def test_all_feet_stay_just_below_the_limit(name: str) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        feet = np.column_stack([FEET[name], np.full(len(FEET[name]), -HIGH)])
        feet += 1e-13 * rng.normal(size=feet.shape)
        modes = decide(feet, 4.0, ((1 - 1e-8) * MU * 4.0 * G, 0.0))
        assert modes[:, [at.CLOSED, at.STICK]].all(), f"seed {seed}"
