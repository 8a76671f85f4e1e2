"""How triangles go into an image: known to the compiled code and to what calls it, which runs without numba."""

SOLID, GLASS, SHADOW = range(3)
"""Hides what is behind it; is blended over it; darkens the floor, once."""
