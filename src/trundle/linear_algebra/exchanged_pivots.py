"""Pivots of a matrix in the order in which they are largest (compiled).

If the pivots of a matrix of loads with friction are positive in any one order, there are springs, stiffer from contact
to contact in that order, on which no loads run away from each other [Fisher 1958]. A negative pivot in another order
says nothing: these contacts alone would jam, all together do not. Where contacts share loads, a pivot of those that
others have made redundant is as small as the shift, and of any sign.
"""

from trundle.kernel.pointers import Pointer, shifted, strict


@strict
def has_positive_pivots(A: Pointer, shift: Pointer, left: Pointer, m: int) -> bool:
    """Whether all pivots of A (by rows, of size m) are positive if the largest one over its shift comes first; of the
    rows and columns with 1 in `left`. Both are overwritten.
    """
    while True:
        best = -1
        for k in range(m):
            if left[k] == 1.0 and (best < 0 or A[k * m + k] / shift[k] > A[best * m + best] / shift[best]):
                best = k
        if best < 0:
            return True
        top, left[best] = shifted(A, best * m), 0.0
        if not top[best] > 0.0:
            return False
        for i in range(m):
            row, times = shifted(A, i * m), A[i * m + best] / top[best]
            if left[i] == 1.0 and times != 0.0:
                for j in range(m):
                    row[j] -= times * top[j]
