"""Routes of bonds between two columns: horizontal, then vertical on a separate track, then horizontal again."""

from collections.abc import Sequence

TRACK = 14.0  # distance of neighbouring tracks
CLOSE = 9.0  # smallest distance of horizontal bonds


def find_tracks(ends: Sequence[tuple[float, float]]) -> list[int | None]:
    """Track of each route from the height at the left to that at the right, counted from the left; None if it is
    horizontal. Routes may cross but do not overlap.
    """
    bent = [i for i, (a, b) in enumerate(ends) if abs(a - b) > 1e-6]
    order: list[int] = []
    for i in sorted(bent, key=lambda i: (ends[i][0], ends[i][1])):
        cost = sum(_cost(ends[i], ends[o]) for o in order)  # of the leftmost track
        costs = [cost]
        for o in order:
            cost += _cost(ends[o], ends[i]) - _cost(ends[i], ends[o])
            costs.append(cost)
        order.insert(costs.index(min(costs)), i)
    tracks: list[int | None] = [None] * len(ends)
    for track, i in enumerate(order):
        tracks[i] = track
    return tracks


def lie_over(ends: Sequence[tuple[float, float]], tracks: Sequence[int | None]) -> list[tuple[int, int]]:
    """Pairs of routes that overlap nevertheless."""
    bent = sorted((t, i) for i, t in enumerate(tracks) if t is not None)
    return [(i, o) for k, (_, i) in enumerate(bent) for _, o in bent[k + 1 :] if _cost(ends[i], ends[o]) >= _FORBIDDEN]


_FORBIDDEN = 1000


def _cost(inner: tuple[float, float], outer: tuple[float, float]) -> int:
    """Crossings of two routes if the track of the first is left of that of the second."""
    if abs(inner[1] - outer[0]) < CLOSE:  # one leaves at the height at which the other arrives
        return _FORBIDDEN
    low, high = sorted(outer)
    into = low < inner[1] < high
    low, high = sorted(inner)
    return into + (low < outer[0] < high)
