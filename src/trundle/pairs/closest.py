"""The point of a swept surface that is closest to a given point.

For every displacement b of the second screw, that of the first one follows: its orbits are lines, circles or helices.
So a grid over b alone finds all local minima of the distance, which Newton's method refines in both coordinates.
"""

from math import acos, atan2, hypot, inf, pi

import numpy as np

from trundle.pairs.curvature import principal
from trundle.pairs.numeric import NumericScrew, NumericSurface, NumericSweep
from trundle.typing import Array, Flags, Integers

Range = tuple[float, float]
GRID = 65  # points of the grid over a rotation b
LONG = 257  # the same for a slide, which has a larger range
VALLEYS = 6  # local minima that are refined, for each branch
MANY = 2000  # points at once, to bound the memory


def closest(sweep: NumericSweep, points: Array) -> tuple[Array, Array, Array]:
    """Displacements a, b of the closest points to points (n, 3), and the distances, positive on the side of the normal.

    An edge is replaced by a tube around it, which has the same normals and sweeps an area.
    """
    thickness = edge_thickness(sweep) if sweep.is_edge else 0.0
    tube = sweep.thick(thickness)
    parts = [_closest(tube, points[i : i + MANY]) for i in range(0, len(points), MANY)]
    if not parts:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    a, b, distance = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return a, b, distance + thickness


def edge_thickness(sweep: NumericSweep) -> float:
    """Radius of a tube about an edge, small enough for a regular surface: half the radius of curvature of the edge."""
    curvatures, _ = principal(sweep, np.zeros(()), np.zeros(()))
    largest = float(np.max(np.abs(curvatures[np.isfinite(curvatures)]), initial=0.0))
    return 0.5 / largest if largest > 0 else sweep.size


def sheet(sweep: NumericSweep) -> tuple[float, float]:
    """Range of the second screw in which the surface does not turn over: it ends at an apex, a cusp, a pole, or where
    a tube intersects the axis.
    """
    if not sweep.second.spin:
        start, slope = float(sweep.area(0.0)), float(sweep.area(1.0) - sweep.area(0.0))
        if abs(slope) * sweep.size < 1e-12 * abs(start):
            return -inf, inf
        root = -start / slope
        return (root, inf) if root < 0 else (-inf, root)
    front, side, back = (float(v) for v in sweep.area(np.array([0.0, pi / 2, pi])))
    mean, cosine = (front + back) / 2, (front - back) / 2
    sine = side - mean
    amplitude, phase = hypot(cosine, sine), atan2(sine, cosine)
    if amplitude <= abs(mean) * (1 + 1e-12):
        return -inf, inf
    away = acos(-mean / amplitude)
    roots = [phase + sign * away + 2 * pi * k for sign in (-1, 1) for k in (-1, 0, 1)]
    return max(r for r in roots if r <= 0), min(r for r in roots if r >= 0)


def limits(sweep: NumericSweep) -> tuple[float, float]:
    """The ends of the sheet, those of the tube about it for an edge."""
    return sheet(sweep.thick(edge_thickness(sweep)) if sweep.is_edge else sweep)


def _closest(sweep: NumericSweep, points: Array) -> tuple[Array, Array, Array]:
    low, high = sheet(sweep)
    b = _grid(sweep, points, low, high)
    a = nearest_on_orbit(sweep.first, sweep.second.move(b, sweep.point), points[:, None, :])  # (branch, point, grid)
    b = np.broadcast_to(b, a.shape)
    far = np.linalg.norm(sweep.points(a, b) - points[:, None, :], axis=-1)
    chosen = _local_minima(far)
    a, b = (np.take_along_axis(v, chosen, -1) for v in (a, b))
    target = points[:, None, :]
    a, b = descend(sweep, target, a, b, (-inf, inf), (low, high))
    a, b = (np.concatenate(list(v), axis=-1) for v in (a, b))  # (point, candidate)
    for end in (low, high):  # apex, cusp, pole
        if np.isfinite(end):
            shy = end * (1 - 1e-6) if sweep.first.advance == 0 else end  # a tip on the axis has no normal
            tips = nearest_on_orbit(sweep.first, sweep.second.move(shy, sweep.point), points)
            a = np.concatenate([a, tips.T], axis=-1)
            b = np.concatenate([b, np.full(tips.T.shape, end)], axis=-1)
    a, b, far = nearest_of(sweep, target, a, b)
    return _wrapped(sweep.first, a), _wrapped(sweep.second, b), far


