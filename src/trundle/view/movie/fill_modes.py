"""Modes of filling triangles, shared by the compiled code and its callers, which run without numba."""

SOLID, GLASS, SHADOW = range(3)
"""Opaque; blended; darkens the floor, once per pixel."""
