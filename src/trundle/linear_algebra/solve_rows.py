"""Multipliers of the active rows (compiled): only these are assembled, factored and solved.

S = R D R' of the active rows R, with the shift that `kkt` explains; if multipliers carry friction forces, A = R D P'
with the columns P along which they act. Both are factored without pivoting. Each row is processed up to its last
non-zero entry only, because neighbouring bodies make narrow bands. All inner loops run along rows of the matrices, over
independent numbers.
"""

from trundle.kernel.pointers import Pointer, inner, part_of, shifted
from trundle.kernel.record import Ints
from trundle.kernel.solver_record import SolverRecord
from trundle.linear_algebra import buffer_layout as layout
from trundle.linear_algebra.exchanged_pivots import has_positive_pivots
from trundle.linear_algebra.shift import HIDDEN, REDUNDANT

ENTRIES, COLUMN, INDICES, WIDTH, SET, ANSWER, FIRST, LAST = range(8)
"""Integers of each active row: index of its entries, of its column, of their coordinates, number of these; its set of
coupled rows, its number among all rows, the first and the last row that it is coupled with."""
WEIGHT, RIGHT, SHIFT, SHARE, FOUND, START, SPARE, CLEANED, PIVOT, SLANTED = range(10)
"""Vectors over the active rows. The last two hold inverse pivots, without and with friction."""


@part_of(SolverRecord)
def solve_rows(r: SolverRecord) -> None:
    """Compute the multipliers, and for each set of rows the ratio of determinants with and without friction, plain and
    judged (see `Determinant`).
    """
    n, m = int(r.numbers[layout.ROWS * r.stride]), int(r.numbers[layout.COORDINATES * r.stride])
    places, vectors = r.places, shifted(r.scratch, layout.PLACES * n)
    R = shifted(vectors, layout.VECTORS * n)
    P = shifted(R, m * n)
    S = shifted(P, m * n)
    A = shifted(S, n * n)
    T = shifted(A, n * n)
    data = side_by_side(r, shifted(T, n * n))
    count = collect(data, places, vectors, n)
    slanted = data[layout.FRICTION] != 0.0 and pushes_aside(data, places, count, n)
    spread(data, places, R, P, m, count, n, slanted)
    assemble(data, places, vectors, R, S, count, n, True)
    if not slanted or data[layout.JUDGED] != 0.0:
        factor(S, places, shifted(vectors, PIVOT * n), count, n)
    if slanted:
        assemble(data, places, vectors, P, A, count, n, False)
        factor_slanted(A, T, places, shifted(vectors, SLANTED * n), count, n)
    refine(data, places, vectors, S, T, count, n, slanted)
    if data[layout.JUDGED] != 0.0:
        judge(data, places, vectors, P, A, count, n, slanted)
    answer(r, data, places, vectors, count, n)


@inner
def side_by_side(r: SolverRecord, spare: Pointer) -> Pointer:
    """The numbers of one lane."""
    if r.stride == 1:
        return r.numbers
    for k in range(int(r.numbers[layout.NUMBERS * r.stride])):
        spare[k] = r.numbers[k * r.stride]
    return spare


# -- active rows -------------------------------------------------------------------------------------------------------


@inner
def collect(data: Pointer, places: Ints, vectors: Pointer, n: int) -> int:
    """Collect the active rows; return their number."""
    count, number = 0, 0
    at = layout.HEAD + int(data[layout.COORDINATES])
    while number < n:
        size, width = int(data[at + layout.SIZE]), int(data[at + layout.WIDTH])
        begin, acts = at + layout.GROUP + width, False
        end = begin
        for _ in range(size):
            acts = acts or data[end + layout.WEIGHT] != 0.0
            end = row_end(data, end, width)
        if acts:
            shift = data[at + layout.SHIFT] * mean_inertia(data, at + layout.GROUP, begin, size, width)
            count = collect_group(data, places, vectors, n, at, number, count, shift)
        number += size
        at = end
    return count


@inner
def row_end(data: Pointer, row: int, width: int) -> int:
    return row + layout.ROW + (width if data[row + layout.PUSHES] == 0.0 else 2 * width)


@inner
def mean_inertia(data: Pointer, indices: int, begin: int, size: int, width: int) -> float:
    """Mean of the scaled diagonal of S over all rows of a group."""
    total, row = 0.0, begin
    for _ in range(size):
        own, scale = 0.0, data[row + layout.SCALE]
        for k in range(width):
            entry = data[row + layout.ROW + k]
            own += data[layout.HEAD + int(data[indices + k])] * entry * entry
        total += own * scale * scale
        row = row_end(data, row, width)
    return total / size


