"""Heights in columns: neighbours are as level as their order and space allow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import final

_SWEEPS = 40
_STEP = 70.0  # bends that are no larger than this are worth a shift
_GIVE = 8.0  # what a neighbour can spare of its room


@final
@dataclass(frozen=True)
class Tie:
    """A bond between two boxes, and where it leaves each of them, above (-) or below their middles."""

    one: str
    other: str
    at_one: float
    at_other: float


def align(
    columns: Sequence[Sequence[str]], rooms: Mapping[str, tuple[float, float]], ties: Sequence[Tie]
) -> dict[str, float]:
    """Height of each name; `rooms` is the space that it needs above and below its middle."""
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
    height = {
        name: float(round(y)) for name, y in height.items()
    }  # whole numbers: level bonds are level to the last digit
    _straighten(columns, rooms, wishes, height)
    return height


def _straighten(
    columns: Sequence[Sequence[str]], rooms: Mapping[str, tuple[float, float]],
    wishes: Mapping[str, Sequence[tuple[str, float]]], height: dict[str, float],
) -> None:  # fmt: skip
    """Remove small steps from bonds: level with the nearest neighbour on the left if there is space."""
    before: set[str] = set()
    for names in columns:
        for i in (*range(len(names)), *reversed(range(len(names)))):
            name = names[i]
            levels = [height[o] + d for o, d in wishes[name] if o in before]
            level = min(levels, key=lambda y: abs(y - height[name]), default=height[name])
            above = height[names[i - 1]] + rooms[names[i - 1]][1] + rooms[name][0] if i else level
            below = height[names[i + 1]] - rooms[names[i + 1]][0] - rooms[name][1] if i + 1 < len(names) else level
            if abs(level - height[name]) <= _STEP and above - _GIVE <= level <= below + _GIVE:
                height[name] = level
        before.update(names)


def _apart(wanted: list[float], rooms: list[tuple[float, float]]) -> list[float]:
    """Heights nearest to those wanted (least squares) that leave each its room: pools of neighbours that touch."""
    offsets = [0.0] * len(rooms)
    for i, (above, below) in enumerate(pairwise(rooms)):
        offsets[i + 1] = offsets[i] + above[1] + below[0]
    pools: list[tuple[float, int]] = []  # mean of what is wanted, and how many
    for wish, offset in zip(wanted, offsets, strict=True):
        mean, count = wish - offset, 1
        while pools and pools[-1][0] > mean:
            before, n = pools.pop()
            mean, count = (before * n + mean * count) / (n + count), n + count
        pools.append((mean, count))
    level = [mean for mean, count in pools for _ in range(count)]
    return [m + o for m, o in zip(level, offsets, strict=True)]
