"""Dense LU decomposition with partial pivoting for small systems (compiled): a call of LAPACK would cost more."""

from trundle.kernel.pointers import Pointer, inner
from trundle.kernel.record import Ints


@inner
def factorise(a: Pointer, pivots: Ints, size: int) -> bool:
    """Replace the row-major matrix by its factors; False if a pivot is zero or NaN."""
    for column in range(size):
        best, largest = column, abs(a[column * size + column])
        for row in range(column + 1, size):
            value = abs(a[row * size + column])
            if value > largest:
                best, largest = row, value
        pivots[column] = best
        if not largest > 0.0:
            return False
        if best != column:
            for j in range(size):
                a[column * size + j], a[best * size + j] = a[best * size + j], a[column * size + j]
        inverse = 1.0 / a[column * size + column]
        for row in range(column + 1, size):
            factor = a[row * size + column]
            # Structural zeros are frequent in mechanisms: half of every matrix is an identity.
            if factor != 0.0:
                factor *= inverse
                a[row * size + column] = factor
                for j in range(column + 1, size):
                    a[row * size + j] -= factor * a[column * size + j]
    return True


@inner
def solve(a: Pointer, pivots: Ints, size: int, b: Pointer) -> None:
    """Replace b by the solution, with the factors from `factorise`."""
    for row in range(size):
        other = pivots[row]
        if other != row:
            b[row], b[other] = b[other], b[row]
    for row in range(size):
        total = b[row]
        for j in range(row):
            total -= a[row * size + j] * b[j]
        b[row] = total
    for row in range(size - 1, -1, -1):
        total = b[row]
        for j in range(size - 1, row, -1):  # the latest result last: the sums of several rows go on at once
            total -= a[row * size + j] * b[j]
        b[row] = total / a[row * size + row]