def nearest_of(surface: NumericSurface, points: Array, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Of several places a, b (points, candidates) the one that is nearest to its point, and the distance, positive on
    the side of the normal.
    """
    patch = surface.at(a, b)
    reach = points - patch.point
    far = np.linalg.norm(reach, axis=-1)
    best = np.argmin(far, axis=-1)[:, None]
    side = np.take_along_axis(np.sum(reach * patch.normal, axis=-1), best, -1)[:, 0]
    a, b, far = (np.take_along_axis(v, best, -1)[:, 0] for v in (a, b, far))
    return a, b, np.where(side < 0, -far, far)


def _wrapped(screw: NumericScrew, q: Array) -> Array:
    """A pure rotation reduced to the range between minus and plus half a turn."""
    if screw.spin == 0 or screw.advance != 0:
        return q
    turned: Array = q - 2 * pi * np.round(q / (2 * pi))
    return turned


def nearest_on_orbit(screw: NumericScrew, start: Array, points: Array) -> Array:
    """Displacements (branch, ...) that bring `start` closest to the points: one for a line or circle, two for a
    helix.
    """
    along: Array = np.sum(screw.axis * (points - start), axis=-1)
    if screw.spin == 0:
        return along[None]
    u = start - screw.at - screw.axis * np.sum(screw.axis * (start - screw.at), axis=-1, keepdims=True)
    w = points - screw.at
    angle: Array = np.arctan2(np.sum(screw.axis * np.cross(u, w), axis=-1), np.sum(u * w, axis=-1))
    if screw.advance == 0:
        return angle[None]
    level = along / screw.advance  # brings the start to the height of the point
    below = angle + 2 * pi * np.floor((level - angle) / (2 * pi))
    facing = np.stack([below, below + 2 * pi])  # brings it to the side of the point
    way = np.abs(level - facing)
    w = w - screw.axis * np.sum(screw.axis * w, axis=-1, keepdims=True)
    pull, lift = np.linalg.norm(u, axis=-1) * np.linalg.norm(w, axis=-1), screw.advance**2
    back = np.zeros_like(facing)
    for _ in range(8):  # from facing towards level: concave, so Newton's method does not overshoot
        slope = np.maximum(pull * np.cos(back) + lift, 1e-3 * lift)
        back = np.clip(back - (pull * np.sin(back) - lift * (way - back)) / slope, 0.0, way)
    nearest: Array = facing + np.sign(level - facing) * back
    return nearest


def _grid(sweep: NumericSweep, points: Array, low: float, high: float) -> Array:
    """Displacements b (point, grid) between which all closest points lie."""
    if sweep.second.spin:
        return np.broadcast_to(np.linspace(max(low, -pi), min(high, pi), GRID), (len(points), GRID))
    across = np.cross(sweep.first.axis, sweep.second.axis)
    sine = float(np.linalg.norm(across))
    from_start = points - sweep.point
    if sweep.first.spin and sine > 1e-9:  # the distance from the first axis grows with the slide
        radius, target = (
            np.linalg.norm(np.cross(sweep.first.axis, x - sweep.first.at), axis=-1) for x in (sweep.point, points)
        )
        nearest = sweep.points(nearest_on_orbit(sweep.first, sweep.point, points), 0.0)
        gap = np.min(np.linalg.norm(nearest - points, axis=-1), axis=0)
        reach = (radius + target + gap) / sine
        return np.linspace(np.maximum(low, -reach), np.minimum(high, reach), LONG, axis=-1)
    slide = sweep.second.axis
    if not sweep.first.spin:
        slide = slide - sweep.first.axis * np.sum(sweep.first.axis * slide)
        slide = slide / np.sum(slide**2)
    return np.broadcast_to((from_start @ slide)[:, None], (len(points), 1))


def _local_minima(far: Array) -> Integers:
    """Indices of the lowest grid points that are not higher than their neighbours."""
    edge = np.full((*far.shape[:-1], 1), inf)
    left, right = np.concatenate([edge, far[..., :-1]], -1), np.concatenate([far[..., 1:], edge], -1)
    low = np.where((far <= left) & (far <= right), far, far + 2 * np.max(far, axis=-1, keepdims=True))
    return np.argsort(low, axis=-1)[..., :VALLEYS]


def descend(sweep: NumericSurface, target: Array, a: Array, b: Array, of_a: Range, of_b: Range) -> tuple[Array, Array]:
    """Newton's method with damping that decreases with the distance, finally without damping, when only the slope of
    the distance is significant. Both coordinates stay between their limits.
    """
    damping, ends = np.full(a.shape, 1e-3), (of_a, of_b)
    far = np.linalg.norm(sweep.points(a, b) - target, axis=-1)
    for _ in range(24):
        da, db, _ = _newton_step(sweep, target, a, b, damping, ends)
        a_new, b_new = np.clip(a + da, *of_a), np.clip(b + db, *of_b)
        far_new = np.linalg.norm(sweep.points(a_new, b_new) - target, axis=-1)
        better = far_new < far
        a, b, far = np.where(better, a_new, a), np.where(better, b_new, b), np.where(better, far_new, far)
        damping = np.clip(np.where(better, damping / 10, damping * 10), 1e-12, 1e12)
        if not np.any(better) and np.all(damping > 1.0):
            break
    undamped = np.zeros(a.shape)
    here: tuple[Array, ...] = (a, b, *_newton_step(sweep, target, a, b, undamped, ends))
    for _ in range(6):
        a, b, da, db, slope = here
        a_new, b_new = np.clip(a + da, *of_a), np.clip(b + db, *of_b)
        there = (a_new, b_new, *_newton_step(sweep, target, a_new, b_new, undamped, ends))
        better = there[-1] < slope
        if not np.any(better):
            break
        here = tuple(np.where(better, new, old) for new, old in zip(there, here, strict=True))
    return here[0], here[1]


def _newton_step(
    sweep: NumericSurface, target: Array, a: Array, b: Array, damping: Array, ends: tuple[Range, Range]
) -> tuple[Array, Array, Array]:
    """Step towards the smallest distance, and the slope of the distance at its start; a coordinate at an end of its
    range does not leave it.
    """
    patch = sweep.at(a, b)
    r = patch.point - target
    g_a, g_b = _dot(r, patch.x_a), _dot(r, patch.x_b)
    stays_a, stays_b = _stays(a, g_a, ends[0]), _stays(b, g_b, ends[1])
    g_a, g_b = np.where(stays_a, 0.0, g_a), np.where(stays_b, 0.0, g_b)
    aa, ab, bb = _dot(patch.x_a, patch.x_a), _dot(patch.x_a, patch.x_b), _dot(patch.x_b, patch.x_b)
    tiny = 1e-30 + 1e-16 * (aa + bb)
    slope = np.sqrt(g_a**2 / (aa + tiny) + g_b**2 / (bb + tiny))
    damped_a, damped_b = damping * (aa + tiny), damping * (bb + tiny)
    aa, ab, bb = aa + _dot(r, patch.x_aa) + damped_a, ab + _dot(r, patch.x_ab), bb + _dot(r, patch.x_bb) + damped_b
    ab = np.where(stays_a | stays_b, 0.0, ab)
    det = aa * bb - ab * ab
    det = np.where(np.abs(det) > 1e-14 * (np.abs(aa * bb) + ab * ab) + 1e-300, det, inf)  # no step if it is singular
    return (ab * g_b - bb * g_a) / det, (ab * g_a - aa * g_b) / det, slope


def _stays(q: Array, slope: Array, ends: Range) -> Flags:
    """Whether a coordinate is at an end of its range, and the distance decreases beyond it."""
    return np.asarray(((q <= ends[0]) & (slope > 0)) | ((q >= ends[1]) & (slope < 0)))


def _dot(u: Array, v: Array) -> Array:
    product: Array = np.sum(u * v, axis=-1)
    return product
