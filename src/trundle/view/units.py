"""Formatting of units."""


def pretty(unit: str) -> str:
    """A unit with superscripts: rad/s^2 with a raised 2."""
    return unit.replace("^2", "²").replace("^3", "³")
