"""Heights in columns: neighbours as level as their order and their room allow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import final

_SWEEPS = 40


@final
@dataclass(frozen=True)
class Tie:
    """A bond between two things, and where it leaves each of them, above (-) or below their middles."""

    one: str
    other: str
    at_one: float
    at_other: float


def align(
    columns: Sequence[Sequence[str]], rooms: Mapping[str, tuple[float, float]], ties: Sequence[Tie]
) -> dict[str, float]:
    """Height of each name; `rooms` tells how much room it needs above and below its middle."""
    height: dict[str, float] = {}
    for names in columns:
        below = 0.0
        for name in names:
            height[name] = below + rooms[name][0]
            below = height[name] + rooms[name][1]
        for name in names:
            height[name] -= below / 2
    wishes: dict[str, list[tuple[str, float]]] = {name: [] for name in height}
    for t in ties:
        if t.one in height and t.other in height:
            wishes[t.one].append((t.other, t.at_other - t.at_one))
            wishes[t.other].append((t.one, t.at_one - t.at_other))
    for sweep in range(_SWEEPS):
        for names in columns if sweep % 2 == 0 else reversed(columns):
            wanted = [fmean(height[o] + d for o, d in wishes[n]) if wishes[n] else height[n] for n in names]
            height |= zip(names, _apart(wanted, [rooms[n] for n in names]), strict=True)
    return height


def _apart(wanted: list[float], rooms: list[tuple[float, float]]) -> list[float]:
    """Heights nearest to those wanted (least squares) that leave each its room: pools of neighbours that touch."""
    offsets = [0.0]
    for above, below in zip(rooms[:-1], rooms[1:], strict=True):
        offsets.append(offsets[-1] + above[1] + below[0])
    pools: list[tuple[float, int]] = []  # mean of what is wanted, and how many
    for wish, offset in zip(wanted, offsets, strict=True):
        mean, count = wish - offset, 1
        while pools and pools[-1][0] > mean:
            before, n = pools.pop()
            mean, count = (before * n + mean * count) / (n + count), n + count
        pools.append((mean, count))
    level = [mean for mean, count in pools for _ in range(count)]
    return [m + o for m, o in zip(level, offsets, strict=True)]
