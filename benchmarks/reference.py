"""The benchmark models as plain numbers, their exact solutions, and the one measure of accuracy used for every code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ellipj, ellipk

Array = NDArray[np.float64]

GRAVITY = 9.81
DURATION = 10.0
SAMPLES = 101  # instants, start and end included, at which the energy of a run is looked at

# chain(n): uniform links hanging along -z, joint axes x, y, x, y, ...
LINK_LENGTH = 0.3
LINK_MASS = 1.0
LINK_INERTIA = (0.01, 0.0085, 0.003)  # about the centre of mass, which lies at half length


@dataclass(frozen=True)
class Result:
    """What one run of one code cost, how accurate it was and with which settings."""

    seconds: float
    accuracy: float
    settings: dict[str, object] = field(default_factory=dict)


def chain_axes(n: int) -> list[str]:
    """Joint axes of the chain, from the ground outwards."""
    return ["x" if i % 2 == 0 else "y" for i in range(n)]


def chain_start(n: int) -> tuple[Array, Array]:
    """Initial joint angles and speeds of the chain."""
    i = np.arange(n)
    return 0.6 * np.cos(1.7 * i), 0.5 * np.sin(2.3 * i)


def chain_scatter(count: int, n: int) -> tuple[Array, Array]:
    """Initial angles and speeds of many chains: the one start, scattered by 0.1 with a fixed seed."""
    q, u = chain_start(n)
    random = np.random.default_rng(1)
    return q + random.uniform(-0.1, 0.1, (count, n)), np.broadcast_to(u, (count, n)).copy()


def chain_energy(q: Array, u: Array) -> tuple[Array, Array]:
    """Kinetic and potential energy of the chain for samples of shape (..., n), by forward recursion in link frames.

    Independent of every measured code, so that all are judged by the same measure.
    """
    q, u = np.asarray(q, dtype=float), np.asarray(u, dtype=float)
    shape = q.shape[:-1]
    R_NB = np.broadcast_to(np.eye(3), (*shape, 3, 3))
    w, v, p = np.zeros((*shape, 3)), np.zeros((*shape, 3)), np.zeros((*shape, 3))
    to_centre, to_next = np.array([0, 0, -LINK_LENGTH / 2]), np.array([0, 0, -LINK_LENGTH])
    inertia = np.array(LINK_INERTIA)
    kinetic, potential = np.zeros(shape), np.zeros(shape)
    for i in range(q.shape[-1]):
        axis = i % 2
        R_PB = _rotation(axis, q[..., i])
        R_NB = R_NB @ R_PB
        # both velocities are expressed in the link's own frame
        w = np.einsum("...ji,...j->...i", R_PB, w)
        v = np.einsum("...ji,...j->...i", R_PB, v)
        w = w + u[..., i, None] * np.eye(3)[axis]
        v_centre = v + np.cross(w, to_centre)
        kinetic = kinetic + (LINK_MASS * (v_centre**2).sum(-1) + (inertia * w**2).sum(-1)) / 2
        potential = potential + LINK_MASS * GRAVITY * (p + R_NB @ to_centre)[..., 2]
        v = v + np.cross(w, to_next)
        p = p + R_NB @ to_next
    return kinetic, potential


def _rotation(axis: int, angle: Array) -> Array:
    c, s, one, zero = np.cos(angle), np.sin(angle), np.ones_like(angle), np.zeros_like(angle)
    rows = (
        [[one, zero, zero], [zero, c, -s], [zero, s, c]]
        if axis == 0
        else [[c, zero, s], [zero, one, zero], [-s, zero, c]]
    )
    return np.stack([np.stack(row, -1) for row in rows], -2)


def energy_drift(q: Array, u: Array) -> float:
    """Largest change of the chain's total energy over the samples (time first), over the largest kinetic energy.

    The largest change, not the last one, so that an error that happens to vanish at the end is no advantage.
    """
    kinetic, potential = chain_energy(q, u)
    total = kinetic + potential
    return float(np.abs(total - total[0]).max() / kinetic.max())


def four_bar_angle(n_loops: int, t: float) -> float:
    """Exact angle of all rods of the N-four-bar mechanism (IFToMM A02) from +x, unwrapped.

    The parallelogram branch is a rotating pendulum, theta'' = -c cos(theta), theta(0) = pi/2, theta'(0) = -1, so
    theta = 2 am(K - om t | m) - pi/2 with om = sqrt(1 + 4 c)/2 and m = 4 c/(1 + 4 c).
    """
    rods = n_loops + 1
    c = GRAVITY * (rods / 2 + n_loops) / (rods / 3 + n_loops)
    rate, m = np.sqrt(1 + 4 * c) / 2, 4 * c / (1 + 4 * c)
    return float(2 * ellipj(ellipk(m) - rate * t, m)[3] - np.pi / 2)


def angle_error(n_loops: int, theta: float, t: float = DURATION) -> float:
    """Distance of a rod angle found at time t from the exact one, whole turns counted."""
    return float(abs(theta - four_bar_angle(n_loops, t)))


def coarsest(run: Callable[[float], Result], ladder: Sequence[float], limit: float, confirm: int = 1) -> Result:
    """First rung of a ladder (coarse to fine) whose run keeps the limit, as do the next finer `confirm` runs.

    Asking the neighbours too keeps out a setting that is accurate by luck. Where no rung passes, the most accurate
    run is returned, and its accuracy says so.
    """
    tried: list[Result] = []
    for rung in ladder:
        tried.append(run(rung))
        last = tried[-1 - confirm :]
        if len(last) > confirm and all(result.accuracy <= limit for result in last):
            return last[0]
    return min(tried, key=lambda result: result.accuracy)


def counts(first: int, last: int, ratio: float = 1.1) -> list[float]:
    """Whole numbers from first to last in geometric progression, each once: a ladder of step counts."""
    rungs = np.log(last / first) / np.log(ratio)
    return sorted({float(round(first * ratio**rung)) for rung in range(int(rungs) + 1)})
