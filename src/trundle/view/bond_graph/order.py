"""Columns of bodies by their distance from the ground, connections between them, and the order in each column.

A connection joins bodies of the same column or of neighbouring ones, because distances differ by at most one. So
columns of bodies and of connections alternate, and each bond connects neighbouring columns.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import final

from trundle.view.bond_graph.read import BodyGroup, LinkGroup

_SWEEPS = 8
_TRIALS = 500  # orders to begin with, divided by the number of bodies and connections


@final
@dataclass(frozen=True)
class Columns:
    """Names from top to bottom: bodies in columns 0, 2, 4, ..., connections in columns 1, 3, 5, ..."""

    names: list[list[str]]
    column: dict[str, int]

    def is_folded(self, link: LinkGroup) -> bool:
        """Whether both bodies are in the column left of the connection."""
        return self.column[link.sides[0].body] == self.column[link.sides[1].body]

    def is_flipped(self, link: LinkGroup) -> bool:
        """Whether its first body is on the right; of two bodies in one column the upper one is."""
        first, second = (s.body for s in link.sides)
        if self.is_folded(link):
            column = self.names[self.column[first]]
            return column.index(first) < column.index(second)
        return self.column[first] > self.column[second]


def find_columns(bodies: Mapping[str, BodyGroup], links: Mapping[str, LinkGroup]) -> Columns:
    """Distances by breadth-first search, then few crossings by sorting after the means of the neighbours."""
    distance, found = _distances(bodies, links)
    names: list[list[str]] = [[] for _ in range(2 * max(distance.values(), default=0) + 2)]
    column = {b: 2 * d for b, d in distance.items()}
    column |= {k: 2 * min(distance[s.body] for s in link.sides) + 1 for k, link in links.items()}
    for name in found:
        names[column[name]].append(name)
    beside: dict[str, list[str]] = {name: [] for name in column}
    for k, link in links.items():
        for side in link.sides:
            beside[k].append(side.body)
            beside[side.body].append(k)
    if not names[-1]:
        names.pop()
    return Columns(_sorted(names, column, beside), column)


def _distances(bodies: Mapping[str, BodyGroup], links: Mapping[str, LinkGroup]) -> tuple[dict[str, int], list[str]]:
    """Distance of each body from the ground, and all names in the order of a walk along the tree of shortest paths."""
    reach: dict[str, list[tuple[str, str]]] = {b: [] for b in bodies}
    for k, link in links.items():
        first, second = (s.body for s in link.sides)
        reach[first].append((k, second))
        reach[second].append((k, first))
    distance: dict[str, int] = {}
    below: dict[str, list[str]] = {b: [] for b in bodies}
    roots = [b for b, group in bodies.items() if group.is_root]
    walk: list[str] = []
    for root in [*roots, *bodies]:
        if root in distance:
            continue
        distance[root] = 1 if roots and root not in roots else 0
        queue = deque([root])
        while queue:
            body = queue.popleft()
            for _, other in reach[body]:
                if other not in distance:
                    distance[other] = distance[body] + 1
                    below[body].append(other)
                    queue.append(other)
        stack = [root]
        while stack:
            body = stack.pop()
            walk.append(body)
            stack.extend(reversed(below[body]))
    found: dict[str, None] = {}
    for body in walk:
        found[body] = None
        found.update((k, None) for k, _ in reach[body])
    return distance, list(found)


def _sorted(names: list[list[str]], column: dict[str, int], beside: dict[str, list[str]]) -> list[list[str]]:
    """The order with the fewest crossings found by sweeps, from the order of the walk and from random ones."""
    best, fewest = names, _crossings(names, column, beside)
    chance = Random(0)
    for _ in range(max(1, _TRIALS // len(column))):
        for sweep in range(_SWEEPS):
            if fewest == 0:
                return best
            names = [list(each) for each in names]
            rank = {n: i / len(each) for each in names for i, n in enumerate(each)}
            for i in range(len(names)) if sweep % 2 == 0 else reversed(range(len(names))):
                names[i].sort(key=_mean_of(beside, rank))
                rank |= {n: j / len(names[i]) for j, n in enumerate(names[i])}
            count = _crossings(names, column, beside)
            if count < fewest:
                best, fewest = names, count
        names = [chance.sample(each, len(each)) for each in best]
    return best


def _mean_of(beside: dict[str, list[str]], rank: dict[str, float]) -> Callable[[str], float]:
    return lambda name: fmean(rank[o] for o in beside[name]) if beside[name] else rank[name]


def _crossings(names: list[list[str]], column: dict[str, int], beside: dict[str, list[str]]) -> int:
    """Pairs of bonds between neighbouring columns that cross."""
    place = {n: i for each in names for i, n in enumerate(each)}
    total = 0
    for each in names[:-1]:
        ends = sorted((place[n], place[o]) for n in each for o in beside[n] if column[o] == column[n] + 1)
        total += sum(a[1] > b[1] for i, a in enumerate(ends) for b in ends[i + 1 :] if a[0] < b[0])
    return total
