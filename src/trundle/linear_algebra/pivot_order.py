"""Order of the columns in a QR decomposition with pivoting."""

import numpy as np

from trundle.typing import AnyArray, Array

# A norm that has shrunk to this part is computed anew: by then only half its digits are correct.
WORN = float(np.sqrt(np.finfo(float).eps))


def pivot_order(A: Array) -> AnyArray:
    """Columns in the order of their pivots: each time the one with the longest part orthogonal to those before it, the
    first of equal ones. The same as LAPACK's dgeqp3, without the 0.2 s for importing scipy.linalg.
    """
    R = np.array(A, dtype=float)
    order = np.arange(R.shape[1])
    length = _lengths(R)
    whole = length.copy()  # when last computed from the column itself
    for i in range(min(R.shape)):
        best = i + int(np.argmax(length[i:]))
        if length[best] == 0.0:
            break
        for swapped in (R.T, order, length, whole):
            swapped[[i, best]] = swapped[[best, i]]
        _reflect(R[i:, i:])
        _shorten(length[i + 1 :], whole[i + 1 :], R[i:, i + 1 :])
    return order


def _shorten(length: Array, whole: Array, R: Array) -> None:
    """Update the lengths for the columns without their first row; inaccurate ones are computed from the columns."""
    some = length > 0.0
    left = 1.0 - np.divide(np.abs(R[0]), length, out=np.ones_like(length), where=some) ** 2
    left = np.maximum(left, 0.0)
    worn = some & (left * (np.divide(length, whole, out=np.ones_like(length), where=some)) ** 2 <= WORN)
    length *= np.sqrt(left)
    if worn.any():
        length[worn] = whole[worn] = _lengths(R[1:, worn])


def _lengths(columns: Array) -> Array:
    """Lengths of columns in extended precision, so that they do not depend on the order or sign of the entries."""
    return np.asarray(np.sqrt(np.sum(columns.astype(np.longdouble) ** 2, axis=0)), dtype=float)


def _reflect(R: Array) -> None:
    """Apply the Householder reflection that maps the first column onto the first axis to all columns."""
    rest = _lengths(R[1:, :1])[0] if len(R) > 1 else 0.0
    if rest == 0.0:
        return
    head = R[0, 0]
    turned = -np.copysign(np.hypot(head, rest), head)
    v = R[:, 0] / (head - turned)
    v[0] = 1.0
    weight = (turned - head) / turned
    R[:, 1:] -= np.outer(weight * v, v @ R[:, 1:])
    R[0, 0] = turned
    R[1:, 0] = 0.0
