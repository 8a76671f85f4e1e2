"""Classification of the surfaces swept by two screws: is the carried normal normal everywhere, and which surface is it?

The condition is tested directly: the normal at one displacement, carried by the two screws, must be perpendicular to
both tangents at every other displacement [Meijaard 2024, Sec. 2.2].
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from trundle.errors import ModelError
from trundle.pairs.edge import Vertex
from trundle.pairs.identify import Found, frame, identify, identify_edge, orbit
from trundle.pairs.numeric import NumericScrew, NumericSweep, common_perpendicular, read_screw, typical_length
from trundle.pairs.surface import Surface
from trundle.space.chain import Screw
from trundle.space.pose import Pose
from trundle.typing import Array

SAMPLES = 32  # displacements at which the condition is tested


@final
@dataclass(frozen=True, eq=False)
class Classification:
    """What two screws in series sweep: the surface (or edge) with numbers and the pose of its frame in the frame of the
    screws; None if the carried normal is not normal everywhere, with the reason.
    """

    surface: Surface | None
    pose: Pose | None
    reason: str
    kinds: tuple[str, str]


def classify(first: Screw, second: Screw, point: Sequence[float] | Array, tolerance: float = 1e-9) -> Classification:
    """The surface that `point` sweeps when the second screw, carried by the first, moves it; both screws are given at
    zero in one frame. `tolerance` is relative to the typical size.

    Parameters
    ----------
    first, second : Screw
        The second one is carried by the first; both at zero in one frame.
    point : sequence of float
        Position of the point at zero (m).
    tolerance : float
        Relative to the typical size.

    Returns
    -------
    Classification
    """
    screws = read_screw(first, "the first screw"), read_screw(second, "the second screw")
    start = np.asarray(point, dtype=float)
    if start.shape != (3,) or not np.all(np.isfinite(start)):
        raise ModelError(f"the swept point must be three finite numbers, got {point!r}.")
    kinds = screws[0].kind, screws[1].kind
    position = relative_position(*screws, start, tolerance)
    lead = f"A {kinds[0].lower()} and a {kinds[1].lower()} joint with {position}"
    sweep = NumericSweep(*screws, start, np.zeros(3))
    a, b = _displacements(sweep)
    tangents = _carried_back(sweep, a, b)
    normals = np.cross(tangents[:, 0], tangents[:, 1])
    areas = np.linalg.norm(normals, axis=-1)
    best = int(np.argmax(areas))
    if areas[best] < tolerance:
        found = _curve(sweep, tangents, a, b, tolerance)
        return Classification(found.surface, found.pose, f"{lead}: {found.words}.", kinds)
    normal = normals[best] / areas[best]
    lean = np.abs(tangents @ normal) / np.maximum(np.linalg.norm(tangents, axis=-1), 1.0)
    if np.max(lean) > tolerance:
        angle = np.degrees(np.arcsin(min(1.0, float(np.max(lean)))))
        reason = f"{lead} sweep a surface whose normal does not stay a normal: it leans by up to {angle:.3g} degrees."
        return Classification(None, None, reason, kinds)
    found = identify(NumericSweep(*screws, start, normal), b, 10 * tolerance)
    return Classification(found.surface, found.pose, f"{lead} sweep {found.words}.", kinds)


def _displacements(sweep: NumericSweep) -> tuple[Array, Array]:
    """Displacements of both screws, spread evenly over some turns or sizes; the first is zero."""
    spread = np.arange(SAMPLES) * np.array([[0.7548776662466927], [0.5698402909980532]]) % 1.0  # plastic number
    even = 4.0 * (spread - (spread > 0.5))
    a, b = (q * (np.pi if s.spin else sweep.size) for q, s in zip(even, (sweep.first, sweep.second), strict=True))
    return a, b


def _carried_back(sweep: NumericSweep, a: Array, b: Array) -> Array:
    """Both tangents (sample, 2, 3) at displaced points, carried back to zero and relative to the size: a normal that is
    carried along is perpendicular to them all.
    """
    patch = sweep.at(a, b)
    scales = [1.0 / sweep.size if screw.spin else 1.0 for screw in (sweep.first, sweep.second)]
    back = [sweep.second.turn(-b, sweep.first.turn(-a, v)) for v in (patch.x_a, patch.x_b)]
    return np.stack([scale * v for scale, v in zip(scales, back, strict=True)], axis=1)


def _curve(sweep: NumericSweep, tangents: Array, a: Array, b: Array, tolerance: float) -> Found:
    """Screws that sweep no area: the point is fixed, or moves along an edge about which the normal rotates, or only
    along a curve.
    """
    strength, axes = np.linalg.svd(tangents.reshape(-1, 3), full_matrices=False)[1:]
    rank = int(np.sum(strength > tolerance * SAMPLES))
    if rank == 0:
        if np.linalg.norm(np.cross(sweep.first.axis, sweep.second.axis)) < tolerance:
            return Found(None, None, "the point lies on both axes, which coincide, and only rotates in place")
        pose = frame(sweep.point, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]))
        return Found(Vertex(), pose, "the point lies on both axes and stays there: a vertex")
    moving = sweep.first if np.max(np.linalg.norm(tangents[:, 0], axis=-1)) > tolerance else sweep.second
    path = _path_name(moving, sweep.point, tolerance)
    if rank > 1:
        words = f"the point lies on the second axis, so it runs along {path}, an edge only if the axis is tangent to it"
        return Found(None, None, words)
    tubes = [replace(sweep, point=sweep.point + sweep.size * normal) for normal in axes[1:]]
    sides = np.concatenate([_carried_back(tube, a, b) for tube in tubes])
    if np.max(np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=-1)) < tolerance:
        return Found(None, None, f"both move the point along the same curve, {path}, and sweep no surface")
    found = identify_edge(moving, sweep.point, tolerance)
    return Found(found.surface, found.pose, f"the point lies on an axis along which it moves: {found.words}")


def _path_name(screw: NumericScrew, point: Array, tolerance: float) -> str:
    path = orbit(screw, point, tolerance)
    if path.radius == 0:
        return "a straight line"
    return "a circle" if path.pitch == 0 else "a helix"


def relative_position(first: NumericScrew, second: NumericScrew, point: Array, tolerance: float = 1e-9) -> str:
    """Relative position of the two axes, in words; the axis of a slide goes through the point."""
    sine = float(np.linalg.norm(np.cross(first.axis, second.axis)))
    angle = "perpendicular" if abs(first.axis @ second.axis) < tolerance else "oblique"
    if not first.spin:
        return "parallel axes" if sine < tolerance else f"{angle} axes"
    line = second if second.spin else NumericScrew(second.axis, point, 0.0, 1.0)
    foot, way = common_perpendicular(first, line)
    size, distance = typical_length(first, second, point), float(np.linalg.norm(way))
    if sine < tolerance:
        if distance > tolerance * size:
            return "parallel axes"
        same = second.spin and abs(first.advance - second.advance) < tolerance * size
        return "coincident axes and equal pitches" if same else "coincident axes"
    if distance < tolerance * size:
        return f"{angle} intersecting axes"
    velocity = first.velocity(foot)
    if first.advance != 0 and np.linalg.norm(np.cross(velocity, second.axis)) < tolerance * size:
        return "the second axis tangent to a screw line of the first"
    return f"{angle} axes that do not meet"
