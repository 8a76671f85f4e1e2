"""Units as texts: whether two of them are one."""

import re

SPELLED = {"": "1", "-": "1", **dict.fromkeys(("sec", "second", "seconds"), "s"), "radians": "rad"}


def unlike(given: str, known: str) -> bool:
    """Whether two units are given and differ."""
    return bool(given and known) and plain(given) != plain(known)


def plain(unit: str) -> str:
    """A unit in normal form."""
    short = unit.replace(" ", "").replace("**", "^").replace("*", "").replace("·", "")
    return SPELLED.get(short, short)


def unit_of_argument(argument: str) -> str:
    """The unit behind the name of an argument, as in "speed (rad/s)"; empty without one."""
    found = re.search(r"\(([^()]*)\)\s*$", argument)
    return found[1] if found else ""