@inner
def collect_group(
    data: Pointer, places: Ints, vectors: Pointer, n: int, at: int, number: int, count: int, shift: float
) -> int:
    """Append the active rows of a group to the `count` collected ones."""
    width = int(data[at + layout.WIDTH])
    row = at + layout.GROUP + width
    for i in range(int(data[at + layout.SIZE])):
        if data[row + layout.WEIGHT] != 0.0:
            entries, scale = row + layout.ROW, data[row + layout.SCALE]
            places[ENTRIES * n + count] = entries
            places[COLUMN * n + count] = entries + (width if data[row + layout.PUSHES] != 0.0 else 0)
            places[INDICES * n + count], places[WIDTH * n + count] = at + layout.GROUP, width
            places[SET * n + count], places[ANSWER * n + count] = int(data[at + layout.COMPONENT]), number + i
            vectors[WEIGHT * n + count], vectors[RIGHT * n + count] = (
                data[row + layout.WEIGHT],
                data[row + layout.RIGHT],
            )
            vectors[SHIFT * n + count], vectors[SHARE * n + count] = shift / (scale * scale), data[row + layout.SHARE]
            vectors[CLEANED * n + count] = shift / (scale * scale) * data[at + layout.SHARED]
            count += 1
        row = row_end(data, row, width)
    return count


@inner
def pushes_aside(data: Pointer, places: Ints, count: int, n: int) -> bool:
    """Whether an active row carries friction."""
    for i in range(count):
        entries, column = places[ENTRIES * n + i], places[COLUMN * n + i]
        for k in range(places[WIDTH * n + i]):
            if data[entries + k] != data[column + k]:
                return True
    return False


# -- matrices ----------------------------------------------------------------------------------------------------------


@inner
def spread(data: Pointer, places: Ints, R: Pointer, P: Pointer, m: int, count: int, n: int, slanted: bool) -> None:
    """R and P as dense matrices, by coordinates."""
    for k in range(m * count):
        R[k] = 0.0
    for i in range(count):
        indices, entries = places[INDICES * n + i], places[ENTRIES * n + i]
        for k in range(places[WIDTH * n + i]):
            R[int(data[indices + k]) * count + i] = data[entries + k]
    if not slanted:
        return
    for k in range(m * count):
        P[k] = 0.0
    for i in range(count):
        indices, column = places[INDICES * n + i], places[COLUMN * n + i]
        for k in range(places[WIDTH * n + i]):
            P[int(data[indices + k]) * count + i] = data[column + k]


@inner
def assemble(
    data: Pointer, places: Ints, vectors: Pointer, P: Pointer, S: Pointer, count: int, n: int, upper: bool
) -> None:
    """Rows times inverse masses times columns, with the shift (or only the upper half), and the last row that each row
    is coupled with.
    """
    weights, last = shifted(vectors, WEIGHT * n), shifted(places, LAST * n)
    for i in range(count):
        row, begin = shifted(S, i * count), i if upper else 0
        for j in range(begin, count):
            row[j] = 0.0
        indices, entries = places[INDICES * n + i], places[ENTRIES * n + i]
        for k in range(places[WIDTH * n + i]):
            index = int(data[indices + k])
            entry, column = data[layout.HEAD + index] * data[entries + k], shifted(P, index * count)
            for j in range(begin, count):
                row[j] += entry * column[j]
        if weights[i] != 1.0:
            for j in range(begin, count):
                row[j] *= weights[i]
        row[i] += vectors[SHIFT * n + i] * weights[i] + (1.0 - weights[i])
        j = count - 1
        while row[j] == 0.0 and j > i:
            j -= 1
        last[i] = j
    for j in range(count):
        if weights[j] != 1.0:
            for i in range(j if upper else count):
                S[i * count + j] *= weights[j] if i != j else 1.0


@inner
def factor(S: Pointer, places: Ints, inverse: Pointer, count: int, n: int) -> None:
    """L D L' of a symmetric matrix, in place: D L' above its diagonal, L below."""
    last = shifted(places, LAST * n)
    for k in range(count):
        top = shifted(S, k * count)
        inverse[k] = 1.0 / top[k]
        for i in range(k + 1, last[k] + 1):
            row = shifted(S, i * count)
            multiple = top[i] * inverse[k]
            row[k] = multiple
            last[i] = max(last[i], last[k])
            if multiple == 0.0:
                continue
            for j in range(i, last[k] + 1):
                row[j] -= multiple * top[j]
    find_first(places, count, n)


@inner
def find_first(places: Ints, count: int, n: int) -> None:
    """The first row that each row is coupled with, from the last ones."""
    first, last = shifted(places, FIRST * n), shifted(places, LAST * n)
    for i in range(count):
        first[i] = i
    for k in range(count - 1, -1, -1):
        for i in range(k + 1, last[k] + 1):
            first[i] = k


@inner
def factor_slanted(A: Pointer, T: Pointer, places: Ints, inverse: Pointer, count: int, n: int) -> None:
    """L U of a matrix of symmetric pattern, by columns in T: L above the diagonal, U below."""
    last = shifted(places, LAST * n)
    for i in range(count):
        for j in range(last[i] + 1, count):
            if A[j * count + i] != 0.0:
                last[i] = j
    for k in range(count):
        top, column = shifted(A, k * count), shifted(T, k * count)
        inverse[k] = 1.0 / top[k]
        for i in range(k + 1, last[k] + 1):
            row = shifted(A, i * count)
            multiple = row[k] * inverse[k]
            column[i] = multiple
            last[i] = max(last[i], last[k])
            if multiple == 0.0:
                continue
            for j in range(k + 1, last[k] + 1):
                row[j] -= multiple * top[j]
        for j in range(k + 1, last[k] + 1):
            T[j * count + k] = top[j]
    find_first(places, count, n)


