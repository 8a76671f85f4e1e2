"""Modes of filling triangles, shared by the compiled code and its callers, which run without numba."""

SOLID, GLASS, SHADOW = range(3)
"""Hides what is behind it; is blended over it; darkens the floor, once."""
