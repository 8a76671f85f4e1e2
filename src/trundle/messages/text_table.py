"""Tables as text."""

from collections.abc import Sequence


def text_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """One line for each row; the cells of a column begin below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
