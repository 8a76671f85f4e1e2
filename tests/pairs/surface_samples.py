"""Surfaces of every kind, inside and outside, thick and thin."""

from trundle.pairs import (
    CircleEdge,
    Cone,
    Cylinder,
    HelixEdge,
    LineEdge,
    Plane,
    Sphere,
    SpiralColumn,
    Surface,
    TangentSurface,
    Torus,
    Vertex,
)

SMOOTH: tuple[Surface, ...] = (
    Plane(),
    Cylinder(0.4),
    Cylinder(0.9, inside=True),
    Cone(0.5, 0.4),
    Cone(0.5, -0.4),
    Cone(0.5, 1.2, inside=True),
    Torus(1.0, 0.3),
    Torus(1.0, 0.7),  # the tube meets the axis
    Torus(1.0, 0.3, inside=True),
    Sphere(0.7),
    Sphere(1.7, inside=True),
    SpiralColumn(1.0, 1.0, 0.5),
    SpiralColumn(1.0, 0.2, 0.5),
    SpiralColumn(1.0, -0.3, 0.3, inside=True),
    TangentSurface(1.0, 1.0, 0.5),
    TangentSurface(1.0, 0.3, -1.0),
    TangentSurface(1.0, -0.3, 0.6, inside=True),
)
SHARP: tuple[Surface, ...] = (CircleEdge(0.5), Torus(0.5), LineEdge(), HelixEdge(1.0, 0.4), Vertex())
EVERY = SMOOTH + SHARP


def title(surface: Surface) -> str:
    return repr(surface).replace("inside=False", "").replace(" ", "")
