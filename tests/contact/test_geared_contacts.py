"""Modes of many contacts in a plane, decided together, against forces that are solved for here: all hold, push and
stay in their cones, also where contacts are geared to each other as in a row of dominoes.
"""

from ctypes import CFUNCTYPE, c_void_p
from typing import Any

import numpy as np
import pytest

from trundle.contact.collision import layout as at
from trundle.contact.decision.request import Decision
from trundle.kernel import compiled

MANY = 100
FLOAT = 1e-7  # of the largest force or acceleration


def chain(seed: int, bodies: int, contacts: int, gear: float) -> tuple[Any, Any, float]:
    """Rows (slip, across, normal of each contact) over speeds of unit masses, accelerations without forces, friction.
    Each contact joins two neighbours, or the first one and the ground, and moves by `gear` times as fast as the one
    before.
    """
    rng = np.random.default_rng([seed, bodies, contacts])
    rows = np.zeros((contacts, 3, bodies))
    for c in range(contacts):
        i = c % bodies
        rows[c, ::2, i] = rng.normal(size=2) * gear**i
        other = (i + 1) % bodies
        if other:
            rows[c, ::2, other] = rng.normal(size=2) * gear**i
    flat = rows.reshape(3 * contacts, bodies)
    return flat, flat @ rng.normal(size=bodies), rng.uniform(0.1, 0.9)


def decided(rows: Any, free: Any, mu: float, speeds: Any, planar: bool = True) -> Any:
    """Modes of all contacts by the compiled code, and the speeds that it stops."""
    contacts, D = len(rows) // 3, rows @ rows.T
    data = np.zeros((contacts, at.DATA))
    data[:, [at.MU_STATIC, at.MU_KINETIC]] = mu
    data[:, [at.TOUCHING, at.PLANAR]] = 1.0, planar
    data[:, at.FIRST], data[:, at.MASS] = -1.0, 1 / np.max(D)
    data[:, at.FORCE] = np.max(np.abs(free)) / np.max(D)
    decision = Decision(contacts, np.concatenate([rows @ speeds, D.ravel(), data.ravel()]))
    decision.free[: len(free)], decision.scales[:] = free, (1.0, 1e-12)
    decision.modes.reshape(contacts, at.WIDTH)[:, at.AHEAD_X] = 1.0
    CFUNCTYPE(None, c_void_p)(compiled.address("decide_once"))(decision.table.ctypes.data)
    return decision.modes.reshape(contacts, at.WIDTH), decision.data[: 3 * contacts]


def errors(modes: Any, rows: Any, free: Any, mu: float) -> list[str]:
    """What is not possible about modes, with the forces that follow from them, by least squares."""
    contacts, D = len(modes), rows @ rows.T
    active, columns, share = [], [], np.zeros(len(free))
    for i, mode in enumerate(modes):
        if mode[at.CLOSED] == 0.0:
            continue
        push, hold = np.zeros(len(free)), np.zeros(len(free))
        push[3 * i + 2], hold[3 * i] = 1.0, 1.0
        if mode[at.STICK] == 0.0:
            push[3 * i] = -mu * mode[at.AHEAD_X]
        share += mode[at.SHARE_N] * push
        active.append(3 * i + 2)
        columns.append(push)
        if mode[at.STICK] == 1.0:
            share += mode[at.SHARE_X] * hold
            active.append(3 * i)
            columns.append(hold)
    f = share
    if active:
        C, own = np.array(columns).T, np.diag(D)
        size = np.array([(own[j - j % 3] + own[j - j % 3 + 2]) / 2 for j in active]) ** -0.5
        A = (D @ C)[active] * size / np.sqrt(own[active])[:, None]
        f = share + C @ (size * np.linalg.lstsq(A, -(free + D @ share)[active] / np.sqrt(own[active]), rcond=1e-13)[0])
    a, most, large = free + D @ f, np.max(np.abs(free)), np.max(np.abs(f), initial=1e-300)
    found = ["a contact that is held moves"] if np.max(np.abs(a[active]), initial=0.0) > FLOAT * most else []
    for i in range(contacts):
        x, z = 3 * i, 3 * i + 2
        if modes[i, at.CLOSED] == 0.0:
            found += [f"{i} sinks in"] if a[z] < -FLOAT * most else []
            continue
        found += [f"{i} pulls"] if f[z] < -FLOAT * large else []
        if modes[i, at.STICK] == 1.0:
            found += [f"{i} is beyond its cone"] if abs(f[x]) > mu * f[z] + FLOAT * large else []
        else:
            found += [f"{i} begins backward"] if a[x] * modes[i, at.AHEAD_X] < -FLOAT * most else []
    return found


@pytest.mark.parametrize(("bodies", "contacts"), [(5, 6), (8, 8), (9, 12)])
def test_forces_of_geared_contacts_at_rest_are_possible(bodies: int, contacts: int) -> None:
    for seed in range(MANY):
        rows, free, mu = chain(seed, bodies, contacts, 0.3)
        modes, _ = decided(rows, free, mu, np.zeros(bodies))
        assert errors(modes, rows, free, mu) == [], seed


def test_no_contact_slides_backward_after_slow_slips_have_been_stopped() -> None:
    """Slips below a millionth of the speed of the run are stopped, and friction opposes all slips afterwards."""
    for seed in range(MANY):
        rows, free, mu = chain(seed, 8, 8, 0.3)
        speeds = np.random.default_rng(seed).normal(size=8) * 10.0 ** np.arange(-9, -1)
        rows[2::3] -= np.outer(rows[2::3] @ speeds, speeds) / (speeds @ speeds)  # nothing parts
        modes, slips = decided(rows, free, mu, speeds)
        slides = (modes[:, at.CLOSED] == 1.0) & (modes[:, at.STICK] == 0.0)
        assert np.all((slips[::3] * modes[:, at.AHEAD_X])[slides] > -1e-9), seed
        assert np.all(np.abs(slips[::3][modes[:, at.STICK] == 1.0]) < 1e-10), seed


@pytest.mark.parametrize("gear", [2e-7, 2e-8, 2e-9])
@pytest.mark.parametrize("rest", [1e-22, 5e-9])
def test_a_slip_that_begins_is_not_stopped_together_with_a_fast_motion(gear: float, rest: float) -> None:
    """Two feet and the joint between them are at their dead centre with a fast motion: any two of them can be held
    beside it, all three would stop it. The feet stick, the joint begins to slide, with a rest of a slip backward.
    """
    mu, push = 0.3, 1.0
    tangents = np.array([[1, 0, gear], [0, 1, 0], [1, -1, 0], [0, 0, 1]])  # over the speeds of feet and of the motion
    rows = np.zeros((12, 7))
    rows[::3, :3], rows[2::3, 3:] = tangents, np.eye(4)
    free = np.zeros(12)
    free[2::3], free[8], free[6] = -10.0, -1.0, push  # loads, a small one at the joint, and what makes it begin
    modes, slips = decided(rows, free, mu, np.array([0.0, rest, 1.0, 0, 0, 0, 0]))
    assert modes[:, at.STICK].tolist() == [1, 1, 0, 0] and slips[6] * modes[2, at.AHEAD_X] > -1e-9
    assert slips[9] == pytest.approx(1.0, abs=1e-9) and abs(slips[0]) < 1e-9
