"""Eigenvalues in lines that can be printed."""

from typing import final

HEADS = {
    "real": "real (1/s)",
    "imaginary": "imaginary (1/s)",
    "frequency_hz": "frequency (Hz)",
    "damping_ratio": "damping",
}


@final
class EigenvalueTable(list[dict[str, float]]):
    """A line for each eigenvalue, with "real", "imaginary", "frequency_hz" and "damping_ratio"; printed as a table."""

    def __str__(self) -> str:
        rows = [[f"{row[name] + 0.0:.6g}" for name in HEADS] for row in self]
        widths = [max(len(head), 12) for head in HEADS.values()]
        lines = [list(HEADS.values()), *rows]
        return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in lines)
