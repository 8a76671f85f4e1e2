"""Rotations and 3-vectors, for numbers and for CasADi symbols."""

from collections.abc import Sequence

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.real_array import real_array
from trundle.typing import Array, Expr

Axis = str | Sequence[float] | Array

_NAMED = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def clean(values: Expr, tolerance: float = 1e-14) -> Array:
    """Numbers within round-off of 0, 1 or -1 made exact, so that the tape can omit them."""
    given = np.array(values, dtype=float)
    found = [
        0.0 if abs(v) < tolerance else 1.0 if abs(v - 1.0) < tolerance else -1.0 if abs(v + 1.0) < tolerance else v
        for v in given.ravel().tolist()
    ]
    return np.array(found, dtype=float).reshape(given.shape)


def axis_vector(axis: Axis) -> Array:
    """Unit vector of an axis given as "x", "-y", ... or as three numbers."""
    if isinstance(axis, str):
        sign, letter = (-1.0, axis[1:]) if axis.startswith("-") else (1.0, axis)
        if letter not in _NAMED:
            raise ModelError(f'axis {axis!r} is not valid; give "x", "y", "z", "-x", ... or three numbers.')
        return sign * np.array(_NAMED[letter])
    try:
        vector = real_array(axis)
    except (TypeError, ValueError):
        vector = np.array(np.nan)
    length = float(np.linalg.norm(vector))
    if vector.shape != (3,) or not np.isfinite(length) or length < 1e-12:
        raise ModelError(f"axis {axis!r} has no direction; give three finite numbers that are not all zero.")
    return clean(vector / length)


def rotation(axis: Axis, angle: float) -> Array:
    """Rotation matrix about an axis, by Rodrigues' formula.

    Parameters
    ----------
    axis : str or sequence of float
        "x", "y", "z" or a vector of any length.
    angle : float
        In rad.

    Returns
    -------
    array
        Three by three.
    """
    K = skew(axis_vector(axis))
    return clean(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K))


def skew(v: Array) -> Array:
    """Matrix of the cross product with v."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def align_z(axis: Axis) -> Array:
    """A rotation whose third column is `axis`; the identity for z, cyclic for x and y."""
    z = axis_vector(axis)
    for i, columns in enumerate(((1, 2, 0), (2, 0, 1), (0, 1, 2))):
        if z[i] == 1.0:
            return np.eye(3)[:, columns]
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return clean(np.column_stack([x, np.cross(z, x), z]))


def rotation_from_quaternion(quaternion: Expr) -> Expr:
    """Rotation matrix of a quaternion (w, x, y, z) of any non-zero length, for SX or numbers."""
    w, x, y, z = (quaternion[i] for i in range(4))
    k = 2 / (w * w + x * x + y * y + z * z)
    rows = [
        [1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y)],
        [k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x)],
        [k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y)],
    ]
    if isinstance(quaternion, ca.SX):
        return ca.vertcat(*[ca.horzcat(*row) for row in rows])
    return np.array(rows)


def quaternion_from_rotation(R: Array) -> Array:
    """Unit quaternion (w, x, y, z), w >= 0, by the largest-diagonal rule."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], 0, 0, 0],
            [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], 0, 0],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    quaternion = np.linalg.eigh(K, UPLO="L")[1][:, -1]
    return quaternion if quaternion[0] >= 0 else -quaternion


def quaternions_from_rotations(R: Array) -> Array:
    """Unit quaternions (w, x, y, z) of rotation matrices (n, 3, 3), whose first entry that is not 0 is positive.

    The products q_i q_j of the entries follow from R without a root; the row with the largest square is normalised.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.moveaxis(R, 0, -1)
    products = np.array(
        [
            [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, 1 + xx - yy - zz, yx + xy, xz + zx],
            [xz - zx, yx + xy, 1 + yy - xx - zz, zy + yz],
            [yx - xy, xz + zx, zy + yz, 1 + zz - xx - yy],
        ]
    )
    largest = np.argmax(np.einsum("iin->in", products), axis=0)
    q = np.moveaxis(products, -1, 0)[np.arange(len(R)), largest]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    first = np.take_along_axis(q, np.argmax(q != 0, axis=1)[:, None], axis=1)
    return np.asarray(np.where(first < 0, -q, q))


def cross(a: Expr, b: Expr) -> Expr:
    """Cross product of SX 3-vectors; exact zeros stay zeros."""
    return ca.cross(a, b)


def dot(a: Expr, b: Expr) -> Expr:
    """Scalar product of SX 3-vectors."""
    return ca.dot(a, b)


def as_matrix(spec: Expr) -> Array:
    """A rotation given as a 3x3 matrix, a quaternion (w, x, y, z), or (axis, angle)."""
    wrong = ModelError(f"rotation {spec!r} is not a rotation matrix, a quaternion (w, x, y, z) or (axis, angle).")
    try:
        if isinstance(spec, tuple | list) and len(spec) == 2:
            if isinstance(spec[1], str) or not np.isfinite(float(spec[1])):
                raise wrong
            return rotation(spec[0], float(spec[1]))
        R = np.asarray(spec, dtype=float)
    except (TypeError, ValueError):
        raise wrong from None
    if R.shape == (4,) and np.all(np.isfinite(R)):
        if np.linalg.norm(R) < 1e-12:
            raise ModelError("a quaternion of length zero is not a rotation.")
        return clean(rotation_from_quaternion(R))
    if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0:
        raise wrong
    return clean(R)


def wrap_angle(angle: Expr) -> Expr:
    """An angle without its whole turns, between -pi and pi."""
    return ca.atan2(ca.sin(angle), ca.cos(angle))