@inner
def solve(
    S: Pointer, T: Pointer, places: Ints, vectors: Pointer, count: int, n: int, slanted: bool, x: Pointer
) -> None:
    """Replace the right-hand side by the solution."""
    first, last = shifted(places, FIRST * n), shifted(places, LAST * n)
    if slanted:
        inverse = shifted(vectors, SLANTED * n)
        for k in range(count):
            column, value = shifted(T, k * count), x[k]
            for i in range(k + 1, last[k] + 1):
                x[i] -= column[i] * value
        for k in range(count - 1, -1, -1):
            column, value = shifted(T, k * count), x[k] * inverse[k]
            x[k] = value
            for i in range(first[k], k):
                x[i] -= column[i] * value
        return
    inverse = shifted(vectors, PIVOT * n)
    for k in range(count):
        column, value = shifted(S, k * count), x[k] * inverse[k]  # of D L'
        for i in range(k + 1, last[k] + 1):
            x[i] -= column[i] * value
        x[k] = value
    for k in range(count - 1, -1, -1):
        row, value = shifted(S, k * count), x[k]  # of L
        for i in range(first[k], k):
            x[i] -= row[i] * value


@inner
def refine(
    data: Pointer, places: Ints, vectors: Pointer, S: Pointer, T: Pointer, count: int, n: int, slanted: bool
) -> None:
    """Multipliers by refinement; if they are not unique, those with the smallest difference from the shares."""
    found, start, spare = shifted(vectors, FOUND * n), shifted(vectors, START * n), shifted(vectors, SPARE * n)
    for i in range(count):
        start[i] = vectors[RIGHT * n + i] * vectors[WEIGHT * n + i]
    solve(S, T, places, vectors, count, n, slanted, start)
    for i in range(count):
        found[i] = start[i] + vectors[SHARE * n + i]
    for _ in range(int(data[layout.REFINEMENTS])):
        for i in range(count):
            spare[i] = vectors[SHIFT * n + i] * found[i] * vectors[WEIGHT * n + i]
        solve(S, T, places, vectors, count, n, slanted, spare)
        for i in range(count):
            found[i] = start[i] + spare[i]
    if data[layout.CLEANINGS] == 0.0:
        return
    for i in range(count):
        spare[i] = found[i] - vectors[SHARE * n + i]
    for _ in range(int(data[layout.CLEANINGS])):
        for i in range(count):
            spare[i] *= vectors[CLEANED * n + i] * vectors[WEIGHT * n + i]
        solve(S, T, places, vectors, count, n, slanted, spare)
    for i in range(count):
        found[i] -= spare[i]


# -- the answer --------------------------------------------------------------------------------------------------------


@inner
def judge(
    data: Pointer, places: Ints, vectors: Pointer, P: Pointer, A: Pointer, count: int, n: int, slanted: bool
) -> None:
    """The determinants of all sets of rows, plain into START and judged into SPARE; where pivots are negative, A is
    assembled anew, to find whether they are in another order.
    """
    plain, judged, left = shifted(vectors, START * n), shifted(vectors, SPARE * n), shifted(vectors, CLEANED * n)
    sets, kept = shifted(places, SET * n), False
    for component in range(int(data[layout.COMPONENTS])):
        value, lowest, smallest = 1.0, 1.0, 1.0
        for i in range(count):
            if slanted and sets[i] == component:
                own = vectors[PIVOT * n + i] / vectors[SLANTED * n + i]
                value *= own
                lowest, smallest = min(lowest, own), min(smallest, abs(own))
        plain[component] = value
        if lowest < 0.0 and value > 0.0:
            if not kept:
                assemble(data, places, vectors, P, A, count, n, False)
                kept = True
            for i in range(count):
                left[i] = 1.0 if sets[i] == component else 0.0
            if not has_positive_pivots(A, shifted(vectors, SHIFT * n), left, count):
                value = -value
        if data[layout.HIDES] != 0.0:
            value *= 1.0 - HIDDEN * REDUNDANT / max(smallest, abs(value))
        judged[component] = value


@inner
def answer(r: SolverRecord, data: Pointer, places: Ints, vectors: Pointer, count: int, n: int) -> None:
    """Write the multipliers of all rows (zero if inactive) and the determinants to the beginning of the buffer, where
    the given numbers are.
    """
    components, judged = int(data[layout.COMPONENTS]), data[layout.JUDGED] != 0.0
    for i in range(n):
        r.numbers[i * r.stride] = 0.0
    for i in range(count):
        r.numbers[places[ANSWER * n + i] * r.stride] = vectors[FOUND * n + i]
    if judged:
        for k in range(components):
            r.numbers[(n + k) * r.stride] = vectors[START * n + k]
            r.numbers[(n + components + k) * r.stride] = vectors[SPARE * n + k]
