"""The geometry of a swept surface in numbers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SurfaceGeometry:
    """Points, tangents, normals and curvatures of a surface."""
