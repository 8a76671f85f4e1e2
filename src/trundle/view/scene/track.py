"""Rails and sleepers along the path of moving frames that carry them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from trundle.typing import Array, Raw
from trundle.view.scene.mesh import Mesh, box, joined, tube

SLEEPERS: Final = 0.6  # m between them
MOST: Final = 4000  # places along the path
Pose = tuple[Array, Array]  # positions (T, 3) and rotations (T, 3, 3)


def track(poses: Sequence[Pose], rails: Mapping[str, Raw]) -> Iterator[tuple[str, Mesh]]:
    """("rail", mesh) and ("sleepers", mesh) along the path of all frames of one track; `rails` is a shape Rails."""
    p, R = _way(poses)
    if len(p) < 2:
        return
    for side in (-1.0, 1.0):
        head = p + side * 0.5 * rails["gauge"] * R[:, :, 1]
        foot = head - 0.08 * R[:, :, 2]
        yield "rail", tube(foot, 0.07, 8)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
    places = np.arange(0.0, length[-1], max(SLEEPERS, length[-1] / MOST))
    near = np.clip(np.searchsorted(length, places), 1, len(p) - 1)
    share = ((places - length[near - 1]) / np.maximum(length[near] - length[near - 1], 1e-300))[:, None]
    at = (1 - share) * p[near - 1] + share * p[near]
    wood = box((0.25, 1.7 * rails["gauge"], 0.16), (0.0, 0.0, -0.24))
    yield "sleepers", joined([wood.moved(R[k], q) for k, q in zip(near, at, strict=True)])


def _way(poses: Sequence[Pose]) -> Pose:
    """One path from those of frames that follow each other: that of the last one, continued by that of the first."""
    forward = poses[0][0][-1] - poses[0][0][0]
    order = sorted(range(len(poses)), key=lambda i: float(poses[i][0][0] @ forward))
    p, R = poses[order[0]]
    for i in order[1:]:
        q, S = poses[i]
        ahead = int(np.argmin(np.linalg.norm(q - p[-1], axis=1))) + 1
        p, R = np.vstack([p, q[ahead:]]), np.concatenate([R, S[ahead:]])
    step = np.linalg.norm(np.diff(p, axis=0), axis=1)
    far = np.concatenate([[0.0], np.cumsum(step)])
    gap = max(0.25, far[-1] / MOST)  # m between places
    kept = np.unique(np.searchsorted(far, np.arange(0.0, far[-1] + gap, gap)).clip(0, len(p) - 1))
    p, R = p[kept], R[kept]
    if len(p) < 2:
        return p, R
    ends = [p[:1] - 4.0 * R[:1, :, 0], p, p[-1:] + 4.0 * R[-1:, :, 0]]
    return np.vstack(ends), np.concatenate([R[:1], R, R[-1:]])
