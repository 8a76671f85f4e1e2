"""Layout of the buffer of the solver for active rows: see `active_rows` and `solve_rows`."""

ROWS, COORDINATES, COMPONENTS, NUMBERS, FRICTION, REFINEMENTS, JUDGED, HIDES, CLEANINGS, HEAD = range(10)
"""Head of the buffer: numbers of rows, coordinates, sets of coupled rows, and of all numbers; whether multipliers carry
friction, how often they are refined, whether determinants are needed, whether the shift may hide that one vanishes, and
how often forces without effect are then filtered out, in the norm of the rows that share loads. Then the inverse pivot
of each coordinate, then the groups of rows."""

SIZE, WIDTH, COMPONENT, SHIFT, SHARED, GROUP = range(6)
"""A group of rows with the same relative shift: number of rows, number of coordinates with non-zero entries, its set of
coupled rows, the shift, whether it shares loads. Then these coordinates, then the rows."""

WEIGHT, SCALE, RIGHT, SHARE, PUSHES, ROW = range(6)
"""A row: weight, scale, right-hand side, share (see `KKT.multipliers`), whether it carries friction. Then its entries,
then those of its column if that differs."""


PLACES, VECTORS = 8, 10
"""Integers and numbers in scratch memory for each active row."""


def scratch_size(rows: int, coordinates: int, numbers: int) -> int:
    """Size of the scratch memory of the solver: integers, vectors, dense rows and columns, three matrices, and a copy
    of the given numbers of one lane.
    """
    return (PLACES + VECTORS + 2 * coordinates) * rows + 3 * rows**2 + numbers
