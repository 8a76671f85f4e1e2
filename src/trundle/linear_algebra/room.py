"""How the numbers of rows that act are laid out for their solver: see `active_rows` and `solve_rows`."""

ROWS, COORDINATES, COMPONENTS, NUMBERS, FRICTION, REFINEMENTS, JUDGED, HIDES, HEAD = range(9)
"""What a room begins with: how many rows, coordinates, sets of coupled rows and numbers there are; whether friction
goes along with the multipliers, how often they are refined, whether determinants are wanted, and whether a shift may
hide that one vanishes. Then the inverse pivot of each coordinate, then the groups of rows."""

SIZE, WIDTH, COMPONENT, SHIFT, GROUP = range(5)
"""A group, rows that are shifted alike: rows, coordinates that they move, the set that it belongs to, the relative
shift. Then these coordinates, then the rows."""

WEIGHT, SCALE, RIGHT, SHARE, PUSHES, ROW = range(6)
"""A row: its weight, its scale, its right-hand side, what it carries beside the smallest multiplier, whether friction
goes along with it. Then its entries, then those of its column where it has one of its own."""


PLACES, VECTORS = 8, 9
"""Whole numbers and numbers that the solver keeps for each row that acts."""


def scratch_size(rows: int, coordinates: int, numbers: int) -> int:
    """Numbers that the solver needs beside those that it is given: places, vectors, rows and columns with all their
    zeros, three matrices, and the given numbers side by side.
    """
    return (PLACES + VECTORS + 2 * coordinates) * rows + 3 * rows**2 + numbers
