"""Poses over time: which samples are kept, poses at them, and times of poses that show the motion."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from trundle.run.geometry import Geometry
from trundle.typing import Array, Integers

if TYPE_CHECKING:
    from trundle.run.run import Run

GHOSTS: Final = 6


def chosen_samples(run: "Run", most: int) -> Integers:
    """Indices of the kept samples: spread evenly over time, with the first, the last and those at events."""
    t = run.time
    if len(t) <= most:
        return np.arange(len(t))
    even = np.searchsorted(t, np.linspace(t[0], t[-1], most))
    events = np.searchsorted(t, [time for _, time in run.events[: most // 2]])
    return np.unique(np.clip([*even, *events, *(events + 1), 0, len(t) - 1], 0, len(t) - 1).astype(int))


def poses_of(run: "Run", bodies: Sequence[str], kept: Integers) -> tuple[Array, Array]:
    """Positions (T, bodies, 3) and rotations (T, bodies, 3, 3) at the kept samples."""
    p, R = np.zeros((len(kept), len(bodies), 3)), np.tile(np.eye(3), (len(kept), len(bodies), 1, 1))
    for i, body in enumerate(bodies):
        if body != "ground":
            p[:, i] = run.values(f"{body}.position")[kept]
            R[:, i] = run.values(f"{body}.rotation")[kept].reshape(-1, 3, 3).transpose(0, 2, 1)  # stored by columns
    return p, R


def quaternions(R: Array) -> Array:
    """Unit quaternions (..., 4) of rotations (..., 3, 3), along the first axis without jumps of sign."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    wx, wy, wz = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xy, yz, zx = R[..., 1, 0] + R[..., 0, 1], R[..., 2, 1] + R[..., 1, 2], R[..., 0, 2] + R[..., 2, 0]
    rows = np.array([
        [1 + xx + yy + zz, wx, wy, wz],
        [wx, 1 + xx - yy - zz, xy, zx],
        [wy, xy, 1 - xx + yy - zz, yz],
        [wz, zx, yz, 1 - xx - yy + zz],
    ])  # fmt: skip
    products = np.moveaxis(rows, (0, 1), (-2, -1))  # 4 q q^T: every row is along q, the one of the largest entry best
    best = np.argmax(np.einsum("...ii->...i", products), axis=-1)
    q: Array = np.take_along_axis(products, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    flips = np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0)
    q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return q


def ghost_times(
    t: Array, p: Array, R: Array, shape: Geometry, bodies: Sequence[str], travels: bool, size: float
) -> tuple[float, ...]:
    """Times of poses that show the motion: at equal distances along the path of a machine that travels; otherwise poses
    far from each other, since equal parts of a periodic motion may all give the same pose.
    """
    coms = np.array([shape["bodies"][body]["com"] for body in bodies[1:]], dtype=float).reshape(-1, 3)
    if not len(coms) or len(t) < 2:
        return (float(t[0]),)
    places = p[:, 1:] + np.einsum("tbij,bj->tbi", R[:, 1:], coms)
    way = np.concatenate([[0.0], np.cumsum(np.max(np.linalg.norm(np.diff(places, axis=0), axis=2), axis=1))])
    if travels and way[-1] > 0:
        return tuple(float(time) for time in np.interp(np.linspace(0, way[-1], GHOSTS), way, t))
    seen = np.unique(np.linspace(0, len(t) - 1, 300).astype(int))
    axes = 0.3 * size * R[seen, 1:, :, :2].reshape(len(seen), -1)  # rotations about mass centres count too
    return _far_apart(t[seen], np.nan_to_num(np.hstack([places[seen].reshape(len(seen), -1), axes])), 1e-6 * size)


def _far_apart(t: Array, poses: Array, least: float) -> tuple[float, ...]:
    """Times of the first pose, of the last one if it differs, and of further poses, each the farthest from all chosen
    before.
    """
    chosen = [0]
    nearest = np.linalg.norm(poses - poses[0], axis=1)
    if nearest[-1] > 0.2 * float(np.max(nearest)):
        chosen.append(len(t) - 1)
        nearest = np.minimum(nearest, np.linalg.norm(poses - poses[-1], axis=1))
    while len(chosen) < GHOSTS and float(np.max(nearest)) > least:
        chosen.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, np.linalg.norm(poses - poses[chosen[-1]], axis=1))
    return tuple(float(t[i]) for i in sorted(chosen))
