"""Units as they are printed."""


def pretty(unit: str) -> str:
    """A unit for the eye: rad/s^2 with a raised 2."""
    return unit.replace("^2", "²").replace("^3", "³")
