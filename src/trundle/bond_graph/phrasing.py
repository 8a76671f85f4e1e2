"""Lists and counts in sentences."""

from collections.abc import Iterable, Sequence

SHOWN = 8  # names of a long list


def listed(words: Iterable[str]) -> str:
    """ "a, b and c"; a long list is cut, with the number of omitted items."""
    names = list(words)
    if len(names) > SHOWN:
        return f"{', '.join(names[:SHOWN])} and {len(names) - SHOWN} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def components(axes: Sequence[str]) -> str:
    """ "translation along x and y and rotation about z" for x, y, rz."""
    slides, turns = [a for a in axes if len(a) == 1], [a[1] for a in axes if len(a) == 2]
    parts = [f"the translation along {listed(slides)}"] if slides else []
    return " and ".join([*parts, *([f"the rotation about {listed(turns)}"] if turns else [])])


def counted(count: int, what: str) -> str:
    """ "1 connection", "2 connections"."""
    return f"{count} {what}{'' if count == 1 else 's'}"
