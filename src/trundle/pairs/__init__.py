"""Kinematic pairs as chains of screws."""

from trundle.pairs.lower import (
    LOWER_PAIRS,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Pair,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)

__all__ = [
    "LOWER_PAIRS",
    "Cylindrical",
    "Fixed",
    "Free",
    "Helical",
    "Pair",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Universal",
]
