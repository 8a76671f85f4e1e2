"""Principal curvatures of a surface, smooth or sharp.

Position and normal change together: in the tangent plane dn = W dx with a symmetric W whose eigenvalues are the
curvatures. The pairs (dx, dn) span a plane in which an edge (dx = 0) is no exception; as columns x + i n of a unitary
matrix Z they give Z Z' with the principal directions as eigenvectors and exp(2 i atan(curvature)) as eigenvalues.
"""

import numpy as np

from trundle.pairs.numeric import NumericSurface, Patch
from trundle.typing import Array

SHARP = 1e-12  # cosine below which a curvature is infinite
PARALLEL = 1e-9  # below, the two coordinates have the same effect on point and normal


def principal(sweep: NumericSurface, a: Array, b: Array) -> tuple[Array, Array]:
    """Principal curvatures (..., 2), the larger first, and their directions (..., 2, 3).

    If the coordinates are singular but the surface is not (the pole of a sphere), those of a point nearby.
    """
    curvatures, directions, regular = _principal(sweep.at(a, b), sweep.size)
    if not np.all(regular):
        near, near_directions, _ = _principal(sweep.at(a, np.asarray(b) + sweep.step), sweep.size)
        curvatures = np.where(regular[..., None], curvatures, near)
        directions = np.where(regular[..., None, None], directions, near_directions)
    return curvatures, directions


def _principal(patch: Patch, size: float) -> tuple[Array, Array, Array]:
    e = tangent_basis(patch.normal)
    flat = [np.einsum("...ij,...j->...i", e, v) for v in (patch.x_a, patch.x_b, patch.n_a, patch.n_b)]
    x, n = np.stack(flat[:2], axis=-1), np.stack(flat[2:], axis=-1)  # (..., component, coordinate)
    length = _length(x, n, size)
    first, second, regular = _orthonormal(np.concatenate([x, length * n], axis=-2), PARALLEL * size)
    Z = np.stack([first[..., :2] + 1j * first[..., 2:], second[..., :2] + 1j * second[..., 2:]], axis=-1)
    S = Z @ np.swapaxes(Z, -1, -2)
    double = np.stack([(S[..., 0, 0] - S[..., 1, 1]) / 2, S[..., 0, 1]], axis=-1)
    real, imaginary = double.real, double.imag  # parallel; the longer one gives the direction
    longer = np.sum(real**2, axis=-1) >= np.sum(imaginary**2, axis=-1)
    double = np.where(longer[..., None], real, imaginary)
    angle = np.arctan2(double[..., 1], double[..., 0]) / 2
    t = np.stack([np.stack([np.cos(angle), np.sin(angle)], -1), np.stack([-np.sin(angle), np.cos(angle)], -1)], axis=-2)
    phase = np.angle(np.einsum("...ki,...ij,...kj->...k", t, S, t)) / 2
    sharp = np.abs(np.cos(phase)) < SHARP
    curvatures = np.where(sharp, np.inf, np.tan(np.where(sharp, 0.0, phase))) / length[..., 0]
    directions = np.einsum("...ki,...ij->...kj", t, e)
    order = np.argsort(-curvatures, axis=-1)
    return np.take_along_axis(curvatures, order, -1), np.take_along_axis(directions, order[..., None], -2), regular


def tangent_basis(normal: Array) -> Array:
    """Two unit vectors (..., 2, 3) that make a right-handed frame with the normal."""
    helper = np.eye(3)[np.argmin(np.abs(normal), axis=-1)]
    first = np.cross(helper, normal)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return np.stack([first, np.cross(normal, first)], axis=-2)


def _length(x: Array, n: Array, size: float) -> Array:
    """A radius of curvature (..., 1, 1), so that lengths and angles can be compared."""
    dx, dn = np.linalg.norm(x, axis=-2), np.linalg.norm(n, axis=-2)
    turns = dn > 1e-12
    radius = np.max(np.where(turns, dx / np.where(turns, dn, 1.0), 0.0), axis=-1)
    return np.where(radius > 1e-12 * size, radius, size)[..., None, None]


def _orthonormal(columns: Array, least: float) -> tuple[Array, Array, Array]:
    """Two orthonormal vectors (..., 4) that span the columns (..., 4, 2), and whether the columns are independent and
    longer than `least`.
    """
    lengths = np.linalg.norm(columns, axis=-2)
    unit = columns / np.where(lengths > 0, lengths, 1.0)[..., None, :]
    first, second = unit[..., 0], unit[..., 1]
    rest = second - np.sum(first * second, axis=-1, keepdims=True) * first
    height = np.linalg.norm(rest, axis=-1)
    regular = (height > PARALLEL) & np.all(lengths > least, axis=-1)
    return first, rest / np.where(height > 0, height, 1.0)[..., None], regular
