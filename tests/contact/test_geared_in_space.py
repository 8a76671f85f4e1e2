"""Modes of many contacts in space, decided together, against forces that are solved for here: all hold, push and stay
in their cones, and what begins to slide does so against its friction, also where contacts are geared to each other.
"""

from typing import Any

import numpy as np
import pytest
from tests.contact.test_geared_contacts import FLOAT, MANY, decided

from trundle.contact.collision import layout as at

ASIDE = 1e-5  # of the largest acceleration, by which a slip may begin aside of its friction


def chain(seed: int, bodies: int, contacts: int, gear: float) -> tuple[Any, Any, float]:
    """Rows (slips and normal of each contact) over speeds of unit masses, accelerations without forces, friction. Each
    contact joins three neighbours, and moves by `gear` times as fast as the one before.
    """
    rng = np.random.default_rng([seed, bodies, contacts])
    rows = np.zeros((contacts, 3, bodies))
    for c in range(contacts):
        for body in {(c + k) % bodies for k in range(3)} - {(c + k) % bodies for k in (1, 2) if c + k == bodies}:
            rows[c, :, body] = rng.normal(size=3) * gear ** (c % bodies)
    flat = rows.reshape(3 * contacts, bodies)
    return flat, flat @ rng.normal(size=bodies), rng.uniform(0.1, 0.9)


def forces(modes: Any, D: Any, free: Any, mu: float) -> tuple[Any, list[int]]:
    """The forces of sticking contacts by least squares, and the contacts where they are possible."""
    active, columns, share, own = [], [], np.zeros(len(free)), np.diag(D)
    for i in np.flatnonzero(modes[:, at.CLOSED]):
        axes = np.eye(len(free))[3 * i : 3 * i + 3].copy()
        if modes[i, at.STICK] == 0.0:
            axes[2, 3 * i : 3 * i + 2] = -mu * modes[i, [at.AHEAD_X, at.AHEAD_Y]]
        for axis in range(3) if modes[i, at.STICK] == 1.0 else (2,):
            share += modes[i, at.SHARE_X + axis] * axes[axis]
            active.append(3 * int(i) + axis)
            columns.append(axes[axis])
    if not active:
        return share, active
    C = np.array(columns).T
    size = np.array([np.mean(own[j - j % 3 : j - j % 3 + 3]) for j in active]) ** -0.5
    A = (D @ C)[active] * size / np.sqrt(own[active])[:, None]
    lacking = -(free + D @ share)[active] / np.sqrt(own[active])
    return share + C @ (size * np.linalg.lstsq(A, lacking, rcond=1e-13)[0]), active


def errors(modes: Any, rows: Any, free: Any, mu: float) -> list[str]:
    """What is not possible about modes, with the forces that follow from them."""
    D = rows @ rows.T
    f, active = forces(modes, D, free, mu)
    a, most, large = free + D @ f, np.max(np.abs(free)), np.max(np.abs(f), initial=1e-300)
    found = ["a contact that is held moves"] if np.max(np.abs(a[active]), initial=0.0) > FLOAT * most else []
    for i, mode in enumerate(modes):
        (x, y, z), (f_x, f_y, load) = a[3 * i : 3 * i + 3], f[3 * i : 3 * i + 3]
        d_x, d_y = mode[[at.AHEAD_X, at.AHEAD_Y]]
        wrong = {"pulls": load < -FLOAT * large}
        if mode[at.CLOSED] == 0.0:
            wrong = {"sinks in": z < -FLOAT * most}
        elif mode[at.STICK] == 1.0:
            wrong["is beyond its cone"] = np.hypot(f_x, f_y) > mu * load + FLOAT * large
        else:
            wrong["begins backward"] = x * d_x + y * d_y < -FLOAT * most
            wrong["begins aside"] = abs(x * d_y - y * d_x) > ASIDE * most
        found += [f"{i} {what}" for what, so in wrong.items() if so]
    return found


@pytest.mark.parametrize(
    ("bodies", "contacts", "gear"),
    [(6, 3, 1.0), (9, 4, 0.3), (9, 8, 0.5), (12, 6, 1.0), (12, 6, 0.3), (12, 6, 0.1)],
)
def test_forces_of_contacts_at_rest_in_space_are_possible(bodies: int, contacts: int, gear: float) -> None:
    for seed in range(MANY):
        rows, free, mu = chain(seed, bodies, contacts, gear)
        modes, _ = decided(rows, free, mu, np.zeros(bodies), planar=False)
        assert errors(modes, rows, free, mu) == [], seed
